//! Every path to a trace gives the same answers, whatever is wrong with the file: random goals run on an excerpt, on
//! the whole file, on the machine alone, and on the trace from a pipe, packed, saved and converted.
//! `tests/bench/paths.py` runs many more with the program.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use crate::builtins::{MoveVisibility, footprint};
use crate::formats::{LoadOptions, Selected, load, load_bytes, load_selected};
use crate::output::{Display, convert, event_line};
use crate::session::{Limits, Options, Session};
use crate::syntax::diagnostic::Source;
use crate::syntax::{ReadTerm, read_goal};
use crate::term::ops::OpTable;
use crate::term::print::{self, Style};
use crate::trace::Trace;

const N_EVENTS: usize = 2_400;
/// The most answers that are taken from a goal.
const MOST: usize = 40;
/// The number of goals for each fault.
const GOALS: usize = 6;

/// Pseudo-random numbers that are the same in every run.
struct PathDice(u64);

impl PathDice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
}

/// Event lines of boxes that nest: calls that exit or fail, and may have been redone.
fn lines(dice: &mut PathDice) -> Vec<String> {
    let (mut lines, mut open, mut n_calls) = (Vec::new(), Vec::<(usize, String)>::new(), 0);
    while lines.len() < N_EVENTS {
        let begins = open.is_empty() || open.len() < 12 && dice.below(2) == 0;
        if begins {
            n_calls += 1;
            let items = ["", "1", "3, 1", "2, 2, f(X, _Y)"][dice.below(4)];
            let goals =
                ["main".to_string(), format!("sort([{items}], -)"), format!("append([{items}], 'a b', -, \"t(\")")];
            open.push((n_calls, goals[dice.below(3)].clone()));
        }
        let depth = open.len();
        let (port, path) = match begins {
            true => ("call", ""),
            false => [("switch", "s1"), ("exit", ""), ("fail", ""), ("redo", ""), ("else", "s2, e")][dice.below(5)],
        };
        let (call, goal) = open.last().expect("a box is open");
        lines.push(format!("{}: {call} [{depth}] {port} {goal} [{path}]  {} ", lines.len() + 1, dice.below(60)));
        if matches!(port, "exit" | "fail") {
            open.pop();
        }
    }
    lines
}

/// The faults of a file.
type InjectedFault = (&'static str, fn(&mut Vec<String>, usize));

/// Changes a line.
fn change(lines: &mut [String], at: usize, what: &str, with: &str) {
    lines[at] = lines[at].replacen(what, with, 1);
}

const FAULTS: &[InjectedFault] = &[
    ("sound", |_, _| ()),
    ("a port in capitals", |lines, at| {
        let port = lines[at].split(' ').nth(3).expect("lines have ports").to_string();
        change(lines, at, &port, &port.to_uppercase());
    }),
    ("two blanks before the port", |lines, at| change(lines, at, "] ", "]  ")),
    ("two blanks behind the port", |lines, at| change(lines, at, "sort(", " sort(")),
    ("a number twice", |lines, at| lines[at] = lines[at].replacen(&(at + 1).to_string(), &at.to_string(), 1)),
    ("a number that jumps", |lines, at| lines[at] = format!("9{}", lines[at])),
    ("a block twice", |lines, at| {
        let block = lines[at - 20..at].to_vec();
        lines.splice(at..at, block);
    }),
    ("a line twice", |lines, at| lines.insert(at, lines[at].clone())),
    ("a missing line", |lines, at| drop(lines.remove(at))),
    ("no first lines", |lines, at| drop(lines.drain(..at))),
    ("lines in the wrong order", |lines, at| lines.swap(at, at + 1)),
    ("arguments that are not closed", |lines, at| change(lines, at, "(", "(f(")),
    ("arguments that close twice", |lines, at| change(lines, at, "]", "])")),
    ("an end that is none", |lines, at| lines[at].push_str("[ ")),
    ("a cut line", |lines, at| lines[at].truncate(25)),
    ("another call", |lines, at| change(lines, at, ": ", ": 1")),
    ("a depth that jumps", |lines, at| change(lines, at, "[", "[4")),
    ("a carriage return", |lines, at| lines[at].push('\r')),
    ("a carriage return inside", |lines, at| change(lines, at, "(", "(\r")),
    ("a byte of zeros", |lines, at| change(lines, at, "(", "(\0")),
    ("a separator", |lines, at| change(lines, at, "(", "(\u{1f}")),
    ("a name in quotes", |lines, at| change(lines, at, "sort(", "'sort'(")),
    ("a name in capitals", |lines, at| change(lines, at, "sort(", "Sort(")),
    ("a module", |lines, at| change(lines, at, "sort(", "m: sort(")),
    ("a determinism", |lines, at| change(lines, at, "sort(", "det sort(")),
    ("no arguments", |lines, at| change(lines, at, "(", "() [] \u{0}(")),
    ("an unknown port", |lines, at| change(lines, at, "] ", "] jump ")),
    ("no number", |lines, at| change(lines, at, ": ", " ")),
    ("program output", |lines, at| lines.insert(at, "hello, 12: world".into())),
    ("blank lines", |lines, at| lines.insert(at, "\n \t \n".into())),
    ("a long line", |lines, at| lines.insert(at, "x".repeat(100_000))),
    ("live variables", |lines, at| lines.insert(at, "Non-argument live variables:\n\tX = [1] {int}".into())),
    ("a head in the arguments", |lines, at| change(lines, at, "(", "('7: 3 [2] exit sort(', ")),
    ("no last line end", |lines, _| lines.last_mut().expect("there are lines").push('\u{4}')),
];

fn constraint(dice: &mut PathDice) -> String {
    let attribute = dice.of(&["chrono", "call", "depth"]);
    let low = dice.below(if attribute == "depth" { 12 } else { N_EVENTS });
    match dice.below(9) {
        0 | 1 => format!("port={}", dice.of(&["call", "exit", "fail", "redo", "[exit, fail]"])),
        2 | 3 => format!("name={}", dice.of(&["sort", "append", "main", "no_such", "[sort, main]"])),
        4 => format!("proc={}", dice.of(&["sort/2", "append", "append/3", "main/0"])),
        5 => format!("{attribute}={low}..{}", low + dice.below(N_EVENTS)),
        6 => format!("{attribute} > {low}"),
        _ => dice.of(&["args=[X|_]", "arg(1)=[]", "goal_path=[s1]", "line_number=L", "port=P", "proc=Q"]).to_string(),
    }
}

fn constraints(dice: &mut PathDice) -> String {
    let parts: Vec<String> = (0..=dice.below(3)).map(|_| constraint(dice)).collect();
    format!("[{}, chrono=C, depth=D]", parts.join(", "))
}

fn goal(dice: &mut PathDice) -> String {
    let event = format!("event({})", constraints(dice));
    let back = format!("bget_np({})", constraints(dice));
    match dice.below(14) {
        0 => format!("aggregate_all(count, {event}, T)"),
        1 => format!("aggregate_all(r(count, sum(C), max(D)), ({event}, C mod 3 =\\= 1), T)"),
        2 => format!("tally(D, {event}, T)"),
        3 => format!("tally(P-N, event([port=P, name=N, {}]), T)", constraint(dice)),
        4 => format!("forall({event}, C < {})", dice.below(2 * N_EVENTS)),
        5 => format!("\\+ ({event}, E is C + 1, \\+ event([chrono=E]))"),
        6 => format!("findall(C-D, {event}, T), length(T, U)"),
        7 => format!("sum_by(D, C, {event}, T)"),
        8 => format!("last_np, {back}"),
        9 => format!("trace_info(events, M), goto_np(M), findall(Z, limit(30, {back}), T)"),
        10 => format!("fget_np({}), {back}", constraints(dice)),
        11 => "event([port=fail, call=K, chrono=F]), call_start(K, B), V is F - B".to_string(),
        12 => format!("findall(K-C, event([call=K, chrono=C, {}]), T)", constraint(dice)),
        _ => event,
    }
}

fn session() -> Session {
    let limits = Limits { time: Some(std::time::Duration::from_secs(100)), ..Limits::default() };
    Session::new(Options { limits, ..Options::default() })
}

/// The answers of a goal, as text.
fn answers(session: &mut Session, trace: &Arc<Trace>, goal: &ReadTerm) -> String {
    session.open(Arc::clone(trace));
    let (mut written, source) = (String::new(), Source::new("query", ""));
    let style = Style { quoted: true, ..Style::default() };
    let mut stopped = None;
    match session.query(goal, &source) {
        Ok(query) => {
            for answer in query.take(MOST) {
                let Ok(answer) = answer.map_err(|stop| stopped = Some(stop)) else { break };
                for (name, value) in &answer.values {
                    let value = print::to_string(&answer.tree, *value, &OpTable::standard(), &style);
                    // the numbers of variables do not matter
                    let value = if value.starts_with('_') { "_" } else { &value };
                    write!(written, "{name}={value} ").expect("strings take everything");
                }
                let chrono = answer.event.map(|event| trace.chrono(event));
                writeln!(written, "at {chrono:?}").expect("strings take everything");
            }
        }
        Err(stop) => stopped = Some(stop),
    }
    if let Some(message) = stopped.and_then(|stop| session.describe(&stop)) {
        written.push_str(&message.message);
    }
    written
}

/// The event lines of a trace.
fn event_lines(trace: &Trace) -> Vec<String> {
    (0..trace.n_events()).map(|event| event_line(trace, event, &Display::default())).collect()
}

/// The traces of all paths except excerpts.
fn paths(path: &Path, text: &[u8]) -> Vec<(&'static str, Arc<Trace>)> {
    let options = LoadOptions::default();
    let whole = load(path, &options).expect("the file can be read");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(text).expect("memory takes everything");
    let (mut saved, mut lines) = (Vec::new(), Vec::new());
    convert::saved(whole.clone(), &mut saved).expect("memory takes everything");
    convert::jsonl(&whole, &mut lines).expect("memory takes everything");
    let of_bytes = |bytes: Vec<u8>| Arc::new(load_bytes(Path::new("-"), bytes, &options).expect("bytes can be read"));
    vec![
        ("whole", Arc::new(whole)),
        ("pipe", of_bytes(text.to_vec())),
        ("packed", of_bytes(packed.finish().expect("memory takes everything"))),
        ("saved", of_bytes(saved)),
        ("converted", of_bytes(lines)),
    ]
}

/// Runs goals on all paths; returns how many there were, and how many an excerpt has answered.
fn compare(dice: &mut PathDice, fault: &InjectedFault, sessions: &mut [Session; 2]) -> (usize, usize) {
    let mut damaged = lines(dice);
    let at = (N_EVENTS / 2..).find(|at| damaged[*at].contains("sort(")).expect("some events are of sort/2");
    fault.1(&mut damaged, at);
    let text = format!("{}\n", damaged.join("\n")).replace("\u{4}\n", "");
    let mut file = tempfile::NamedTempFile::new().expect("temporary files can be made");
    file.write_all(text.as_bytes()).expect("temporary files can be written");
    let paths = paths(file.path(), text.as_bytes());
    for (path, trace) in &paths[1..] {
        assert_eq!(event_lines(trace), event_lines(&paths[0].1), "{}, {path}", fault.0);
    }
    let mut n_excerpts = 0;
    for _ in 0..GOALS {
        let goal_text = goal(dice);
        let goal = read_goal(&goal_text, &sessions[0].goals().operators, &sessions[0].goals().flags);
        let goal = goal.expect("generated goals can be read");
        let whole = answers(&mut sessions[0], &paths[0].1, &goal);
        let same = |path: &str, found: String| assert_eq!(found, whole, "{}, {path}: {goal_text}", fault.0);
        same("machine", answers(&mut sessions[1], &paths[0].1, &goal));
        for (path, trace) in &paths[1..] {
            same(path, answers(&mut sessions[0], trace, &goal));
        }
        let selection = footprint(&goal.tree, MOST, MoveVisibility::Values)
            .or_else(|| footprint(&goal.tree, MOST, MoveVisibility::Events));
        let Some(selection) = selection else { continue };
        let selected = load_selected(file.path(), &LoadOptions::default(), &selection).expect("the file can be read");
        if let Selected::Part(excerpt) = selected {
            assert_eq!(paths[0].1.findings().total(), 0, "{}: {goal_text}", fault.0);
            same("excerpt", answers(&mut sessions[0], &Arc::new(excerpt.trace), &goal));
            n_excerpts += 1;
        }
    }
    (GOALS, n_excerpts)
}

#[test]
fn every_path_gives_the_same_answers() {
    let mut sessions = [session(), session()];
    sessions[1].solve_by_machine();
    let mut dice = PathDice(1);
    let (mut n_goals, mut n_excerpts) = (0, 0);
    for fault in FAULTS.iter().chain([&FAULTS[0]; 4]) {
        let (goals, excerpts) = compare(&mut dice, fault, &mut sessions);
        (n_goals, n_excerpts) = (n_goals + goals, n_excerpts + excerpts);
    }
    assert!(n_goals >= 200 && n_excerpts >= 30, "{n_goals} goals, {n_excerpts} answered by excerpts");
}
