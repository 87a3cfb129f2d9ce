//! The last lines of a recording, for `--last`.

use std::collections::VecDeque;

/// At most so many lines; a new one pushes out the oldest.
pub(super) struct Ring {
    most: usize,
    bytes: VecDeque<u8>,
    lengths: VecDeque<usize>,
    /// The number of lines that were pushed out.
    pub(super) n_dropped: u64,
}

impl Ring {
    pub(super) fn new(most: u64) -> Ring {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        Ring { most, bytes: VecDeque::new(), lengths: VecDeque::new(), n_dropped: 0 }
    }

    /// The most lines that it keeps.
    pub(super) fn most(&self) -> u64 {
        self.most as u64
    }

    /// Adds a line with its end.
    pub(super) fn push(&mut self, line: &[u8]) {
        if self.lengths.len() == self.most
            && let Some(length) = self.lengths.pop_front()
        {
            self.bytes.drain(..length);
            self.n_dropped += 1;
        }
        self.bytes.extend(line);
        self.lengths.push_back(line.len());
    }

    /// The lines in order, as two pieces.
    pub(super) fn lines(&self) -> (&[u8], &[u8]) {
        self.bytes.as_slices()
    }

    /// The number of lines.
    pub(super) fn len(&self) -> usize {
        self.lengths.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_stay() {
        let mut ring = Ring::new(2);
        for line in ["one\n", "two\n", "three\n", "4\n", "fiftyfive\n"] {
            ring.push(line.as_bytes());
        }
        let (first, rest) = ring.lines();
        assert_eq!([first, rest].concat(), b"4\nfiftyfive\n");
        assert_eq!((ring.len(), ring.n_dropped), (2, 3));
    }
}
