//! POSIX traces: answers from the samples, and the effect of a gap on answers and checks.

use crate::support::{data, file, kept_file, papaver, stdout};

fn sample(name: &str) -> String {
    data(&format!("posix/{name}.jsonl"))
}

fn answer(goal: &str, name: &str) -> String {
    stdout(papaver().args(["query", goal, &sample(name)]), 0).trim().to_string()
}

/// The numbers were counted and measured independently of papaver.
#[test]
fn the_samples_hold_what_is_known_of_them() {
    let by_name = |name| answer("tally(T, event([name=T]), L0), msort(L0, L), write(L), nl, fail ; true", name);
    let expected =
        "[job_done-18,job_get-18,job_wait-21,note-18,posix_trace_overflow-1,posix_trace_resume-1,posix_trace_stop-1]";
    assert_eq!(by_name("loop").lines().next(), Some(expected));
    let expected = "[job_done-18,job_get-19,job_wait-21,note-18,posix_trace_start-2,posix_trace_stop-2]";
    assert_eq!(by_name("untilfull").lines().next(), Some(expected));
    let expected =
        "[job_done-11,job_get-11,job_wait-11,note-3,posix_trace_filter-2,posix_trace_start-1,posix_trace_stop-1]";
    assert_eq!(by_name("filter").lines().next(), Some(expected));
    let run =
        "findall(D-W, (window(run, F, T), catch(D is T - F, _, D = (-)), stopped(C, W), attribute(C, time, T)), L)";
    let answers = ["untilfull", "filter", "trunc", "unnamed", "loop"].map(|name| answer(run, name));
    let tail = |text: &String| text.rsplit("L = ").next().unwrap_or_default().to_string();
    assert_eq!(
        answers.each_ref().map(tail),
        ["[189861-automatic, 102391-user]", "[277942-user]", "[246395-user]", "[30395-user]", "[(-)-user]"]
    );
    assert_eq!(answer("blind(F, T), D is T - F", "loop").rsplit("D = ").next(), Some("460012"));
    let open = "once(window(overflow, F, T)), \\+ T < 3176155151157";
    assert_eq!(answer(open, "bad/P4_no_resume"), "F = 3176155151156, T = inf");
    let truncated = answer("tally(T, event([trunc=T]), L0), msort(L0, L)", "trunc");
    assert!(truncated.contains("L = [none-19, record-5]"), "{truncated}");
    for word in ["record", "'POSIX_TRACE_TRUNCATED_RECORD'", "not('POSIX_TRACE_NOT_TRUNCATED')"] {
        assert_eq!(answer(&format!("aggregate_all(count, event([trunc={word}]), N)"), "trunc"), "N = 5", "{word}");
    }
    let starts = answer("aggregate_all(count, event([port='POSIX_TRACE_START']), N)", "untilfull");
    assert_eq!(starts, "N = 2");
    let stream = "findall(P-C-S, event([port=start, posix_trace_attr_stream_full_policy=P, posix_trace_attr_creation_time=C, \
                  posix_stream_overrun_status=S]), L)";
    let at_start = "'POSIX_TRACE_UNTIL_FULL'-3176146068008-'POSIX_TRACE_OVERRUN'";
    assert_eq!(answer(stream, "untilfull"), format!("L = [{at_start}, {at_start}]"));
    assert_eq!(answer("event_type(I, note, C)", "unnamed"), "I = 36, C = user");
}

/// The tuple, worked out by hand from the line of event 5.
#[test]
fn an_event_has_its_attributes_and_its_window() {
    let goal = "event([chrono=5, call=1, depth=1, port=event, name=note, args=[\"worker 3 finished job 43 with fe49c08b\"], \
                goal_path=[run1], time=3176141185264, id=36, class=user, pid=24220, tid=4, addr='0x55d004599e35', trunc=none, \
                filter=F, running=true, window=run1]), F == []";
    assert_eq!(answer(goal, "loop"), "F = []");
}

const CHECKS: &str = "check('no alarm') :- \\+ event([name=alarm]).
check('no note') :- \\+ event([name=note]).
check('no alarm later') :- \\+ event([name=alarm, chrono=3..78]).
check('eighteen') :- jobs(18).
check('a note') :- event([name=note]).
jobs(N) :- aggregate_all(count, event([name=job_get]), N).
";

/// Answers that were found are certain; counts and missing answers may depend on the overflow.
#[test]
fn a_check_that_depends_on_lost_events_has_a_warning() {
    let (_folder, path) = file("rules.pl", CHECKS);
    let run = |to: &str, name: &str| {
        let assert = papaver().args(["check", to]).arg(&path).arg(sample(name)).assert();
        String::from_utf8(assert.get_output().stdout.clone()).unwrap()
    };
    let lines = run("--to=json", "loop");
    let outcomes: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let warned: Vec<&str> =
        outcomes.iter().filter(|one| one.get("warning").is_some()).filter_map(|one| one["check"].as_str()).collect();
    assert_eq!(warned, ["no alarm", "eighteen"]);
    assert!(outcomes[0]["warning"].as_str().unwrap().contains("from 3176140719794 to 3176141179806 ns"), "{lines}");
    for to in ["--to=text", "--to=tap", "--to=junit"] {
        assert_eq!(run(to, "loop").matches("warning: the answer depends").count(), 2, "{to}");
        assert_eq!(run(to, "filter").matches("warning").count(), 0, "{to}");
    }
}

#[test]
fn an_answer_across_a_gap_is_not_sound() {
    let sound = |goal: &str, name: &str| {
        let output =
            papaver().args(["query", &format!("sound(({goal}))"), &sample(name)]).assert().get_output().clone();
        assert!(
            output.status.code().is_some_and(|code| code < 2),
            "{goal}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        output.status.code() == Some(0)
    };
    // the automatic stop is event 56 and the next start event 57
    assert!(sound("event([chrono=50, tid=T]), event([chrono=55, tid=_])", "untilfull"));
    assert!(!sound("event([chrono=50, tid=T]), event([chrono=60, tid=_])", "untilfull"));
    assert!(sound("\\+ event([name=alarm, chrono=57..80])", "untilfull"));
    assert!(!sound("\\+ event([name=alarm, chrono=56..57])", "untilfull"));
    assert!(sound("\\+ event([name=alarm, time > 3176148199867])", "untilfull"));
    assert!(!sound("\\+ event([name=alarm, time >= 3176148199867])", "untilfull"));
    assert!(!sound("goto_np(50), fget_np([port=start])", "untilfull"));
    assert!(sound("goto_np(57), fget_np([name=note])", "untilfull"));
    assert!(!sound("event([name=alarm])", "untilfull"));
    assert!(sound("event([name=alarm])", "filter"));
    assert!(!sound("forall(event([name=note]), true)", "loop"));
    assert!(sound("forall(event([name=note]), fail)", "loop"));
    assert!(!sound("findall(T, event([tid=T]), _)", "loop"));
    assert!(!sound("rate(note, _)", "loop"));
}

#[test]
fn on_other_traces_everything_is_sound() {
    stdout(papaver().args(["query", "sound(\\+ event([port=exception]))", &data("queens.trace")]), 0);
}

/// The trace overflowed between its events 1 and 2: what an answer depends on for each word.
#[test]
fn every_word_says_that_it_depends_on_what_the_trace_does_not_know() {
    let cases = [
        ("never([name=alarm])", true),
        ("never([name=alarm, chrono=3..78])", false),
        ("never([name=alarm], after([name=note]))", true),
        ("exists([name=note])", false),
        ("exists([[name=note], [name=note]])", false),
        ("exists([name=note], at_least(2))", false),
        ("exists([name=note], at_most(1000))", true),
        ("exists([name=note], exactly(18))", true),
        ("always([name=not(alarm)])", true),
        ("precedes([name=job_wait], [name=job_done])", true),
        ("responds([name=job_done], [name=job_get])", true),
        ("forall(event([name=alarm]), fail)", true),
        ("\\+ event([name=alarm])", true),
        ("aggregate_all(count, event([name=alarm]), 0)", true),
        ("within_budget([name=note], 1_000_000_000)", true),
        ("within_budget([name=note, chrono=3..78], 1_000_000_000)", false),
        ("event([name=note, chrono=C]), C > 0", false),
        ("member(X, [1, 2]), X > 1", false),
        ("rule", true),
    ];
    for (claim, depends) in cases {
        let script = format!("rule :- never([name=alarm]).\ncheck(claim) :- {claim}.\n");
        let path = kept_file("rules.pl", &script);
        let text = stdout(papaver().arg("check").arg(path).arg("examples/overflow/loop.jsonl"), 0);
        assert_eq!(text.contains("warning: the answer depends on"), depends, "{claim}: {text}");
    }
}
