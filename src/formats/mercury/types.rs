//! Arguments that are printed with their types: `2 {int}, -, [3, 4] {list__list(int)}`.

use crate::syntax::is_term;
use crate::trace::{ArgTexts, NOT_LIVE};

/// Arguments and their types; both are absent where the argument is not live.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TypedArgs<'a> {
    /// Texts of the arguments.
    pub(crate) values: Vec<Option<&'a str>>,
    /// Types, modules written with `:` again.
    pub(crate) types: Vec<Option<String>>,
    /// Whether only the types are printed, as for `({int}, -)`.
    pub(crate) has_no_values: bool,
}

impl TypedArgs<'_> {
    /// Whether the text before each type is a term, so that these are types even if other lines have none.
    pub(crate) fn are_certain(&self) -> bool {
        let mut typed = self.values.iter().zip(&self.types).filter(|(_, kind)| kind.is_some()).peekable();
        typed.peek().is_some() && typed.all(|(value, _)| value.is_some_and(|value| value != NOT_LIVE && is_term(value)))
    }
}

/// Splits values from types; none if a live argument has no type.
pub(crate) fn split(text: &str) -> Option<TypedArgs<'_>> {
    let mut typed = TypedArgs::default();
    for part in ArgTexts::new(text) {
        if part == NOT_LIVE {
            typed.values.push(None);
            typed.types.push(None);
            continue;
        }
        let body = part.strip_suffix('}')?;
        let (value, kind) = match body.rfind(" {") {
            Some(place) => (&body[..place], &body[place + 2..]),
            None => ("", body.strip_prefix('{')?),
        };
        typed.values.push(Some(value).filter(|value| !value.is_empty()));
        typed.types.push(Some(read_type(kind)));
    }
    let has_value = typed.values.iter().any(Option::is_some);
    typed.has_no_values = !has_value && typed.types.iter().any(Option::is_some);
    Some(typed)
}

/// `map__map(int ,string)` in the notation of Mercury: `map:map(int, string)`.
pub(crate) fn read_type(printed: &str) -> String {
    printed.replace("__", ":").replace(" ,", ", ")
}

/// `map:map(int, string)` as it is printed: `map__map(int ,string)`.
pub(crate) fn print_type(kind: &str) -> String {
    kind.replace(':', "__").replace(", ", ",").replace(',', " ,")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_follows_each_live_argument() {
        let typed = split("2 {int}, -, [3, {x}] {list__list(map__map(int ,string))}").expect("all have types");
        assert_eq!(typed.values, [Some("2"), None, Some("[3, {x}]")]);
        let types: Vec<Option<&str>> = typed.types.iter().map(Option::as_deref).collect();
        assert_eq!(types, [Some("int"), None, Some("list:list(map:map(int, string))")]);
    }

    #[test]
    fn arguments_in_braces_are_not_types_when_others_have_none() {
        assert_eq!(split("2 {int}, 3"), None);
        assert_eq!(split("f(2 {int})"), None);
        assert!(split("{int}, -").is_some_and(|typed| typed.has_no_values));
    }

    #[test]
    fn braces_after_an_operator_are_a_term() {
        let are_certain = |text| split(text).is_some_and(|typed| typed.are_certain());
        assert!(are_certain("2 {int}, -") && are_certain("[3, 4] {list__list(int)}"));
        assert!(!are_certain("a - {b}") && !are_certain("- {b}") && !are_certain("{b}") && !are_certain("-"));
    }

    #[test]
    fn a_printed_type_is_read_back() {
        for kind in ["int", "list:list(int)", "map:map(int, std:pair(a, b))"] {
            assert_eq!(read_type(&print_type(kind)), kind);
        }
        assert_eq!(print_type("map:map(int, string)"), "map__map(int ,string)");
    }
}
