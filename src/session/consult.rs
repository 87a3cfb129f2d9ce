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
    /// What loading it has shown.
    pub(crate) report: LoadReport,
    /// What stopped it before its end, if anything did.
    pub(crate) stop: Option<Stopped>,
    source: Arc<Source>,
    /// Its clauses and directives, without those that have syntax errors.
    clauses: Vec<ReadTerm>,
}

impl Consulted {
    /// Whether it contains `:- initialization(main)`, so that consulting it has called `main/0`.
    pub(crate) fn runs_main(&self) -> bool {
        self.clauses.iter().any(|clause| is_initialization_of_main(&clause.tree))
    }
}

impl Session {
    /// Consults a script: adds its clauses and runs its directives.
    pub(crate) fn consult(&mut self, script: &ScriptFile) -> Consulted {
        let goal = format!("consult({})", atom_text(&script.path.to_string_lossy()));
        self.machine.world.scripts.grant(script.clone());
        let stop = self.solve_once(&goal).err();
        self.machine.world.scripts.withdraw_grant();
        let (mut report, clauses) = (self.take_load_report(), self.clauses_of(&script.source));
        if stop.is_none() {
            report.diagnostics.extend(clause_warnings(&clauses, &script.source));
        }
        Consulted { report, stop, source: Arc::clone(&script.source), clauses }
    }

    /// The assertions of a script that was consulted.
    pub(crate) fn checks(&self, script: &Consulted) -> Vec<Check> {
        let mut rules = Rules::default();
        script.clauses.iter().for_each(|clause| rules.add(clause.clone()));
        let rules = Arc::new(rules);
        let checks = script.clauses.iter().filter_map(|clause| self.check_of(clause.clone(), &script.source));
        checks.map(|check| Check { rules: Arc::clone(&rules), ..check }).collect()
    }

    /// The clauses of a text, read with the current operators and flags.
    fn clauses_of(&self, source: &Source) -> Vec<ReadTerm> {
        let goals = self.goals();
        let mut reader = Reader::new(&source.text);
        let read = std::iter::from_fn(|| reader.read(&goals.operators, &goals.flags).transpose());
        read.filter_map(Result::ok).collect()
    }
}

fn is_initialization_of_main(tree: &Tree) -> bool {
    let directive = args_of(tree, tree.root(), ":-").and_then(|args| args.first());
    let goal = directive.and_then(|goal| args_of(tree, *goal, "initialization")).and_then(|args| args.first());
    goal.is_some_and(|goal| *tree.node(*goal) == Node::Atom(Atom::new("main")))
}
