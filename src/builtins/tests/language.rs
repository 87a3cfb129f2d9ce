//! The cases of `tests/language`, by predicate, from the text of the standard (ISO 13211-1 with its corrigenda).

use std::fs;
use std::path::PathBuf;

use crate::builtins::library;
use crate::engine::{Machine, Output, Stop, Store};
use crate::syntax::diagnostic::Source;
use crate::syntax::{ReadTerm, read_goal};
use crate::term::ops::OpTable;
use crate::term::print::{self, Style};
use crate::term::{Tree, atoms};

/// The answers of a goal, or why there are none.
#[derive(Debug, PartialEq)]
enum GoalOutcome {
    Answers(Vec<String>),
    Ball(String),
    SyntaxError,
}

/// A file of cases has a goal and its outcome on each line; the goals of a file run in order.
///
/// The outcome is `true`, `false`, `syntax error`, `error: Formal` (or the ball), or the answers: goals that bind
/// variables, with `;` between answers. Only the variables in these answers are compared.
#[test]
fn every_case_has_the_outcome_beside_it() {
    let mut wrong = Vec::new();
    let mut n_cases = 0;
    for path in files() {
        let text = fs::read_to_string(&path).expect("the file can be read");
        let path = path.display();
        let mut machine = library::machine(Output::new(Box::new(std::io::sink())));
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('%') && !line.is_empty()) {
            let (goal, outcome) = line.split_once("  =>  ").unwrap_or_else(|| panic!("{path}:{}: no case", number + 1));
            n_cases += 1;
            let (found, expected) = outcomes(&mut machine, goal, outcome);
            if found != expected {
                wrong.push(format!("{path}:{}: {goal}\n    {found:?}, not {expected:?}", number + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {n_cases} cases\n{}", wrong.len(), wrong.join("\n"));
    assert!(n_cases > 500, "only {n_cases} cases were found");
}

/// The files of cases.
fn files() -> Vec<PathBuf> {
    let entries = fs::read_dir("tests/language").expect("the folder can be read");
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let mut files: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|found| found == "cases")).collect();
    files.sort();
    files
}

fn outcomes(machine: &mut Machine, goal: &str, outcome: &str) -> (GoalOutcome, GoalOutcome) {
    let expected = match outcome {
        "true" => GoalOutcome::Answers(vec!["[]".to_owned()]),
        "false" => GoalOutcome::Answers(Vec::new()),
        "syntax error" => GoalOutcome::SyntaxError,
        _ => match outcome.strip_prefix("error: ") {
            Some(ball) => answers(machine, &format!("throw({ball})"), "[]", 1),
            None => {
                let each = outcome.split(" ; ").map(|answer| answers(machine, answer, outcome, 1));
                GoalOutcome::Answers(
                    each.flat_map(|answer| match answer {
                        GoalOutcome::Answers(answers) => answers,
                        other => vec![format!("{other:?}")],
                    })
                    .collect(),
                )
            }
        },
    };
    let (names, limit) = match &expected {
        GoalOutcome::Answers(answers) if outcome != "true" => (outcome, answers.len() + 1),
        _ => ("[]", 1),
    };
    (answers(machine, goal, names, limit), expected)
}

/// The first answers of `goal`: the values of the variables that `names` has.
fn answers(machine: &mut Machine, goal: &str, names: &str, limit: usize) -> GoalOutcome {
    let Some(query) = read(machine, goal) else { return GoalOutcome::SyntaxError };
    let names = read(machine, names).map(|names| names.variables).unwrap_or_default();
    let names: Vec<String> = names.into_iter().map(|name| name.0).filter(|name| !name.starts_with('_')).collect();
    let number = |name: &String| query.variables.iter().find(|variable| variable.0 == *name).map(|variable| variable.1);
    let numbers: Vec<Option<u32>> = names.iter().map(number).collect();
    let mut answers = Vec::new();
    let mut result = machine.query(&query, &Source::new("case", goal)).map(|()| None);
    while result.is_ok() && answers.len() < limit {
        result = machine.next_answer();
        match result {
            Ok(Some(_)) => answers.push(values(machine, &numbers)),
            _ => break,
        }
    }
    machine.end_query();
    match result {
        Ok(_) => GoalOutcome::Answers(answers),
        Err(stopped) => GoalOutcome::Ball(ball(stopped.stop)),
    }
}

/// The list of the values of variables; unbound for a variable that the goal does not contain.
fn values(machine: &mut Machine, numbers: &[Option<u32>]) -> String {
    let cells: Vec<_> = numbers
        .iter()
        .map(|number| match number {
            Some(number) => machine.binding(*number),
            None => machine.world.store.new_var(),
        })
        .collect();
    let list = machine.world.store.list(&cells);
    written(&machine.world.store.save(list))
}

fn read(machine: &Machine, text: &str) -> Option<ReadTerm> {
    read_goal(text, &machine.world.operators, &machine.world.flags.reading()).ok()
}

/// The ball; for an ISO error, only its first argument.
fn ball(stop: Stop) -> String {
    let Stop::Throw(mut ball) = stop else { return format!("{stop:?}") };
    if let (Some((atoms::ERROR, 2)), &[formal, _]) = (ball.functor(ball.root()), ball.args(ball.root())) {
        ball.set_root(formal);
    }
    let mut store = Store::new();
    let (term, _) = store.load(&ball);
    written(&store.save(term))
}

/// The text of a saved term; its variables are numbered, so that variants have equal texts.
fn written(tree: &Tree) -> String {
    print::to_string(tree, tree.root(), &OpTable::standard(), &Style { quoted: true, ..Style::default() })
}
