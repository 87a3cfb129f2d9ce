//! What a start costs: of the library only what a goal calls is read, and no one can tell.

use papaver::builtins::library;
use papaver::engine::{Definition, Machine, Output};
use papaver::syntax::diagnostic::Source;
use papaver::syntax::read_goal;

use crate::support::{file, papaver, stdout};

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

#[test]
fn operators_and_flags_of_a_script_do_not_change_how_the_library_is_read() {
    let changed = ":- op(0, xfx, is), op(0, xfx, =..), op(0, xfy, ->), op(0, xfy, ;), op(0, fy, \\+).\n\
                   :- set_prolog_flag(double_quotes, codes).\n";
    let goals = ":- initialization(main).\n\
                 main :- nth0(1, [a, b], X), sumlist([1, 2], Y), foldl([A, B, C]>>plus(A, B, C), [1, 2], 0, Z),\n\
                 aggregate_all(max(V), member(V, [1, 3, 2]), M), print([X, Y, Z, M]).\n";
    let (_folder, script) = file("operators.pl", &format!("{changed}{goals}"));
    assert_eq!(stdout(papaver().arg("run").arg(script), 0), "[b,3,3,3]");
}

#[test]
fn a_script_has_its_own_predicate_and_the_library_keeps_its_own() {
    let rules = ":- initialization(main).\nappend(mine, _, _).\n\
                 main :- append(X, Y, Z), var(Y), var(Z), flatten([a, [b]], L), print(X-L).\n";
    let (_folder, script) = file("own.pl", rules);
    assert_eq!(stdout(papaver().arg("run").arg(script), 0), "mine-[a,b]");
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

/// The predicates of the library that have clauses by now.
fn predicates_read(machine: &Machine) -> Vec<String> {
    let preds = machine.world.database.preds().map(|(_, pred)| pred);
    let read = preds.filter(|pred| matches!(pred.definition, Definition::Clauses(_)));
    let mut names: Vec<String> = read.map(|pred| format!("{}/{}", pred.name, pred.arity)).collect();
    names.sort();
    names
}
