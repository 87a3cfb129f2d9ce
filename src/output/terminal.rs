//! Makes text from traces safe to show on a terminal.

use std::borrow::Cow;
use std::fmt::Write;

/// `text` with `\xHH\` for every character that could control a terminal or change its reading direction, except line
/// feeds and tabs.
pub(crate) fn terminal_safe(text: &str) -> Cow<'_, str> {
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if steers(character) {
            write!(safe, "\\x{:x}\\", u32::from(character)).expect("writing to a string cannot fail");
        } else {
            safe.push(character);
        }
    }
    Cow::Owned(safe)
}

/// Whether a character is a control character (C0 without line feed and tab, DEL, C1) or a mark of bidirectional text.
fn steers(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        other => other.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_bidirectional_marks_become_visible() {
        assert_eq!(terminal_safe("a\tb\nc"), "a\tb\nc");
        assert_eq!(terminal_safe("\x1b]52;c;x\x07\x7f\u{9b}é\0\r"), r"\x1b\]52;c;x\x7\\x7f\\x9b\é\x0\\xd\");
        assert_eq!(terminal_safe("a\u{202e}b"), r"a\x202e\b");
        assert!(matches!(terminal_safe("plain é"), Cow::Borrowed(_)));
    }
}
