//! The options for writing terms, and the text of floats and variables.

use super::float::FloatFormat;
use crate::term::hash::HashMap;

/// Where optional blanks are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Spacing {
    /// Nowhere: `f(a,b)`, `[a,b]`, `3-8`.
    #[default]
    Dense,
    /// After commas: `f(a, b)`, `[a, b]`, `3-8`.
    NextArgument,
    /// After commas and around infix operators: `f(a, b)`, `3 - 8`.
    Wide,
}

/// How lists are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ListNotation {
    /// With dots if operators are ignored, as in ISO, and in brackets otherwise.
    #[default]
    AsOperators,
    /// `'.'(a,'.'(b,T))`
    Dots,
}

/// Options for writing terms. The default is that of `write/1` without `numbervars`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Style<'a> {
    /// Quotes and escapes atoms and strings so that they can be read back.
    pub(crate) quoted: bool,
    /// `+(1,2)` for `1+2`, and `{}(a)` for `{a}` unless `braces` says otherwise.
    pub(crate) ignore_ops: bool,
    /// `B` for `'$VAR'(1)`.
    pub(crate) number_vars: bool,
    /// Writes quoted texts without escapes, with quotes inside doubled.
    pub(crate) raw: bool,
    /// Whether `{}(a)` is written `{a}`; `None` means unless operators are ignored.
    pub(crate) braces: Option<bool>,
    /// The format of floats; `None` means the shortest text.
    pub(crate) floats: Option<FloatFormat>,
    /// Brackets or dots.
    pub(crate) lists: ListNotation,
    /// Where optional blanks are written.
    pub(crate) spacing: Spacing,
    /// Terms nested deeper than this, and elements of a list after this many, are written `...`.
    pub(crate) max_depth: Option<usize>,
    /// After this many subterms the rest is written `...`, which bounds the output of shared and cyclic terms.
    pub(crate) max_terms: Option<usize>,
    /// The greatest priority of an operator without brackets: 999 for an argument, 1200 otherwise.
    pub(crate) priority: Option<u16>,
    /// Names of variables by their numbers in the view; others are written `_123`.
    pub(crate) names: Option<&'a HashMap<u64, String>>,
}

impl Style<'_> {
    /// Whether lists are written in brackets.
    pub(super) fn has_brackets(&self) -> bool {
        match self.lists {
            ListNotation::AsOperators => !self.ignore_ops,
            ListNotation::Dots => false,
        }
    }

    /// Whether `{}(a)` is written `{a}`.
    pub(super) fn has_braces(&self) -> bool {
        self.braces.unwrap_or(!self.ignore_ops)
    }

    /// The style of `writeq/1` and `print/1`.
    pub(crate) fn writeq() -> Style<'static> {
        Style { quoted: true, number_vars: true, ..Style::default() }
    }

    /// The style of `write_canonical/1`: quoted, without operators, and with dots for lists.
    pub(crate) fn canonical() -> Style<'static> {
        Style { quoted: true, ignore_ops: true, ..Style::default() }
    }
}

/// The shortest text that reads as the same float; it always has a dot. Infinity is `1.0Inf`, NaN `1.5NaN`.
/// 1e22 is `1.0e22`.
pub(crate) fn float_text(value: f64) -> String {
    if value.is_nan() {
        return "1.5NaN".to_string();
    }
    if value.is_infinite() {
        return if value > 0.0 { "1.0Inf".to_string() } else { "-1.0Inf".to_string() };
    }
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-4..1e15).contains(&magnitude) {
        let text = format!("{value:e}");
        let (digits, exponent) = text.split_once('e').expect("`{:e}` writes an exponent");
        let dot = if digits.contains('.') { "" } else { ".0" };
        return format!("{digits}{dot}e{exponent}");
    }
    format!("{value:?}")
}

/// `A` for 0, `Z` for 25, `A1` for 26.
pub(crate) fn letter_name(number: i64) -> String {
    let letter = char::from(b'A' + (number % 26) as u8);
    match number / 26 {
        0 => letter.to_string(),
        n => format!("{letter}{n}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_written_with_a_dot() {
        assert_eq!(float_text(0.1), "0.1");
        assert_eq!(float_text(1e22), "1.0e22");
    }
}
