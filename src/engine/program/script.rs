//! Loading scripts clause by clause: what a script adds, and its diagnostics.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use super::clauses::Refusal;
use crate::engine::code::{Effect, PredId};
use crate::engine::compile::ClauseError;
use crate::engine::state::{Definition, Loading, Namespace, World};
use crate::syntax::diagnostic::{Diagnostic, Source};
use crate::syntax::{DoubleQuotes, ReadFlags, ReadTerm, Reader};
use crate::term::hash::NumberMap;
use crate::term::{Atom, NodeId, Span, Tree, atoms};

/// What a script contains besides clauses, which are added at once.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ScriptEvent {
    /// `:- Goal`.
    Directive(Tree),
    /// `Head --> Body`.
    Grammar(Tree),
    /// The end of the script.
    End,
}

impl World {
    /// Starts loading a script; `folder` must contain the scripts it includes.
    pub(crate) fn open_script(&mut self, source: Arc<Source>, namespace: Namespace, folder: Option<PathBuf>) {
        let id = self.sources.add(Arc::clone(&source));
        self.tables.outdate();
        self.scripts.begin(Loading::new(source, id, namespace, folder));
    }

    /// Starts loading the script that the session reads; its terms become part of the report.
    pub(crate) fn open_granted(&mut self, source: Arc<Source>, folder: Option<PathBuf>) {
        self.open_script(source, Namespace::User, folder);
        if let Some(loading) = self.scripts.innermost_mut() {
            loading.is_granted = true;
        }
    }

    /// Starts loading a script that the current one includes, as part of it.
    pub(crate) fn open_included(&mut self, source: Arc<Source>, base: Option<PathBuf>) {
        let Some(outer) = self.scripts.innermost() else { return };
        let (owner, namespace, folder) = (outer.owner, outer.namespace, outer.folder.clone());
        self.open_script(source, namespace, folder);
        if let Some(loading) = self.scripts.innermost_mut() {
            (loading.owner, loading.base) = (owner, base);
        }
    }

    /// Ends the loading of the innermost script.
    pub(crate) fn close_script(&mut self) {
        self.scripts.end();
    }

    /// Adds clauses of the innermost script up to the next item that is not a clause, and returns that item.
    pub(crate) fn next_script_event(&mut self) -> ScriptEvent {
        loop {
            let Some(read) = self.read_script_term() else { return ScriptEvent::End };
            self.warn_of_singletons(&read);
            let tree = self.scripts.note_term(read);
            let argument = |tree: &Tree| tree.args(tree.root()).first().copied();
            match (tree.functor(tree.root()), argument(&tree)) {
                (Some((atoms::NECK | atoms::QUERY, 1)), Some(goal)) => {
                    return ScriptEvent::Directive(self.kept_for_translation(with_root(tree, goal)));
                }
                (Some((name, arity)), _) if self.is_declaration(name, arity) => {
                    return ScriptEvent::Directive(self.kept_for_translation(tree));
                }
                (Some((atoms::DCG_ARROW, 2)), _) => return ScriptEvent::Grammar(self.kept_for_translation(tree)),
                _ => self.add_script_clause(&tree),
            }
        }
    }

    /// Keeps a term of the innermost script, since a clause may be made of it.
    fn kept_for_translation(&mut self, tree: Tree) -> Tree {
        if let Some(loading) = self.scripts.innermost_mut() {
            loading.untranslated = Some(tree.clone());
        }
        tree
    }

    /// Whether a fact is a declaration: in Morphine's scripts these need no `:-`.
    fn is_declaration(&self, name: Atom, arity: usize) -> bool {
        let is_script = self.scripts.innermost().is_some_and(|loading| loading.namespace == Namespace::User);
        is_script && self.database.library_effect(name, arity) == Effect::Declares
    }

    /// The next well-formed term; syntax errors are recorded and skipped.
    fn read_script_term(&mut self) -> Option<ReadTerm> {
        let flags = self.read_flags();
        let World { scripts, operators, .. } = self;
        let loading = scripts.innermost()?;
        let source = Arc::clone(&loading.source);
        let mut reader = Reader::new(&source.text);
        reader.set_position(loading.position);
        let read = loop {
            match reader.read(operators, &flags) {
                Ok(read) => break read,
                Err(error) => scripts.report(Diagnostic::syntax(&source, error)),
            }
        };
        let loading = scripts.innermost_mut()?;
        loading.position = reader.position();
        loading.span = read.as_ref().map(|read| read.span).unwrap_or_default();
        read
    }

    /// The options for reading terms, according to the current flags.
    pub(crate) fn read_flags(&self) -> ReadFlags {
        let value = self.flags.value(Atom::new("double_quotes")).map_or("string", Atom::as_str);
        let double_quotes = match value {
            "codes" => DoubleQuotes::Codes,
            "chars" => DoubleQuotes::Chars,
            "atom" => DoubleQuotes::Atom,
            _ => DoubleQuotes::String,
        };
        ReadFlags { double_quotes }
    }

    /// Adds a clause to the innermost script, or records why it cannot be added.
    pub(crate) fn add_script_clause(&mut self, tree: &Tree) {
        let Some(loading) = self.scripts.innermost() else { return };
        let (namespace, id) = (loading.namespace, loading.id);
        let parts = crate::engine::compile::ClauseParts::of(tree);
        let added = self
            .clause_pred(namespace, tree, parts)
            .map(|pred| self.take_over(pred))
            .and_then(|()| self.add_clause(namespace, tree, Some(id)));
        if let Err(refusal) = added {
            self.note_refusal(tree, refusal);
        }
    }

    /// Adds the clause that the grammar rule or directive read last stands for; its goals get the source positions of
    /// that.
    pub(crate) fn add_translated_clause(&mut self, mut tree: Tree) {
        let Some(loading) = self.scripts.innermost_mut() else { return };
        if let Some(written) = loading.untranslated.take() {
            take_places(&mut tree, &written);
        }
        self.add_script_clause(&tree);
    }

    /// Makes the current script the owner of a predicate: earlier definitions no longer count.
    fn take_over(&mut self, pred: PredId) {
        let Some(loading) = self.scripts.innermost_mut() else { return };
        let (owner, namespace) = (loading.owner, loading.namespace);
        let is_new = loading.latest.replace(pred) != Some(pred);
        if namespace == Namespace::Library || !is_new {
            return;
        }
        self.make_way(pred);
        let known = self.database.pred(pred);
        let is_own = known.script == Some(owner);
        if is_own && !known.is_discontiguous && self.database.clauses(pred).is_some_and(|list| !list.is_empty()) {
            let message = format!("clauses of `{}/{}` are not contiguous", known.name, known.arity);
            self.note_warning(message);
        }
        let known = self.database.pred(pred);
        if !is_own && !known.is_multifile {
            let is_dynamic = matches!(&known.definition, Definition::Clauses(list) if list.dynamic);
            let is_script = known.script.is_some();
            if is_script || !is_dynamic {
                self.database.pred_mut(pred).definition = Definition::Undefined;
                self.database.clauses_mut(pred).dynamic = is_dynamic;
            }
        }
        self.database.pred_mut(pred).script = Some(owner);
    }

    fn note_warning(&mut self, message: String) {
        let Some(loading) = self.scripts.innermost() else { return };
        self.scripts.report(Diagnostic::warning(&loading.source, loading.span, message));
    }

    /// Records an error at the term of the innermost script read last, with its backtrace.
    pub(crate) fn note_script_error(&mut self, message: String, cause: String) {
        let Some(loading) = self.scripts.innermost() else { return };
        self.scripts.report(Diagnostic { cause, ..Diagnostic::error(&loading.source, loading.span, message) });
    }

    /// Records a warning at the term of the innermost script read last.
    pub(crate) fn note_script_warning(&mut self, message: String) {
        self.note_warning(message);
    }

    fn note_refusal(&mut self, tree: &Tree, refusal: Refusal) {
        let Some(loading) = self.scripts.innermost() else { return };
        let at = |id: NodeId| match tree.span(id) {
            span if span == Span::default() => loading.span,
            span => span,
        };
        let head = crate::engine::compile::ClauseParts::of(tree).head;
        let (span, message) = match refusal {
            Refusal::Head => (at(head), "expected a clause, found a head that is not callable".to_owned()),
            Refusal::Clause(ClauseError::NotCallable(id)) => {
                (at(id), "expected a goal, found a term that cannot be called".to_owned())
            }
            Refusal::Clause(ClauseError::TooManyArguments) => {
                (at(head), format!("a predicate has at most {} arguments", crate::engine::compile::MAX_ARITY))
            }
            Refusal::Protected(pred) => {
                let pred = self.database.pred(pred);
                let message =
                    format!("no permission to redefine the control or ISO predicate `{}/{}`", pred.name, pred.arity);
                (at(head), message)
            }
        };
        self.scripts.report(Diagnostic::error(&loading.source, span, message));
    }

    fn warn_of_singletons(&mut self, read: &ReadTerm) {
        let Some(loading) = self.scripts.innermost() else { return };
        // Arguments of a declaration are only names.
        let declares =
            read.tree.functor(read.tree.root()).is_some_and(|(name, arity)| self.is_declaration(name, arity));
        if loading.namespace == Namespace::Library || declares {
            return;
        }
        let source = Arc::clone(&loading.source);
        for (name, _, span, occurrences) in &read.variables {
            if *occurrences == 1 && !name.starts_with('_') {
                let message = format!("variable `{name}` occurs only once (call it `_{name}` if that is meant)");
                self.scripts.report(Diagnostic::warning(&source, *span, message));
            }
        }
    }
}

fn with_root(mut tree: Tree, root: NodeId) -> Tree {
    tree.set_root(root);
    tree
}

/// Gives the terms of a translated clause the source positions of what it was made of: each takes the next unused term
/// of the same name with the same arity or, if that is a grammar rule, with two arguments fewer. Terms without a
/// counterpart get the position of the whole.
fn take_places(clause: &mut Tree, rule: &Tree) {
    let is_grammar = rule.functor(rule.root()) == Some((atoms::DCG_ARROW, 2));
    let mut places: NumberMap<(Atom, usize), VecDeque<Span>> = NumberMap::default();
    for id in in_text_order(rule) {
        if let Some(functor) = rule.functor(id) {
            places.entry(functor).or_default().push_back(rule.span(id));
        }
    }
    for id in in_text_order(clause) {
        let Some((name, arity)) = clause.functor(id) else { continue };
        let own = arity.checked_sub(2).filter(|_| is_grammar).and_then(|arity| places.get_mut(&(name, arity)));
        let own = own.and_then(VecDeque::pop_front);
        let place = own.or_else(|| places.get_mut(&(name, arity)).and_then(VecDeque::pop_front));
        clause.set_span(id, place.unwrap_or(rule.span(rule.root())));
    }
}

/// The nodes of a tree in source order, each compound before its arguments.
fn in_text_order(tree: &Tree) -> Vec<NodeId> {
    let (mut order, mut waiting) = (Vec::new(), vec![tree.root()]);
    let mut is_seen = vec![false; tree.len()];
    while let Some(id) = waiting.pop() {
        if !std::mem::replace(&mut is_seen[id as usize], true) {
            order.push(id);
            waiting.extend(tree.args(id).iter().rev());
        }
    }
    order
}
