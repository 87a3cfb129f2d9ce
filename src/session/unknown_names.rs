//! Names that a check asks predicates of the library for, and that these do not know: `total(layuot, N, Ns)`.

use std::sync::Arc;

use super::check::Check;
use super::clause_parts::{args_of, variables};
use super::rules::Functor;
use super::state::Session;
use super::unknown_predicates::goals;
use crate::builtins::effects::{Argument, KnownPredicate};
use crate::builtins::library::{clauses_of, may_search};
use crate::engine::{Stop, Stopped};
use crate::syntax::ReadTerm;
use crate::syntax::diagnostic::Source;
use crate::term::hash::{HashMap, HashSet};
use crate::term::print::{self, Style};
use crate::term::{Node, NodeId, Span, Tree};
use crate::trace::{leaves, misspelt};

/// Among so many answers, names are looked for.
const MOST_ANSWERS: usize = 100_000;
/// So many are remembered.
const MOST_NAMES: usize = 10_000;

/// The values of an argument in all answers: as they are written, by their letters.
type KnownNames = HashMap<String, String>;

impl Session {
    /// The names of which no answer of a predicate of the library tells, and which are near to one of which some tell.
    pub(super) fn unknown_names(&mut self, check: &Check) -> Result<Vec<String>, Stopped> {
        let (mut found, mut seen) = (Vec::new(), HashSet::default());
        let mut waiting = vec![check.goal.clone()];
        while let Some(body) = waiting.pop() {
            for (goal, functor) in goals(&body.tree, body.tree.root()) {
                if seen.insert(functor) {
                    waiting.extend(check.rules.bodies(functor));
                }
                found.extend(self.unknown_in(&body, goal, functor, check)?);
            }
        }
        Ok(found)
    }

    fn unknown_in(
        &mut self,
        body: &ReadTerm,
        goal: NodeId,
        functor: Functor,
        check: &Check,
    ) -> Result<Vec<String>, Stopped> {
        let asked = if check.rules.defines(functor) { Vec::new() } else { names(&body.tree, goal, functor) };
        let known = if asked.is_empty() { None } else { self.known_names(body, goal, functor, &asked, &check.source)? };
        let (name, arity) = functor;
        let told = asked.iter().zip(known.into_iter().flatten()).filter_map(|(index, known)| {
            let value = body.tree.args(goal)[*index];
            let letters = print::to_string(&body.tree, value, self.operators(), &Style::default());
            let others = || known.keys().map(String::as_str).filter(|_| !known.contains_key(&letters));
            let has_it = |other: &&str| other.contains(&letters) && leaves(&known[*other]).contains(&letters);
            let near = misspelt(&letters, others()).or_else(|| others().filter(has_it).min())?;
            let text = print::to_string(&body.tree, value, self.operators(), &Style::writeq());
            Some(format!("`{name}/{arity}` has no answer with `{text}` (did you mean `{}`?)", known[near]))
        });
        Ok(told.collect())
    }

    /// What a predicate gives for these arguments if none is given; none if that is too much, or an error.
    fn known_names(
        &mut self,
        body: &ReadTerm,
        goal: NodeId,
        (name, arity): Functor,
        asked: &[usize],
        source: &Arc<Source>,
    ) -> Result<Option<Vec<KnownNames>>, Stopped> {
        let mut tree = body.tree.clone();
        let open: Vec<NodeId> = (0..arity as u32).map(|number| tree.push(Node::Var(number), Span::default())).collect();
        let root = tree.push_compound(name, &open, Span::default());
        tree.set_root(root);
        let variables = (0..arity as u32).map(|number| (format!("A{number}"), number, Span::default(), 2)).collect();
        let question = ReadTerm { tree, variables, n_variables: arity as u32, span: body.tree.span(goal) };
        let operators = self.operators().clone();
        let mut known = vec![KnownNames::default(); asked.len()];
        self.rewind();
        for (number, answer) in self.query(&question, source)?.enumerate() {
            let answer = match answer {
                Err(Stopped { stop: stop @ Stop::Interrupt, .. }) => return Err(stop.into()),
                Err(_) => return Ok(None),
                Ok(answer) => answer,
            };
            for (names, index) in known.iter_mut().zip(asked) {
                let text =
                    |style: Style<'_>| print::to_string(&answer.tree, answer.values[*index].1, &operators, &style);
                names.entry(text(Style::default())).or_insert_with(|| text(Style::writeq()));
                if number == MOST_ANSWERS || names.len() > MOST_NAMES {
                    return Ok(None);
                }
            }
        }
        Ok(Some(known))
    }
}

/// The arguments of a goal that may be left open, and are names or texts, of a predicate of the library about the trace.
fn names(tree: &Tree, goal: NodeId, (name, arity): Functor) -> Vec<usize> {
    let is_name = |node: NodeId| match tree.node(node) {
        Node::Atom(_) | Node::Str(_) => true,
        Node::Compound { .. } => variables(tree, node).is_empty() && args_of(tree, node, ".").is_none(),
        _ => false,
    };
    let known = KnownPredicate::of(name, arity).filter(|_| clauses_of(name.as_str(), arity).is_some());
    let arguments = known.map_or(Vec::new(), |known| known.arguments).into_iter().zip(tree.args(goal)).enumerate();
    let is_open = |(_, (argument, node)): &(usize, (Argument, &NodeId))| {
        matches!(argument, Argument::Term('?' | '-')) && is_name(**node)
    };
    let asked: Vec<usize> = arguments.filter(is_open).map(|(index, _)| index).collect();
    if !asked.is_empty() && may_search(name.as_str(), arity) { asked } else { Vec::new() }
}
