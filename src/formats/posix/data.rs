//! The data of events: bytes in hexadecimal, and the text that they may be.

use smallvec::SmallVec;

use crate::term::letters::write_quoted;

/// The bytes that lower-case hexadecimal digits write.
pub(crate) fn bytes(hex: &str) -> Option<SmallVec<[u8; 128]>> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let (pairs, []) = hex.as_bytes().as_chunks::<2>() else { return None };
    let mut bytes = SmallVec::with_capacity(pairs.len());
    for [high, low] in pairs {
        bytes.push(digit(*high)? << 4 | digit(*low)?);
    }
    Some(bytes)
}

/// Writes data as an argument: a string if the bytes are text (a zero may end it), else the digits as an atom.
pub(crate) fn write_argument(bytes: &[u8], out: &mut String) {
    let inner = bytes.strip_suffix(&[0]).unwrap_or(bytes);
    let text = std::str::from_utf8(inner).ok();
    match text.filter(|text| text.chars().all(is_text)) {
        Some(text) => write_string(text, out),
        None => {
            out.push('\'');
            write_hex(bytes, out);
            out.push('\'');
        }
    }
}

/// Writes bytes as lower-case hexadecimal digits.
pub(crate) fn write_hex(bytes: &[u8], out: &mut String) {
    let digit = |digit: u8| char::from(b"0123456789abcdef"[usize::from(digit)]);
    for byte in bytes {
        out.extend([digit(byte >> 4), digit(byte & 15)]);
    }
}

fn is_text(character: char) -> bool {
    !character.is_control() || matches!(character, '\t' | '\n' | '\r')
}

/// Writes a text as the string of the language.
pub(crate) fn write_string(text: &str, out: &mut String) {
    write_quoted(out, text, '"').expect("writing to a string cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argument(hex: &str) -> String {
        let mut out = String::new();
        write_argument(&bytes(hex).unwrap(), &mut out);
        out
    }

    #[test]
    fn bytes_of_a_text_are_a_string_and_others_stay_digits() {
        assert_eq!(argument("776f"), "\"wo\"");
        assert_eq!(argument("776f00"), "\"wo\"");
        assert_eq!(argument("22c3a95c0a"), "\"\\\"é\\\\\\n\"");
        assert_eq!(argument(""), "\"\"");
        assert_eq!(argument("01000000"), "'01000000'");
        assert_eq!(argument("41000000"), "'41000000'");
        assert_eq!(argument("ff"), "'ff'");
    }

    #[test]
    fn odd_and_other_digits_are_no_bytes() {
        assert_eq!((bytes("abc"), bytes("AB"), bytes("0g")), (None, None, None));
    }
}
