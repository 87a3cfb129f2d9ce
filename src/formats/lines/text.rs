//! Bytes of a trace as text: invalid UTF-8 as escapes, atoms without their quotes, columns of faults.

use std::borrow::Cow;
use std::fmt::Write;

/// `bytes` as text; a byte that is not UTF-8 becomes `\xHH\`.
pub(crate) fn visible(bytes: &[u8]) -> Cow<'_, str> {
    visible_with(bytes, "\\")
}

/// As [`visible`], inside JSON strings, where a backslash is written twice.
pub(crate) fn visible_in_json(bytes: &[u8]) -> Cow<'_, str> {
    visible_with(bytes, "\\\\")
}

/// The column, from 1, at which a part of a line begins; for a part outside the line, the column after its end.
pub(crate) fn column(line: &[u8], part: &[u8]) -> usize {
    let offset = (part.as_ptr() as usize).checked_sub(line.as_ptr() as usize).filter(|offset| *offset < line.len());
    String::from_utf8_lossy(&line[..offset.unwrap_or(line.trim_ascii_end().len())]).chars().count() + 1
}

/// Appends a number in decimal digits, faster than formatting does.
pub(crate) fn push_decimal(text: &mut String, number: i64) {
    let mut digits = [b'0'; 20];
    let (mut first, mut rest) = (digits.len(), number.unsigned_abs());
    loop {
        first -= 1;
        digits[first] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        text.push('-');
    }
    text.push_str(std::str::from_utf8(&digits[first..]).expect("digits are text"));
}

fn visible_with<'b>(bytes: &'b [u8], backslash: &str) -> Cow<'b, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            write!(text, "{backslash}x{byte:02x}{backslash}").expect("writing to a string cannot fail");
        }
    }
    Cow::Owned(text)
}

/// The name in `bytes`, without quotes and with their escapes resolved.
pub(crate) fn name(bytes: &[u8]) -> Cow<'_, str> {
    let text = visible(bytes);
    match text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(inner) => Cow::Owned(unescaped(inner, '\'')),
        None => text,
    }
}

/// `inner` of a quoted text with escapes and doubled quotes resolved; other backslashes stay.
pub(crate) fn unescaped(inner: &str, quote: char) -> String {
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(place) = rest.find(['\\', quote]) {
        text.push_str(&rest[..place]);
        rest = &rest[place..];
        let (character, length) =
            if rest.starts_with('\\') { escape(rest) } else { (Some(quote), doubled(rest, quote)) };
        text.extend(character);
        rest = &rest[length..];
    }
    text.push_str(rest);
    text
}

/// The characters of a string whose escapes are those of C; byte b is the character with the code b.
pub(crate) fn c_unescaped(inner: &str) -> String {
    let mut characters = inner.chars().peekable();
    let mut text = String::with_capacity(inner.len());
    while let Some(character) = characters.next() {
        if character != '\\' {
            text.push(character);
            continue;
        }
        let Some(escape) = characters.next() else { break };
        let mut number = |first: u32, radix: u32, most: usize| {
            let mut value = first;
            for _ in 0..most {
                let Some(digit) = characters.peek().and_then(|digit| digit.to_digit(radix)) else { break };
                value = value * radix + digit;
                characters.next();
            }
            char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER)
        };
        text.push(match escape {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'v' => '\u{b}',
            'f' => '\u{c}',
            'a' => '\u{7}',
            'b' => '\u{8}',
            'e' => '\u{1b}',
            'x' => number(0, 16, 2),
            '0'..='7' => number(escape.to_digit(8).unwrap_or(0), 8, 2),
            other => other,
        });
    }
    text
}

fn doubled(rest: &str, quote: char) -> usize {
    let mut quotes = rest.chars().take_while(|&character| character == quote);
    if quotes.nth(1).is_some() { 2 * quote.len_utf8() } else { quote.len_utf8() }
}

/// The character that an escape at the start of `rest` stands for, and the escape's length.
fn escape(rest: &str) -> (Option<char>, usize) {
    let mut characters = rest.chars().skip(1);
    let plain = match characters.next() {
        Some('n') => '\n',
        Some('t') => '\t',
        Some('r') => '\r',
        Some('a') => '\u{7}',
        Some('b') => '\u{8}',
        Some('f') => '\u{c}',
        Some('v') => '\u{b}',
        Some('e') => '\u{1b}',
        Some('s') => ' ',
        Some('\n') => return (None, 2),
        Some('x') => return numeric(rest, 2, 16),
        Some('0'..='7') => return numeric(rest, 1, 8),
        Some(other) => return (Some(other), 1 + other.len_utf8()),
        None => return (Some('\\'), 1),
    };
    (Some(plain), 2)
}

/// `\x41\` or `\101\`, with digits from `start` on; the backslash itself if it is not such an escape.
fn numeric(rest: &str, start: usize, radix: u32) -> (Option<char>, usize) {
    let digits = rest[start..].find(|character: char| !character.is_digit(radix)).unwrap_or(rest.len() - start);
    let end = start + digits;
    match u32::from_str_radix(&rest[start..end], radix).ok().and_then(char::from_u32) {
        Some(character) => (Some(character), end + usize::from(rest[end..].starts_with('\\'))),
        None => (Some('\\'), 1),
    }
}

/// What is wrong with a line that should be a JSON object: `column 9: expected a JSON object, found `x} ...``.
pub(crate) fn json_fault(text: &str, error: &serde_json::Error) -> String {
    const MOST_SHOWN: usize = 20;
    if error.is_eof() {
        return format!("column {}: expected a JSON object, but the line ends inside of it", text.chars().count());
    }
    if error.to_string().starts_with("recursion limit") {
        return format!("column {}: expected a JSON object, found one that is nested too deep", error.column());
    }
    let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
    let start = if error.is_data() { 0 } else { error.column().saturating_sub(1) };
    let start = (0..=start.min(line.len())).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
    let column = line[..start].chars().count() + 1;
    let shown: String = line[start..].chars().take(MOST_SHOWN).collect();
    let more = if line[start..].chars().nth(MOST_SHOWN).is_some() { "..." } else { "" };
    format!("column {column}: expected a JSON object, found `{shown}{more}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_escapes_of_a_name_are_resolved() {
        for (written, expected) in [
            ("queen", "queen"),
            ("'it''s'", "it's"),
            (r"'a\nb\'c\\'", "a\nb'c\\"),
            (r"'\x41\\101\\e'", "AA\u{1b}"),
            (r"'\xZ'", r"\xZ"),
            ("'", "'"),
            ("''", ""),
            (r"'a\", r"'a\"),
        ] {
            assert_eq!(name(written.as_bytes()), expected, "{written}");
        }
    }

    #[test]
    fn decimal_digits_are_those_that_formatting_gives() {
        for number in [0, 7, 10, -1, 1_234_567_890, i64::MAX, i64::MIN] {
            let mut text = "n".to_owned();
            push_decimal(&mut text, number);
            assert_eq!(text, format!("n{number}"));
        }
    }

    #[test]
    fn bytes_of_strings_of_c_are_characters() {
        let text = r#"\177ELF\2\1\0\x41\377\"\\\0019\e\x01a"#;
        assert_eq!(c_unescaped(text), "\u{7f}ELF\u{2}\u{1}\0A\u{ff}\"\\\u{1}9\u{1b}\u{1}a");
    }

    #[test]
    fn bytes_that_are_not_text_become_escapes() {
        assert_eq!(visible(b"caf\xE9!"), r"caf\xe9\!");
        assert_eq!(visible_in_json(b"{\"n\\n\": \"\xE9\"}"), "{\"n\\n\": \"\\\\xe9\\\\\"}");
        assert_eq!(visible("café".as_bytes()), "café");
        assert_eq!(name(b"'caf\xE9'"), "caf\u{e9}");
    }
}
