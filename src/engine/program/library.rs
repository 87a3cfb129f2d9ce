//! Library predicates: known from the start, but read and compiled when they are first called.

use std::sync::LazyLock;

use crate::engine::code::{ClauseEnd, Effect, PredId};
use crate::engine::compile::{ClauseParts, compile, keys};
use crate::engine::state::{Database, Definition, KnownOfClause, Namespace};
use crate::syntax::{ReadFlags, Reader};
use crate::term::ops::OpTable;
use crate::term::{Atom, Tree};

/// The operators that the library is written with, whatever operators scripts define.
static OPERATORS: LazyLock<OpTable> = LazyLock::new(OpTable::standard);

impl Database {
    /// Adds a library predicate whose clauses are `text`.
    pub(crate) fn define_unread(&mut self, name: Atom, arity: usize, text: &'static str, effect: Effect) {
        let id = self.pred_id(Namespace::Library, name, arity);
        let pred = self.pred_mut(id);
        (pred.definition, pred.effect) = (Definition::Unread(text), effect);
    }

    /// Reads and compiles the clauses of a library predicate.
    #[cold]
    pub(crate) fn read_clauses(&mut self, id: PredId, text: &str) {
        self.pred_mut(id).definition = Definition::Clauses(Box::default());
        let mut reader = Reader::new(text);
        let flags = ReadFlags::default();
        while let Some(read) = reader.read(&OPERATORS, &flags).expect("a test reads the whole library") {
            self.add_library_clause(id, &read.tree);
        }
    }

    fn add_library_clause(&mut self, id: PredId, tree: &Tree) {
        let parts = ClauseParts::of(tree);
        let compiled = compile(self, Namespace::Library, tree, parts).expect("a test compiles the whole library");
        let code = self.add_code(&compiled, None);
        self.add_clause(id, ClauseEnd::Back, code, compiled.style, KnownOfClause::Keys(keys(tree, parts.head)));
    }
}
