//! From a draft to a packed record.

use super::bodies::push_part;
use super::draft::{DraftPart, Pairs, SpanDraft};
use super::json_terms;
use super::records::{
    EXECUTE_TOOL, HAS_DURATION, HAS_EVENTS, HAS_LINKS, HAS_LOST, HAS_MESSAGE, HAS_SCOPE, HAS_STATE, HAS_TOOL, IS_LOCAL,
    IS_REMOTE, IS_SHARED, NO_TEXT, OPERATION, RecordNote, SpanRecord, SpanRecords, TOOL_ARGUMENTS,
};
use super::varint;

impl SpanRecords {
    /// Adds a record.
    pub(crate) fn add(&mut self, draft: &mut SpanDraft) {
        let tool = self.tool_arguments(&draft.attributes, &draft.maps);
        let number = self.records.len() as u32;
        match self.packed(draft, tool.as_deref()) {
            Some(record) => self.records.push(&record, draft.place),
            None => {
                self.n_left_out += 1;
                return;
            }
        }
        let notes = draft.notes.drain(..);
        self.notes.extend(notes.map(|(rule, message)| RecordNote { of: number, rule, message: message.into() }));
    }

    /// The record, whose body is added; none if there is no room for more bodies.
    pub(super) fn packed(&mut self, draft: &SpanDraft, tool: Option<&[(u32, u32)]>) -> Option<SpanRecord> {
        let at = u32::try_from(self.bodies.len()).ok()?;
        self.push_pairs(&draft.attributes);
        let mut has = 0;
        for (bit, word) in [(HAS_MESSAGE, draft.message), (HAS_STATE, draft.state), (HAS_LOST, draft.lost)] {
            if word > 0 {
                has |= bit;
                varint::push(&mut self.bodies, word);
            }
        }
        if draft.scope > 0 || draft.version > 0 {
            has |= HAS_SCOPE;
            [draft.scope, draft.version].into_iter().for_each(|word| varint::push(&mut self.bodies, word));
        }
        if let Some(tool) = tool {
            has |= HAS_TOOL;
            self.push_pairs(tool);
        }
        has |= self.push_parts(draft);
        has |= if draft.is_shared { IS_SHARED } else { 0 };
        has |= draft.is_remote.map_or(0, |is_remote| if is_remote { IS_REMOTE } else { IS_LOCAL });
        has |= if draft.has_duration { HAS_DURATION } else { 0 };
        let SpanDraft { trace, name, start, end, context, kind, status, .. } = *draft;
        let mut record = SpanRecord { id: 0, parent: 0, start, end, trace, name, context, at, kind, status, has };
        record.set_id(draft.id);
        record.set_parent(draft.parent);
        Some(record)
    }

    fn push_parts(&mut self, draft: &SpanDraft) -> u16 {
        let (n_events, n_links) = (draft.events.len() as u32, draft.links.len() as u32);
        let counts = [n_events, n_links].into_iter().filter(|count| *count > 0);
        counts.for_each(|count| varint::push(&mut self.bodies, count));
        draft.events.iter().chain(&draft.links).for_each(|part| self.push_part(part));
        (if n_events > 0 { HAS_EVENTS } else { 0 }) | (if n_links > 0 { HAS_LINKS } else { 0 })
    }

    fn push_part(&mut self, part: &DraftPart) {
        push_part(&mut self.bodies, part.name, part.number, part.id_kind);
        self.push_pairs(&part.attributes);
    }

    fn push_pairs(&mut self, pairs: &[(u32, u32)]) {
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        keys.extend(pairs.iter().map(|(key, _)| key));
        varint::push(&mut self.bodies, self.lists.number(&keys));
        pairs.iter().for_each(|(_, value)| varint::push(&mut self.bodies, *value));
        self.keys = keys;
    }

    /// The arguments of a tool, by their names, if these attributes are those of a call of a tool that has them.
    pub(super) fn tool_arguments(&mut self, attributes: &[(u32, u32)], maps: &[(u32, Pairs)]) -> Option<Pairs> {
        let value = |wanted: u32| attributes.iter().find(|(key, _)| *key == wanted).map(|(_, value)| *value);
        if value(OPERATION) != Some(EXECUTE_TOOL) {
            return None;
        }
        let key = TOOL_ARGUMENTS.into_iter().find(|key| value(*key).is_some())?;
        if let Some((_, pairs)) = maps.iter().find(|(of, _)| *of == key) {
            return Some(pairs.clone());
        }
        let stored = self.text_of(value(key).filter(|value| *value != NO_TEXT)?);
        let text = stored.strip_prefix('a')?.to_owned();
        json_terms::pairs_of_json(self, &text)
    }
}
