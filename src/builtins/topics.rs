//! What help explains beside predicates, attributes and ports: subjects, a text each.

use crate::engine::World;
use crate::formats::FORMATS;
use crate::trace::{BASE, Trace};

/// A subject that help explains.
pub struct Subject {
    /// The name that `help/1` takes.
    pub name: &'static str,
    /// One line that says what it is about.
    pub doc: &'static str,
    /// What there is to say.
    pub text: &'static str,
    /// What follows it: what the tables say, and the trace that is asked.
    pub list: Option<fn(Option<&Trace>) -> String>,
}

macro_rules! subjects {
    ($($name:literal $doc:literal $list:expr;)*) => {
        /// Every subject, in the order in which help lists them.
        pub const SUBJECTS: &[Subject] = &[$(Subject {
            name: $name, doc: $doc, text: include_str!(concat!("topics/", $name, ".txt")), list: $list,
        },)*];
    };
}

subjects! {
    "constraints" "what fget, event and current take" None;
    "attributes" "what is known of an event" Some(attributes);
    "ports" "the kinds of event" Some(ports);
    "cursor" "moving in the trace" None;
    "lines" "how events are printed" None;
    "checks" "assertions, and `papaver check`" None;
    "prompt" "keys, clauses and settings at the prompt" None;
    "formats" "which traces are read" Some(formats);
    "jsonl" "JSON Lines, the format for every other program" None;
    "limits" "time, memory, and what no script can do" None;
}

impl Subject {
    /// The whole page.
    pub fn page(&self, world: &World) -> String {
        let list = self.list.map(|list| list(world.trace.as_deref())).unwrap_or_default();
        format!("{}{list}", self.text)
    }
}

fn line(name: &str, doc: &str) -> String {
    format!("    {name:<28} {doc}\n")
}

/// Those of the trace, or those that are known beforehand.
fn attributes(trace: Option<&Trace>) -> String {
    let named = |name: &str, aliases: &[&str], doc: &str| match aliases {
        [] => line(name, doc),
        aliases => line(&format!("{name} ({})", aliases.join(", ")), doc),
    };
    match trace.filter(|trace| trace.n_events() > 0) {
        Some(trace) => {
            let own = trace.schema().iter().map(|(_, row)| named(&row.name, row.aliases, row.doc));
            format!("This trace has:\n{}", own.collect::<String>())
        }
        None => BASE.iter().map(|row| named(row.name, row.aliases, row.doc)).collect(),
    }
}

/// Those of the trace's format, or those of every format.
fn ports(trace: Option<&Trace>) -> String {
    let is_asked = |name: &str| trace.is_none_or(|trace| trace.origin().format == name);
    let of = |format: &crate::formats::Format| {
        let ports: String = format.ports.records().iter().map(|port| line(port.name, port.doc)).collect();
        format!("{}: {}\n{ports}", format.name, format.doc)
    };
    FORMATS.iter().filter(|format| is_asked(format.name)).map(of).collect()
}

fn formats(_: Option<&Trace>) -> String {
    FORMATS.iter().map(|format| format!("{}        {}\n", line(format.name, format.doc), format.sample)).collect()
}
