//! What the lazy columns are computed from: the records, their boxes, and the rows of the relation.

use super::heads::{NONE, RecordHead, STATES_ARGS, UNMEASURED};
use super::log::{ChromeLog, RecordIdx};
use super::nesting::SequenceItem;
use super::pairs::BoxLinks;
use crate::trace::{ArgTexts, EventId, ListField};

/// The events of a trace.
pub(super) struct ChromeTables {
    pub(super) log: ChromeLog,
    pub(super) links: BoxLinks,
    pub(super) rows: Vec<SequenceItem>,
    /// The number of the box that a record opens, from 1; 0 if it opens none.
    pub(super) calls: Vec<u32>,
}

/// What an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowKind {
    Call,
    Exit,
    Point,
}

/// An event with its records.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowPlace {
    pub(super) kind: RowKind,
    /// The record that it is; both events of an X are the same one.
    pub(super) record: RecordIdx,
    /// The record that opens its box; of a point the innermost open box, [`NONE`] if there is none.
    pub(super) within: RecordIdx,
}

impl RowPlace {
    /// What an event is.
    #[inline]
    pub(super) fn of(log: &ChromeLog, links: &BoxLinks, row: SequenceItem) -> RowPlace {
        let record = row.record();
        let head = log.head(record);
        let (kind, within) = match () {
            () if row.is_end() => (RowKind::Exit, record),
            () if head.is_box() => (RowKind::Call, record),
            () if head.ends() => {
                (RowKind::Exit, Some(links.partner(record)).filter(|begin| *begin != NONE).unwrap_or(record))
            }
            () => (RowKind::Point, links.around[record as usize]),
        };
        RowPlace { kind, record, within }
    }

    /// The record with the name: that of a box is the one that opens it.
    #[inline]
    pub(super) fn named(&self) -> RecordIdx {
        if self.kind == RowKind::Point { self.record } else { self.within }
    }

    /// Whether it is the end of a box that no record begins.
    pub(super) fn is_orphan(&self, log: &ChromeLog) -> bool {
        self.kind == RowKind::Exit && log.head(self.within).ends()
    }
}

impl ChromeTables {
    /// Calls `see` for each event.
    #[inline]
    pub(super) fn each(&self, mut see: impl FnMut(EventId, RowPlace)) {
        for (event, row) in (0..).zip(&self.rows) {
            see(event, RowPlace::of(&self.log, &self.links, *row));
        }
    }

    /// The time of each event.
    pub(super) fn each_time(&self, mut see: impl FnMut(EventId, i64)) {
        for (event, row) in (0..).zip(&self.rows) {
            see(event, row.time(&self.log));
        }
    }

    /// How long the box took whose call or exit an event is.
    #[inline]
    pub(super) fn duration(&self, place: &RowPlace) -> Option<i64> {
        duration(&self.log, &self.links, place)
    }

    /// The number of the box of a record.
    #[inline]
    pub(super) fn call(&self, within: RecordIdx) -> Option<i64> {
        self.calls.get(within as usize).filter(|call| **call > 0).map(|call| i64::from(*call))
    }

    /// The number of the box around the box of an event.
    #[inline]
    pub(super) fn parent(&self, place: &RowPlace) -> Option<i64> {
        self.call(*self.links.around.get(place.within as usize)?)
    }

    /// The depth of the box that each record opens.
    pub(super) fn depths(&self) -> Vec<u32> {
        let mut depths = vec![0; self.log.len()];
        self.each(|_, RowPlace { kind, within, .. }| {
            // the box around a box has begun before
            if kind != RowKind::Point && depths[within as usize] == 0 {
                let around = self.links.around[within as usize];
                depths[within as usize] = depths.get(around as usize).map_or(1, |depth| depth + 1);
            }
        });
        depths
    }

    /// Whether an event has arguments that are not just those of the record with its name.
    pub(super) fn has_own_args(&self, place: &RowPlace) -> bool {
        let head = self.log.head(place.record);
        let has_result = head.result_name().is_some();
        place.kind == RowKind::Exit && (has_result || (place.record != place.within && head.has(STATES_ARGS)))
    }

    /// Whether an event has arguments.
    pub(super) fn has_args(&self, place: &RowPlace) -> bool {
        self.has_own_args(place) || self.log.head(place.named()).has(STATES_ARGS)
    }

    /// Writes the arguments of an event as a stored list: those of the record with its name, then those that only its own
    /// record has, then the result.
    pub(super) fn write_args(&self, place: &RowPlace, list: &mut String) {
        list.clear();
        if !self.has_own_args(place) {
            list.push_str(self.log.body(place.named()).0.args);
            return;
        }
        let begin = Some(place.within).filter(|begin| *begin != place.record);
        let mut names: Vec<&[u8]> = Vec::new();
        let mut args: Vec<Option<&str>> = Vec::new();
        for idx in begin.into_iter().chain([place.record]) {
            let (known, texts) = (names.len(), self.log.body(idx).0);
            let keys = self.log.arg_names.keys(self.log.head(idx).arg_names);
            for ((name, _), arg) in keys.into_iter().zip(ArgTexts::new(texts.args)) {
                if is_new(name, &names[..known]) {
                    names.push(name);
                    args.push(Some(arg));
                }
            }
        }
        args.extend(self.log.body(place.record).0.result.map(|(term, _)| Some(term)));
        ListField::Parts(&args).write_stored(list);
    }

    /// The size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.log.bytes()
            + self.links.bytes()
            + self.rows.capacity() * size_of::<SequenceItem>()
            + self.calls.capacity() * size_of::<u32>()
    }
}

/// How long a box took.
#[inline]
pub(super) fn duration(log: &ChromeLog, links: &BoxLinks, place: &RowPlace) -> Option<i64> {
    if place.kind == RowKind::Point {
        return None;
    }
    let begin = place.within;
    let head = log.head(begin);
    if head.phase == 'X' {
        return (!head.has(UNMEASURED)).then(|| log.end(begin) - log.time(begin));
    }
    let end = Some(links.partner(begin)).filter(|end| *end != NONE)?;
    log.time(end).checked_sub(log.time(begin))
}

/// The names of the arguments of the exit of a box, whose record may be another one than that of its call.
pub(super) fn exit_names<'l>(log: &'l ChromeLog, begin: Option<&RecordHead>, end: &RecordHead) -> Vec<&'l [u8]> {
    let mut names: Vec<&[u8]> = Vec::new();
    for head in begin.into_iter().chain([end]) {
        let known = names.len();
        let keys = log.arg_names.keys(head.arg_names).into_iter();
        let new: Vec<&[u8]> = keys.map(|(name, _)| name).filter(|name| is_new(name, &names[..known])).collect();
        names.extend(new);
    }
    names.extend(end.result_name().map(str::as_bytes));
    names
}

/// Whether a name is not known; an argument without a name is always another one.
fn is_new(name: &[u8], known: &[&[u8]]) -> bool {
    name.is_empty() || !known.contains(&name)
}
