//! Clause chains: doubly linked lists of the clauses of a predicate.

/// The number of a clause in the list of its predicate.
pub(crate) type ClauseId = u32;

/// The end of a chain.
pub(crate) const NONE: ClauseId = ClauseId::MAX;

/// The first and last clause of a chain as new iterations see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChainEnds {
    pub(crate) first: ClauseId,
    pub(crate) last: ClauseId,
}

/// The links of a family of disjoint chains.
///
/// An erased clause stays linked for the iterations that still see it. The beginning of a chain may move past it, and a
/// clause added in front then does not link to it; so a chain has at most one run of erased clauses before its
/// beginning. Erased clauses are unlinked in order of erasure.
#[derive(Clone, Debug, Default)]
pub(crate) struct Links {
    links: Vec<Link>,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    before: ClauseId,
    after: ClauseId,
}

impl Default for ChainEnds {
    fn default() -> ChainEnds {
        ChainEnds { first: NONE, last: NONE }
    }
}

impl ChainEnds {
    /// Whether the chain is empty.
    pub(crate) fn are_empty(self) -> bool {
        self.last == NONE
    }
}

impl Links {
    /// The clause after this one.
    #[inline]
    pub(crate) fn after(&self, id: ClauseId) -> ClauseId {
        self.links.get(id as usize).map_or(NONE, |link| link.after)
    }

    /// Adds a clause after all others.
    pub(crate) fn push_back(&mut self, ends: &mut ChainEnds, id: ClauseId) {
        self.place(id, Link { before: ends.last, after: NONE });
        if ends.last != NONE {
            self.links[ends.last as usize].after = id;
        }
        ends.last = id;
        if ends.first == NONE {
            ends.first = id;
        }
    }

    /// Adds a clause before all others.
    pub(crate) fn push_front(&mut self, ends: &mut ChainEnds, id: ClauseId) {
        self.place(id, Link { before: NONE, after: ends.first });
        match ends.first {
            NONE => ends.last = id,
            first => self.links[first as usize].before = id,
        }
        ends.first = id;
    }

    /// Unlinks a clause.
    pub(crate) fn unlink(&mut self, ends: &mut ChainEnds, id: ClauseId) {
        let Some(&Link { before, after }) = self.links.get(id as usize) else { return };
        if before != NONE && self.links[before as usize].after == id {
            self.links[before as usize].after = after;
        }
        if after != NONE && self.links[after as usize].before == id {
            self.links[after as usize].before = before;
        }
        if ends.first == id {
            ends.first = after;
        }
        if ends.last == id {
            ends.last = before;
        }
        self.links[id as usize] = Link { before: NONE, after: NONE };
    }

    fn place(&mut self, id: ClauseId, link: Link) {
        let index = id as usize;
        if self.links.len() <= index {
            self.links.resize(index + 1, Link { before: NONE, after: NONE });
        }
        self.links[index] = link;
    }
}
