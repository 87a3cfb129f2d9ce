//! All records of a file, with their texts as codes: what must be known before the first event can be handed over.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::body::{BodyParts, BodyReader, BodyTexts};
use super::chunk::{ChromeChunk, Heads, LONG, PackedRecords, code, written_code};
use super::columns;
use super::heads::{HAS_BIND, HAS_ID, KeyLists, NONE, RecordHead};
use super::record::{ChromeRecord, characters, written};
use super::rules::RuleFindings;
use super::steps::SteadyNumbers;
use crate::formats::json::document::DocumentPart;
use crate::formats::json::scanner::JsonScanner;
use crate::formats::json::value::Json;
use crate::formats::lines::interner::BytesInterner;
use crate::term::hash::{HashMap, NumberMap};
use crate::trace::{AttributeId, Field, PlaceTable, RecordedAt, TraceBuilder};

/// The index of a record with an event, from 0.
pub(super) type RecordIdx = u32;

/// The records of a file.
#[derive(Default)]
pub(super) struct ChromeLog {
    times: Vec<i64>,
    lengths: Vec<u32>,
    /// The times from begin to end that are [`LONG`].
    long: NumberMap<RecordIdx, i64>,
    heads: Vec<u32>,
    /// Where they begin.
    pub(super) places: Arc<PlaceTable>,
    numbers: SteadyNumbers,
    /// Where the bodies of the records begin in their blocks.
    starts: Vec<u32>,
    /// The bodies, with the first record of each block.
    blocks: Vec<(RecordIdx, Box<[u8]>)>,
    pub(super) known_heads: Heads,
    texts: BytesInterner,
    pub(super) arg_names: KeyLists,
    other_keys: KeyLists,
    /// The attributes of the keys of lists of other keys, which are found when the first record has such a list.
    pub(super) others: Vec<Option<Vec<Option<AttributeId>>>>,
    pub(super) findings: RuleFindings,
    processes: HashMap<u32, u32>,
    threads: HashMap<(u32, u32), u32>,
    /// Records so far, those without events included.
    n_numbered: u32,
}

/// What the numbers of a part of the file are in the log, once they are known.
pub(super) struct PartCodes {
    texts: Vec<u32>,
    arg_names: Vec<u32>,
    others: Vec<u32>,
    heads: Vec<u32>,
}

impl PartCodes {
    pub(super) fn new(chunk: &ChromeChunk) -> PartCodes {
        PartCodes {
            texts: vec![NONE; chunk.texts.len()],
            arg_names: vec![NONE; chunk.arg_names.len()],
            others: vec![NONE; chunk.others.len()],
            heads: vec![NONE; chunk.heads.heads.len()],
        }
    }
}

/// Items refer to records with 31 bits.
const MOST_RECORDS: usize = (1 << 31) - 1;

impl ChromeLog {
    /// The number of records with events.
    pub(super) fn len(&self) -> usize {
        self.times.len()
    }

    #[inline]
    pub(super) fn time(&self, idx: RecordIdx) -> i64 {
        self.times[idx as usize]
    }

    /// The end of an X; the time of another record.
    #[inline]
    pub(super) fn end(&self, idx: RecordIdx) -> i64 {
        let length = match self.lengths[idx as usize] {
            LONG => self.long.get(&idx).copied().unwrap_or(0),
            length => i64::from(length),
        };
        self.times[idx as usize] + length
    }

    /// The number of the head of a record.
    #[inline]
    pub(super) fn head_number(&self, idx: RecordIdx) -> u32 {
        self.heads[idx as usize]
    }

    #[inline]
    pub(super) fn head(&self, idx: RecordIdx) -> &RecordHead {
        &self.known_heads.heads[self.heads[idx as usize] as usize]
    }

    /// The line of a record in the file.
    pub(super) fn line(&self, idx: RecordIdx) -> u64 {
        self.places.at(idx as usize).map_or(0, |place| place.line)
    }

    /// The number of a record in the array, from 1.
    pub(super) fn number(&self, idx: RecordIdx) -> u32 {
        self.numbers.at(idx)
    }

    /// The texts of a record, and the values of its other keys.
    pub(super) fn body(&self, idx: RecordIdx) -> (BodyTexts<'_>, BodyReader<'_>) {
        let head = self.head(idx);
        let parts = BodyParts {
            id: head.has(HAS_ID),
            bind: head.has(HAS_BIND),
            n_others: self.other_keys.length(head.others),
            result: head.result_name().is_some(),
        };
        let block = self.blocks.partition_point(|(first, _)| *first <= idx).saturating_sub(1);
        let next = self.blocks.get(block + 1).map_or(self.len() as RecordIdx, |(first, _)| *first);
        let Some((_, bytes)) = self.blocks.get(block) else { return BodyReader::new(&[]).texts(parts) };
        let start = self.starts[idx as usize] as usize;
        let end = if idx + 1 < next { self.starts[idx as usize + 1] as usize } else { bytes.len() };
        BodyReader::new(bytes.get(start..end).unwrap_or_default()).texts(parts)
    }

    /// The text with a code.
    pub(super) fn text(&self, code: u32) -> Option<&str> {
        self.tagged(code).map(|(text, _)| text)
    }

    /// The text with a code, and its tag.
    pub(super) fn tagged(&self, code: u32) -> Option<(&str, i64)> {
        let (bytes, tag) = (code != NONE).then(|| self.texts.entry(code))?;
        Some((std::str::from_utf8(bytes).ok()?, tag))
    }

    /// The value of an attribute of other keys, as it is written.
    pub(super) fn other(&self, idx: RecordIdx, attribute: AttributeId) -> Option<&str> {
        let attributes = self.others.get(self.head(idx).others as usize)?.as_deref()?;
        let place = attributes.iter().position(|other| *other == Some(attribute))?;
        let mut values = self.body(idx).1;
        (0..place).for_each(|_| {
            values.part();
        });
        Some(values.part())
    }

    /// The attributes of the keys in some lists.
    pub(super) fn attributes_of(&self, lists: &[u32]) -> BTreeSet<AttributeId> {
        let known = lists.iter().filter_map(|list| self.others.get(*list as usize)?.as_deref());
        known.flatten().copied().flatten().collect()
    }

    /// Whether all values of an attribute are integers, of the keys in some lists.
    pub(super) fn is_integer(&self, attribute: AttributeId, lists: &[u32]) -> bool {
        let known = lists.iter().filter_map(|list| Some((list, self.others.get(*list as usize)?.as_deref()?)));
        let keys = known.flat_map(|(list, attributes)| attributes.iter().zip(self.other_keys.keys(*list)));
        let mut of_attribute = keys.filter(|(other, _)| **other == Some(attribute));
        of_attribute.all(|(_, (_, is_integer))| is_integer)
    }

    /// The name of a process.
    pub(super) fn process(&self, pid: u32) -> u32 {
        self.processes.get(&pid).copied().unwrap_or(NONE)
    }

    /// The name of a thread.
    pub(super) fn thread(&self, pid: u32, tid: u32) -> u32 {
        self.threads.get(&(pid, tid)).copied().unwrap_or(NONE)
    }

    /// The size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.times.capacity() * size_of::<i64>()
            + (self.lengths.capacity() + self.heads.capacity() + self.starts.capacity()) * size_of::<u32>()
            + self.long.capacity() * size_of::<(RecordIdx, i64)>()
            + self.numbers.bytes()
            + self.blocks.iter().map(|(_, bytes)| bytes.len()).sum::<usize>()
            + self.known_heads.heads.capacity() * size_of::<RecordHead>()
    }

    /// Gives back the memory that only adding records needs.
    pub(super) fn shrink(&mut self) {
        self.times.shrink_to_fit();
        self.lengths.shrink_to_fit();
        self.heads.shrink_to_fit();
        self.starts.shrink_to_fit();
    }

    /// Forgets all records: the file has another array of them.
    pub(super) fn forget(&mut self) {
        let known = std::mem::take(self);
        let ChromeLog { known_heads, texts, arg_names, other_keys, others, .. } = known;
        *self = ChromeLog { known_heads, texts, arg_names, other_keys, others, ..ChromeLog::default() };
    }

    /// Adds records of a part of the file.
    pub(super) fn append(
        &mut self,
        chunk: &ChromeChunk,
        range: Range<usize>,
        codes: &mut PartCodes,
        part: DocumentPart,
        builder: &mut TraceBuilder,
    ) {
        let room = MOST_RECORDS.saturating_sub(self.len());
        let (kept, left) = (range.start..range.end.min(range.start.saturating_add(room)), range.end);
        let packed = &chunk.records;
        let place = |idx: usize| part.place(packed.places[idx]);
        let places = Arc::make_mut(&mut self.places);
        kept.clone().for_each(|idx| places.push(place(idx)));
        self.append_bodies(packed, kept.clone(), left);
        self.append_times(packed, kept.clone());
        for idx in kept.clone() {
            self.n_numbered = self.n_numbered.saturating_add(1);
            self.numbers.push(self.n_numbered);
            let number = packed.heads[idx] as usize;
            if codes.heads[number] == NONE {
                codes.heads[number] = self.adopt(chunk, &chunk.heads.heads[number], codes, builder);
            }
            self.heads.push(codes.heads[number]);
        }
        for idx in kept.end..left {
            self.left_out(place(idx).line, "is one too many");
        }
    }

    fn append_bodies(&mut self, packed: &PackedRecords, kept: Range<usize>, left: usize) {
        let Some(start) = packed.starts[..left].get(kept.start) else { return };
        let end = packed.starts.get(kept.end).map_or(packed.bodies.len(), |end| *end as usize);
        self.blocks.push((self.len() as RecordIdx, packed.bodies[*start as usize..end].into()));
        self.starts.extend(packed.starts[kept].iter().map(|at| at - start));
    }

    fn append_times(&mut self, packed: &PackedRecords, kept: Range<usize>) {
        let from = packed.long.partition_point(|(idx, _)| (*idx as usize) < kept.start);
        let long = packed.long[from..].iter().take_while(|(idx, _)| (*idx as usize) < kept.end);
        let first = self.len();
        self.long.extend(long.map(|(idx, length)| ((first + *idx as usize - kept.start) as RecordIdx, *length)));
        self.times.extend_from_slice(&packed.times[kept.clone()]);
        self.lengths.extend_from_slice(&packed.lengths[kept]);
    }

    /// The number of a head of a part of the file.
    fn adopt(
        &mut self,
        chunk: &ChromeChunk,
        head: &RecordHead,
        codes: &mut PartCodes,
        builder: &mut TraceBuilder,
    ) -> u32 {
        let mut text = |number: u32| {
            let Some(known) = codes.texts.get_mut(number as usize) else { return NONE };
            if *known == NONE {
                let (bytes, tag) = chunk.texts.entry(number);
                *known = code(&mut self.texts, bytes, tag);
            }
            *known
        };
        let [name, pid, tid, cat, scope] = [head.name, head.pid, head.tid, head.cat, head.scope].map(&mut text);
        let list = |into: &mut KeyLists, lists: &KeyLists, known: &mut Vec<u32>, list: u32| {
            let known = &mut known[list as usize];
            if *known == NONE {
                *known = into.adopt(lists, list);
            }
            *known
        };
        let arg_names = list(&mut self.arg_names, &chunk.arg_names, &mut codes.arg_names, head.arg_names);
        let others = list(&mut self.other_keys, &chunk.others, &mut codes.others, head.others);
        self.declare(others, builder);
        self.known_heads.number(&RecordHead { name, pid, tid, cat, scope, arg_names, others, ..*head })
    }

    /// Finds the attributes of a list of other keys.
    fn declare(&mut self, list: u32, builder: &mut TraceBuilder) {
        let index = list as usize;
        self.others.resize(self.others.len().max(index + 1), None);
        if self.others[index].is_none() {
            let keys = self.other_keys.keys(list).into_iter();
            let attribute = |(key, _): (&[u8], bool)| columns::of_key(std::str::from_utf8(key).ok()?, builder);
            self.others[index] = Some(keys.map(attribute).collect());
        }
    }

    /// Notes that the next record of the array has no event.
    pub(super) fn left_out(&mut self, line: u64, what: &str) {
        self.n_numbered = self.n_numbered.saturating_add(1);
        self.findings.add("C1", line, format!("record {} {what}", self.n_numbered));
    }

    /// Counts a record without keys.
    pub(super) fn empty(&mut self) {
        self.n_numbered = self.n_numbered.saturating_add(1);
    }

    /// Notes something about the next record of the array.
    pub(super) fn note(&mut self, rule: &'static str, line: u64, what: &str) {
        let number = self.n_numbered.saturating_add(1);
        self.findings.add(rule, line, format!("record {number} {what}"));
    }

    fn code_of(&mut self, written: Option<&str>) -> u32 {
        written.map_or(NONE, |written| written_code(&mut self.texts, written))
    }

    /// A record about the trace, which is no event.
    pub(super) fn metadata(&mut self, record: &ChromeRecord, builder: &mut TraceBuilder) {
        self.n_numbered = self.n_numbered.saturating_add(1);
        let pid = self.code_of(record.pid.as_deref());
        let tid = self.code_of(record.tid.as_deref().or(record.pid.as_deref()));
        let name = only_value(&record.whole_args);
        match record.name.as_deref() {
            Some("sprocess_name") => {
                let name = self.code_of(name.and_then(written).as_deref());
                self.processes.insert(pid, name);
            }
            Some("sthread_name") => {
                let name = self.code_of(name.and_then(written).as_deref());
                self.threads.insert((pid, tid), name);
            }
            Some(key) => fact(characters(key), name.unwrap_or(&record.whole_args), builder),
            None => {}
        }
    }
}

/// Keeps what the recorder says about the trace.
pub(super) fn fact(key: &str, value: &str, builder: &mut TraceBuilder) {
    match Json::of(value) {
        Json::Text(text) => builder.recording().record(RecordedAt::Start, key, Field::Atom(&text)),
        other => columns::with_json(&other, |field| builder.recording().record(RecordedAt::Start, key, field)),
    }
}

/// The value of the key `name` of an object, or that of its only key.
fn only_value(object: &str) -> Option<&str> {
    let mut scanner = JsonScanner::new(object);
    scanner.begin_object().ok()?;
    let (mut found, mut n_keys) = (None, 0);
    while let Some(key) = scanner.next_key().ok()? {
        let value = scanner.raw().ok()?;
        n_keys += 1;
        if key == "name" {
            return Some(value);
        }
        found = Some(value);
    }
    found.filter(|_| n_keys == 1)
}
