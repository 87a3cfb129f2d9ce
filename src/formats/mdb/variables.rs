//! The variables that `print *` shows, one per line.

use crate::formats::mercury::local_vars;

/// The beginning of each line of a variable.
const INDENT: &str = "       ";

/// A variable with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PrintedVariable {
    /// `Data`, without the parentheses after it.
    pub(crate) name: String,
    /// The number of the argument that it is, from 1.
    pub(crate) argument: Option<usize>,
    /// The text of its value.
    pub(crate) value: String,
}

/// `       Data (arg 1)           \t[1, 2, 3]`
pub(crate) fn read(line: &str) -> Option<PrintedVariable> {
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
    is_name.then(|| PrintedVariable { name: name.to_owned(), argument, value: value.trim_end().to_owned() })
}

/// `\t"q oops" - [1, 2]`, as `print exception` shows it.
pub(crate) fn exception(line: &str) -> Option<&str> {
    line.strip_prefix('\t').map(str::trim_end)
}

/// The variables as the text of a list of `live_var(Name, Value, Type)`; no type is known.
pub(crate) fn list(variables: &[PrintedVariable]) -> String {
    let term = |one: &PrintedVariable| {
        format!("live_var({}, {}, {})", string(&one.name), term(&one.value), local_vars::NO_TYPE)
    };
    let terms: Vec<String> = variables.iter().map(term).collect();
    format!("[{}]", terms.join(", "))
}

/// A value that can be an argument; none if it is truncated or not a term.
pub(crate) fn readable(value: &str) -> Option<String> {
    if value.contains("...") { None } else { local_vars::readable(value) }
}

/// A value that can be an argument: a string if it is not a term.
pub(crate) fn term(value: &str) -> String {
    readable(value).unwrap_or_else(|| string(value))
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

    #[test]
    fn a_value_that_is_no_term_is_a_string_by_itself() {
        let values = ["[1, 2]", "list.list(int)", "2-[|]/2", "f(...)", "a :- b", "x, y", "it.", "a % b"];
        let terms: Vec<String> = values.iter().map(|value| term(value)).collect();
        let expected = [
            "[1, 2]",
            "\"list.list(int)\"",
            "\"2-[|]/2\"",
            "\"f(...)\"",
            "(a :- b)",
            "\"x, y\"",
            "\"it.\"",
            "\"a % b\"",
        ];
        assert_eq!(terms, expected);
    }
}
