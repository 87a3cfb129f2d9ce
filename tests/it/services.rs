//! Traces of services and agents: what is asked and checked of spans, whatever the file that holds them.

use crate::support::{data, file, papaver, stderr, stdout};

/// The answers of a goal.
fn ask(goal: &str, sample: &str) -> String {
    stdout(papaver().args(["query", "-q", goal]).arg(data(&format!("otlp/{sample}.jsonl"))), 0).trim().to_owned()
}

/// The lines of `check` with the names of the assertions.
fn check(script: &str, sample: &str, status: i32) -> Vec<String> {
    let (_folder, path) = file("rules.pl", script);
    let output = stdout(papaver().arg("check").arg(path).arg(data(&format!("otlp/{sample}.jsonl"))), status);
    output.lines().map(str::to_owned).collect()
}

#[test]
fn the_path_of_every_root_covers_it() {
    let covers = "forall(critical_path(Root, Sections, Ns), ( \
         aggregate_all(sum(T - F), member(section(_, F, T), Sections), Ns), duration(Root, Ns), \
         forall(append(_, [section(_, _, At), section(_, From, _)|_], Sections), At =:= From) ))";
    assert_eq!(ask(covers, "shop_small"), "true");
    assert_eq!(ask(covers, "shop_limits"), "true");
    let shares =
        "critical_path(15, _, Ns), aggregate_all(sum(N), (on_critical_path(C, N), trace(T, 15), trace(T, C)), Ns)";
    assert_eq!(ask(shares, "shop_small"), "Ns = 27814120");
}

#[test]
fn gaps_add_up_to_the_time_of_the_call_itself() {
    let adds_up = "forall((self_time(Call, Own), once(child(Call, _))), ( \
         aggregate_all(sum(To - From), gap(Call, From, To), Own) ))";
    assert_eq!(ask(adds_up, "shop_small"), "true");
    assert_eq!(ask(adds_up, "shop_limits"), "true");
}

#[test]
fn a_column_that_no_span_has_matches_nothing() {
    let sample = data("otlp/shop_small.jsonl");
    let note = |goal: &str| stderr(papaver().args(["query", goal, &sample]), 1);
    let told = note("event(['gen_ai.nothing.here'=X])");
    assert!(told.ends_with("papaver: note: no event has `gen_ai.nothing.here`\n"), "{told}");
    let told = note("event(['a.b' > 3, port=call])");
    assert!(told.ends_with("papaver: note: no event has `a.b > 3`\n"), "{told}");
    assert_eq!(ask("findall(C, event([chrono=C, 'a.b' \\= 3]), L)", "shop_small"), "L = []");
    assert_eq!(ask("findall(V, attribute(1, 'a.b', V), L)", "shop_small"), "L = []");
    let refused = stderr(papaver().args(["query", "event([nothing=X])", &sample]), 2);
    assert!(refused.contains("unknown attribute `nothing`"), "{refused}");
    let refused = stderr(papaver().args(["query", "event(['a.b'=X])", &data("queens.trace")]), 2);
    assert!(refused.contains("unknown attribute `a.b`"), "{refused}");
}

#[test]
fn policies_hold_of_runs_without_tools() {
    let rules = "check(a) :- never([port=call, 'arg.amount' > 40]).\n\
         check(b) :- precedes([port=exit, 'arg.order'=O], [port=call, 'arg.order'=O]).\n\
         check(c) :- exists([port=call, 'gen_ai.tool.name'=mail], at_most(2)).\n";
    let output = check(rules, "shop_small", 0);
    let nothing = "    nothing to check: no event that anything must precede";
    let expected = ["holds    a", "vacuous  b", nothing, "holds    c", "3 checks, 0 violated, 0 with errors"];
    assert_eq!(output, expected);
}

#[test]
fn policies_of_agents_name_the_event_that_breaks_them() {
    let rules = "check(amount) :- never([port=call, 'gen_ai.tool.name'=reserve, 'arg.copies' > 1]).\n\
         check(order) :- precedes([port=exit, 'gen_ai.tool.name'=stock, 'arg.title'=T], \
             [port=call, 'gen_ai.tool.name'=reserve, 'arg.title'=T]).\n\
         check(runs) :- exists([port=call, 'gen_ai.operation.name'=chat, trace=T], at_most(2), \
             between([port=call, depth=1, trace=T], [port=[exit, exception], depth=1, trace=T])).\n";
    let output = check(rules, "agent_books", 1).join("\n");
    assert!(output.contains("violated amount"), "{output}");
    assert!(output.contains("\nholds    order\n"), "{output}");
    assert!(output.contains("\nviolated runs"), "{output}");
}

#[test]
fn checks_of_the_library_are_those_of_spans() {
    let output = stdout(papaver().args(["check", "--builtin", &data("otlp/shop_small.jsonl")]), 0);
    let names: Vec<&str> = output.lines().filter_map(|line| line.strip_prefix("holds    ")).collect();
    assert_eq!(names, ["well_formed", "every_call_ends", "boxes_alternate", "no_orphans"]);
}

#[test]
fn a_violation_shows_the_span_and_how_far_off_it_is() {
    let output = check("check(budget) :- within_budget([name='GET /recent'], 1_000_000).", "shop_small", 1).join("\n");
    assert!(output.contains("Call = 12, Duration = 1522918"), "{output}");
    let output = check("check(queries) :- no_n_plus_one(1).", "shop_small", 1).join("\n");
    assert!(output.contains("Parent = 12, Name = 'SELECT', N = 2"), "{output}");
    let output = check("check(clocks) :- time_is_kept.", "shop_small", 1).join("\n");
    assert!(output.contains("Call = 8, Ns = 27566406"), "{output}");
}

/// What a trace lacks is an error that says so, and what it has decides what is meant.
#[test]
fn questions_about_time_are_for_every_trace_that_has_it_and_durations_for_all() {
    let queens = data("queens.trace");
    for goal in ["critical_path(1, S, N)", "self_time(1, N)"] {
        let error = stderr(papaver().args(["query", goal, &queens]), 2);
        assert!(error.contains("unknown attribute `time`"), "{goal}: {error}");
    }
    // without times, durations count events: the first call begins with event 1 and ends with event 698
    let answer = stdout(papaver().args(["query", "-q", "duration(1, N), slowest(1, L)", &queens]), 0);
    assert_eq!(answer, "N = 697, L = [697-1]\n");
    let (_folder, path) = file(
        "run.jsonl",
        "{\"port\":\"call\",\"name\":\"main\",\"call\":1,\"time\":10}\n{\"port\":\"call\",\"name\":\"load\",\"call\":2,\"time\":20}\n\
         {\"port\":\"exception\",\"name\":\"load\",\"call\":2,\"time\":50}\n{\"port\":\"exit\",\"name\":\"main\",\"call\":1,\"time\":60}\n",
    );
    let path = path.display().to_string();
    let goal = "duration(2, D), self_time(1, S), critical_path(Calls, Ns), swallowed(E), slowest(1, L)";
    let answer = stdout(papaver().args(["query", "-q", goal, &path]), 0);
    assert_eq!(answer, "D = 30, S = 20, Calls = [1, 2], Ns = 50, E = 2, L = [50-1]\n");
}

/// The lines of a picture, as long as a screen is wide.
#[test]
fn the_waterfall_shows_where_the_time_went() {
    let picture = stdout(papaver().args(["query", "-q", "waterfall(10)", &data("otlp/shop_limits.jsonl")]), 0);
    let expected = [
        " call 2 calls, 2 errors                      duration 0                 13.53 ms",
        "   10!GET                                    13.53 ms ███████░░░░░░░░░░░░░░░░███",
        "   11!  payment: GET /pay                     9.17 ms       ██████████████████",
    ];
    assert_eq!(picture.lines().collect::<Vec<_>>(), expected);
    assert!(picture.lines().all(|line| line.chars().count() <= 80), "{picture}");
    let every = stdout(
        papaver().args(["query", "-q", "root(C), trace(T, C), waterfall(T)", &data("otlp/shop_small.jsonl")]),
        0,
    );
    let numbers = |text: &str| text.lines().filter_map(|line| line.get(..5)?.trim().parse().ok()).collect::<Vec<u32>>();
    assert_eq!(numbers(&every)[..6], [1, 2, 4, 5, 6, 3]);
    assert_eq!(numbers(&every).len(), 32);
}

#[test]
fn lines_of_spans_stay_readable() {
    let sample = data("otlp/agent_books.jsonl");
    let lines = |goal: &str| stdout(papaver().args(["query", "-q", goal, &sample]), 0);
    let short = lines("fget([])");
    assert!(short.lines().all(|line| line.chars().count() < 500), "{short}");
    assert!(short.contains("\\\"name\\\":\\\"stock\\\",\\\"para...\", ...)"), "{short}");
    let long = lines("text_display(normal, 0), arg_display(normal, 0), fget([])");
    assert!(long.lines().any(|line| line.chars().count() > 1000) && !long.contains("..."), "{long}");
    let whole = "attribute(2, 'gen_ai.input.messages', V), string_length(V, N)";
    let answer = stdout(papaver().args(["query", "-q", whole, &sample, "--to", "json"]), 0);
    assert!(answer.contains("Two copies of Dune") && !answer.contains("..."), "{answer}");
}

/// Of two calls that run side by side, one fails: the other one still belongs to the proof.
#[test]
fn a_failing_call_does_not_undo_what_runs_beside_it() {
    let line = |port: &str, name: &str, call: u32, parent: u32| {
        format!(
            "{{\"port\": \"{port}\", \"name\": \"{name}\", \"call\": {call}, \"parent\": {parent}, \"depth\": {}}}\n",
            1 + u32::from(parent > 0)
        )
    };
    let text = line("call", "main", 1, 0)
        + &line("call", "first", 2, 1)
        + &line("call", "second", 3, 1)
        + &line("exception", "first", 2, 1)
        + &line("exit", "second", 3, 1)
        + &line("exit", "main", 1, 0);
    let (_folder, path) = file("run.jsonl", &text);
    let path = path.display().to_string();
    let tree = stdout(papaver().args(["query", "-q", "proof_tree(1, T)", &path]), 0);
    assert_eq!(tree, "T = proof(1, main, [proof(3, second, [])])\n");
    let stack = stdout(
        papaver().args([
            "query",
            "-q",
            "goto_np(5), stack(S), findall(C, member([_, detail(_, C, _)|_], S), L)",
            &path,
        ]),
        0,
    );
    assert!(stack.ends_with("L = [3, 1]\n"), "{stack}");
}

/// What a trace has decides, not its format.
#[test]
fn spans_that_were_converted_to_json_lines_are_still_spans() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let lines = folder.path().join("run.jsonl").display().to_string();
    let sample = data("otlp/shop_limits.jsonl");
    papaver().args(["convert", &sample, "-o", &lines]).assert().success();
    let same = |arguments: &[&str], status: i32| {
        let run = |path: &str| stdout(papaver().args(arguments).arg(path), status);
        assert_eq!(run(&lines), run(&sample), "{arguments:?}");
    };
    same(&["query", "-q", "waterfall"], 0);
    same(&["query", "-q", "fget([])"], 0);
    same(&["query", "-q", "critical_path(Root, Sections, Ns)"], 0);
    same(&["query", "-q", "n_plus_one(Parent, Name, N)", "--to", "json"], 0);
    same(&["check", "--builtin"], 0);
}
