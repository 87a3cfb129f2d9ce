//! Calls every predicate with a cyclic term in each argument: it must soon answer, fail or raise an error.
//!
//! The goals are the examples of the records and of the library, with one argument replaced by a cyclic term. The other
//! arguments are therefore valid, so that the predicate does not stop at them.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};
use std::{io, thread};

use crate::builtins::{doc, library, tables};
use crate::engine::{Machine, Output};
use crate::syntax::diagnostic::Source;
use crate::syntax::{ReadTerm, read_goal};
use crate::term::{Atom, Node, NodeId, Span};

use super::sample;

/// Terms that contain themselves: in an argument, as a list, in its tail and in its elements, as an expression, as a
/// goal, as options; two of different periods that are the same term. Beside them terms that are as hard without a
/// cycle, of 2^60 parts, as the parts are shared, and lists without an end. Predicates of the library, which are made
/// of the others, get the first of them only.
const CYCLES: &[&str] = &[
    "C = f(C)",
    "C = [a|C]",
    "C = [a, a|C], Twin = [a, a, a|Twin]",
    "numlist(1, 60, Numbers), foldl([_, Part, [Part|Part]]>>true, Numbers, [], C)",
    "numlist(1, 60, Numbers), foldl([_, Part, f(Part, Part)]>>true, Numbers, end, C)",
    "C = [1, 2, 3|_]",
    "C = [1, 2|D], D = [3, 4, 5|D]",
    "numlist(1, 3000, Numbers), append(Numbers, [D], C), D = f(D)",
    "C = [C - C, C = C | C]",
    "C = [C]",
    "C = 1 + C",
    "C = (true, C)",
    "C = [97|C]",
    "C = [p(C), a = C]",
    "C = \"s\" : C",
];
const CYCLES_FOR_LIBRARY: usize = 5;

/// The time limit of a goal.
const LIMIT: Duration = Duration::from_millis(20);
/// How long the test waits for a goal: much longer than its limit, since other tests run at the same time.
const PATIENCE: Duration = Duration::from_secs(20);
const MEMORY: usize = 64 << 20;
/// The most answers that are taken.
const ANSWERS: usize = 2;

/// A predicate with an example goal.
struct ExamplePredicate {
    name: String,
    arity: usize,
    trace: &'static str,
    goal: &'static str,
    cycles: &'static [&'static str],
}

/// The predicates of the records and those of the library, each with its examples.
fn shown() -> Vec<ExamplePredicate> {
    let mut all = Vec::new();
    for record in tables() {
        let (name, trace) = (record.name.to_owned(), "queens.trace");
        all.push(ExamplePredicate { name, arity: record.arity, trace, goal: record.example, cycles: CYCLES });
    }
    for doc in doc::docs() {
        for example in &doc.examples {
            let (name, trace) = (doc.name().to_owned(), example.trace.unwrap_or("queens.trace"));
            let cycles = &CYCLES[..CYCLES_FOR_LIBRARY];
            all.push(ExamplePredicate { name, arity: doc.arity(), trace, goal: example.goal, cycles });
        }
    }
    all
}

/// Each cycle with each argument that it replaces (none: it replaces all).
fn variants(shown: &ExamplePredicate) -> impl Iterator<Item = (&'static str, Option<usize>)> {
    let all = if shown.arity > 1 { vec![None] } else { Vec::new() };
    let arguments = (0..shown.arity).map(Some).chain(all);
    arguments.flat_map(|argument| shown.cycles.iter().map(move |&cycle| (cycle, argument)))
}

/// The goal that builds the cycle, then the example with the cycle in place of `argument` of the predicate's first goal
/// (none: of all its arguments).
fn exchanged(shown: &ExamplePredicate, cycle: &str, argument: Option<usize>, machine: &Machine) -> Option<ReadTerm> {
    let text = format!("{cycle}, ({})", shown.goal.replace("C = ", "Cc = "));
    let mut read = read_goal(&text, &machine.world.operators, &machine.world.flags.reading()).ok()?;
    let number = read.variables.iter().find(|variable| variable.0 == "C")?.1;
    let goal = first_goal(&read, Atom::new(&shown.name), shown.arity)?;
    let root = read.tree.root();
    let twin = read.variables.iter().find(|variable| variable.0 == "Twin").map_or(number, |variable| variable.1);
    let [cycle, twin] = [number, twin].map(|number| read.tree.push(Node::Var(number), Span::default()));
    read.tree.set_root(root);
    let places = argument.map_or(0..shown.arity, |place| place..place + 1);
    places.for_each(|place| read.tree.replace_arg(goal, place, if place % 2 == 0 { cycle } else { twin }));
    Some(read)
}

fn first_goal(read: &ReadTerm, name: Atom, arity: usize) -> Option<NodeId> {
    let tree = &read.tree;
    let mut rest = vec![*tree.args(tree.root()).get(1)?];
    while let Some(id) = rest.pop() {
        if tree.functor(id) == Some((name, arity)) {
            return Some(id);
        }
        rest.extend(tree.args(id).iter().rev());
    }
    None
}

fn machine() -> Machine {
    let mut machine = library::machine(Output::new(Box::new(io::sink())));
    machine.world.input.ask(Box::new(|_| Ok(None)));
    machine.world.store.watch.memory = MEMORY;
    machine
}

/// Runs a goal and takes its first answers, as the commands do.
fn put(machine: &mut Machine, goal: &ReadTerm, text: &str) {
    machine.world.store.watch.deadline = Some(Instant::now() + LIMIT);
    if machine.query(goal, &Source::new("cyclic", text)).is_ok() {
        for _ in 0..ANSWERS {
            if !matches!(machine.next_answer(), Ok(Some(_))) {
                break;
            }
        }
    }
    machine.end_query();
}

/// A message of a worker.
enum Message {
    /// It now runs this goal.
    Puts(String),
    /// The goal has panicked.
    Panicked(String),
    /// No predicate is left; the number of goals that were run.
    Done(usize),
}

/// Runs the goals of one in so many predicates.
fn work(part: usize, messages: &Sender<Message>) {
    let mut traces = HashMap::new();
    let mut n_goals = 0;
    for shown in shown().iter().skip(part).step_by(PARTS) {
        let trace = traces.entry(shown.trace).or_insert_with(|| sample(shown.trace));
        let mut machine = machine();
        machine.world.open_trace(Arc::clone(trace));
        for (cycle, argument) in variants(shown) {
            let Some(goal) = exchanged(shown, cycle, argument, &machine) else { continue };
            let place = argument.map_or("every argument".to_owned(), |place| format!("argument {}", place + 1));
            let text = format!("{cycle}, {} with C as {place} of {}/{}", shown.goal, shown.name, shown.arity);
            let _ = messages.send(Message::Puts(text.clone()));
            if catch_unwind(AssertUnwindSafe(|| put(&mut machine, &goal, &text))).is_err() {
                let _ = messages.send(Message::Panicked(text));
                return;
            }
            n_goals += 1;
        }
    }
    let _ = messages.send(Message::Done(n_goals));
}

/// The number of goals that a worker has run, or the defect of one of them.
fn outcome(messages: &Receiver<Message>) -> Result<usize, String> {
    let mut last = String::new();
    loop {
        match messages.recv_timeout(PATIENCE) {
            Ok(Message::Puts(text)) => last = text,
            Ok(Message::Panicked(text)) => return Err(format!("panics: {text}")),
            Ok(Message::Done(n_goals)) => return Ok(n_goals),
            Err(_) => return Err(format!("does not end: {last}")),
        }
    }
}

/// The tests that share the predicates.
const PARTS: usize = 8;

fn put_to_part(part: usize) {
    let (sender, messages) = channel();
    thread::spawn(move || work(part, &sender));
    let n_goals = outcome(&messages).unwrap_or_else(|fault| panic!("{fault}"));
    assert!(n_goals > 5000 / PARTS, "only {n_goals} goals were put");
}

macro_rules! parts {
    ($($name:ident $part:literal)*) => {
        $(#[test]
        fn $name() {
            put_to_part($part);
        })*
    };
}
parts! { part_0 0 part_1 1 part_2 2 part_3 3 part_4 4 part_5 5 part_6 6 part_7 7 }
