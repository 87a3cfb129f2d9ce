//! Colours of the typed text, and the bracket that matches the one at the cursor.
//!
//! This does not use the lexer: typed text is seldom complete, and a wrong colour matters less than a wrong token.

use std::sync::LazyLock;

use anstyle::{AnsiColor, Style};
use regex::Regex;

static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"(?P<comment>%[^\n]*|(?s:/\*.*?(?:\*/|$)))"#,
        r#"|(?P<number>\b\d(?:'(?:\\.|''|[^\\'])|[\w.]*\w)?)"#,
        r#"|(?P<quoted>'(?:[^'\\]|\\.|'')*'?|"(?:[^"\\]|\\.|"")*"?|`(?:[^`\\]|\\.)*`?)"#,
        r#"|(?P<variable>\b[A-Z_]\w*)"#,
        r#"|(?P<call>\b[a-z]\w*)\("#,
        r#"|(?P<name>\b[a-z]\w*)"#,
    ))
    .expect("a constant")
});

const COLORS: &[(&str, Style)] = &[
    ("comment", AnsiColor::BrightBlack.on_default()),
    ("number", AnsiColor::Magenta.on_default()),
    ("quoted", AnsiColor::Green.on_default()),
    ("variable", AnsiColor::Yellow.on_default()),
    ("call", AnsiColor::Blue.on_default()),
];

const MATCHING: Style = Style::new().bold().underline();

/// `line` with colours; `cursor` is the offset of the cursor in bytes.
pub(crate) fn highlight(line: &str, cursor: usize) -> String {
    let pair = matching_brackets(line, cursor);
    let mut out = String::with_capacity(line.len() * 2);
    let mut at = 0;
    for captures in TOKEN.captures_iter(line) {
        let Some((found, style)) = COLORS.iter().find_map(|(name, style)| Some((captures.name(name)?, style))) else {
            continue;
        };
        push_plain(&mut out, line, at..found.start(), pair);
        out.push_str(&format!("{style}{}{style:#}", found.as_str()));
        at = found.end();
    }
    push_plain(&mut out, line, at..line.len(), pair);
    out
}

fn push_plain(out: &mut String, line: &str, range: std::ops::Range<usize>, pair: Option<(usize, usize)>) {
    for (offset, c) in line[range.clone()].char_indices() {
        let index = range.start + offset;
        if pair.is_some_and(|(one, other)| index == one || index == other) {
            out.push_str(&format!("{MATCHING}{c}{MATCHING:#}"));
        } else {
            out.push(c);
        }
    }
}

/// The bracket at or before the cursor and its partner.
fn matching_brackets(line: &str, cursor: usize) -> Option<(usize, usize)> {
    let at_bracket = |index: usize| line.as_bytes().get(index).is_some_and(|byte| b"()[]{}".contains(byte));
    let index = if at_bracket(cursor) { cursor } else { cursor.checked_sub(1).filter(|index| at_bracket(*index))? };
    bracket_pairs(line).into_iter().find(|(open, close)| *open == index || *close == index)
}

fn bracket_pairs(line: &str) -> Vec<(usize, usize)> {
    let mut open = Vec::new();
    let mut pairs = Vec::new();
    let hidden: Vec<(usize, usize)> = TOKEN
        .captures_iter(line)
        .filter_map(|captures| captures.name("quoted").or(captures.name("comment")))
        .map(|found| (found.start(), found.end()))
        .collect();
    for (index, c) in line.char_indices().filter(|(index, _)| !is_inside(&hidden, *index)) {
        match c {
            '(' | '[' | '{' => open.push(index),
            ')' | ']' | '}' => pairs.extend(open.pop().map(|start| (start, index))),
            _ => {}
        }
    }
    pairs
}

fn is_inside(ranges: &[(usize, usize)], index: usize) -> bool {
    let after = ranges.partition_point(|(start, _)| *start <= index);
    after.checked_sub(1).is_some_and(|last| index < ranges[last].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        Regex::new(r"\x1b\[[0-9;]*m").unwrap().replace_all(text, "").into_owned()
    }

    #[test]
    fn colours_leave_the_text_as_it_is() {
        for line in ["fget([port=exit, depth=D]), D > 9.", "X = 0'a, write('it''s", "/* open", "\"a(\" ) % c", "é(ü)"]
        {
            assert_eq!(plain(&highlight(line, line.len())), line);
        }
    }

    #[test]
    fn brackets_inside_quotes_do_not_count() {
        assert_eq!(matching_brackets("f(')')", 6), Some((1, 5)));
        assert_eq!(matching_brackets("f(a", 1), None);
    }
}
