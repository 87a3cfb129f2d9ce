//! Consulting a script, and what else its clauses contain: assertions, `main`, likely mistakes.

use std::sync::Arc;

use super::check::Check;
use super::claims::doubtful_claims;
use super::clause_parts::args_of;
use super::clause_warnings::clause_warnings;
use super::rules::Rules;
use super::state::Session;
use crate::engine::{LoadReport, ScriptFile, Stopped};
use crate::syntax::diagnostic::{Diagnostic, Severity, Source};
use crate::syntax::{ReadTerm, Reader};
use crate::term::hash::HashMap;
use crate::term::letters::atom_text;
use crate::term::{Atom, Node, Tree};

/// A script that was consulted.
pub(crate) struct Consulted {
    /// What loading it has shown, with its clauses and directives.
    pub(crate) report: LoadReport,
    /// What stopped it before its end, if anything did.
    pub(crate) stop: Option<Stopped>,
    /// Whether its clauses have likely mistakes.
    pub(crate) is_doubtful: bool,
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
        self.scripts.push(Arc::clone(&script.source));
        let goal = format!("consult({})", atom_text(&script.path.to_string_lossy()));
        self.machine.world.scripts.grant(script.clone());
        let stop = self.solve_once(&goal).err();
        self.machine.world.scripts.withdraw_grant();
        let mut report = self.take_load_report();
        let mut is_doubtful = false;
        match stop {
            None => {
                let warnings = clause_warnings(&report.terms, &script.source);
                is_doubtful = !warnings.is_empty();
                report.diagnostics.extend(warnings);
            }
            Some(_) => report.terms.extend(self.terms_after(report.end, &script.source)),
        }
        Consulted { report, stop, is_doubtful, source: Arc::clone(&script.source) }
    }

    /// Whether a word is written in a script that was consulted, where its quotes may be written in other ways.
    pub(super) fn is_written(&self, word: &str) -> bool {
        let word = word.trim_matches(['\'', '"']);
        self.scripts.iter().any(|script| script.text.contains(word))
    }

    /// Whether a line of a script has a constant, and not another.
    pub(super) fn is_written_without(&self, constant: &str, other: &str) -> bool {
        let has =
            |line: &str, constant: &str| line.match_indices(constant).any(|(at, _)| stands_alone(line, at, constant));
        let lines = || self.scripts.iter().flat_map(|script| script.text.lines());
        lines().any(|line| has(line, constant) && !has(line, other))
    }

    /// The assertions of a script that was consulted.
    pub(crate) fn checks(&self, script: &Consulted) -> Vec<Check> {
        let terms = &script.report.terms;
        let rules = Arc::new(Rules::of(terms));
        let checks = terms.iter().filter_map(|term| self.check_of(term.clone(), &script.source));
        let mut lines: HashMap<String, usize> = HashMap::default();
        let with_rules = |check: Check| {
            let namesake = lines.insert(check.name.clone(), check.line);
            let namesake = namesake.map(|line| {
                let message = format!("another check has the same name, in line {line}");
                Diagnostic::warning(&check.source, check.goal.span, message)
            });
            let claims = doubtful_claims(&check.goal, self.operators(), &check.source);
            let errors = self.wrong_goals(&check.goal, check.goal.tree.root(), &check.source, &rules);
            let once = variables_that_occur_once(&check.goal, &check.source);
            let doubts = once.chain(namesake).chain(claims).chain(errors).collect();
            Check { rules: Arc::clone(&rules), doubts, ..check }
        };
        checks.map(with_rules).collect()
    }

    /// What is wrong, or probably a mistake, in a script that was consulted, and in its assertions, as far as it can be seen
    /// without a trace. That a variable occurs once was told when the script was read.
    pub(crate) fn probable_mistakes(&self, script: &Consulted, checks: &[Check]) -> Vec<Diagnostic> {
        let mut found = self.unknown_predicates(&script.report.terms, &script.source);
        found.extend(self.wrong_rules(&script.report.terms, &script.source));
        for check in checks {
            let n_told = variables_that_occur_once(&check.goal, &check.source).count();
            let doubts = check.doubts.iter().skip(n_told);
            found.extend(doubts.filter(|doubt| doubt.severity == Severity::Warning).cloned());
        }
        found.sort_by_key(|one| one.span.start);
        found
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

/// That a variable of an assertion occurs once: it is misspelt, or was meant as a name.
fn variables_that_occur_once(goal: &ReadTerm, source: &Arc<Source>) -> impl Iterator<Item = Diagnostic> {
    let once = goal.variables.iter().filter(|(name, .., n_times)| *n_times == 1 && !name.starts_with('_'));
    once.map(|(name, _, span, _)| {
        let message = format!("the variable `{name}` occurs only once, so that any value satisfies it");
        Diagnostic::warning(source, *span, message)
    })
}

/// Whether a constant in a line is not a part of a longer one.
fn stands_alone(line: &str, at: usize, constant: &str) -> bool {
    let (before, mut after) = (line[..at].chars().next_back(), line[at + constant.len()..].chars());
    let is_part = |c: char| c.is_alphanumeric() || "_\"'".contains(c);
    let goes_on = match after.next() {
        Some('.') => after.next().is_some_and(|c| c.is_ascii_digit()),
        next => next.is_some_and(is_part),
    };
    !goes_on && !before.is_some_and(|c| is_part(c) || c == '.')
}

fn is_initialization_of_main(tree: &Tree) -> bool {
    let directive = args_of(tree, tree.root(), ":-").and_then(|args| args.first());
    let goal = directive.and_then(|goal| args_of(tree, *goal, "initialization")).and_then(|args| args.first());
    goal.is_some_and(|goal| *tree.node(*goal) == Node::Atom(Atom::new("main")))
}
