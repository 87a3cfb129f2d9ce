//! The order of events: boxes are found track by track, then the tracks are merged by time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::ops::Range;

use super::heads::{ID_IS_LOCAL, NONE};
use super::log::{ChromeLog, RecordIdx};
use super::nesting::{Nesting, SequenceItem};
use super::pairs::{BoxLinks, Pairing};
use super::rules::RuleFindings;
use super::slices::order_slices;
use crate::term::hash::HashMap;

/// The events of all sequences in their order.
pub(super) fn ordered(log: &ChromeLog, links: &mut BoxLinks, findings: &mut RuleFindings) -> Vec<SequenceItem> {
    let Sequences { mut records, sequences } = Sequences::of(log);
    let mut items = Vec::with_capacity(records.len() * if has_slices(log) { 2 } else { 1 });
    let mut ranges = Vec::with_capacity(sequences.len());
    for sequence in sequences {
        let from = items.len();
        let records = &mut records[sequence.range.clone()];
        if sequence.has_pairs || !order_slices(log, records, links, &mut items) {
            order_any(log, records, &sequence, (links, findings), &mut items);
        }
        ranges.push(from..items.len());
    }
    drop(records);
    if let [_] = ranges.as_slice() {
        return items;
    }
    let mut merged = Vec::with_capacity(items.len());
    merge(log, &items, ranges, |item| merged.push(item));
    merged
}

fn has_slices(log: &ChromeLog) -> bool {
    log.known_heads.heads.iter().any(|head| head.phase == 'X')
}

/// Orders the records of a sequence that need not nest.
fn order_any(
    log: &ChromeLog,
    records: &mut [RecordIdx],
    sequence: &Sequence,
    (links, findings): (&mut BoxLinks, &mut RuleFindings),
    items: &mut Vec<SequenceItem>,
) {
    if !records.is_sorted_by_key(|idx| log.time(*idx)) {
        records.sort_by_key(|idx| log.time(*idx));
    }
    let mut pairing = Pairing::new(log, links, findings);
    pairing.pair(records);
    let order = pairing.order;
    match sequence.has_slices {
        true => Nesting::new(log, links, findings, items).order(&order),
        false => items.extend(order.into_iter().map(SequenceItem::of)),
    }
}

/// The records of all tracks and asynchronous operations.
struct Sequences {
    /// Those of each sequence together, in the order of the file.
    records: Vec<RecordIdx>,
    sequences: Vec<Sequence>,
}

/// A track or an asynchronous operation.
#[derive(Clone, Default)]
struct Sequence {
    range: Range<usize>,
    has_slices: bool,
    /// Whether there are beginnings or ends of boxes.
    has_pairs: bool,
}

/// What a sequence is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum SequenceKey<'l> {
    Track(u32, u32),
    /// Category and id, and the process if the id is local.
    Operation(u32, Option<&'l str>, u32),
}

impl Sequences {
    fn of(log: &ChromeLog) -> Sequences {
        let mut sequences: Vec<Sequence> = Vec::new();
        let of_records = sequence_numbers(log, &mut sequences);
        let mut start = 0;
        for sequence in &mut sequences {
            let length = sequence.range.len();
            // filled from its start on
            sequence.range = start..start;
            start += length;
        }
        let mut records = vec![0; of_records.len()];
        for (idx, number) in (0..).zip(of_records) {
            let sequence = &mut sequences[number as usize];
            records[sequence.range.end] = idx;
            sequence.range.end += 1;
        }
        Sequences { records, sequences }
    }
}

/// The number of the sequence of each record, and the sequences with their lengths.
fn sequence_numbers(log: &ChromeLog, sequences: &mut Vec<Sequence>) -> Vec<u32> {
    let mut known: HashMap<SequenceKey<'_>, u32> = HashMap::default();
    let mut of_heads = vec![NONE; log.known_heads.heads.len()];
    let mut number_of = |idx: RecordIdx| {
        let head = log.head(idx);
        let of_head = &mut of_heads[log.head_number(idx) as usize];
        if *of_head != NONE {
            return *of_head;
        }
        let key = match head.is_async() {
            true => {
                let process = if head.has(ID_IS_LOCAL) { head.pid } else { NONE };
                SequenceKey::Operation(head.cat, log.body(idx).0.id, process)
            }
            false => SequenceKey::Track(head.pid, head.tid),
        };
        let next = sequences.len() as u32;
        let number = *known.entry(key).or_insert(next);
        if number == next {
            sequences.push(Sequence::default());
        }
        *of_head = if head.is_async() { NONE } else { number };
        number
    };
    let numbers: Vec<u32> = (0..log.len() as RecordIdx).map(&mut number_of).collect();
    for (idx, number) in (0..).zip(&numbers) {
        let (head, sequence) = (log.head(idx), &mut sequences[*number as usize]);
        sequence.range.end += 1;
        sequence.has_slices |= head.phase == 'X';
        sequence.has_pairs |= head.begins() || head.ends();
    }
    numbers
}

/// Takes the events of all sequences: always the next one of a sequence with the least time and record.
fn merge(log: &ChromeLog, items: &[SequenceItem], sequences: Vec<Range<usize>>, mut take: impl FnMut(SequenceItem)) {
    let key = |at: usize| (items[at].time(log), items[at].record());
    let head = |rest: Range<usize>| (!rest.is_empty()).then(|| Reverse((key(rest.start), rest.start, rest.end)));
    let mut heads: BinaryHeap<_> = sequences.into_iter().filter_map(head).collect();
    while let Some(mut first) = heads.peek_mut() {
        let Reverse((_, at, end)) = *first;
        take(items[at]);
        if at + 1 < end {
            // goes to its place among the heads when the borrow ends
            *first = Reverse((key(at + 1), at + 1, end));
        } else {
            PeekMut::pop(first);
        }
    }
}
