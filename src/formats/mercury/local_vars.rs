//! The block of live variables that are not arguments, which Morphine prints below an event line.
//!
//! ```text
//! Non-argument live variables:
//!     X = [1, 2] {list__list(int)}
//! ```

use crate::formats::lines::Lines;
use crate::formats::lines::text;
use crate::syntax::is_term;
use crate::trace::{ArgTexts, top_level_comma};

use super::types;

/// The first line of the block.
pub(crate) const HEADING: &[u8] = b"Non-argument live variables:";

/// The first byte of each line below it.
pub(crate) const INDENT: u8 = b'\t';

/// Reads the block that begins with the next line, as the text of a list of `live_var(Name, Value, Type)`.
pub(crate) fn read(lines: &mut Lines) -> String {
    let mut variables = Vec::new();
    if lines.next_line().is_none() {
        return "[]".to_owned();
    }
    while lines.next_starts_with(&[INDENT]) {
        let Some(line) = lines.next_line() else { break };
        variables.push(variable(&text::visible(line.bytes)));
    }
    format!("[{}]", variables.join(", "))
}

/// The type of a variable that is not known.
pub(crate) const NO_TYPE: &str = "-";

/// `Name = Value {Type}` as a term; a missing name or value is empty.
fn variable(line: &str) -> String {
    let (name, rest) = line.trim().split_once(" = ").unwrap_or((line.trim(), ""));
    let body = rest.trim_end().strip_suffix('}').and_then(|body| body.rsplit_once(" {"));
    let (value, kind) = body.map_or((rest, String::new()), |(value, kind)| (value, types::read_type(kind)));
    let value = readable(value).unwrap_or_else(|| string(value));
    format!("live_var({}, {value}, {})", string(name), type_term(&kind))
}

/// A type that can be an argument: `-` if it is not known, a string if it is not a term.
fn type_term(kind: &str) -> String {
    match kind {
        "" => NO_TYPE.to_owned(),
        _ => readable(kind).unwrap_or_else(|| string(kind)),
    }
}

/// A value that can be an argument; none if it is not a term.
pub(crate) fn readable(value: &str) -> Option<String> {
    if top_level_comma(value).is_some() || !is_term(value) {
        return None;
    }
    // a term whose operator has too high a priority for an argument needs parentheses
    [value.to_owned(), format!("({value})")].into_iter().find(|text| is_term(&format!("[{text}]")))
}

fn string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

/// A variable of the block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LocalVar {
    /// Its name.
    pub(crate) name: String,
    /// The text of its value.
    pub(crate) value: String,
    /// Its type, printed: modules with `__`; empty if it is not known.
    pub(crate) kind: String,
}

/// The variables of a list as [`read`] writes it; none if it is not such a list.
pub(crate) fn variables(list: &str) -> Vec<LocalVar> {
    let inner = list.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or("");
    ArgTexts::new(inner).iter().filter_map(local_var).collect()
}

/// The text of a list of variables with types as terms and with values that are not terms as strings, and these values;
/// none if it is not a list.
pub(crate) fn with_strings(list: &str) -> Option<(String, Vec<String>)> {
    let inner = list.trim().strip_prefix('[')?.strip_suffix(']')?;
    let mut strings = Vec::new();
    let terms: Vec<String> = ArgTexts::new(inner).iter().map(|term| with_string(term, &mut strings)).collect();
    Some((format!("[{}]", terms.join(", ")), strings))
}

/// `live_var(Name, Value, Type)` with a readable value, `live_var_names_and_types(Name, Type)`, or any other text as a
/// whole.
fn with_string(term: &str, strings: &mut Vec<String>) -> String {
    let mut readable_or_string = |value: &str| {
        readable(value).unwrap_or_else(|| {
            strings.push(value.to_owned());
            string(value)
        })
    };
    let is_variable = |functor: &&str| matches!(*functor, "live_var" | "live_var_names_and_types");
    let compound =
        term.strip_suffix(')').and_then(|term| term.split_once('(')).filter(|(functor, _)| is_variable(functor));
    let (functor, inner) = compound.unwrap_or_default();
    let parts: Vec<&str> = ArgTexts::new(inner).iter().collect();
    match parts.as_slice() {
        [name, value @ .., kind] if [name, kind].iter().all(|text| is_term(text)) => {
            let value = (!value.is_empty()).then(|| readable_or_string(&value.join(", ")));
            let args: Vec<String> =
                [(*name).to_owned()].into_iter().chain(value).chain([type_term(&unquoted(kind))]).collect();
            format!("{functor}({})", args.join(", "))
        }
        _ => readable_or_string(term),
    }
}

fn local_var(term: &str) -> Option<LocalVar> {
    let args = ArgTexts::new(term.strip_prefix("live_var(")?.strip_suffix(')')?);
    let plain = |index| args.part(index).map(unquoted);
    let kind = plain(2).filter(|kind| kind != NO_TYPE).map_or(String::new(), |kind| types::print_type(&kind));
    Some(LocalVar { name: plain(0)?, value: args.part(1)?.to_owned(), kind })
}

fn unquoted(text: &str) -> String {
    match text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) => text::unescaped(inner, '"'),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_becomes_a_term_and_comes_back() {
        let term = variable("\tX_1 = f([1, 2], 'a}b') {map__map(int ,string)} ");
        assert_eq!(term, r#"live_var("X_1", f([1, 2], 'a}b'), map:map(int, string))"#);
        let expected = LocalVar {
            name: "X_1".to_owned(),
            value: "f([1, 2], 'a}b')".to_owned(),
            kind: "map__map(int ,string)".to_owned(),
        };
        assert_eq!(variables(&format!("[{term}, {term}]")), [expected.clone(), expected]);
    }

    #[test]
    fn only_values_that_are_not_terms_become_strings() {
        let list = r#"[live_var("X", f(1), "t"), live_var("Y", 2-[|]/2, "t"), live_var("Z", a, b, "a.b"), <<c>>]"#;
        let expected =
            r#"[live_var("X", f(1), t), live_var("Y", "2-[|]/2", t), live_var("Z", "a, b", "a.b"), "<<c>>"]"#;
        let strings = ["2-[|]/2", "a, b", "<<c>>"].map(str::to_owned).to_vec();
        assert_eq!(with_strings(list), Some((expected.to_owned(), strings)));
        assert_eq!(with_strings("f("), None);
    }

    #[test]
    fn a_line_of_another_shape_is_kept_as_strings() {
        assert_eq!(variable("\todd line"), r#"live_var("odd line", "", -)"#);
        assert_eq!(variable("\tX = f(1"), r#"live_var("X", "f(1", -)"#);
        assert_eq!(variable("\tX = a b {t}"), r#"live_var("X", "a b", t)"#);
    }
}
