//! The clauses of predicates: adding, selecting and erasing them.

use std::rc::Rc;

use super::Database;
use super::code::{FACT_CODE, RULE_CODE};
use super::predicate::Definition;
use crate::engine::code::{
    CallArguments, Clause, ClauseEnd, ClauseId, ClauseList, NeckStyle, Pc, PredId, Remaining, Selected,
};
use crate::engine::heap::Frozen;

/// What is kept of a clause besides its code.
pub(crate) enum KnownOfClause {
    /// The keys of its arguments.
    Keys(Box<[u64]>),
    /// The whole clause as a term.
    Term(Rc<Frozen>),
}

impl Database {
    /// The clauses that a user or the library has given to a predicate.
    pub(crate) fn clauses(&self, id: PredId) -> Option<&ClauseList> {
        match &self.pred(id).definition {
            Definition::Clauses(list) => Some(list),
            Definition::Library(id) => self.clauses(*id),
            _ => None,
        }
    }

    /// The clause list of a predicate, created if there is none.
    pub(crate) fn clauses_mut(&mut self, id: PredId) -> &mut ClauseList {
        self.unlink(id);
        let pred = &mut self.preds[id as usize];
        if !matches!(pred.definition, Definition::Clauses(_)) {
            pred.definition = Definition::Clauses(Box::default());
        }
        match &mut pred.definition {
            Definition::Clauses(list) => {
                list.is_abolished = false;
                list
            }
            _ => unreachable!("it was just made one"),
        }
    }

    /// The clauses to try in a call of a predicate that is not compiled to switches; the first may not be compiled yet.
    pub(crate) fn select(&mut self, id: PredId, call: &CallArguments<'_>) -> Option<Selected> {
        let generation = self.generation;
        let Definition::Clauses(list) = &mut self.preds[id as usize].definition else { return None };
        let selected = list.select(call, generation);
        self.bytes_kept += list.take_growth();
        selected
    }

    /// Adds a clause at the front or at the end.
    pub(crate) fn add_clause(&mut self, id: PredId, end: ClauseEnd, code: Pc, style: NeckStyle, known: KnownOfClause) {
        let (keys, source) = match known {
            KnownOfClause::Keys(keys) => (keys, None),
            KnownOfClause::Term(source) => (Box::default(), Some(source)),
        };
        self.generation += 1;
        self.link_clause(id, end, Clause::new(code, style, keys, source, self.generation));
    }

    /// Adds a fact without compiling it.
    pub(crate) fn add_fact(&mut self, id: PredId, end: ClauseEnd, source: Rc<Frozen>) {
        self.add_term(id, end, FACT_CODE, source);
    }

    /// Adds a rule, to be compiled when it is first called.
    pub(crate) fn add_rule(&mut self, id: PredId, end: ClauseEnd, source: Rc<Frozen>) {
        self.add_term(id, end, RULE_CODE, source);
    }

    fn add_term(&mut self, id: PredId, end: ClauseEnd, code: Pc, source: Rc<Frozen>) {
        self.generation += 1;
        let clause = Clause::new(code, NeckStyle::Preserving, Box::default(), Some(source), self.generation);
        self.link_clause(id, end, clause);
    }

    fn link_clause(&mut self, id: PredId, end: ClauseEnd, clause: Clause) {
        self.bytes_kept += clause.bytes();
        let list = self.clauses_mut(id);
        let grown = list.add(end, clause);
        self.bytes_kept += grown;
    }

    /// Sets the code of a clause that was kept as a term.
    pub(crate) fn set_code(&mut self, id: PredId, clause: ClauseId, code: Pc, style: NeckStyle) {
        if let Definition::Clauses(list) = &mut self.preds[id as usize].definition
            && let Some(clause) = list.clause_mut(clause)
        {
            (clause.code, clause.style) = (code, style);
        }
    }

    /// Removes a clause; iterations in progress still see it. Returns `false` if it was already removed.
    pub(crate) fn erase(&mut self, id: PredId, clause: ClauseId) -> bool {
        self.generation += 1;
        let died = self.generation;
        self.unlink(id);
        let Definition::Clauses(list) = &mut self.preds[id as usize].definition else { return false };
        let erased = list.erase(clause, died);
        if erased && list.is_crowded() && self.crowded.last() != Some(&id) {
            self.crowded.push(id);
        }
        erased
    }

    /// The predicates that have accumulated many erased clauses since the last call.
    pub(crate) fn take_crowded(&mut self) -> Vec<PredId> {
        std::mem::take(&mut self.crowded)
    }

    /// Frees the erased clauses of a predicate that no iteration of generation `oldest` or later sees.
    pub(crate) fn sweep(&mut self, id: PredId, oldest: u64) {
        if let Definition::Clauses(list) = &mut self.preds[id as usize].definition {
            let swept = list.sweep(oldest);
            self.bytes_kept -= swept.min(self.bytes_kept);
        }
    }

    /// The clauses that a call has to try, as of now; `None` if the predicate has no clauses.
    pub(crate) fn remaining(&mut self, id: PredId, call: &CallArguments<'_>) -> Option<Remaining> {
        let generation = self.generation;
        match &mut self.preds[id as usize].definition {
            Definition::Clauses(list) => {
                let remaining = list.start(call, generation);
                self.bytes_kept += list.take_growth();
                Some(remaining)
            }
            Definition::Library(library) => {
                let library = *library;
                self.remaining(library, call)
            }
            _ => None,
        }
    }
}
