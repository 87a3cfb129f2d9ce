//! The outcomes of each check on all traces together, for `check --total`.

use indexmap::IndexMap;

use super::{ReportEntry, json, n_traces};
use crate::session::Verdict;

/// The outcomes so far. They grow with the checks, not with the traces.
#[derive(Default)]
pub(super) struct CheckTotals {
    /// By place and name, in the order of the first trace.
    checks: IndexMap<(String, usize, usize, String), CheckTotal>,
    /// Of those that have outcomes.
    pub(super) n_traces: usize,
    is_new_trace: bool,
}

/// The outcomes of one check.
pub(super) struct CheckTotal {
    pub(super) name: String,
    pub(super) script: String,
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) n_traces: usize,
    /// How many of the traces on which it holds have nothing to check.
    pub(super) n_vacuous: usize,
    pub(super) n_violated: usize,
    pub(super) n_errors: usize,
    /// The outcome that says most: the first of its weight.
    telling: Option<TellingOutcome>,
}

/// An outcome with an explanation.
pub(super) struct TellingOutcome {
    weight: Weight,
    pub(super) path: String,
    pub(super) message: String,
    pub(super) warning: String,
    /// As [`ReportEntry::lines`] gives them.
    pub(super) lines: Vec<String>,
    /// The line of JSON about it.
    pub(super) json: String,
}

/// How much an outcome says about all traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    Vacuous,
    Doubtful,
    Failing,
}

impl Weight {
    /// None if the check simply holds.
    fn of(entry: &ReportEntry) -> Option<Weight> {
        match entry.outcome.verdict {
            Verdict::Violated | Verdict::Error => Some(Weight::Failing),
            Verdict::Holds if entry.outcome.warning.is_some() => Some(Weight::Doubtful),
            Verdict::Holds => entry.outcome.vacuous.then_some(Weight::Vacuous),
        }
    }
}

impl CheckTotals {
    /// The outcomes that follow are about another trace.
    pub(super) fn next_trace(&mut self) {
        self.is_new_trace = true;
    }

    /// Adds an outcome.
    pub(super) fn add(&mut self, entry: &ReportEntry) {
        self.n_traces += usize::from(std::mem::take(&mut self.is_new_trace));
        let check = &entry.check;
        let key = (check.script.clone(), check.line, check.column, check.name.clone());
        self.checks.entry(key).or_insert_with(|| CheckTotal::of(entry)).add(entry);
    }

    pub(super) fn take(&mut self) -> impl Iterator<Item = CheckTotal> + use<> {
        std::mem::take(&mut self.checks).into_values()
    }
}

impl CheckTotal {
    /// Of no traces.
    fn of(entry: &ReportEntry) -> CheckTotal {
        let check = &entry.check;
        CheckTotal {
            name: check.name.clone(),
            script: check.script.clone(),
            line: check.line,
            column: check.column,
            n_traces: 0,
            n_vacuous: 0,
            n_violated: 0,
            n_errors: 0,
            telling: None,
        }
    }

    fn add(&mut self, entry: &ReportEntry) {
        self.n_traces += 1;
        match entry.outcome.verdict {
            Verdict::Holds => self.n_vacuous += usize::from(entry.outcome.vacuous),
            Verdict::Violated => self.n_violated += 1,
            Verdict::Error => self.n_errors += 1,
        }
        let weight = Weight::of(entry);
        if weight > self.telling.as_ref().map(|telling| telling.weight)
            && let Some(weight) = weight
        {
            self.telling = Some(TellingOutcome {
                weight,
                path: entry.path(),
                message: entry.outcome.message.clone(),
                warning: entry.outcome.warning.clone().unwrap_or_default(),
                lines: entry.lines(),
                json: json::line(entry),
            });
        }
    }

    pub(super) fn n_holds(&self) -> usize {
        self.n_traces - self.n_violated - self.n_errors
    }

    /// An error on one trace is one on all.
    pub(super) fn verdict(&self) -> Verdict {
        match (self.n_errors, self.n_violated) {
            (0, 0) => Verdict::Holds,
            (0, _) => Verdict::Violated,
            _ => Verdict::Error,
        }
    }

    pub(super) fn is_vacuous(&self) -> bool {
        self.n_vacuous == self.n_traces
    }

    /// `holds`, `violated`, `error` or `vacuous`.
    pub(super) fn word(&self) -> &'static str {
        if self.is_vacuous() { "vacuous" } else { self.verdict().word() }
    }

    /// `rules.pl:3:1`
    pub(super) fn place(&self) -> String {
        format!("{}:{}:{}", self.script, self.line, self.column)
    }

    /// The first outcome that is violated or in error.
    pub(super) fn first_failing(&self) -> Option<&TellingOutcome> {
        self.telling.as_ref().filter(|telling| telling.weight == Weight::Failing)
    }

    /// The first outcome that holds but should not be trusted, if all hold.
    pub(super) fn first_doubtful(&self) -> Option<&TellingOutcome> {
        self.telling.as_ref().filter(|telling| telling.weight == Weight::Doubtful)
    }

    /// `3 traces, 1 vacuous`; `3 traces, 2 violated, first in b.trace`
    pub(super) fn spread(&self) -> String {
        // that all are vacuous is told by the word
        let n_vacuous = if self.is_vacuous() { 0 } else { self.n_vacuous };
        let counts = [(self.n_violated, "violated"), (self.n_errors, "with errors"), (n_vacuous, "vacuous")];
        let counts: String = counts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!(", {n} {word}")).collect();
        let first = self.first_failing().map_or(String::new(), |first| format!(", first in {}", first.path));
        format!("{}{counts}{first}", n_traces(self.n_traces))
    }

    /// The spread over the traces, and the explanation of the outcome that says most.
    pub(super) fn lines(&self) -> Vec<String> {
        let is_told = |telling: &&TellingOutcome| telling.weight > Weight::Vacuous || self.is_vacuous();
        let told = self.telling.as_ref().filter(is_told);
        let lines = told.into_iter().flat_map(|telling| {
            let place =
                (telling.weight == Weight::Doubtful && self.n_traces > 1).then(|| format!("in {}", telling.path));
            place.into_iter().chain(telling.lines.iter().cloned())
        });
        std::iter::once(self.spread()).chain(lines).collect()
    }
}
