//! What is kept of all events, over which contexts, fields and arguments are lazy columns.

use std::sync::Arc;

use super::columns::{AttributeIds, ContextValue, KnownContext};
use super::fields::{write_arguments, write_pairs};
use super::heads::{EventHead, HeadId, TraceHeads};
use super::values::{PackedValues, ValueTexts};
use crate::trace::{AttributeId, EventId, Field, ListField, TraceBuilder};

/// The events of a chunk.
pub(crate) struct EventPart {
    /// Taken when the events are added to the trace.
    pub(crate) times: Vec<i64>,
    pub(crate) heads: Box<[HeadId]>,
    /// The line of the first event.
    pub(crate) first_line: u64,
    /// The lines of the events, from that one; none if each stands on the line after the one before.
    pub(crate) lines: Option<Box<[u32]>>,
    pub(crate) values: PackedValues,
}

/// All events.
pub(crate) struct EventTables {
    pub(crate) parts: Vec<EventPart>,
    pub(crate) heads: TraceHeads,
}

impl EventTables {
    fn n_bytes(&self) -> usize {
        let of_parts = self
            .parts
            .iter()
            .map(|part| size_of::<EventPart>() + part.heads.len() * size_of::<HeadId>() + part.values.n_bytes());
        of_parts.sum::<usize>() + self.heads.n_bytes()
    }

    /// Hands all to lazy columns.
    pub(crate) fn leave(self, ids: &AttributeIds, builder: &mut TraceBuilder) {
        if builder.n_events() == 0 {
            return;
        }
        builder.keeps_tables(self.n_bytes());
        let tables = Arc::new(self);
        let n_events = builder.n_events();
        builder.lazy_values(ids.class, move |_, column| {
            let user = Field::Known(column.value(Field::Atom("user")));
            (0..n_events).for_each(|event| column.set(event, user));
        });
        for id in tables.attributes() {
            tables.leave_attribute(id, builder);
        }
        let of_args = Arc::clone(&tables);
        builder.lazy_args(move |_, column| {
            let mut list = String::new();
            of_args.each_with_values(|event, head, values| {
                list.clear();
                write_arguments(of_args.heads.arg_names(head).iter().map(|_| values.take()), &mut list);
                column.set(event, ListField::Text(&list));
            });
        });
        builder.lazy_values(ids.data, move |_, column| {
            let mut term = String::new();
            tables.each_with_values(|event, head, values| {
                term.clear();
                let names = tables.heads.arg_names(head).iter();
                write_pairs(names.map(|name| (name.as_deref(), values.take())), &mut term);
                column.set(event, Field::Term(&term));
            });
        });
    }

    /// The attributes that contexts have.
    fn attributes(&self) -> Vec<AttributeId> {
        let values = self.heads.contexts.iter().flat_map(|context| &context.values);
        let mut ids: Vec<AttributeId> = values.map(|(id, _)| *id).collect();
        ids.sort_unstable_by_key(|id| id.index());
        ids.dedup();
        ids
    }

    fn leave_attribute(self: &Arc<Self>, id: AttributeId, builder: &mut TraceBuilder) {
        let tables = Arc::clone(self);
        let values = self.heads.contexts.iter().filter_map(|context| context.value(id));
        if values.map(ContextValue::int).all(|int| int.is_some()) {
            return builder.lazy_ints(id, move |_, column| {
                let ints = tables.of_contexts(|context| context.value(id)?.int());
                tables.each(|event, head| {
                    if let Some(int) = ints[head.context as usize] {
                        column.set(event, int);
                    }
                });
            });
        }
        builder.lazy_values(id, move |_, column| {
            let fields = tables.of_contexts(|context| context.value(id).map(ContextValue::field));
            tables.each(|event, head| {
                if let Some(field) = fields[head.context as usize] {
                    column.set(event, field);
                }
            });
        });
    }

    fn of_contexts<'t, T>(&'t self, value: impl Fn(&'t KnownContext) -> T) -> Vec<T> {
        self.heads.contexts.iter().map(value).collect()
    }

    fn each(&self, mut take: impl FnMut(EventId, &EventHead)) {
        let heads = self.parts.iter().flat_map(|part| &part.heads);
        (0..).zip(heads).for_each(|(event, head)| take(event, &self.heads.heads[*head as usize]));
    }

    fn each_with_values(&self, mut take: impl FnMut(EventId, &EventHead, &mut ValueTexts<'_>)) {
        let (mut event, mut bytes) = (0, Vec::new());
        for part in &self.parts {
            let mut values = part.values.unpack(&mut bytes);
            for head in &part.heads {
                take(event, &self.heads.heads[*head as usize], &mut values);
                event += 1;
            }
        }
    }
}
