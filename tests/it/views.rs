//! Abstract views of a run: why calls failed, loops, instantiation; pictures and tables at the prompt. The numbers were
//! computed from the JSON of the traces by a program in another language.

#[cfg(unix)]
use std::process::Command;

use crate::support::{data, file, papaver, stdout};

fn answers(goal: &str, trace: &str) -> String {
    stdout(papaver().args(["query", "-q", goal, trace]), 0)
}

/// The answers of goals at a prompt that is no terminal.
fn prompt(goals: &str, trace: &str) -> String {
    stdout(papaver().arg(trace).write_stdin(goals.to_string()), 0)
}

#[test]
fn the_leaves_of_failures_are_found() {
    let all = "aggregate_all(count, (event([port=fail, call=C, chrono=X]), call_end(C, X), why_failed(C, _)), N)";
    assert_eq!(answers(all, &data("queens.trace")), "N = 137\n");
    assert_eq!(answers(all, &data("prolog/swi_sets.txt")), "N = 191\n");
    let of = |call: u32| format!("findall(L, why_failed({call}, L), Leaves)");
    let leaves = "Leaves = [60, 25, 17, 14, 24, 21, 42, 34, 31, 41, 38, 59, 51, 48, 58, 55]\n";
    assert_eq!(answers(&of(8), &data("queens.trace")), leaves);
    assert_eq!(answers(&of(24), &data("prolog/swi_sets.txt")), "Leaves = [26, 27, 29]\n");
    // it has not failed
    stdout(papaver().args(["query", "-q", "why_failed(3, _)", &data("queens.trace")]), 1);
}

#[test]
fn why_failed_prints_the_failures_and_leaves_the_cursor_where_it_was() {
    let text = answers("det_fget_np([chrono=5]), why_failed(10), current([chrono=C])", &data("queens.trace"));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.last(), Some(&"C = 5"));
    let calls: Vec<&str> =
        lines[..lines.len() - 1].iter().map(|line| line.split_whitespace().nth(1).unwrap()).collect();
    assert_eq!(calls.first(), Some(&"10"));
    for leaf in ["25", "17", "14", "24", "21"] {
        assert!(calls.contains(&leaf), "{leaf} in {text}");
    }
}

#[test]
fn loops_are_calls_inside_the_same_call() {
    let all = "findall(L, loops(L), Loops)";
    assert_eq!(answers(all, &data("prolog/swi_sets.txt")), "Loops = [289-291, 291-294]\n");
    assert_eq!(answers(all, &data("queens.trace")), "Loops = []\n");
    let call = |call: u32, args: &str| {
        format!(
            "{{\"call\": {call}, \"depth\": {call}, \"port\": \"call\", \"name\": \"f\", \"arity\": 1, \"args\": [{args}]}}\n"
        )
    };
    // through another call; the nearest one counts
    let trace = call(1, "1") + &call(2, "2") + &call(3, "1") + &call(4, "1") + &call(5, "[1]");
    let (_folder, path) = file("loops.jsonl", &trace);
    assert_eq!(answers(all, path.to_str().unwrap()), "Loops = [1-3, 3-4]\n");
}

#[test]
fn instantiation_is_seen_at_the_call_and_at_the_exit() {
    let of = |name: &str| format!("tally(M, (event([port=call, name={name}, call=C]), instantiation(C, M)), L)");
    let sets = data("prolog/swi_sets.txt");
    assert_eq!(answers(&of("paint"), &sets), "L = [[ground-ground, free-ground]-26]\n");
    assert_eq!(
        answers(&of("member"), &sets),
        "L = [[free-ground, ground-ground]-1, [ground-ground, ground-ground]-15, [ground-none, ground-none]-72]\n"
    );
    let trace = "{\"papaver\": 1, \"port\": \"header\", \"args\": \"terms\"}\n\
                 {\"call\": 1, \"depth\": 1, \"port\": \"call\", \"name\": \"p\", \"arity\": 2, \"args\": [\"f(_1)\", null]}\n\
                 {\"call\": 1, \"depth\": 1, \"port\": \"exit\", \"name\": \"p\", \"arity\": 2, \"args\": [\"f(a)\", \"[_2]\"]}\n";
    let (_folder, path) = file("partial.jsonl", trace);
    assert_eq!(answers("instantiation(C, L)", path.to_str().unwrap()), "C = 1, L = [partial-ground, free-partial]\n");
}

#[test]
fn a_timeline_has_a_bar_for_each_call() {
    let goal = "timeline(C, event([name=safe, port=call, call=C]))";
    let text = answers(goal, &data("queens.trace"));
    let lines: Vec<&str> = text.lines().collect();
    // 18 calls of safe/1 from event 38 to event 672
    assert_eq!(lines.len(), 1 + 18, "{text}");
    assert!(lines[0].contains("18 calls") && lines[0].ends_with(" 634"), "{text}");
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{text}");
    let column = |line: &str| line.chars().position(|letter| letter == '█').unwrap();
    assert_eq!(column(lines[1]), 44);
    assert_eq!(lines[18].chars().count(), 80, "{text}");
    assert!(lines[1..].windows(2).all(|two| column(two[0]) <= column(two[1])), "{text}");
    let text = answers("timeline", &data("queens.trace"));
    assert_eq!(text.lines().count(), 21, "{text}");
    assert!(text.lines().nth(1).unwrap().ends_with(&"█".repeat(36)), "{text}");
    assert_eq!(answers("timeline(C, event([depth=99, call=C]))", &data("queens.trace")), "no calls\n");
}

#[cfg(unix)]
#[test]
fn a_timeline_at_the_prompt_is_as_wide_as_the_terminal() {
    for columns in [60, 133] {
        let home = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", &format!("stty cols {columns}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_papaver")]);
        command.arg(data("queens.trace")).arg("--color=never").env("TERM", "xterm").env("HOME", home.path());
        command.env("XDG_STATE_HOME", home.path()).env("XDG_CONFIG_HOME", home.path());
        let mut pty = rexpect::session::spawn_command(command, Some(30_000)).unwrap();
        pty.exp_string("?- ").unwrap();
        pty.send("timeline(C, event([name=safe, port=call, call=C])).\r").unwrap();
        pty.flush().unwrap();
        let (_, head) = pty.exp_regex("   call 18 calls +duration 0 +634\r").unwrap();
        assert_eq!(head.trim_end().chars().count(), columns, "{head}");
        // the crate takes each byte of UTF-8 for a character
        let (_, last) = pty.exp_regex("    140 safe/1 +[0-9]+ +[^ \r]+\r").unwrap();
        assert_eq!(last.trim_end().replace("\u{e2}\u{96}\u{88}", "█").chars().count(), columns, "{last}");
    }
}

#[test]
fn the_prompt_shows_several_answers_as_a_table_if_asked() {
    let goals = "answer_display(table).\nevent([port=exit, name=N, depth=2, call=C]).\nX = 1.\nmember(X, []).\n";
    let text = stdout(papaver().args(["-q", &data("queens.trace")]).write_stdin(goals), 1);
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    let rows: [&[&str]; 7] = [
        &["true."],
        &["N", "C"],
        &["data", "2"],
        &["queen", "3"],
        &["print_list", "141"],
        &["X", "=", "1."],
        &["false."],
    ];
    assert_eq!(lines, rows, "{text}");
    let goals = "answer_display(table). answer_display(How). answer_display(single). member(X, [1, 2]).";
    assert_eq!(prompt(goals, &data("queens.trace")), "true.\nHow = (table).\ntrue.\nX = 1 ;\nX = 2.\n");
}

#[test]
fn tables_show_times_with_units() {
    let timed = "{\"call\": 1, \"depth\": 1, \"port\": \"call\", \"name\": \"main\", \"time\": 0}\n\
                 {\"call\": 2, \"depth\": 2, \"port\": \"call\", \"name\": \"load\", \"time\": 10000000}\n\
                 {\"call\": 2, \"depth\": 2, \"port\": \"exit\", \"name\": \"load\", \"time\": 40000500}\n\
                 {\"call\": 1, \"depth\": 1, \"port\": \"exit\", \"name\": \"main\", \"time\": 2100000000}\n";
    let (_folder, path) = file("timed.jsonl", timed);
    let table = "N     D\nmain   2.10 s\nload  30.00 ms\n";
    let goal = "event([port=call, name=N, duration=D])";
    let lines: String = stdout(papaver().args(["query", "-q", "--to", "table", goal]).arg(&path), 0);
    let words =
        |text: &str| text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>();
    assert_eq!(words(&lines), words(table));
    // numbers stand to the right
    let ends: Vec<usize> = lines.lines().skip(1).map(|line| line.chars().count()).collect();
    assert_eq!(ends[0], ends[1], "{lines}");
    // data for programs have none
    let csv = stdout(papaver().args(["query", "-q", "--to", "csv", goal]).arg(&path), 0);
    assert_eq!(csv, "N,D\nmain,2100000000\nload,30000500\n");
}
