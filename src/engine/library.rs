//! Predicates of the library: known from the start, but read and compiled when they are called for the first time.

use std::sync::LazyLock;

use super::clause_list::ClauseEnd;
use super::compile::{ClauseParts, compile, keys};
use super::database::{Database, Definition, Known, Namespace};
use super::instr::PredId;
use crate::syntax::{ReadFlags, Reader};
use crate::term::ops::OpTable;
use crate::term::{Atom, Tree};

/// The library is written with these, whatever a script has made operators since.
static OPERATORS: LazyLock<OpTable> = LazyLock::new(OpTable::standard);

impl Database {
    /// Enters a predicate of the library whose clauses are `text`.
    pub fn define_unread(&mut self, name: Atom, arity: usize, text: &'static str) {
        let id = self.pred_id(Namespace::Library, name, arity);
        self.pred_mut(id).definition = Definition::Unread(text);
    }

    /// Reads and compiles the clauses of a predicate of the library.
    #[cold]
    pub(super) fn read_clauses(&mut self, id: PredId, text: &str) {
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
        self.add_clause(id, ClauseEnd::Back, code, compiled.style, Known::Keys(keys(tree, parts.head)));
    }
}
