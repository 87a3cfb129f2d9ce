//! Stretches of a file: the whole lines that begin in a range of bytes, read without the bytes before.

use std::fs::File;
use std::io;
use std::ops::Range;

use super::{Chunk, Lines};
use crate::formats::lines::input::read_some_at;

/// A file whose lines are read from any offset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StretchReader<'f> {
    /// The file.
    pub(crate) file: &'f File,
    /// The number of bytes that are read.
    pub(crate) size: u64,
    /// The first of them, which are in memory.
    pub(crate) first: &'f [u8],
}

/// Bytes that are first read beyond a stretch, for the end of its last line.
const BEYOND: u64 = 1 << 12;

impl StretchReader<'_> {
    /// The lines that begin in a stretch; the last one of the file may have no line end. `spent` is a buffer to reuse.
    ///
    /// None if the file is shorter than it was, or a line is too long.
    pub(crate) fn lines(self, stretch: Range<u64>, spent: Vec<u8>) -> io::Result<Option<Chunk>> {
        let from = stretch.start.saturating_sub(1);
        let mut buffer = spent;
        let mut to = stretch.end.saturating_add(BEYOND).min(self.size);
        let Some(()) = self.fill(&mut buffer, from..to)? else { return Ok(None) };
        let place = |offset: u64| (offset - from) as usize;
        let start = match stretch.start {
            0 => 3 * usize::from(buffer.starts_with(b"\xEF\xBB\xBF")),
            // the byte before the stretch may be a line end: then a line begins with the stretch
            _ => memchr::memchr(b'\n', &buffer).map_or(buffer.len(), |end| end + 1),
        };
        let last = place(stretch.end.min(self.size));
        if start >= last {
            return Ok(Some(Chunk::new(buffer, start..start, from + start as u64)));
        }
        loop {
            let end = memchr::memchr(b'\n', &buffer[last - 1..]).map(|end| last + end);
            if end.is_some() || to == self.size {
                let end = end.unwrap_or(buffer.len());
                return Ok(Some(Chunk::new(buffer, start..end, from + start as u64)));
            }
            if to - from > Lines::LONGEST as u64 {
                return Ok(None);
            }
            to = (to + (to - from)).min(self.size);
            let Some(()) = self.fill(&mut buffer, from..to)? else { return Ok(None) };
        }
    }

    /// Fills the buffer with a part of the file; none if the file has become shorter.
    fn fill(self, buffer: &mut Vec<u8>, part: Range<u64>) -> io::Result<Option<()>> {
        if let Some(known) = self.first.get(part.start as usize..part.end as usize) {
            buffer.clear();
            buffer.extend_from_slice(known);
            return Ok(Some(()));
        }
        buffer.resize((part.end - part.start) as usize, 0);
        let mut n_read = 0;
        while n_read < buffer.len() {
            match read_some_at(self.file, &mut buffer[n_read..], part.start + n_read as u64) {
                Ok(0) => return Ok(None),
                Ok(n_bytes) => n_read += n_bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Some(()))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// The lines of a file in stretches of `step` bytes.
    fn lines(text: &str, step: u64) -> Vec<String> {
        let mut file = tempfile::tempfile().expect("temporary files can be made");
        file.write_all(text.as_bytes()).expect("temporary files can be written");
        let first = &text.as_bytes()[..text.len() / 3];
        let stretches = StretchReader { file: &file, size: text.len() as u64, first };
        let parts = (0..stretches.size).step_by(step as usize).map(|from| {
            let part = stretches.lines(from..from + step, Vec::new()).expect("the file can be read");
            String::from_utf8(part.expect("the file is whole").text().to_vec()).expect("text stays text")
        });
        parts.flat_map(|part| part.split_inclusive('\n').map(str::to_string).collect::<Vec<_>>()).collect()
    }

    #[test]
    fn every_line_is_in_the_stretch_where_it_begins() {
        let long = "x".repeat(10_000);
        for text in ["a\nbc\n\ndef\n", "a\nbc\n\ndef", "\n", "\n\n\n", "abc", &format!("a\n{long}\n{long}\nb\n")] {
            let expected: Vec<String> = text.split_inclusive('\n').map(str::to_string).collect();
            for step in [1, 2, 3, 4, 5, 7, 100, 9_000, 20_000] {
                assert_eq!(lines(text, step), expected, "in stretches of {step}");
            }
        }
    }

    #[test]
    fn a_file_that_has_become_shorter_has_no_such_lines() {
        let mut file = tempfile::tempfile().expect("temporary files can be made");
        file.write_all(b"1\n2\n").expect("temporary files can be written");
        let stretches = StretchReader { file: &file, size: 6, first: b"1\n" };
        assert!(stretches.lines(0..6, Vec::new()).expect("the file can be read").is_none());
    }
}
