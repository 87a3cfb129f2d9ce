//! Traces of Jaeger: which values are spans, and to which process each belongs.

use super::span::{self, SpanProcess};
use crate::formats::json::cut::{DocumentRules, OpenContainer, Treatment};
use crate::formats::json::document::{self, DocumentPart, Piece};
use crate::formats::json::scanner::{JsonError, JsonKind, JsonScanner};
use crate::formats::lines::Lines;
use crate::formats::spans::{
    self, DocumentChunk, DocumentWatch, JoinedNumbers, OpenContext, SpanContext, SpanRecords, Step,
};
use crate::term::hash::HashMap;

const RULES: DocumentRules = DocumentRules { treatment, resume: |_, _| 0, drops_line: false, has_loose_commas: false };

/// Spans are the elements of `spans` in a trace, which stands alone, in arrays, or in the array `data`.
fn treatment(open: &[OpenContainer], key: Option<&str>, _: JsonKind) -> Treatment {
    let key = key.unwrap_or_default();
    let list = open.iter().rev().find(|open| !open.key.is_empty()).map_or("", |open| open.key.as_str());
    match (list, key) {
        ("spans", _) => Treatment::Record,
        (_, "processes") => Treatment::Keep,
        (_, "" | "data" | "spans") => Treatment::Enter,
        _ => Treatment::Skip,
    }
}

/// The processes of a trace, by their keys.
type Processes = Vec<(u32, SpanContext)>;

/// The records of a part, and the processes that they name.
#[derive(Default)]
struct JaegerChunk {
    document: DocumentChunk<Processes>,
    /// Each with the number of the stretch of records that name it.
    processes: Vec<(u32, SpanProcess)>,
    numbers: HashMap<(u32, SpanProcess), u32>,
}

/// Reads all values in `lines`.
pub(crate) fn read(lines: &mut Lines, records: &mut SpanRecords) {
    let mut reader = JaegerDocuments::default();
    let parse = |piece: &Piece<'_>, chunk: &mut JaegerChunk| {
        let JaegerChunk { document, processes, numbers } = chunk;
        document.take(piece, |text, document| read_span(text, document, processes, numbers), read_processes)
    };
    document::read(lines, RULES, parse, |part, chunk: &mut JaegerChunk| {
        reader.take(part, chunk, records);
    });
}

fn read_span(
    text: &str,
    document: &mut DocumentChunk<Processes>,
    processes: &mut Vec<(u32, SpanProcess)>,
    numbers: &mut HashMap<(u32, SpanProcess), u32>,
) -> Result<(), JsonError> {
    let Some(process) = span::read(text, &mut document.records, &mut document.draft)? else {
        return Ok(());
    };
    let key = (document.draft.context, process);
    document.draft.context = *numbers.entry(key.clone()).or_insert_with(|| {
        processes.push(key);
        processes.len() as u32 - 1
    });
    document.records.add(&mut document.draft);
    Ok(())
}

fn read_processes(
    key: &str,
    text: &str,
    document: &mut DocumentChunk<Processes>,
) -> Result<Option<Processes>, JsonError> {
    match key {
        "processes" => processes(&mut JsonScanner::new(text), &mut document.records).map(Some),
        _ => spans::checked(text).map(|()| None),
    }
}

fn processes(scanner: &mut JsonScanner<'_>, records: &mut SpanRecords) -> Result<Processes, JsonError> {
    let mut processes = Processes::new();
    if scanner.enters(JsonKind::Object)? {
        while let Some(key) = scanner.next_key()? {
            let process = span::process(scanner, records)?;
            let key = records.text(&key);
            processes.extend(process.map(|process| (key, process)));
        }
    }
    Ok(processes)
}

/// A container that is open.
#[derive(Default)]
struct OpenTrace {
    processes: HashMap<u32, SpanContext>,
    /// The contexts of spans that name a process.
    waiting: HashMap<SpanProcess, OpenContext>,
}

/// Puts spans and processes together.
#[derive(Default)]
struct JaegerDocuments {
    open: Vec<OpenTrace>,
    watch: DocumentWatch,
}

impl JaegerDocuments {
    fn take(&mut self, part: DocumentPart, chunk: &mut JaegerChunk, records: &mut SpanRecords) {
        let numbers = records.joined_numbers(&chunk.document.records);
        let mut contexts = Vec::with_capacity(chunk.processes.len());
        for (line, depth, step) in chunk.document.drain_steps() {
            let counts = self.watch.step(line + part.first_line, depth, &step, &mut records.unread);
            match step {
                Step::Begin { .. } => self.open.push(OpenTrace::default()),
                Step::End => self.end(records),
                Step::Value(processes) if counts => self.processes(&processes, &numbers),
                Step::Records(stretch) => {
                    let named = chunk.processes[contexts.len()..].iter().take_while(|(of, _)| *of == stretch);
                    let context = |process| counts.then(|| self.context(process, &numbers, records));
                    contexts.extend(named.map(|(_, process)| process).map(context));
                }
                _ => {}
            }
        }
        records.join_open(&chunk.document.records, &numbers, &contexts, part);
    }

    /// The context of spans in the innermost container, which is the list of the spans of a trace.
    fn context(&mut self, process: &SpanProcess, numbers: &JoinedNumbers, records: &mut SpanRecords) -> OpenContext {
        let own = process.own.as_ref().map(|own| numbers.context(own));
        let process = SpanProcess { key: numbers.text(process.key), own };
        match self.open.iter_mut().rev().nth(1) {
            Some(trace) => *trace.waiting.entry(process).or_insert_with(|| records.open_context()),
            None => records.open_context(),
        }
    }

    fn processes(&mut self, processes: &Processes, numbers: &JoinedNumbers) {
        if let Some(trace) = self.open.last_mut() {
            trace.processes.clear();
            let processes = processes.iter().map(|(key, process)| (numbers.text(*key), numbers.context(process)));
            trace.processes.extend(processes);
        }
    }

    fn end(&mut self, records: &mut SpanRecords) {
        let Some(trace) = self.open.pop() else { return };
        for (process, context) in trace.waiting {
            let known = trace.processes.get(&process.key).cloned().or(process.own);
            records.close_context(context, known.unwrap_or_default(), &[]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::FORMAT;
    use crate::formats::testing::in_chunks;
    use crate::trace::{AttributeId, Trace};

    const PROCESSES: &str = r#""processes":{"p1":{"serviceName":"s"}}"#;
    const BROKEN: &str = r#""processes":{"p1":{"serviceName":"s","tags":[true null]}}"#;

    fn jaeger_trace(id: u32, processes: &str) -> String {
        let span = format!(
            r#"{{"traceID":"{id}","spanID":"1","operationName":"s{id}","processID":"p1","startTime":1,"duration":2}}"#
        );
        format!(r#"{{"traceID":"{id}","spans":[{span}],{processes}}}"#)
    }

    /// The names of the spans with their services, and the findings of S8 with their lines.
    fn read(text: &str) -> (Vec<String>, Vec<(Option<u64>, String)>) {
        let trace = in_chunks(&FORMAT, text.as_bytes(), 1 << 20);
        let service = trace.schema().find("service").expect("spans have services");
        let text = |trace: &Trace, event, id| trace.value(event, id).characters().unwrap_or("-").to_owned();
        let calls =
            (0..trace.n_events()).filter(|event| trace.port(*event).is_some_and(|port| port.as_str() == "call"));
        let shown = |event| format!("{} {}", text(&trace, event, AttributeId::NAME), text(&trace, event, service));
        let faults = trace.findings().kept().iter().filter(|finding| finding.rule == "S8");
        (calls.map(shown).collect(), faults.map(|fault| (fault.line, fault.message.to_string())).collect())
    }

    #[test]
    fn a_broken_trace_in_a_list_takes_no_other_with_it() {
        let traces = [jaeger_trace(1, PROCESSES), jaeger_trace(2, BROKEN), jaeger_trace(3, PROCESSES)];
        for (begin, separator, end, line) in [
            ("[\n", ",\n", "]\n", 3),
            ("[", ",", "]", 1),
            ("{\"data\":[\n", ",\n", "],\"total\":0}\n", 3),
            ("[[\n", ",\n", "]]\n", 3),
        ] {
            let text = format!("{begin}{}{end}", traces.join(separator));
            let (spans, faults) = read(&text);
            assert_eq!(spans, ["s1 s", "s2 -", "s3 s"], "{text}");
            assert_eq!(faults, [(Some(line), "expected `,` or `]`".to_owned())], "{text}");
        }
    }

    #[test]
    fn what_follows_a_fault_in_a_trace_is_left_out_with_the_rest_of_it() {
        let broken = jaeger_trace(1, PROCESSES).replace("\"spans\"", &format!("{BROKEN},\"spans\""));
        let (spans, faults) = read(&format!("[{broken},\n{}]", jaeger_trace(2, PROCESSES)));
        assert_eq!((spans, faults.len()), (vec!["s2 s".to_owned()], 1));
    }

    #[test]
    fn a_list_that_is_cut_is_told_at_the_trace_that_is_cut() {
        let text = format!(
            "[\n{},\n{}",
            jaeger_trace(1, BROKEN),
            jaeger_trace(2, PROCESSES).strip_suffix('}').expect("a brace")
        );
        let (spans, faults) = read(&text);
        let lines: Vec<_> = faults.iter().map(|(line, _)| *line).collect();
        assert_eq!((spans, lines), (vec!["s1 -".to_owned(), "s2 s".to_owned()], vec![Some(2), Some(3)]));
    }
}
