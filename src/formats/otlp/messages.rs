//! Messages with their lengths before them, as the collector's file exporter writes them: four bytes, the highest first.
//! Each may be packed by itself.

use std::borrow::Cow;
use std::io::Read;
use std::ops::Range;
use std::sync::Mutex;

use super::{document, protobuf};
use crate::formats::json::document::DocumentPart;
use crate::formats::lines::{Lines, input, read_ahead};
use crate::formats::spans::SpanRecords;
use crate::trace::SourcePlace;
use crate::trace::threads::{Turns, lock, on_threads};

/// The greatest first byte of a length; no text begins with such a byte.
const MOST_FIRST: u8 = 8;
const LENGTH_BYTES: usize = 4;

/// Whether a file begins with a message.
pub(crate) fn begins(head: &[u8]) -> bool {
    head.first().is_some_and(|first| *first <= MOST_FIRST)
}

/// Whether a file is one message of protobuf without its length: its first field has resources, and no JSON follows the
/// line end that this byte could be.
pub(crate) fn is_bare(head: &[u8]) -> bool {
    head.first() == Some(&0x0A) && !matches!(head.trim_ascii_start().first(), None | Some(b'{' | b'['))
}

/// Reads a file that is one message of protobuf.
pub(crate) fn read_bare(lines: &mut Lines, records: &mut SpanRecords) {
    lines.fill_to(usize::MAX);
    let mut of_message = SpanRecords::default();
    let place = MessagePlace { number: 1, offset: Some(lines.offset()) };
    protobuf::read(lines.take_bytes(usize::MAX), place, &mut of_message);
    records.join(&of_message, DocumentPart::default());
}

/// Where a message is in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MessagePlace {
    /// From 1.
    pub(crate) number: u64,
    /// The byte in the file at which it begins, after its length; none if it is packed by itself.
    pub(crate) offset: Option<u64>,
}

impl MessagePlace {
    /// The place of a byte of the message, counted from 0.
    pub(crate) fn at(self, byte: u64) -> SourcePlace {
        let MessagePlace { number: line, offset } = self;
        match offset {
            Some(offset) => SourcePlace { line, column: byte + 1, offset: offset + byte },
            None => SourcePlace { line, ..SourcePlace::default() },
        }
    }
}

/// Several messages in one buffer.
#[derive(Default)]
struct MessageBatch {
    bytes: Vec<u8>,
    messages: Vec<Range<usize>>,
    /// The number of messages before.
    n_before: u64,
    /// Where the first one begins in the file, after its length.
    offset: u64,
    /// What follows that is no whole message.
    cut: Option<&'static str>,
}

/// Reads all messages, on all cores.
pub(crate) fn read(lines: &mut Lines, records: &mut SpanRecords) {
    let n_threads = read_ahead::n_threads(lines);
    let turns = Turns::new(|batch: &SpanRecords| records.join(batch, DocumentPart::default()));
    let source = Mutex::new((lines, 0, false, 0));
    let next = || {
        let (lines, n_messages, is_cut, n_given) = &mut *lock(&source);
        if *is_cut {
            return None;
        }
        let batch = next_batch(lines, *n_messages)?;
        *n_messages += batch.messages.len() as u64;
        *is_cut = batch.cut.is_some();
        *n_given += 1;
        Some((*n_given - 1, batch))
    };
    on_threads(n_threads, || {
        let _guard = turns.panic_guard();
        while let Some((index, batch)) = next() {
            let read = batch.read();
            turns.take(index, |take| take(&read));
        }
    });
}

/// The next messages, about as many bytes as a chunk of lines has; none at the end.
fn next_batch(lines: &mut Lines, n_before: u64) -> Option<MessageBatch> {
    let offset = lines.offset() + LENGTH_BYTES as u64;
    let mut batch = MessageBatch { n_before, offset, ..MessageBatch::default() };
    while batch.bytes.len() < lines.chunk_bytes {
        lines.fill_to(LENGTH_BYTES);
        let Some(length) = lines.head().first_chunk::<LENGTH_BYTES>().copied() else {
            batch.cut = (!lines.head().is_empty()).then_some("the file ends inside of a length");
            break;
        };
        let length = u32::from_be_bytes(length) as usize;
        lines.fill_to(LENGTH_BYTES + length);
        if lines.head().len() < LENGTH_BYTES + length {
            batch.cut = Some("the file ends inside of a message");
            break;
        }
        let start = batch.bytes.len();
        batch.bytes.extend_from_slice(&lines.take_bytes(LENGTH_BYTES + length)[LENGTH_BYTES..]);
        batch.messages.push(start..batch.bytes.len());
    }
    (!batch.messages.is_empty() || batch.cut.is_some()).then_some(batch)
}

impl MessageBatch {
    fn read(&self) -> SpanRecords {
        let mut records = SpanRecords::default();
        for (index, range) in self.messages.iter().enumerate() {
            let number = self.n_before + 1 + index as u64;
            // the lengths of the messages between are in the file only
            let offset = self.offset + (range.start + LENGTH_BYTES * index) as u64;
            let bytes = &self.bytes[range.clone()];
            let place = MessagePlace { number, offset: (!input::is_packed(bytes)).then_some(offset) };
            match unpacked(bytes) {
                Ok(message) if message.starts_with(b"{") => read_json(&message, place, &mut records),
                Ok(message) => protobuf::read(&message, place, &mut records),
                Err(error) => records.unread.push((number, error.to_string())),
            }
        }
        let n_messages = self.n_before + self.messages.len() as u64;
        records.unread.extend(self.cut.map(|cut| (n_messages + 1, cut.to_owned())));
        records
    }
}

/// Reads a message of JSON; its lines are those of no file.
fn read_json(message: &[u8], place: MessagePlace, records: &mut SpanRecords) {
    let mut of_message = SpanRecords::default();
    document::read(&mut Lines::of_text(message, 0), &mut of_message);
    of_message.put_at(place.number, |in_message| place.at(in_message.offset));
    records.join(&of_message, DocumentPart::default());
}

/// A message, unpacked if it is packed by itself.
fn unpacked(message: &[u8]) -> std::io::Result<Cow<'_, [u8]>> {
    if !input::is_packed(message) {
        return Ok(Cow::Borrowed(message));
    }
    let mut unpacked = input::of_bytes(message.to_vec())?;
    unpacked.rest.iter_mut().try_for_each(|rest| rest.read_to_end(&mut unpacked.first).map(drop))?;
    Ok(Cow::Owned(unpacked.first))
}
