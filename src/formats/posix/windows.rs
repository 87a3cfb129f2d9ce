//! The windows of a trace: when it ran, overflowed and was flushed, and which filter was in force; the rules P3 to P8.

use super::data::list;
use super::event_types::EventMeaning;
use super::rules::BrokenRule;

/// The kinds of windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WindowKind {
    Run,
    Overflow,
    Flush,
}

impl WindowKind {
    const fn name(self) -> &'static str {
        match self {
            WindowKind::Run => "run",
            WindowKind::Overflow => "overflow",
            WindowKind::Flush => "flush",
        }
    }
}

/// An open window.
#[derive(Debug)]
pub(crate) struct OpenWindow {
    /// Its number among all windows, in the order of opening.
    pub(crate) call: i64,
    /// `run1`, `overflow2`.
    pub(crate) name: String,
    span: WindowKind,
}

/// What the windows need of an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowEvent<'s> {
    pub(crate) kind: EventMeaning,
    pub(crate) id: i64,
    pub(crate) time: Option<i64>,
    /// The set that a start says is in force, or that a filter event replaces.
    pub(crate) old_filter: Option<&'s [i64]>,
    /// The set that a filter event puts into force.
    pub(crate) new_filter: Option<&'s [i64]>,
    /// The integer of a stop.
    pub(crate) automatic: bool,
}

/// Whether the stream is running.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum StreamState {
    #[default]
    Unknown,
    Yes,
    Stopped,
    StoppedFull,
}

/// The state of a trace after the events so far.
#[derive(Default)]
pub(crate) struct Windows {
    open: Vec<OpenWindow>,
    n_changes: u64,
    n_calls: i64,
    n_spans: [u32; 3],
    running: StreamState,
    filter: Vec<i64>,
    filter_list: String,
    is_filter_known: bool,
    last_time: Option<i64>,
    resumed_at: Option<i64>,
}

impl Windows {
    /// The open windows, the innermost last.
    pub(crate) fn open(&self) -> &[OpenWindow] {
        &self.open
    }

    /// How many times a window was opened or closed.
    pub(crate) fn n_changes(&self) -> u64 {
        self.n_changes
    }

    /// Whether the stream is running; unknown before the first event that shows it.
    pub(crate) fn is_running(&self) -> Option<bool> {
        match self.running {
            StreamState::Unknown => None,
            StreamState::Yes => Some(true),
            StreamState::Stopped | StreamState::StoppedFull => Some(false),
        }
    }

    /// The list of the ids of the types that are filtered out.
    pub(crate) fn filter(&self) -> &str {
        if self.filter.is_empty() { "[]" } else { &self.filter_list }
    }

    fn set_filter(&mut self, filter: &[i64]) {
        self.filter = filter.to_vec();
        self.filter_list = list(filter);
        self.is_filter_known = true;
    }

    /// Takes an event; returns the number of windows that are open for it, its own being the innermost.
    pub(crate) fn take(&mut self, seen: WindowEvent<'_>, faults: &mut Vec<BrokenRule>) -> usize {
        self.check_time(seen, faults);
        match seen.kind {
            EventMeaning::Start => self.start(seen, faults),
            EventMeaning::Stop => self.stop(seen, faults),
            EventMeaning::Overflow => self.overflow(faults),
            EventMeaning::Resume => self.resume(seen, faults),
            EventMeaning::FlushStart => {
                if self.drop_span(WindowKind::Flush) {
                    faults.push(("P7", "a flush starts before the last one stopped".to_string()));
                }
                self.enter(WindowKind::Flush)
            }
            EventMeaning::FlushStop => self.depth_of(WindowKind::Flush).unwrap_or_else(|| {
                faults.push(("P7", "a flush stops that did not start".to_string()));
                self.open.len()
            }),
            EventMeaning::Filter => self.change_filter(seen, faults),
            EventMeaning::Error => self.open.len(),
            EventMeaning::Event => self.event(seen, faults),
        }
    }

    /// Closes the window that an event of that kind ends, after the event.
    pub(crate) fn leave(&mut self, kind: EventMeaning) {
        match kind {
            EventMeaning::Stop => self.drop_span(WindowKind::Run),
            EventMeaning::Resume => self.drop_span(WindowKind::Overflow),
            EventMeaning::FlushStop => self.drop_span(WindowKind::Flush),
            _ => false,
        };
    }

    fn check_time(&mut self, seen: WindowEvent<'_>, faults: &mut Vec<BrokenRule>) {
        let Some(time) = seen.time else { return };
        if let Some(resumed) = self.resumed_at.take().filter(|resumed| *resumed != time) {
            faults.push(("P3", format!("the trace resumed at {resumed} ns, but the next event is of {time} ns")));
        }
        if seen.kind == EventMeaning::Overflow {
            return;
        }
        if let Some(last) = self.last_time.filter(|last| *last > time) {
            faults.push(("P3", format!("the time goes back from {last} to {time} ns")));
        }
        self.last_time = self.last_time.max(Some(time));
        if seen.kind == EventMeaning::Resume {
            self.resumed_at = Some(time);
        }
    }

    fn start(&mut self, seen: WindowEvent<'_>, faults: &mut Vec<BrokenRule>) -> usize {
        if self.drop_span(WindowKind::Overflow) {
            faults.push(("P4", "a start before the trace resumed".to_string()));
        }
        if self.drop_span(WindowKind::Run) {
            faults.push(("P5", "a start while the trace is running".to_string()));
        }
        self.running = StreamState::Yes;
        self.set_filter(seen.old_filter.unwrap_or_default());
        self.enter(WindowKind::Run)
    }

    fn stop(&mut self, seen: WindowEvent<'_>, faults: &mut Vec<BrokenRule>) -> usize {
        self.running = if seen.automatic { StreamState::StoppedFull } else { StreamState::Stopped };
        self.depth_of(WindowKind::Run).unwrap_or_else(|| {
            faults.push(("P5", "a stop while the trace is not running".to_string()));
            self.open.len()
        })
    }

    fn overflow(&mut self, faults: &mut Vec<BrokenRule>) -> usize {
        if self.drop_span(WindowKind::Overflow) {
            faults.push(("P4", "a second overflow before the trace resumed".to_string()));
        }
        if self.running == StreamState::Unknown {
            // the start was overwritten
            self.run_on();
        }
        self.enter(WindowKind::Overflow)
    }

    fn resume(&mut self, _: WindowEvent<'_>, faults: &mut Vec<BrokenRule>) -> usize {
        // a change of the filter may be among the events that were lost
        self.is_filter_known = false;
        self.depth_of(WindowKind::Overflow).unwrap_or_else(|| {
            faults.push(("P4", "the trace resumes without an overflow before".to_string()));
            self.open.len()
        })
    }

    fn change_filter(&mut self, seen: WindowEvent<'_>, faults: &mut Vec<BrokenRule>) -> usize {
        if let Some(old) = seen.old_filter.filter(|old| self.is_filter_known && !is_same_set(old, &self.filter)) {
            faults.push(("P6", format!("the old filter should be {:?}, found {old:?}", self.filter)));
        }
        if let Some(new) = seen.new_filter {
            self.set_filter(new);
        }
        self.open.len()
    }

    fn event(&mut self, seen: WindowEvent<'_>, faults: &mut Vec<BrokenRule>) -> usize {
        if self.drop_span(WindowKind::Overflow) {
            faults.push(("P4", "an event before the trace resumed".to_string()));
        }
        match self.running {
            StreamState::Yes => {}
            StreamState::Unknown => faults.push(("P5", "an event before the start".to_string())),
            StreamState::Stopped => faults.push(("P5", "an event while the trace is stopped".to_string())),
            StreamState::StoppedFull => faults.push(("P8", "an event after the automatic stop".to_string())),
        }
        if self.running != StreamState::Yes {
            self.run_on();
        }
        if self.is_filter_known && self.filter.contains(&seen.id) {
            faults.push(("P6", format!("an event of type {}, which is filtered out", seen.id)));
        }
        self.open.len()
    }

    /// Opens the run whose start the trace does not have.
    fn run_on(&mut self) {
        self.running = StreamState::Yes;
        self.enter(WindowKind::Run);
    }

    fn enter(&mut self, span: WindowKind) -> usize {
        self.n_calls += 1;
        self.n_changes += 1;
        let n_spans = &mut self.n_spans[span as usize];
        *n_spans += 1;
        self.open.push(OpenWindow { call: self.n_calls, name: format!("{}{n_spans}", span.name()), span });
        self.open.len()
    }

    /// The number of windows that are open up to the one of that kind.
    fn depth_of(&self, span: WindowKind) -> Option<usize> {
        self.open.iter().rposition(|open| open.span == span).map(|index| index + 1)
    }

    /// Closes the innermost window of that kind; returns whether there was one.
    fn drop_span(&mut self, span: WindowKind) -> bool {
        let Some(depth) = self.depth_of(span) else { return false };
        self.open.remove(depth - 1);
        self.n_changes += 1;
        true
    }
}

fn is_same_set(one: &[i64], other: &[i64]) -> bool {
    one.iter().all(|id| other.contains(id)) && other.iter().all(|id| one.contains(id))
}
