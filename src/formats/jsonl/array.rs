//! A file that is one array of objects: the text of each object, whatever lines it stands on.

use crate::formats::lines::{LineEnding, Lines};

/// Whether a file begins as an array.
pub(crate) fn begins(head: &[u8]) -> bool {
    head.trim_ascii_start().first() == Some(&b'[')
}

/// Takes an array apart, line by line.
#[derive(Default)]
pub(crate) struct ArraySplitter {
    element: Vec<u8>,
    /// The line on which the element begins.
    line: u64,
    depth: usize,
    is_in_text: bool,
    is_escaped: bool,
}

/// Where an array ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArrayEnd {
    /// With its bracket.
    Closed,
    /// Before it: the file was cut.
    Open,
}

/// Hands every element of the array to `each`, with the line on which it begins, or the number of a line that is too long.
pub(crate) fn elements(lines: &mut Lines, mut each: impl FnMut(Result<&[u8], ()>, u64)) -> ArrayEnd {
    let mut splitter = ArraySplitter::default();
    while let Some(line) = lines.next_line() {
        if line.ending == LineEnding::TooLong {
            each(Err(()), line.number);
            splitter.element.clear();
            continue;
        }
        if splitter.take(line.bytes, line.number, &mut each) == ArrayEnd::Closed {
            return ArrayEnd::Closed;
        }
    }
    if !splitter.element.trim_ascii().is_empty() {
        each(Ok(&splitter.element), splitter.line);
    }
    ArrayEnd::Open
}

impl ArraySplitter {
    fn take(&mut self, bytes: &[u8], number: u64, each: &mut impl FnMut(Result<&[u8], ()>, u64)) -> ArrayEnd {
        let mut from = 0;
        for (at, byte) in bytes.iter().enumerate() {
            if self.is_in_text {
                self.pass_text(*byte);
                continue;
            }
            match byte {
                b'"' => self.is_in_text = true,
                b'[' | b'{' => {
                    self.depth += 1;
                    if self.depth == 1 {
                        from = at + 1;
                    }
                }
                b',' | b']' if self.depth == 1 => {
                    self.keep(&bytes[from..at], number);
                    from = at + 1;
                    if !self.element.trim_ascii().is_empty() {
                        each(Ok(&self.element), self.line);
                    }
                    self.element.clear();
                    if *byte == b']' {
                        return ArrayEnd::Closed;
                    }
                }
                b']' | b'}' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        self.keep(&bytes[from..], number);
        self.keep(b"\n", number);
        ArrayEnd::Open
    }

    fn pass_text(&mut self, byte: u8) {
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' => self.is_escaped = true,
            b'"' => self.is_in_text = false,
            _ => {}
        }
    }

    /// Keeps a part of an element, which begins where the first part that is not blank stands.
    fn keep(&mut self, part: &[u8], number: u64) {
        if self.element.is_empty() {
            if part.trim_ascii().is_empty() {
                return;
            }
            self.line = number;
        }
        if self.element.len() + part.len() <= Lines::LONGEST {
            self.element.extend_from_slice(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> (Vec<(String, u64)>, ArrayEnd) {
        let mut found = Vec::new();
        let end = elements(&mut Lines::of_text(text.as_bytes(), 0), |element, line| {
            found.push((String::from_utf8_lossy(element.unwrap_or_default()).trim().to_owned(), line));
        });
        (found, end)
    }

    #[test]
    fn elements_are_the_same_on_one_line_and_on_many() {
        let one = split(r#" [{"a": "],\"["}, {"b": [1, {}]},3] rest"#);
        assert_eq!(one.1, ArrayEnd::Closed);
        let texts: Vec<&str> = one.0.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(texts, [r#"{"a": "],\"["}"#, r#"{"b": [1, {}]}"#, "3"]);
        let many = split("[\n  {\"a\":\n 1},\n\n  {\"b\": 2}\n]\n");
        assert_eq!(many.0, [("{\"a\":\n 1}".to_owned(), 2), ("{\"b\": 2}".to_owned(), 5)]);
    }

    #[test]
    fn an_array_that_is_cut_gives_what_there_is() {
        assert_eq!(split("[{\"a\": 1}, {\"b\": ").0.len(), 2);
        assert_eq!(split("[{\"a\": 1},").1, ArrayEnd::Open);
        assert_eq!(split("[]"), (Vec::new(), ArrayEnd::Closed));
    }
}
