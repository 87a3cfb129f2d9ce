//! The value of an expression on the heap, with an explicit stack.

use smallvec::SmallVec;

use super::super::cell::Cell;
use super::super::error::{Stop, instantiation_error, resource_error, type_error};
use super::super::store::{Compound, Store, Term};
use super::{Function, Number};
use crate::term::{Atom, atoms};

/// The value of `expression`; unbound variables and unknown functors are ISO errors.
pub fn evaluate(store: &Store, expression: Cell) -> Result<Number, Stop> {
    match store.look(expression) {
        Term::Int(value) => Ok(Number::Int(value)),
        Term::Compound(compound) => evaluate_compound(store, compound),
        _ => evaluate_simple(store, expression),
    }
}

enum Step {
    Value(Cell),
    Apply(Function),
}

fn evaluate_compound(store: &Store, compound: Compound) -> Result<Number, Stop> {
    let mut steps: SmallVec<[Step; 8]> = SmallVec::new();
    let mut values: SmallVec<[Number; 4]> = SmallVec::new();
    open(store, compound, &mut steps)?;
    while let Some(step) = steps.pop() {
        match step {
            Step::Value(cell) => match store.look(cell) {
                Term::Int(value) => values.push(Number::Int(value)),
                Term::Compound(compound) => open(store, compound, &mut steps)?,
                _ => values.push(evaluate_simple(store, cell)?),
            },
            Step::Apply(function) => {
                let first = values.len() - function.arity();
                let value = function.apply(&values[first..])?;
                values.truncate(first);
                values.push(value);
            }
        }
    }
    Ok(values.pop().expect("every expression leaves one value"))
}

/// Plans the arguments and the application of a compound; `[X]` is `X`.
fn open(store: &Store, compound: Compound, steps: &mut SmallVec<[Step; 8]>) -> Result<(), Stop> {
    if compound.name == atoms::DOT && compound.arity == 2 {
        return open_list(store, compound, steps);
    }
    match Function::find(compound.name, compound.arity) {
        Some(function) => steps.push(Step::Apply(function)),
        None => return Err(not_evaluable(compound.name, compound.arity)),
    }
    steps.extend(store.args(compound).iter().rev().map(|&arg| Step::Value(arg)));
    // Each compound on the way down plans no more steps than it has cells: more than the heap holds is a cycle.
    if steps.len() > store.heap.len() + 1 { Err(resource_error("memory")) } else { Ok(()) }
}

fn open_list(store: &Store, pair: Compound, steps: &mut SmallVec<[Step; 8]>) -> Result<(), Stop> {
    match store.look(store.arg(pair, 1)) {
        Term::Atom(atoms::NIL) => {
            steps.push(Step::Value(store.arg(pair, 0)));
            Ok(())
        }
        Term::Var(_) => Err(instantiation_error()),
        _ => Err(not_evaluable(atoms::DOT, 2)),
    }
}

fn evaluate_simple(store: &Store, cell: Cell) -> Result<Number, Stop> {
    match store.look(cell) {
        Term::Var(_) => Err(instantiation_error()),
        Term::Atom(name) => match Function::find(name, 0) {
            Some(constant) => constant.apply(&[]),
            None => Err(not_evaluable(name, 0)),
        },
        Term::Str(text) => one_character(store, text, cell),
        _ => Ok(Number::of(store, cell).expect("all that is no variable, atom, string or compound is a number")),
    }
}

/// A string of one character is that character's code.
fn one_character(store: &Store, text: &str, cell: Cell) -> Result<Number, Stop> {
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) => Ok(Number::Int(i64::from(u32::from(character)))),
        _ => Err(type_error(store, "evaluable", cell)),
    }
}

/// `type_error(evaluable, Name/Arity)`.
fn not_evaluable(name: Atom, arity: usize) -> Stop {
    let mut store = Store::new();
    let arity = store.int(arity as i64);
    let indicator = store.compound(atoms::DIVIDE, &[Cell::atom(name), arity]);
    type_error(&store, "evaluable", indicator)
}
