//! Several logs of one run as one trace: merged as their format says, or by time.

use std::path::{Path, PathBuf};

use super::clock::Clock;
use super::event_copy::EventCopy;
use super::load::{LoadError, LoadOptions, Opened, load, note_end, open, refuse_findings, unreadable};
use super::merged_recordings::{self, Log};
use super::spans::refuse_spans;
use crate::formats::lines::Lines;
use crate::formats::{Format, Merge};
use crate::trace::{
    AttributeId, EventId, Field, Finding, FindingSeverity, TimeUnit, Trace, TraceBuilder, TraceOrigin, Value,
};

/// Reads the traces in several files as the logs of one run; the order of the files does not matter.
pub(crate) fn load_merged(paths: &[PathBuf], options: &LoadOptions<'_>) -> Result<Trace, LoadError> {
    let mut paths = paths.to_vec();
    paths.sort_by(|a, b| (a.file_name(), a).cmp(&(b.file_name(), b)));
    let opened: Vec<Opened> = paths.iter().map(|path| open(path, options)).collect::<Result<_, _>>()?;
    match common_merge(&opened) {
        Some((format, merge)) => by_format(format, merge, &paths, opened, options),
        None => by_time(&paths, options),
    }
}

/// The format of all files and its merge, if they share one format and it has one.
fn common_merge(opened: &[Opened]) -> Option<(&'static Format, Merge)> {
    let of = |opened: &Opened| match opened {
        Opened::Text { format, .. } => Some(*format),
        Opened::Saved(_) => None,
    };
    let format = of(opened.first()?)?;
    let is_common = opened.iter().all(|opened| of(opened).is_some_and(|other| other.name == format.name));
    format.merge.filter(|_| is_common).map(|merge| (format, merge))
}

/// The path of the merged trace.
fn origin_path(paths: &[PathBuf]) -> PathBuf {
    let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    PathBuf::from(names.join(" + "))
}

/// The names of the files, or their paths if two have the same name.
fn log_names(paths: &[PathBuf]) -> Vec<String> {
    let name = |path: &Path| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let names: Vec<String> = paths.iter().map(|path| name(path)).collect();
    let is_twice = |index: usize| names.iter().filter(|name| **name == names[index]).count() > 1;
    (0..paths.len())
        .map(|index| if is_twice(index) { paths[index].display().to_string() } else { names[index].clone() })
        .collect()
}

fn by_format(
    format: &'static Format,
    merge: Merge,
    paths: &[PathBuf],
    opened: Vec<Opened>,
    options: &LoadOptions<'_>,
) -> Result<Trace, LoadError> {
    refuse_spans(&paths[0], format.name, options.spans)?;
    let origin = format.origin(&origin_path(paths));
    let mut builder = TraceBuilder::new(origin);
    let mut texts: Vec<Lines> = opened
        .into_iter()
        .filter_map(|opened| match opened {
            Opened::Text { lines, .. } => Some(*lines),
            Opened::Saved(_) => None,
        })
        .collect();
    merge(log_names(paths).into_iter().zip(&mut texts).collect(), &mut builder);
    for (lines, path) in texts.iter_mut().zip(paths) {
        note_end(lines, &mut builder).map_err(unreadable(path))?;
    }
    finished(builder, options)
}

fn finished(builder: TraceBuilder, options: &LoadOptions<'_>) -> Result<Trace, LoadError> {
    let trace = builder.finish();
    let path = trace.origin().path.clone();
    if options.strict { refuse_findings(&path, trace) } else { Ok(trace) }
}

/// One of the traces that are merged by time.
struct MergedLog<'t> {
    trace: &'t Trace,
    log: &'t str,
    time: AttributeId,
    next: EventId,
    /// The time of the last event that had one.
    now: f64,
    /// What is added to its times, so that they count from the moment from which those of the other logs do.
    shift: i64,
    /// The number that is added to the numbers of its calls.
    first_call: i64,
    /// The attribute that has the number of another event of the same log, if there is one.
    partner: Option<AttributeId>,
    /// The numbers of its events in the merged trace.
    chronos: Vec<i64>,
}

impl MergedLog<'_> {
    /// The number of a call in the merged trace.
    fn shifted(&self, call: i64) -> i64 {
        call.saturating_add(self.first_call)
    }

    /// The parent of a call at its first event: among the events of other logs, depths do not show it.
    fn parent(&self, event: EventId) -> Option<i64> {
        let call = self.trace.call(event).filter(|call| self.trace.call_first(*call) == event)?;
        self.trace.parent(call).map(|parent| self.shifted(self.trace.call_number(parent)))
    }

    /// The number in the merged trace of the event with this number; the number itself if there is no such event.
    fn merged(&self, chrono: i64) -> i64 {
        self.trace.find_chrono(chrono).map_or(chrono, |event| self.chronos[event as usize])
    }

    /// The time of the next event: its own, or the last one before it.
    fn look(&mut self) -> Option<f64> {
        if self.next == self.trace.n_events() {
            return None;
        }
        match self.trace.value(self.next, self.time) {
            Value::Int(time) => self.now = self.now.max(time.saturating_add(self.shift) as f64),
            Value::Float(time) if !time.is_nan() => self.now = self.now.max(time + self.shift as f64),
            _ => {}
        }
        Some(self.now)
    }
}

fn by_time(paths: &[PathBuf], options: &LoadOptions<'_>) -> Result<Trace, LoadError> {
    let names = log_names(paths);
    let log = |(path, name): (&PathBuf, &String)| load(path, &LoadOptions { log: Some(name), ..*options });
    let traces: Vec<Trace> = paths.iter().zip(&names).map(log).collect::<Result<_, _>>()?;
    let mut parts = merged_logs(&traces, &names, paths)?;
    let clocks: Vec<Clock<'_>> = parts.iter().map(|part| Clock::of(part.trace, part.log, part.time)).collect();
    align(&mut parts, &clocks);
    let order = order_by_time(&mut parts);
    let first = traces[0].origin();
    let mut builder = TraceBuilder::new(TraceOrigin { path: origin_path(paths), is_by_line: false, ..first.clone() });
    parts.iter().for_each(|part| note_findings(part, &mut builder));
    note_origins(&clocks, &mut builder);
    let logs: Vec<Log<'_>> =
        parts.iter().map(|part| Log { trace: part.trace, name: part.log, chronos: &part.chronos }).collect();
    merged_recordings::record(&logs, builder.recording());
    order.iter().for_each(|(index, event)| copy(&parts[*index], *event, &mut builder));
    finished(builder, options)
}

/// The traces with their names, each with call numbers after those of the traces before.
fn merged_logs<'t>(
    traces: &'t [Trace],
    names: &'t [String],
    paths: &[PathBuf],
) -> Result<Vec<MergedLog<'t>>, LoadError> {
    let mut parts = Vec::new();
    let mut first_call = 0;
    for ((trace, log), path) in traces.iter().zip(names).zip(paths) {
        let time = trace.schema().find("time").ok_or_else(|| LoadError::Timeless { path: path.clone() })?;
        let partner = Format::named(trace.origin().format).and_then(|format| format.partner);
        let partner = partner.and_then(|name| trace.schema().find(name));
        let chronos = Vec::with_capacity(trace.n_events() as usize);
        parts.push(MergedLog {
            trace,
            log,
            time,
            next: 0,
            now: f64::NEG_INFINITY,
            shift: 0,
            first_call,
            partner,
            chronos,
        });
        let greatest = trace.calls().map(|call| trace.call_number(call)).max().unwrap_or(0);
        first_call = greatest.max(0).saturating_add(first_call);
    }
    Ok(parts)
}

/// Lets the times of all logs count from one moment, if it is known from when each counts: from 1970 if one does, or else from
/// the earliest start.
fn align(parts: &mut [MergedLog<'_>], clocks: &[Clock<'_>]) {
    let Some(zeros) = clocks.iter().map(Clock::zero).collect::<Option<Vec<i64>>>() else { return };
    let earliest = zeros.iter().copied().min().unwrap_or(0);
    for (part, zero) in parts.iter_mut().zip(zeros) {
        let unit = part.trace.schema().unit(part.time).map_or(1, TimeUnit::nanoseconds);
        part.shift = (zero - earliest) / unit;
    }
}

/// All events in the order of their times, each as the index of its trace and its row there.
fn order_by_time(parts: &mut [MergedLog<'_>]) -> Vec<(usize, EventId)> {
    let earliest = |parts: &mut [MergedLog<'_>]| {
        let times = parts.iter_mut().enumerate().filter_map(|(index, part)| Some((part.look()?, index)));
        times.min_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal)).map(|(_, index)| index)
    };
    let mut order = Vec::new();
    while let Some(index) = earliest(parts) {
        let part = &mut parts[index];
        order.push((index, part.next));
        part.chronos.push(order.len() as i64);
        part.next += 1;
    }
    order
}

/// Warns of two traces whose times do not count from the same moment.
fn note_origins(clocks: &[Clock<'_>], builder: &mut TraceBuilder) {
    for (index, one) in clocks.iter().enumerate() {
        for why in clocks[..index].iter().filter_map(|other| other.differs(one)) {
            let message = format!("{why}: their events are not in the order in which they happened");
            let (rule, severity) = ("merge", FindingSeverity::Warning);
            builder.inherit_finding(Finding { rule, severity, chrono: None, line: None, message });
        }
    }
}

fn note_findings(part: &MergedLog<'_>, builder: &mut TraceBuilder) {
    for finding in part.trace.findings().kept() {
        let chrono = finding.chrono.filter(|chrono| part.trace.find_chrono(*chrono).is_some());
        let chrono = chrono.map(|chrono| part.merged(chrono));
        let message = format!("{}: {}", part.log, finding.message);
        builder.inherit_finding(Finding { chrono, message, ..finding.clone() });
    }
}

/// Adds an event of a log. Numbers of its partners are translated; other values stay as they are.
fn copy(part: &MergedLog<'_>, event: EventId, builder: &mut TraceBuilder) {
    let log = builder.attribute("log").map(|log| (log, Field::Atom(part.log)));
    let mut copied = EventCopy::of(part.trace, event, builder);
    copied.row.call = copied.row.call.map(|call| part.shifted(call));
    let partner = part.partner.and_then(|id| builder.own_attribute(&part.trace.schema().get(id).name));
    let time = builder.attribute("time");
    let has_parent = copied.extra.iter().any(|(id, _)| *id == AttributeId::PARENT);
    for (id, field) in &mut copied.extra {
        match field {
            Field::Int(parent) if *id == AttributeId::PARENT => *parent = part.shifted(*parent),
            Field::Int(time_of_log) if Some(*id) == time => *time_of_log = time_of_log.saturating_add(part.shift),
            Field::Float(time_of_log) if Some(*id) == time => *time_of_log += part.shift as f64,
            Field::Int(event) if Some(*id) == partner => *event = part.merged(*event),
            _ => {}
        }
    }
    copied
        .extra
        .extend(part.parent(event).filter(|_| !has_parent).map(|parent| (AttributeId::PARENT, Field::Int(parent))));
    copied.extra.splice(0..0, log);
    copied.push(builder);
}
