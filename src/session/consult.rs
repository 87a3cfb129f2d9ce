//! Consulting a script, and what else its clauses contain: assertions, `main`, likely mistakes.

use std::sync::Arc;

use super::check::Check;
use super::clause_parts::args_of;
use super::clause_warnings::clause_warnings;
use super::rules::Rules;
use super::state::Session;
use crate::engine::{LoadReport, ScriptFile, Stopped};
use crate::syntax::diagnostic::Source;
use crate::syntax::{ReadTerm, Reader};
use crate::term::letters::atom_text;
use crate::term::{Atom, Node, Tree};

/// A script that was consulted.
pub(crate) struct Consulted {
    /// What loading it has shown, with its clauses and directives.
    pub(crate) report: LoadReport,
    /// What stopped it before its end, if anything did.
    pub(crate) stop: Option<Stopped>,
    source: Arc<Source>,
}

impl Consulted {
    /// Whether it contains `:- initialization(main)`, so that consulting it has called `main/0`.
    pub(crate) fn runs_main(&self) -> bool {
        self.report.terms.iter().any(|term| is_initialization_of_main(&term.tree))
    }
}

impl Session {
    /// Consults a script: adds its clauses and runs its directives.
    pub(crate) fn consult(&mut self, script: &ScriptFile) -> Consulted {
        let goal = format!("consult({})", atom_text(&script.path.to_string_lossy()));
        self.machine.world.scripts.grant(script.clone());
        let stop = self.solve_once(&goal).err();
        self.machine.world.scripts.withdraw_grant();
        let mut report = self.take_load_report();
        match stop {
            None => report.diagnostics.extend(clause_warnings(&report.terms, &script.source)),
            Some(_) => report.terms.extend(self.terms_after(report.end, &script.source)),
        }
        Consulted { report, stop, source: Arc::clone(&script.source) }
    }

    /// The assertions of a script that was consulted.
    pub(crate) fn checks(&self, script: &Consulted) -> Vec<Check> {
        let terms = &script.report.terms;
        let mut rules = Rules::default();
        terms.iter().for_each(|term| rules.add(term.clone()));
        let rules = Arc::new(rules);
        let checks = terms.iter().filter_map(|term| self.check_of(term.clone(), &script.source));
        checks.map(|check| Check { rules: Arc::clone(&rules), ..check }).collect()
    }

    /// The terms that a script would have had after it was stopped: its assertions are checked all the same.
    fn terms_after(&self, end: usize, source: &Source) -> Vec<ReadTerm> {
        let goals = self.goals();
        let mut reader = Reader::new(&source.text);
        reader.set_position(end);
        let read = std::iter::from_fn(|| reader.read(&goals.operators, &goals.flags).transpose());
        read.filter_map(Result::ok).collect()
    }
}

fn is_initialization_of_main(tree: &Tree) -> bool {
    let directive = args_of(tree, tree.root(), ":-").and_then(|args| args.first());
    let goal = directive.and_then(|goal| args_of(tree, *goal, "initialization")).and_then(|args| args.first());
    goal.is_some_and(|goal| *tree.node(*goal) == Node::Atom(Atom::new("main")))
}
