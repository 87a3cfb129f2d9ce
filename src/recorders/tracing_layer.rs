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
use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

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
    output: Mutex<Output>,
}

/// What a recording leaves out.
#[derive(Clone, Copy)]
struct Limits {
    /// The length of a value in bytes.
    text: usize,
    max_events: u64,
}

/// The file and what is not yet in it.
struct Output {
    file: Option<File>,
    buffer: Vec<u8>,
    n_events: u64,
    is_over: bool,
    n_cut: u64,
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
        let mut limits = Limits { text: 400, max_events: u64::MAX };
        for option in options.lines() {
            let wrong = || io::Error::new(io::ErrorKind::InvalidInput, format!("the option `{option}` is not known"));
            let (key, value) = option.split_once('=').ok_or_else(wrong)?;
            let number: u64 = value.parse().map_err(|_| wrong())?;
            match key {
                "text" => limits.text = usize::try_from(number).unwrap_or(usize::MAX),
                "max_events" => limits.max_events = number,
                _ => return Err(wrong()),
            }
        }
        PapaverLayer::new(File::create(path)?, limits)
    }

    fn new(file: File, limits: Limits) -> io::Result<(PapaverLayer, RecordingGuard)> {
        let output = Output {
            file: Some(file),
            buffer: header(limits).into_bytes(),
            n_events: 0,
            is_over: false,
            n_cut: 0,
            left: 0,
            held: Vec::new(),
        };
        let recording = Arc::new(Recording {
            start: Instant::now(),
            limits,
            last_call: AtomicU64::new(0),
            output: Mutex::new(output),
        });
        let flushed = Arc::downgrade(&recording);
        std::thread::Builder::new().name("papaver".to_string()).spawn(move || flush_each_second(&flushed))?;
        Ok((PapaverLayer { recording: Arc::clone(&recording) }, RecordingGuard { recording }))
    }
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
        output.release(self.recording.limits.max_events);
        let end = match (output.is_over, std::thread::panicking()) {
            (true, _) => "limit",
            (_, true) => "panic",
            _ => "ok",
        };
        let Output { n_events, n_cut, .. } = *output;
        let cut = if n_cut > 0 { format!("\"text\":{n_cut}") } else { String::new() };
        let trailer = format!(
            "{{\"papaver\":1,\"port\":\"trailer\",\"events\":{n_events},\"lost\":0,\"end\":\"{end}\",\"left_out\":{{{cut}}}}}\n"
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
    fn line(&self, line: &[u8], n_cut: u64) {
        let mut output = self.output();
        let now = self.start.elapsed().as_nanos();
        output.n_cut += n_cut;
        output.release(self.limits.max_events);
        output.add(line, now, self.limits.max_events);
    }

    /// Holds the line of a span that was left, or entered again, back.
    fn hold(&self, call: u64, line: &[u8]) {
        let mut output = self.output();
        let now = self.start.elapsed().as_nanos();
        if output.left != call || output.held.len() > 3 {
            output.release(self.limits.max_events);
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
        output.release(self.limits.max_events);
        output.add(line, now, self.limits.max_events);
    }
}

impl Output {
    /// Writes what was held back, as something else has happened.
    fn release(&mut self, max_events: u64) {
        for (line, time) in std::mem::take(&mut self.held) {
            self.add(&line, time, max_events);
        }
        self.left = 0;
    }

    fn add(&mut self, line: &[u8], time: u128, max_events: u64) {
        self.is_over |= self.n_events >= max_events;
        if self.is_over || self.file.is_none() {
            return;
        }
        self.n_events += 1;
        self.buffer.extend_from_slice(line);
        // writing to a vector cannot fail
        let _ = writeln!(self.buffer, ",\"time\":{time}}}");
        if self.buffer.len() >= BLOCK {
            self.flush();
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

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for PapaverLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let metadata = attributes.metadata();
        let parent =
            span.parent().and_then(|parent| parent.extensions().get::<SpanBox>().map(|one| (one.call, one.depth)));
        let (parent, above) = parent.unwrap_or((0, 0));
        let mut new = SpanBox {
            call: self.recording.last_call.fetch_add(1, Ordering::Relaxed) + 1,
            depth: above + 1,
            was_entered: false,
            values: vec![String::new(); metadata.fields().len()],
            result: None,
            error: None,
        };
        let mut fields = FieldTexts::new(&mut new, self.recording.limits.text);
        attributes.record(&mut fields);
        let n_cut = fields.n_cut;
        with_line("call", Some(new.call), |line| {
            let _ = write!(line, ",\"parent\":{parent},\"depth\":{}", new.depth);
            named(line, metadata);
            arguments(line, metadata, &new);
            if let Some(number) = metadata.line() {
                let _ = write!(line, ",\"line_number\":{number}");
            }
            self.recording.line(line.as_bytes(), n_cut);
        });
        span.extensions_mut().insert(new);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(known) = span.extensions_mut().get_mut::<SpanBox>() {
            values.record(&mut FieldTexts::new(known, self.recording.limits.text));
        }
    }

    fn on_follows_from(&self, id: &Id, follows: &Id, context: Context<'_, S>) {
        let call = |id: &Id| context.span(id)?.extensions().get::<SpanBox>().map(|known| known.call);
        if let (Some(call), Some(follows)) = (call(id), call(follows)) {
            with_line("follows_from", Some(call), |line| {
                let _ = write!(line, ",\"follows\":{follows}");
                self.recording.line(line.as_bytes(), 0);
            });
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let metadata = event.metadata();
        let mut fields = EventTexts::new(self.recording.limits.text);
        event.record(&mut fields);
        let span = context.event_span(event);
        let call = span.as_ref().and_then(|span| {
            let mut extensions = span.extensions_mut();
            let known = extensions.get_mut::<SpanBox>()?;
            fields.result.take().into_iter().for_each(|value| known.result = Some(value));
            if fields.error.is_some() && *metadata.level() == Level::ERROR {
                known.error = fields.error.take();
            }
            Some(known.call)
        });
        if fields.is_only_outcome {
            return;
        }
        with_line("event", call, |line| {
            let _ = write!(line, ",\"level\":\"{}\"", metadata.level());
            quoted(line, ",\"decl_module\":", metadata.target());
            line.push_str(&fields.texts);
            self.recording.line(line.as_bytes(), fields.n_cut);
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
            arguments(line, span.metadata(), &known);
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

/// The fields as arguments; one without a value so far is `null`.
fn arguments(line: &mut String, metadata: &Metadata<'_>, known: &SpanBox) {
    let _ = write!(line, ",\"arity\":{},\"arg_names\":[", known.values.len());
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
    is_only_outcome: bool,
    limit: usize,
    n_cut: u64,
}

impl EventTexts {
    fn new(limit: usize) -> EventTexts {
        EventTexts { texts: String::new(), result: None, error: None, is_only_outcome: true, limit, n_cut: 0 }
    }

    fn set(&mut self, field: &Field, write: impl FnOnce(&mut ValueText<'_>)) {
        let mut text = String::new();
        self.n_cut += valued(&mut text, self.limit, write);
        match field.name() {
            "return" => self.result = Some(text),
            name => {
                if name == "error" {
                    self.error = Some(text.clone());
                }
                self.is_only_outcome = false;
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

fn header(limits: Limits) -> String {
    let Limits { text, max_events } = limits;
    let most = if max_events < u64::MAX { format!(",\"max_events\":{max_events}") } else { String::new() };
    let start = iso_8601(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default());
    format!(
        "{{\"papaver\":1,\"port\":\"header\",\"source\":\"rust tracing\",\"recorder\":\"papaver rust\",\"start\":\"{start}\",\
         \"time\":\"ns\",\"limits\":{{\"text\":{text}{most}}}}}\n"
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
