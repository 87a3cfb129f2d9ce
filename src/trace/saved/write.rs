//! Writing a saved trace, from its first byte to its last.

use std::io::{self, Write};

use super::bytes::Writer;
use super::columns::Width;
use super::file::{Part, Section, checksum, end, head};
use super::meta::{write_findings, write_keys, write_schema};
use super::packing::{BLOCK, Coding, Packer, compress};
use crate::trace::Trace;
use crate::trace::chrono::Chronos;
use crate::trace::code_column::Ints;
use crate::trace::column::Codes;
use crate::trace::extra::ExtraColumn;
use crate::trace::list::ListColumn;
use crate::trace::text_column::TextColumn;

/// Texts of a block: many enough to be packed well, and few enough to be unpacked for one of them.
const TEXTS: usize = 512;
/// Bytes of a block of bytes, and of texts if these are long.
const BYTES: usize = 1 << 18;

impl Trace {
    /// Writes the trace so that it can be opened at once. What could not be read of its own file is a [fault](Trace::fault).
    pub fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut saving = Saving { out, offset: 0, meta: Writer::default() };
        saving.bytes(&head())?;
        saving.trace(self)?;
        let meta = std::mem::take(&mut saving.meta).bytes;
        let meta = saving.part(&meta)?;
        saving.bytes(&end(meta))
    }
}

/// A saved trace that is being written.
struct Saving<'a> {
    out: &'a mut dyn Write,
    offset: u64,
    /// What is said about the sections, in the order in which it is read.
    meta: Writer,
}

impl Saving<'_> {
    fn trace(&mut self, trace: &Trace) -> io::Result<()> {
        self.meta.text(trace.origin.format);
        self.meta.text(&trace.origin.path.to_string_lossy());
        self.meta.number(u64::from(trace.n_events));
        self.meta.number(trace.calls.n_calls as u64);
        write_schema(&mut self.meta, &trace.schema);
        write_findings(&mut self.meta, &trace.findings);
        write_keys(&mut self.meta, &trace.keys);
        self.chronos(&trace.chronos)?;
        self.codes(&trace.key_codes, Coding::Plain)?;
        self.postings(trace)?;
        self.codes(&trace.calls.codes, Coding::News)?;
        self.ints(&trace.calls.numbers, Coding::Steps)?;
        self.ints(&trace.depths, Coding::Plain)?;
        self.ints(&trace.line_numbers, Coding::Plain)?;
        let lines = runs(trace);
        self.byte_section(&lines)?;
        self.paths(trace)?;
        self.codes(&trace.path_codes, Coding::Plain)?;
        let args = trace.coded_args();
        self.list(args, &by_key(args, &trace.key_codes))?;
        self.list(&trace.arg_types, &[])?;
        self.list(&trace.arg_names, &[])?;
        self.meta.number(trace.extras.len() as u64);
        trace.extras.iter().try_for_each(|extra| self.extra(extra))
    }

    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.offset += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    fn part(&mut self, bytes: &[u8]) -> io::Result<Part> {
        let part = Part { offset: self.offset, length: length(bytes.len())?, checksum: checksum(bytes) };
        self.bytes(bytes)?;
        Ok(part)
    }

    /// Writes blocks, each with how many values it has, and their directory.
    fn section(&mut self, blocks: impl Iterator<Item = (Vec<u8>, usize)>) -> io::Result<()> {
        let (offset, mut n_values, mut directory) = (self.offset, 0, Vec::new());
        for (block, n_in_block) in blocks {
            let part = self.part(&block)?;
            n_values += n_in_block as u64;
            directory.extend(part.length.to_le_bytes());
            directory.extend(part.checksum.to_le_bytes());
            directory.extend(length(n_in_block)?.to_le_bytes());
        }
        let directory = self.part(&directory)?;
        Section { offset, directory, n_values }.write(&mut self.meta);
        Ok(())
    }

    fn packed(&mut self, codes: &Codes, coding: Coding) -> io::Result<()> {
        let (mut packer, mut numbers) = (Packer::new(coding), Vec::new());
        self.section((0..codes.len()).step_by(BLOCK).map(|start| {
            let rows = start..codes.len().min(start + BLOCK);
            numbers.clear();
            codes.copy_to(rows, &mut numbers);
            (packer.pack(&numbers), numbers.len())
        }))
    }

    fn codes(&mut self, codes: &Codes, coding: Coding) -> io::Result<()> {
        self.meta.number(Width::of(codes) as u64);
        self.meta.number(coding as u64);
        self.packed(codes, coding)
    }

    fn ints(&mut self, column: &Ints, coding: Coding) -> io::Result<()> {
        match column {
            Ints::Small(codes) => self.codes(codes, coding),
            Ints::Wide(values) => {
                self.meta.number(Width::Wide as u64);
                self.meta.number(Coding::Plain as u64);
                self.section(values.chunks(BLOCK).map(|values| {
                    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
                    (compress(&bytes), values.len())
                }))
            }
        }
    }

    fn chronos(&mut self, chronos: &Chronos) -> io::Result<()> {
        match chronos {
            Chronos::Dense(first) => {
                self.meta.option(Some(*first), Writer::signed);
                Ok(())
            }
            Chronos::Sparse(numbers) => {
                self.meta.number(0);
                self.ints(numbers, Coding::Steps)
            }
        }
    }

    /// The lists of all keys, each from a block of its own on.
    fn postings(&mut self, trace: &Trace) -> io::Result<()> {
        let keys = 0..trace.keys.keys.len();
        for key in keys.clone() {
            self.meta.number(trace.postings.count(key) as u64);
            self.meta.number(u64::from(trace.postings.first(key).unwrap_or(0)));
        }
        self.section(keys.flat_map(|key| {
            let mut packer = Packer::new(Coding::Rises);
            trace.postings.of(key).chunks(BLOCK).map(move |rows| (packer.pack(rows), rows.len()))
        }))
    }

    fn byte_section(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.section(bytes.chunks(BYTES).map(|bytes| (compress(bytes), bytes.len())))
    }

    fn paths(&mut self, trace: &Trace) -> io::Result<()> {
        let mut bytes = Writer::default();
        for path in trace.paths.iter() {
            bytes.number(path.len() as u64);
            path.iter().for_each(|step| bytes.text(step.as_str()));
        }
        self.meta.number(trace.paths.len() as u64);
        self.byte_section(&bytes.bytes)
    }

    fn list(&mut self, column: &ListColumn, order: &[u32]) -> io::Result<()> {
        self.codes(&column.codes, Coding::News)?;
        self.texts(&column.texts, order)
    }

    fn extra(&mut self, extra: &ExtraColumn) -> io::Result<()> {
        match extra {
            ExtraColumn::Ints(values) => {
                self.meta.number(0);
                self.ints(values, Coding::Steps)
            }
            ExtraColumn::Mixed(codes, texts) => {
                self.meta.number(1);
                self.codes(codes, Coding::News)?;
                self.texts(texts, &[])
            }
        }
    }

    /// Blocks of the lengths of texts, four bytes each, and the texts; then the place of each, if it is not its number.
    fn texts(&mut self, texts: &TextColumn, order: &[u32]) -> io::Result<()> {
        let mut next = 0;
        self.section(std::iter::from_fn(|| {
            let (mut lengths, mut bytes) = (Vec::new(), Vec::new());
            while next < texts.len() && lengths.len() < TEXTS * 4 && bytes.len() < BYTES {
                let text = texts.at(order.get(next).copied().unwrap_or(next as u32));
                lengths.extend((text.len() as u32).to_le_bytes());
                bytes.extend_from_slice(text.as_bytes());
                next += 1;
            }
            let n_texts = lengths.len() / 4;
            lengths.append(&mut bytes);
            (n_texts > 0).then(|| (compress(&lengths), n_texts))
        }))?;
        let mut places = vec![0; order.len()];
        (0..).zip(order).for_each(|(place, code)| places[*code as usize] = place);
        self.codes(&Codes::U32(places), Coding::Plain)
    }
}

/// The codes of a column, those whose text first occurs with the same key side by side: these are asked for together.
fn by_key(column: &ListColumn, keys: &Codes) -> Vec<u32> {
    let mut key_of = vec![u32::MAX; column.texts.len()];
    for row in 0..column.codes.len() {
        if let Some(code) = column.code(row)
            && key_of[code as usize] == u32::MAX
        {
            key_of[code as usize] = keys.at(row);
        }
    }
    let mut order: Vec<u32> = (0..key_of.len() as u32).collect();
    order.sort_by_key(|code| key_of[*code as usize]);
    order
}

/// A length in 32 bits.
fn length(length: usize) -> io::Result<u32> {
    u32::try_from(length).map_err(|_| io::Error::other("a text is too long to be saved"))
}

/// Rows and lines of the stretches of the source lines, as steps from the ones before.
fn runs(trace: &Trace) -> Vec<u8> {
    let mut bytes = Writer::default();
    let (mut last_row, mut last_line) = (0, 0);
    for (row, line) in trace.source_lines.starts() {
        bytes.number(u64::from(row - last_row));
        bytes.signed(line.wrapping_sub(last_line) as i64);
        (last_row, last_line) = (*row, *line);
    }
    bytes.bytes
}
