//! The rows of the relation in their order, each as a span and a part of it; spans are renumbered by their calls.

use super::order::{PlaceKey, SpanPlaces};
use super::parents::NO_SPAN;
use super::records::{ERROR, SpanRecords};

/// What an event of the relation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowKind {
    Call,
    End,
    Event,
    Link,
}

/// An event of the relation: its span, its kind, and where the event or link begins in the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Row {
    packed: u32,
    pub(super) at: u32,
}

impl Row {
    const KIND_SHIFT: u32 = 30;
    /// More spans than these have no rows.
    pub(super) const MOST_SPANS: usize = 1 << Row::KIND_SHIFT;

    pub(super) fn new(span: u32, kind: RowKind, at: u32) -> Row {
        Row { packed: span | (kind as u32) << Row::KIND_SHIFT, at }
    }

    #[inline]
    pub(super) fn span(self) -> u32 {
        self.packed & ((1 << Row::KIND_SHIFT) - 1)
    }

    #[inline]
    pub(super) fn kind(self) -> RowKind {
        match self.packed >> Row::KIND_SHIFT {
            0 => RowKind::Call,
            1 => RowKind::End,
            2 => RowKind::Event,
            _ => RowKind::Link,
        }
    }

    /// Whether it is about the whole span.
    #[inline]
    pub(super) fn is_edge(self) -> bool {
        matches!(self.kind(), RowKind::Call | RowKind::End)
    }

    fn of_span(self, span: u32) -> Row {
        Row::new(span, self.kind(), self.at)
    }
}

impl RowKind {
    /// The port of such an event of a span with a status.
    pub(super) fn port(self, status: u8) -> &'static str {
        match self {
            RowKind::Call => "call",
            RowKind::End if status == ERROR => "exception",
            RowKind::End => "exit",
            RowKind::Event => "event",
            RowKind::Link => "link",
        }
    }
}

/// All rows in their order.
pub(super) fn ordered(records: &SpanRecords, places: &SpanPlaces) -> Vec<Row> {
    let mut keyed: Vec<(PlaceKey, Row)> = Vec::with_capacity(records.len() * 2);
    for (span, record) in (0..).zip(&records.records) {
        keyed.push((places.call(span), Row::new(span, RowKind::Call, 0)));
        let body = records.body(record);
        for (index, (is_link, part)) in (0..).zip(records.parts(&body)) {
            keyed.push(match is_link {
                true => (places.link(span, index), Row::new(span, RowKind::Link, part.at)),
                false => (places.event(span, part.time(), index), Row::new(span, RowKind::Event, part.at)),
            });
        }
        keyed.extend(places.end(span).map(|key| (key, Row::new(span, RowKind::End, 0))));
    }
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, row)| row).collect()
}

/// Spans in the order of their calls.
pub(super) struct CallOrder {
    /// The new number of each span.
    pub(super) numbers: Vec<u32>,
    /// The old number of each span.
    pub(super) old: Vec<u32>,
}

impl CallOrder {
    /// Numbers the spans of some rows by their calls.
    pub(super) fn new(rows: &mut [Row], n_spans: usize) -> CallOrder {
        let (mut numbers, mut old) = (vec![NO_SPAN; n_spans], Vec::with_capacity(n_spans));
        for row in rows {
            let span = row.span();
            if row.kind() == RowKind::Call {
                numbers[span as usize] = old.len() as u32;
                old.push(span);
            }
            *row = row.of_span(numbers[span as usize]);
        }
        CallOrder { numbers, old }
    }

    /// A list by spans in the new order.
    pub(super) fn sorted<T: Copy>(&self, list: &[T]) -> Vec<T> {
        self.old.iter().map(|span| list[*span as usize]).collect()
    }

    /// The new number of a span, if it is one.
    pub(super) fn number(&self, span: u32) -> u32 {
        self.numbers.get(span as usize).copied().unwrap_or(NO_SPAN)
    }
}
