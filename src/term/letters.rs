//! The characters of names, and how names are quoted, for both reading and printing.

use std::borrow::Cow;
use std::fmt::{self, Write};

/// A text as messages show it: its first line in backquotes, cut when long.
pub(crate) fn excerpt(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    let shown: String = line.chars().take(40).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    let is_cut = line.len() < text.len() || line.chars().nth(40).is_some();
    if is_cut { format!("`{shown}...`") } else { format!("`{shown}`") }
}

/// The position after an escape of a quoted term whose backslash stands before `at`: `\x41\` and `\101\` end with one more
/// backslash.
pub(crate) fn escape_end(text: &[u8], at: usize) -> usize {
    let after_digits = |from: usize, radix: u32| {
        let digits = text.get(from..).unwrap_or_default().iter();
        from + digits.take_while(|byte| char::from(**byte).is_digit(radix)).count()
    };
    let end = match text.get(at) {
        Some(b'x') => after_digits(at + 1, 16),
        Some(b'0'..=b'7') => after_digits(at, 8),
        _ => return at + 1,
    };
    end + usize::from(text.get(end) == Some(&b'\\'))
}

/// Whether a name or a variable can continue with `c`.
pub(crate) fn is_name_part(c: char) -> bool {
    match c {
        '\0'..='\x7f' => c == '_' || c.is_ascii_alphanumeric(),
        _ => c.is_alphanumeric() || is_mark(c),
    }
}

/// Whether `c` is a symbol character, as in `:-`.
pub(crate) fn is_symbol(c: char) -> bool {
    match c {
        '\0'..='\x7f' => b"#$&*+-./:<=>?@^~\\".contains(&(c as u8)),
        _ => !(c.is_alphanumeric() || c.is_whitespace() || c.is_control() || is_mark(c) || is_invisible(c)),
    }
}

/// Whether `c` is invisible or changes the order of visible text: illegal outside quotes, and escaped inside them.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..)
}

/// Combining marks: they follow a letter.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

/// Whether the name reads as an atom without quotes.
pub(crate) fn is_plain(name: &str) -> bool {
    let Some(first) = name.chars().next() else { return false };
    if first.is_alphabetic() && !first.is_uppercase() {
        return name.chars().all(is_name_part);
    }
    match name {
        "[]" | "{}" | ";" | "!" => true,
        "." => false,
        _ => name.chars().all(is_symbol) && !name.starts_with("/*"),
    }
}

/// The name, quoted if it needs quotes to be read as an atom.
pub(crate) fn atom_text(name: &str) -> Cow<'_, str> {
    if is_plain(name) {
        return name.into();
    }
    quoted(name, '\'').into()
}

/// The text between two `quote`s, as [`write_quoted`] writes it.
pub(crate) fn quoted(text: &str, quote: char) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_quoted(&mut out, text, quote).expect("writing to a string cannot fail");
    out
}

/// Writes `text` between two `quote`s; the quote, the backslash and invisible characters are escaped.
pub(crate) fn write_quoted(out: &mut impl Write, text: &str, quote: char) -> fmt::Result {
    out.write_char(quote)?;
    let mut plain_from = 0;
    for (at, c) in text.char_indices() {
        if !needs_escape(c, quote) {
            continue;
        }
        out.write_str(&text[plain_from..at])?;
        plain_from = at + c.len_utf8();
        write_escape(out, c)?;
    }
    out.write_str(&text[plain_from..])?;
    out.write_char(quote)
}

/// `text` between two `quote`s, with the quotes inside doubled and no escapes.
pub(crate) fn raw_quoted(text: &str, quote: char) -> String {
    format!("{quote}{}{quote}", text.replace(quote, &format!("{quote}{quote}")))
}

fn needs_escape(c: char, quote: char) -> bool {
    match c {
        ' '..='~' => c == quote || c == '\\',
        _ => c.is_control() || c.is_whitespace() || is_invisible(c),
    }
}

fn write_escape(out: &mut impl Write, c: char) -> fmt::Result {
    let letter = match c {
        '\x07' => 'a',
        '\x08' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\x0b' => 'v',
        '\x0c' => 'f',
        '\r' => 'r',
        '\\' | '\'' | '"' | '`' => c,
        _ => return write!(out, "\\x{:X}\\", u32::from(c)),
    };
    out.write_char('\\')?;
    out.write_char(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_symbols_and_brackets_are_plain() {
        assert!(is_plain("queen") && is_plain(":-") && is_plain("[]"));
        assert!(!is_plain("Queen") && !is_plain("a b") && !is_plain(","));
    }

    #[test]
    fn names_are_quoted_if_necessary() {
        let cases = [
            ("a", "a"),
            ("aB_1", "aB_1"),
            ("été", "été"),
            ("Été", "'Été'"),
            ("", "''"),
            (" ", "' '"),
            ("_a", "'_a'"),
            ("1a", "'1a'"),
            (".", "'.'"),
            ("..", ".."),
            ("/*", "'/*'"),
            ("*/*", "*/*"),
            ("%", "'%'"),
            ("|", "'|'"),
            ("÷", "÷"),
            ("a'b\\", "'a\\'b\\\\'"),
            ("a\nb\x7f", "'a\\nb\\x7F\\'"),
            ("\0", "'\\x0\\'"),
            ("\u{202e}", "'\\x202E\\'"),
        ];
        for (name, expected) in cases {
            assert_eq!(atom_text(name), expected);
        }
    }
}
