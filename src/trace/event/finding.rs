//! Findings: what is wrong with a trace, counted and listed while it is read, and how severe it is.

/// How severe a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum FindingSeverity {
    /// The trace breaks a rule of its format: a part of it was changed or is missing.
    Fault,
    /// The trace may be sound, but it reports less than it could, or something in it is suspicious.
    Warning,
    /// The trace is sound, but a reader of its events should know this.
    Note,
}

impl FindingSeverity {
    /// All severities, the most severe first.
    pub(crate) const ALL: [FindingSeverity; 3] =
        [FindingSeverity::Fault, FindingSeverity::Warning, FindingSeverity::Note];

    /// The word for it in outputs.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            FindingSeverity::Fault => "fault",
            FindingSeverity::Warning => "warning",
            FindingSeverity::Note => "note",
        }
    }
}

/// The rule of findings about the file as a whole, such as packed data that break off.
pub(crate) const INPUT: &str = "input";

/// Something wrong with a trace, under the rule of its format that it breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// Name of the rule, such as `M1`.
    pub(crate) rule: &'static str,
    /// How severe it is; the format of the trace says so for each of its rules.
    pub(crate) severity: FindingSeverity,
    /// Number of the event, if the finding is about one.
    pub(crate) chrono: Option<i64>,
    /// Line in the file, from 1.
    pub(crate) line: Option<u64>,
    /// What is wrong.
    pub(crate) message: String,
}

/// The findings of a trace: all are counted, the first ones of each severity are kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    kept: Vec<Finding>,
    /// How many findings there are of each severity.
    totals: [u64; FindingSeverity::ALL.len()],
}

impl Findings {
    /// How many findings are kept of each severity.
    pub(crate) const LIMIT: usize = 10_000;

    /// The kept findings with the totals of each severity; none if they contradict each other.
    pub(crate) fn from_parts(kept: Vec<Finding>, totals: [u64; FindingSeverity::ALL.len()]) -> Option<Findings> {
        let is_right = |severity: FindingSeverity| {
            let n_kept = kept.iter().filter(|finding| finding.severity == severity).count();
            n_kept <= Findings::LIMIT && n_kept as u64 <= totals[severity as usize]
        };
        FindingSeverity::ALL.into_iter().all(is_right).then_some(Findings { kept, totals })
    }

    /// Whether another finding of a severity is kept, or only counted.
    pub(crate) fn keeps(&self, severity: FindingSeverity) -> bool {
        self.count(severity) < Findings::LIMIT as u64
    }

    pub(crate) fn add(&mut self, finding: Finding) {
        let severity = finding.severity;
        if self.keeps(severity) {
            self.kept.push(finding);
        }
        self.totals[severity as usize] += 1;
    }

    /// Puts a finding about the whole trace before the others.
    pub(crate) fn add_first(&mut self, finding: Finding) {
        let severity = finding.severity;
        if !self.keeps(severity)
            && let Some(last) = self.kept.iter().rposition(|kept| kept.severity == severity)
        {
            self.kept.remove(last);
        }
        self.totals[severity as usize] += 1;
        self.kept.insert(0, finding);
    }

    /// These findings, and one more if there is one.
    pub(crate) fn and(&self, finding: Option<Finding>) -> Findings {
        let mut findings = self.clone();
        finding.into_iter().for_each(|finding| findings.add(finding));
        findings
    }

    /// The first findings of each severity, at most [`LIMIT`](Findings::LIMIT), in the order in which they were added.
    pub(crate) fn kept(&self) -> &[Finding] {
        &self.kept
    }

    /// The number of findings of a severity.
    pub(crate) fn count(&self, severity: FindingSeverity) -> u64 {
        self.totals[severity as usize]
    }

    /// The number of findings.
    pub(crate) fn total(&self) -> u64 {
        self.totals.iter().sum()
    }

    /// The number of faults and warnings: of the findings that a user should see.
    pub(crate) fn n_serious(&self) -> u64 {
        self.count(FindingSeverity::Fault) + self.count(FindingSeverity::Warning)
    }

    /// The first fault; without faults the first warning.
    pub(crate) fn most_severe(&self) -> Option<&Finding> {
        let first = |severity: FindingSeverity| self.kept.iter().find(|finding| finding.severity == severity);
        first(FindingSeverity::Fault).or_else(|| first(FindingSeverity::Warning))
    }
}
