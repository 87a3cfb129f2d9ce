//! Spans: boxes that events of a POSIX trace open and close, as the reader of the trace declares.

use std::collections::BTreeSet;
use std::path::Path;

use smallvec::SmallVec;

use super::event_copy::EventCopy;
use super::load::LoadError;
use crate::formats::{FORMATS, Format};
use crate::term::Atom;
use crate::term::hash::HashMap;
use crate::trace::{AttributeId, EventId, Field, PathId, Trace, TraceBuilder, Value, nearest};

/// An event named `open` begins a box, and the event named `close` that follows with the same values of `keys` ends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SpanRule {
    /// The name of the events that open.
    pub(crate) open: String,
    /// The name of the events that close.
    pub(crate) close: String,
    /// The attributes, such as `pid` and `tid`.
    pub(crate) keys: Vec<String>,
}

impl SpanRule {
    /// A rule as `--span` has it: `job_get,job_done,pid+tid`.
    pub(crate) fn parse(text: &str) -> Result<SpanRule, String> {
        let names = |text: &str, mark: char| {
            let names: Vec<String> = text.split(mark).map(|name| name.trim().to_string()).collect();
            names.iter().all(|name| !name.is_empty()).then_some(names)
        };
        let parts = names(text, ',').and_then(|parts| <[String; 3]>::try_from(parts).ok());
        let rule = parts.and_then(|[open, close, keys]| Some(SpanRule { open, close, keys: names(&keys, '+')? }));
        rule.ok_or_else(|| format!("expected OPEN,CLOSE,KEY like `job_get,job_done,pid+tid`, found `{text}`"))
    }
}

/// Refuses spans in traces of a format that has none.
pub(crate) fn refuse_spans(path: &Path, format: &'static str, rules: &[SpanRule]) -> Result<(), LoadError> {
    match rules.is_empty() || Format::named(format).is_some_and(|format| format.has_spans) {
        true => Ok(()),
        false => Err(LoadError::Spanless { path: path.to_owned(), format }),
    }
}

/// The formats whose events can open and close spans: `posix`
pub(super) fn formats_with_spans() -> String {
    let names = FORMATS.iter().filter(|format| format.has_spans).map(|format| format!("`{}`", format.name));
    names.collect::<Vec<_>>().join(" or ")
}

/// Messages about names of rules that no event of a trace has: they may be misspelt.
pub(crate) fn unknown_names(trace: &Trace, rules: &[SpanRule]) -> Vec<String> {
    let names: BTreeSet<&str> = trace.procs().filter_map(|(_, proc)| proc.name.map(|name| name.as_str())).collect();
    let asked = rules.iter().flat_map(|rule| [rule.open.as_str(), rule.close.as_str()]);
    let unknown: BTreeSet<&str> = asked.filter(|name| !names.contains(name)).collect();
    let message = |name: &str| {
        let hint = nearest(name, names.iter().copied()).map(|near| format!(" (did you mean `{near}`?)"));
        format!("--span: no event has the name `{name}`{}", hint.unwrap_or_default())
    };
    unknown.into_iter().map(message).collect()
}

/// The same trace with the spans as boxes.
pub(super) fn with_spans(trace: Trace, rules: &[SpanRule]) -> Result<Trace, LoadError> {
    refuse_spans(&trace.origin().path, trace.origin().format, rules)?;
    if rules.is_empty() {
        return Ok(trace);
    }
    let mut spans = Spans::new(&trace, rules)?;
    let mut builder = TraceBuilder::new(trace.origin().clone());
    builder.inherit_findings(trace.findings());
    for event in 0..trace.n_events() {
        let mut copied = EventCopy::of(&trace, event, &mut builder);
        copied.row.chrono = Some(trace.chrono(event));
        spans.place(&trace, event, &mut copied, &mut builder);
        copied.push(&mut builder);
    }
    Ok(builder.finish())
}

/// The last steps of a path that are kept.
const MOST_STEPS: usize = 100;

/// The values that the events of a span share, one for each attribute of the key.
type SpanKey = SmallVec<[SharedValue; 2]>;

/// A value of an attribute that the events of a span share.
#[derive(Clone, PartialEq, Eq, Hash)]
enum SharedValue {
    Int(i64),
    Atom(Atom),
    /// A string, or a term such as `p(31, 0)`.
    Text(Box<str>),
}

/// The rules with the same opening events and key.
struct RuleGroup<'r> {
    open: &'r str,
    keys: Vec<AttributeId>,
    closes: Vec<&'r str>,
}

/// An open span.
#[derive(Clone, Copy)]
struct OpenSpan {
    /// The number of its box; those that were opened later have greater ones.
    call: i64,
    depth: Option<i64>,
    path: PathId,
}

/// The open spans at an event.
struct Spans<'r> {
    groups: Vec<RuleGroup<'r>>,
    /// The open spans of each group and key, innermost last.
    open: HashMap<(usize, SpanKey), Vec<OpenSpan>>,
    /// The number of the last box.
    last_call: i64,
}

impl<'r> Spans<'r> {
    fn new(trace: &Trace, rules: &'r [SpanRule]) -> Result<Spans<'r>, LoadError> {
        let mut groups: Vec<RuleGroup<'r>> = Vec::new();
        for rule in rules {
            let keys = rule.keys.iter().map(|key| key_attribute(trace, key)).collect::<Result<Vec<_>, _>>()?;
            if rules.iter().any(|other| other.close == rule.open) {
                return Err(LoadError::OpensAndCloses { name: rule.open.clone() });
            }
            match groups.iter_mut().find(|group| group.open == rule.open && group.keys == keys) {
                Some(group) => group.closes.push(&rule.close),
                None => groups.push(RuleGroup { open: &rule.open, keys, closes: vec![&rule.close] }),
            }
        }
        let last_call = trace.calls().map(|call| trace.call_number(call)).max().unwrap_or(0);
        Ok(Spans { groups, open: HashMap::default(), last_call })
    }

    /// Puts an event into its span, if it has one.
    fn place(&mut self, trace: &Trace, event: EventId, copied: &mut EventCopy<'_>, builder: &mut TraceBuilder) {
        let port = copied.row.port;
        if port == Some("event") && self.take(trace, event, copied, builder) {
            return;
        }
        if matches!(port, Some("overflow" | "resume" | "start" | "stop")) {
            self.open = HashMap::default();
        }
        // parents are given for all boxes or for none
        let call = trace.call(event).filter(|call| trace.call_first(*call) == event);
        let around = call.and_then(|call| trace.parent(call)).map(|around| trace.call_number(around));
        copied.extra.extend(around.map(|around| (AttributeId::PARENT, Field::Int(around))));
    }

    /// Takes an event of the program; returns whether it is in a span.
    fn take(&mut self, trace: &Trace, event: EventId, copied: &mut EventCopy<'_>, builder: &mut TraceBuilder) -> bool {
        let Value::Atom(name) = trace.value(event, AttributeId::NAME) else { return false };
        let keys: Vec<Option<SpanKey>> = self.groups.iter().map(|group| group.key(trace, event)).collect();
        let around = self.innermost(&keys, |_| true);
        if let Some((stack, open)) = self.innermost(&keys, |group| group.closes.contains(&name.as_str())) {
            self.open.get_mut(&stack).and_then(Vec::pop);
            copied.row.port = Some("exit");
            open.enter(copied);
            return true;
        }
        let is_opened = |(index, key): (usize, &Option<SpanKey>)| {
            key.clone().filter(|_| self.groups[index].open == name.as_str()).map(|key| (index, key))
        };
        let around = around.map(|(_, open)| open);
        if let Some(around) = around {
            around.enter(copied);
        }
        let Some(stack) = keys.iter().enumerate().find_map(is_opened) else { return around.is_some() };
        self.begin(stack, name, copied, builder);
        true
    }

    /// Opens a span inside the box of the event.
    fn begin(&mut self, stack: (usize, SpanKey), name: Atom, copied: &mut EventCopy<'_>, builder: &mut TraceBuilder) {
        self.last_call = self.last_call.saturating_add(1);
        let path = builder.extend_path(copied.row.goal_path, name.as_str(), MOST_STEPS);
        let depth = copied.row.depth.map(|depth| depth.saturating_add(1));
        let open = OpenSpan { call: self.last_call, depth, path };
        copied.extra.extend(copied.row.call.map(|around| (AttributeId::PARENT, Field::Int(around))));
        copied.row.port = Some("call");
        open.enter(copied);
        self.open.entry(stack).or_default().push(open);
    }

    /// The span among those of some groups that was opened last, for an event with these keys.
    fn innermost(
        &self,
        keys: &[Option<SpanKey>],
        is_meant: impl Fn(&RuleGroup<'_>) -> bool,
    ) -> Option<((usize, SpanKey), OpenSpan)> {
        let stacks = keys.iter().enumerate().filter(|(index, _)| is_meant(&self.groups[*index]));
        let stacks = stacks.filter_map(|(index, key)| Some((index, key.clone()?)));
        let tops = stacks.filter_map(|stack| {
            let top = *self.open.get(&stack)?.last()?;
            Some((stack, top))
        });
        tops.max_by_key(|(_, open)| open.call)
    }
}

impl RuleGroup<'_> {
    /// The values of the key that an event has, if it has all of them.
    fn key(&self, trace: &Trace, event: EventId) -> Option<SpanKey> {
        self.keys.iter().map(|key| shared_value(trace.value(event, *key))).collect()
    }
}

impl OpenSpan {
    /// Puts an event into the span.
    fn enter(self, copied: &mut EventCopy<'_>) {
        copied.row.call = Some(self.call);
        copied.row.depth = self.depth;
        copied.row.goal_path = Some(self.path);
    }
}

fn key_attribute(trace: &Trace, name: &str) -> Result<AttributeId, LoadError> {
    let schema = trace.schema();
    schema.find(name).ok_or_else(|| {
        let hint = nearest(name, schema.iter().map(|(_, attribute)| attribute.name.as_ref()));
        let hint = hint.map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default();
        LoadError::UnknownKey { path: trace.origin().path.clone(), name: name.to_owned(), hint }
    })
}

fn shared_value(value: Value<'_>) -> Option<SharedValue> {
    match value {
        Value::Int(number) => Some(SharedValue::Int(number)),
        Value::Atom(name) => Some(SharedValue::Atom(name)),
        Value::Text(text) | Value::Term(text) => Some(SharedValue::Text(text.into())),
        _ => None,
    }
}
