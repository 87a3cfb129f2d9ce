//! Where arguments end: the brackets, strings, comments and paths of a call, as strace prints them.

use wide::u8x16;

/// The position of the bracket that closes the one before `text`; strings, comments and `<paths>` are passed over.
pub(crate) fn closing_bracket(text: &[u8]) -> Option<usize> {
    match walk(text) {
        Walked::ToBracket(close) => Some(close),
        Walked::ToEnd { .. } => None,
    }
}

/// Whether arguments that go on in another text end where nothing is open but the bracket before them: what closes that one
/// in the other text is then what would close it there if nothing stood before.
pub(crate) fn ends_between_arguments(text: &[u8]) -> bool {
    matches!(text.last(), None | Some(b' ' | b','))
        && matches!(walk(text), Walked::ToEnd { depth: 1, is_inside_quotes: false })
}

/// How far the arguments of a call go.
enum Walked {
    /// To the bracket that closes them.
    ToBracket(usize),
    /// To the end of the text: how many brackets are open there, and whether a string, a comment or a path may be.
    ToEnd { depth: usize, is_inside_quotes: bool },
}

fn walk(text: &[u8]) -> Walked {
    let (mut depth, mut at) = (1_usize, 0);
    while at < text.len() {
        let (mut marks, mut next) = mark_bits(text, at);
        while marks != 0 {
            let mark = at + marks.trailing_zeros() as usize;
            marks &= marks - 1;
            match CLASSES[usize::from(text[mark])] {
                ByteClass::Plain => {}
                ByteClass::Opens => depth += 1,
                ByteClass::Closes => {
                    depth -= 1;
                    if depth == 0 {
                        return Walked::ToBracket(mark);
                    }
                }
                ByteClass::MayBegin => {
                    let end = after(text, mark).unwrap_or(mark + 1);
                    if end >= text.len() {
                        return Walked::ToEnd { depth, is_inside_quotes: true };
                    }
                    // what is inside is no mark
                    match end - at {
                        length @ 0..BLOCK => marks &= u32::MAX << length,
                        _ => (marks, next) = (0, end),
                    }
                }
            }
        }
        at = next;
    }
    Walked::ToEnd { depth, is_inside_quotes: false }
}

/// Bytes that are compared at once.
const BLOCK: usize = 16;

/// The bytes from a position on that are not plain, as bits, and the position of the first byte that was not looked at.
#[inline]
fn mark_bits(text: &[u8], at: usize) -> (u32, usize) {
    let rest = &text[at..];
    let Some(block) = rest.first_chunk::<BLOCK>() else {
        let is_mark = |byte: &u8| !matches!(CLASSES[usize::from(*byte)], ByteClass::Plain);
        return (rest.iter().rev().fold(0, |marks, byte| marks << 1 | u32::from(is_mark(byte))), text.len());
    };
    let bytes = u8x16::new(*block);
    let is = |byte: u8| bytes.simd_eq(u8x16::splat(byte));
    // `[` and `{`, `]` and `}`, `(` and `)` differ in one bit
    let folded = bytes | u8x16::splat(0x20);
    let is_folded = |byte: u8| folded.simd_eq(u8x16::splat(byte));
    let brackets = (bytes | u8x16::splat(1)).simd_eq(u8x16::splat(b')')) | is_folded(b'{') | is_folded(b'}');
    let marks = (brackets | is(b'"') | is(b'/') | is(b'<')).to_bitmask();
    (marks, at + BLOCK)
}

/// The arguments between two brackets: the parts between commas outside of brackets, strings, comments and `<paths>`.
pub(crate) fn arguments(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let comma = top_level_comma(text);
        rest = comma.map(|comma| &text[comma + 1..]);
        Some(text[..comma.unwrap_or(text.len())].trim_ascii())
    })
    .filter(|argument| !argument.is_empty())
}

/// The position of the first comma outside of everything.
fn top_level_comma(text: &[u8]) -> Option<usize> {
    let (mut depth, mut at) = (0_i64, 0);
    while let Some(byte) = text.get(at) {
        match CLASSES[usize::from(*byte)] {
            ByteClass::Plain if *byte == b',' && depth == 0 => return Some(at),
            ByteClass::Plain => {}
            ByteClass::Opens => depth += 1,
            ByteClass::Closes => depth -= 1,
            ByteClass::MayBegin => {
                at = after(text, at).unwrap_or(at + 1);
                continue;
            }
        }
        at += 1;
    }
    None
}

/// What a byte means for brackets.
#[derive(Clone, Copy)]
enum ByteClass {
    Plain,
    Opens,
    Closes,
    /// A string, a comment or a path may begin here.
    MayBegin,
}

const CLASSES: [ByteClass; 256] = classes();

const fn classes() -> [ByteClass; 256] {
    let mut classes = [ByteClass::Plain; 256];
    (classes[b'(' as usize], classes[b'[' as usize], classes[b'{' as usize]) =
        (ByteClass::Opens, ByteClass::Opens, ByteClass::Opens);
    (classes[b')' as usize], classes[b']' as usize], classes[b'}' as usize]) =
        (ByteClass::Closes, ByteClass::Closes, ByteClass::Closes);
    (classes[b'"' as usize], classes[b'/' as usize], classes[b'<' as usize]) =
        (ByteClass::MayBegin, ByteClass::MayBegin, ByteClass::MayBegin);
    classes
}

/// The position after the string, comment or path that begins at `at`, if one does.
fn after(text: &[u8], at: usize) -> Option<usize> {
    match text.get(at)? {
        b'"' => Some(after_string(text, at)),
        b'/' => after_comment(text, at),
        _ => {
            let follows_word = at.checked_sub(1).is_some_and(|before| is_word(text[before]));
            let is_shift = text.get(at + 1) == Some(&b'<');
            (follows_word && !is_shift).then(|| after_path(text, at))
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The position after the string whose quote is at `open`; the end of the text if it is never closed.
pub(crate) fn after_string(text: &[u8], open: usize) -> usize {
    let mut at = open + 1;
    while let Some(block) = text.get(at..).and_then(|rest| rest.first_chunk::<BLOCK>()) {
        let bytes = u8x16::new(*block);
        let is = |byte: u8| bytes.simd_eq(u8x16::splat(byte)).to_bitmask();
        let quotes = is(b'"');
        let mut marks = quotes | is(b'\\');
        let mut next = at + BLOCK;
        while marks != 0 {
            let mark = marks & marks.wrapping_neg();
            let place = at + mark.trailing_zeros() as usize;
            if quotes & mark != 0 {
                return place + 1;
            }
            // what follows a backslash is no mark
            marks &= !(mark | mark << 1);
            next = next.max(place + 2);
        }
        at = next;
    }
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

/// The position after the comment that begins at `at`; the end of the text if it never ends.
pub(crate) fn after_comment(text: &[u8], at: usize) -> Option<usize> {
    let is_comment = text.get(at..)?.starts_with(b"/*");
    is_comment.then(|| memchr::memmem::find(&text[at..], b"*/").map_or(text.len(), |end| at + end + 2))
}

/// The position after the path whose `<` is at `open`: brackets are counted, and `->` closes none.
pub(crate) fn after_path(text: &[u8], open: usize) -> usize {
    let (mut depth, mut at) = (1_usize, open + 1);
    while let Some(byte) = text.get(at) {
        match byte {
            b'<' => depth += 1,
            b'>' if text[at - 1] != b'-' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_strings_comments_and_paths_close_nothing() {
        for (text, expected) in [
            ("3) = 0", Some(1)),
            (r#""a)\")", 3) = 0"#, Some(10)),
            ("/* 3) vars */) = 0", Some(13)),
            ("4<TCP:[1.2.3.4:5->6.7.8.9:10]>, 1<<2) = 0", Some(36)),
            ("3</a (deleted)>) = 0", Some(15)),
            ("[{a=f(1)}]) = 0", Some(10)),
            ("3, \"abc = 3", None),
            ("a<b", None),
            ("", None),
        ] {
            assert_eq!(closing_bracket(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn arguments_are_separated_by_commas_outside_of_everything() {
        let split = |text: &str| -> Vec<String> {
            arguments(text.as_bytes()).map(|part| String::from_utf8_lossy(part).into_owned()).collect()
        };
        assert_eq!(split(r#"3</a,b>, "x, y"..., [1, 2], {a=1, ...}, 4096 /* a, b */"#).len(), 5);
        assert_eq!(split("0, "), ["0"]);
        assert_eq!(split(""), [""; 0]);
        assert_eq!(split(", a"), ["a"]);
    }
}
