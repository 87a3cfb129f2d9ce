//! What an exported folder says about a trace, beside its rows.

use serde_json::{Map, Value as Json, json};

use super::events::{EventColumn, EventColumns, Held};
use crate::trace::{AttributeId, AttributeType, FindingSeverity, Findings, RecordedAt, Recording, TimeUnit, Trace};

/// The description of a trace with this name.
pub(super) fn describe(trace: &Trace, name: &str, columns: &EventColumns) -> Json {
    let chrono = |event: Option<u32>| event.filter(|event| *event < trace.n_events()).map(|event| trace.chrono(event));
    json!({
        "trace": name,
        "path": trace.origin().path.display().to_string(),
        "format": trace.origin().format,
        "events": trace.n_events(),
        "calls": trace.n_calls(),
        "first_chrono": chrono(Some(0)),
        "last_chrono": chrono(trace.n_events().checked_sub(1)),
        "attributes": attributes(trace, columns),
        "recording": recording(trace.recording()),
        "findings": findings(trace.findings()),
    })
}

fn attributes(trace: &Trace, columns: &EventColumns) -> Vec<Json> {
    let attribute = |(id, attribute): (AttributeId, &crate::trace::Attribute)| {
        let mut object = Map::new();
        object.insert("name".to_string(), json!(&*attribute.name));
        object.insert("type".to_string(), json!(type_word(attribute.kind)));
        if let Some(unit) = attribute.unit {
            object.insert("unit".to_string(), json!(unit_word(unit)));
        }
        let own: Vec<Json> = columns.iter().filter(|column| is_of(column.held, id)).map(column).collect();
        object.insert("columns".to_string(), Json::Array(own));
        Json::Object(object)
    };
    trace.schema().iter().map(attribute).collect()
}

/// Whether a column has values of an attribute.
fn is_of(held: Held, id: AttributeId) -> bool {
    match held {
        Held::TraceName => false,
        Held::Values(own, _) | Held::List(own) | Held::Parts(own) => own == id,
        Held::Proc => id == AttributeId::PROC,
        Held::Argument(_) | Held::ArgumentInt(_) => id == AttributeId::ARGS,
    }
}

fn column(column: &EventColumn) -> Json {
    let name = &column.name;
    match column.held {
        Held::TraceName => json!({ "name": name, "kind": "text" }),
        Held::Values(_, kind) => json!({ "name": name, "kind": kind.words().0 }),
        Held::List(_) => json!({ "name": name, "kind": "list" }),
        Held::Parts(_) => json!({ "name": name, "kind": "parts" }),
        Held::Proc => json!({ "name": name, "kind": "proc" }),
        Held::Argument(index) => json!({ "name": name, "kind": "argument", "index": index + 1 }),
        Held::ArgumentInt(index) => json!({ "name": name, "kind": "argument_int", "index": index + 1 }),
    }
}

fn type_word(kind: AttributeType) -> &'static str {
    match kind {
        AttributeType::Integer => "integer",
        AttributeType::Name => "name",
        AttributeType::Port => "port",
        AttributeType::Proc => "proc",
        AttributeType::GoalPath => "goal_path",
        AttributeType::Args => "args",
        AttributeType::Texts => "texts",
        AttributeType::Computed => "computed",
        AttributeType::Any => "any",
    }
}

fn unit_word(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Nanoseconds => "ns",
        TimeUnit::Microseconds => "us",
        TimeUnit::Milliseconds => "ms",
        TimeUnit::Seconds => "s",
        TimeUnit::Minutes => "min",
    }
}

fn recording(recording: &Recording) -> Json {
    let fact = |(at, key, stored): (RecordedAt, &str, &str)| {
        let at = if at == RecordedAt::Start { "start" } else { "end" };
        json!({ "at": at, "key": key, "value": stored })
    };
    let gaps = recording.gaps().iter();
    json!({
        "unfinished": recording.is_unfinished,
        "least_depth": recording.least_depth,
        "facts": recording.stored().map(fact).collect::<Vec<_>>(),
        "gaps": gaps.map(|gap| json!({ "first": gap.first, "before": gap.before, "lost": gap.lost })).collect::<Vec<_>>(),
    })
}

fn findings(findings: &Findings) -> Json {
    let kept = findings.kept().iter().map(|finding| {
        let (rule, severity, message) = (finding.rule, finding.severity.word(), &finding.message);
        json!({ "rule": rule, "severity": severity, "chrono": finding.chrono, "line": finding.line, "message": message })
    });
    let totals = FindingSeverity::ALL.map(|severity| (severity.word().to_string(), json!(findings.count(severity))));
    json!({ "totals": Json::Object(totals.into_iter().collect()), "kept": kept.collect::<Vec<_>>() })
}
