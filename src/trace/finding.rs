//! Findings: what was wrong with a trace, counted and listed while it was read, and how grave it is.

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The trace breaks a rule of its format: something in it is not as it was written, or is missing.
    Fault,
    /// The trace may be sound, but it says less than it could, or something in it is suspicious.
    Warning,
    /// The trace is sound, and has something that a reader of its events should know.
    Note,
}

impl Severity {
    /// All of them, the gravest first.
    pub const ALL: [Severity; 3] = [Severity::Fault, Severity::Warning, Severity::Note];

    /// The word that the outputs use.
    pub const fn word(self) -> &'static str {
        match self {
            Severity::Fault => "fault",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }

    /// The severity of the findings of a rule.
    pub fn of(rule: &str) -> Severity {
        LESSER.iter().find(|(name, _)| *name == rule).map_or(Severity::Fault, |(_, severity)| *severity)
    }
}

/// The rules whose findings are no faults; all others are.
const LESSER: &[(&str, Severity)] = &[
    // calls that show other arguments than their exits
    ("J4", Severity::Warning),
    // a part of a trace may begin and end inside of boxes
    ("B1", Severity::Warning),
    ("B2", Severity::Warning),
    // numbers in a transcript that test suites have put in for the real ones
    ("D2", Severity::Warning),
    // lines between the events that were written by the traced program
    ("output", Severity::Warning),
    // the writer's table of events was full: the run goes on without them
    ("full", Severity::Warning),
    // the log of another node is missing, or a log was cut
    ("sends", Severity::Warning),
    // the log was recorded without the flag `send`
    ("no_sends", Severity::Note),
    // reset_trace has set all counters to 0
    ("reset", Severity::Note),
    // VisAndOr: what writers are asked to avoid, and some cannot
    ("V13", Severity::Warning),
    ("V14", Severity::Warning),
    ("V15", Severity::Warning),
    ("V16", Severity::Warning),
    ("excerpt", Severity::Warning),
    // texts that are no terms, and so are strings
    ("T1", Severity::Warning),
    ("same_time", Severity::Note),
];

/// Something wrong in a trace, under the rule of its format that it breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Name of the rule, such as `M1`.
    pub rule: &'static str,
    /// Number of the event, if it is one.
    pub chrono: Option<i64>,
    /// Line in the file, from 1.
    pub line: Option<u64>,
    /// What is wrong.
    pub message: String,
}

impl Finding {
    /// How grave it is, as its rule says.
    pub fn severity(&self) -> Severity {
        Severity::of(self.rule)
    }
}

/// The findings of a trace: all counted, the first ones of each severity kept.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    kept: Vec<Finding>,
    /// How many there are of each severity.
    totals: [u64; Severity::ALL.len()],
}

impl Findings {
    /// How many are kept of each severity.
    pub const LIMIT: usize = 10_000;

    /// These, of so many of each severity in all.
    pub(super) fn from_parts(kept: Vec<Finding>, totals: [u64; Severity::ALL.len()]) -> Option<Findings> {
        let is_right = |severity: Severity| {
            let n_kept = kept.iter().filter(|finding| finding.severity() == severity).count();
            n_kept <= Findings::LIMIT && n_kept as u64 <= totals[severity as usize]
        };
        Severity::ALL.into_iter().all(is_right).then_some(Findings { kept, totals })
    }

    /// Whether a further finding of a severity is kept, and not only counted.
    pub(super) fn keeps(&self, severity: Severity) -> bool {
        self.count(severity) < Findings::LIMIT as u64
    }

    pub(super) fn add(&mut self, finding: Finding) {
        let severity = finding.severity();
        if self.keeps(severity) {
            self.kept.push(finding);
        }
        self.totals[severity as usize] += 1;
    }

    /// Puts a finding about the whole trace before those that there are.
    pub(super) fn add_first(&mut self, finding: Finding) {
        let severity = finding.severity();
        if !self.keeps(severity)
            && let Some(last) = self.kept.iter().rposition(|kept| kept.severity() == severity)
        {
            self.kept.remove(last);
        }
        self.totals[severity as usize] += 1;
        self.kept.insert(0, finding);
    }

    /// These, and one more if there is one.
    pub fn and(&self, finding: Option<Finding>) -> Findings {
        let mut findings = self.clone();
        finding.into_iter().for_each(|finding| findings.add(finding));
        findings
    }

    /// The first of each severity, at most [`LIMIT`](Findings::LIMIT), in the order in which they were met.
    pub fn kept(&self) -> &[Finding] {
        &self.kept
    }

    /// How many there are of a severity.
    pub fn count(&self, severity: Severity) -> u64 {
        self.totals[severity as usize]
    }

    /// How many there are in all.
    pub fn total(&self) -> u64 {
        self.totals.iter().sum()
    }

    /// How many faults and warnings there are: what should not pass without a word.
    pub fn n_serious(&self) -> u64 {
        self.count(Severity::Fault) + self.count(Severity::Warning)
    }

    /// The first fault; if there is none the first warning.
    pub fn gravest(&self) -> Option<&Finding> {
        let first = |severity: Severity| self.kept.iter().find(|finding| finding.severity() == severity);
        first(Severity::Fault).or_else(|| first(Severity::Warning))
    }
}
