//! `papaver info --lint`: how each key of a trace was read, and what its recorder could do better, for the author of
//! the recorder.

use std::fmt::Write;

use crate::formats::{Advice, Format};
use crate::output::json::{self, JsonValue};
use crate::term::hash::HashMap;
use crate::trace::{AttributeId, EventId, PortRole, Trace, Value, box_findings};

/// The most different values of a key that are shown.
const MOST_EXAMPLES: usize = 3;
/// The most events that are searched for them.
const LOOKED_AT: EventId = 10_000;
/// The most characters of a value that are shown.
const MOST_LETTERS: usize = 40;

/// The report on a trace.
pub(crate) fn lint(trace: &Trace) -> String {
    let mut text = String::from("keys\n");
    for (id, _) in trace.schema().iter().filter(|(id, _)| !trace.is_computed(*id)) {
        line(&mut text, &key(trace, id));
    }
    section(&mut text, "missing", missing(trace));
    section(&mut text, "wrong", wrong(trace));
    text
}

fn section(text: &mut String, name: &str, items: Vec<String>) {
    writeln!(text, "{name}").expect("writing to a string cannot fail");
    if items.is_empty() {
        line(text, "nothing");
    }
    items.iter().for_each(|item| line(text, item));
}

fn line(text: &mut String, item: &str) {
    writeln!(text, "  {item}").expect("writing to a string cannot fail");
}

/// `port: kind of event; 698 of 698 events, such as "call", "exit"`
fn key(trace: &Trace, id: AttributeId) -> String {
    let attribute = trace.schema().get(id);
    let has = |event: &EventId| trace.value(*event, id) != Value::Absent;
    let n_events = (0..trace.n_events()).filter(has).count();
    let mut examples: Vec<String> = Vec::new();
    for event in (0..trace.n_events().min(LOOKED_AT)).filter(has) {
        let example = shown(trace, trace.value(event, id));
        if !examples.contains(&example) {
            examples.push(example);
        }
        if examples.len() == MOST_EXAMPLES {
            break;
        }
    }
    let such_as = if examples.is_empty() { String::new() } else { format!(", such as {}", examples.join(", ")) };
    format!("{}: {}; {n_events} of {} events{such_as}", attribute.name, attribute.doc, trace.n_events())
}

fn shown(trace: &Trace, value: Value<'_>) -> String {
    let text = json::to_string(&JsonValue::value(trace, value));
    match text.char_indices().nth(MOST_LETTERS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// Advice on parts that the trace lacks and that would allow more questions.
fn missing(trace: &Trace) -> Vec<String> {
    match Format::named(trace.origin().format).map(|format| format.advice) {
        None | Some([]) => missing_of_recorder(trace),
        Some(advice) => {
            advice.iter().filter_map(|one| lack(trace, one)).chain(before_first(trace)).chain(left_out(trace)).collect()
        }
    }
}

/// What events of some ports lack: `args` at 22 of 24 events.
fn lack(trace: &Trace, advice: &Advice) -> Option<String> {
    let id = trace.schema().find(advice.attribute);
    let port = |event: EventId| trace.port(event).is_some_and(|port| advice.ports.contains(&port.as_str()));
    let is_meant = |event: &EventId| advice.ports.is_empty() || port(*event);
    let has = |event: EventId| id.is_some_and(|id| trace.value(event, id) != Value::Absent);
    let (mut n_meant, mut n_lacking) = (0, 0);
    for event in (0..trace.n_events()).filter(is_meant) {
        n_meant += 1;
        n_lacking += u32::from(!has(event));
    }
    let ports: Vec<String> = advice.ports.iter().map(|port| format!("`{port}`")).collect();
    let of = if ports.is_empty() { String::new() } else { format!(" {}", ports.join(", ")) };
    let Advice { attribute, text, .. } = advice;
    (n_lacking > 0).then(|| format!("`{attribute}` at {n_lacking} of {n_meant} events{of}: {text}"))
}

/// What came before the first event.
fn before_first(trace: &Trace) -> Option<String> {
    let n_before = (trace.n_events() > 0).then(|| trace.chrono(0) - 1).filter(|n_before| *n_before > 0)?;
    Some(format!("events: {n_before} before the first: stacks, counts and checks of boxes need all"))
}

/// Numbers of events that are not there.
fn left_out(trace: &Trace) -> Option<String> {
    let last = trace.n_events().checked_sub(1)?;
    let n_numbers = trace.chrono(last).saturating_sub(trace.chrono(0)).saturating_add(1);
    let n_missing = n_numbers - i64::from(trace.n_events());
    let why = "stacks, counts and checks of boxes need all";
    (n_missing > 0).then(|| format!("events: {n_missing} of {n_numbers} between the first and the last: {why}"))
}

/// Advice for the author of a recorder.
fn missing_of_recorder(trace: &Trace) -> Vec<String> {
    let has = |name: &str| trace.schema().find(name).is_some();
    let has_role = |role| (0..trace.n_events()).any(|event| trace.port_role(event) == role);
    let recording = trace.recording();
    let told_start = recording.facts().any(|(_, key, _)| key != "args");
    let opens = has_role(PortRole::Opens);
    let items = [
        (
            !told_start,
            "a header: a first line `{\"papaver\": 1, \"source\": \"PROGRAM VERSION\"}` says what recorded it",
        ),
        (recording.is_unfinished, "a trailer: without it nobody knows whether the program came to its end"),
        (!has("name"), "`name`: what was called"),
        (
            !opens,
            "boxes: no event has the port `call`, so that there are no stacks, and checks of boxes have nothing to look at",
        ),
        (opens && !has_role(PortRole::Closes), "ends of boxes: no event has the port `exit`, `fail` or `exception`"),
        (!has("time"), "`time`: without it there are no durations, and traces are not merged"),
        (!has("args"), "`args`: arguments, for questions about values"),
    ];
    items.into_iter().filter(|(is_missing, _)| *is_missing).map(|(_, item)| item.to_owned()).collect()
}

/// Findings and inconsistencies of the trace.
fn wrong(trace: &Trace) -> Vec<String> {
    let mut items: Vec<String> =
        trace.findings().kept().iter().map(|finding| place(finding.line, &finding.message)).collect();
    items.extend(times_that_go_back(trace));
    items.extend(calls_that_stay_open(trace));
    items.extend(events_without_thread(trace));
    items.extend(box_findings(trace).kept().first().map(|finding| {
        let others = box_findings(trace).total() - 1;
        place(finding.line, &format!("{} (and {others} more)", finding.message))
    }));
    items.truncate(MOST_ITEMS);
    items
}

/// The most faults that are shown.
const MOST_ITEMS: usize = 30;

fn place(line: Option<u64>, message: &str) -> String {
    line.map_or_else(|| message.to_owned(), |line| format!("line {line}: {message}"))
}

fn times_that_go_back(trace: &Trace) -> Option<String> {
    let time = trace.schema().find("time")?;
    let threads = threads(trace);
    let mut last: HashMap<String, i64> = HashMap::default();
    let (mut first, mut count) = (None, 0);
    for event in 0..trace.n_events() {
        let Value::Int(now) = trace.value(event, time) else { continue };
        let thread = threads.iter().map(|id| shown(trace, trace.value(event, *id))).collect::<Vec<_>>().join(" ");
        if last.insert(thread, now).is_some_and(|before| before > now) {
            first = first.or(Some(event));
            count += 1;
        }
    }
    let first = first?;
    Some(place(trace.source_line(first), &format!("`time` goes back within a thread (the first of {count})")))
}

/// The attributes that distinguish threads.
fn threads(trace: &Trace) -> Vec<AttributeId> {
    ["pid", "thread", "tid"].iter().filter_map(|name| trace.schema().find(name)).collect()
}

fn calls_that_stay_open(trace: &Trace) -> Option<String> {
    let opens = |call: &_| trace.port_role(trace.call_first(*call)) == PortRole::Opens;
    let mut open = trace.open_calls().filter(opens);
    let first = open.next()?;
    let count = open.count() + 1;
    let number = trace.call_number(first);
    let why = if trace.recording().was_stopped() { ", as the program was stopped" } else { "" };
    let message = format!("call {number} never ends (the first of {count}){why}");
    Some(place(trace.source_line(trace.call_first(first)), &message))
}

fn events_without_thread(trace: &Trace) -> Option<String> {
    let threads = threads(trace);
    let lacks_all = |event: &EventId| threads.iter().all(|id| trace.value(*event, *id) == Value::Absent);
    let mut without = (0..trace.n_events()).filter(lacks_all);
    let first = without.next().filter(|_| !threads.is_empty())?;
    let count = without.count() + 1;
    let message = format!("no `pid`, `thread` or `tid`, which others have (the first of {count})");
    Some(place(trace.source_line(first), &message))
}
