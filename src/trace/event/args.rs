//! Lists of texts as they are stored: one text, split only when its parts are needed.

use std::borrow::Cow;

use super::simple_term::searched_text;
use crate::term::letters::escape_end;

/// Number of a list of arguments, from [`TraceBuilder::args`](crate::trace::TraceBuilder::args).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ArgsId(pub(crate) u32);

/// A list of texts (arguments, their names or types) that a reader hands to the builder.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum ListField<'a> {
    /// The event has none.
    #[default]
    Absent,
    /// As printed: separated by commas outside brackets and quotes, `-` for one that is not live.
    Text(&'a str),
    /// One by one; none for one that is not live.
    Parts(&'a [Option<&'a str>]),
    /// Known arguments, by their number, so that they are not looked up. For arguments and their names only.
    Known(ArgsId),
}

/// A list of texts: the arguments of an event, their names or their types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ArgTexts<'a> {
    stored: &'a str,
}

/// First character of a stored text whose parts cannot be separated by commas: each part is then its length in bytes,
/// `:` and its text.
const COUNTED: char = '\u{1f}';

/// The text of an argument that is not live.
pub(crate) const NOT_LIVE: &str = "-";

impl<'a> ArgTexts<'a> {
    /// The list that is printed as `text`: parts separated by commas outside brackets and quotes.
    pub(crate) const fn new(text: &'a str) -> ArgTexts<'a> {
        ArgTexts { stored: text }
    }

    /// The whole list as one text, parts separated by `, `.
    pub(crate) fn whole(self) -> Cow<'a, str> {
        match self.after_mark() {
            None => Cow::Borrowed(self.stored),
            Some(_) => Cow::Owned(self.iter().collect::<Vec<_>>().join(", ")),
        }
    }

    /// What follows the mark of counted parts, if there is one.
    #[inline]
    fn after_mark(self) -> Option<&'a str> {
        match self.stored.as_bytes().first() {
            Some(first) if char::from(*first) == COUNTED => Some(&self.stored[1..]),
            _ => None,
        }
    }

    /// The parts in order, `-` for one that is not live.
    pub(crate) fn iter(self) -> ArgIter<'a> {
        match self.after_mark() {
            Some(rest) => ArgIter { rest: Some(rest).filter(|rest| !rest.is_empty()), counted: true },
            None => ArgIter { rest: Some(self.stored).filter(|text| !text.trim().is_empty()), counted: false },
        }
    }

    /// The part at `index`, from 0.
    pub(crate) fn part(self, index: usize) -> Option<&'a str> {
        self.iter().nth(index)
    }
}

impl<'a> IntoIterator for ArgTexts<'a> {
    type Item = &'a str;
    type IntoIter = ArgIter<'a>;

    fn into_iter(self) -> ArgIter<'a> {
        self.iter()
    }
}

/// The parts of an [`ArgTexts`].
#[derive(Clone, Debug)]
pub(crate) struct ArgIter<'a> {
    rest: Option<&'a str>,
    counted: bool,
}

impl<'a> Iterator for ArgIter<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.rest.take()?;
        if self.counted {
            let (length, rest) = rest.split_once(':')?;
            let (part, rest) = rest.split_at_checked(length.parse().ok()?)?;
            self.rest = Some(rest).filter(|rest| !rest.is_empty());
            return Some(part);
        }
        match top_level_comma(rest) {
            Some(comma) => {
                self.rest = Some(&rest[comma + 1..]);
                Some(rest[..comma].trim())
            }
            None => Some(rest.trim()),
        }
    }
}

/// The text of the argument with a name, or of the value at a path inside of it, such as `opts.retries.0`; else that of the
/// value at this path in the first argument that is an object with it.
pub(crate) fn argument_at<'t>(args: ArgTexts<'t>, names: Option<ArgTexts<'_>>, path: &str) -> Option<&'t str> {
    let of_name = |(name, text): (&str, &'t str)| match path.strip_prefix(name)? {
        "" => Some(text),
        inner => value_at(text, inner.strip_prefix('.')?),
    };
    let mut named = names.into_iter().flatten().zip(args);
    named.find_map(of_name).or_else(|| args.iter().find_map(|text| value_at(text, path)))
}

/// The text of the value at a path of keys and positions, such as `user.tags.0`, in the text of an object or array; keys may
/// have dots.
pub(crate) fn value_at<'t>(text: &'t str, path: &str) -> Option<&'t str> {
    let (mut text, mut rest) = (text, path);
    loop {
        if let Some(value) = member(text, rest) {
            return Some(value);
        }
        let inner = rest.match_indices('.').find_map(|(dot, _)| Some((member(text, &rest[..dot])?, &rest[dot + 1..])));
        (text, rest) = inner?;
    }
}

/// The text of the value that an object has for a key, or an array at a position from 0.
fn member<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    if let Some(items) = between(text, "[", "]") {
        let position: usize = key.parse().ok()?;
        return ArgTexts::new(items).part(position);
    }
    members(text).find(|(name, _)| *name == key).map(|(_, value)| value)
}

/// The keys and the texts of the values of an object of JSON, `{"k":v}`, of a structure or object of a class,
/// `struct([k=v])`, or of a map, `map([k-v])`; nothing for another text.
pub(crate) fn members(text: &str) -> impl Iterator<Item = (Cow<'_, str>, &str)> {
    let object = || between(text, "{", "}").filter(|inner| inner.starts_with('"')).map(|inner| (inner, ':'));
    let pairs = || {
        let (class, list) = text.split_at_checked(after_key(text)?)?;
        Some((between(list, "([", "])")?, if class == "map" { '-' } else { '=' }))
    };
    let (inner, sign) = object().or_else(pairs).unwrap_or_default();
    ArgTexts::new(inner).iter().filter_map(move |part| {
        let (key, value) = part.split_at_checked(after_key(part)?)?;
        let key = between(key, "(", ")").unwrap_or(key);
        Some((searched_text(key), value.trim_start().strip_prefix(sign)?.trim()))
    })
}

fn between<'t>(text: &'t str, opening: &str, closing: &str) -> Option<&'t str> {
    text.strip_prefix(opening)?.strip_suffix(closing)
}

/// The position after the key with which a text begins: a text in quotes, a word, or something in brackets.
pub(super) fn after_key(text: &str) -> Option<usize> {
    match text.as_bytes().first()? {
        b'"' | b'\'' => Some(after_quoted(text.as_bytes(), 0)),
        b'(' => Some(text.find(')')? + 1),
        _ => Some(text.bytes().take_while(is_word).count()),
    }
}

/// The position of the first comma outside brackets and quotes; an unmatched closing bracket is ignored.
pub(crate) fn top_level_comma(text: &str) -> Option<usize> {
    top_level(text, |byte| byte == b',')
}

/// The position of the first of some bytes outside brackets and quotes; `0'c` is a character code, whatever `c` is.
#[inline]
pub(super) fn top_level(text: &str, is_wanted: impl Fn(u8) -> bool) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0_u32;
    let mut index = 0;
    while let Some(byte) = bytes.get(index) {
        match byte {
            byte if depth == 0 && is_wanted(*byte) => return Some(index),
            b'(' | b'[' | b'{' => depth = depth.saturating_add(1),
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'\'' if begins_character_code(bytes, index) => {
                index = after_character_code(bytes, index);
                continue;
            }
            b'\'' | b'"' | b'`' => {
                index = after_quoted(bytes, index);
                continue;
            }
            _ => {}
        }
        index += 1;
    }
    None
}

/// The names of the variables in a text, each as often as it is there.
pub(crate) fn variables(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(byte) = bytes.get(at) {
            let start = at;
            at = match byte {
                b'\'' if begins_character_code(bytes, at) => after_character_code(bytes, at),
                b'\'' | b'"' | b'`' => after_quoted(bytes, at),
                byte if is_word(byte) => start + bytes[start..].iter().take_while(|byte| is_word(byte)).count(),
                _ => start + 1,
            };
            if byte.is_ascii_uppercase() || *byte == b'_' {
                return text.get(start..at);
            }
        }
        None
    })
}

fn is_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80
}

/// Whether the quote at `quote` belongs to `0'c`: it follows a 0 that does not end a longer word.
fn begins_character_code(bytes: &[u8], quote: usize) -> bool {
    let before = |back: usize| quote.checked_sub(back).map(|index| bytes[index]);
    before(1) == Some(b'0')
        && !before(2).is_some_and(|byte| byte == b'_' || byte.is_ascii_alphanumeric() || byte >= 0x80)
}

/// The index after `0'c`, `0'\c` or `0'''`, given the index of its quote.
fn after_character_code(bytes: &[u8], quote: usize) -> usize {
    match bytes.get(quote + 1) {
        Some(b'\\') => escape_end(bytes, quote + 2),
        Some(b'\'') if bytes.get(quote + 2) == Some(&b'\'') => quote + 3,
        _ => quote + 2,
    }
}

/// The index after a quoted text whose opening quote is at `open`; the end of the text if the quote is never closed.
fn after_quoted(bytes: &[u8], open: usize) -> usize {
    let quote = bytes[open];
    let mut index = open + 1;
    while let Some(byte) = bytes.get(index) {
        match byte {
            b'\\' => {
                index = escape_end(bytes, index + 1);
                continue;
            }
            byte if *byte == quote && bytes.get(index + 1) == Some(&quote) => index += 1,
            byte if *byte == quote => return index + 1,
            _ => {}
        }
        index += 1;
    }
    bytes.len()
}

impl ListField<'_> {
    /// Writes the list as it is stored; `false` if it is absent or already known by its number.
    #[inline]
    pub(crate) fn write_stored(&self, stored: &mut String) -> bool {
        match self {
            ListField::Absent | ListField::Known(_) => false,
            _ => self.write_parts(stored),
        }
    }

    fn write_parts(&self, stored: &mut String) -> bool {
        stored.clear();
        match self {
            ListField::Absent | ListField::Known(_) => return false,
            ListField::Text(text) if text.starts_with(COUNTED) => write_counted(ArgIter::plain(text), stored),
            ListField::Text(text) => stored.push_str(text),
            ListField::Parts(parts) => {
                let parts = parts.iter().map(|part| part.unwrap_or(NOT_LIVE));
                write_joined(parts.clone(), stored);
                if !ArgTexts::new(stored).iter().eq(parts.clone()) {
                    stored.clear();
                    write_counted(parts, stored);
                }
            }
        }
        true
    }
}

impl<'a> ArgIter<'a> {
    fn plain(text: &'a str) -> ArgIter<'a> {
        ArgIter { rest: Some(text), counted: false }
    }
}

fn write_joined<'a>(parts: impl Iterator<Item = &'a str>, stored: &mut String) {
    for (index, part) in parts.enumerate() {
        if index > 0 {
            stored.push_str(", ");
        }
        stored.push_str(part);
    }
}

fn write_counted<'a>(parts: impl Iterator<Item = &'a str>, stored: &mut String) {
    stored.push(COUNTED);
    for part in parts {
        stored.push_str(&part.len().to_string());
        stored.push(':');
        stored.push_str(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escape_in_digits_ends_with_a_backslash_and_the_quote_after_it_is_written() {
        for (list, n) in [
            (r#""a\x1\\"),", 4"#, 2),
            (r#""a\230\\"),", 4"#, 2),
            (r#""a\\", 4"#, 2),
            (r#""\x1", 4"#, 2),
            (r#"0'\x41\, 4"#, 2),
        ] {
            assert_eq!(ArgTexts::new(list).iter().count(), n, "{list}");
        }
    }

    fn split(text: &str) -> Vec<&str> {
        ArgTexts::new(text).iter().collect()
    }

    #[test]
    fn commas_in_brackets_and_quotes_do_not_separate() {
        assert_eq!(
            split("[1, 2], f(a, {b, c}), 'x, y', \"a, b\", -"),
            ["[1, 2]", "f(a, {b, c})", "'x, y'", "\"a, b\"", "-"]
        );
    }

    #[test]
    fn values_of_objects_are_found_by_paths() {
        let text = r#"{"a":{"b.c":[1,{"d":"x, y"}]},"e.f":-1,"g\"h":null}"#;
        for (path, value) in [
            ("a.b.c.1.d", Some("\"x, y\"")),
            ("a.b.c.0", Some("1")),
            ("e.f", Some("-1")),
            ("g\"h", Some("null")),
            ("a.b", None),
            ("a.b.c.2", None),
            ("", None),
            ("e.f.", None),
        ] {
            assert_eq!(value_at(text, path), value, "{path}");
        }
        for text in ["f(x)", "[]", "{}", "{a}", "-", "\"{\"", "{\"a"] {
            assert_eq!(value_at(text, "a"), None, "{text}");
        }
    }

    #[test]
    fn values_of_structures_and_maps_are_found_by_paths() {
        for (text, path, value) in [
            ("struct([sa_family='AF_INET', sin_port=htons(443), '...'])", "sin_port", Some("htons(443)")),
            ("struct([sa_family='AF_INET', '...'])", "...", None),
            ("struct([x = 1, y = [struct([z = \"}\"])]])", "y.0.z", Some("\"}\"")),
            ("struct(['st-mode'=['S_IFREG', 420]])", "st-mode.1", Some("420")),
            ("map([a-1,{b,c}-map([]),d-map([(dynamic)-(-1)])])", "d.dynamic", Some("(-1)")),
            ("map([\"k v\"-x])", "k v", Some("x")),
            ("'A'([n=5,next='A'(['n o'=4])])", "next.n o", Some("4")),
            ("mapped([a-1])", "a", None),
        ] {
            assert_eq!(value_at(text, path), value, "{text} {path}");
        }
    }

    #[test]
    fn an_argument_is_found_by_its_name_before_the_keys_of_others() {
        let args = ArgTexts::new(r#"{"url":1}, {"retries":[7]}, "x""#);
        let found = |path| argument_at(args, Some(ArgTexts::new("first, opts, url")), path);
        assert_eq!([found("url"), found("opts.retries.0"), found("retries.0")], [Some("\"x\""), Some("7"), Some("7")]);
        assert_eq!([found("first.url"), found("ur"), found("opts.x")], [Some("1"), None, None]);
        assert_eq!(argument_at(args, None, "url"), Some("1"));
    }

    #[test]
    fn variables_are_words_outside_quotes() {
        let found: Vec<&str> = variables("_1, f(X, \"Y\", 'Z', aB, 0'C, [_G2|_Été]), 12").collect();
        assert_eq!(found, ["_1", "X", "_G2", "_Été"]);
    }

    #[test]
    fn a_quoted_quote_does_not_end_a_text() {
        assert_eq!(split(r"'it''s, ok', 'a\', b', c"), [r"'it''s, ok'", r"'a\', b'", "c"]);
    }

    #[test]
    fn character_codes_hide_quotes_commas_and_brackets() {
        assert_eq!(split(r"0',, 0'(, 0''', 0'\', 0'a, x0'b, c'"), [r"0',", "0'(", "0'''", r"0'\'", "0'a", "x0'b, c'"]);
    }

    #[test]
    fn an_empty_text_has_no_arguments() {
        assert_eq!(split(""), Vec::<&str>::new());
        assert_eq!(split(" "), Vec::<&str>::new());
    }

    #[test]
    fn an_unclosed_quote_or_bracket_takes_the_rest() {
        assert_eq!(split("a, 'b, c"), ["a", "'b, c"]);
        assert_eq!(split("a), b"), ["a)", "b"]);
        assert_eq!(split("0'"), ["0'"]);
        assert_eq!(split("'\\"), ["'\\"]);
    }

    #[test]
    fn parts_that_contain_commas_round_trip() {
        let lists: [&[Option<&str>]; 7] = [
            &[Some("a, b"), None],
            &[Some("(")],
            &[Some("")],
            &[Some(""), Some("")],
            &[Some(" a ")],
            &[Some("\u{1f}3:abc"), Some("é, ü")],
            &[],
        ];
        for list in lists {
            let mut stored = String::new();
            assert!(ListField::Parts(list).write_stored(&mut stored));
            let back: Vec<&str> = ArgTexts::new(&stored).iter().collect();
            let parts: Vec<&str> = list.iter().map(|part| part.unwrap_or(NOT_LIVE)).collect();
            assert_eq!(back, parts, "{stored:?}");
        }
    }

    #[test]
    fn the_whole_text_has_no_counts() {
        let mut stored = String::new();
        ListField::Parts(&[Some("a, b"), None]).write_stored(&mut stored);
        assert_eq!(ArgTexts::new(&stored).whole(), "a, b, -");
        assert_eq!(ArgTexts::new("1, f(2)").whole(), "1, f(2)");
    }
}
