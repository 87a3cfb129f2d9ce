//! The calls in the clauses of a Mercury source: what is called, with how many arguments, and where.
//!
//! The text does not show how the compiler numbers goals (which disjunctions are switches, which unifications vanish,
//! how conjuncts are reordered), so a call is identified by its line, not by a goal path.

use crate::term::{Atom, NodeId, Tree};

use super::declarations::{path, qualified};
use super::mercury::QUANTIFIERS;

/// A call in the text of a clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrittenCall {
    /// The module written before the name.
    pub(crate) module: Option<String>,
    pub(crate) name: Atom,
    /// The number of arguments, for a function without the result.
    pub(crate) arity: usize,
    /// Whether it is a term in a goal, which is a call only if a function has its name.
    pub(crate) is_value: bool,
    /// Offset of the name.
    pub(crate) at: u32,
    /// Offset of the goal that contains it.
    pub(crate) goal_at: u32,
}

/// The calls of a clause in the order of its text; `tree` was read from `text`.
pub(crate) fn calls(text: &str, tree: &Tree) -> Vec<WrittenCall> {
    let mut walk = CallSearch { text, tree, found: Vec::new(), left: Vec::new() };
    walk.clause(tree.root());
    while let Some(part) = walk.left.pop() {
        match part.kind {
            ClausePartKind::Goal => walk.goal(part.id, 0),
            ClausePartKind::Grammar => walk.goal(part.id, GRAMMAR_ARGUMENTS),
            ClausePartKind::Value => walk.value(part.id, part.goal_at),
        }
    }
    walk.found.sort_by_key(|call| call.at);
    walk.found
}

/// The number of arguments that a grammar rule adds to its calls.
const GRAMMAR_ARGUMENTS: usize = 2;

struct CallSearch<'t> {
    text: &'t str,
    tree: &'t Tree,
    found: Vec<WrittenCall>,
    left: Vec<ClausePart>,
}

/// A part of a clause that is still to be examined.
struct ClausePart {
    kind: ClausePartKind,
    id: NodeId,
    goal_at: u32,
}

enum ClausePartKind {
    Goal,
    Grammar,
    Value,
}

impl CallSearch<'_> {
    fn name(&self, id: NodeId) -> (&'static str, usize) {
        self.tree.functor(id).map_or(("", 0), |(name, arity)| (name.as_str(), arity))
    }

    fn arg(&self, id: NodeId, index: usize) -> NodeId {
        self.tree.args(id)[index]
    }

    fn at(&self, id: NodeId) -> u32 {
        self.tree.span(id).start
    }

    fn push_goal(&mut self, id: NodeId, added: usize) {
        let kind = if added == 0 { ClausePartKind::Goal } else { ClausePartKind::Grammar };
        self.left.push(ClausePart { kind, id, goal_at: 0 });
    }

    fn push_value(&mut self, id: NodeId, goal_at: u32) {
        self.left.push(ClausePart { kind: ClausePartKind::Value, id, goal_at });
    }

    fn push_values(&mut self, id: NodeId, goal_at: u32) {
        for arg in self.tree.args(id) {
            self.push_value(*arg, goal_at);
        }
    }

    /// A clause, or a lambda expression that looks like one: patterns in its head are not calls.
    fn clause(&mut self, id: NodeId) {
        match self.name(id) {
            (":-", 2) => {
                self.head(self.arg(id, 0));
                self.push_goal(self.arg(id, 1), 0);
            }
            ("-->", 2) => self.push_goal(self.arg(id, 1), GRAMMAR_ARGUMENTS),
            _ => self.head(id),
        }
    }

    /// `f(X) = Value`
    fn head(&mut self, id: NodeId) {
        match self.name(id) {
            ("is", 2) => self.head(self.arg(id, 0)),
            ("=", 2) => {
                let value = self.arg(id, 1);
                self.push_value(value, self.at(value));
            }
            _ => {}
        }
    }

    fn goal(&mut self, id: NodeId, added: usize) {
        let at = self.at(id);
        match self.name(id) {
            ("", _) => {}
            ("," | "&" | ";" | "|" | "->" | "then" | "else" | "=>" | "<=" | "<=>" | "or_else" | "catch_any", 2) => {
                self.push_goal(self.arg(id, 0), added);
                self.push_goal(self.arg(id, 1), added);
            }
            ("catch", 2) => {
                self.push_goal(self.arg(id, 0), added);
                self.push_goal(self.handler(self.arg(id, 1)), added);
            }
            ("if" | "not" | "\\+" | "impure" | "semipure", 1) => self.push_goal(self.arg(id, 0), added),
            (name, 1) if QUANTIFIERS.contains(&name) || name.starts_with("require_") || name == "atomic" => {
                self.push_goal(self.arg(id, 0), added);
            }
            ("{}", 1) if added > 0 => self.push_goal(self.arg(id, 0), 0),
            ("." | "[]", _) if added > 0 => self.push_values(id, at),
            ("fail" | "false", 0) => self.call(None, Atom::new("fail"), 0, id, at),
            ("true" | "!", 0) | ("event" | "=" | ":=", 1) => self.push_values(id, at),
            (name, 2) if BUILT_IN.contains(&name) => self.push_values(id, at),
            ("call", _) => self.push_values(id, at),
            _ => self.named(id, added),
        }
    }

    /// The goal of a handler `Pattern -> Goal`, or of the first of several.
    fn handler(&self, id: NodeId) -> NodeId {
        if self.name(id) == ("->", 2) { self.arg(id, 1) } else { id }
    }

    /// `p(X)`, `m.p(X)`; not `P(X)`.
    fn named(&mut self, id: NodeId, added: usize) {
        let at = self.at(id);
        let (module, call) = qualified(self.tree, id);
        self.push_values(call, at);
        if let Some((name, _)) = self.tree.functor(call)
            && !self.is_variable(call)
        {
            let arity = self.n_arguments(call) + added;
            self.call(module, name, arity, call, at);
        }
    }

    fn call(&mut self, module: Option<NodeId>, name: Atom, arity: usize, id: NodeId, goal_at: u32) {
        let module = module.and_then(|module| path(self.tree, module));
        self.found.push(WrittenCall { module, name, arity, is_value: false, at: self.at(id), goal_at });
    }

    /// A term in a goal: possible calls of functions, and the goals of conditions and lambda expressions in it.
    fn value(&mut self, id: NodeId, goal_at: u32) {
        match self.name(id) {
            ("", _) => {}
            (".", 2) => self.push_values(id, goal_at),
            (":-" | "-->", 2) => self.clause(id),
            ("else" | ";", 2) if matches!(self.name(self.arg(id, 0)), ("if", 1) | ("->", 2)) => {
                self.condition(self.arg(id, 0), goal_at);
                self.push_value(self.arg(id, 1), goal_at);
            }
            ("=", 2) if self.name(self.arg(id, 0)).0 == "func" => self.push_value(self.arg(id, 1), goal_at),
            _ => {
                let (module, term) = qualified(self.tree, id);
                self.push_values(term, goal_at);
                if let Some((name, arity)) = self.tree.functor(term)
                    && !self.is_variable(term)
                {
                    self.call(module, name, arity, term, goal_at);
                    if let Some(call) = self.found.last_mut() {
                        call.is_value = true;
                    }
                }
            }
        }
    }

    /// `if Goal then Value`, `Goal -> Value`
    fn condition(&mut self, id: NodeId, goal_at: u32) {
        let both = if self.name(id) == ("if", 1) { self.arg(id, 0) } else { id };
        if let &[goal, value] = self.tree.args(both) {
            self.push_goal(goal, 0);
            self.push_value(value, goal_at);
        }
    }

    /// Whether a functor is a variable in the text.
    fn is_variable(&self, id: NodeId) -> bool {
        let first = self.text.as_bytes().get(self.at(id) as usize);
        first.is_some_and(|byte| byte.is_ascii_uppercase() || *byte == b'_')
    }

    /// The number of arguments; `!IO` counts as two.
    fn n_arguments(&self, id: NodeId) -> usize {
        self.tree.args(id).iter().map(|arg| if self.name(*arg) == ("!", 1) { 2 } else { 1 }).sum()
    }
}

/// Goals that the compiler implements without a call.
const BUILT_IN: &[&str] =
    &["=", "\\=", "is", "==", "\\==", "<", ">", "=<", ">=", "=:=", "=\\=", "=..", ":=", "@<", "@>", "@=<", "@>="];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtins::trace::commands::source::mercury::read;

    /// `name/arity@line`, with a question mark for terms that may be calls.
    fn found(text: &str) -> Vec<String> {
        let tree = read(text).expect("the text is a clause");
        let line = |call: &WrittenCall| 1 + text[..call.at as usize].matches('\n').count();
        let as_text = |call: &WrittenCall| {
            let module = call.module.as_ref().map_or(String::new(), |module| format!("{module}."));
            format!("{}{module}{}/{}@{}", if call.is_value { "?" } else { "" }, call.name, call.arity, line(call))
        };
        calls(text, &tree).iter().map(as_text).collect()
    }

    fn goals(text: &str) -> Vec<String> {
        found(text).into_iter().filter(|call| !call.starts_with('?')).collect()
    }

    #[test]
    fn goals_are_found_in_all_of_control() {
        let text = "p(X, !IO) :-\n ( if a(X), not b then c(!IO)\n else fail ),\n ( d(X) ; e -> f ; true ),\n \
                    some [Y] (g(Y), \\+ m.n.h(Y)),\n all [Z] (i(Z) => j(Z)), X = 3, X < 4.";
        let expected = ["a/1@2", "b/0@2", "c/2@2", "fail/0@3", "d/1@4", "e/0@4", "f/0@4", "g/1@5", "m.n.h/1@5"];
        assert_eq!(goals(text), [&expected[..], &["i/1@6", "j/1@6"]].concat());
    }

    #[test]
    fn grammar_rules_add_two_arguments() {
        assert_eq!(
            goals("p -->\n a(1), {\n b, c(2) }, [x], \"y\",\n ( if d then [] else m.e )."),
            ["a/3@2", "b/0@3", "c/1@3", "d/2@4", "m.e/2@4"]
        );
    }

    #[test]
    fn lambda_expressions_and_conditional_values_have_goals() {
        let text = "p(L, M) :- map((pred(X::in, Y::out) is det :-\n q(X, Y)), L, M),\n N = (if r(L) then 1 else 2), P(N), call(P, N).";
        assert_eq!(goals(text), ["map/3@1", "q/2@2", "r/1@3"]);
    }

    #[test]
    fn terms_in_goals_may_be_calls_of_functions() {
        assert_eq!(found("f(g(_)) = h(\n [i(1)]).")[..2], ["?h/1@1", "?i/1@2"]);
    }

    #[test]
    fn exceptions_are_handled_in_goals() {
        assert_eq!(
            goals("p(!IO) :- try [io(!IO)] ( q(!IO) ) then r else s catch error(_) -> t."),
            ["q/2@1", "r/0@1", "s/0@1", "t/0@1"]
        );
    }
}
