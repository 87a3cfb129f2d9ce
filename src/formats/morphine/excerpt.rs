//! Reading only the events that a question needs: heads of lines tell which these are, on all cores, or from the end of the file.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::batch::Batch;
use super::layout::Layout;
use super::merge::{Columns, Merge, Words};
use super::pick::{Irregular, Seen, Wants};
use super::{Paths, Reader};
use crate::formats::Request;
use crate::formats::lines::{Chunk, Stretches};
use crate::formats::turns::{self, Turns};
use crate::trace::{AttributeId, Extent, TraceBuilder};

/// Bytes of the first stretch, whose events are all read: they show what the events of the trace have.
const FIRST: u64 = 1 << 16;
/// Bytes of the others: few enough to stay in the cache of a core.
const STRETCH: u64 = 1 << 19;
/// Files of as many bytes are believed to be regular if some places of them are: then only lines are looked at in which
/// something needed is found. In smaller ones every line is.
const BELIEVED: u64 = 1 << 26;
/// How many places these are.
const N_PROBES: u64 = 64;
/// Bytes at each place.
const PROBE: u64 = 1 << 12;

/// Adds the events to `builder` that `selection` needs, and maybe others; none if the trace has to be read as a whole.
pub fn read(
    file: Stretches<'_>,
    head: &[u8],
    request: &Request<'_>,
    builder: &mut TraceBuilder,
) -> io::Result<Option<()>> {
    read_believing(file, head, request, BELIEVED, builder)
}

/// The same, where files of `believed` bytes are believed.
fn read_believing(
    file: Stretches<'_>,
    head: &[u8],
    request: &Request<'_>,
    believed: u64,
    builder: &mut TraceBuilder,
) -> io::Result<Option<()>> {
    let selection = request.selection;
    let layout = Layout::of(head);
    if layout.has_types {
        return Ok(None);
    }
    let columns = Columns {
        calls: selection.asks(&[AttributeId::CALL]) || selection.needs_starts,
        places: selection.asks(&[AttributeId::GOAL_PATH, AttributeId::LINE_NUMBER]),
        args: selection.asks(&[AttributeId::ARGS]),
    };
    let wants = Wants::new(selection);
    if columns.args && !wants.are_named() {
        builder.leave_texts_in(file.file.try_clone()?);
    }
    let merge = Merge { reader: Reader { layout, builder, paths: Paths::default() }, n_lines: 0, columns };
    let pass = Pass { merge, seen: Seen::default(), n_needed: 0, fault: None };
    let all = Wants::all(selection);
    let mut reading = Reading { file, wants, all, request, whole: None };
    if file.size >= believed {
        reading.believe();
    }
    match reading.run(pass) {
        Ok(()) => Ok(Some(())),
        Err(Fault::Irregular) => Ok(None),
        Err(Fault::Unreadable(error)) => Err(error),
    }
}

/// Why events cannot be picked.
enum Fault {
    Irregular,
    Unreadable(io::Error),
}

impl From<Irregular> for Fault {
    fn from(_: Irregular) -> Fault {
        Fault::Irregular
    }
}

/// What is read, and for what.
struct Reading<'f, 's> {
    file: Stretches<'f>,
    wants: Wants,
    all: Wants,
    request: &'s Request<'s>,
    /// What the heads of all lines say, if the file is believed.
    whole: Option<Seen>,
}

/// What comes of it, in the order of the file.
struct Pass<'b> {
    merge: Merge<'b>,
    seen: Seen,
    n_needed: usize,
    fault: Option<Fault>,
}

/// A stretch that was read.
struct Picked {
    chunk: Chunk,
    seen: Seen,
}

impl Reading<'_, '_> {
    fn run(&self, mut pass: Pass<'_>) -> Result<(), Fault> {
        let pass = match self.request.selection.extent {
            Extent::Last(_) if self.whole.is_none() => return Err(Fault::Irregular),
            Extent::Last(most) => {
                self.read_end(&mut pass, most)?;
                pass
            }
            Extent::All | Extent::First(_) => self.read_forward(pass)?,
        };
        if self.request.selection.counts_events {
            let builder = pass.merge.reader.builder;
            let seen = self.whole.unwrap_or(pass.seen);
            if !seen.is_dense() || seen.is_cut || builder.has_findings() {
                return Err(Fault::Irregular);
            }
            builder.is_part_of(seen.n_events);
        }
        Ok(())
    }

    fn read_forward<'b>(&self, pass: Pass<'b>) -> Result<Pass<'b>, Fault> {
        let (next, is_done, turns) = (AtomicU64::new(0), AtomicBool::new(false), Turns::new(pass));
        let n_threads = if self.file.size > FIRST + STRETCH { turns::n_cores() } else { 1 };
        turns::on_threads(n_threads, || self.work(&next, &is_done, &turns));
        let mut pass = turns.into_inner();
        match pass.fault.take() {
            Some(fault) => Err(fault),
            None => Ok(pass),
        }
    }

    fn work(&self, next: &AtomicU64, is_done: &AtomicBool, turns: &Turns<Pass<'_>>) {
        let _leaving = turns.leaving();
        let (mut batch, mut words, mut spent) = (Batch::default(), Words::default(), Vec::new());
        while !is_done.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let stretch = stretch(index);
            if stretch.start >= self.file.size {
                break;
            }
            let wants = if index == 0 { &self.all } else { &self.wants };
            let picked = self.pick(stretch, wants, &mut batch, &mut words, spent);
            spent = Vec::new();
            turns.take(index as usize, |pass| {
                let added = picked.and_then(|picked| {
                    self.add(pass, &picked, &mut batch, &mut words)?;
                    spent = picked.chunk.into_buffer();
                    Ok(())
                });
                if let Err(fault) = added {
                    pass.fault.get_or_insert(fault);
                }
                let is_enough = matches!(self.request.selection.extent, Extent::First(most) if pass.n_needed >= most);
                if pass.fault.is_some() || is_enough {
                    is_done.store(true, Ordering::Relaxed);
                }
            });
        }
    }

    fn pick(
        &self,
        stretch: Range<u64>,
        wants: &Wants,
        batch: &mut Batch,
        words: &mut Words,
        spent: Vec<u8>,
    ) -> Result<Picked, Fault> {
        let chunk = self.file.lines(stretch, spent).map_err(Fault::Unreadable)?.ok_or(Fault::Irregular)?;
        let seen = wants.pick(chunk.text(), batch, &mut words.reader)?;
        Ok(Picked { chunk, seen })
    }

    fn add(&self, pass: &mut Pass<'_>, picked: &Picked, batch: &mut Batch, words: &mut Words) -> Result<(), Fault> {
        if pass.fault.is_some() {
            return Ok(());
        }
        pass.seen.join(picked.seen)?;
        if self.request.selection.extent != Extent::All {
            pass.n_needed += self.wants.count(batch, &words.reader);
        }
        if self.wants.is_believing() {
            lose_lines(batch)?;
        }
        pass.merge.chunk(&picked.chunk, batch, words);
        match u64::from(pass.merge.reader.builder.n_events()) > self.request.most_events {
            true => Err(Fault::Irregular),
            false => Ok(()),
        }
    }

    /// Reads as much of the end of the file as has `most` events that are needed.
    fn read_end(&self, pass: &mut Pass<'_>, most: usize) -> Result<(), Fault> {
        let (size, all) = (self.file.size, Wants::all_ports(self.request.selection));
        let (mut batch, mut words, mut n_bytes) = (Batch::default(), Words::default(), FIRST.min(size));
        loop {
            let stretch = size - n_bytes..size;
            let picked = self.pick(stretch, &all, &mut batch, &mut words, Vec::new())?;
            let n_needed = self.wants.count(&batch, &words.reader);
            if n_needed >= most || n_bytes == size {
                pass.seen.join(picked.seen)?;
                lose_lines(&mut batch)?;
                pass.merge.chunk(&picked.chunk, &batch, &mut words);
                return Ok(());
            }
            let estimate = n_bytes as f64 * 1.1 * most as f64 / n_needed.max(1) as f64;
            n_bytes = (estimate as u64).clamp(n_bytes * 2, n_bytes * 64).min(size);
        }
    }

    /// Believes the file if some places of it are regular: then not every line has to be looked at.
    fn believe(&mut self) {
        let Ok(whole) = self.probe() else { return };
        self.whole = Some(whole);
        self.wants.believe();
    }

    /// What the heads of all lines say, as some places of the file and its end show it.
    fn probe(&self) -> Result<Seen, Fault> {
        let (mut batch, mut words, mut spent) = (Batch::default(), Words::default(), Vec::new());
        let mut whole = Seen::default();
        for probe in 0..=N_PROBES {
            let last = self.file.size.saturating_sub(PROBE);
            let from = if probe == N_PROBES { last } else { last / N_PROBES * probe };
            let picked = self.pick(from..from + PROBE, &self.all, &mut batch, &mut words, spent)?;
            if !picked.seen.is_dense() || picked.seen.is_cut || !batch.odd.is_empty() {
                return Err(Fault::Irregular);
            }
            whole.join(Seen { begun: None, before: None, ..picked.seen })?;
            spent = picked.chunk.into_buffer();
        }
        let (first, last) = whole.chronos.ok_or(Irregular)?;
        let n_events = u64::try_from(last - first + 1).map_err(|_| Irregular)?;
        Ok(Seen { n_events, ..whole })
    }
}

/// Where lines are not counted, those that need the general reader, which tells on which line a fault is, are not read.
fn lose_lines(batch: &mut Batch) -> Result<(), Irregular> {
    batch.lose_lines();
    if batch.odd.is_empty() { Ok(()) } else { Err(Irregular) }
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

    use super::*;
    use crate::formats::morphine::FORMAT;
    use crate::trace::{Selection, Trace, Wanted};

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

    fn excerpt(text: &str, wanted: Wanted, extent: Extent, believed: u64) -> Option<Trace> {
        let mut file = tempfile::tempfile().expect("temporary files can be made");
        file.write_all(text.as_bytes()).expect("temporary files can be written");
        let selection =
            Selection { wanted: vec![wanted], attributes: None, extent, counts_events: true, needs_starts: false };
        let request = Request { selection: &selection, most_events: u64::MAX };
        let file = Stretches { file: &file, size: text.len() as u64 };
        let mut builder = TraceBuilder::new(FORMAT.origin(Path::new("test.trace")));
        read_believing(file, text.as_bytes(), &request, believed, &mut builder).expect("the file can be read")?;
        Some(builder.finish())
    }

    fn calls() -> Wanted {
        Wanted { ports: Some(vec!["call".into()]), ..Wanted::default() }
    }

    fn p1() -> Wanted {
        Wanted { names: Some(vec!["p1".into()]), arity: Some(1), ..Wanted::default() }
    }

    /// Numbers of the events that there are of p1.
    fn chronos(trace: &Trace) -> Vec<i64> {
        let is_p1 = |event: &u32| trace.proc_of(*event).is_some_and(|proc| trace.proc(proc).to_string() == "p1/1");
        (0..trace.n_events()).filter(is_p1).map(|event| trace.chrono(event)).collect()
    }

    #[test]
    fn only_what_is_needed_is_read() {
        let trace = excerpt(&text(), p1(), Extent::All, u64::MAX).expect("the trace is regular");
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
        let asked = excerpt(&text, p1(), Extent::All, u64::MAX).expect("the trace is regular");
        let believed = excerpt(&text, p1(), Extent::All, 0).expect("the trace is regular");
        assert_eq!(chronos(&believed), chronos(&asked));
        assert_eq!(believed.info(|key| key == "events"), asked.info(|key| key == "events"));
        assert_eq!(believed.source_line(believed.n_events() - 1), None);
        let value = |trace: &Trace| format!("{:?}", trace.value(trace.n_events() - 1, AttributeId::ARGS));
        assert_eq!(value(&believed), value(&asked));
    }

    #[test]
    fn the_end_is_read_as_far_as_it_is_needed() {
        let trace = excerpt(&text(), calls(), Extent::Last(2_000), 0).expect("the trace is regular");
        let n_events = i64::from(trace.n_events());
        assert!((4_000..8_000).contains(&n_events), "{n_events}");
        let numbers: Vec<i64> = (0..trace.n_events()).map(|event| trace.chrono(event)).collect();
        assert_eq!(numbers, (2 * N_CALLS - n_events + 1..=2 * N_CALLS).collect::<Vec<i64>>());
        assert_eq!(trace.info(|key| key == "events")[0].1, crate::trace::Value::Int(2 * N_CALLS));
    }

    #[test]
    fn the_start_is_read_as_far_as_it_is_needed() {
        let trace = excerpt(&text(), calls(), Extent::First(10), 0).expect("the trace is regular");
        assert!(i64::from(trace.n_events()) < N_CALLS, "{}", trace.n_events());
    }

    #[test]
    fn a_trace_that_is_not_regular_is_read_as_a_whole() {
        let text = text();
        let half = text[..text.len() / 2].rfind('\n').expect("there are lines") + 1;
        let gap: Vec<&str> = text[half..].splitn(2, '\n').collect();
        for (what, text) in [
            ("program output", format!("{}output\n{}", &text[..half], &text[half..])),
            ("a gap", format!("{}{}", &text[..half], gap[1])),
            ("twice the same", format!("{}{}\n{}", &text[..half], gap[0], &text[half..])),
        ] {
            assert!(excerpt(&text, p1(), Extent::All, u64::MAX).is_none(), "{what}");
        }
    }
}
