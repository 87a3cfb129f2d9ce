//! The answers of one table: a set, encoded in a single vector of words, in insertion order.

use std::hash::BuildHasher;

use super::cell::Cell;
use super::stop::Stop;
use super::store::{Store, Term};
use super::variant;
use super::variant::VariableNumbering;
use crate::term::hash::RandomState;

/// A set of answers in insertion order; each is the encoded terms of a template.
#[derive(Debug, Default)]
pub(crate) struct AnswerSet {
    words: Vec<u64>,
    entries: Vec<AnswerEntry>,
    /// A hash table of entry numbers plus 1, by the words that distinguish answers; 0 is free.
    index: Vec<u32>,
    hasher: RandomState,
}

#[derive(Clone, Copy, Debug)]
struct AnswerEntry {
    start: usize,
    /// The end of the words that distinguish answers.
    split: usize,
    end: usize,
    /// The hash of the words before `split`.
    hash: u32,
    /// Whether a better answer has replaced it.
    is_superseded: bool,
}

/// The outcome of adding an answer.
pub(crate) enum AddedAnswer {
    /// It is new.
    New,
    /// There is an answer with the same index arguments.
    Known(usize),
}

impl AnswerSet {
    /// Number of answers, including superseded ones.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether an answer has not been superseded.
    pub(crate) fn counts(&self, number: usize) -> bool {
        !self.entries[number].is_superseded
    }

    pub(crate) fn bytes(&self) -> usize {
        self.words.capacity() * 8 + self.entries.capacity() * size_of::<AnswerEntry>() + self.index.capacity() * 4
    }

    fn split_words(&self, number: usize) -> &[u64] {
        let entry = self.entries[number];
        &self.words[entry.start..entry.split]
    }

    /// Adds the words after the last answer as an answer, distinguished by those before `split`. If there is an answer
    /// with the same ones, the words stay for [`AnswerSet::supersede`] or [`AnswerSet::drop_words`].
    pub(crate) fn add(&mut self, split: usize) -> AddedAnswer {
        if self.index.len() < 2 * (self.entries.len() + 1) {
            self.grow();
        }
        let start = self.start_of_new();
        let mask = self.index.len() - 1;
        let hash = self.hasher.hash_one(&self.words[start..split]) as u32;
        let mut place = hash as usize & mask;
        while self.index[place] != 0 {
            let known = self.index[place] as usize - 1;
            if self.entries[known].hash == hash && self.split_words(known) == &self.words[start..split] {
                return AddedAnswer::Known(known);
            }
            place = (place + 1) & mask;
        }
        self.index[place] = self.entries.len() as u32 + 1;
        self.push(split, hash);
        AddedAnswer::New
    }

    fn push(&mut self, split: usize, hash: u32) {
        let entry =
            AnswerEntry { start: self.start_of_new(), split, end: self.words.len(), hash, is_superseded: false };
        self.entries.push(entry);
    }

    fn start_of_new(&self) -> usize {
        self.entries.last().map_or(0, |entry| entry.end)
    }

    pub(crate) fn drop_words(&mut self) {
        self.words.truncate(self.start_of_new());
    }

    /// Replaces answer `known` by the words after the last answer.
    pub(crate) fn supersede(&mut self, known: usize, split: usize) {
        let mask = self.index.len() - 1;
        let hash = self.entries[known].hash;
        let mut place = hash as usize & mask;
        while self.index[place] as usize != known + 1 {
            place = (place + 1) & mask;
        }
        self.index[place] = self.entries.len() as u32 + 1;
        self.entries[known].is_superseded = true;
        self.push(split, hash);
    }

    fn grow(&mut self) {
        let size = (4 * self.entries.len()).max(8).next_power_of_two();
        self.index = vec![0; size];
        for number in 0..self.entries.len() {
            if self.counts(number) {
                let mut place = self.entries[number].hash as usize & (size - 1);
                while self.index[place] != 0 {
                    place = (place + 1) & (size - 1);
                }
                self.index[place] = number as u32 + 1;
            }
        }
    }

    /// Unifies the terms of a template with an answer.
    pub(crate) fn unify(&self, store: &mut Store, number: usize, template: Cell) -> bool {
        let Term::Compound(compound) = store.look(template) else { return true };
        let entry = self.entries[number];
        let words = &self.words[entry.start..entry.end];
        let (mut place, mut variables) = (0, Vec::new());
        (0..compound.arity).all(|i| {
            if place == entry.split - entry.start {
                variables.clear();
            }
            let value = variant::decode(store, words, &mut place, &mut variables);
            let argument = store.arg(compound, i);
            store.unify(argument, value)
        })
    }

    /// Appends the encoded terms of a template after the last answer; returns the end of the words that distinguish it.
    ///
    /// The last `n_moded` terms do not. An error if a term is cyclic or too long.
    pub(crate) fn push_words(&mut self, store: &Store, template: Cell, n_moded: usize) -> Result<usize, Stop> {
        let words = &mut self.words;
        let mut split = words.len();
        let Term::Compound(compound) = store.look(template) else { return Ok(split) };
        let mut numbering = VariableNumbering::default();
        let n_index = compound.arity - n_moded;
        for i in 0..compound.arity {
            if i == n_index {
                numbering = VariableNumbering::default();
            }
            if let Err(stop) = variant::encode(store, store.arg(compound, i), words, &mut numbering) {
                self.drop_words();
                return Err(stop);
            }
            if i + 1 == n_index {
                split = words.len();
            }
        }
        Ok(split)
    }

    /// The moded terms of an answer.
    pub(crate) fn rest(&self, store: &mut Store, number: usize) -> Vec<Cell> {
        let entry = self.entries[number];
        let words = &self.words[entry.split..entry.end];
        let (mut place, mut variables, mut found) = (0, Vec::new(), Vec::new());
        while place < words.len() {
            found.push(variant::decode(store, words, &mut place, &mut variables));
        }
        found
    }

    /// Frees what is only needed while answers are added.
    pub(crate) fn finish(&mut self) {
        if self.entries.iter().any(|entry| entry.is_superseded) {
            self.entries.retain(|entry| !entry.is_superseded);
        }
        self.index = Vec::new();
        self.words.shrink_to_fit();
        self.entries.shrink_to_fit();
    }
}
