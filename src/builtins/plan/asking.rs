//! Whether goals only ask the trace: then a session in which they were solved is as good as new for the next trace.

use std::rc::Rc;

use crate::builtins::effects::{Argument, KnownPredicate, effect};
use crate::builtins::library;
use crate::engine::Effect;
use crate::syntax::{ReadFlags, Reader};
use crate::term::hash::HashSet;
use crate::term::ops::OpTable;
use crate::term::{Atom, Node, NodeId, Tree, atoms};

/// A predicate by name and number of arguments.
type Predicate = (Atom, usize);

/// Whether the clauses of scripts, their goals and a goal besides change nothing in a session but the predicates that the
/// scripts define: there are no directives, declarations and grammar rules, and each goal is a call of one of these
/// predicates, of one in Rust that [only asks](Effect::only_asks), or of one of the library whose clauses do no more.
pub(crate) fn only_ask<'t>(clauses: impl Iterator<Item = &'t Tree>, goal: Option<&Tree>) -> bool {
    let mut walk = AskingWalk::default();
    goal.into_iter().for_each(|goal| walk.add(goal.clone(), goal.root(), Author::Script));
    for clause in clauses {
        let Some((name, arity)) = predicate(clause, head(clause)).filter(|found| is_definition(*found)) else {
            return false;
        };
        walk.defined.insert((name, arity));
        walk.add_clause(clause.clone(), Author::Script);
    }
    walk.only_asks()
}

/// Whether a clause with such a head defines a predicate.
fn is_definition((name, arity): Predicate) -> bool {
    !matches!((name, arity), (atoms::NECK | atoms::QUERY, 1) | (atoms::DCG_ARROW, 2))
        && effect(name, arity) != Effect::Declares
}

fn head(clause: &Tree) -> NodeId {
    if body(clause).is_some() { clause.args(clause.root())[0] } else { clause.root() }
}

/// The body of a clause that is no fact.
fn body(clause: &Tree) -> Option<NodeId> {
    (clause.functor(clause.root()) == Some((atoms::NECK, 2))).then(|| clause.args(clause.root())[1])
}

/// The predicate that a goal calls.
fn predicate(tree: &Tree, goal: NodeId) -> Option<Predicate> {
    match tree.node(goal) {
        Node::Atom(name) => Some((*name, 0)),
        _ => tree.functor(goal),
    }
}

/// Who wrote a clause: one of the library does not see the predicates of scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Author {
    Script,
    Library,
}

/// A goal of a clause.
struct WalkedGoal {
    clause: Rc<Tree>,
    author: Author,
    goal: NodeId,
    /// The arguments that it gets besides its own.
    n_more: usize,
}

/// A walk over the goals that clauses call.
#[derive(Default)]
struct AskingWalk {
    /// The predicates of scripts.
    defined: HashSet<Predicate>,
    /// The predicates of the library whose clauses were added.
    entered: HashSet<Predicate>,
    waiting: Vec<WalkedGoal>,
}

impl AskingWalk {
    fn add_clause(&mut self, clause: Tree, author: Author) {
        if let Some(goal) = body(&clause) {
            self.add(clause, goal, author);
        }
    }

    fn add(&mut self, clause: Tree, goal: NodeId, author: Author) {
        self.waiting.push(WalkedGoal { clause: Rc::new(clause), author, goal, n_more: 0 });
    }

    fn only_asks(&mut self) -> bool {
        while let Some(walked) = self.waiting.pop() {
            if self.enter(&walked).is_none() {
                return false;
            }
        }
        true
    }

    /// Adds the goals that a goal calls; none if it may change something.
    fn enter(&mut self, walked: &WalkedGoal) -> Option<()> {
        let WalkedGoal { clause, author, goal, n_more } = walked;
        let (name, n_own) = predicate(clause, *goal)?;
        let called = (name, n_own + n_more);
        if *author == Author::Script && self.defined.contains(&called) {
            return Some(());
        }
        match KnownPredicate::of(called.0, called.1) {
            Some(known) if known.effect.only_asks() => self.enter_arguments(walked, &known),
            // what its clauses call is no more than what they name
            _ if self.entered.insert(called) => self.enter_library(called),
            _ => Some(()),
        }
    }

    fn enter_arguments(&mut self, walked: &WalkedGoal, known: &KnownPredicate) -> Option<()> {
        let WalkedGoal { clause, author, goal, .. } = walked;
        for (index, argument) in known.arguments.iter().enumerate() {
            let given = || clause.args(*goal).get(index).copied();
            let (goal, n_more) = match argument {
                Argument::Term(_) => continue,
                Argument::TakenApart => return None,
                Argument::Goal(n_more) => (given()?, usize::from(*n_more)),
                Argument::Quantified => (unquantified(clause, given()?), 0),
            };
            self.waiting.push(WalkedGoal { clause: Rc::clone(clause), author: *author, goal, n_more });
        }
        Some(())
    }

    fn enter_library(&mut self, (name, arity): Predicate) -> Option<()> {
        let mut reader = Reader::new(library::clauses_of(name.as_str(), arity)?);
        while let Some(read) = reader.read(&OpTable::standard(), &ReadFlags::default()).ok()? {
            self.add_clause(read.tree, Author::Library);
        }
        Some(())
    }
}

/// The goal of `Variables^Goal`.
fn unquantified(tree: &Tree, mut goal: NodeId) -> NodeId {
    while tree.functor(goal) == Some((Atom::new("^"), 2)) {
        goal = tree.args(goal)[1];
    }
    goal
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(script: &str) -> bool {
        let (operators, flags, mut reader) = (OpTable::standard(), ReadFlags::default(), Reader::new(script));
        let terms = std::iter::from_fn(|| reader.read(&operators, &flags).expect("the script is right"));
        let clauses: Vec<Tree> = terms.map(|term| term.tree).collect();
        only_ask(clauses.iter(), None)
    }

    #[test]
    fn a_goal_asks_with_the_rules_of_scripts() {
        let (operators, flags) = (OpTable::standard(), ReadFlags::default());
        let read =
            |text: &str| Reader::new(text).read(&operators, &flags).expect("it is right").expect("it is there").tree;
        let rule = read("slow(N) :- event([name=N, depth > 3]).");
        let asks = |goal: &str| only_ask([&rule].into_iter(), Some(&read(goal)));
        assert!(asks("slow(N), tally(N, slow(N), Ns), write(Ns).") && asks("fget([name=p])."));
        assert!(!asks("slow(N), assertz(seen(N)).") && !asks("quick(N).") && !asks("G."));
    }

    #[test]
    fn searches_moves_the_vocabulary_and_control_only_ask() {
        for script in [
            "",
            "check(a) :- never([port=exception]).",
            "check(a) :- forall(event([port=call, call=C]), (event([call=C, port=exit]) ; \\+ open_call(C))).",
            "check(a) :- fget([name=p]), current(depth=D), D < 3, !, findall(X, q(X), L), maplist(r(1), L).
             q(1). q(2). r(X, Y) :- X =< Y.",
            "check(a) :- bagof(N, D^event([name=N, depth=D]), Ns), length(Ns, 3), every_call_ends.",
            "check(a) :- a_predicate_of_mine. a_predicate_of_mine :- parent(C, D), call_start(C, D), finding(fault, _, _, _).",
        ] {
            assert!(asks(script), "{script}");
        }
    }

    #[test]
    fn whatever_else_may_change_something() {
        for script in [
            ":- dynamic(seen/1).",
            "a --> b.",
            "derived_trace(few, [name], fget([name=p])).",
            "check(a) :- assertz(seen(1)).",
            "check(a) :- never([port=exit]), (true ; \\+ \\+ nb_setval(k, 1)).",
            "check(a) :- maplist(assertz, [a, b]).",
            "check(a) :- call(G).",
            "check(a) :- G.",
            "check(a) :- foldl(call, [assertz(a)], 1, _).",
            "check(a) :- no_such_predicate.",
            "check(a) :- p. p :- set_prolog_flag(double_quotes, codes).",
            "check(a) :- in_trace(2, never([port=exit])).",
            "check(a) :- consult('other.pl').",
            "check(a) :- 1.",
        ] {
            assert!(!asks(script), "{script}");
        }
    }
}
