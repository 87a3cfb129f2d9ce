//! Erlang terms as they are printed, rewritten as texts that the language's own reader takes: a walk over the bytes with
//! a stack of open brackets.
//!
//! Tuples, lists, strings, numbers and atoms look the same in both. A map `#{k => v}` becomes `map([k-v])`. What Prolog
//! has no syntax for - binaries, references, ports, funs - becomes a quoted atom of the same text; a pid does too, with
//! its node where that is known (see [`names`](super::names)).

use super::atomic;
use crate::term::Atom;
use crate::term::ops::OpTable;

use std::sync::LazyLock;

static OPERATORS: LazyLock<OpTable> = LazyLock::new(OpTable::standard);

/// What stands where a term or a part of one was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The place in the text; its end if the text is only the beginning of a term.
    pub at: usize,
    /// What was expected there.
    pub expected: &'static str,
}

pub type Walk<T> = Result<T, Fault>;

/// A bracket that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Tuple,
    List,
    /// Behind the bar of a list.
    Tail,
    Key,
    Value,
}

/// Appends the term at `at` to `out`, with its own syntax; gives the place behind it.
pub fn translate(text: &[u8], at: usize, out: &mut String) -> Walk<usize> {
    let mut open = Vec::new();
    let mut at = at;
    loop {
        at = skip_layout(text, at);
        let opened = open.len();
        at = value(text, at, &mut open, out)?;
        if open.len() > opened {
            continue;
        }
        loop {
            let Some(innermost) = open.last_mut() else { return Ok(at) };
            at = skip_layout(text, at);
            let (behind, closes) = behind_value(text, at, innermost, out)?;
            at = behind;
            if !closes {
                break;
            }
            open.pop();
        }
    }
}

/// A value without parts, or the bracket that opens one; an empty pair of brackets is a value.
fn value(text: &[u8], at: usize, open: &mut Vec<Open>, out: &mut String) -> Walk<usize> {
    let (bracket, mark, written, closing, empty) = match text.get(at) {
        Some(b'{') => (Open::Tuple, 1, "{", b'}', "}"),
        Some(b'[') => (Open::List, 1, "[", b']', "]"),
        Some(b'#') if text.get(at + 1) == Some(&b'{') => (Open::Key, 2, "map([", b'}', "])"),
        _ => return simple(text, at, open.last().copied(), out),
    };
    out.push_str(written);
    let behind = skip_layout(text, at + mark);
    if text.get(behind) == Some(&closing) {
        out.push_str(empty);
        return Ok(behind + 1);
    }
    open.push(bracket);
    Ok(behind)
}

/// A value without parts; inside of a map what an operator could swallow is bracketed.
fn simple(text: &[u8], at: usize, around: Option<Open>, out: &mut String) -> Walk<usize> {
    let start = out.len();
    let behind = atomic::translate(text, at, out)?;
    if matches!(around, Some(Open::Key | Open::Value)) && binds_loosely(&out[start..]) {
        out.insert(start, '(');
        out.push(')');
    }
    Ok(behind)
}

fn binds_loosely(value: &str) -> bool {
    let name = value.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')).unwrap_or(value);
    value.starts_with('-') || OPERATORS.is_op(Atom::new(name))
}

/// What follows a value: a separator, or the bracket that closes; gives the place behind it and whether it closes.
fn behind_value(text: &[u8], at: usize, innermost: &mut Open, out: &mut String) -> Walk<(usize, bool)> {
    let expected = |expected| Err(Fault { at, expected });
    match (*innermost, text.get(at), text.get(at + 1)) {
        (Open::Tuple, Some(b','), _) | (Open::List, Some(b','), _) => out.push(','),
        (Open::Tuple, Some(b'}'), _) => return closed(at, "}", out),
        (Open::Tuple, ..) => return expected("`,` or `}`"),
        (Open::List, Some(b'|'), _) => {
            out.push('|');
            *innermost = Open::Tail;
        }
        (Open::List | Open::Tail, Some(b']'), _) => return closed(at, "]", out),
        (Open::List, ..) => return expected("`,`, `|` or `]`"),
        (Open::Tail, ..) => return expected("`]`"),
        (Open::Key, Some(b'='), Some(b'>')) | (Open::Key, Some(b':'), Some(b'=')) => {
            out.push('-');
            *innermost = Open::Value;
            return Ok((at + 2, false));
        }
        (Open::Key, ..) => return expected("`=>`"),
        (Open::Value, Some(b','), _) => {
            out.push(',');
            *innermost = Open::Key;
        }
        (Open::Value, Some(b'}'), _) => return closed(at, "])", out),
        (Open::Value, ..) => return expected("`,` or `}`"),
    }
    Ok((at + 1, false))
}

fn closed(at: usize, bracket: &str, out: &mut String) -> Walk<(usize, bool)> {
    out.push_str(bracket);
    Ok((at + 1, true))
}

/// The place behind blanks, line ends and comments.
pub fn skip_layout(text: &[u8], mut at: usize) -> usize {
    while let Some(byte) = text.get(at) {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C => at += 1,
            b'%' => at = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |length| at + length),
            _ => break,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::super::names::Nodes;
    use super::*;

    fn translated(text: &str) -> Result<String, String> {
        let mut out = String::new();
        match translate(text.as_bytes(), 0, &mut out) {
            Ok(at) if at == text.len() => Ok(Nodes::default().resolved(&out).into_owned()),
            Ok(at) => Err(format!("ends at {at}")),
            Err(fault) => Err(format!("{} at {}", fault.expected, fault.at)),
        }
    }

    #[test]
    fn what_looks_the_same_stays_as_it_is() {
        for text in
            ["{ack,M1}", "{}", "[]", "[a,b|c]", "{a,{b,[1,-2,3.5e-7]}}", "\"text\"", "'it''s'", "{1,\"a, {b\",'}'}"]
        {
            let text = text.replace("M1", "m1").replace("'it''s'", "'its'");
            assert_eq!(translated(&text).as_deref(), Ok(&*text));
        }
    }

    #[test]
    fn layout_and_comments_between_parts_are_left_out() {
        assert_eq!(translated("{ a ,\n  [ b | c ] % note }\n }").as_deref(), Ok("{a,[b|c]}"));
        assert_eq!(translated("\"one \"\n  \"text\"").as_deref(), Ok("\"one text\""));
        assert_eq!(translated("<<\"ab\"\n  \"cd\">>").as_deref(), Ok("'<<\"abcd\">>'"));
        assert_eq!(translated("<<1,2,\n  3:4>>").as_deref(), Ok("'<<1,2,3:4>>'"));
    }

    #[test]
    fn maps_are_lists_of_pairs_and_their_operators_are_bracketed() {
        assert_eq!(translated("#{a => 1,{b,c} => #{}}").as_deref(), Ok("map([a-1,{b,c}-map([])])"));
        assert_eq!(translated("#{dynamic=>-1,'-'=>is}").as_deref(), Ok("map([(dynamic)-(-1),('-')-(is)])"));
    }

    #[test]
    fn what_prolog_cannot_write_is_a_quoted_atom_of_the_same_text() {
        for text in [
            "<0.93.0>",
            "#Ref<0.2497144681.4212916226.243628>",
            "#Port<0.5>",
            "#Fun<m.1.4499>",
            "fun m:f/1",
            "<<\"text\">>",
            "<<5:3>>",
            "<<>>",
        ] {
            assert_eq!(translated(text), Ok(format!("'{text}'")));
        }
        assert_eq!(translated("[a|#Fun<erl_eval.43.3316493>]").as_deref(), Ok("[a|'#Fun<erl_eval.43.3316493>']"));
        assert_eq!(translated("fun 'my mod':'it\\'s'/0").as_deref(), Ok(r"'fun \'my mod\':\'it\\\'s\'/0'"));
    }

    #[test]
    fn escapes_of_erlang_become_those_of_prolog() {
        assert_eq!(translated(r#""a\x{e9}\e\101\n\s\^A\d\"""#).as_deref(), Ok(r#""aé\x1b\A\n \x1\\x7f\\"""#));
        assert_eq!(translated(r"'it\'s \\ q'").as_deref(), Ok(r"'it\'s \\ q'"));
        assert_eq!(translated("nonode@nohost").as_deref(), Ok("'nonode@nohost'"));
    }

    #[test]
    fn integers_of_any_base_are_decimal() {
        for (text, decimal) in [
            ("16#FF", "255"),
            ("-2#101", "-5"),
            ("36#Zz", "1295"),
            ("1_000_000", "1000000"),
            ("$a", "97"),
            ("$\\n", "10"),
            ("+7", "7"),
            ("16#ffffffffffffffffffff", "1208925819614629174706175"),
        ] {
            assert_eq!(translated(text).as_deref(), Ok(decimal), "{text}");
        }
    }

    #[test]
    fn a_fault_tells_the_place_and_what_was_expected() {
        for (text, fault) in [
            ("{a,b", "`,` or `}` at 4"),
            ("{a b}", "`,` or `}` at 3"),
            ("[a|b,c]", "`]` at 4"),
            ("{a,}", "a term at 3"),
            ("Var", "a term at 0"),
            ("\"open", "`\"` at 5"),
            ("<0.9", "`>` at 4"),
            ("#{a}", "`=>` at 3"),
            ("2#9", "digits of base 2 at 2"),
        ] {
            assert_eq!(translated(text), Err(fault.to_owned()), "{text}");
        }
    }

    #[test]
    fn nesting_is_no_depth_of_calls() {
        let depth = 300_000;
        let text = "{[#{a=>".repeat(depth) + "b" + &"}]}".repeat(depth);
        assert!(translated(&text).is_ok());
        assert!(translated(&"{[".repeat(depth)).is_err());
    }
}
