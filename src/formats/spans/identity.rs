//! From records to spans: repeated records, drafts, and parts of a span become one.

use super::bodies::{Attributes, RecordBody, RecordPart};
use super::index::RecordIndex;
use super::records::{
    CLIENT, HAS_EVENTS, HAS_LINKS, HAS_LOST, HAS_MESSAGE, HAS_SCOPE, HAS_STATE, IS_LOCAL, IS_REMOTE, IS_SHARED,
    Identity, SERVER, SpanRecord, SpanRecords,
};
use crate::term::hash::NumberMap;

/// The spans of a file: their records remain, and the index finds them.
pub(super) struct SpanIdentity {
    pub(super) index: RecordIndex,
    /// The records of which another one of the same span differs, one for each such other one.
    pub(super) differing: Vec<u32>,
}

/// Leaves one record for each span.
pub(super) fn identify(records: &mut SpanRecords, identity: Identity) -> SpanIdentity {
    let index = RecordIndex::new(&records.records);
    let groups: Vec<Vec<u32>> = index.several().into_iter().map(<[u32]>::to_vec).collect();
    let mut merged = MergedRecords::default();
    for group in &groups {
        mark_shared(records, group, identity);
        match identity {
            Identity::Repeated => merged.repeated(records, group),
            Identity::Parts => merged.parts(records, group),
        }
    }
    if identity == Identity::Parts {
        merged.close_all(records);
    }
    if merged.of.is_empty() {
        return SpanIdentity { index, differing: Vec::new() };
    }
    drop(index);
    let places = merged.leave_one(records, identity);
    let differing = merged.differing.iter().map(|record| places[*record as usize]).collect();
    SpanIdentity { index: RecordIndex::new(&records.records), differing }
}

/// A server's record with the id of a client's is the other half of a call that two processes share.
fn mark_shared(records: &mut SpanRecords, group: &[u32], identity: Identity) {
    let is_client = |number: &u32| {
        let record = records.records.get(*number);
        record.kind == CLIENT && (identity == Identity::Repeated || !record.is_shared())
    };
    if !group.iter().any(is_client) {
        return;
    }
    for number in group {
        let mut record = records.records.get(*number);
        if record.kind == SERVER {
            record.has |= IS_SHARED;
            records.records.set(*number, &record);
        }
    }
}

/// Records that are merged into others.
#[derive(Default)]
pub(super) struct MergedRecords {
    /// The record that counts, by the number of a record that does not.
    pub(super) of: NumberMap<u32, u32>,
    /// The records of which another one differs.
    differing: Vec<u32>,
}

impl MergedRecords {
    /// Of records with one id the one with an end counts, of two that differ the one that ends later.
    fn repeated(&mut self, records: &SpanRecords, group: &[u32]) {
        for is_shared in [false, true] {
            let of_half = |number: &&u32| records.records.is_shared(**number) == is_shared;
            let half: Vec<u32> = group.iter().filter(of_half).copied().collect();
            let Some((first, others)) = half.split_first() else { continue };
            let (mut counts, mut n_differing) = (*first, 0);
            for other in others {
                let [known, next] = [counts, *other].map(|number| records.records.get(number));
                let is_newer = match (known.end(), next.end()) {
                    (None, _) => true,
                    (_, None) => false,
                    (known_end, next_end) => {
                        n_differing += usize::from(!is_same(records, &known, &next));
                        next_end > known_end
                    }
                };
                let is_repeat = is_newer && is_same(records, &known, &next);
                counts = if is_newer && !is_repeat { *other } else { counts };
            }
            self.of.extend(half.iter().filter(|number| **number != counts).map(|number| (*number, counts)));
            self.differing.extend(std::iter::repeat_n(counts, n_differing));
        }
    }

    /// Removes the records that do not count; the new number of each old record.
    fn leave_one(&self, records: &mut SpanRecords, identity: Identity) -> Vec<u32> {
        let (mut places, mut n_kept) = (Vec::with_capacity(records.records.len()), 0);
        let is_kept: Vec<bool> = records.records.numbers().map(|number| !self.of.contains_key(&number)).collect();
        for is_kept in &is_kept {
            places.push(n_kept);
            n_kept += u32::from(*is_kept);
        }
        records.records.retain(&is_kept);
        if identity == Identity::Parts {
            records.notes.iter_mut().for_each(|note| note.of = self.of.get(&note.of).copied().unwrap_or(note.of));
        }
        records.notes.retain(|note| is_kept[note.of as usize]);
        records.notes.iter_mut().for_each(|note| note.of = places[note.of as usize]);
        places
    }
}

/// Whether two records say the same, attributes in any order.
fn is_same(records: &SpanRecords, one: &SpanRecord, other: &SpanRecord) -> bool {
    const SAID: u16 = HAS_MESSAGE | HAS_STATE | HAS_LOST | HAS_SCOPE | HAS_EVENTS | HAS_LINKS | IS_REMOTE | IS_LOCAL;
    let fields = |record: &SpanRecord| {
        let SpanRecord { name, kind, start, end, status, has, .. } = *record;
        (record.parent(), name, kind, start, end, status, has & SAID)
    };
    if fields(one) != fields(other) || !has_same_context(records, one.context, other.context) {
        return false;
    }
    let [one, other] = [one, other].map(|record| records.body(record));
    let of_body = |body: &RecordBody<'_>| {
        (body.message, body.state, body.lost, body.scope, body.version, body.n_events, body.n_links)
    };
    let same_parts = |(one, other): ((bool, RecordPart<'_>), (bool, RecordPart<'_>))| {
        let (one, other) = (one.1, other.1);
        one.name == other.name
            && one.number == other.number
            && sorted(records, one.attributes) == sorted(records, other.attributes)
    };
    of_body(&one) == of_body(&other)
        && sorted(records, one.attributes) == sorted(records, other.attributes)
        && records.parts(&one).zip(records.parts(&other)).all(same_parts)
}

fn has_same_context(records: &SpanRecords, one: u32, other: u32) -> bool {
    let [one, other] = [one, other].map(|context| &records.contexts[context as usize]);
    let sorted = |pairs: &[(u32, u32)]| {
        let mut pairs = pairs.to_vec();
        pairs.sort_unstable();
        pairs
    };
    one == other
        || ((one.service, one.scope, one.version) == (other.service, other.scope, other.version)
            && sorted(&one.resource) == sorted(&other.resource)
            && sorted(&one.of_scope) == sorted(&other.of_scope))
}

/// Keys with their values, in one order.
fn sorted(records: &SpanRecords, attributes: Attributes<'_>) -> Vec<(u32, u32)> {
    let keys = records.lists.keys(attributes.keys);
    let mut pairs: Vec<(u32, u32)> = keys.iter().copied().zip(attributes.values()).collect();
    pairs.sort_unstable();
    pairs
}
