//! `TracesData` in protobuf: from messages to records.

use super::messages::MessagePlace;
use super::values::key_value;
use super::wire::{WireError, WireFields, WireValue};
use crate::formats::lines::text::visible;
use crate::formats::spans::{
    IdUse, N_KINDS, N_STATUSES, NO_TEXT, NO_TIME, Pairs, ReadId, SpanDraft, SpanId, SpanRecords, of_fixed_size,
};

/// Reads the spans of a message; those of a message that cannot be read are left out.
pub(crate) fn read(message: &[u8], place: MessagePlace, records: &mut SpanRecords) {
    let mark = records.mark();
    let mut reader = MessageReader { message, place, records, draft: SpanDraft::default() };
    if let Err(error) = reader.traces(message) {
        records.reset(&mark);
        records.unread.push((place.number, error.to_string()));
    }
}

struct MessageReader<'r> {
    message: &'r [u8],
    place: MessagePlace,
    records: &'r mut SpanRecords,
    draft: SpanDraft,
}

type Wired<T> = Result<T, WireError>;

/// The last message in a field with this number.
fn last(message: &[u8], number: u64) -> Wired<&[u8]> {
    let mut last: &[u8] = b"";
    for field in WireFields::new(message) {
        if let (found, WireValue::Bytes(bytes)) = field?
            && found == number
        {
            last = bytes;
        }
    }
    Ok(last)
}

/// All messages in fields with this number.
fn all(message: &[u8], number: u64) -> Wired<Vec<&[u8]>> {
    let mut all = Vec::new();
    for field in WireFields::new(message) {
        if let (found, WireValue::Bytes(bytes)) = field?
            && found == number
        {
            all.push(bytes);
        }
    }
    Ok(all)
}

impl MessageReader<'_> {
    fn traces(&mut self, message: &[u8]) -> Wired<()> {
        for of_resource in all(message, 1)? {
            let resource = self.attributes(all(last(of_resource, 1)?, 1)?)?;
            for of_scope in all(of_resource, 2)? {
                let context = self.context(&resource, last(of_scope, 1)?)?;
                for span in all(of_scope, 2)? {
                    self.span(span, context)?;
                }
            }
        }
        Ok(())
    }

    fn context(&mut self, resource: &Pairs, scope: &[u8]) -> Wired<u32> {
        let number = self.records.new_context();
        let (mut name, mut version, mut keys) = (0, 0, Vec::new());
        for field in WireFields::new(scope) {
            match field? {
                (1, WireValue::Bytes(text)) => name = self.records.text(&visible(text)),
                (2, WireValue::Bytes(text)) => version = self.records.text(&visible(text)),
                (3, WireValue::Bytes(pair)) => keys.push(pair),
                _ => {}
            }
        }
        let of_scope = self.attributes(keys)?;
        let service = self.records.service(resource);
        let context = self.records.context(number);
        (context.service, context.scope, context.version) = (service, name, version);
        (context.resource, context.of_scope) = (resource.clone(), of_scope);
        Ok(number)
    }

    fn attributes(&mut self, messages: Vec<&[u8]>) -> Wired<Pairs> {
        let mut before = NO_TEXT;
        let attribute = |message: &[u8]| -> Wired<(u32, u32)> {
            let (key, value) = key_value(message)?;
            before = self.records.key_after(before, &visible(key));
            Ok((before, value.number(before, self.records)?))
        };
        messages.into_iter().map(attribute).collect()
    }

    fn span(&mut self, message: &[u8], context: u32) -> Wired<()> {
        self.draft.clear();
        // a part of the message, so that it begins at or after it
        let byte = (message.as_ptr() as usize).saturating_sub(self.message.as_ptr() as usize);
        (self.draft.context, self.draft.place) = (context, self.place.at(byte as u64));
        match self.fields(message) {
            Ok(()) => self.records.add(&mut self.draft),
            Err(WireError::Deep) => self.records.unread.push((self.place.number, WireError::Deep.to_string())),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn fields(&mut self, message: &[u8]) -> Wired<()> {
        let (mut trace, mut span, mut parent): (&[u8], &[u8], &[u8]) = (b"", b"", b"");
        for field in WireFields::new(message) {
            match field? {
                (1, WireValue::Bytes(id)) => trace = id,
                (2, WireValue::Bytes(id)) => span = id,
                (3, WireValue::Bytes(text)) => self.draft.state = self.records.text(&visible(text)),
                (4, WireValue::Bytes(id)) => parent = id,
                (5, WireValue::Bytes(text)) => self.draft.name = self.records.text(&visible(text)),
                (6, WireValue::Varint(kind)) => self.draft.kind = self.enumerated(kind, N_KINDS, "kind"),
                (7, WireValue::Fixed64(time)) => self.draft.start = self.time(time, "start"),
                (8, WireValue::Fixed64(time)) => self.draft.end = self.time(time, "end"),
                (9, WireValue::Bytes(pair)) => self.span_attribute(pair)?,
                (10 | 12 | 14, WireValue::Varint(count)) => self.draft.add_lost(count),
                (11, WireValue::Bytes(event)) => self.event(event)?,
                (13, WireValue::Bytes(link)) => self.link(link)?,
                (15, WireValue::Bytes(status)) => self.status(status)?,
                (16, WireValue::Fixed32(flags)) => self.draft.set_flags(u64::from(flags)),
                _ => {}
            }
        }
        self.draft.trace = self.trace_id(trace, "trace id");
        self.draft.id = self.span_id(span, ("span id", IdUse::Needed));
        self.draft.parent = self.span_id(parent, ("parent id", IdUse::Optional));
        Ok(())
    }

    /// An attribute of the span itself, which may be the arguments of a tool.
    fn span_attribute(&mut self, message: &[u8]) -> Wired<()> {
        let (key, value) = key_value(message)?;
        let before = self.draft.attributes.last().map_or(NO_TEXT, |(key, _)| *key);
        let key = self.records.key_after(before, &visible(key));
        if SpanRecords::may_be_arguments(key)
            && let Some(pairs) = value.pairs(self.records)?
        {
            self.draft.maps.push((key, pairs));
        }
        let value = value.number(key, self.records)?;
        self.draft.attributes.push((key, value));
        Ok(())
    }

    fn event(&mut self, message: &[u8]) -> Wired<()> {
        let (mut time, mut name, mut pairs) = (NO_TIME, 0, Vec::new());
        for field in WireFields::new(message) {
            match field? {
                (1, WireValue::Fixed64(at)) => time = self.time(at, "time of an event"),
                (2, WireValue::Bytes(text)) => name = self.records.text(&visible(text)),
                (3, WireValue::Bytes(pair)) => pairs.push(pair),
                (4, WireValue::Varint(count)) => self.draft.add_lost(count),
                _ => {}
            }
        }
        let pairs = self.attributes(pairs)?;
        self.draft.event(self.records, time, name, pairs);
        Ok(())
    }

    fn link(&mut self, message: &[u8]) -> Wired<()> {
        let (mut trace, mut span, mut pairs): (&[u8], &[u8], _) = (b"", b"", Vec::new());
        for field in WireFields::new(message) {
            match field? {
                (1, WireValue::Bytes(id)) => trace = id,
                (2, WireValue::Bytes(id)) => span = id,
                (4, WireValue::Bytes(pair)) => pairs.push(pair),
                (5, WireValue::Varint(count)) => self.draft.add_lost(count),
                _ => {}
            }
        }
        let trace = self.trace_id(trace, "trace id of a link");
        let span = self.span_id(span, ("span id of a link", IdUse::Needed));
        let pairs = self.attributes(pairs)?;
        self.draft.link(trace, span, pairs);
        Ok(())
    }

    fn status(&mut self, message: &[u8]) -> Wired<()> {
        for field in WireFields::new(message) {
            match field? {
                (2, WireValue::Bytes(text)) => self.draft.message = self.records.text(&visible(text)),
                (3, WireValue::Varint(code)) => self.draft.status = self.enumerated(code, N_STATUSES, "status"),
                _ => {}
            }
        }
        Ok(())
    }

    fn enumerated(&mut self, number: u64, n_names: u8, what: &str) -> u8 {
        let known = u8::try_from(number).ok().filter(|number| *number < n_names);
        known.unwrap_or_else(|| {
            self.draft.misfit(what, &(number as i64).to_string());
            0
        })
    }

    fn time(&mut self, time: u64, what: &str) -> i64 {
        self.draft.time(i128::from(time), 1, what)
    }

    fn trace_id(&mut self, id: &[u8], what: &str) -> u32 {
        let number = <[u8; 16]>::try_from(id).map_or(0, u128::from_be_bytes);
        let text = if number == 0 { hex(id) } else { String::new() };
        let read = if number == 0 { of_fixed_size(&text, 16) } else { ReadId::Number(number) };
        self.draft.trace_id(self.records, (&text, read), 32, (what, IdUse::Needed))
    }

    fn span_id(&mut self, id: &[u8], use_of: (&str, IdUse)) -> SpanId {
        let number = <[u8; 8]>::try_from(id).map_or(0, u64::from_be_bytes);
        if number != 0 {
            return SpanId::Hex(number);
        }
        let text = hex(id);
        let read = of_fixed_size(&text, 8);
        self.draft.span_id(self.records, (&text, read), use_of)
    }
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| char::from(DIGITS[usize::from(value & 15)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect()
}
