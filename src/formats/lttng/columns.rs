//! The format's own attributes, and the contexts that events share.

use super::fields::{fields, integer, string, write_value};
use super::line::{LineForm, label};
use crate::trace::{AttributeId, Field, TraceBuilder, known_attribute};

attributes! {
    standing_attribute:
    time "time" in Nanoseconds "time of the event in nanoseconds: since 1970 if the trace has dates, otherwise since midnight; or cycles";
    class "class" "always user, as events of POSIX traces that the program made";
    cpu "cpu" "processor on which the event happened";
    host "host" "computer on which the event happened";
    pid "pid" "process of the event, from the context vpid or pid";
    tid "tid" "thread of the event, from the context vtid or tid";
    data "data" "fields of the event as a list of Name = Value";
}

/// The thread to whose boxes an event belongs: its process and thread, or its processor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ContextThread {
    Thread(Option<Box<str>>, Option<Box<str>>),
    Cpu(Option<Box<str>>),
}

/// What the text before the fields of an event says.
pub(crate) struct KnownContext {
    /// Values of attributes.
    pub(crate) values: Vec<(AttributeId, ContextValue)>,
    pub(crate) thread: ContextThread,
}

/// A value of a context.
#[derive(Clone, Debug)]
pub(crate) enum ContextValue {
    Int(i64),
    Atom(Box<str>),
    Term(Box<str>),
}

impl ContextValue {
    pub(crate) fn field(&self) -> Field<'_> {
        match self {
            ContextValue::Int(value) => Field::Int(*value),
            ContextValue::Atom(text) => Field::Atom(text),
            ContextValue::Term(text) => Field::Term(text),
        }
    }

    /// The integer, if a column of integers can hold it.
    pub(crate) fn int(&self) -> Option<i64> {
        match self {
            ContextValue::Int(value) => Some(*value).filter(|value| *value != i64::MIN),
            _ => None,
        }
    }
}

impl KnownContext {
    pub(crate) fn of(text: &str, form: LineForm, ids: &AttributeIds, builder: &mut TraceBuilder) -> KnownContext {
        let (host, described, groups) = match form {
            LineForm::Short => short_parts(text),
            LineForm::All => all_parts(text),
        };
        let mut context = KnownContext { values: Vec::new(), thread: ContextThread::Cpu(None) };
        context.values.extend(host.map(|host| (ids.host, ContextValue::Atom(host.into()))));
        for (key, value) in described {
            context.describe(key, value, builder);
        }
        let found = |name: &str| groups.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).into());
        let (process, thread) = (found("vpid"), found("vtid"));
        context.thread = match process.is_some() || thread.is_some() {
            true => ContextThread::Thread(process, thread),
            false => ContextThread::Cpu(found("cpu_id")),
        };
        for (name, value) in &groups {
            context.add(name, value, ids, builder);
        }
        context
    }

    /// Adds a value that the line states before its groups.
    fn describe(&mut self, key: &str, value: &str, builder: &mut TraceBuilder) {
        if let Some(id) = builder.own_attribute(key) {
            self.values.push((id, ContextValue::Atom(value.into())));
        }
    }

    /// Adds a field of a context, as an attribute with its name.
    fn add(&mut self, name: &str, value: &str, ids: &AttributeIds, builder: &mut TraceBuilder) {
        let special = match name {
            "cpu_id" => Some(ids.cpu),
            "vpid" | "pid" => Some(ids.pid),
            "vtid" | "tid" => Some(ids.tid),
            _ => None,
        };
        let own = match name {
            "cpu_id" | "pid" | "tid" => None,
            // attributes of all formats mean something else
            _ if known_attribute(name).is_some() => builder.own_attribute(&format!("context_{name}")),
            _ => builder.own_attribute(name),
        };
        for id in special.into_iter().chain(own) {
            if !self.values.iter().any(|(known, _)| *known == id) {
                self.values.push((id, context_value(value)));
            }
        }
    }

    /// The value of an attribute.
    pub(crate) fn value(&self, id: AttributeId) -> Option<&ContextValue> {
        self.values.iter().find(|(known, _)| *known == id).map(|(_, value)| value)
    }

    /// Bytes of memory in use, but those of texts.
    pub(crate) fn n_bytes(&self) -> usize {
        size_of::<KnownContext>() + self.values.len() * size_of::<(AttributeId, ContextValue)>()
    }
}

fn context_value(value: &str) -> ContextValue {
    if let Some(integer) = integer(value) {
        return ContextValue::Int(integer);
    }
    match string(value) {
        Some(text) => ContextValue::Atom(text.into()),
        None => {
            let mut term = String::new();
            write_value(value, &mut term);
            ContextValue::Term(term.into())
        }
    }
}

/// A host, what is said before the groups, and the fields of the groups.
type ContextParts<'t> = (Option<&'t str>, Vec<(&'t str, &'t str)>, Vec<(&'t str, &'t str)>);

/// `app shop:item: { cpu_id = 1 }, { vpid = 3652 }, `
fn short_parts(text: &str) -> ContextParts<'_> {
    let head = text.find(": {").unwrap_or(text.len());
    let (words, groups) = (&text[..head], text.get(head + 2..).unwrap_or_default());
    (words.rsplit_once(' ').map(|(host, _)| host), Vec::new(), group_fields(groups))
}

/// `trace = .., , trace:hostname = app, loglevel = X (13), name = shop:item, stream.packet.context = { cpu_id = 1 }`
fn all_parts(text: &str) -> ContextParts<'_> {
    let mut rest = 0;
    while let Some(comma) = text[rest..].find(", ").filter(|_| label(text, rest).is_none()) {
        rest += comma + 2;
    }
    let said = text[..rest].split(", ").filter_map(|part| part.split_once(" = "));
    let found: Vec<(&str, &str)> = said.collect();
    let host = found.iter().find(|(key, _)| *key == "trace:hostname").map(|(_, host)| *host);
    let described = found.into_iter().filter_map(|(key, value)| match key {
        "loglevel" | "trace" => Some((key, value)),
        "trace:domain" => Some(("domain", value)),
        _ => None,
    });
    (host, described.collect(), group_fields(&text[rest..]))
}

/// The fields of groups in a row, each with its name.
fn group_fields(groups: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = groups;
    while let Some(start) = rest.find('{') {
        let group = &rest[start..];
        let Some(length) = super::fields::value_length(group) else { return found };
        found.extend(fields(&group[..length]).into_iter().filter_map(|(name, value)| Some((name?, value))));
        rest = &group[length..];
    }
    found
}
