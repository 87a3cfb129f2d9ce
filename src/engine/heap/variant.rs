//! Terms encoded as words that are equal exactly if the terms are variants: keys of tables, and storage off the heap.
//!
//! Each compound precedes its arguments; variables are numbered in order of first occurrence.

use num_bigint::BigInt;

use super::cell::{Cell, Tag};
use super::error::{resource_error, type_error};
use super::stop::Stop;
use super::store::{Store, Term};
use crate::term::atoms;
use crate::term::hash::NumberMap;

/// Precedes the length in bytes and the bytes of a string.
const STRING: u64 = Cell::RAW.0 + (1 << 3);
/// Precedes the length and the bytes of a big integer.
const BIG: u64 = Cell::RAW.0 + (2 << 3);
/// Beyond this many variables a hash table is cheaper than a linear search.
const MANY: usize = 16;

/// Numbers the variables of the terms being encoded.
#[derive(Debug, Default)]
pub(crate) struct VariableNumbering {
    pub(crate) variables: Vec<Cell>,
    numbers: NumberMap<Cell, usize>,
}

impl VariableNumbering {
    /// The number of a variable; a new one if it was not seen before.
    fn number(&mut self, variable: Cell) -> usize {
        let next = self.variables.len();
        let known = match next {
            0..MANY => self.variables.iter().position(|&known| known == variable),
            _ => self.numbers.get(&variable).copied(),
        };
        known.unwrap_or_else(|| {
            self.variables.push(variable);
            if next + 1 == MANY {
                self.numbers = self.variables.iter().copied().zip(0..).collect();
            } else if next >= MANY {
                self.numbers.insert(variable, next);
            }
            next
        })
    }
}

/// Precedes the head and the tail of a list pair.
const PAIR: u64 = Cell::header(atoms::DOT, 2).0;

/// Steps between two polls of interrupts and limits.
const POLL_EVERY: usize = 1 << 14;
/// The most words of an encoding: shared parts are written out each time, so it may be much longer than the term.
const MOST_WORDS: usize = 1 << 24;

/// Appends the encoding of a term; an error if the term is cyclic or its encoding too long.
pub(crate) fn encode(
    store: &Store,
    root: Cell,
    words: &mut Vec<u64>,
    numbering: &mut VariableNumbering,
) -> Result<(), Stop> {
    let most = words.len().saturating_add(MOST_WORDS);
    let mut n_steps = 0_usize;
    let mut compounds = 0;
    let suspicious = store.suspicious();
    let mut rest = smallvec::SmallVec::<[Cell; 8]>::new();
    let mut next = Some(root);
    while let Some(term) = next {
        let cell = store.deref(term);
        next = match cell.tag() {
            Tag::Atom | Tag::Int => {
                words.push(cell.0);
                None
            }
            Tag::List => {
                compounds += 1;
                Some(push_pair(store, cell, words, &mut rest))
            }
            Tag::Struct => {
                compounds += 1;
                push_compound(store, cell, words, &mut rest);
                None
            }
            _ => {
                push_simple(store, cell, words, numbering);
                None
            }
        };
        if compounds == suspicious && !store.is_acyclic(root) {
            return Err(type_error(store, "acyclic_term", root));
        }
        n_steps += 1;
        if n_steps.is_multiple_of(POLL_EVERY) {
            store.watch.check()?;
        }
        if words.len() > most {
            return Err(resource_error("memory"));
        }
        next = next.or_else(|| rest.pop());
    }
    Ok(())
}

/// Appends the encoding of a small ground compound: simple arguments, or compounds of such. For any other term it
/// returns `false` and leaves `words` unchanged.
pub(crate) fn encode_small(store: &Store, root: Cell, words: &mut Vec<u64>) -> bool {
    let length = words.len();
    let is_word = |cell: Cell| matches!(cell.tag(), Tag::Atom | Tag::Int);
    let args = |cell: Cell| {
        let header = store.heap[cell.index()];
        (header, &store.heap[cell.index() + 1..][..header.header_arity()])
    };
    let root = store.deref(root);
    if root.tag() != Tag::Struct {
        return false;
    }
    let (header, outer) = args(root);
    words.push(header.0);
    for &arg in outer {
        let arg = store.deref(arg);
        if is_word(arg) {
            words.push(arg.0);
            continue;
        }
        let (header, inner) = if arg.tag() == Tag::Struct { args(arg) } else { (Cell::NIL, &[][..]) };
        words.push(header.0);
        words.extend(inner.iter().map(|&arg| store.deref(arg).0));
        if inner.is_empty() || !words[words.len() - inner.len()..].iter().all(|&word| is_word(Cell(word))) {
            words.truncate(length);
            return false;
        }
    }
    true
}

/// Starts the encoding of a compound: its header and the arguments before the first that needs more than a word.
fn push_compound(store: &Store, compound: Cell, words: &mut Vec<u64>, rest: &mut smallvec::SmallVec<[Cell; 8]>) {
    let header = store.heap[compound.index()];
    words.push(header.0);
    let mut args = store.heap[compound.index() + 1..][..header.header_arity()].iter();
    for &arg in args.by_ref() {
        let arg = store.deref(arg);
        if !matches!(arg.tag(), Tag::Atom | Tag::Int) {
            rest.extend(args.rev().copied());
            rest.push(arg);
            return;
        }
        words.push(arg.0);
    }
}

/// Starts the encoding of a list pair and returns what comes next; lists are walked iteratively.
fn push_pair(store: &Store, pair: Cell, words: &mut Vec<u64>, rest: &mut smallvec::SmallVec<[Cell; 8]>) -> Cell {
    let head = store.deref(store.heap[pair.index()]);
    let tail = store.heap[pair.index() + 1];
    words.push(PAIR);
    if matches!(head.tag(), Tag::Atom | Tag::Int) {
        words.push(head.0);
        return tail;
    }
    rest.push(tail);
    head
}

/// Appends the encoding of a simple term.
fn push_simple(store: &Store, cell: Cell, words: &mut Vec<u64>, numbering: &mut VariableNumbering) {
    match store.look(cell) {
        Term::Var(variable) => words.push(Cell::reference(numbering.number(variable)).0),
        Term::Int(value) => push_bytes(words, BIG, &BigInt::from(value).to_signed_bytes_le()),
        Term::BigInt(value) => push_bytes(words, BIG, &value.to_signed_bytes_le()),
        Term::Float(value) => words.extend([Cell::RAW.0, value.to_bits()]),
        Term::Str(text) => push_bytes(words, STRING, text.as_bytes()),
        Term::Atom(_) | Term::Compound(_) => words.push(cell.0),
    }
}

fn push_bytes(words: &mut Vec<u64>, tag: u64, bytes: &[u8]) {
    words.extend([tag, bytes.len() as u64]);
    words.extend(bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    }));
}

/// Builds the term encoded at `place` and advances `place` past it; `variables` holds those built so far.
pub(crate) fn decode(store: &mut Store, words: &[u64], place: &mut usize, variables: &mut Vec<Cell>) -> Cell {
    let cell = Cell(words[*place]);
    if cell.tag() != Tag::Header && !cell.is_ref() {
        *place += 1;
        return cell;
    }
    let root = store.heap.len();
    store.new_var();
    // The heap cells still to be filled, as next and end, for each enclosing compound.
    let mut open = smallvec::SmallVec::<[(usize, usize); 8]>::new();
    let mut slot = root;
    loop {
        if words[*place] == PAIR {
            slot = decode_pair(store, words, place, slot, &mut open);
            continue;
        }
        store.heap[slot] = decode_at(store, words, place, slot, variables, &mut open);
        let Some((next, end)) = open.pop() else { return store.heap[root] };
        if next + 1 < end {
            open.push((next + 1, end));
        }
        slot = next;
    }
}

/// Starts a list pair in `slot` and returns the slot to fill next.
fn decode_pair(
    store: &mut Store,
    words: &[u64],
    place: &mut usize,
    slot: usize,
    open: &mut smallvec::SmallVec<[(usize, usize); 8]>,
) -> usize {
    let first = store.heap.len();
    let head = Cell(words[*place + 1]);
    store.heap[slot] = Cell::pack(Tag::List, first as u64);
    if matches!(head.tag(), Tag::Atom | Tag::Int) {
        store.heap.extend_from_slice(&[head, Cell::NIL]);
        *place += 2;
        return first + 1;
    }
    store.heap.extend_from_slice(&[Cell::NIL; 2]);
    open.push((first + 1, first + 2));
    *place += 1;
    first
}

fn decode_at(
    store: &mut Store,
    words: &[u64],
    place: &mut usize,
    slot: usize,
    variables: &mut Vec<Cell>,
    open: &mut smallvec::SmallVec<[(usize, usize); 8]>,
) -> Cell {
    let cell = Cell(words[*place]);
    *place += 1;
    match words[*place - 1] {
        tag @ (STRING | BIG) => decode_bytes(store, tag, words, place),
        _ if cell == Cell::RAW => {
            *place += 1;
            store.float(f64::from_bits(words[*place - 1]))
        }
        _ if cell.tag() == Tag::Header => {
            let arity = cell.header_arity();
            let start = store.heap.len();
            store.heap.push(cell);
            store.heap.resize(start + 1 + arity, Cell::NIL);
            open.push((start + 1, start + 1 + arity));
            Cell::pack(Tag::Struct, start as u64)
        }
        _ if cell.is_ref() => {
            if cell.index() == variables.len() {
                variables.push(Cell::reference(slot));
            }
            variables[cell.index()]
        }
        _ => cell,
    }
}

/// Builds the string or big integer whose length stands at `place`.
fn decode_bytes(store: &mut Store, tag: u64, words: &[u64], place: &mut usize) -> Cell {
    let length = words[*place] as usize;
    let bytes = bytes_of(&words[*place + 1..], length);
    *place += 1 + length.div_ceil(8);
    if tag == BIG {
        store.bigint(BigInt::from_signed_bytes_le(&bytes))
    } else {
        store.string(&String::from_utf8_lossy(&bytes))
    }
}

fn bytes_of(words: &[u64], length: usize) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).take(length).collect()
}
