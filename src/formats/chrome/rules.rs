//! The integrity rules C1 to C9, and what is known of the completeness of a file.

use crate::trace::{FindingSeverity, TraceBuilder};

/// The rules whose findings are not faults.
pub(super) const SEVERITIES: &[(&str, FindingSeverity)] = &[
    // recordings begin in the middle of a run
    ("C5", FindingSeverity::Note),
    ("C7", FindingSeverity::Note),
    ("unterminated", FindingSeverity::Note),
    ("trailing", FindingSeverity::Note),
    ("overflow", FindingSeverity::Warning),
];

/// Findings, in the order of the lines.
#[derive(Default)]
pub(super) struct RuleFindings {
    found: Vec<(u64, &'static str, String)>,
}

impl RuleFindings {
    pub(super) fn add(&mut self, rule: &'static str, line: u64, message: String) {
        self.found.push((line, rule, message));
    }

    /// Hands all findings to the builder.
    pub(super) fn report(mut self, builder: &mut TraceBuilder) {
        self.found.sort_by_key(|(line, ..)| *line);
        for (line, rule, message) in self.found {
            builder.finding(rule, None, Some(line), message);
        }
    }
}
