//! The rules J1 to J8 of lines and boxes.

use crate::formats::json::scanner::JsonError;
use crate::trace::FindingSeverity;

/// The rules whose findings are not faults.
pub(crate) const SEVERITIES: &[(&str, FindingSeverity)] = &[
    // loggers take the time before they take their lock
    ("J8", FindingSeverity::Note),
];

/// Letters of a value that are shown in a message.
const MOST_SHOWN: usize = 40;

/// The beginning of a text, for a message.
pub(crate) fn shown(text: &str) -> String {
    let short: String = text.chars().take(MOST_SHOWN).collect();
    if short.len() < text.len() { format!("`{short}...`") } else { format!("`{short}`") }
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
