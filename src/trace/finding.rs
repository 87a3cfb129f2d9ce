//! Findings: what was wrong with a trace, counted and listed while it was read.

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

/// The findings of a trace: all counted, the first ones kept.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    kept: Vec<Finding>,
    total: u64,
}

impl Findings {
    /// How many are kept.
    pub const LIMIT: usize = 10_000;

    /// These, of so many in all.
    pub(super) fn from_parts(kept: Vec<Finding>, total: u64) -> Option<Findings> {
        (kept.len() <= Findings::LIMIT && kept.len() as u64 <= total).then_some(Findings { kept, total })
    }

    pub(super) fn add(&mut self, finding: Finding) {
        self.total += 1;
        if self.kept.len() < Findings::LIMIT {
            self.kept.push(finding);
        }
    }

    /// Puts a finding about the whole trace before those that there are.
    pub(super) fn add_first(&mut self, finding: Finding) {
        self.total += 1;
        self.kept.insert(0, finding);
        self.kept.truncate(Findings::LIMIT);
    }

    /// The first of them, at most [`LIMIT`](Findings::LIMIT).
    pub fn kept(&self) -> &[Finding] {
        &self.kept
    }

    /// How many there are in all.
    pub fn total(&self) -> u64 {
        self.total
    }
}
