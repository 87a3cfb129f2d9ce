//! A goal that needs few events of a large file gets the same answers from an excerpt as from the whole file;
//! `--trust`.

use std::fmt::Write as _;

use crate::support::{data, file, papaver};

/// Goals, with options of the command.
const GOALS: &[(&str, &[&str])] = &[
    ("event([port=exit])", &["--count"]),
    ("event([port=[exit, fail]])", &["--count"]),
    ("event([port=exit, depth=4..5])", &["--count", "-n", "30"]),
    ("event([port=exit, chrono=C]), write(C), nl", &["--first", "--to", "none"]),
    ("event([name=qdelete, port=exit, chrono=C, call=K])", &["-n", "900"]),
    ("event([name=print_list, chrono=C, port=P])", &[]),
    ("event([proc=qdelete/3, port=exit, args=[X, _, Y], chrono=C])", &[]),
    ("event([proc=qdelete, args=[X|_], goal_path=G, line_number=L, depth=D, chrono=C])", &["--to", "csv"]),
    ("event([proc=qdelete/2])", &[]),
    ("event([proc=nosuch/2])", &[]),
    ("event([name=nosuch, port=exit])", &["--count"]),
    ("event([port=exit, prot=call])", &[]),
    ("event([port=exti])", &[]),
    ("event([port=exit, det=det])", &[]),
    ("event([port=exit, depth=foo])", &[]),
    ("fget([name=queen, port=fail])", &[]),
    ("fget([name=data])", &["--to", "json"]),
    ("fget_np([name=queen]), bget_np([port=exit, chrono=C])", &[]),
    ("fget_np([name=queen]), current([args=A, call=K])", &["-n", "20"]),
    ("fget_np([name=queen, port=call]), bget([port=switch])", &["--first"]),
    ("last_np, bget_np([port=call, chrono=C])", &["-n", "400"]),
    ("last_np, bget_np([port=call, chrono=C])", &["--first"]),
    ("last_np, bget([port=exit, name=safe])", &["-n", "7"]),
    ("last_np, det_bget([proc=main/2, port=call])", &[]),
    ("last_np, bget_np([port=call, arg(1)=X])", &["-n", "3"]),
    ("last, bget_np([port=fail, chrono=C, chrono=C, call=K])", &["-n", "50"]),
    ("last, bget_np([port=fail])", &["-n", "2", "--to", "none"]),
    ("trace_info(events, M), goto(M), det_bget_np([name=nosuch])", &["--to", "none"]),
    (
        "trace_info(events, M), goto_np(M), findall(C, limit(900, bget_np([port=call, chrono=C])), L), sum_list(L, S)",
        &[],
    ),
    ("trace_info(events, M), goto(M), findall(C, limit(90, bget_np([depth=M, chrono=C])), L)", &[]),
    ("trace_info(events, N)", &[]),
    ("trace_info(events, N), aggregate_all(count, event([port=redo]), C)", &[]),
    (
        "trace_info(events, M), A is M // 10, aggregate_all(r(count, min(C)), event([name=safe, chrono=A..M, chrono=C]), R)",
        &[],
    ),
    ("aggregate_all(r(count, sum(D)), (event([port=fail, call=K, chrono=F]), call_start(K, B), D is F - B), R)", &[]),
    ("event([port=fail, call=K]), call_start(K, B)", &["-n", "100"]),
    ("aggregate_all(count, (event([port=call, call=K]), \\+ event([call=K, port=[exit, fail, exception]])), N)", &[]),
    ("tally(P-Q, event([proc=P, port=Q]), L)", &[]),
    ("tally(P, event([port=P, depth=D]), L)", &[]),
    ("sum_by(P, D, (event([port=exit, call=K, chrono=X, proc=P]), call_start(K, S), D is X - S), L)", &[]),
    ("forall(event([port=call, depth=D]), D < 100)", &[]),
    ("forall(event([port=call, depth=D]), D < 3)", &[]),
    ("findall(C, (member(P, [exit, fail]), event([port=P, name=safe, chrono=C])), L), length(L, N)", &[]),
    ("event([port=exit, chrono=C]), C > 10000, atom_length(a, L)", &["--first"]),
    ("once(event([port=exit, chrono=C])) -> write(C) ; write(none)", &["--to", "none"]),
    ("event([port=call, chrono=C]), \\+ event([chrono=C, depth=1..4])", &["-n", "60"]),
    ("event([port=exit, chrono=C]), D is C + 1, event([chrono=D, port=P])", &["-n", "60"]),
    ("event([port=exit, chrono=C]), X is foo + C", &[]),
    ("write(a), event([name=nosuch])", &[]),
];

/// One trace with the events of the queens repeated many times.
fn big() -> String {
    repeated(30)
}

fn repeated(n_rounds: u64) -> String {
    let queens = std::fs::read_to_string(data("queens.trace")).expect("the sample is there");
    let mut text = String::new();
    for round in 0..n_rounds {
        for line in queens.lines() {
            let (chrono, rest) = line.split_once(':').expect("events have numbers");
            let (call, rest) = rest.trim_start().split_once(' ').expect("events have calls");
            let chrono: u64 = chrono.trim().parse().expect("numbers are numbers");
            let call: u64 = call.parse().expect("calls are numbers");
            writeln!(text, "{}: {} {rest}", chrono + 698 * round, call + 147 * round).expect("strings take everything");
        }
    }
    text
}

/// Status, standard output and messages, with the name of the file removed.
fn outcome(trace: &str, goal: &str, options: &[&str], standard_input: &str) -> (Option<i32>, String, String) {
    let mut command = papaver();
    let output = command.args(["query", goal, trace]).args(options).write_stdin(standard_input).output();
    let output = output.expect("the program can be run");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("papaver writes UTF-8").replace(trace, "-");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// Runs all goals on a file, which may be read in part, and on standard input, which is read as a whole.
fn check(what: &str, trace: &str) {
    check_some(what, trace, 0, 1);
}

/// Runs every `step`th goal.
fn check_some(what: &str, trace: &str, first: usize, step: usize) {
    let (_folder, path) = file("big.trace", trace);
    let path = path.display().to_string();
    for (goal, options) in GOALS.iter().skip(first).step_by(step) {
        let (status, answers, messages) = outcome(&path, goal, options, "");
        let whole = outcome("-", goal, options, trace);
        assert_eq!((status, answers, messages), whole, "{what}: {goal} {options:?}");
    }
}

#[test]
fn a_file_answers_as_if_all_of_it_were_read() {
    check("regular", &big());
}

#[test]
fn so_does_one_whose_lines_are_not_regular() {
    let big = big();
    let line = |number: usize| big.match_indices('\n').nth(number).expect("there are as many lines").0 + 1;
    let with = |at: usize, text: &str| format!("{}{text}{}", &big[..line(at)], &big[line(at)..]);
    let without = |from: usize, to: usize| format!("{}{}", &big[..line(from)], &big[line(to)..]);
    let traces = [
        ("blank lines", with(10_000, "\n   \n\n")),
        ("program output", with(10_000, "hello, world\n")),
        ("names in quotes", big.replace(" safe(", " 'safe one'(")),
        ("a gap", without(15_000, 15_002)),
        ("a gap at the start", without(0, 500)),
        ("no start", big[line(333)..].to_string()),
        ("a cut tail", big[..big.len() - 20].to_string()),
        ("no last line end", big.trim_end().to_string()),
        ("two lines in the wrong order", with(10_000, &big[line(10_010)..line(10_011)])),
        ("a port in capitals", big.replacen("10007: ", "10007: 7 [2] EXIT p [] \n", 1)),
        ("carriage returns", big.replace('\n', "\r\n")),
        ("a line whose end is none", with(10_000, "10000: 7 [2] exit f([], []) []  [ \n")),
    ];
    for (index, (what, trace)) in traces.iter().enumerate() {
        check_some(what, trace, index % 4, 4);
    }
}

/// A large file of calls that exit, with an irregular line in the middle.
fn large(odd: &str) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file can be made");
    let mut text = String::new();
    let argument = "x".repeat(1_000);
    for call in 1..=34_000 {
        let odd = if call == 17_000 { odd } else { "" };
        writeln!(text, "{}: {call} [1] call p({argument}) []  4 ", 2 * call - 1).expect("strings take everything");
        writeln!(text, "{odd}{}: {call} [1] exit p({argument}) []  4 ", 2 * call).expect("strings take everything");
    }
    assert!(text.len() > 1 << 26);
    std::io::Write::write_all(&mut file, text.as_bytes()).expect("a temporary file can be written");
    file
}

#[test]
fn a_large_file_is_believed_only_where_that_is_asked_for() {
    // lines that a search for ` exit p` does not find
    for (odd, n_exits) in [("", "34000\n"), ("33999: 17000 [1] EXIT p(2) []  4 \n", "34001\n")] {
        let file = large(odd);
        let path = file.path().display().to_string();
        let goal = "event([name=p, port=exit])";
        assert_eq!(outcome(&path, goal, &["--count"], "").1, n_exits);
        let (status, answers, messages) = outcome(&path, goal, &["--count", "--trust"], "");
        assert_eq!((status, answers.as_str()), (Some(0), "34000\n"));
        assert!(messages.contains("believed to be regular (`--trust`)"), "{messages}");
    }
}

/// Goals about single events, which have answers at the beginning of the queens repeated many times, or only after it.
const OF_SINGLE_EVENTS: &[(&str, &[&str])] = &[
    ("event([name=data, port=exit])", &["--first"]),
    ("event([port=fail, chrono=C, proc=P])", &["-n", "3000", "--to", "csv"]),
    ("event([port=exit, chrono=C, args=[X|_]]), C > 69000", &["-n", "7"]),
    ("event([chrono=C, name=print_list]), C > 500, format(\"~w~n\", [C])", &["--to", "none"]),
    ("event([port=call, name=main, call=K, line_number=L]), K > 1", &["--to", "json"]),
    ("fget([port=call, name=queen])", &[]),
    ("fget([port=call, name=queen])", &["--to", "json", "-n", "500"]),
    ("event([port=exit, chrono=C]), write(C), nl, C > 300, fail", &[]),
    ("event([name=nosuch])", &[]),
    ("event([port=exit, name=data, chrono=C]), !", &[]),
    ("event([port=exit, chrono=C]), (C > 100 -> ! ; true)", &[]),
    ("event([port=exit, det=det])", &[]),
    ("event([port=exit, chrono=C]), (C > 3000 -> X is foo + C ; true)", &[]),
];

#[test]
fn answers_at_the_beginning_of_a_large_file_are_those_about_all_of_it() {
    let (_folder, path) = file("t.trace", &repeated(120));
    let lines = path.with_extension("jsonl");
    let (path, lines) = (path.display().to_string(), lines.display().to_string());
    papaver().args(["convert", &path, "-o", &lines]).assert().success();
    for path in [path, lines] {
        let whole = std::fs::read_to_string(&path).expect("it was written");
        assert!(whole.len() > 1 << 22);
        for (goal, options) in OF_SINGLE_EVENTS {
            assert_eq!(outcome(&path, goal, options, ""), outcome("-", goal, options, &whole), "{path}: {goal}");
        }
    }
}

/// More than can be read of a file of zeros after its lines.
const ENDLESS: u64 = 1 << 42;

#[test]
fn what_was_found_is_told_though_the_rest_of_the_file_cannot_be_read() {
    let (_folder, path) = file("t.trace", &repeated(120));
    let lines = path.with_extension("jsonl");
    let [path, lines] = [path, lines].map(|path| path.display().to_string());
    papaver().args(["convert", &path, "-o", &lines]).assert().success();
    let goal = "event([port=exit, name=data, chrono=C])";
    for path in [&path, &lines] {
        let file = std::fs::File::options().write(true).open(path).expect("it was written");
        file.set_len(ENDLESS).expect("files may have holes");
        let (status, first, messages) = outcome(path, goal, &["--first"], "");
        assert_eq!((status, first.as_str(), messages.as_str()), (Some(0), "C = 3\n", ""), "{path}");
    }
    let (status, answers, messages) = outcome(&path, goal, &[], "");
    assert!(status == Some(2) && messages.contains("cannot read"), "{messages}");
    assert!(answers.starts_with("C = 3\nC = 701\n"), "{answers}");
}
