//! Writing a saved trace.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::meta::{write_findings, write_keys, write_recording, write_schema};
use super::numbering::TextNumbering;
use super::section_writer::{BYTES, Saving};
use crate::term::Atom;
use crate::trace::column::code_column::Ints;
use crate::trace::column::codes::{Codes, Runs};
use crate::trace::column::extra_column::ExtraColumn;
use crate::trace::column::int_column::{ABSENT, IntColumn};
use crate::trace::column::list_column::ListColumn;
use crate::trace::column::packed::{StoredOrder, Width};
use crate::trace::column::postings::Postings;
use crate::trace::column::scale::Scale;
use crate::trace::column::text_column::TextColumn;
use crate::trace::event::EventId;
use crate::trace::file::bytes::Encoder;
use crate::trace::file::packing::{BLOCK, Coding, compress, pack};
use crate::trace::relation::chrono::Chronos;
use crate::trace::relation::source_places::{RecordNumbers, SourcePlaces, StoredPlaces};
use crate::trace::relation::store::Trace;
use crate::trace::threads::n_cores;

/// How many texts a block has: enough to pack well, and few enough to unpack for one of them.
const TEXTS: usize = 512;

impl Trace {
    /// Writes the trace so that it opens at once; an error if a part of the file that it comes from cannot be read. Each
    /// part of the trace is dropped when it was written, so that its memory is free for the dictionaries.
    pub(crate) fn save(self, out: &mut dyn Write) -> io::Result<()> {
        self.save_on(n_cores(), out)
    }

    /// As `save`, on this many threads; the bytes do not depend on their number.
    pub(crate) fn save_on(self, n_threads: usize, out: &mut dyn Write) -> io::Result<()> {
        let mut saving = Saving::begin(out, n_threads)?;
        saving.trace(self)?;
        saving.end()
    }
}

/// The events of a trace, key by key, in ranges of one block each.
struct ByKey<'a> {
    keys: &'a Codes,
    blocks: Vec<&'a [EventId]>,
}

impl<'a> ByKey<'a> {
    fn new(n_keys: usize, keys: &'a Codes, postings: &'a Postings) -> ByKey<'a> {
        let blocks = (0..n_keys).flat_map(|key| postings.of(key).chunks(BLOCK));
        ByKey { keys, blocks: blocks.collect() }
    }
}

impl Saving<'_> {
    fn trace(&mut self, trace: Trace) -> io::Result<()> {
        let lines = runs(&trace.source_lines);
        let Trace { keys, key_codes, postings, calls, depths, line_numbers, paths, path_codes, args, extras, .. } =
            trace;
        self.meta.text(trace.origin.format);
        self.meta.text(&trace.origin.path.to_string_lossy());
        self.meta.number(u64::from(trace.n_events));
        self.meta.number(calls.n_calls as u64);
        write_schema(&mut self.meta, &trace.schema);
        write_findings(&mut self.meta, &trace.findings);
        write_keys(&mut self.meta, &keys);
        self.chronos(&trace.chronos)?;
        let by_key = ByKey::new(keys.keys.len(), &key_codes, &postings);
        self.codes(&key_codes, Coding::Plain)?;
        self.postings(keys.keys.len(), &postings, &by_key)?;
        self.codes(&calls.codes, Coding::News)?;
        self.ints(&calls.numbers, Coding::Steps)?;
        drop(calls);
        self.ints_by_key(&depths, &by_key)?;
        drop(depths);
        self.ints_by_key(&line_numbers, &by_key)?;
        drop(line_numbers);
        self.byte_section(&lines)?;
        drop(lines);
        self.places(trace.source_places, trace.n_events)?;
        self.paths(&paths)?;
        self.codes_by_key(&path_codes, &by_key, |code| code)?;
        drop(path_codes);
        for ListColumn { codes, texts } in [args.coded(), &trace.arg_types, &trace.arg_names] {
            self.dictionary(codes, texts, &by_key)?;
        }
        let fault = args.fault().map(str::to_owned);
        drop(args);
        self.meta.number(extras.len() as u64);
        extras.into_iter().try_for_each(|extra| self.extra(&extra, &by_key))?;
        write_recording(&mut self.meta, &trace.recording);
        let fault = trace.saved.as_ref().and_then(|saved| saved.fault().map(str::to_owned)).or(fault);
        fault.map_or(Ok(()), |fault| Err(io::Error::other(fault)))
    }

    fn column(&mut self, width: Width, coding: Coding, order: StoredOrder) {
        [width as u64, coding as u64, order as u64].into_iter().for_each(|number| self.meta.number(number));
    }

    fn codes(&mut self, codes: &Codes, coding: Coding) -> io::Result<()> {
        self.column(Width::of(codes), coding, StoredOrder::Rows);
        let n_blocks = codes.len().div_ceil(BLOCK);
        let befores = befores(codes, coding);
        self.packed(n_blocks, coding, |block| (befores[block], numbers(codes, block)))
    }

    fn codes_by_key(
        &mut self,
        codes: &Codes,
        by_key: &ByKey<'_>,
        number: impl Fn(u32) -> u32 + Sync,
    ) -> io::Result<()> {
        self.column(Width::of(codes), Coding::Plain, StoredOrder::Keys);
        let n_blocks = if codes.len() == 0 { 0 } else { by_key.blocks.len() };
        self.packed(n_blocks, Coding::Plain, |block| {
            let rows = by_key.blocks[block].iter();
            (0, rows.map(|row| number(codes.at(*row as usize))).collect())
        })
    }

    /// Writes blocks of numbers, each with the state that it begins with; returns whether all numbers are above 0.
    fn packed(
        &mut self,
        n_blocks: usize,
        coding: Coding,
        numbers: impl Fn(usize) -> (u32, Vec<u32>) + Sync,
    ) -> io::Result<()> {
        let is_full = AtomicBool::new(true);
        self.section(n_blocks, |block| {
            let (before, numbers) = numbers(block);
            if numbers.contains(&0) {
                is_full.store(false, Relaxed);
            }
            (pack(coding, before, &numbers), numbers.len())
        })?;
        self.meta.number(u64::from(is_full.into_inner()));
        Ok(())
    }

    fn ints(&mut self, column: &Ints, coding: Coding) -> io::Result<()> {
        match column {
            Ints::Coded(codes, scale) => {
                self.codes(codes, coding)?;
                self.scale(scale);
                Ok(())
            }
            Ints::Lazy(_, column) => self.ints(column, coding),
            Ints::Wide(values) => {
                self.column(Width::Wide, Coding::Plain, StoredOrder::Rows);
                self.section(values.len().div_ceil(BLOCK), |block| {
                    let values = &values[rows(values.len(), block)];
                    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
                    (compress(&bytes), values.len())
                })?;
                self.meta.number(u64::from(!values.contains(&ABSENT)));
                Ok(())
            }
        }
    }

    fn scale(&mut self, scale: &Scale) {
        self.meta.signed(scale.first());
        self.meta.number(scale.step());
    }

    fn ints_by_key(&mut self, column: &Ints, by_key: &ByKey<'_>) -> io::Result<()> {
        match column {
            Ints::Coded(codes, scale) => {
                self.codes_by_key(codes, by_key, |code| code)?;
                self.scale(scale);
                Ok(())
            }
            Ints::Wide(_) => self.ints(column, Coding::Plain),
            Ints::Lazy(_, column) => self.ints_by_key(column, by_key),
        }
    }

    fn chronos(&mut self, chronos: &Chronos) -> io::Result<()> {
        match chronos {
            Chronos::Dense(first) => {
                self.meta.option(Some(*first), Encoder::signed);
                Ok(())
            }
            Chronos::Sparse(numbers) => {
                self.meta.number(0);
                self.ints(numbers, Coding::Steps)
            }
        }
    }

    /// Writes the lists of all keys; each list begins with a new block.
    fn postings(&mut self, n_keys: usize, postings: &Postings, by_key: &ByKey<'_>) -> io::Result<()> {
        for key in 0..n_keys {
            self.meta.number(postings.count(key) as u64);
            self.meta.number(u64::from(postings.first(key).unwrap_or(0)));
        }
        self.section(by_key.blocks.len(), |block| {
            let rows = by_key.blocks[block];
            // the first number is stored as 0 so that its group is as narrow as the others
            (pack(Coding::Rises, rows[0], rows), rows.len())
        })
    }

    fn paths(&mut self, paths: &[Box<[Atom]>]) -> io::Result<()> {
        let mut bytes = Encoder::default();
        for path in paths {
            bytes.number(path.len() as u64);
            path.iter().for_each(|step| bytes.text(step.as_str()));
        }
        self.meta.number(paths.len() as u64);
        self.byte_section(&bytes.bytes)
    }

    fn extra(&mut self, extra: &ExtraColumn, by_key: &ByKey<'_>) -> io::Result<()> {
        match extra {
            ExtraColumn::Ints(values) => {
                self.meta.number(0);
                self.ints(values, Coding::Steps)
            }
            ExtraColumn::Mixed(codes, texts) => {
                self.meta.number(1);
                self.dictionary(codes, texts, by_key)
            }
            ExtraColumn::Lazy(_, column) => self.extra(column, by_key),
        }
    }

    /// Writes codes and their texts, renumbered so that texts that are read together are neighbours.
    fn dictionary(&mut self, codes: &Codes, texts: &TextColumn, by_key: &ByKey<'_>) -> io::Result<()> {
        let numbering = TextNumbering::new(codes, texts.len(), by_key.keys);
        self.codes_by_key(codes, by_key, |code| numbering.number(code))?;
        self.texts(texts, &numbering.order)
    }

    /// Writes blocks of texts; each block ends with the lengths of its texts, in four bytes each.
    fn texts(&mut self, texts: &TextColumn, order: &[u32]) -> io::Result<()> {
        let blocks = text_blocks(texts, order);
        self.section(blocks.len(), |block| {
            let (mut bytes, mut lengths) = (Vec::with_capacity(BYTES), Vec::with_capacity(TEXTS * 4));
            for text in blocks[block].iter().map(|code| texts.at(*code)) {
                bytes.extend_from_slice(text.as_bytes());
                lengths.extend((text.len() as u32).to_le_bytes());
            }
            bytes.append(&mut lengths);
            (compress(&bytes), blocks[block].len())
        })
    }
}

/// The rows of a block.
fn rows(n_rows: usize, block: usize) -> Range<usize> {
    block * BLOCK..n_rows.min((block + 1) * BLOCK)
}

fn numbers(codes: &Codes, block: usize) -> Vec<u32> {
    let mut numbers = Vec::with_capacity(BLOCK);
    codes.copy_to(rows(codes.len(), block), &mut numbers);
    numbers
}

/// The state with which each block begins.
fn befores(codes: &Codes, coding: Coding) -> Vec<u32> {
    let n_blocks = codes.len().div_ceil(BLOCK);
    if coding == Coding::Plain {
        return vec![0; n_blocks];
    }
    let mut before = 0;
    let next = |block| {
        let next = coding.after(before, &numbers(codes, block));
        std::mem::replace(&mut before, next)
    };
    (0..n_blocks).map(next).collect()
}

/// The codes of the texts of each block.
fn text_blocks<'a>(texts: &TextColumn, order: &'a [u32]) -> Vec<&'a [u32]> {
    let mut blocks = Vec::new();
    let mut rest = order;
    while !rest.is_empty() {
        let mut n_bytes = 0;
        let fits = |code: &&u32| {
            let has_room = n_bytes < BYTES;
            n_bytes += texts.at(**code).len();
            has_room
        };
        let (block, after) = rest.split_at(rest.iter().take(TEXTS).take_while(fits).count());
        blocks.push(block);
        rest = after;
    }
    blocks
}

impl Saving<'_> {
    /// Writes where records begin, and which one each event comes from.
    fn places(&mut self, places: Option<SourcePlaces>, n_events: EventId) -> io::Result<()> {
        let Some(places) = places else {
            self.meta.number(StoredPlaces::None as u64);
            return Ok(());
        };
        match &places.records {
            RecordNumbers::Attribute(id, first) => {
                self.meta.number(StoredPlaces::ByAttribute as u64);
                self.meta.number(id.index() as u64);
                self.meta.signed(*first);
            }
            RecordNumbers::Function(record) => {
                self.meta.number(StoredPlaces::ByEvent as u64);
                let mut numbers = IntColumn::default();
                let events = (0..n_events).filter_map(|event| Some((event, record(event)?)));
                events.for_each(|(event, record)| numbers.set(event as usize, i64::from(record)));
                numbers.finish(n_events as usize);
                self.ints(&numbers.into(), Coding::Plain)?;
            }
        }
        self.byte_section(places.table.steps())
    }
}

/// The rows and lines of the runs of source lines, each as its difference from the previous one.
fn runs(source_lines: &Runs) -> Vec<u8> {
    let mut bytes = Encoder::default();
    let (mut last_row, mut last_line) = (0, 0);
    for (row, line) in source_lines.starts() {
        bytes.number(u64::from(row - last_row));
        bytes.signed(line.wrapping_sub(last_line) as i64);
        (last_row, last_line) = (*row, *line);
    }
    bytes.bytes
}
