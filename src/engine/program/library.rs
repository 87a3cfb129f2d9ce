//! Library predicates: known from the start, but read and compiled when they are first called.
//!
//! A command over thousands of traces has a session for each. A thread keeps a database with the library alone, of which
//! those of its sessions are copies: so it reads a predicate that is called in many sessions once more, not in each.

use std::cell::RefCell;
use std::sync::LazyLock;

use crate::engine::code::{ClauseEnd, Effect, PredId};
use crate::engine::compile::{ClauseParts, compile, keys};
use crate::engine::state::{Database, Definition, KnownOfClause, Namespace};
use crate::syntax::{ReadFlags, Reader};
use crate::term::ops::OpTable;
use crate::term::{Atom, Tree};

/// The operators that the library is written with, whatever operators scripts define.
static OPERATORS: LazyLock<OpTable> = LazyLock::new(OpTable::standard);

thread_local! {
    /// The database with the library alone.
    static FRESH: RefCell<Option<Database>> = const { RefCell::new(None) };
}

impl Database {
    /// A copy of the database with the library alone, which `make` makes for the first session of a thread.
    pub(crate) fn fresh(make: impl FnOnce() -> Database) -> Database {
        FRESH.with_borrow_mut(|fresh| fresh.get_or_insert_with(make).clone())
    }

    /// Adds a library predicate whose clauses are `text`.
    pub(crate) fn define_unread(&mut self, name: Atom, arity: usize, text: &'static str, effect: Effect) {
        let id = self.pred_id(Namespace::Library, name, arity);
        let pred = self.pred_mut(id);
        (pred.definition, pred.effect) = (Definition::Unread(text), effect);
    }

    /// Reads and compiles the clauses of a library predicate, here and for the next sessions of this thread.
    #[cold]
    pub(crate) fn read_library(&mut self, id: PredId, text: &'static str) {
        self.read_clauses(id, text);
        let (name, arity) = (self.pred(id).name, self.pred(id).arity);
        FRESH.with_borrow_mut(|fresh| {
            let Some(fresh) = fresh else { return };
            let id = fresh.pred_id(Namespace::Library, name, arity);
            if matches!(fresh.pred(id).definition, Definition::Unread(_)) {
                fresh.read_clauses(id, text);
            }
        });
    }

    fn read_clauses(&mut self, id: PredId, text: &str) {
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
