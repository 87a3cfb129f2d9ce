//! Goals with the answers that they must give, run without the machine: conjunctions of predicates of the tables.

mod answers;
mod cyclic;
mod language;
mod library;
mod records;

use std::io;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use crate::builtins::io::write::written;
use crate::builtins::tables;
use crate::engine::{Builtin, Cell, NextSolution, Output, PredicateFunction, Stop, Term, World};
use crate::formats::{LoadOptions, load as load_trace};
use crate::syntax::read_goal;
use crate::term::print::{self, Style};
use crate::term::{Tree, atoms};
use crate::trace::Trace;

struct LoadedGoal {
    goals: Vec<Cell>,
    names: Vec<String>,
    variables: Vec<Cell>,
}

fn world(trace: &Arc<Trace>) -> World {
    let mut world = World::new(Output::new(Box::new(io::sink())));
    world.input.ask(Box::new(|_| Ok(None)));
    world.open_trace(Arc::clone(trace));
    world
}

/// The trace that the examples of the trace predicates speak of.
pub(crate) fn queens() -> Arc<Trace> {
    static QUEENS: LazyLock<Arc<Trace>> = LazyLock::new(|| sample("queens.trace"));
    Arc::clone(&QUEENS)
}

/// The trace in a file of `tests/data`.
pub(crate) fn sample(name: &str) -> Arc<Trace> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    Arc::new(load_trace(&path, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}")))
}

fn load(world: &mut World, text: &str) -> LoadedGoal {
    let read = read_goal(text, &world.operators, &world.flags.reading()).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    let (mut term, all) = world.store.load(&read.tree);
    let mut goals = Vec::new();
    while let Term::Compound(pair) = world.store.look(term)
        && pair.name == atoms::COMMA
    {
        goals.push(world.store.arg(pair, 0));
        term = world.store.arg(pair, 1);
    }
    goals.push(term);
    let variables = read.variables.iter().map(|(_, number, ..)| all[*number as usize]).collect();
    LoadedGoal { goals, names: read.variables.into_iter().map(|(name, ..)| name).collect(), variables }
}

/// Calls `found` for every answer of a conjunction.
fn solve(world: &mut World, goals: &[Cell], found: &mut dyn FnMut(&mut World)) -> Result<(), Stop> {
    let Some((&goal, rest)) = goals.split_first() else {
        found(world);
        return Ok(());
    };
    let (name, arity) = world.store.functor(goal).expect("a goal has a name");
    if name == atoms::FAIL {
        return Ok(());
    }
    let record: &Builtin = tables()
        .find(|record| record.name == name.as_str() && record.arity == arity)
        .unwrap_or_else(|| panic!("no record of {name}/{arity}"));
    let args = match world.store.look(goal) {
        Term::Compound(compound) => world.store.args(compound).to_vec(),
        _ => Vec::new(),
    };
    let mark = world.store.choose();
    let cursor = world.desk.cursor();
    match record.run {
        PredicateFunction::Det(run) => {
            if run(world, &args)? {
                solve(world, rest, found)?;
            }
        }
        PredicateFunction::Nondet(run) => {
            let Some(mut answers) = run(world, &args)? else { return Ok(()) };
            loop {
                let next = answers.next(world)?;
                if let NextSolution::Last | NextSolution::More = next {
                    solve(world, rest, found)?;
                }
                world.store.back_to(mark);
                world.store.choose();
                world.desk.return_to(cursor);
                if let NextSolution::Fail | NextSolution::Last = next {
                    break;
                }
            }
        }
    }
    world.store.back_to(mark);
    world.desk.return_to(cursor);
    Ok(())
}

/// Whether the bindings of `goal` are those that `answer` writes, but for the names of variables.
fn agrees(world: &mut World, goal: &LoadedGoal, answer: &str) -> bool {
    let expected = load(world, answer);
    let mut values = goal.variables.clone();
    let mut fresh = Vec::new();
    for (name, value) in goal.names.iter().zip(&mut values) {
        *value = world.store.new_var();
        if let Some(place) = expected.names.iter().position(|other| other == name) {
            *value = expected.variables[place];
        }
        fresh.push(*value);
    }
    for equation in expected.goals {
        if let Term::Compound(pair) = world.store.look(equation) {
            let [x, y] = [world.store.arg(pair, 0), world.store.arg(pair, 1)];
            assert!(world.store.unify(x, y), "{answer} contradicts itself");
        }
    }
    let (actual, expected) = (world.store.list(&goal.variables), world.store.list(&fresh));
    world.store.is_variant(actual, expected)
}

fn shown(world: &World, goal: &LoadedGoal) -> String {
    let value =
        |(name, cell): (&String, &Cell)| format!("{name} = {}", written(world, *cell, &Style::writeq()).unwrap());
    goal.names.iter().zip(&goal.variables).map(value).collect::<Vec<_>>().join(", ")
}

fn formal(ball: &Tree) -> Tree {
    let mut formal = ball.clone();
    formal.set_root(ball.args(ball.root())[0]);
    formal
}

/// What is wrong if `goal` does not answer `answer`.
fn difference(trace: &Arc<Trace>, goal: &str, answer: &str) -> Option<String> {
    let mut world = world(trace);
    let loaded = load(&mut world, goal);
    let expected: Vec<&str> = match answer {
        "false" => Vec::new(),
        _ => answer.split(" ; ").collect(),
    };
    let mut found = Vec::new();
    let mut n = 0;
    let result = solve(&mut world, &loaded.goals, &mut |world| {
        let right = expected.get(n).is_some_and(|expected| *expected == "true" || agrees(world, &loaded, expected));
        found.push((right, shown(world, &loaded)));
        n += 1;
    });
    match (result, answer.strip_prefix("error: ")) {
        (Ok(()), None) if n == expected.len() && found.iter().all(|(right, _)| *right) => None,
        (Err(Stop::Throw(ball)), Some(error)) => {
            let thrown = formal(&ball);
            let (thrown, _) = world.store.load(&thrown);
            let wanted = load(&mut world, error).goals[0];
            (!world.store.is_variant(thrown, wanted)).then(|| {
                let thrown = print::to_string(&world.store, thrown, &world.operators, &Style::writeq());
                format!("{goal}: expected {error}, found the error {thrown}")
            })
        }
        (result, _) => Some(format!("{goal}: expected {answer}, found {found:?} {result:?}")),
    }
}

fn check(cases: &[(&str, &str)]) {
    check_on(&queens(), cases);
}

/// Puts goals to a trace; each must give its answer.
pub(crate) fn check_on(trace: &Arc<Trace>, cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases.iter().filter_map(|(goal, answer)| difference(trace, goal, answer)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_example_that_needs_no_clauses_gives_its_answer() {
    let families = [
        crate::builtins::terms::types::TABLE,
        crate::builtins::terms::compare::TABLE,
        crate::builtins::terms::construct::TABLE,
        crate::builtins::texts::conversion::TABLE,
        crate::builtins::texts::numbers::TABLE,
        crate::builtins::texts::concat::TABLE,
        crate::builtins::texts::text_list::TABLE,
        crate::builtins::io::term_text::TABLE,
        crate::builtins::io::write::TABLE,
        crate::builtins::io::format::TABLE,
        crate::builtins::io::read::TABLE,
        crate::builtins::terms::arithmetic::TABLE,
        crate::builtins::terms::lists::TABLE,
        crate::builtins::terms::sort::TABLE,
        crate::builtins::program::operators::TABLE,
        crate::builtins::program::flags::TABLE,
        crate::builtins::program::globals::TABLE,
        crate::builtins::program::statistics::TABLE,
        crate::builtins::control::counters::TABLE,
    ];
    check(&families.concat().iter().map(|record| (record.example, record.answer)).collect::<Vec<_>>());
}

#[test]
fn every_record_has_its_own_name_and_a_doc() {
    let mut seen = std::collections::HashSet::new();
    for record in tables() {
        assert!(seen.insert((record.name, record.arity)), "{}/{} is there twice", record.name, record.arity);
        assert!(!record.doc.is_empty() && record.modes.contains(" is "), "{}", record.modes);
    }
}

#[test]
fn names_and_arities_are_read_off_the_modes() {
    let arity =
        |name: &str| tables().filter(|record| record.name == name).map(|record| record.arity).collect::<Vec<_>>();
    assert_eq!(arity("=.."), [2]);
    assert_eq!(arity("nl"), [0, 1]);
    assert_eq!(arity("sub_atom"), [5]);
    assert_eq!(arity("="), [2]);
}

#[test]
fn output_goes_where_the_world_says() {
    let mut world = world(&queens());
    let depth = world.output.begin_capture();
    let text = "write('A'+b), nl, writeq('A'+[b]), tab(2), put_char(c), write_canonical(1+2), print(- 1), \
                write_term(f(X, 'B'), [quoted(true), variable_names(['Xs'=X]), spacing(next_argument)]), writeln(x)";
    let goal = load(&mut world, text);
    let mut n = 0;
    solve(&mut world, &goal.goals, &mut |_| n += 1).unwrap();
    assert_eq!(n, 1);
    assert_eq!(world.output.end_captures(depth).unwrap(), "A+b\n'A'+[b]  c+(1,2)-1f(Xs, 'B')x\n");
}

#[test]
fn write_options_are_checked() {
    check(&[
        ("write_term(a, [quoted(maybe)])", "error: domain_error(write_option, quoted(maybe))"),
        ("write_term(a, [nonsense])", "error: domain_error(write_option, nonsense)"),
        ("write_term(a, [quoted(true)|_])", "error: instantiation_error"),
        ("write_term(a, b)", "error: type_error(list, b)"),
        ("put_char(1)", "error: type_error(character, 1)"),
        ("put_char(X)", "error: instantiation_error"),
        ("tab(a)", "error: type_error(evaluable, a/0)"),
        ("tab(100000000000)", "error: resource_error(memory)"),
        ("nl(nowhere)", "error: existence_error(stream, nowhere)"),
        ("X = f(X), write(X)", "true"),
    ]);
}

#[test]
fn terms_are_read_from_the_input_one_by_one() {
    let mut world = world(&queens());
    let mut lines = ["foo(X, Y,", " X). bar.", "'a.b' % no end", " . baz("].into_iter();
    world.input.ask(Box::new(move |_| Ok(lines.next().map(str::to_owned))));
    let text = "read_term(A, [variable_names(N), singletons(S)]), read(B), read(C)";
    let goal = load(&mut world, text);
    let mut right = Vec::new();
    let answer = "A = foo(X, Y, X), N = ['X'=X, 'Y'=Y], S = ['Y'=Y], B = bar, C = 'a.b'";
    solve(&mut world, &goal.goals, &mut |world| right.push(agrees(world, &goal, answer))).unwrap();
    assert_eq!(right, [true]);
    let last = load(&mut world, "read(X)");
    assert!(matches!(solve(&mut world, &last.goals, &mut |_| ()), Err(Stop::Throw(_))));
    let end = load(&mut world, "read(X)");
    let mut ends = Vec::new();
    solve(&mut world, &end.goals, &mut |world| ends.push(shown(world, &end))).unwrap();
    assert_eq!(ends, ["X = end_of_file"]);
}

#[test]
fn halt_ends_with_its_status() {
    let mut world = world(&queens());
    let goal = load(&mut world, "halt(3)");
    assert_eq!(solve(&mut world, &goal.goals, &mut |_| ()), Err(Stop::Halt(3)));
}
