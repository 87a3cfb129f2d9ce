//! Bodies of records: attributes, what only some records have, events and links, packed as small numbers one after the other.

use super::ids::SpanId;
use super::records::{
    HAS_EVENTS, HAS_LINKS, HAS_LOST, HAS_MESSAGE, HAS_SCOPE, HAS_STATE, HAS_TOOL, NO_TIME, SpanRecord, SpanRecords,
    unpacked,
};
use super::varint;

/// A list of attributes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attributes<'b> {
    /// Number of the list of their keys.
    pub(super) keys: u32,
    /// The numbers of their values, packed, and what follows them.
    bytes: &'b [u8],
    n_values: usize,
}

impl Attributes<'_> {
    /// The numbers of the values.
    #[inline]
    pub(super) fn values(&self) -> impl Iterator<Item = u32> {
        let (bytes, mut at) = (self.bytes, 0);
        (0..self.n_values).map(move |_| varint::take(bytes, &mut at))
    }

    /// The number of the value at a place.
    #[inline]
    pub(super) fn value(&self, place: usize) -> u32 {
        varint::take(self.bytes, &mut varint::end_of(self.bytes, 0, place))
    }
}

/// The parts of a record that stand in its body.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordBody<'b> {
    pub(super) attributes: Attributes<'b>,
    pub(super) message: u32,
    pub(super) state: u32,
    pub(super) lost: u32,
    /// The scope and its version, if they are not those of the context.
    pub(super) scope: u32,
    pub(super) version: u32,
    pub(super) tool: Option<Attributes<'b>>,
    pub(super) n_events: u32,
    pub(super) n_links: u32,
    /// Where its events begin.
    events: usize,
}

/// An event or link of a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordPart<'b> {
    /// Where it begins.
    pub(super) at: u32,
    /// The number of the name of an event, or of the trace of a link.
    pub(super) name: u32,
    /// The time of an event, or the id of a link.
    pub(super) number: u64,
    /// The kind of a link's id.
    pub(super) id_kind: u32,
    pub(super) attributes: Attributes<'b>,
}

impl RecordPart<'_> {
    /// The time of an event.
    pub(super) fn time(&self) -> Option<i64> {
        Some(self.number as i64).filter(|time| *time != NO_TIME)
    }

    /// The id of a link.
    pub(super) fn id(&self) -> SpanId {
        unpacked(self.number, self.id_kind == 1, self.id_kind == 2)
    }
}

impl SpanRecords {
    /// The attributes that begin at a place of the bodies.
    #[inline]
    pub(super) fn attributes_at(&self, at: usize) -> Attributes<'_> {
        let mut start = at;
        let keys = varint::take(&self.bodies, &mut start);
        Attributes { keys, bytes: &self.bodies[start..], n_values: self.lists.keys(keys).len() }
    }

    /// The attributes of a record.
    #[inline]
    pub(super) fn attributes(&self, record: u32) -> Attributes<'_> {
        self.attributes_at(self.records.at(record))
    }

    /// The attributes that begin at a place, which moves to their end.
    fn take_attributes(&self, at: &mut usize) -> Attributes<'_> {
        let attributes = self.attributes_at(*at);
        let start = self.bodies.len() - attributes.bytes.len();
        *at = varint::end_of(&self.bodies, start, attributes.n_values);
        attributes
    }

    /// The body of a record.
    pub(super) fn body(&self, record: &SpanRecord) -> RecordBody<'_> {
        self.body_at(record.at as usize, record.has)
    }

    /// The body that begins at a place, of a record that has these parts.
    pub(super) fn body_at(&self, mut at: usize, has: u16) -> RecordBody<'_> {
        let attributes = self.take_attributes(&mut at);
        let mut next = |bit: u16| if has & bit > 0 { varint::take(&self.bodies, &mut at) } else { 0 };
        let (message, state, lost) = (next(HAS_MESSAGE), next(HAS_STATE), next(HAS_LOST));
        let (scope, version) = (next(HAS_SCOPE), next(HAS_SCOPE));
        let tool = (has & HAS_TOOL > 0).then(|| self.take_attributes(&mut at));
        let mut next = |bit: u16| if has & bit > 0 { varint::take(&self.bodies, &mut at) } else { 0 };
        let (n_events, n_links) = (next(HAS_EVENTS), next(HAS_LINKS));
        RecordBody { attributes, message, state, lost, scope, version, tool, n_events, n_links, events: at }
    }

    /// The body of a record by its number.
    pub(super) fn body_of(&self, record: u32) -> RecordBody<'_> {
        self.body_at(self.records.at(record), self.records.shape(record).has)
    }

    /// The events and then the links of a record.
    pub(super) fn parts(&self, body: &RecordBody<'_>) -> impl Iterator<Item = (bool, RecordPart<'_>)> {
        let (n_events, mut at) = (body.n_events as usize, body.events);
        (0..n_events + body.n_links as usize).map(move |index| (index >= n_events, self.take_part(&mut at)))
    }

    /// The event or link that begins at a place.
    pub(super) fn part_at(&self, mut at: usize) -> RecordPart<'_> {
        self.take_part(&mut at)
    }

    /// The event or link that begins at a place, which moves to its end.
    fn take_part(&self, at: &mut usize) -> RecordPart<'_> {
        let from = *at as u32;
        let name = varint::take(&self.bodies, at);
        let [low, high, id_kind] = [(); 3].map(|()| varint::take(&self.bodies, at));
        let number = u64::from(low) | u64::from(high) << 32;
        RecordPart { at: from, name, number, id_kind, attributes: self.take_attributes(at) }
    }

    /// Where the attributes of the event or link begin that begins at a place.
    #[inline]
    pub(super) fn attributes_of_part(&self, at: usize) -> Attributes<'_> {
        self.attributes_at(varint::end_of(&self.bodies, at, 4))
    }
}

/// Adds an event or link but its attributes to bodies.
pub(super) fn push_part(bodies: &mut Vec<u8>, name: u32, number: u64, id_kind: u32) {
    [name, number as u32, (number >> 32) as u32, id_kind].into_iter().for_each(|word| varint::push(bodies, word));
}

/// A link's id as a number, and its kind.
pub(super) fn id_words(id: SpanId) -> (u64, u32) {
    match id {
        SpanId::None => (0, 0),
        SpanId::Hex(number) => (number, 1),
        SpanId::Text(number) => (u64::from(number), 2),
    }
}
