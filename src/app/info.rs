//! `papaver info`: the contents of a trace, and its findings.

use std::fmt::Write;
use std::path::Path;

use serde::Serialize;

use super::args::{InfoArgs, InfoForm};
use super::context::{CommandContext, UNFINISHED};
use super::interrupt::InterruptEffect;
use super::lint::lint;
use super::status::Status;
use crate::formats::term_finding;
use crate::output::json::{self, JsonPairs, JsonValue};
use crate::session::{ValueCount, values_of};
use crate::trace::{AttributeId, EventId, Finding, FindingSeverity, Findings, Trace, Value, box_findings};

/// Runs the command.
pub(crate) fn info(args: &InfoArgs) -> Status {
    let mut common = args.common.clone();
    common.quiet = true;
    let context = CommandContext::new(&common, InterruptEffect::Command);
    let mut status = Status::Yes;
    let traces = context.traces(&args.traces);
    context.read_ahead(&traces);
    for (index, path) in traces.iter().enumerate() {
        let Some(trace) = context.load(path) else {
            status = Status::Error;
            continue;
        };
        let trace = match context.described(trace) {
            Ok(trace) => trace,
            Err(stopped) => {
                status = status.and(stopped);
                continue;
            }
        };
        let text = match args.to {
            _ if args.lint => lint(&trace),
            InfoForm::Json => in_json(path, &trace),
            InfoForm::Text => {
                let most = if args.all { usize::MAX } else { MOST };
                let blank = if index > 0 { "\n" } else { "" };
                format!("{blank}{}", in_text(path, &trace, most))
            }
        };
        let written = context.written(context.out.data(&text));
        if written != Status::Yes {
            return written;
        }
    }
    context.finish(status)
}

/// The most findings, and values of an attribute, in the text without `--all`; JSON has all that were kept.
const MOST: usize = 20;

fn in_text(path: &Path, trace: &Trace, most: usize) -> String {
    let attributes: Vec<&str> = trace.schema().iter().map(|(_, attribute)| &*attribute.name).collect();
    let mut text = String::new();
    line(&mut text, "path", &path.display().to_string());
    line(&mut text, "format", trace.origin().format);
    line(&mut text, "events", &trace.n_events().to_string());
    line(&mut text, "calls", &trace.n_calls().to_string());
    line(&mut text, "attributes", &attributes.join(" "));
    line(&mut text, "ports", &counts(&values_of(trace, AttributeId::PORT), most));
    line(&mut text, "procs", &counts(&values_of(trace, AttributeId::PROC), most));
    for (key, value) in trace.recorded_facts() {
        line(&mut text, key, &told_text(trace, value));
    }
    if trace.recording().is_unfinished {
        line(&mut text, "note", UNFINISHED);
    }
    findings(&mut text, "findings", &trace.findings().and(term_finding(trace)), most);
    findings(&mut text, "structure", &box_findings(trace), most);
    text
}

fn line(text: &mut String, name: &str, value: &str) {
    writeln!(text, "{name:<11} {value}").expect("writing to a string cannot fail");
}

/// A fact of the recorder: a text unchanged, anything else as JSON.
fn told_text(trace: &Trace, value: Value<'_>) -> String {
    match value {
        Value::Atom(name) => name.to_string(),
        Value::Text(text) => text.to_owned(),
        other => json::to_string(&JsonValue::value(trace, other)),
    }
}

/// `exit 149, call 146`: the most frequent first.
fn counts(values: &[ValueCount], most: usize) -> String {
    let mut sorted: Vec<&ValueCount> = values.iter().collect();
    sorted.sort_by_key(|value| std::cmp::Reverse(value.count));
    let shown = sorted.iter().take(most).map(|value| format!("{} {}", value.text, value.count));
    let mut shown: Vec<String> = shown.collect();
    if sorted.len() > most {
        shown.push(format!("and {} more", sorted.len() - most));
    }
    shown.join(", ")
}

/// The number of findings of each severity, and the first findings, gravest first.
fn findings(text: &mut String, name: &str, findings: &Findings, most: usize) {
    let total = findings.total();
    if total == 0 {
        return;
    }
    line(text, name, &counted(findings));
    let mut sorted: Vec<&Finding> = findings.kept().iter().collect();
    sorted.sort_by_key(|finding| finding.severity);
    sorted.truncate(most);
    for finding in &sorted {
        let place = finding.line.map_or(String::new(), |line| format!("line {line}: "));
        let severity = finding.severity.word();
        writeln!(text, "  {severity} {}: {place}{}", finding.rule, finding.message).expect("a string");
    }
    let n_more = total - sorted.len() as u64;
    if n_more > 0 {
        writeln!(text, "  and {n_more} more").expect("writing to a string cannot fail");
    }
}

/// `2 faults, 1 note`
fn counted(findings: &Findings) -> String {
    let counts = FindingSeverity::ALL.map(|severity| (findings.count(severity), severity.word()));
    let shown = counts.iter().filter(|(count, _)| *count > 0);
    let shown = shown.map(|(count, word)| format!("{count} {word}{}", if *count == 1 { "" } else { "s" }));
    shown.collect::<Vec<_>>().join(", ")
}

/// The object of a trace, on one line.
fn in_json(path: &Path, trace: &Trace) -> String {
    let (warnings, structure) = (trace.findings().and(term_finding(trace)), box_findings(trace));
    let info = Info {
        path: &path.display().to_string(),
        format: trace.origin().format,
        events: trace.n_events(),
        calls: trace.n_calls(),
        attributes: trace.schema().iter().map(|(_, attribute)| &*attribute.name).collect(),
        ports: JsonPairs::of_counts(values_of(trace, AttributeId::PORT)),
        procs: JsonPairs::of_counts(values_of(trace, AttributeId::PROC)),
        recording: JsonPairs(
            trace.recorded_facts().into_iter().map(|(key, value)| (key, JsonValue::value(trace, value))).collect(),
        ),
        warnings: warnings.kept().iter().map(JsonFinding::of).collect(),
        n_warnings: warnings.total(),
        severities: JsonPairs(FindingSeverity::ALL.map(|severity| (severity.word(), warnings.count(severity))).into()),
        structure: structure.kept().iter().map(JsonFinding::of).collect(),
        n_structure: structure.total(),
    };
    json::to_string(&info) + "\n"
}

#[derive(Serialize)]
struct Info<'t> {
    path: &'t str,
    format: &'t str,
    events: EventId,
    calls: usize,
    attributes: Vec<&'t str>,
    ports: JsonPairs<String, u64>,
    procs: JsonPairs<String, u64>,
    recording: JsonPairs<&'t str, JsonValue<'t>>,
    warnings: Vec<JsonFinding<'t>>,
    n_warnings: u64,
    severities: JsonPairs<&'static str, u64>,
    structure: Vec<JsonFinding<'t>>,
    n_structure: u64,
}

/// `{"line": 7, "severity": "fault", "rule": "L1", "message": "..."}`
#[derive(Serialize)]
struct JsonFinding<'f> {
    line: Option<u64>,
    severity: &'static str,
    rule: &'static str,
    message: &'f str,
}

impl JsonFinding<'_> {
    fn of(finding: &Finding) -> JsonFinding<'_> {
        let Finding { line, rule, message, .. } = finding;
        JsonFinding { line: *line, severity: finding.severity.word(), rule, message }
    }
}

impl JsonPairs<String, u64> {
    fn of_counts(values: Vec<ValueCount>) -> JsonPairs<String, u64> {
        JsonPairs(values.into_iter().map(|value| (value.text, value.count)).collect())
    }
}
