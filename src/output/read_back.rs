//! Checks that event lines are read back as the events for which they were written; otherwise the trace is refused.

use std::io;

use crate::formats::mercury::vocabulary;
use crate::formats::morphine::{FORMAT, line::parse};
use crate::formats::text;
use crate::trace::{AttributeId, EventId, Trace, Value};

/// The advice in each refusal.
const INSTEAD: &str = "`--to jsonl` keeps every event";

/// An error if the trace has ports that event lines cannot have.
pub(crate) fn check_ports(trace: &Trace) -> io::Result<()> {
    let foreign = |name: &str| vocabulary::port(name.as_bytes()) != Some(name);
    let ports: Vec<String> = trace
        .ports()
        .filter(|(_, port)| foreign(port.as_str()))
        .map(|(_, port)| format!("`{}`", port.as_str()))
        .collect();
    match ports.as_slice() {
        [] => Ok(()),
        [port] => refuse(format!("event lines have no port {port}")),
        [first, ..] => refuse(format!("event lines do not have {} of its ports, such as {first}", ports.len())),
    }
}

/// An error if the first lines written for a trace would not be recognised as event lines.
pub(crate) fn check_first(lines: &str) -> io::Result<()> {
    if lines.is_empty() || (FORMAT.sniff)(lines.as_bytes()) > 0 {
        return Ok(());
    }
    refuse("the first events have too little for event lines, such as ports and procedures".to_owned())
}

/// An error if a line is not read back as its event; lines with the live variables of the event may follow it.
pub(crate) fn check_line(trace: &Trace, event: EventId, lines: &str) -> io::Result<()> {
    let chrono = trace.chrono(event);
    let line = lines.lines().next().unwrap_or_default();
    let read = match parse(line.as_bytes()) {
        Ok(read) => read,
        Err(fault) => return refuse(format!("event {chrono}: {}", fault.message(line.as_bytes()))),
    };
    let proc = trace.proc_of(event).map(|proc| *trace.proc(proc)).unwrap_or_default();
    let integer = |attribute| match trace.value(event, attribute) {
        Value::Int(value) => Some(value),
        _ => None,
    };
    let name = read.name.map(text::name);
    let is_same = read.chrono == Some(chrono)
        && read.call == integer(AttributeId::CALL)
        && read.depth == integer(AttributeId::DEPTH)
        && read.port == trace.port(event).map(|port| port.as_str())
        && name.as_deref() == proc.name.map(|name| name.as_str());
    if is_same { Ok(()) } else { refuse(format!("event {chrono} would be read back as another one")) }
}

fn refuse<T>(reason: String) -> io::Result<T> {
    Err(io::Error::other(format!("{reason}; {INSTEAD}")))
}
