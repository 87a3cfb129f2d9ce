//! Derived traces: from the solutions of a goal to events with the attributes and the boxes that JSON Lines has.

use std::borrow::Cow;

use super::FORMAT;
use super::events::{JsonLinesReader, ObjectEvent, THREAD_KEYS, TextList};
use crate::formats::derived::{AttributeKind, DerivedEvents, EventValues, KeptValue, ORIGIN, full_name};
use crate::formats::json::own_value::OwnValue;
use crate::formats::json::terms::ArgumentTexts;
use crate::formats::mercury::procedure;
use crate::trace::{AttributeId, EventId, Field, RecordedAt, Trace, TraceBuilder};

/// The derived trace that has these events; none if `goes_on`, which is asked now and then, says that it is not wanted
/// any more.
pub(super) fn derive(
    events: &DerivedEvents,
    name: &str,
    source: &Trace,
    goes_on: &mut dyn FnMut() -> bool,
) -> Option<Trace> {
    let mut builder = TraceBuilder::new(FORMAT.origin(&source.origin().path));
    builder.recording().record(RecordedAt::Start, "derived", Field::Text(name));
    let mut reader = JsonLinesReader::default();
    reader.header.texts = ArgumentTexts::Terms(None);
    let mut columns = Columns::new(events, &mut reader, &mut builder);
    for (place, (origin, values)) in events.in_order().enumerate() {
        if place.is_multiple_of(ASK_EVERY) && !goes_on() {
            return None;
        }
        let event = columns.event(values, (source, origin), &mut reader, &mut builder);
        reader.push(event, &mut builder);
    }
    reader.finish(&mut builder);
    goes_on().then(|| builder.finish())
}

/// Events between two calls of `goes_on`.
const ASK_EVERY: usize = 1 << 12;

/// The columns of the trace that the attributes of its events become.
struct Columns {
    columns: Vec<Column>,
    origin: Option<AttributeId>,
    /// Where a call or a parent stands that is not an integer of its own.
    stated: [Option<AttributeId>; 2],
}

/// What the values of an attribute become.
#[derive(Clone, Copy)]
struct Column {
    kind: AttributeKind,
    /// None if there are too many.
    id: Option<AttributeId>,
    /// The place of the attribute among those that name a thread.
    thread: Option<usize>,
}

impl Columns {
    fn new(events: &DerivedEvents, reader: &mut JsonLinesReader, builder: &mut TraceBuilder) -> Columns {
        let mut column = |name: &str| reader.keys.slot(name, builder).id;
        let mut of = |name: &str, kind| Column {
            kind,
            id: column(full_name(name)),
            thread: THREAD_KEYS.iter().position(|key| *key == name),
        };
        let columns: Vec<Column> = events.attributes().iter().map(|(name, kind)| of(name.as_str(), *kind)).collect();
        let origin = column(ORIGIN);
        columns.iter().filter_map(|column| column.id).chain(origin).for_each(|id| builder.let_stand(id));
        Columns { columns, origin, stated: [None, None] }
    }

    /// An event with these values, which is made from an event of the source.
    fn event<'b>(
        &mut self,
        values: EventValues<'b>,
        (source, origin): (&Trace, EventId),
        reader: &mut JsonLinesReader,
        builder: &mut TraceBuilder,
    ) -> ObjectEvent<'b, 'b> {
        let mut event = ObjectEvent { line: source.source_line(origin).unwrap_or(0), ..ObjectEvent::default() };
        for (attribute, value) in values {
            self.set(&mut event, self.columns[attribute], value, reader, builder);
        }
        event.extra.extend(self.origin.map(|id| (id, OwnValue::Int(source.chrono(origin)))));
        event
    }

    fn set<'b>(
        &mut self,
        event: &mut ObjectEvent<'b, 'b>,
        column: Column,
        value: KeptValue<'b>,
        reader: &mut JsonLinesReader,
        builder: &mut TraceBuilder,
    ) {
        if let Some(place) = column.thread {
            event.thread[place] = thread_text(&value);
        }
        match (column.kind, value) {
            (AttributeKind::Origin, _) => {}
            (AttributeKind::Integer(id), KeptValue::Int(value)) => {
                event.integer_field(id).into_iter().for_each(|field| *field = Some(value));
            }
            (AttributeKind::Name(id), value) => {
                event.text_field(id).into_iter().for_each(|field| *field = value.text());
            }
            (AttributeKind::Procedure, value) => {
                event.row.proc = value.text().and_then(procedure).unwrap_or_default();
            }
            (AttributeKind::Path, KeptValue::List(steps)) => {
                let steps: Vec<&str> = steps.into_iter().flatten().collect();
                event.row.goal_path = Some(builder.path(&steps));
            }
            (AttributeKind::Terms, KeptValue::List(items)) => event.args = Some(texts(items)),
            (AttributeKind::Texts(id), KeptValue::List(items)) => {
                if let Some(field) = event.list_field(id) {
                    *field = Some(texts(items));
                }
            }
            (AttributeKind::Call(which), value) => self.set_call(event, which, &value, reader, builder),
            (AttributeKind::Variables(id), value) => event.extra.extend(own(value).map(|value| (id, value))),
            (_, value) => event.extra.extend(column.id.zip(own(value))),
        }
    }

    /// Sets the call of an event or that around it; one that is not an integer gets a number.
    fn set_call<'b>(
        &mut self,
        event: &mut ObjectEvent<'b, 'b>,
        which: AttributeId,
        value: &KeptValue<'b>,
        reader: &mut JsonLinesReader,
        builder: &mut TraceBuilder,
    ) {
        let numbers = &mut reader.boxes.numbers;
        let (number, stated) = match value {
            KeptValue::Int(stated) => {
                let number = numbers.of_integer(*stated);
                (number, Some(OwnValue::Int(*stated)).filter(|_| number != *stated))
            }
            other => {
                let text = other.text().unwrap_or_default();
                (numbers.of_text(text), Some(OwnValue::Text(Cow::Borrowed(text))))
            }
        };
        let place = usize::from(which == AttributeId::PARENT);
        if let Some(stated) = stated {
            let id = self.stated[place].or_else(|| reader.keys.slot(["call_", "parent_"][place], builder).id);
            self.stated[place] = id;
            event.extra.extend(id.map(|id| (id, stated)));
        }
        *(if place == 1 { &mut event.parent } else { &mut event.row.call }) = Some(number);
    }
}

fn texts<'b>(items: Vec<Option<&'b str>>) -> TextList<'b> {
    items.into_iter().map(|item| item.map(Cow::Borrowed)).collect()
}

/// The text that distinguishes a thread.
fn thread_text<'b>(value: &KeptValue<'b>) -> Cow<'b, str> {
    match value {
        KeptValue::Int(number) => Cow::Owned(number.to_string()),
        KeptValue::Float(number) => Cow::Owned(number.to_string()),
        KeptValue::BigInt(text) | KeptValue::Text(text) | KeptValue::Term(text) => Cow::Borrowed(text),
        KeptValue::Atom(name) => Cow::Borrowed(name),
        KeptValue::List(_) => Cow::Borrowed(""),
    }
}

/// A value of an attribute beyond the usual ones.
fn own(value: KeptValue<'_>) -> Option<OwnValue<'_>> {
    Some(match value {
        KeptValue::Int(value) => OwnValue::Int(value),
        KeptValue::BigInt(digits) => OwnValue::BigInt(digits),
        KeptValue::Float(value) => OwnValue::Float(value),
        KeptValue::Atom(name) => OwnValue::Atom(name.into()),
        KeptValue::Text(text) => OwnValue::Text(Cow::Borrowed(text)),
        KeptValue::Term(text) => OwnValue::Term(Cow::Borrowed(text)),
        KeptValue::List(_) => return None,
    })
}
