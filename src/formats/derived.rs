//! The events of a derived trace as solutions of a goal describe them, attribute by attribute. What they become is said
//! in the record of the format whose attributes they have.
//!
//! The values are kept as bytes until all solutions have come, since the events are in the order of those they are made
//! of: a row is its length, and for each value the number of its attribute, a tag and the value.

use std::borrow::Cow;

use crate::term::Atom;
use crate::trace::{AttributeId, BASE, EventId, known_attribute};

/// The attribute that holds the number of the event from which an event was made.
pub(crate) const ORIGIN: &str = "origin";

/// What the values of an attribute are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AttributeKind {
    /// The number of the event from which this one is made.
    Origin,
    /// An integer.
    Integer(AttributeId),
    /// A call: an integer, an atom or a string.
    Call(AttributeId),
    /// An atom or a string.
    Name(AttributeId),
    /// The text of a procedure.
    Procedure,
    /// A list of steps.
    Path,
    /// A list of terms.
    Terms,
    /// A list of texts.
    Texts(AttributeId),
    /// The text of a term.
    Variables(AttributeId),
    /// Anything.
    Own,
}

impl AttributeKind {
    /// The kind of an attribute; none if its values follow from other attributes.
    pub(crate) fn of(name: &str) -> Option<AttributeKind> {
        use AttributeId as Id;
        if name == ORIGIN {
            return Some(AttributeKind::Origin);
        }
        let Some(id) = known_attribute(name) else { return Some(AttributeKind::Own) };
        Some(match id {
            Id::CHRONO | Id::STACK | Id::ATTRIBUTES => return None,
            id @ (Id::DEPTH | Id::LINE_NUMBER | Id::ARITY | Id::MODE_NUMBER) => AttributeKind::Integer(id),
            id @ (Id::CALL | Id::PARENT) => AttributeKind::Call(id),
            id @ (Id::PORT | Id::DET | Id::PROC_TYPE | Id::DECL_MODULE | Id::DEF_MODULE | Id::NAME) => {
                AttributeKind::Name(id)
            }
            Id::PROC => AttributeKind::Procedure,
            Id::GOAL_PATH => AttributeKind::Path,
            Id::ARGS => AttributeKind::Terms,
            id @ (Id::ARG_TYPES | Id::ARG_NAMES) => AttributeKind::Texts(id),
            id @ (Id::VARS | Id::VAR_NAMES_AND_TYPES | Id::LOCAL_VARS) => AttributeKind::Variables(id),
            _ => AttributeKind::Own,
        })
    }

    /// What is expected of a value, in words.
    pub(crate) fn expected(self) -> &'static str {
        match self {
            AttributeKind::Origin => "the number of an event",
            AttributeKind::Integer(_) => "an integer",
            AttributeKind::Call(_) => "an integer or a text",
            AttributeKind::Name(_) => "an atom",
            AttributeKind::Procedure => "a procedure like `m:p/2-0`",
            AttributeKind::Path => "a list of steps",
            AttributeKind::Terms | AttributeKind::Texts(_) => "a list",
            AttributeKind::Variables(_) | AttributeKind::Own => "a value",
        }
    }
}

/// The full name of an attribute, of which an alias may be given.
pub(crate) fn full_name(name: &str) -> &str {
    known_attribute(name).map_or(name, |id| BASE[id.index()].name)
}

/// A value in a solution.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SolutionValue<'s> {
    Int(i64),
    /// An integer of any size, in decimal digits.
    BigInt(Cow<'s, str>),
    Float(f64),
    Atom(Atom),
    Text(Cow<'s, str>),
    /// The text of a term.
    Term(String),
    /// Texts, or texts of terms; none for an argument that is not live.
    List(Vec<Option<String>>),
}

/// The events of a derived trace, in the order of the solutions.
#[derive(Debug, Default)]
pub(crate) struct DerivedEvents {
    attributes: Vec<(Atom, AttributeKind)>,
    /// The event from which each is made.
    origins: Vec<EventId>,
    rows: Vec<u8>,
    row: Vec<u8>,
}

impl DerivedEvents {
    /// No events yet, of a trace that has these attributes.
    pub(crate) fn of(attributes: &[Atom]) -> DerivedEvents {
        let mut events = DerivedEvents::default();
        for (place, name) in attributes.iter().enumerate() {
            events.attribute(place, *name);
        }
        events
    }

    /// The number and the kind of an attribute; none for one that cannot be given. `place` is where it probably stands
    /// among those known.
    pub(crate) fn attribute(&mut self, place: usize, name: Atom) -> Option<(usize, AttributeKind)> {
        if let Some((_, kind)) = self.attributes.get(place).filter(|(known, _)| *known == name) {
            return Some((place, *kind));
        }
        if let Some(place) = self.attributes.iter().position(|(known, _)| *known == name) {
            return Some((place, self.attributes[place].1));
        }
        let kind = AttributeKind::of(name.as_str())?;
        self.attributes.push((name, kind));
        Some((self.attributes.len() - 1, kind))
    }

    /// Begins an event.
    pub(crate) fn begin(&mut self) {
        self.row.clear();
    }

    /// Gives the event a value of an attribute; `false` if the attribute cannot have it.
    pub(crate) fn set(&mut self, attribute: usize, value: &SolutionValue<'_>) -> bool {
        if !fits(self.attributes[attribute].1, value) {
            return false;
        }
        self.row.extend((attribute as u16).to_le_bytes());
        write_value(&mut self.row, value);
        true
    }

    /// Ends the event, which is made from an event of the source.
    pub(crate) fn end(&mut self, origin: EventId) {
        self.origins.push(origin);
        self.rows.extend((self.row.len() as u32).to_le_bytes());
        self.rows.extend_from_slice(&self.row);
    }

    /// Memory that the events take.
    pub(crate) fn bytes(&self) -> usize {
        self.rows.capacity() + self.row.capacity() + self.origins.capacity() * size_of::<EventId>()
    }

    /// The attributes, by their numbers: the name and the kind of each.
    pub(crate) fn attributes(&self) -> &[(Atom, AttributeKind)] {
        &self.attributes
    }

    /// Each event, in the order of the events from which they are made: that event, and its values.
    pub(crate) fn in_order(&self) -> impl Iterator<Item = (EventId, EventValues<'_>)> {
        let mut rest = self.rows.as_slice();
        let rows = self.origins.iter().map(move |origin| (*origin, EventValues::split_from(&mut rest)));
        let is_sorted = self.origins.is_sorted();
        let mut sorted: Vec<_> = if is_sorted { Vec::new() } else { rows.clone().collect() };
        sorted.sort_by_key(|(origin, _)| *origin);
        rows.take(if is_sorted { usize::MAX } else { 0 }).chain(sorted)
    }
}

/// The values of an event.
#[derive(Clone)]
pub(crate) struct EventValues<'b> {
    bytes: &'b [u8],
}

impl<'b> EventValues<'b> {
    /// The values of the first event in `rows`, which go on with the next.
    fn split_from(rows: &mut &'b [u8]) -> EventValues<'b> {
        let length = u32::from_le_bytes(*take(rows));
        let (bytes, rest) = rows.split_at(length as usize);
        *rows = rest;
        EventValues { bytes }
    }
}

impl<'b> Iterator for EventValues<'b> {
    /// The number of an attribute, and its value.
    type Item = (usize, KeptValue<'b>);

    fn next(&mut self) -> Option<(usize, KeptValue<'b>)> {
        if self.bytes.is_empty() {
            return None;
        }
        let attribute = u16::from_le_bytes(*take(&mut self.bytes));
        Some((usize::from(attribute), take_value(&mut self.bytes)))
    }
}

/// Whether an attribute of a kind can have a value.
fn fits(kind: AttributeKind, value: &SolutionValue<'_>) -> bool {
    use SolutionValue as Value;
    match kind {
        AttributeKind::Origin | AttributeKind::Integer(_) => matches!(value, Value::Int(_)),
        AttributeKind::Call(_) => matches!(value, Value::Int(_) | Value::Atom(_) | Value::Text(_)),
        AttributeKind::Name(_) => matches!(value, Value::Atom(_) | Value::Text(_)),
        AttributeKind::Procedure => matches!(value, Value::Text(text) if !text.trim().is_empty()),
        AttributeKind::Path | AttributeKind::Terms | AttributeKind::Texts(_) => matches!(value, Value::List(_)),
        AttributeKind::Variables(_) => matches!(value, Value::Term(_)),
        AttributeKind::Own => !matches!(value, Value::List(_)),
    }
}

/// The letters for the kinds of values, and for no text.
const TAGS: &[u8; 7] = b"infatrl";
const NO_TEXT: u32 = u32::MAX;

fn write_value(row: &mut Vec<u8>, value: &SolutionValue<'_>) {
    let (tag, text) = match value {
        SolutionValue::Int(value) => {
            row.push(TAGS[0]);
            return row.extend(value.to_le_bytes());
        }
        SolutionValue::Float(value) => {
            row.push(TAGS[2]);
            return row.extend(value.to_le_bytes());
        }
        SolutionValue::Atom(name) => {
            row.push(TAGS[3]);
            return row.extend(name.id().to_le_bytes());
        }
        SolutionValue::List(items) => {
            row.push(TAGS[6]);
            row.extend((items.len() as u32).to_le_bytes());
            return items.iter().for_each(|item| match item {
                Some(text) => write_text(row, text),
                None => row.extend(NO_TEXT.to_le_bytes()),
            });
        }
        SolutionValue::BigInt(digits) => (TAGS[1], &**digits),
        SolutionValue::Text(text) => (TAGS[4], &**text),
        SolutionValue::Term(text) => (TAGS[5], text.as_str()),
    };
    row.push(tag);
    write_text(row, text);
}

fn write_text(row: &mut Vec<u8>, text: &str) {
    row.extend((text.len() as u32).to_le_bytes());
    row.extend_from_slice(text.as_bytes());
}

/// A value as it is read back.
pub(crate) enum KeptValue<'b> {
    Int(i64),
    BigInt(&'b str),
    Float(f64),
    Atom(&'static str),
    Text(&'b str),
    Term(&'b str),
    List(Vec<Option<&'b str>>),
}

impl<'b> KeptValue<'b> {
    /// The characters of an atom or a string.
    pub(crate) fn text(&self) -> Option<&'b str> {
        match self {
            KeptValue::Atom(name) => Some(name),
            KeptValue::Text(text) => Some(text),
            _ => None,
        }
    }
}

const WELL_FORMED: &str = "the bytes were written by `write_value`";

fn take<'b, const N: usize>(bytes: &mut &'b [u8]) -> &'b [u8; N] {
    let (taken, rest) = bytes.split_first_chunk().expect(WELL_FORMED);
    *bytes = rest;
    taken
}

fn take_text<'b>(bytes: &mut &'b [u8]) -> Option<&'b str> {
    let length = u32::from_le_bytes(*take(bytes));
    if length == NO_TEXT {
        return None;
    }
    let (text, rest) = bytes.split_at(length as usize);
    *bytes = rest;
    Some(std::str::from_utf8(text).expect(WELL_FORMED))
}

fn take_value<'b>(bytes: &mut &'b [u8]) -> KeptValue<'b> {
    let [tag] = *take(bytes);
    match tag {
        b'i' => KeptValue::Int(i64::from_le_bytes(*take(bytes))),
        b'f' => KeptValue::Float(f64::from_le_bytes(*take(bytes))),
        b'a' => KeptValue::Atom(Atom::from_id(u32::from_le_bytes(*take(bytes))).as_str()),
        b'l' => {
            let n_items = u32::from_le_bytes(*take(bytes));
            KeptValue::List((0..n_items).map(|_| take_text(bytes)).collect())
        }
        tag => {
            let text = take_text(bytes).expect(WELL_FORMED);
            match tag {
                b'n' => KeptValue::BigInt(text),
                b't' => KeptValue::Text(text),
                _ => KeptValue::Term(text),
            }
        }
    }
}
