//! Goals of a script whose predicates nobody defines, found without calling them.

use std::sync::Arc;

use super::clause_parts::{args_of, head_and_body};
use super::rules::Functor;
use super::state::Session;
use crate::builtins::effects::{Argument, KnownPredicate};
use crate::syntax::ReadTerm;
use crate::syntax::diagnostic::{Diagnostic, Source};
use crate::term::hash::HashSet;
use crate::term::{Atom, NodeId, Tree};
use crate::trace::nearest;

impl Session {
    /// An error for each goal in clauses of a script, which was consulted, whose predicate is not there.
    pub(crate) fn unknown_predicates(&self, clauses: &[ReadTerm], source: &Arc<Source>) -> Vec<Diagnostic> {
        let clauses: Vec<(ReadTerm, [NodeId; 2])> = clauses
            .iter()
            .map(|clause| {
                let mut clause = clause.clone();
                let (head, body) = head_and_body(&mut clause);
                (clause, [head, body])
            })
            .collect();
        let heads = clauses.iter().filter_map(|(clause, [head, _])| clause.tree.functor(*head));
        let known: HashSet<Functor> = self.machine.world.database.callable().chain(heads).collect();
        let mut found = Vec::new();
        for (clause, [_, body]) in clauses {
            let is_rule = args_of(&clause.tree, clause.tree.root(), ":-").is_some();
            for (goal, (name, arity)) in goals(&clause.tree, body).into_iter().filter(|_| is_rule) {
                if known.contains(&(name, arity)) || KnownPredicate::of(name, arity).is_some() {
                    continue;
                }
                let near = nearest(name.as_str(), known.iter().map(|(name, _)| name.as_str()));
                let near = near.map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
                let message = format!("unknown predicate `{name}/{arity}`{near}");
                found.push(Diagnostic::error(source, clause.tree.span(goal), message));
            }
        }
        found
    }
}

/// The goals in a body that are called as far as can be seen, with the predicates that they call.
pub(super) fn goals(tree: &Tree, body: NodeId) -> Vec<(NodeId, Functor)> {
    let (mut found, mut waiting) = (Vec::new(), vec![(body, 0)]);
    while let Some((goal, n_more)) = waiting.pop() {
        let Some((name, arity)) = tree.functor(goal) else { continue };
        let args = tree.args(goal);
        if (name, arity) == (Atom::new(">>"), 2) {
            waiting.push((args[1], 0));
            continue;
        }
        found.push((goal, (name, arity + n_more)));
        let Some(predicate) = KnownPredicate::of(name, arity + n_more) else { continue };
        for (argument, id) in predicate.arguments.iter().zip(args) {
            match argument {
                Argument::Goal(n_more) => waiting.push((*id, usize::from(*n_more))),
                Argument::Quantified => {
                    let mut inner = *id;
                    while let Some(&[_, goal]) = args_of(tree, inner, "^") {
                        inner = goal;
                    }
                    waiting.push((inner, 0));
                }
                Argument::TakenApart | Argument::Term(_) => {}
            }
        }
    }
    found.reverse();
    found
}
