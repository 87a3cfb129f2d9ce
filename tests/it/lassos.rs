//! Assertions about traces of model checkers that end in a loop.

use crate::support::{file, papaver, stdout};

/// The verdicts of claims about a trace whose variable `x` has these values; the last state goes back to `again`.
fn verdicts(values: &[&str], again: Option<usize>, claims: &[&str]) -> Vec<bool> {
    let states: Vec<String> = values.iter().map(|value| format!("{{\"x\":\"{value}\"}}")).collect();
    let again = again.map_or(String::new(), |again| format!(",\"loop\":{again}"));
    let text = format!("{{\"vars\":[\"x\"],\"states\":[{}]{again}}}", states.join(","));
    let (_folder, path) = file("trace.itf.json", &text);
    let verdict = |claim: &&str| {
        let goal = format!("({claim} -> R = holds ; R = violated)");
        stdout(papaver().args(["query", "-q", &goal]).arg(&path), 0) == "R = holds\n"
    };
    claims.iter().map(verdict).collect()
}

#[test]
fn claims_follow_the_loop_of_a_lasso_and_end_with_a_trace_that_ends() {
    let claims = [
        "responds([x=\"free\"], [x=\"busy\"])",
        "responds([x=\"free\"], [x=\"busy\"], globally, within(chrono, 1))",
        "exists([x=\"busy\"], at_most(1))",
        "exists([x=\"init\"], exactly(1))",
        "exists([[x=\"busy\"], [x=\"free\"]])",
        "precedes([x=\"init\"], [x=\"busy\"])",
        "never([x=\"free\"], after([x=\"busy\"]))",
    ];
    let values = ["init", "free", "free", "busy"];
    let finite = verdicts(&values, None, &claims);
    assert_eq!(finite, [false, false, true, true, false, true, true]);
    let lasso = verdicts(&values, Some(1), &claims);
    assert_eq!(lasso, [true, true, false, true, true, true, false]);
    // the last state is the first one of the loop, which goes on after it
    let closed = verdicts(&["init", "busy", "free", "free", "busy"], Some(1), &claims);
    assert_eq!(closed, [true, true, false, true, true, true, false]);
    let for_ever = verdicts(&["free", "busy"], Some(1), &claims[..3]);
    assert_eq!(for_ever, [false, false, false]);
}

/// The loop goes from a request to an answer that is far from it in `t`, and to one that is near.
#[test]
fn an_answer_at_an_allowed_distance_comes_in_the_next_round() {
    let state = |x: &str, t: i64| format!("{{\"x\":\"{x}\",\"t\":{t}}}");
    let states = [state("answer", 3), state("request", 0), state("answer", 9)].join(",");
    let text = format!("{{\"vars\":[\"x\",\"t\"],\"states\":[{states}],\"loop\":0}}");
    let (_folder, path) = file("trace.itf.json", &text);
    for (range, status) in [("3", 0), ("1..3", 0), ("4..8", 1), ("4..9", 0), ("10..inf", 1)] {
        let claim = format!("responds([x=\"answer\"], [x=\"request\"], globally, within(t, {range}))");
        stdout(papaver().args(["query", "-q", &claim]).arg(&path), status);
    }
}
