//! The variables that `print *` shows, a line each.

use crate::formats::morphine::brackets;
use crate::trace::top_level_comma;

/// What each line of a variable begins with.
const INDENT: &str = "       ";

/// A variable with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// `Data`, without what stands in parentheses behind it.
    pub name: String,
    /// Which argument it is, from 1.
    pub argument: Option<usize>,
    /// The text of its value.
    pub value: String,
}

/// `       Data (arg 1)           \t[1, 2, 3]`
pub fn read(line: &str) -> Option<Variable> {
    let (label, value) = line.strip_prefix(INDENT)?.split_once('\t')?;
    let label = label.trim_end();
    let (name, role) = match label.strip_suffix(')').and_then(|label| label.split_once(" (")) {
        Some((name, role)) => (name, Some(role)),
        None => (label, None),
    };
    let is_name = !name.is_empty() && !name.contains(' ');
    let argument = match role {
        Some(role) => role.strip_prefix("arg ").and_then(|number| number.parse().ok()),
        None => name.strip_prefix("HeadVar__").and_then(|number| number.parse().ok()),
    };
    is_name.then(|| Variable { name: name.to_owned(), argument, value: value.trim_end().to_owned() })
}

/// The variables as the text of a list of `live_var(Name, Value, Type)`; the type is not told.
pub fn list(variables: &[Variable]) -> String {
    let term = |one: &Variable| format!("live_var({}, {}, \"\")", string(&one.name), term(&one.value));
    let terms: Vec<String> = variables.iter().map(term).collect();
    format!("[{}]", terms.join(", "))
}

/// A value as it can stand in an argument: as a string if its brackets do not match or it is cut.
pub fn term(value: &str) -> String {
    let is_one = brackets::are_balanced(value) && top_level_comma(value).is_none() && !value.contains("...");
    if is_one && !value.trim().is_empty() { value.to_owned() } else { string(value) }
}

fn string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_a_variable_and_its_value() {
        let read = |line: &str| read(line).map(|one| (one.name, one.argument, one.value));
        let expected = |name: &str, argument, value: &str| Some((name.to_owned(), argument, value.to_owned()));
        assert_eq!(read("       Data (arg 1)           \t[1, 2]"), expected("Data", Some(1), "[1, 2]"));
        assert_eq!(read("       HeadVar__2             \t'z'"), expected("HeadVar__2", Some(2), "'z'"));
        assert_eq!(read("       arg_list (attr 3, HeadVar__3)\t[2]"), expected("arg_list", None, "[2]"));
        assert_eq!(read("        1 Data (arg 1)"), None);
        assert_eq!(read("mdb: there are no live variables."), None);
    }
}
