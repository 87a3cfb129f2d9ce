//! Where events begin in the trace's file: lines, or the places of the records of a document.

use std::fmt;
use std::sync::Arc;

use super::store::Trace;
use crate::trace::column::codes::Runs;
use crate::trace::column::lazy::Lazy;
use crate::trace::column::places::PlaceTable;
use crate::trace::event::EventId;
use crate::trace::event::place::SourcePlace;
use crate::trace::event::schema::AttributeId;
use crate::trace::event::value::Value;

/// Where the records of a document begin, and which record each event comes from.
#[derive(Clone, Debug)]
pub(crate) struct SourcePlaces {
    pub(crate) table: Lazy<Arc<PlaceTable>>,
    pub(crate) records: RecordNumbers,
}

/// How a saved trace says which record each event comes from.
pub(crate) enum StoredPlaces {
    /// It has no places.
    None,
    /// By the values of an attribute.
    ByAttribute,
    /// By a number for each event.
    ByEvent,
}

/// The number of the record of each event, from 0.
#[derive(Clone)]
pub(crate) enum RecordNumbers {
    /// The value of an attribute, less that of the first record.
    Attribute(AttributeId, i64),
    /// What a function says; none for an event without a record.
    Function(Arc<dyn Fn(EventId) -> Option<u32> + Send + Sync>),
}

impl fmt::Debug for RecordNumbers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordNumbers::Attribute(id, first) => write!(formatter, "{id:?} - {first}"),
            RecordNumbers::Function(_) => formatter.write_str("a function"),
        }
    }
}

impl Trace {
    /// The line of an event in the trace's file, from 1; none if it has none.
    pub(crate) fn source_line(&self, event: EventId) -> Option<u64> {
        self.source_place(event).map(|place| place.line)
    }

    /// Where an event begins in the trace's file; none if its line is unknown.
    pub(crate) fn source_place(&self, event: EventId) -> Option<SourcePlace> {
        let place = match &self.source_places {
            Some(places) => self.record(&places.records, event).and_then(|record| places.table.at(record))?,
            None => SourcePlace { line: self.source_lines.at(event), ..SourcePlace::default() },
        };
        Some(place).filter(|place| place.line > 0)
    }

    /// The number of the record from which an event comes.
    pub(crate) fn record(&self, records: &RecordNumbers, event: EventId) -> Option<usize> {
        match records {
            RecordNumbers::Attribute(id, first) => match self.value(event, *id) {
                Value::Int(number) => usize::try_from(number.checked_sub(*first)?).ok(),
                _ => None,
            },
            RecordNumbers::Function(record) => Some(record(event)? as usize),
        }
    }

    /// Bytes of memory that the places take so far.
    pub(super) fn place_bytes(&self) -> usize {
        let table = self.source_places.as_ref().and_then(|places| places.table.made());
        self.source_lines.made().map_or(0, Runs::bytes) + table.map_or(0, |table| table.bytes())
    }
}
