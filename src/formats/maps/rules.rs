//! The rules of lines and boxes.

use crate::formats::json::scanner::{JsonError, JsonScanner};
use crate::trace::FindingSeverity;

/// The rules whose findings are not faults.
pub(crate) const SEVERITIES: &[(&str, FindingSeverity)] = &[
    // loggers take the time before they take their lock
    ("J8", FindingSeverity::Note),
    // builds and cached tests of go have no times
    ("untimed", FindingSeverity::Warning),
    ("output", FindingSeverity::Warning),
];

/// Letters of a value that are shown in a message.
const MOST_SHOWN: usize = 40;

/// The beginning of a text, for a message.
pub(crate) fn shown(text: &str) -> String {
    let short: String = text.chars().take(MOST_SHOWN).collect();
    if short.len() < text.len() { format!("`{short}...`") } else { format!("`{short}`") }
}

/// Whether a line that is no object was never meant to be one: another program printed it into the log.
pub(crate) fn is_output(line: &str) -> bool {
    let line = line.trim();
    let is_array = || line.starts_with('[') && JsonScanner::new(line).skip().is_ok();
    !line.starts_with('{') && !line.ends_with('}') && !line.contains("\":") && !is_array()
}

/// What is wrong with a line that is no object.
pub(crate) fn no_object(line: &str, error: JsonError) -> String {
    let at = line.floor_char_boundary(error.at);
    let column = line[..at].chars().count() + 1;
    match &line[at..] {
        "" => format!("column {column}: expected a JSON object, but the line ends inside of it"),
        rest => format!("column {column}: expected {} in a JSON object, found {}", error.expected, shown(rest)),
    }
}
