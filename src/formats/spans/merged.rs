//! Parts of a span, as Zipkin has them, which are put together in the order of the file.

use super::bodies::Attributes;
use super::draft::{DraftPart, Pairs, SpanDraft};
use super::identity::MergedRecords;
use super::records::{HAS_DURATION, IS_SHARED, NO_TEXT, NO_TIME, SpanContext, SpanRecord, SpanRecords};
use super::{SpanId, fold};
use crate::term::hash::{HashMap, HashSet};

impl MergedRecords {
    /// Puts the parts of spans together: of those that are shared and of those that are not, the parts of one service.
    pub(super) fn parts(&mut self, records: &mut SpanRecords, group: &[u32]) {
        for is_shared in [false, true] {
            let of_half = |number: &&u32| records.records.is_shared(**number) == is_shared;
            let half: Vec<u32> = group.iter().filter(of_half).copied().collect();
            for parts in of_services(records, &half).into_iter().filter(|parts| parts.len() > 1) {
                merge(records, &parts);
                self.of.extend(parts[1..].iter().map(|part| (*part, parts[0])));
            }
        }
    }

    /// Computes the ends of all spans, and gives meaning to their tags.
    pub(super) fn close_all(&self, records: &mut SpanRecords) {
        let mut has_meaning: Vec<Option<bool>> = Vec::new();
        for number in records.records.numbers().filter(|number| !self.of.contains_key(number)) {
            let record = records.records.get(number);
            let list = records.attributes(number).keys as usize;
            if has_meaning.len() <= list {
                has_meaning.resize(list + 1, None);
            }
            let has_meaning = *has_meaning[list].get_or_insert_with(|| fold::has_meaning(records, list as u32));
            if has_meaning {
                let mut draft = unpacked(records, &record);
                draft.fold_any_error(records);
                draft.fold(records);
                repack(records, number, &draft);
            }
            close(records, number);
        }
    }
}

/// The end of a span that has a duration.
fn close(records: &mut SpanRecords, number: u32) {
    let mut record = records.records.get(number);
    let (start, duration) = (record.start(), record.end());
    let end = start.zip(duration).map(|(start, duration)| start.checked_add(duration.checked_mul(1000)?));
    record.end = end.flatten().unwrap_or(NO_TIME);
    record.has &= !HAS_DURATION;
    records.records.set(number, &record);
    if end == Some(None) {
        let message = format!("duration `{}`", duration.unwrap_or_default());
        records.note(number, "S12", message);
    }
}

/// The records of each service; one without a service goes with the first one.
fn of_services(records: &SpanRecords, half: &[u32]) -> Vec<Vec<u32>> {
    let (mut spans, mut places): (Vec<Vec<u32>>, HashMap<u32, usize>) = (Vec::new(), HashMap::default());
    let mut has_nameless = false;
    for number in half {
        let service = records.contexts[records.records.shape(*number).context as usize].service;
        let place = match service {
            NO_TEXT if spans.is_empty() => {
                has_nameless = true;
                spans.len()
            }
            NO_TEXT => 0,
            _ if std::mem::take(&mut has_nameless) => *places.entry(service).or_insert(0),
            _ => *places.entry(service).or_insert(spans.len()),
        };
        if place == spans.len() {
            spans.push(Vec::new());
        }
        spans[place].push(*number);
    }
    spans
}

/// Puts the parts of a span into the first one.
fn merge(records: &mut SpanRecords, parts: &[u32]) {
    let [first, others] = [&parts[..1], &parts[1..]];
    let mut draft = unpacked(records, &records.records.get(first[0]));
    let mut events: HashSet<EventContent> = draft.events.iter().map(EventContent::of).collect();
    let mut tags = Tags::new(&draft.attributes);
    for other in others {
        let part = unpacked(records, &records.records.get(*other));
        draft.fill_from(&part);
        fill_context(records, &mut draft, part.context);
        tags.update(&part.attributes);
        draft.events.extend(part.events.into_iter().filter(|event| events.insert(EventContent::of(event))));
    }
    draft.attributes = tags.pairs;
    repack(records, parts[0], &draft);
}

/// An event of a part by its content.
#[derive(PartialEq, Eq, Hash)]
struct EventContent(u32, u64, Pairs);

impl EventContent {
    fn of(event: &DraftPart) -> EventContent {
        EventContent(event.name, event.number, event.attributes.clone())
    }
}

/// Tags, of which the last value counts.
struct Tags {
    pairs: Pairs,
    places: HashMap<u32, usize>,
}

impl Tags {
    fn new(pairs: &[(u32, u32)]) -> Tags {
        let mut tags = Tags { pairs: Pairs::new(), places: HashMap::default() };
        tags.update(pairs);
        tags
    }

    fn update(&mut self, pairs: &[(u32, u32)]) {
        for (key, value) in pairs {
            let place = *self.places.entry(*key).or_insert(self.pairs.len());
            match self.pairs.get_mut(place) {
                Some(known) => known.1 = *value,
                None => self.pairs.push((*key, *value)),
            }
        }
    }
}

/// So many keys are compared with each other one by one.
const FEW: usize = 16;

impl SpanDraft {
    /// Leaves of several values of a key the last one, at the place of the first.
    pub(crate) fn leave_last_of_each(pairs: &mut Pairs) {
        let is_new = |(place, (key, _)): (usize, &(u32, u32))| pairs[..place].iter().all(|(known, _)| known != key);
        if pairs.len() > FEW || !pairs.iter().enumerate().all(is_new) {
            *pairs = Tags::new(pairs).pairs;
        }
    }

    /// Takes over what another part says and this one does not.
    fn fill_from(&mut self, part: &SpanDraft) {
        self.parent = if self.parent == SpanId::None { part.parent } else { self.parent };
        self.kind = if self.kind == 0 { part.kind } else { self.kind };
        self.name = if self.name == NO_TEXT { part.name } else { self.name };
        self.start = if self.start == NO_TIME { part.start } else { self.start };
        self.end = if self.end == NO_TIME { part.end } else { self.end };
    }
}

/// The service of a part, for a span that has none yet.
fn fill_context(records: &mut SpanRecords, draft: &mut SpanDraft, other: u32) {
    let service = records.contexts[other as usize].service;
    let context = &records.contexts[draft.context as usize];
    if context.service == NO_TEXT && service != NO_TEXT {
        draft.context = records.known_context(SpanContext { service, ..context.clone() });
    }
}

/// The draft of which a record was made.
fn unpacked(records: &SpanRecords, record: &SpanRecord) -> SpanDraft {
    let body = records.body(record);
    let pairs = |attributes: Attributes<'_>| -> Pairs {
        records.lists.keys(attributes.keys).iter().copied().zip(attributes.values()).collect()
    };
    let SpanRecord { start, end, trace, name, context, kind, status, .. } = *record;
    let mut draft = SpanDraft {
        id: record.id(),
        parent: record.parent(),
        start,
        end,
        trace,
        name,
        context,
        kind,
        status,
        has_duration: record.has & HAS_DURATION > 0,
        is_shared: record.has & IS_SHARED > 0,
        message: body.message,
        state: body.state,
        lost: body.lost,
        scope: body.scope,
        version: body.version,
        attributes: pairs(body.attributes),
        ..SpanDraft::default()
    };
    for (is_link, part) in records.parts(&body) {
        match is_link {
            false => draft.push_event(part.number as i64, part.name, pairs(part.attributes)),
            true => draft.link(part.name, part.id(), pairs(part.attributes)),
        }
    }
    draft
}

/// Makes the record of a draft again.
fn repack(records: &mut SpanRecords, number: u32, draft: &SpanDraft) {
    let tool = records.tool_arguments(&draft.attributes, &[]);
    if let Some(record) = records.packed(draft, tool.as_deref()) {
        records.records.set(number, &record);
    }
}
