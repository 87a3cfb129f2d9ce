//! Rules of scripts, which are put in place of the goals that call them.

use std::sync::Arc;

use super::alternatives::Alternative;
use super::compile::{Compiler, Refusal};
use crate::syntax::diagnostic::{Diagnostic, Source};
use crate::syntax::{ReadFlags, ReadTerm, Reader};
use crate::term::atoms;
use crate::term::hash::{HashMap, HashSet};
use crate::term::ops::OpTable;
use crate::term::{Atom, Node, NodeId, Span, Tree};

/// The name and the arity of a rule.
pub(super) type Functor = (Atom, usize);

/// The clauses of scripts, and the derived traces that they declare.
#[derive(Default)]
pub(crate) struct Rules {
    clauses: HashMap<Functor, Vec<Clause>>,
    derived: HashMap<Atom, DeclaredTrace>,
}

/// A derived trace, as the last script that has declarations for it declares it.
pub(super) struct DeclaredTrace {
    /// The derived trace from which it is derived; none if that is the trace of the folder.
    pub(super) source: Option<Atom>,
    pub(super) declarations: Vec<Declaration>,
}

/// `derived_trace(Name, Attributes, Goal)`, a directive.
pub(super) struct Declaration {
    term: ReadTerm,
    attributes: NodeId,
    goal: NodeId,
    source: Arc<Source>,
}

/// A clause as it is written.
pub(super) struct Clause {
    term: ReadTerm,
    head: NodeId,
    /// The body; none of a fact.
    body: Option<NodeId>,
    source: Arc<Source>,
}

impl Rules {
    /// Adds the clauses of a script, which is read with these operators.
    pub(crate) fn add(&mut self, source: &Arc<Source>, ops: &OpTable) -> Result<(), Box<Diagnostic>> {
        let mut reader = Reader::new(&source.text);
        while let Some(term) =
            reader.read(ops, &ReadFlags::default()).map_err(|error| Box::new(Diagnostic::syntax(source, error)))?
        {
            let root = term.tree.root();
            let (head, body) = match (term.tree.functor(root), term.tree.args(root)) {
                (Some((atoms::NECK, 1)), &[directive]) => {
                    self.declare(term, directive, source);
                    continue;
                }
                (Some((atoms::NECK, 2)), &[head, body]) => (head, Some(body)),
                _ => (root, None),
            };
            if let Some(functor) = term.tree.functor(head) {
                let clause = Clause { term, head, body, source: Arc::clone(source) };
                self.clauses.entry(functor).or_default().push(clause);
            }
        }
        Ok(())
    }

    /// Keeps the declaration of a derived trace, if a directive is one.
    fn declare(&mut self, term: ReadTerm, directive: NodeId, source: &Arc<Source>) {
        let functor = term.tree.functor(directive).map(|(name, arity)| (name.as_str(), arity));
        let (name, from, attributes, goal) = match (functor, term.tree.args(directive)) {
            (Some(("derived_trace", 3)), &[name, attributes, goal]) => (name, None, attributes, goal),
            (Some(("derived_trace", 4)), &[name, from, attributes, goal]) => (name, Some(from), attributes, goal),
            _ => return,
        };
        let atom = |node: NodeId| match term.tree.node(node) {
            Node::Atom(name) => Some(*name),
            _ => None,
        };
        let (Some(name), from) = (atom(name), from.and_then(atom)) else { return };
        let declared =
            self.derived.entry(name).or_insert_with(|| DeclaredTrace { source: from, declarations: Vec::new() });
        if declared.declarations.first().is_some_and(|first| !Arc::ptr_eq(&first.source, source)) {
            *declared = DeclaredTrace { source: from, declarations: Vec::new() };
        }
        declared.declarations.push(Declaration { term, attributes, goal, source: Arc::clone(source) });
    }

    pub(super) fn derived(&self, name: Atom) -> Option<&DeclaredTrace> {
        self.derived.get(&name)
    }

    /// A goal with all searches that the goals make which declare a derived trace, in the trace of the folder. It is no
    /// goal to solve: its parts are the declared goals and the bodies of the rules that they call, in any order.
    pub(crate) fn searches_for(&self, name: Atom) -> Option<(ReadTerm, Arc<Source>)> {
        let mut names = vec![name];
        let declared = loop {
            let declared = self.derived(*names.last()?)?;
            match declared.source {
                None => break declared,
                Some(source) if names.contains(&source) => return None,
                Some(source) => names.push(source),
            }
        };
        let mut waiting: Vec<(&ReadTerm, NodeId)> =
            declared.declarations.iter().map(|one| (&one.term, one.goal)).collect();
        let mut called = HashSet::default();
        let (mut parts, mut n_variables, mut goals) = (Tree::new(), 0, Vec::new());
        while let Some((term, goal)) = waiting.pop() {
            let mut own = term.tree.clone();
            let is_rule = |functor: &Functor| self.clauses.contains_key(functor);
            for node in goal_nodes(&term.tree, goal) {
                let Some(functor) = term.tree.functor(node).filter(is_rule) else { continue };
                own.replace(node, Node::Atom(atoms::TRUE));
                if called.insert(functor) {
                    let clauses = self.get(functor).unwrap_or_default().iter();
                    waiting.extend(clauses.filter_map(|clause| Some((&clause.term, clause.body?))));
                }
            }
            own.set_root(goal);
            goals.push(parts.graft(&own, n_variables));
            n_variables += term.n_variables;
        }
        let all =
            goals.into_iter().reduce(|one, other| parts.push_compound(atoms::COMMA, &[one, other], Span::default()))?;
        parts.set_root(all);
        let first = declared.declarations.first()?;
        let goal = ReadTerm { tree: parts, n_variables, variables: Vec::new(), span: first.term.span };
        Some((goal, Arc::clone(&first.source)))
    }

    pub(super) fn get(&self, functor: Functor) -> Option<&[Clause]> {
        self.clauses.get(&functor).map(Vec::as_slice)
    }

    /// Whether a rule calls another one, or itself, if only through others.
    pub(super) fn reaches(&self, from: Functor, to: Functor) -> bool {
        self.called_by(from).contains(&to)
    }

    /// Whether a rule goes on from the current event.
    pub(super) fn needs_cursor(&self, rule: Functor) -> bool {
        let needs = |(name, arity): &Functor| NEEDS_CURSOR.contains(&(name.as_str(), *arity));
        self.called_by(rule).iter().any(needs)
    }

    /// What a rule calls, and what that calls.
    fn called_by(&self, rule: Functor) -> HashSet<Functor> {
        let (mut found, mut waiting) = (HashSet::default(), vec![rule]);
        while let Some(rule) = waiting.pop() {
            let bodies = self.get(rule).unwrap_or_default().iter().filter_map(|clause| Some((clause, clause.body?)));
            for (clause, body) in bodies {
                let called = goals_in(&clause.term.tree, body).into_iter();
                waiting.extend(called.filter(|functor| found.insert(*functor)));
            }
        }
        found
    }
}

/// The goals that go on from the current event.
const NEEDS_CURSOR: [(&str, usize); 5] = [("fget", 1), ("fget_np", 1), ("bget", 1), ("bget_np", 1), ("stack", 1)];

/// Goals with goals as arguments.
const CONTROL: [(&str, usize); 17] = [
    (",", 2),
    (";", 2),
    ("->", 2),
    ("*->", 2),
    ("\\+", 1),
    ("not", 1),
    ("once", 1),
    ("ignore", 1),
    ("forall", 2),
    ("findall", 3),
    ("aggregate_all", 3),
    ("tally", 3),
    ("sum_by", 4),
    ("limit", 2),
    ("order_by", 2),
    ("distinct", 1),
    ("distinct", 2),
];

/// The functors of the goals in a body.
fn goals_in(tree: &Tree, body: NodeId) -> Vec<Functor> {
    goal_nodes(tree, body).into_iter().filter_map(|goal| tree.functor(goal)).collect()
}

/// The goals in a body.
fn goal_nodes(tree: &Tree, body: NodeId) -> Vec<NodeId> {
    let (mut found, mut waiting) = (Vec::new(), vec![body]);
    while let Some(goal) = waiting.pop() {
        match tree.functor(goal) {
            Some((name, arity)) if CONTROL.contains(&(name.as_str(), arity)) => waiting.extend(tree.args(goal)),
            _ => found.push(goal),
        }
    }
    found
}

impl Compiler<'_> {
    /// The alternatives of a goal that calls a rule; none if there is no such rule.
    pub(super) fn call_rule(
        &mut self,
        goal: NodeId,
        rows: &Alternative,
        depth: usize,
    ) -> Option<Result<Vec<Alternative>, Refusal>> {
        let functor = self.rule_functor(goal)?;
        let rules = self.rules;
        Some(match rules.reaches(functor, functor) {
            true => self.call_recursive(goal, functor, rows, depth),
            false => self.clauses(goal, rules.get(functor)?, rows, depth),
        })
    }

    /// The rule that a goal calls, if it calls one.
    pub(super) fn rule_functor(&self, goal: NodeId) -> Option<Functor> {
        self.tree.functor(goal).filter(|functor| self.rules.get(*functor).is_some())
    }

    pub(super) fn clauses(
        &mut self,
        goal: NodeId,
        clauses: &[Clause],
        rows: &Alternative,
        depth: usize,
    ) -> Result<Vec<Alternative>, Refusal> {
        let mut found = Vec::new();
        for (number, clause) in clauses.iter().enumerate() {
            let mut branch = rows.clone();
            if clauses.len() > 1 {
                branch.sort_by(number.to_string());
            }
            if let Some(body) = self.enter(goal, clause, &mut branch)? {
                found.extend(match body {
                    Some(body) => self.goal(body, vec![branch], depth + 1)?,
                    None => vec![branch],
                });
            }
        }
        Ok(found)
    }

    /// The body of a clause whose head is the goal; none if it cannot be.
    pub(super) fn enter(
        &mut self,
        goal: NodeId,
        clause: &Clause,
        rows: &mut Alternative,
    ) -> Result<Option<Option<NodeId>>, Refusal> {
        self.places.push((self.tree.len() as NodeId, Arc::clone(&clause.source)));
        let (given, formal) = (self.tree.args(goal).to_vec(), clause.term.tree.args(clause.head).to_vec());
        let mut taken = HashMap::default();
        let mut pairs: Vec<(NodeId, NodeId)> = given.into_iter().zip(formal).rev().collect();
        let mut later = Vec::new();
        while let Some((actual, formal)) = pairs.pop() {
            match clause.term.tree.node(formal) {
                Node::Var(variable) if !taken.contains_key(variable) => {
                    taken.insert(*variable, actual);
                }
                Node::Var(variable) => later.push((actual, taken[variable])),
                constant => match (self.tree.functor(actual), clause.term.tree.functor(formal)) {
                    (Some(found), Some(wanted)) if found == wanted => {
                        let parts = self.tree.args(actual).iter().zip(clause.term.tree.args(formal));
                        pairs.extend(parts.map(|(actual, formal)| (*actual, *formal)));
                    }
                    _ if self.tree.node(actual) == constant => {}
                    _ if matches!(self.tree.node(actual), Node::Var(_))
                        && !matches!(constant, Node::Compound { .. }) =>
                    {
                        let span = clause.term.tree.span(formal);
                        later.push((actual, self.tree.push(constant.clone(), span)));
                    }
                    _ if matches!(self.tree.node(actual), Node::Var(_)) => {
                        return Err(self.refuse(actual, "a compound term in the head of a rule is not compiled to SQL"));
                    }
                    _ => return Ok(None),
                },
            }
        }
        let body = clause.body.map(|body| self.copy(&clause.term.tree, body, taken));
        for (actual, other) in later {
            self.unify_terms(actual, other, rows)?;
        }
        Ok(Some(body))
    }

    /// The attributes and the goal of a declaration, with new variables.
    pub(super) fn declaration(&mut self, declaration: &Declaration) -> (NodeId, NodeId) {
        self.places.push((self.tree.len() as NodeId, Arc::clone(&declaration.source)));
        let mut pair = declaration.term.tree.clone();
        let both = pair.push_compound(atoms::MINUS, &[declaration.attributes, declaration.goal], Span::default());
        let copied = self.copy(&pair, both, HashMap::default());
        let parts = self.tree.args(copied);
        (parts[0], parts[1])
    }

    /// Copies a term of a clause, with new variables for those that have no term yet.
    fn copy(&mut self, from: &Tree, term: NodeId, mut taken: HashMap<u32, NodeId>) -> NodeId {
        let mut copies: HashMap<NodeId, NodeId> = HashMap::default();
        let mut waiting = vec![(term, false)];
        while let Some((node, are_parts_copied)) = waiting.pop() {
            if copies.contains_key(&node) {
                continue;
            }
            let span = from.span(node);
            let copied = match from.node(node) {
                Node::Var(variable) => match taken.get(variable) {
                    Some(known) => *known,
                    None => {
                        let new = self.tree.push(Node::Var(self.n_variables), span);
                        self.n_variables += 1;
                        taken.insert(*variable, new);
                        new
                    }
                },
                Node::Compound { functor, .. } if are_parts_copied => {
                    let parts: Vec<NodeId> = from.args(node).iter().map(|part| copies[part]).collect();
                    self.tree.push_compound(*functor, &parts, span)
                }
                Node::Compound { .. } => {
                    waiting.push((node, true));
                    waiting.extend(from.args(node).iter().map(|part| (*part, false)));
                    continue;
                }
                other => self.tree.push(other.clone(), span),
            };
            copies.insert(node, copied);
        }
        copies[&term]
    }
}
