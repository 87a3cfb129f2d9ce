//! Documents and lines of OTLP in JSON: which values are spans, and to which resource and scope each belongs.

use super::json;
use crate::formats::json::cut::{DocumentRules, OpenContainer, Treatment};
use crate::formats::json::document::{self, DocumentPart, Piece};
use crate::formats::json::scanner::{JsonError, JsonKind};
use crate::formats::lines::Lines;
use crate::formats::spans::{
    self, DocumentChunk, DocumentWatch, JoinedNumbers, OpenContext, Pairs, RESOURCE_SPANS, RecordNote, SpanContext,
    SpanDraft, SpanRecords, Step,
};

/// Keys of the spans of a resource, one list for each scope; the last two were used before 2022.
const SCOPE_SPANS: &[&str] =
    &["scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans"];
/// Keys of a scope.
const SCOPE: &[&str] = &["scope", "instrumentationLibrary", "instrumentation_library"];
/// Keys of other signals.
const OTHER_SIGNALS: &[&str] = &["resourceMetrics", "resource_metrics", "resourceLogs", "resource_logs"];

const RULES: DocumentRules = DocumentRules { treatment, resume: |_, _| 0, drops_line: false, has_loose_commas: false };

fn treatment(open: &[OpenContainer], key: Option<&str>, _: JsonKind) -> Treatment {
    let key = key.unwrap_or_default();
    let list = open.iter().rev().find(|open| !open.key.is_empty()).map_or("", |open| open.key.as_str());
    let is_in_list = open.last().is_some_and(|open| !open.is_object);
    match list {
        "spans" => Treatment::Record,
        _ if SCOPE_SPANS.contains(&list) => match key {
            "" | "spans" => Treatment::Enter,
            _ if SCOPE.contains(&key) => Treatment::Keep,
            _ => Treatment::Skip,
        },
        _ if RESOURCE_SPANS.contains(&list) => match key {
            "resource" => Treatment::Keep,
            _ if is_in_list || SCOPE_SPANS.contains(&key) => Treatment::Enter,
            _ => Treatment::Skip,
        },
        _ if OTHER_SIGNALS.contains(&key) => Treatment::Keep,
        _ => Treatment::Enter,
    }
}

/// What is kept of the values around spans.
#[derive(Clone, Debug)]
enum AroundSpans {
    Resource(Pairs, Vec<RecordNote>),
    Scope([u32; 2], Pairs, Vec<RecordNote>),
}

type OtlpChunk = DocumentChunk<AroundSpans>;

/// Reads all values in `lines`.
pub(crate) fn read(lines: &mut Lines, records: &mut SpanRecords) {
    let mut reader = OtlpDocuments::default();
    let parse = |piece: &Piece<'_>, chunk: &mut OtlpChunk| {
        let span = |text: &str, chunk: &mut OtlpChunk| json::span(text, &mut chunk.records, &mut chunk.draft);
        chunk.take(piece, span, around)
    };
    document::read(lines, RULES, parse, |part, chunk: &mut OtlpChunk| reader.take(part, chunk, records));
    records.other_signals = reader.watch.other_signals;
}

/// Reads a resource or scope.
fn around(key: &str, text: &str, chunk: &mut OtlpChunk) -> Result<Option<AroundSpans>, JsonError> {
    let mut draft = SpanDraft::default();
    let is_resource = key == "resource";
    if !is_resource && !SCOPE.contains(&key) {
        return spans::checked(text).map(|()| None);
    }
    let (pairs, names) = json::described(text, &mut chunk.records, &mut draft)?;
    let notes = draft.take_notes();
    Ok(Some(match is_resource {
        true => AroundSpans::Resource(pairs, notes),
        false => AroundSpans::Scope(names, pairs, notes),
    }))
}

/// A container that is open.
#[derive(Default)]
struct OpenSpans {
    /// The resource, or the scope with its name and version.
    resource: Pairs,
    scope: ScopeOfSpans,
    notes: Vec<RecordNote>,
    /// The context of the spans in it.
    context: Option<OpenContext>,
    /// Contexts of which only the resource is not known yet.
    waiting: Vec<(OpenContext, ScopeOfSpans, Vec<RecordNote>)>,
}

/// A scope: its name and version, and its attributes.
type ScopeOfSpans = ([u32; 2], Pairs);

/// Puts spans and what is around them together.
#[derive(Default)]
struct OtlpDocuments {
    open: Vec<OpenSpans>,
    watch: DocumentWatch,
}

impl OtlpDocuments {
    fn take(&mut self, part: DocumentPart, chunk: &mut OtlpChunk, records: &mut SpanRecords) {
        let numbers = records.joined_numbers(&chunk.records);
        let mut contexts = Vec::new();
        for (line, depth, step) in chunk.drain_steps() {
            let counts = self.watch.step(line + part.first_line, depth, &step, &mut records.unread);
            match step {
                Step::Begin { .. } => self.open.push(OpenSpans::default()),
                Step::End => self.end(records),
                Step::Value(around) if counts => self.around(around, &numbers),
                Step::Records(_) => contexts.push(counts.then(|| self.context(records))),
                _ => {}
            }
        }
        records.join_open(&chunk.records, &numbers, &contexts, part);
    }

    /// The context of spans in the innermost container, which is the list of the spans of a scope.
    fn context(&mut self, records: &mut SpanRecords) -> OpenContext {
        let scope = self.open.iter_mut().rev().nth(1);
        match scope {
            Some(scope) => *scope.context.get_or_insert_with(|| records.open_context()),
            None => records.open_context(),
        }
    }

    fn around(&mut self, around: AroundSpans, numbers: &JoinedNumbers) {
        let Some(open) = self.open.last_mut() else { return };
        match around {
            AroundSpans::Resource(pairs, notes) => (open.resource, open.notes) = (numbers.pairs(&pairs), notes),
            AroundSpans::Scope(names, pairs, notes) => {
                let names = names.map(|name| numbers.text(name));
                (open.scope, open.notes) = ((names, numbers.pairs(&pairs)), notes);
            }
        }
    }

    /// Ends the innermost container: the spans of a scope wait for the resource, which is known at the end of its object.
    fn end(&mut self, records: &mut SpanRecords) {
        let Some(ended) = self.open.pop() else { return };
        let mut waiting = ended.waiting;
        if let Some(context) = ended.context {
            waiting.push((context, ended.scope, ended.notes));
        } else if !ended.resource.is_empty() || self.open.is_empty() {
            close(waiting, &ended.resource, &ended.notes, records);
            return;
        }
        match self.open.last_mut() {
            Some(around) => around.waiting.extend(waiting),
            None => close(waiting, &Pairs::new(), &[], records),
        }
    }
}

fn close(
    waiting: Vec<(OpenContext, ScopeOfSpans, Vec<RecordNote>)>,
    resource: &Pairs,
    of_resource: &[RecordNote],
    records: &mut SpanRecords,
) {
    let service = records.service(resource);
    for (context, ([scope, version], of_scope), notes) in waiting {
        let notes: Vec<RecordNote> = of_resource.iter().chain(&notes).cloned().collect();
        let resource = resource.clone();
        records.close_context(context, SpanContext { service, scope, version, resource, of_scope }, &notes);
    }
}
