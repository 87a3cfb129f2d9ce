//! Which register holds what while a clause is compiled.

use crate::engine::instr::{SCRATCH, X};

/// The contents of a register, as far as the compiler cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// Nothing that is needed.
    Free,
    /// An argument of the head not yet looked at, an argument of a goal, or a value in between.
    Taken,
    /// The variable with this number.
    Variable(u32),
}

/// Registers up to this one are given out; the one above is for moves.
const LAST: usize = 254;

/// The registers of a clause.
#[derive(Clone, Debug)]
pub(super) struct Registers {
    owners: Vec<Owner>,
    base: usize,
    pub(super) overflowed: bool,
}

impl Registers {
    /// Registers of which those below `base` are given out only on request.
    pub(super) fn new(base: usize) -> Registers {
        Registers { owners: vec![Owner::Free; LAST + 1], base, overflowed: false }
    }

    pub(super) fn owner(&self, x: X) -> Owner {
        self.owners.get(x as usize).copied().unwrap_or(Owner::Free)
    }

    pub(super) fn set(&mut self, x: X, owner: Owner) {
        if let Some(slot) = self.owners.get_mut(x as usize) {
            *slot = owner;
        }
    }

    /// The register wished for if it is free, else the first free one above the arguments.
    pub(super) fn take(&mut self, wish: Option<X>, owner: Owner) -> X {
        let wished = wish.filter(|&x| self.owner(x) == Owner::Free && (x as usize) <= LAST);
        let found = wished.map(usize::from).or_else(|| (self.base..=LAST).find(|&x| self.owners[x] == Owner::Free));
        let Some(x) = found else {
            self.overflowed = true;
            return SCRATCH;
        };
        self.owners[x] = owner;
        x as X
    }

    pub(super) fn clear(&mut self) {
        self.owners.fill(Owner::Free);
    }
}
