//! The names of traces, of their folders and of columns.

use std::fmt::Write;
use std::path::Path;

use crate::term::hash::{HashMap, HashSet};

/// The names of the traces of a folder.
#[derive(Default)]
pub(super) struct TraceNames(HashSet<String>);

impl TraceNames {
    /// A name that no other trace has: that of its file, with a number if it is taken.
    pub(super) fn name(&mut self, path: &Path) -> String {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let numbered = (2_u64..).map(|number| format!("{name}.{number}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !self.0.contains(name));
        let free = free.expect("the numbers do not end");
        self.0.insert(free.clone());
        free
    }
}

/// A name as part of a path: other characters than letters, digits, `-`, `_` and `.` as `%` and two digits.
pub(super) fn folder_name(name: &str) -> String {
    let mut encoded = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => encoded.push(char::from(byte)),
            _ => write!(encoded, "%{byte:02X}").expect("a string takes all text"),
        }
    }
    encoded
}

/// The names of the columns of events, which differ in more than capitals.
pub(super) struct ColumnNames {
    of: HashMap<(String, &'static str), String>,
    taken: HashSet<String>,
}

impl Default for ColumnNames {
    fn default() -> ColumnNames {
        ColumnNames { of: HashMap::default(), taken: super::events::fixed_names().collect() }
    }
}

impl ColumnNames {
    /// The column of the values of one kind of an attribute: the first kind has the attribute's name, others have an
    /// ending.
    pub(super) fn name(&mut self, attribute: &str, ending: &'static str) -> String {
        // engines give a column without a name one of their own
        let attribute = if attribute.is_empty() { "_" } else { attribute };
        let key = (attribute.to_string(), ending);
        if let Some(name) = self.of.get(&key) {
            return name.clone();
        }
        let is_first = !self.of.keys().any(|(known, _)| known == attribute);
        let name = if is_first { attribute.to_string() } else { format!("{attribute}_{ending}") };
        let numbered = (2_u64..).map(|number| format!("{name}_{number}"));
        let mut candidates = std::iter::once(name.clone()).chain(numbered);
        let free = candidates.find(|name| !self.taken.contains(&name.to_lowercase())).expect("the numbers do not end");
        self.taken.insert(free.to_lowercase());
        self.of.insert(key, free.clone());
        free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_differ_in_more_than_capitals() {
        let mut names = ColumnNames::default();
        assert_eq!(names.name("answer", "int"), "answer");
        assert_eq!(names.name("answer", "text"), "answer_text");
        assert_eq!(names.name("Answer", "int"), "Answer_2");
        assert_eq!(names.name("arg1", "int"), "arg1_2");
        assert_eq!(names.name("answer", "int"), "answer");
        assert_eq!(names.name("", "int"), "_");
    }

    #[test]
    fn names_of_folders_have_no_separators() {
        assert_eq!(folder_name("a b/c=ü.trace"), "a%20b%2Fc%3D%C3%BC.trace");
        let mut names = TraceNames::default();
        let found = ["x/a", "y/a", "a"].map(|path| names.name(Path::new(path)));
        assert_eq!(found, ["a", "a.2", "a.3"]);
    }
}
