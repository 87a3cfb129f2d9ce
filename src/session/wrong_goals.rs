//! Goals of scripts about the trace that are errors whatever the trace is, found without calling them.

use std::sync::Arc;

use super::clause_parts::{args_of, head_and_body};
use super::elsewhere::lists_of;
use super::rules::Rules;
use super::state::Session;
use super::unknown_predicates::goals;
use crate::builtins::effects::constraint_arguments;
use crate::builtins::trace::{is_assertion, wrong_assertion, wrong_constraints};
use crate::syntax::ReadTerm;
use crate::syntax::diagnostic::{Diagnostic, Source};
use crate::term::NodeId;

impl Session {
    /// The errors in the goals of the rules of a script.
    pub(super) fn wrong_rules(&self, clauses: &[ReadTerm], source: &Arc<Source>) -> Vec<Diagnostic> {
        let rules = Rules::of(clauses);
        let is_rule =
            |clause: &&ReadTerm| args_of(&clause.tree, clause.tree.root(), ":-").is_some_and(|args| args.len() == 2);
        let of_clause = |clause: &ReadTerm| {
            let mut clause = clause.clone();
            let (_, body) = head_and_body(&mut clause);
            self.wrong_goals(&clause, body, source, &rules)
        };
        clauses.iter().filter(is_rule).flat_map(of_clause).collect()
    }

    /// The errors in the goals of a body; those of predicates that the script defines itself are its own business.
    pub(super) fn wrong_goals(
        &self,
        clause: &ReadTerm,
        body: NodeId,
        source: &Arc<Source>,
        rules: &Rules,
    ) -> Vec<Diagnostic> {
        let tree = &clause.tree;
        let asked = goals(tree, body).into_iter().filter(|(_, functor)| !rules.defines(*functor));
        let errors = asked.flat_map(|(goal, (name, arity))| {
            let error = wrong_assertion(tree, goal).map(|stop| (goal, stop));
            let lists: Vec<NodeId> = match is_assertion(name.as_str(), arity) {
                true if error.is_some() => Vec::new(),
                true => lists_of(tree, goal).into_iter().map(|found| found.list).collect(),
                false => {
                    let arguments = constraint_arguments(name.as_str(), arity).into_iter();
                    arguments.filter_map(|index| tree.args(goal).get(index).copied()).collect()
                }
            };
            error.into_iter().chain(lists.into_iter().flat_map(|list| wrong_constraints(tree, list)))
        });
        let told = errors.filter_map(|(node, stop)| {
            let complaint = self.describe(&stop.into())?;
            Some(Diagnostic::error(source, tree.span(node), complaint.message))
        });
        told.collect()
    }
}
