//! The format's own attributes, and the contexts that events share.

use super::fields::{each_field, integer, string, write_value, written};
use super::line::{LineForm, label, place_and_name};
use crate::formats::json::own_value::OwnValue;
use crate::trace::{OwnAttribute, known_attribute};

/// The attributes that the format adds.
pub(super) const ATTRIBUTES: &[OwnAttribute] = &[
    OwnAttribute::time(
        "time",
        "time of the event in nanoseconds: since 1970 if the trace has dates, otherwise since midnight; or cycles",
    ),
    OwnAttribute::new("class", "always user, as events of POSIX traces that the program made"),
    OwnAttribute::new("cpu", "processor on which the event happened"),
    OwnAttribute::new("host", "computer on which the event happened"),
    OwnAttribute::new("pid", "process of the event, from the context vpid or pid, or before the name of the event"),
    OwnAttribute::new("tid", "thread of the event, from the context vtid or tid"),
    OwnAttribute::new("data", "fields of the event as a list of Name = Value"),
];

/// What the text before the fields of an event says.
pub(super) struct EventContext {
    /// Values by the names of their attributes, of which the first counts.
    pub(super) values: Vec<(String, OwnValue<'static>)>,
    /// The thread to whose boxes the event belongs: its process and thread, or its processor.
    pub(super) thread: String,
}

impl EventContext {
    pub(super) fn of(text: &str, form: LineForm) -> EventContext {
        let (described, groups) = match form {
            LineForm::All => all_parts(text),
            form => short_parts(text, form),
        };
        let said = [("class", "user")].into_iter().chain(described);
        let said = said.map(|(name, text)| match integer(text).filter(|_| name == "pid") {
            Some(id) => (name.to_owned(), OwnValue::Int(id)),
            None => (name.to_owned(), OwnValue::Atom(text.to_owned().into())),
        });
        let of_groups = groups.iter().flat_map(|(name, value)| {
            attributes_of(name).into_iter().flatten().map(|attribute| (attribute, context_value(value)))
        });
        let found = |name: &str| groups.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        let thread = match (found("vpid").or(found("pid")), found("vtid").or(found("tid"))) {
            (None, None) => format!("{:?}", found("cpu_id")),
            thread => format!("{thread:?}"),
        };
        EventContext { values: said.chain(of_groups).collect(), thread }
    }
}

/// The attributes of a field of a context: one with its name, and one that other formats have too.
fn attributes_of(name: &str) -> [Option<String>; 2] {
    let shared = match name {
        "cpu_id" => Some("cpu"),
        "vpid" | "pid" => Some("pid"),
        "vtid" | "tid" => Some("tid"),
        _ => None,
    };
    let is_taken = known_attribute(name).is_some() || ["time", "data"].contains(&name);
    let own = match name {
        "cpu_id" | "pid" | "tid" => None,
        // these attributes mean something else
        _ if is_taken => Some(format!("context_{name}")),
        _ => Some(name.to_owned()),
    };
    [shared.map(str::to_owned), own]
}

fn context_value(value: &str) -> OwnValue<'static> {
    match (integer(value), string(value)) {
        (Some(integer), _) => OwnValue::Int(integer),
        (None, Some(text)) => OwnValue::Atom(text.into()),
        (None, None) => OwnValue::Term(written(value.as_bytes(), write_value).into()),
    }
}

/// What is said before the groups, and the fields of the groups.
type ContextParts<'t> = (Vec<(&'t str, &'t str)>, Vec<(&'t str, &'t str)>);

/// `box1 shop:item: { cpu_id = 1 }, { vpid = 3652 }, ` or `box1:app:(3652) shop:item: { cpu_id = 1 }, `
fn short_parts(text: &str, form: LineForm) -> ContextParts<'_> {
    let (words, groups) = text.split_once(": {").map_or((text, ""), |(words, _)| (words, &text[words.len()..]));
    let (place, _) = place_and_name(words, form);
    let process = place.strip_suffix(')').and_then(|place| place.split_once(":("));
    let described = match process {
        Some((program, id)) => {
            let (host, program) = program.split_once(':').map_or((None, program), |(host, rest)| (Some(host), rest));
            let host = host.map(|host| ("host", host));
            host.into_iter().chain([("procname", program), ("pid", id)]).collect()
        }
        None if place.is_empty() => Vec::new(),
        None => vec![("host", place)],
    };
    (described, group_fields(groups))
}

/// `trace = .., , trace:hostname = app, loglevel = X (13), name = shop:item, stream.packet.context = { cpu_id = 1 }`
fn all_parts(text: &str) -> ContextParts<'_> {
    let mut rest = 0;
    while let Some(comma) = text[rest..].find(", ").filter(|_| label(text, rest).is_none()) {
        rest += comma + 2;
    }
    let described = text[..rest].split(", ").filter_map(|part| match part.split_once(" = ")? {
        ("trace:hostname", host) => Some(("host", host)),
        ("trace:domain", domain) => Some(("domain", domain)),
        ("trace:procname", program) => Some(("procname", program)),
        ("trace:vpid", id) => Some(("pid", id)),
        (key @ ("loglevel" | "trace"), value) => Some((key, value)),
        _ => None,
    });
    (described.collect(), group_fields(&text[rest..]))
}

/// The fields of groups in a row, each with its name.
fn group_fields(groups: &str) -> Vec<(&str, &str)> {
    let (mut found, mut rest) = (Vec::new(), groups);
    while let Some(start) = rest.find('{') {
        let group = &rest[start..];
        let length = each_field(group, |name, value| found.extend(name.map(|name| (name, value))));
        rest = length.map_or("", |length| &group[length..]);
    }
    found
}
