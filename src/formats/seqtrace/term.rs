//! Erlang terms as they are printed, rewritten as texts that the language's own reader takes: a walk over the bytes with
//! a stack of open brackets.
//!
//! Tuples, lists, strings, numbers and atoms look the same in both. A map `#{k => v}` becomes `map([k-v])`. What Prolog
//! has no syntax for - binaries, references, ports, funs - becomes a quoted atom of the same text; a pid does too, with
//! its node where that is known (see [`nodes`](super::nodes)).

use std::sync::LazyLock;

use smallvec::SmallVec;

use super::atomic;
use super::term_end::same_end;
use super::term_fault::{TermFault, TermResult, skip_layout};
use crate::term::Atom;
use crate::term::ops::OpTable;

static OPERATORS: LazyLock<OpTable> = LazyLock::new(OpTable::standard);

/// A bracket that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OpenTerm {
    Tuple,
    List,
    /// After the bar of a list.
    Tail,
    Key,
    Value,
}

/// Appends the term at `at` to `out`, with its own syntax; returns the place after it.
pub(crate) fn translate(text: &[u8], at: usize, out: &mut String) -> TermResult<usize> {
    Translation { text, at, same_from: at, open: SmallVec::new(), out }.run()
}

/// A term while it is translated; what looks the same in both languages is copied in long pieces.
struct Translation<'t, 'o> {
    text: &'t [u8],
    at: usize,
    /// From here up to `at` the text is copied as it is, but was not yet.
    same_from: usize,
    open: SmallVec<[OpenTerm; 16]>,
    out: &'o mut String,
}

impl Translation<'_, '_> {
    fn run(mut self) -> TermResult<usize> {
        loop {
            self.skip_layout();
            let n_open = self.open.len();
            self.value()?;
            if self.open.len() > n_open {
                continue;
            }
            while !self.open.is_empty() {
                self.skip_layout();
                let n_open = self.open.len();
                self.after_value()?;
                if self.open.len() == n_open {
                    break;
                }
            }
            if self.open.is_empty() {
                self.copy();
                return Ok(self.at);
            }
        }
    }

    fn byte(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Copies what looks the same.
    fn copy(&mut self) {
        let same = &self.text[self.same_from..self.at];
        self.out.push_str(std::str::from_utf8(same).unwrap_or_default());
        self.same_from = self.at;
    }

    /// Writes something else for the next bytes.
    fn rewrite(&mut self, length: usize, written: &str) {
        self.copy();
        self.out.push_str(written);
        self.at += length;
        self.same_from = self.at;
    }

    #[inline]
    fn skip_layout(&mut self) {
        if self.byte().is_some_and(|byte| byte > b'%') {
            return;
        }
        let after = skip_layout(self.text, self.at);
        if after > self.at {
            self.rewrite(after - self.at, "");
        }
    }

    /// A value without parts, or the bracket that opens one; an empty pair of brackets is a value.
    fn value(&mut self) -> TermResult<()> {
        let opened = match self.byte() {
            Some(b'{') => OpenTerm::Tuple,
            Some(b'[') => OpenTerm::List,
            Some(b'#') if self.text.get(self.at + 1) == Some(&b'{') => OpenTerm::Key,
            _ => return self.simple(),
        };
        match opened {
            OpenTerm::Key => self.rewrite(2, "map(["),
            _ => self.at += 1,
        }
        self.skip_layout();
        match (opened, self.byte()) {
            (OpenTerm::Tuple, Some(b'}')) | (OpenTerm::List, Some(b']')) => self.at += 1,
            (OpenTerm::Key, Some(b'}')) => self.rewrite(1, "])"),
            _ => self.open.push(opened),
        }
        Ok(())
    }

    /// A value without parts; inside of a map what an operator could swallow is bracketed.
    fn simple(&mut self) -> TermResult<()> {
        let is_in_map = matches!(self.open.last(), Some(OpenTerm::Key | OpenTerm::Value));
        if let Some(end) = same_end(self.text, self.at).filter(|_| !is_in_map) {
            self.at = end;
            return Ok(());
        }
        self.copy();
        let start = self.out.len();
        self.at = atomic::translate(self.text, self.at, self.out)?;
        self.same_from = self.at;
        if is_in_map && binds_loosely(&self.out[start..]) {
            self.out.insert(start, '(');
            self.out.push(')');
        }
        Ok(())
    }

    /// What follows a value: a separator, or the bracket that closes.
    fn after_value(&mut self) -> TermResult<()> {
        let Some(innermost) = self.open.last_mut() else { return Ok(()) };
        match (*innermost, self.text.get(self.at)) {
            (OpenTerm::Tuple | OpenTerm::List, Some(b',')) => self.at += 1,
            (OpenTerm::List, Some(b'|')) => {
                *innermost = OpenTerm::Tail;
                self.at += 1;
            }
            (OpenTerm::Tuple, Some(b'}')) | (OpenTerm::List | OpenTerm::Tail, Some(b']')) => {
                self.open.pop();
                self.at += 1;
            }
            (OpenTerm::Key | OpenTerm::Value, _) => return self.after_value_in_map(),
            (OpenTerm::Tuple, _) => return self.expected("`,` or `}`"),
            (OpenTerm::List, _) => return self.expected("`,`, `|` or `]`"),
            (OpenTerm::Tail, _) => return self.expected("`]`"),
        }
        Ok(())
    }

    fn after_value_in_map(&mut self) -> TermResult<()> {
        let is_key = self.open.pop() == Some(OpenTerm::Key);
        match (is_key, self.byte(), self.text.get(self.at + 1)) {
            (true, Some(b'='), Some(b'>')) | (true, Some(b':'), Some(b'=')) => {
                self.rewrite(2, "-");
                self.open.push(OpenTerm::Value);
            }
            (true, ..) => return self.expected("`=>`"),
            (false, Some(b','), _) => {
                self.at += 1;
                self.open.push(OpenTerm::Key);
            }
            (false, Some(b'}'), _) => self.rewrite(1, "])"),
            (false, ..) => return self.expected("`,` or `}`"),
        }
        Ok(())
    }

    fn expected(&self, expected: &'static str) -> TermResult<()> {
        Err(TermFault { at: self.at, expected })
    }
}

fn binds_loosely(value: &str) -> bool {
    let name = value.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')).unwrap_or(value);
    value.starts_with('-') || OPERATORS.is_op(Atom::new(name))
}

#[cfg(test)]
mod tests {
    use super::super::nodes::NodeNames;
    use super::super::term_end::name_end;
    use super::*;

    fn translated(text: &str) -> Result<String, String> {
        let mut out = String::new();
        match translate(text.as_bytes(), 0, &mut out) {
            Ok(at) if at == text.len() => Ok(NodeNames::default().resolved(&out)),
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
    fn a_fault_has_the_place_and_what_was_expected() {
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

    /// All texts of at most `most` of these characters.
    fn texts(characters: &[char], most: usize) -> Vec<String> {
        let mut texts = vec![String::new()];
        let mut from = 0;
        for _ in 0..most {
            let longer = texts[from..].iter().flat_map(|text| characters.iter().map(move |one| format!("{text}{one}")));
            let longer: Vec<String> = longer.collect();
            from = texts.len();
            texts.extend(longer);
        }
        texts
    }

    #[test]
    fn a_value_that_is_copied_is_what_it_would_be_translated_to() {
        let (mut n_copied, mut n_names) = (0, 0);
        for text in texts(&['a', 'Z', '0', '7', '-', '+', '.', '_', '#', '@', '"', '\'', '\\', '<', '>', ' ', 'é'], 4)
        {
            let mut out = String::new();
            let translated = atomic::translate(text.as_bytes(), 0, &mut out);
            if let Some(end) = same_end(text.as_bytes(), 0) {
                assert_eq!((translated, out.as_str()), (Ok(end), &text[..end]), "{text}");
                n_copied += 1;
            }
            if let Some(end) = name_end(text.as_bytes(), 0) {
                assert!(translated == Ok(end) || translated.is_err(), "{text}");
                n_names += 1;
            }
        }
        assert!(n_copied > 1000 && n_names >= n_copied);
        assert_eq!((name_end(b"<0.93.0>,", 0), name_end(b"<0.93>,", 0)), (Some(8), None));
    }

    #[test]
    fn nesting_is_no_depth_of_calls() {
        let depth = 300_000;
        let text = "{[#{a=>".repeat(depth) + "b" + &"}]}".repeat(depth);
        assert!(translated(&text).is_ok());
        assert!(translated(&"{[".repeat(depth)).is_err());
    }
}
