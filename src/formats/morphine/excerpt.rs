//! The part of a trace that a question needs: only its events are read, which the heads of lines show, on all cores. Other lines
//! are verified to be fast lines, and the first one that is not makes the trace be read as a whole; or, with `--trust`, they are
//! believed.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::append::{ChunkAppender, ThreadCodes, WantedColumns};
use super::chunk::ChunkLines;
use super::events::{EventReader, GoalPaths};
use super::line_filter::{HeadSummary, Irregular, LineFilter};
use super::rules::LineLayout;
use crate::formats::lines::read_ahead::n_readers;
use crate::formats::lines::{Chunk, StretchReader};
use crate::formats::{ExcerptRequest, Unneeded};
use crate::trace::threads::{Turns, on_threads};
use crate::trace::{SufficientEvents, TraceBuilder};

/// Bytes of the first stretch, whose events are all read: they show which attributes the trace has.
const FIRST: u64 = 1 << 16;
/// Bytes of other stretches: few enough to stay in the cache of a core.
const STRETCH: u64 = 1 << 19;
/// A smaller file is always read to its end, so that what is wrong with it is told.
const LARGE: u64 = 1 << 22;
/// Samples of a file that is believed.
const N_PROBES: u64 = 64;
/// Bytes of a sample.
const PROBE: u64 = 1 << 12;

/// Adds the events that `selection` needs to `builder`, and maybe others; none if the trace must be read as a whole.
pub(crate) fn read(
    file: StretchReader<'_>,
    head: &[u8],
    request: &ExcerptRequest<'_>,
    builder: &mut TraceBuilder,
) -> io::Result<Option<Unneeded>> {
    let selection = request.selection;
    let layout = LineLayout::of(head);
    if layout.has_types {
        return Ok(None);
    }
    let columns = WantedColumns::of(selection);
    let wants = LineFilter::new(selection);
    if columns.args && !wants.are_named() {
        builder.leave_texts_in(file.file.try_clone()?);
    }
    let merge =
        ChunkAppender { reader: EventReader { layout, builder, paths: GoalPaths::default() }, n_lines: 0, columns };
    let pass = Collected { merge, seen: HeadSummary::default(), n_needed: 0, is_over: false, fault: None };
    let (all, nothing) = (LineFilter::all(selection), LineFilter::nothing(selection));
    let mut reading = ExcerptReader { file, wants, all, nothing, request, believed: None };
    if request.unneeded == Unneeded::Believed {
        reading.believe();
    }
    let unneeded = if reading.believed.is_some() { Unneeded::Believed } else { Unneeded::Verified };
    match reading.run(pass) {
        Ok(()) => Ok(Some(unneeded)),
        Err(ExcerptFailure::Irregular) => Ok(None),
        Err(ExcerptFailure::Unreadable(error)) => Err(error),
    }
}

/// Why there is no excerpt.
enum ExcerptFailure {
    Irregular,
    Unreadable(io::Error),
}

impl From<Irregular> for ExcerptFailure {
    fn from(_: Irregular) -> ExcerptFailure {
        ExcerptFailure::Irregular
    }
}

/// The file, and what is read of it.
struct ExcerptReader<'f, 's> {
    file: StretchReader<'f>,
    wants: LineFilter,
    all: LineFilter,
    nothing: LineFilter,
    request: &'s ExcerptRequest<'s>,
    /// A summary of the heads of all lines, if the file is believed.
    believed: Option<HeadSummary>,
}

/// The events so far, in the order of the file.
struct Collected<'b> {
    merge: ChunkAppender<'b>,
    seen: HeadSummary,
    n_needed: usize,
    /// Whether the stretches that come after those that were added do not count.
    is_over: bool,
    fault: Option<ExcerptFailure>,
}

/// A stretch, and a summary of its heads.
struct ReadStretch {
    chunk: Chunk,
    seen: HeadSummary,
}

impl ExcerptReader<'_, '_> {
    fn run(&self, pass: Collected<'_>) -> Result<(), ExcerptFailure> {
        let mut pass = match (self.request.selection.extent, self.believed) {
            (SufficientEvents::Last(most), Some(_)) => self.read_end(pass, most)?,
            (SufficientEvents::Last(most), None) => {
                let pass = self.read_forward(pass)?;
                let seen = pass.seen;
                Collected { seen, ..self.read_end(pass, most)? }
            }
            (SufficientEvents::All | SufficientEvents::First(_), _) => self.read_forward(pass)?,
        };
        pass.seen = self.believed.unwrap_or(pass.seen);
        self.note_size(pass)
    }

    /// Notes how many events the whole trace has, if the question asks for it.
    fn note_size(&self, pass: Collected<'_>) -> Result<(), ExcerptFailure> {
        let selection = self.request.selection;
        if !selection.counts_events {
            return Ok(());
        }
        // a question may go to the last event by this number
        if matches!(selection.extent, SufficientEvents::Last(_)) && !pass.seen.is_numbered_from_1() {
            return Err(ExcerptFailure::Irregular);
        }
        pass.merge.reader.builder.is_part_of(pass.seen.n_events);
        Ok(())
    }

    fn read_forward<'b>(&self, pass: Collected<'b>) -> Result<Collected<'b>, ExcerptFailure> {
        let (next, is_enough, turns) = (AtomicU64::new(0), AtomicBool::new(false), Turns::new(pass));
        let n_threads = if self.file.size > FIRST + STRETCH { n_readers() } else { 1 };
        on_threads(n_threads, || self.work(&next, &is_enough, &turns));
        let mut pass = turns.into_inner();
        match pass.fault.take() {
            Some(fault) => Err(fault),
            None => Ok(pass),
        }
    }

    /// The filter for a stretch.
    fn wants(&self, index: u64, is_enough: bool) -> &LineFilter {
        match self.request.selection.extent {
            SufficientEvents::Last(_) => &self.nothing,
            _ if is_enough => &self.nothing,
            _ if index == 0 => &self.all,
            _ => &self.wants,
        }
    }

    fn work(&self, next: &AtomicU64, is_enough: &AtomicBool, turns: &Turns<Collected<'_>>) {
        let _guard = turns.panic_guard();
        let (mut batch, mut words, mut spent) = (ChunkLines::default(), ThreadCodes::default(), Vec::new());
        let mut has_failed = false;
        while !has_failed {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let stretch = stretch(index);
            if stretch.start >= self.file.size {
                break;
            }
            let wants = self.wants(index, is_enough.load(Ordering::Relaxed));
            let picked = self.pick(stretch, wants, &mut batch, &mut words, spent);
            spent = Vec::new();
            turns.take(index as usize, |pass| {
                if pass.is_over {
                    return;
                }
                let added = picked.and_then(|picked| {
                    self.add(pass, &picked, &mut batch, &mut words)?;
                    spent = picked.chunk.into();
                    Ok(())
                });
                if let Err(fault) = added {
                    pass.fault.get_or_insert(fault);
                }
                has_failed = pass.fault.is_some();
                if matches!(self.request.selection.extent, SufficientEvents::First(most) if pass.n_needed >= most) {
                    is_enough.store(true, Ordering::Relaxed);
                    pass.is_over = self.may_end(pass);
                    if pass.is_over {
                        next.store(self.file.size / STRETCH + 2, Ordering::Relaxed);
                    }
                }
            });
        }
    }

    /// Whether nothing depends on the lines after those that were read: they change no event so far, not even its number.
    fn may_end(&self, pass: &Collected<'_>) -> bool {
        let is_decided = pass.seen.is_numbered_from_1() && !self.request.selection.counts_events;
        self.believed.is_some() || is_decided && self.file.size >= LARGE
    }

    fn pick(
        &self,
        stretch: Range<u64>,
        wants: &LineFilter,
        batch: &mut ChunkLines,
        words: &mut ThreadCodes,
        spent: Vec<u8>,
    ) -> Result<ReadStretch, ExcerptFailure> {
        let chunk =
            self.file.lines(stretch, spent).map_err(ExcerptFailure::Unreadable)?.ok_or(ExcerptFailure::Irregular)?;
        let seen = wants.pick(chunk.text(), batch, &mut words.reader)?;
        Ok(ReadStretch { chunk, seen })
    }

    fn add(
        &self,
        pass: &mut Collected<'_>,
        picked: &ReadStretch,
        batch: &mut ChunkLines,
        words: &mut ThreadCodes,
    ) -> Result<(), ExcerptFailure> {
        if pass.fault.is_some() {
            return Ok(());
        }
        pass.seen.join(picked.seen)?;
        if self.request.selection.extent != SufficientEvents::All {
            pass.n_needed += self.wants.count(batch, &words.reader);
        }
        if self.wants.is_believing() {
            batch.lose_lines();
        }
        pass.merge.chunk(&picked.chunk, batch, words);
        match u64::from(pass.merge.reader.builder.n_events()) > self.request.most_events {
            true => Err(ExcerptFailure::Irregular),
            false => Ok(()),
        }
    }

    /// Reads the end of the file, as far as it has `most` events that are needed.
    fn read_end<'b>(&self, mut pass: Collected<'b>, most: usize) -> Result<Collected<'b>, ExcerptFailure> {
        let (size, all) = (self.file.size, LineFilter::all_ports(self.request.selection));
        let (mut batch, mut words, mut n_bytes) = (ChunkLines::default(), ThreadCodes::default(), FIRST.min(size));
        loop {
            let picked = self.pick(size - n_bytes..size, &all, &mut batch, &mut words, Vec::new())?;
            let n_needed = self.wants.count(&batch, &words.reader);
            if n_needed >= most || n_bytes == size {
                batch.lose_lines();
                pass.merge.chunk(&picked.chunk, &batch, &mut words);
                return Ok(pass);
            }
            let estimate = n_bytes as f64 * 1.1 * most as f64 / n_needed.max(1) as f64;
            n_bytes = (estimate as u64).clamp(n_bytes * 2, n_bytes * 64).min(size);
        }
    }

    /// Believes the file if samples of it are regular: then not every line is verified.
    fn believe(&mut self) {
        let Ok(whole) = self.probe() else { return };
        self.believed = Some(whole);
        self.wants.believe();
    }

    /// A summary of the heads of all lines, inferred from samples of the file and its end.
    fn probe(&self) -> Result<HeadSummary, ExcerptFailure> {
        let (mut batch, mut words, mut spent) = (ChunkLines::default(), ThreadCodes::default(), Vec::new());
        let mut whole = HeadSummary::default();
        for probe in 0..=N_PROBES {
            let last = self.file.size.saturating_sub(PROBE);
            let from = if probe == N_PROBES { last } else { last / N_PROBES * probe };
            let picked = self.pick(from..from + PROBE, &self.all, &mut batch, &mut words, spent)?;
            if !picked.seen.is_dense() {
                return Err(ExcerptFailure::Irregular);
            }
            whole.join(HeadSummary { begun: None, before: None, ..picked.seen })?;
            spent = picked.chunk.into();
        }
        let (first, last) = whole.chronos.ok_or(Irregular)?;
        let n_events = u64::try_from(last - first + 1).map_err(|_| Irregular)?;
        Ok(HeadSummary { n_events, ..whole })
    }
}

fn stretch(index: u64) -> Range<u64> {
    match index {
        0 => 0..FIRST,
        index => FIRST + (index - 1) * STRETCH..FIRST + index * STRETCH,
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::io::Write as _;
    use std::path::Path;

    use super::Unneeded::{Believed, Verified};
    use super::*;
    use crate::formats::morphine::FORMAT;
    use crate::trace::{AttributeId, NeededEvents, Selection, Trace};

    const N_CALLS: i64 = 10_000;

    /// Calls that exit at once.
    fn text() -> String {
        let mut text = String::new();
        for call in 1..=N_CALLS {
            writeln!(text, "{}: {call} [1] call p{}(-) []  4 ", 2 * call - 1, call % 3)
                .expect("strings take everything");
            writeln!(text, "{}: {call} [1] exit p{}({call}) []  4 ", 2 * call, call % 3)
                .expect("strings take everything");
        }
        text
    }

    fn excerpt(text: &str, wanted: NeededEvents, extent: SufficientEvents, unneeded: Unneeded) -> Option<Trace> {
        let mut file = tempfile::tempfile().expect("temporary files can be made");
        file.write_all(text.as_bytes()).expect("temporary files can be written");
        let selection =
            Selection { wanted: vec![wanted], attributes: None, extent, counts_events: true, needs_starts: false };
        let request = ExcerptRequest { selection: &selection, most_events: u64::MAX, unneeded };
        let file = StretchReader { file: &file, size: text.len() as u64, first: b"" };
        let mut builder = TraceBuilder::new(FORMAT.origin(Path::new("test.trace")));
        let known = read(file, text.as_bytes(), &request, &mut builder).expect("the file can be read")?;
        assert_eq!(known, unneeded);
        Some(builder.finish())
    }

    fn calls() -> NeededEvents {
        NeededEvents { ports: Some(vec!["call".into()]), ..NeededEvents::default() }
    }

    fn p1() -> NeededEvents {
        NeededEvents { names: Some(vec!["p1".into()]), arity: Some(1), ..NeededEvents::default() }
    }

    /// Numbers of the events of p1.
    fn chronos(trace: &Trace) -> Vec<i64> {
        let is_p1 = |event: &u32| trace.proc_of(*event).is_some_and(|proc| trace.proc(proc).to_string() == "p1/1");
        (0..trace.n_events()).filter(is_p1).map(|event| trace.chrono(event)).collect()
    }

    #[test]
    fn only_what_is_needed_is_read() {
        let trace = excerpt(&text(), p1(), SufficientEvents::All, Verified).expect("the trace is regular");
        let expected: Vec<i64> =
            (1..=N_CALLS).filter(|call| call % 3 == 1).flat_map(|call| [2 * call - 1, 2 * call]).collect();
        assert_eq!(chronos(&trace), expected);
        assert!(i64::from(trace.n_events()) < N_CALLS, "a third of the events, and those of the first stretch");
        let last = trace.n_events() - 1;
        assert_eq!(trace.source_line(last), Some(2 * N_CALLS as u64));
    }

    #[test]
    fn a_file_that_is_believed_is_searched() {
        let text = text().replace("call p2(-)", "call p2('] call p1(')");
        let asked = excerpt(&text, p1(), SufficientEvents::All, Verified).expect("the trace is regular");
        let believed = excerpt(&text, p1(), SufficientEvents::All, Believed).expect("the trace is regular");
        assert_eq!(chronos(&believed), chronos(&asked));
        assert_eq!(believed.info(|key| key == "events"), asked.info(|key| key == "events"));
        assert_eq!(believed.source_line(believed.n_events() - 1), None);
        let value = |trace: &Trace| format!("{:?}", trace.value(trace.n_events() - 1, AttributeId::ARGS));
        assert_eq!(value(&believed), value(&asked));
    }

    #[test]
    fn the_end_is_read_as_far_as_it_is_needed() {
        let trace = excerpt(&text(), calls(), SufficientEvents::Last(2_000), Believed).expect("the trace is regular");
        let n_events = i64::from(trace.n_events());
        assert!((4_000..8_000).contains(&n_events), "{n_events}");
        let numbers: Vec<i64> = (0..trace.n_events()).map(|event| trace.chrono(event)).collect();
        assert_eq!(numbers, (2 * N_CALLS - n_events + 1..=2 * N_CALLS).collect::<Vec<i64>>());
        assert_eq!(trace.info(|key| key == "events")[0].1, crate::trace::Value::Int(2 * N_CALLS));
    }

    #[test]
    fn the_start_is_read_as_far_as_it_is_needed() {
        let trace = excerpt(&text(), calls(), SufficientEvents::First(10), Believed).expect("the trace is regular");
        assert!(i64::from(trace.n_events()) < N_CALLS, "{}", trace.n_events());
    }

    #[test]
    fn a_trace_that_is_not_regular_is_read_as_a_whole() {
        let text = text();
        let half = text[..text.len() / 2].rfind('\n').expect("there are lines") + 1;
        let (line, rest) = text[half..].split_once('\n').expect("there are lines");
        let with = |middle: &str| format!("{}{middle}{rest}", &text[..half]);
        for (what, text) in [
            ("program output", with(&format!("output\n{line}\n"))),
            ("twice the same", with(&format!("{line}\n{line}\n"))),
            ("a port in capitals", with(&format!("{}\n", line.replace("call", "CALL").replace("exit", "EXIT")))),
            ("two blanks", with(&format!("{}\n", line.replace("] ", "]  ")))),
            ("an end that is none", with(&format!("{line}[ \n"))),
            ("arguments that are not closed", with(&format!("{}\n", line.replacen('(', "(f(", 1)))),
            ("a name in quotes", with(&format!("{}\n", line.replace(" p", " 'p q'")))),
            ("a carriage return", with(&format!("{line}\r\n"))),
            ("a byte of zeros", with(&format!("\0{line}\n"))),
            ("no last line end", text.trim_end().to_string()),
        ] {
            for extent in [SufficientEvents::All, SufficientEvents::First(1), SufficientEvents::Last(1)] {
                assert!(excerpt(&text, p1(), extent, Verified).is_none(), "{what}");
            }
        }
    }

    #[test]
    fn a_gap_is_no_fault() {
        let text = text();
        let from = text.find("5001: ").expect("there is such an event");
        let to = text.find("5003: ").expect("there is such an event");
        let trace = excerpt(&format!("{}{}", &text[..from], &text[to..]), p1(), SufficientEvents::All, Verified);
        let trace = trace.expect("numbers rise");
        assert_eq!(trace.info(|key| key == "events")[0].1, crate::trace::Value::Int(2 * N_CALLS - 2));
    }
}
