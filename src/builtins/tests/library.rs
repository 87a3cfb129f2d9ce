//! The cost of a start: the clauses of a library predicate are read only when a goal first calls it.

use crate::builtins::library;
use crate::engine::{Definition, Machine, Output};
use crate::syntax::diagnostic::Source;
use crate::syntax::read_goal;

#[test]
fn nothing_of_the_library_is_read_for_a_goal_that_calls_none_of_it() {
    let mut machine = machine();
    assert!(solves(&mut machine, "X = f(Y), Y is 1 + 2, X == f(3)"));
    assert_eq!(predicates_read(&machine), [""; 0]);
}

#[test]
fn a_goal_reads_the_predicates_that_it_calls_and_no_others() {
    let mut machine = machine();
    assert!(solves(&mut machine, "last([a, b], X), X == b"));
    assert_eq!(predicates_read(&machine), ["last/2", "last_/3"]);
    assert!(solves(&mut machine, "predicate_property(append(_, _, _), built_in), \\+ current_predicate(append/3)"));
    assert_eq!(predicates_read(&machine).len(), 2);
}

fn machine() -> Machine {
    library::machine(Output::new(Box::new(std::io::sink())))
}

/// Whether the goal has an answer.
fn solves(machine: &mut Machine, goal: &str) -> bool {
    let read = read_goal(goal, &machine.world.operators, &machine.world.read_flags()).expect("the goal can be read");
    machine.query(&read, &Source::new("query", goal)).expect("the goal is callable");
    machine.next_answer().expect("the goal throws nothing").is_some()
}

/// The predicates of the library whose clauses have been read.
fn predicates_read(machine: &Machine) -> Vec<String> {
    let preds = machine.world.database.preds().map(|(_, pred)| pred);
    let read = preds.filter(|pred| matches!(pred.definition, Definition::Clauses(_)));
    let mut names: Vec<String> = read.map(|pred| format!("{}/{}", pred.name, pred.arity)).collect();
    names.sort();
    names
}
