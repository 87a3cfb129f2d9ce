//! The clauses and declarations of a Mercury or Prolog source, each with the procedure or type that it defines.

use std::ops::Range;

/// A clause or declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SourceItem {
    /// Its text: from its first token to its end dot, or to the end of the line if a comment follows.
    pub(crate) place: Range<usize>,
    /// The name of the procedure or type.
    pub(crate) name: String,
    /// The number of arguments; a grammar rule has two more than its text shows.
    pub(crate) arity: usize,
}

/// The items of a source in order, without those that name no procedure or type.
pub(crate) fn items(text: &str) -> Vec<SourceItem> {
    let about = |place: Range<usize>| {
        let (name, arity) = subject(&text[place.clone()])?;
        Some(SourceItem { place: place.start..end_with_comment(text, place.end), name, arity })
    };
    places(text).filter_map(about).collect()
}

/// The ranges of the clauses and declarations of a source, including their end dots.
pub(crate) fn places(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut scanner = Scanner { text, at: 0 };
    std::iter::from_fn(move || scanner.next_item())
}

/// The end of the line if only a comment follows on it; otherwise `end`.
fn end_with_comment(text: &str, end: usize) -> usize {
    let line = text[end..].split('\n').next().unwrap_or("");
    let is_comment = line.trim_start().starts_with('%');
    if is_comment { end + line.trim_end().len() } else { end }
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl Scanner<'_> {
    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    /// The range from the next token to its end dot.
    fn next_item(&mut self) -> Option<Range<usize>> {
        self.skip_layout();
        let start = self.at;
        let mut before = b' ';
        while let Some(byte) = self.byte(0) {
            match byte {
                b'%' => self.skip_line(),
                b'/' if self.byte(1) == Some(b'*') => self.skip_comment(),
                b'\'' if before == b'0' => self.at += 2,
                b'\'' | b'"' => self.skip_quoted(byte),
                b'.' if !is_symbol(before)
                    && self.byte(1).is_none_or(|next| next.is_ascii_whitespace() || next == b'%') =>
                {
                    self.at += 1;
                    return Some(start..self.at);
                }
                _ => self.at += 1,
            }
            before = byte;
        }
        None
    }

    fn skip_layout(&mut self) {
        while let Some(byte) = self.byte(0) {
            match byte {
                b'%' => self.skip_line(),
                b'/' if self.byte(1) == Some(b'*') => self.skip_comment(),
                byte if byte.is_ascii_whitespace() => self.at += 1,
                _ => return,
            }
        }
    }

    fn skip_line(&mut self) {
        self.at += self.text[self.at..].find('\n').unwrap_or(self.text.len() - self.at);
    }

    fn skip_comment(&mut self) {
        self.at += self.text[self.at..].find("*/").map_or(self.text.len() - self.at, |end| end + 2);
    }

    fn skip_quoted(&mut self, quote: u8) {
        self.at += 1;
        while let Some(byte) = self.byte(0) {
            self.at += match byte {
                b'\\' => 2,
                _ => 1,
            };
            if byte == quote {
                break;
            }
        }
        self.at = self.at.min(self.text.len());
    }
}

fn is_symbol(byte: u8) -> bool {
    b"+-*/\\^<>=~:.?@#&$".contains(&byte)
}

/// The procedure or type that an item defines, and its number of arguments.
fn subject(item: &str) -> Option<(String, usize)> {
    let Some(mut declaration) = item.strip_prefix(":-") else { return head(item) };
    loop {
        let (word, rest) = word(declaration.trim_start())?;
        declaration = match word {
            "pred" | "func" | "mode" | "type" | "inst" | "typeclass" | "table" | "dynamic" | "discontiguous" => {
                return head(rest);
            }
            "pragma" => return head(pragma_subject(rest)?),
            "impure" | "semipure" | "promise_pure" | "solver" | "abstract_type" => rest,
            "some" | "all" => rest.split_once(']')?.1,
            _ => return None,
        };
    }
}

/// The subject of a pragma: `inline(p/2)`, `foreign_proc("C", p(X::in), ..)`.
fn pragma_subject(pragma: &str) -> Option<&str> {
    let inside = pragma.split_once('(')?.1.trim_start();
    match inside.strip_prefix('"') {
        Some(language) => language.split_once('"')?.1.trim_start().strip_prefix(','),
        None => Some(inside),
    }
}

/// A word of lower-case letters and the text after it.
fn word(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    (end > 0 && text.starts_with(|c: char| c.is_lowercase())).then(|| text.split_at(end))
}

/// The name at the beginning of a clause or declaration, without its module, and the number of its arguments: those in
/// brackets, or the number after a slash.
fn head(text: &str) -> Option<(String, usize)> {
    let (mut name, mut rest) = name(text.trim_start())?;
    while let Some((inner, behind)) = rest.strip_prefix(['.', ':']).and_then(self::name) {
        (name, rest) = (inner, behind);
    }
    if let Some((_, inner)) = name.rsplit_once("__").filter(|(module, inner)| !module.is_empty() && !inner.is_empty()) {
        name = inner.to_owned();
    }
    if let Some(number) = rest.strip_prefix('/') {
        let digits = number.len() - number.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        return Some((name, number[..digits].parse().ok()?));
    }
    let (n_arguments, behind) = arguments(rest);
    let is_rule = behind.trim_start().starts_with("-->");
    Some((name, n_arguments + if is_rule { 2 } else { 0 }))
}

/// A plain or quoted name and the text after it.
fn name(text: &str) -> Option<(String, &str)> {
    if let Some(quoted) = text.strip_prefix('\'') {
        let (name, rest) = quoted.split_once('\'')?;
        return Some((name.to_owned(), rest));
    }
    word(text).map(|(name, rest)| (name.to_owned(), rest))
}

/// The number of arguments in the brackets at the beginning of a text, and the text after them.
fn arguments(text: &str) -> (usize, &str) {
    if !text.starts_with('(') {
        return (0, text);
    }
    let mut scanner = Scanner { text, at: 1 };
    let (mut depth, mut commas, mut before) = (0_usize, 0, b'(');
    while let Some(byte) = scanner.byte(0) {
        match byte {
            b'%' => scanner.skip_line(),
            b'\'' if before == b'0' => scanner.at += 2,
            b'\'' | b'"' => scanner.skip_quoted(byte),
            _ => {
                scanner.at += 1;
                match byte {
                    b'(' | b'[' | b'{' => depth += 1,
                    b')' if depth == 0 => return (commas + 1, text.get(scanner.at..).unwrap_or("")),
                    b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                    b',' if depth == 0 => commas += 1,
                    _ => {}
                }
            }
        }
        before = byte;
    }
    (commas + 1, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "\
% A comment with p(X). in it
:- module m.
:- pred p(int::in, list(int)::out) is det. % the one
:- mode p(in, out) is det.
:- func 'q r'(int) = int.
:- impure pred io__p(int).
:- some [T] pred r(T).
:- pragma foreign_proc(\"C\", p(X::in, Y::out), [will_not_call_mercury], \"
    Y = 1. /* no end */
\").
:- pragma inline(r/1).
:- type p ---> a ; b(0'., \"x. y\").
p(X, [Y|Ys]) :-
    X =.. [f, ',', \"a. b\"],
    Y = 1.0.
p --> [a], { b }.
m.p(1, 2).
'q r'(X) = X + 1.
X = Y :- true.
/* p(3). */ s.
";

    #[test]
    fn each_item_is_about_its_procedure() {
        let found: Vec<(String, usize)> = items(SOURCE).into_iter().map(|item| (item.name, item.arity)).collect();
        let expected = [
            ("p", 2),
            ("p", 2),
            ("q r", 1),
            ("p", 1),
            ("r", 1),
            ("p", 2),
            ("r", 1),
            ("p", 0),
            ("p", 2),
            ("p", 2),
            ("p", 2),
            ("q r", 1),
            ("s", 0),
        ];
        let expected: Vec<(String, usize)> =
            expected.into_iter().map(|(name, arity)| (name.to_owned(), arity)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_comment_behind_the_end_dot_belongs_to_the_item() {
        let all = items(SOURCE);
        assert_eq!(&SOURCE[all[0].place.clone()], ":- pred p(int::in, list(int)::out) is det. % the one");
        assert_eq!(&SOURCE[all[8].place.clone()], "p(X, [Y|Ys]) :-\n    X =.. [f, ',', \"a. b\"],\n    Y = 1.0.");
    }

    proptest::proptest! {
        #[test]
        fn no_text_breaks_the_reader(text in "([:p%'\"\\\\0é.,()/*\\[\\]{} \n-]|:- |pragma|some|pred|-->){0,40}") {
            for item in items(&text) {
                proptest::prop_assert!(text.get(item.place).is_some());
            }
        }
    }

    #[test]
    fn what_is_no_source_has_no_items() {
        let many = format!(":- {}", "impure ".repeat(100_000));
        for text in [&many, "0'é. é", "'\\é", "", "'", "p(", "0'", "p(\"", ":- pragma", "/*", ":- some", "p(0'", "'a"]
        {
            assert_eq!(items(text), [], "{text}");
        }
    }
}
