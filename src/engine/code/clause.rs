//! A clause, and the call that it is tried for.

use std::rc::Rc;

use super::index::{ArgumentSet, joined_key};
use super::instr::Pc;
use crate::engine::heap::{ANY_KEY, Cell, Frozen, Store, key_of};

/// A clause.
#[derive(Clone, Debug)]
pub(crate) struct Clause {
    /// The key of the first argument.
    pub(super) key: u64,
    /// The keys of all arguments, unless the clause is kept as a term.
    pub(super) keys: Box<[u64]>,
    /// Where the code begins.
    pub(crate) code: Pc,
    /// How it uses the registers before its neck.
    pub(crate) style: NeckStyle,
    /// The clause as a term `Head :- Body`; not kept for library clauses.
    pub(crate) source: Option<Rc<Frozen>>,
    /// Increases along the order of clauses.
    pub(super) place: i64,
    pub(super) born: u64,
    pub(super) died: u64,
}

/// What a clause does to the argument registers before its neck, that is before the first goal that is not a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NeckStyle {
    /// Preserves them: if the clause fails there, the next clause can be tried at once.
    #[default]
    Preserving,
    /// Changes them: a choice point has to save them.
    Clobbering,
}

/// The arguments of a call.
#[derive(Clone, Copy)]
pub(crate) struct CallArguments<'a> {
    pub(crate) store: &'a Store,
    pub(crate) args: &'a [Cell],
}

/// The generation in which a clause dies that is not erased.
pub(super) const ALIVE: u64 = u64::MAX;
impl CallArguments<'_> {
    pub(super) fn key(&self, argument: usize) -> u64 {
        key_of(self.store, self.args[argument])
    }

    /// The bound ones among the arguments.
    pub(super) fn bound(&self) -> ArgumentSet {
        let is_bound = |argument: &usize| !self.store.deref(self.args[*argument]).is_ref();
        (0..self.args.len().min(32)).filter(is_bound).fold(0, |bound, argument| bound | 1 << argument)
    }
}

impl Clause {
    /// A clause added by generation `born`; `keys` may be empty if it is kept as a term.
    pub(crate) fn new(code: Pc, style: NeckStyle, keys: Box<[u64]>, source: Option<Rc<Frozen>>, born: u64) -> Clause {
        let mut clause = Clause { key: ANY_KEY, keys, code, style, source, place: 0, born, died: ALIVE };
        clause.key = clause.find_key(0);
        clause
    }

    /// The key that an argument of the call requires.
    #[inline]
    pub(crate) fn key(&self, argument: usize) -> u64 {
        if argument == 0 { self.key } else { self.find_key(argument) }
    }

    pub(super) fn find_key(&self, argument: usize) -> u64 {
        match &self.source {
            Some(source) => source.argument_key(argument),
            None => self.keys.get(argument).copied().unwrap_or(ANY_KEY),
        }
    }

    pub(super) fn joined_key(&self, arguments: ArgumentSet) -> u64 {
        joined_key(arguments, |argument| self.key(argument))
    }

    /// Whether an argument of the head is a text or a float.
    pub(super) fn has_boxed(&self) -> bool {
        let args = self.source.as_ref().map_or(&[][..], |source| source.head_args());
        args.iter().any(|cell| cell.is_boxed()) || self.keys.iter().any(|key| Cell(*key).is_boxed())
    }

    /// The generation that added the clause.
    pub(crate) fn birth(&self) -> u64 {
        self.born
    }

    /// Bytes that the clause occupies besides its code.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Clause>() + size_of_val(&*self.keys) + self.source.as_ref().map_or(0, |source| source.bytes())
    }

    #[inline]
    pub(super) fn is_seen_by(&self, generation: u64) -> bool {
        self.born <= generation && generation < self.died
    }

    /// Whether all arguments may match the call.
    #[inline]
    pub(super) fn fits(&self, call: &CallArguments<'_>) -> bool {
        call.args.iter().enumerate().all(|(argument, &cell)| {
            let own = self.key(argument);
            own == ANY_KEY || [own, ANY_KEY].contains(&key_of(call.store, cell))
        })
    }
}
