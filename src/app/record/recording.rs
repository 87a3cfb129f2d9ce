//! What comes from a recorder, line by line, on its way to the file.

use serde_json::{Map, Value, json};

use super::pack::PackedFile;
use super::ring::Ring;
use super::tally::Tally;
use super::trailer::{End, Trailer, gap, header, with_last};
use crate::recorders::{Limits, StraceLimits};

/// How the lines begin that are no events: header, gap and trailer.
const NO_EVENT: &[u8] = b"{\"papaver\"";
/// How the lines of a log of Erlang begin that name nodes: events that come later need them.
const NODES: &[u8] = b"{seqtap_node,";

/// A recording that goes on.
pub(super) struct Recording {
    /// Where it goes.
    pub(super) file: PackedFile,
    /// What was counted.
    pub(super) tally: Tally,
    /// What the recorder said at its end.
    pub(super) trailer: Trailer,
    kind: &'static str,
    /// What papaver leaves out itself.
    rest: OwnLimits,
    pub(super) limits: Limits,
    /// Whether anything has come, or a header.
    pub(super) has_header: bool,
    /// The beginning of a line whose end has not come.
    partial: Vec<u8>,
}

/// The limits that papaver keeps, and not the recorder.
#[derive(Default)]
pub(super) struct OwnLimits {
    /// The most events.
    pub(super) most: Option<u64>,
    /// The last events, which are written at the end.
    pub(super) ring: Option<Ring>,
    /// What is left out of the lines of strace.
    pub(super) of_lines: Option<StraceLimits>,
}

impl Recording {
    pub(super) fn new(file: PackedFile, kind: &'static str, limits: Limits, rest: OwnLimits) -> Recording {
        Recording {
            file,
            tally: Tally::default(),
            trailer: Trailer::default(),
            kind,
            rest,
            limits,
            has_header: false,
            partial: Vec::new(),
        }
    }

    /// Takes the next bytes of the pipe.
    pub(super) fn take(&mut self, bytes: &[u8]) {
        let Some(end) = memchr::memrchr(b'\n', bytes).map(|at| at + 1) else {
            self.partial.extend_from_slice(bytes);
            return;
        };
        let (whole, rest) = bytes.split_at(end);
        if self.partial.is_empty() {
            self.lines(whole);
        } else {
            let mut first = std::mem::take(&mut self.partial);
            first.extend_from_slice(whole);
            self.lines(&first);
        }
        self.partial = rest.to_vec();
    }

    /// Takes whole lines; those that need no look of their own stay together.
    fn lines(&mut self, lines: &[u8]) {
        let (mut start, mut end) = (0, 0);
        while let Some(length) = memchr::memchr(b'\n', &lines[end..]) {
            let line = end..end + length + 1;
            end = line.end;
            if lines[line.clone()].starts_with(NO_EVENT) {
                self.file.add(&lines[start..line.start]);
                self.state(&lines[line]);
                start = end;
            } else if !self.event(&lines[line.clone()]) {
                self.file.add(&lines[start..line.start]);
                start = end;
            }
        }
        self.file.add(&lines[start..end]);
    }

    /// Takes an event; returns whether it is to be written now, as it is.
    fn event(&mut self, line: &[u8]) -> bool {
        if !self.has_header {
            self.has_header = true;
            self.file.add(&header(self.kind, &self.limits, self.last()));
        }
        if line.starts_with(NODES) {
            return true;
        }
        let Some(limits) = &mut self.rest.of_lines else { return self.keep(line) };
        let kept = limits.take(line);
        self.keep_all(&kept);
        false
    }

    /// The most events at the end, if only these are kept.
    fn last(&self) -> Option<u64> {
        self.rest.ring.as_ref().map(Ring::most)
    }

    /// Takes what remains of lines.
    fn keep_all(&mut self, lines: &[Vec<u8>]) {
        for line in lines {
            if self.keep(line) {
                self.file.add(line);
            }
        }
    }

    /// Counts an event; returns whether it is to be written now.
    fn keep(&mut self, line: &[u8]) -> bool {
        if self.is_full() {
            self.tally.n_cut += 1;
            return false;
        }
        self.tally.line(line);
        match &mut self.rest.ring {
            Some(ring) => ring.push(line),
            None => return true,
        }
        false
    }

    /// Takes a header, a gap or a trailer.
    fn state(&mut self, line: &[u8]) {
        if self.trailer.take(line) {
            return;
        }
        let is_gap = memchr::memmem::find(line, b"\"gap\"").is_some();
        if is_gap || !self.has_header {
            self.has_header = true;
            match self.last().filter(|_| !is_gap) {
                Some(last) => self.file.add(&with_last(line, last)),
                None => self.file.add(line),
            }
        }
    }

    /// Writes what has come so far.
    pub(super) fn save(&mut self) {
        self.file.close_block();
    }

    /// Whether no more is wanted.
    pub(super) fn is_full(&self) -> bool {
        self.rest.most.is_some_and(|most| self.tally.n_events >= most)
    }

    /// The number of events that are left out at the beginning.
    pub(super) fn n_dropped(&self) -> u64 {
        self.rest.ring.as_ref().map_or(0, |ring| ring.n_dropped)
    }

    /// The number of events in the file.
    pub(super) fn n_kept(&self) -> u64 {
        self.rest.ring.as_ref().map_or(self.tally.n_events, |ring| ring.len() as u64)
    }

    /// What each limit left out, as the recorder says, or as papaver saw; `true` is a count that nobody knows.
    pub(super) fn left_out(&self) -> Map<String, Value> {
        let (is_text, n_dropped, n_texts) = (self.tally.is_text, self.n_dropped(), self.tally.n_texts);
        let seen = [
            ("max_events", self.is_full().then(|| json!(true))),
            ("last", (n_dropped > 0).then(|| json!(n_dropped))),
            ("only", (is_text && !self.limits.only.is_empty()).then(|| json!(true))),
            ("skip", (is_text && !self.limits.skip.is_empty()).then(|| json!(true))),
            ("text", (n_texts > 0).then(|| json!(n_texts))),
        ];
        let seen = seen.into_iter().filter_map(|(limit, count)| Some((limit, count?)));
        let of_lines = self.rest.of_lines.iter().flat_map(StraceLimits::left_out);
        let of_lines = of_lines.map(|(limit, count)| (limit, count.map_or(json!(true), |count| json!(count))));
        let mut left_out = self.trailer.left_out();
        for (limit, count) in seen.chain(of_lines) {
            left_out.entry(limit).or_insert(count);
        }
        left_out
    }

    /// Writes the end. A line that is not whole is no event, but one that is lost.
    pub(super) fn finish(&mut self, mut end: End) {
        if !self.has_header {
            return self.file.close_block();
        }
        let rest = self.rest.of_lines.as_mut().map(StraceLimits::rest).unwrap_or_default();
        self.keep_all(&rest);
        end.is_cut = self.is_full();
        end.n_partial = u64::from(!self.partial.is_empty() && !end.is_cut);
        if let Some(ring) = &self.rest.ring {
            if ring.n_dropped > 0 {
                self.file.add(&gap(ring.n_dropped));
            }
            let (first, rest) = ring.lines();
            self.file.add(first);
            self.file.add(rest);
        }
        let line = self.trailer.line(&self.tally, self.n_kept(), self.left_out(), &end);
        self.file.add(&line);
        self.file.close_block();
    }
}
