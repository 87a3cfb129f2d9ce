//! The rules that assertions call: the clauses of their script, and the assertions of the library.

use std::sync::LazyLock;

use super::clause_parts::{args_of, head_and_body};
use crate::builtins::library::text_of;
use crate::syntax::{ReadFlags, ReadTerm, Reader};
use crate::term::hash::HashMap;
use crate::term::ops::OpTable;
use crate::term::{Atom, NodeId, Span};

/// The name and the number of arguments of a predicate.
pub(super) type Functor = (Atom, usize);

/// The library file whose predicates are meant.
pub(super) const LIBRARY_FILE: &str = "checks.pl";

/// The clauses of a script.
#[derive(Debug, Default)]
pub(super) struct Rules {
    clauses: HashMap<Functor, Vec<ReadTerm>>,
}

impl Rules {
    /// Those of a script.
    pub(super) fn of(clauses: &[ReadTerm]) -> Rules {
        let mut rules = Rules::default();
        for mut clause in clauses.iter().cloned() {
            let (head, _) = head_and_body(&mut clause);
            if let Some(functor) = clause.tree.functor(head) {
                rules.clauses.entry(functor).or_default().push(clause);
            }
        }
        rules
    }

    /// Whether the script defines a predicate.
    pub(super) fn defines(&self, functor: Functor) -> bool {
        self.clauses.contains_key(&functor)
    }

    /// The bodies of the rules of a predicate.
    pub(super) fn bodies(&self, functor: Functor) -> impl Iterator<Item = ReadTerm> {
        self.clauses.get(&functor).into_iter().flatten().cloned().map(|mut clause| {
            let (_, body) = head_and_body(&mut clause);
            clause.tree.set_root(body);
            clause
        })
    }

    /// The only clause, without a cut, of a predicate of the script or an assertion of the library. One that calls what the
    /// script defines is not taken out of the library, where it calls another predicate.
    pub(super) fn only(&self, functor: Functor) -> Option<ReadTerm> {
        let clause = match self.clauses.get(&functor).map(Vec::as_slice) {
            Some([clause]) => clause.clone(),
            Some(_) => return None,
            None => library_rule(functor).filter(|rule| functors(rule).all(|called| !self.defines(called)))?,
        };
        let has_cut = functors(&clause).any(|functor| functor == (Atom::new("!"), 0));
        (!has_cut).then_some(clause)
    }
}

/// The names and numbers of arguments of all terms in a clause.
fn functors(clause: &ReadTerm) -> impl Iterator<Item = Functor> {
    (0..clause.tree.len()).filter_map(|node| clause.tree.functor(node as NodeId))
}

/// An assertion of the library; its source positions are not in the script.
fn library_rule(functor: Functor) -> Option<ReadTerm> {
    /// The first clause of each predicate, read once.
    static RULES: LazyLock<HashMap<Functor, ReadTerm>> = LazyLock::new(|| {
        let mut rules = HashMap::default();
        for mut clause in library_clauses() {
            let head = args_of(&clause.tree, clause.tree.root(), ":-").and_then(|sides| sides.first());
            let Some(functor) = head.and_then(|head| clause.tree.functor(*head)) else { continue };
            (0..clause.tree.len()).for_each(|node| clause.tree.set_span(node as NodeId, Span::default()));
            rules.entry(functor).or_insert(clause);
        }
        rules
    });
    RULES.get(&functor).cloned()
}

/// The clauses of the library's assertions.
pub(super) fn library_clauses() -> impl Iterator<Item = ReadTerm> {
    let (operators, flags) = (OpTable::standard(), ReadFlags::default());
    let mut reader = Reader::new(library_text());
    std::iter::from_fn(move || reader.read(&operators, &flags).expect("a test reads the whole library"))
}

/// The text of the library's assertions.
pub(super) fn library_text() -> &'static str {
    text_of(LIBRARY_FILE).unwrap_or_default()
}
