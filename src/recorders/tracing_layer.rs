//! A layer for the crate `tracing` that writes spans and events as a trace for papaver.
//!
//! Save this file as `papaver_layer.rs`, and add the crates `tracing` and `tracing-subscriber`:
//!
//! ```ignore
//! mod papaver_layer;
//! use tracing_subscriber::prelude::*;
//!
//! fn main() -> std::io::Result<()> {
//!     let (layer, _recording) = papaver_layer::PapaverLayer::from_env()?;
//!     tracing_subscriber::registry().with(layer).init();
//!     ...
//! }
//! ```
//!
//! `PAPAVER_OUT` is the file, `trace.jsonl` without it; lines such as `text=100` in `PAPAVER_OPTIONS` set limits. The
//! trace ends when the value beside the layer is dropped.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tracing::callsite::Identifier;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::{LookupSpan, SpanRef};

/// Writes the events of a subscriber to a file.
pub struct PapaverLayer {
    recording: Arc<Recording>,
}

/// Ends the trace when it is dropped.
#[must_use = "the trace ends when this is dropped"]
pub struct RecordingGuard {
    recording: Arc<Recording>,
}

struct Recording {
    start: Instant,
    limits: Limits,
    last_call: AtomicU64,
    /// How often each limit has left something out.
    n_left_out: [AtomicU64; CUTS.len()],
    /// How many spans there were of each kind, to record one of so many.
    sampled: Mutex<HashMap<Identifier, u64>>,
    output: Mutex<Output>,
}

/// What a recording leaves out.
struct Limits {
    /// Patterns of the spans that are recorded; all if there are none.
    only: Vec<String>,
    /// Patterns of the spans that are not.
    skip: Vec<String>,
    max_events: u64,
    /// The last events, which stay in memory until the end.
    last: usize,
    depth: u64,
    /// The length of a value in bytes.
    text: usize,
    no_args: bool,
    /// One of so many spans of each kind is recorded.
    sample: u64,
}

/// A limit that leaves out spans, or cuts their values.
#[derive(Clone, Copy)]
enum Cut {
    Only,
    Skip,
    Depth,
    Sample,
    Text,
}

/// What the trailer calls them.
const CUTS: [&str; 5] = ["only", "skip", "depth", "sample", "text"];

/// A span that is left out; so are its events.
struct LeftOut(Cut);

/// The file and what is not yet in it.
struct Output {
    file: Option<File>,
    buffer: Vec<u8>,
    /// The last lines, if only these are kept.
    ring: VecDeque<Vec<u8>>,
    n_dropped: u64,
    n_events: u64,
    is_over: bool,
    /// The number of the span that was left last, if nothing else has happened since.
    left: u64,
    /// The lines about leaving and entering it, up to the time.
    held: Vec<(Vec<u8>, u128)>,
}

/// What is known of a span: the numbers of its box, and the JSON texts of its fields.
struct SpanBox {
    call: u64,
    depth: u64,
    was_entered: bool,
    values: Vec<String>,
    result: Option<String>,
    error: Option<String>,
}

/// Bytes that are collected before they are written.
const BLOCK: usize = 1 << 16;

/// Nanoseconds within which a future that is ready is entered again to be dropped.
const DROPPING: u128 = 20_000;

impl PapaverLayer {
    /// A layer that writes to the file and keeps to the limits that the environment says.
    pub fn from_env() -> io::Result<(PapaverLayer, RecordingGuard)> {
        let path = std::env::var_os("PAPAVER_OUT").unwrap_or_else(|| "trace.jsonl".into());
        let options = std::env::var("PAPAVER_OPTIONS").unwrap_or_default();
        let limits = Limits::read(&options)?;
        PapaverLayer::new(File::create(path)?, limits)
    }

    fn new(file: File, limits: Limits) -> io::Result<(PapaverLayer, RecordingGuard)> {
        let output = Output {
            file: Some(file),
            buffer: header(&limits).into_bytes(),
            ring: VecDeque::new(),
            n_dropped: 0,
            n_events: 0,
            is_over: false,
            left: 0,
            held: Vec::new(),
        };
        let recording = Arc::new(Recording {
            start: Instant::now(),
            limits,
            last_call: AtomicU64::new(0),
            n_left_out: Default::default(),
            sampled: Mutex::default(),
            output: Mutex::new(output),
        });
        let flushed = Arc::downgrade(&recording);
        std::thread::Builder::new().name("papaver".to_string()).spawn(move || flush_each_second(&flushed))?;
        Ok((PapaverLayer { recording: Arc::clone(&recording) }, RecordingGuard { recording }))
    }
}

impl Limits {
    /// Reads lines such as `text=100`.
    fn read(options: &str) -> io::Result<Limits> {
        let mut limits = Limits {
            only: Vec::new(),
            skip: Vec::new(),
            max_events: u64::MAX,
            last: usize::MAX,
            depth: u64::MAX,
            text: 400,
            no_args: false,
            sample: 1,
        };
        for option in options.lines() {
            let wrong = || io::Error::new(io::ErrorKind::InvalidInput, format!("the option `{option}` is not known"));
            let (key, value) = option.split_once('=').ok_or_else(wrong)?;
            let number = || value.parse().ok().filter(|number: &u64| *number > 0).ok_or_else(wrong);
            let length = || number().map(|number| usize::try_from(number).unwrap_or(usize::MAX));
            match key {
                "only" => limits.only.push(value.to_string()),
                "skip" => limits.skip.push(value.to_string()),
                "max_events" => limits.max_events = number()?,
                "last" => limits.last = length()?,
                "depth" => limits.depth = number()?,
                "text" => limits.text = length()?,
                "no_args" => limits.no_args = value == "1",
                "sample" => limits.sample = number()?,
                _ => return Err(wrong()),
            }
        }
        Ok(limits)
    }

    /// The limits in force, as members of a JSON object.
    fn members(&self) -> String {
        let mut members = format!("\"text\":{}", self.text);
        for (key, patterns) in [("only", &self.only), ("skip", &self.skip)] {
            for (place, pattern) in patterns.iter().enumerate() {
                quoted(&mut members, &if place > 0 { ",".to_string() } else { format!(",\"{key}\":[") }, pattern);
            }
            members.push_str(if patterns.is_empty() { "" } else { "]" });
        }
        let last = u64::try_from(self.last).unwrap_or(u64::MAX);
        for (key, number) in [("max_events", self.max_events), ("last", last), ("depth", self.depth)] {
            if number < u64::MAX && (key != "last" || self.last < usize::MAX) {
                let _ = write!(members, ",\"{key}\":{number}");
            }
        }
        members.push_str(if self.no_args { ",\"no_args\":true" } else { "" });
        if self.sample > 1 {
            let _ = write!(members, ",\"sample\":{}", self.sample);
        }
        members
    }

    /// Which pattern leaves something out.
    fn left_out(&self, metadata: &Metadata<'_>, name: Option<&str>) -> Option<Cut> {
        let module = metadata.module_path().unwrap_or_else(|| metadata.target());
        let has = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, module, name));
        if !self.only.is_empty() && !has(&self.only) {
            return Some(Cut::Only);
        }
        has(&self.skip).then_some(Cut::Skip)
    }
}

/// Whether a pattern is a module, which has those inside of it, or the name of a span, or both: `shop::order`.
fn matches(pattern: &str, module: &str, name: Option<&str>) -> bool {
    let is_in = |outer: &str| module.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
    let is_both = |(outer, inner): (&str, &str)| name == Some(inner) && is_in(outer);
    name == Some(pattern) || is_in(pattern) || pattern.rsplit_once("::").is_some_and(is_both)
}

fn flush_each_second(recording: &Weak<Recording>) {
    loop {
        std::thread::sleep(Duration::from_secs(1));
        match recording.upgrade() {
            Some(recording) => recording.output().flush(),
            None => return,
        }
    }
}

impl Drop for RecordingGuard {
    fn drop(&mut self) {
        let mut output = self.recording.output();
        output.release(&self.recording.limits);
        let end = match (output.is_over, std::thread::panicking()) {
            (true, _) => "limit",
            (_, true) => "panic",
            _ => "ok",
        };
        output.empty_ring();
        let left_out = self.recording.left_out(&output);
        let n_events = output.n_events - output.n_dropped;
        let trailer = format!(
            "{{\"papaver\":1,\"port\":\"trailer\",\"events\":{n_events},\"lost\":0,\"end\":\"{end}\",\"left_out\":{{{left_out}}}}}\n"
        );
        output.buffer.extend_from_slice(trailer.as_bytes());
        output.flush();
        output.file = None;
    }
}

impl Recording {
    /// The output; a panic while it was locked has left at most a line that is not whole out of it.
    fn output(&self) -> MutexGuard<'_, Output> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a line that lacks the time and the end.
    fn line(&self, line: &[u8]) {
        let mut output = self.output();
        let now = self.start.elapsed().as_nanos();
        output.release(&self.limits);
        output.add(line, now, &self.limits);
    }

    fn count(&self, cut: Cut, n: u64) {
        self.n_left_out[cut as usize].fetch_add(n, Ordering::Relaxed);
    }

    /// What the limits have left out, as members of a JSON object.
    fn left_out(&self, output: &Output) -> String {
        let counts = CUTS.iter().zip(&self.n_left_out).map(|(key, n)| (*key, n.load(Ordering::Relaxed)));
        let counts = counts.chain([("last", output.n_dropped)]).map(|(key, n)| (key, n.to_string()));
        let switches = [("max_events", output.is_over), ("no_args", self.limits.no_args)];
        let switches = switches.map(|(key, is_on)| (key, if is_on { "true" } else { "0" }.to_string()));
        let members = counts.chain(switches).filter(|(_, count)| count != "0");
        members.map(|(key, count)| format!("\"{key}\":{count}")).collect::<Vec<_>>().join(",")
    }

    /// Which limit leaves out a span at this depth.
    fn cut(&self, metadata: &'static Metadata<'static>, depth: u64) -> Option<Cut> {
        if let Some(cut) = self.limits.left_out(metadata, Some(metadata.name())) {
            return Some(cut);
        }
        if depth > self.limits.depth {
            return Some(Cut::Depth);
        }
        (self.limits.sample > 1 && !self.is_sample(metadata)).then_some(Cut::Sample)
    }

    fn is_sample(&self, metadata: &'static Metadata<'static>) -> bool {
        let mut sampled = self.sampled.lock().unwrap_or_else(PoisonError::into_inner);
        let n = sampled.entry(metadata.callsite()).or_default();
        *n += 1;
        (*n - 1).is_multiple_of(self.limits.sample)
    }

    /// Holds the line of a span that was left, or entered again, back.
    fn hold(&self, call: u64, line: &[u8]) {
        let mut output = self.output();
        let now = self.start.elapsed().as_nanos();
        if output.left != call || output.held.len() > 3 {
            output.release(&self.limits);
        }
        output.left = call;
        output.held.push((line.to_vec(), now));
    }

    /// Writes the line of a span that is closed. That it was left just before is no suspension, nor is it when it is
    /// entered again only so that what it held is dropped.
    fn close(&self, call: u64, line: &[u8]) {
        let mut output = self.output();
        let now = self.start.elapsed().as_nanos();
        if output.left == call {
            output.held.pop();
            if let [.., (_, left), (_, entered)] = output.held[..]
                && entered - left < DROPPING
            {
                let n_held = output.held.len() - 2;
                output.held.truncate(n_held);
            }
        }
        output.release(&self.limits);
        output.add(line, now, &self.limits);
    }
}

impl Output {
    /// Writes what was held back, as something else has happened.
    fn release(&mut self, limits: &Limits) {
        for (line, time) in std::mem::take(&mut self.held) {
            self.add(&line, time, limits);
        }
        self.left = 0;
    }

    fn add(&mut self, line: &[u8], time: u128, limits: &Limits) {
        self.is_over |= self.n_events >= limits.max_events;
        if self.is_over || self.file.is_none() {
            return;
        }
        self.n_events += 1;
        if limits.last < usize::MAX {
            return self.keep(line, time, limits.last);
        }
        self.buffer.extend_from_slice(line);
        // writing to a vector cannot fail
        let _ = writeln!(self.buffer, ",\"time\":{time}}}");
        if self.buffer.len() >= BLOCK {
            self.flush();
        }
    }

    /// Keeps a line until the end, and drops the first one if there are too many.
    fn keep(&mut self, line: &[u8], time: u128, most: usize) {
        let mut kept = if self.ring.len() == most { self.ring.pop_front().unwrap_or_default() } else { Vec::new() };
        self.n_dropped += u64::from(!kept.is_empty());
        kept.clear();
        kept.extend_from_slice(line);
        let _ = writeln!(kept, ",\"time\":{time}}}");
        self.ring.push_back(kept);
    }

    /// Writes the lines that were kept, below how many came before.
    fn empty_ring(&mut self) {
        if self.n_dropped > 0 {
            let _ = writeln!(self.buffer, "{{\"papaver\":1,\"port\":\"gap\",\"lost\":{}}}", self.n_dropped);
        }
        for line in std::mem::take(&mut self.ring) {
            self.buffer.extend_from_slice(&line);
        }
    }

    /// A write that fails ends the trace, never the program.
    fn flush(&mut self) {
        if let Some(file) = &mut self.file
            && file.write_all(&self.buffer).is_err()
        {
            self.file = None;
        }
        self.buffer.clear();
    }
}

/// The number and the depth of the innermost recorded span around a span.
fn box_around<'a, S: LookupSpan<'a>>(span: &SpanRef<'a, S>) -> Option<(u64, u64)> {
    span.scope().skip(1).find_map(|outer| outer.extensions().get::<SpanBox>().map(|one| (one.call, one.depth)))
}

impl PapaverLayer {
    /// Which limit leaves out an event: that of its span, or a pattern of its module.
    fn cut_event<'a, S: LookupSpan<'a>>(&self, metadata: &Metadata<'_>, span: Option<&SpanRef<'a, S>>) -> Option<Cut> {
        let of_span = span.and_then(|span| span.extensions().get::<LeftOut>().map(|left_out| left_out.0));
        let of_event = self.recording.limits.left_out(metadata, None);
        of_span.or(of_event.filter(|cut| span.is_none() || matches!(cut, Cut::Skip)))
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for PapaverLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let metadata = attributes.metadata();
        let (parent, above) = box_around(&span).unwrap_or((0, 0));
        if let Some(cut) = self.recording.cut(metadata, above + 1) {
            self.recording.count(cut, 1);
            span.extensions_mut().insert(LeftOut(cut));
            return;
        }
        let mut new = SpanBox {
            call: self.recording.last_call.fetch_add(1, Ordering::Relaxed) + 1,
            depth: above + 1,
            was_entered: false,
            values: vec![String::new(); metadata.fields().len()],
            result: None,
            error: None,
        };
        if !self.recording.limits.no_args {
            let mut fields = FieldTexts::new(&mut new, self.recording.limits.text);
            attributes.record(&mut fields);
            self.recording.count(Cut::Text, fields.n_cut);
        }
        with_line("call", Some(new.call), |line| {
            let _ = write!(line, ",\"parent\":{parent},\"depth\":{}", new.depth);
            named(line, metadata);
            self.arguments(line, metadata, &new);
            if let Some(number) = metadata.line() {
                let _ = write!(line, ",\"line_number\":{number}");
            }
            self.recording.line(line.as_bytes());
        });
        span.extensions_mut().insert(new);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id).filter(|_| !self.recording.limits.no_args) else { return };
        if let Some(known) = span.extensions_mut().get_mut::<SpanBox>() {
            let mut fields = FieldTexts::new(known, self.recording.limits.text);
            values.record(&mut fields);
            self.recording.count(Cut::Text, fields.n_cut);
        }
    }

    fn on_follows_from(&self, id: &Id, follows: &Id, context: Context<'_, S>) {
        let call = |id: &Id| context.span(id)?.extensions().get::<SpanBox>().map(|known| known.call);
        if let (Some(call), Some(follows)) = (call(id), call(follows)) {
            with_line("follows_from", Some(call), |line| {
                let _ = write!(line, ",\"follows\":{follows}");
                self.recording.line(line.as_bytes());
            });
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let metadata = event.metadata();
        let span = context.event_span(event);
        let is_only_result = metadata.fields().iter().all(|field| field.name() == "return");
        if let Some(cut) = self.cut_event(metadata, span.as_ref()) {
            // of what lies too deep and of what is no sample, only the spans are counted
            if matches!(cut, Cut::Only | Cut::Skip) && !is_only_result {
                self.recording.count(cut, 1);
            }
            return;
        }
        let mut fields = EventTexts::new(&self.recording.limits);
        event.record(&mut fields);
        self.recording.count(Cut::Text, fields.n_cut);
        let call = span.as_ref().and_then(|span| {
            let mut extensions = span.extensions_mut();
            let known = extensions.get_mut::<SpanBox>()?;
            fields.result.take().into_iter().for_each(|value| known.result = Some(value));
            if fields.error.is_some() && *metadata.level() == Level::ERROR {
                known.error = fields.error.take();
            }
            Some(known.call)
        });
        if is_only_result {
            return;
        }
        with_line("event", call, |line| {
            let _ = write!(line, ",\"level\":\"{}\"", metadata.level());
            quoted(line, ",\"decl_module\":", metadata.target());
            line.push_str(&fields.texts);
            self.recording.line(line.as_bytes());
        });
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut extensions = span.extensions_mut();
        let Some(known) = extensions.get_mut::<SpanBox>() else { return };
        if std::mem::replace(&mut known.was_entered, true) {
            let call = known.call;
            drop(extensions);
            with_line("resume", Some(call), |line| self.recording.hold(call, line.as_bytes()));
        }
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let Some(call) = span.extensions().get::<SpanBox>().map(|known| known.call) else { return };
        with_line("suspend", Some(call), |line| self.recording.hold(call, line.as_bytes()));
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let Some(known) = span.extensions_mut().remove::<SpanBox>() else { return };
        let port = if known.error.is_some() { "exception" } else { "exit" };
        with_line(port, Some(known.call), |line| {
            named(line, span.metadata());
            self.arguments(line, span.metadata(), &known);
            for (key, value) in [("result", &known.result), ("exception", &known.error)] {
                if let Some(value) = value {
                    let _ = write!(line, ",\"{key}\":{value}");
                }
            }
            self.recording.close(known.call, line.as_bytes());
        });
    }
}

thread_local! {
    /// The name of the thread in JSON, and room for a line.
    static THREAD: RefCell<(String, String)> = RefCell::new((thread_name(), String::new()));
}

fn thread_name() -> String {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let number = LAST.fetch_add(1, Ordering::Relaxed) + 1;
    let mut name = String::new();
    match std::thread::current().name() {
        Some(given) => quoted(&mut name, ",\"thread\":", given),
        None => quoted(&mut name, ",\"thread\":", &format!("thread {number}")),
    }
    name
}

/// Begins a line with the port, the call and the thread. While a thread ends, or a value prints itself by means of
/// `tracing`, there is no room for it, and the line has its own.
fn with_line(port: &str, call: Option<u64>, write: impl FnOnce(&mut String)) {
    let begin = |line: &mut String, thread: &str| {
        line.clear();
        line.push_str("{\"port\":\"");
        line.push_str(port);
        line.push('"');
        if let Some(call) = call {
            let _ = write!(line, ",\"call\":{call}");
        }
        line.push_str(thread);
    };
    let taken = THREAD.try_with(|thread| thread.try_borrow_mut().ok().map(|mut thread| std::mem::take(&mut thread.1)));
    let mut line = taken.ok().flatten().unwrap_or_default();
    match THREAD.try_with(|thread| thread.try_borrow().ok().map(|thread| begin(&mut line, &thread.0))) {
        Ok(Some(())) => {}
        _ => begin(&mut line, ""),
    }
    write(&mut line);
    let _ = THREAD.try_with(|thread| thread.try_borrow_mut().map(|mut thread| thread.1 = line));
}

fn named(line: &mut String, metadata: &Metadata<'_>) {
    quoted(line, ",\"decl_module\":", metadata.module_path().unwrap_or_else(|| metadata.target()));
    quoted(line, ",\"name\":", metadata.name());
}

impl PapaverLayer {
    /// The fields as arguments; one without a value so far is `null`.
    fn arguments(&self, line: &mut String, metadata: &Metadata<'_>, known: &SpanBox) {
        let _ = write!(line, ",\"arity\":{}", known.values.len());
        if self.recording.limits.no_args {
            return;
        }
        line.push_str(",\"arg_names\":[");
        for (place, field) in metadata.fields().iter().enumerate() {
            quoted(line, if place > 0 { "," } else { "" }, field.name());
        }
        line.push_str("],\"args\":[");
        for (place, value) in known.values.iter().enumerate() {
            line.push_str(if place > 0 { "," } else { "" });
            line.push_str(if value.is_empty() { "null" } else { value });
        }
        line.push(']');
    }
}

/// Puts the fields of a span into its box.
struct FieldTexts<'a> {
    known: &'a mut SpanBox,
    limit: usize,
    n_cut: u64,
}

impl<'a> FieldTexts<'a> {
    fn new(known: &'a mut SpanBox, limit: usize) -> FieldTexts<'a> {
        FieldTexts { known, limit, n_cut: 0 }
    }

    fn set(&mut self, field: &Field, write: impl FnOnce(&mut ValueText<'_>)) {
        let mut text = String::new();
        self.n_cut += valued(&mut text, self.limit, write);
        match field.name() {
            "result" => self.known.result = Some(text),
            _ => {
                if let Some(value) = self.known.values.get_mut(field.index()) {
                    *value = text;
                }
            }
        }
    }
}

/// Writes the fields of an event, of which `return` and `error` are those of its span, as `#[instrument]` makes them.
struct EventTexts {
    texts: String,
    result: Option<String>,
    error: Option<String>,
    limit: usize,
    /// Whether nothing but an error is written.
    no_args: bool,
    n_cut: u64,
}

impl EventTexts {
    fn new(limits: &Limits) -> EventTexts {
        let (limit, no_args) = (limits.text, limits.no_args);
        EventTexts { texts: String::new(), result: None, error: None, limit, no_args, n_cut: 0 }
    }

    fn set(&mut self, field: &Field, write: impl FnOnce(&mut ValueText<'_>)) {
        if self.no_args && field.name() != "error" {
            return;
        }
        let mut text = String::new();
        self.n_cut += valued(&mut text, self.limit, write);
        match field.name() {
            "return" => self.result = Some(text),
            name => {
                if name == "error" {
                    self.error = Some(text.clone());
                }
                if self.no_args {
                    return;
                }
                quoted(&mut self.texts, ",", if is_taken(name) { "field" } else { name });
                let _ = write!(self.texts, ":{text}");
            }
        }
    }
}

/// Whether a key of the trace has this name already.
fn is_taken(name: &str) -> bool {
    ["port", "call", "thread", "time", "level", "decl_module", "papaver"].contains(&name)
}

/// Both kinds of fields write values of all types in the same way.
macro_rules! visit_values {
    ($($visitor:ty),*) => {
        $(impl Visit for $visitor {
            fn record_f64(&mut self, field: &Field, value: f64) {
                if value.is_finite() {
                    self.set(field, |text| text.raw(&format!("{value:?}")));
                } else {
                    self.set(field, |text| text.quoted(&value));
                }
            }

            fn record_i64(&mut self, field: &Field, value: i64) {
                self.set(field, |text| text.raw(&value));
            }

            fn record_u64(&mut self, field: &Field, value: u64) {
                self.set(field, |text| text.raw(&value));
            }

            fn record_i128(&mut self, field: &Field, value: i128) {
                self.set(field, |text| text.raw(&value));
            }

            fn record_u128(&mut self, field: &Field, value: u128) {
                self.set(field, |text| text.raw(&value));
            }

            fn record_bool(&mut self, field: &Field, value: bool) {
                self.set(field, |text| text.raw(&value));
            }

            fn record_str(&mut self, field: &Field, value: &str) {
                self.set(field, |text| text.quoted(&value));
            }

            fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
                self.set(field, |text| text.quoted(&value));
            }

            fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
                self.set(field, |text| text.printed(value));
            }
        })*
    };
}

visit_values!(FieldTexts<'_>, EventTexts);

/// A JSON value that is being written, of at most so many bytes.
struct ValueText<'a> {
    text: &'a mut String,
    room: usize,
    is_cut: bool,
}

/// Writes a value; returns 1 if it was cut.
fn valued(text: &mut String, limit: usize, write: impl FnOnce(&mut ValueText<'_>)) -> u64 {
    let mut value = ValueText { text, room: limit, is_cut: false };
    write(&mut value);
    u64::from(value.is_cut)
}

impl ValueText<'_> {
    /// The value as it prints itself.
    fn raw(&mut self, value: &dyn fmt::Display) {
        let _ = write!(self.text, "{value}");
    }

    /// The value stops to print itself where there is no room left.
    fn quoted(&mut self, value: &dyn fmt::Display) {
        self.text.push('"');
        if write!(self, "{value}").is_err() && self.is_cut {
            self.text.push('…');
        }
        self.text.push('"');
    }
}

impl ValueText<'_> {
    /// What a value prints; a number or a truth value, which `#[instrument]` hands over in this way too, is itself.
    fn printed(&mut self, value: &dyn fmt::Debug) {
        let begin = self.text.len();
        self.quoted(&format_args!("{value:?}"));
        let inner = &self.text[begin + 1..self.text.len() - 1];
        let digits = inner.strip_prefix('-').unwrap_or(inner);
        let is_number = digits.split('.').count() <= 2
            && digits.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
            && (!digits.starts_with('0') || digits.starts_with("0.") || digits == "0");
        if is_number || inner == "true" || inner == "false" {
            self.text.pop();
            self.text.remove(begin);
        }
    }
}

impl fmt::Write for ValueText<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        let end = part.floor_char_boundary(self.room);
        escape(self.text, &part[..end]);
        self.room -= end;
        self.is_cut |= end < part.len();
        if self.is_cut { Err(fmt::Error) } else { Ok(()) }
    }
}

/// Appends a key or a separator, and a text in quotes.
fn quoted(line: &mut String, before: &str, text: &str) {
    line.push_str(before);
    line.push('"');
    escape(line, text);
    line.push('"');
}

/// Appends a text as it stands between the quotes of JSON.
fn escape(line: &mut String, text: &str) {
    if text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\') {
        line.push_str(text);
        return;
    }
    for letter in text.chars() {
        match letter {
            '"' | '\\' => line.extend(['\\', letter]),
            '\n' => line.push_str("\\n"),
            letter if letter < ' ' => {
                let _ = write!(line, "\\u{:04x}", u32::from(letter));
            }
            letter => line.push(letter),
        }
    }
}

fn header(limits: &Limits) -> String {
    let start = iso_8601(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default());
    let limits = limits.members();
    format!(
        "{{\"papaver\":1,\"port\":\"header\",\"source\":\"rust tracing\",\"recorder\":\"papaver rust\",\"start\":\"{start}\",\
         \"time\":\"ns\",\"limits\":{{{limits}}}}}\n"
    )
}

/// The date and time of a moment since 1970, by the calendar in which years begin in March.
fn iso_8601(since_1970: Duration) -> String {
    let seconds = since_1970.as_secs();
    let days = seconds / 86400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}
