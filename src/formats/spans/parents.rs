//! The parents of spans: looked up by id in the same trace; a cycle is cut.

use super::ids::SpanId;
use super::index::RecordIndex;
use super::records::{NO_TEXT, SpanRecord, SpanRecords};
use crate::term::hash::HashMap;
use crate::trace::threads::{n_cores, on_cores};

/// A core looks up the parents of so many spans at once.
const STRETCH: usize = 1 << 14;

/// No span.
pub(super) const NO_SPAN: u32 = u32::MAX;

/// The parent of each span.
pub(super) struct Parents {
    /// The parents, [`NO_SPAN`] for a top.
    pub(super) of: Vec<u32>,
    /// The spans whose parent is not there.
    pub(super) orphans: Vec<u32>,
    /// The spans at which cycles were cut, with the number of spans in the cycle.
    pub(super) cycles: Vec<(u32, u32)>,
}

impl Parents {
    /// Finds the parents.
    pub(super) fn find(records: &SpanRecords, index: &RecordIndex) -> Parents {
        let mut search = ParentSearch { records, index, halves: HashMap::default() };
        search.index_halves();
        let mut of = vec![NO_SPAN; records.len()];
        let stretches = of.chunks_mut(STRETCH).enumerate();
        let orphans = on_cores(n_cores(), stretches, |(number, of)| search.parents((number * STRETCH) as u32, of));
        let mut parents = Parents { of, orphans: orphans.concat(), cycles: Vec::new() };
        parents.cut_cycles();
        parents
    }

    /// The ids of parents that are not those of the spans found, by the spans that name them.
    pub(super) fn named(&self, records: &SpanRecords) -> Vec<(u32, SpanId)> {
        let differs = |span: u32| {
            let named = records.records.get(span).parent();
            let found = self.of[span as usize];
            let is_found = found != NO_SPAN && records.records.key(found).1 == named;
            (!is_found && (named != SpanId::None || found != NO_SPAN)).then_some((span, named))
        };
        records.records.numbers().filter_map(differs).collect()
    }

    /// Makes the first span of each cycle a top.
    fn cut_cycles(&mut self) {
        // the walk on which a span was seen first
        let mut walks = vec![NO_SPAN; self.of.len()];
        for start in 0..self.of.len() as u32 {
            let mut span = start;
            while span != NO_SPAN && walks[span as usize] == NO_SPAN {
                walks[span as usize] = start;
                span = self.of[span as usize];
            }
            if span != NO_SPAN && walks[span as usize] == start {
                self.cut_cycle(span);
            }
        }
    }

    fn cut_cycle(&mut self, member: u32) {
        let (mut first, mut n_spans, mut span) = (member, 0, member);
        loop {
            (first, n_spans) = (first.min(span), n_spans + 1);
            span = self.of[span as usize];
            if span == member || span == NO_SPAN {
                break;
            }
        }
        if span == member {
            self.of[first as usize] = NO_SPAN;
            self.cycles.push((first, n_spans));
        }
    }
}

struct ParentSearch<'r> {
    records: &'r SpanRecords,
    index: &'r RecordIndex,
    /// The shared spans of a trace, an id and a service, where several spans have the id.
    halves: HashMap<(u32, SpanId, u32), Vec<u32>>,
}

impl ParentSearch<'_> {
    fn index_halves(&mut self) {
        for span in self.index.several().into_iter().flatten() {
            let record = self.records.records.get(*span);
            if record.is_shared() {
                let key = (record.trace, record.id(), self.service(&record));
                self.halves.entry(key).or_default().push(*span);
            }
        }
    }

    fn service(&self, record: &SpanRecord) -> u32 {
        self.records.contexts[record.context as usize].service
    }

    /// Finds the parents of the spans from `first` on; the spans whose parent is not there.
    fn parents(&self, first: u32, of: &mut [u32]) -> Vec<u32> {
        let mut orphans = Vec::new();
        for (span, parent) in (first..).zip(of) {
            let record = self.records.records.get(span);
            match self.parent(span, &record) {
                Some(found) => *parent = found,
                None if record.parent() != SpanId::None => orphans.push(span),
                None => {}
            }
        }
        orphans
    }

    /// The parent: for the second half of a shared span the first one, else the shared half in the same service, else the
    /// half that is not shared, else the first shared one.
    fn parent(&self, span: u32, record: &SpanRecord) -> Option<u32> {
        if record.is_shared()
            && let Some(half) = self.unshared(self.with_id(record.trace, record.id()))
        {
            return Some(half);
        }
        let id = record.parent();
        let found = if id == SpanId::None { &[] } else { self.with_id(record.trace, id) };
        match found {
            [] => None,
            [only] => Some(*only).filter(|only| *only != span || !record.is_shared()),
            several => {
                let in_service = self.in_same_service(span, record, id);
                let other = |half: &&u32| **half != span && self.records.records.is_shared(**half);
                in_service.or_else(|| self.unshared(several)).or_else(|| several.iter().find(other).copied())
            }
        }
    }

    fn with_id(&self, trace: u32, id: SpanId) -> &[u32] {
        self.index.find(&self.records.records, trace, id)
    }

    fn in_same_service(&self, span: u32, record: &SpanRecord, id: SpanId) -> Option<u32> {
        let service = self.service(record);
        let halves = self.halves.get(&(record.trace, id, service)).filter(|_| service != NO_TEXT)?;
        halves.iter().find(|half| **half != span).copied()
    }

    /// The last of some spans that is not shared.
    fn unshared(&self, spans: &[u32]) -> Option<u32> {
        spans.iter().rfind(|span| !self.records.records.is_shared(**span)).copied()
    }
}
