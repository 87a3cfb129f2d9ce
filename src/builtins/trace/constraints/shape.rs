//! The shape of a term as words, so that constraints of the same shape are compiled once.

use crate::engine::error::{resource_error, type_error};
use crate::engine::{Cell, Stop, Store, Term};

/// Terms with longer keys are checked for cycles.
const LONG: usize = 1 << 16;
/// The most words of a key: a term with shared parts may be much longer than it is large.
const MOST_WORDS: usize = 1 << 24;

/// Appends the shape of a term; terms have the same shape if they differ at most in their variables.
pub(crate) fn write(store: &Store, term: Cell, key: &mut Vec<u64>) -> Result<(), Stop> {
    let mut is_known_acyclic = false;
    let mut n_steps = 0_usize;
    let mut waiting = vec![term];
    while let Some(cell) = waiting.pop() {
        match store.look(cell) {
            Term::Var(_) => key.push(0),
            Term::Atom(name) => key.extend([1, u64::from(name.id())]),
            Term::Int(value) => key.extend([2, value as u64]),
            Term::Float(value) => key.extend([3, value.to_bits()]),
            Term::Str(text) => write_text(4, text, key),
            Term::BigInt(value) => write_text(5, &value.to_string(), key),
            Term::Compound(compound) => {
                key.extend([6, u64::from(compound.name.id()), compound.arity as u64]);
                waiting.extend(store.args(compound).iter().rev());
            }
        }
        n_steps += 1;
        if n_steps.is_multiple_of(LONG) {
            store.watch.check()?;
        }
        if key.len() > MOST_WORDS {
            return Err(resource_error("memory"));
        }
        if key.len() > LONG && !is_known_acyclic {
            is_known_acyclic = store.is_acyclic(term);
            if !is_known_acyclic {
                return Err(type_error(store, "acyclic_term", term));
            }
        }
    }
    Ok(())
}

fn write_text(tag: u64, text: &str, key: &mut Vec<u64>) {
    key.extend([tag, text.len() as u64]);
    for chunk in text.as_bytes().chunks(8) {
        key.push(chunk.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
    }
}
