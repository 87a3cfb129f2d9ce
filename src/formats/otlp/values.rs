//! Values of attributes in protobuf: `AnyValue`, without recursion.

use super::wire::{WireError, WireFields, WireValue};
use crate::formats::lines::text::visible;
use crate::formats::spans::{Pairs, SpanRecords, SpanValue, TermText};

/// A value as its message has it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AnyValue<'m> {
    None,
    Text(&'m [u8]),
    Bool(bool),
    Int(i64),
    Double(f64),
    /// A list, as its message.
    Array(&'m [u8]),
    /// Pairs, as their message.
    Map(&'m [u8]),
    Bytes(&'m [u8]),
}

/// Lists and maps that may enclose a value.
const DEEPEST: usize = 128;

impl<'m> AnyValue<'m> {
    /// The value in a message; the last field counts.
    pub(crate) fn of(message: &'m [u8]) -> Result<AnyValue<'m>, WireError> {
        let mut value = AnyValue::None;
        for field in WireFields::new(message) {
            value = match field? {
                (1, WireValue::Bytes(text)) => AnyValue::Text(text),
                (2, WireValue::Varint(number)) => AnyValue::Bool(number != 0),
                (3, WireValue::Varint(number)) => AnyValue::Int(number as i64),
                (4, WireValue::Fixed64(bits)) => AnyValue::Double(f64::from_bits(bits)),
                (5, WireValue::Bytes(list)) => AnyValue::Array(list),
                (6, WireValue::Bytes(pairs)) => AnyValue::Map(pairs),
                (7, WireValue::Bytes(bytes)) => AnyValue::Bytes(bytes),
                _ => value,
            };
        }
        Ok(value)
    }

    /// The number of the value of a key.
    pub(crate) fn number(self, key: u32, records: &mut SpanRecords) -> Result<u32, WireError> {
        Ok(match self {
            AnyValue::None => records.value(SpanValue::Absent),
            AnyValue::Text(text) => match records.likely_text(key, text) {
                Some(likely) => likely,
                None => records.value_of(key, SpanValue::Text(&visible(text))),
            },
            AnyValue::Bool(value) => records.value(SpanValue::Bool(value)),
            AnyValue::Int(value) => records.value_of(key, SpanValue::Int(value)),
            AnyValue::Double(value) => records.value(SpanValue::Float(value)),
            nested => {
                let term = nested.term()?;
                records.value(SpanValue::Term(&term))
            }
        })
    }

    /// The pairs of a map; none for another value.
    pub(crate) fn pairs(self, records: &mut SpanRecords) -> Result<Option<Pairs>, WireError> {
        let AnyValue::Map(map) = self else { return Ok(None) };
        let mut pairs = Pairs::new();
        for field in WireFields::new(map) {
            if let (1, WireValue::Bytes(pair)) = field? {
                let (key, value) = key_value(pair)?;
                let key = records.text(&visible(key));
                pairs.push((key, value.number(key, records)?));
            }
        }
        Ok(Some(pairs))
    }

    /// The text of the term that it is inside of a list or map, or alone for a list, map or bytes.
    fn term(self) -> Result<String, WireError> {
        let (mut term, mut open) = (TermText::default(), Vec::new());
        self.write(&mut term, &mut open)?;
        while let Some(rest) = open.last_mut() {
            match rest.next()? {
                Some((key, value)) => {
                    term.separate();
                    key.into_iter().for_each(|key| term.member(&visible(key)));
                    value.write(&mut term, &mut open)?;
                }
                None => {
                    match rest.is_map {
                        true => term.end_object(),
                        false => term.text.push(']'),
                    }
                    open.pop();
                }
            }
        }
        Ok(term.text)
    }

    fn write(self, term: &mut TermText, open: &mut Vec<OpenValue<'m>>) -> Result<(), WireError> {
        match self {
            AnyValue::None => term.value(SpanValue::Absent),
            AnyValue::Text(text) => term.value(SpanValue::Text(&visible(text))),
            AnyValue::Bool(value) => term.value(SpanValue::Bool(value)),
            AnyValue::Int(value) => term.value(SpanValue::Int(value)),
            AnyValue::Double(value) => term.value(SpanValue::Float(value)),
            AnyValue::Bytes(bytes) => term.bytes(bytes),
            AnyValue::Array(_) | AnyValue::Map(_) if open.len() == DEEPEST => return Err(WireError::Deep),
            AnyValue::Array(list) => {
                term.text.push('[');
                open.push(OpenValue { fields: WireFields::new(list), is_map: false });
            }
            AnyValue::Map(pairs) => {
                term.text.push('{');
                open.push(OpenValue { fields: WireFields::new(pairs), is_map: true });
            }
        }
        Ok(())
    }
}

/// What is left of a list or map.
struct OpenValue<'m> {
    fields: WireFields<'m>,
    is_map: bool,
}

/// A value of a list or map, in a map with its key.
type WireMember<'m> = (Option<&'m [u8]>, AnyValue<'m>);

impl<'m> OpenValue<'m> {
    /// The next value, in a map with its key.
    fn next(&mut self) -> Result<Option<WireMember<'m>>, WireError> {
        for field in self.fields.by_ref() {
            if let (1, WireValue::Bytes(message)) = field? {
                return Ok(Some(match self.is_map {
                    true => {
                        let (key, value) = key_value(message)?;
                        (Some(key), value)
                    }
                    false => (None, AnyValue::of(message)?),
                }));
            }
        }
        Ok(None)
    }
}

/// The key and the value in a message.
pub(crate) fn key_value(message: &[u8]) -> Result<(&[u8], AnyValue<'_>), WireError> {
    let (mut key, mut value): (&[u8], _) = (b"", AnyValue::None);
    for field in WireFields::new(message) {
        match field? {
            (1, WireValue::Bytes(text)) => key = text,
            (2, WireValue::Bytes(message)) => value = AnyValue::of(message)?,
            _ => {}
        }
    }
    Ok((key, value))
}
