//! Register allocation: which register holds what while a clause is compiled.

use smallvec::SmallVec;

use crate::engine::code::{SCRATCH, X};

/// The owner of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// Nothing live.
    Free,
    /// An argument of the head not yet matched, an argument of a goal, or an intermediate value.
    Taken,
    /// The variable with this number.
    Variable(u32),
}

/// The last allocatable register; the one above it is for moves.
const LAST: usize = 254;

/// The register file of a clause.
#[derive(Clone, Debug)]
pub(super) struct RegisterFile {
    /// Registers beyond the end are free.
    owners: SmallVec<[Owner; 16]>,
    base: usize,
    pub(super) overflowed: bool,
}

impl RegisterFile {
    /// A register file whose registers below `base` are allocated only on request.
    pub(super) fn new(base: usize) -> RegisterFile {
        RegisterFile { owners: SmallVec::new(), base, overflowed: false }
    }

    pub(super) fn owner(&self, x: X) -> Owner {
        self.owners.get(x as usize).copied().unwrap_or(Owner::Free)
    }

    pub(super) fn set(&mut self, x: X, owner: Owner) {
        let x = x as usize;
        if x > LAST || (x >= self.owners.len() && owner == Owner::Free) {
            return;
        }
        if x >= self.owners.len() {
            self.owners.resize(x + 1, Owner::Free);
        }
        self.owners[x] = owner;
    }

    /// Allocates the wished register if it is free, else the first free one above the arguments.
    pub(super) fn take(&mut self, wish: Option<X>, owner: Owner) -> X {
        let is_free = |x: usize| x <= LAST && self.owner(x as X) == Owner::Free;
        let wished = wish.map(usize::from).filter(|&x| is_free(x));
        let Some(x) = wished.or_else(|| (self.base..=LAST).find(|&x| is_free(x))) else {
            self.overflowed = true;
            return SCRATCH;
        };
        self.set(x as X, owner);
        x as X
    }

    /// Frees all registers that hold no variable.
    pub(super) fn release_taken(&mut self) {
        for owner in self.owners.iter_mut().filter(|owner| **owner == Owner::Taken) {
            *owner = Owner::Free;
        }
    }

    pub(super) fn clear(&mut self) {
        self.owners.clear();
    }
}
