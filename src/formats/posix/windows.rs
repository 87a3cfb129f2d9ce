//! The windows of a trace: when it ran, overflowed and was flushed, and which filter was in force; the rules P3 to P8.

use super::data::list;
use super::event_types::EventMeaning;
use super::part::EventRecord;
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

    /// Takes an event of a kind, with the filter that it says is in force or was replaced, and the new one; returns the
    /// number of windows that are open for it, its own being the innermost.
    pub(crate) fn take(
        &mut self,
        kind: EventMeaning,
        record: &EventRecord,
        [old_filter, new_filter]: [Option<&[i64]>; 2],
        faults: &mut Vec<BrokenRule>,
    ) -> usize {
        self.check_time(kind, record.time, faults);
        match kind {
            EventMeaning::Start => {
                self.expect_closed(WindowKind::Overflow, ("P4", "a start before the trace resumed"), faults);
                self.expect_closed(WindowKind::Run, ("P5", "a start while the trace is running"), faults);
                self.set_filter(old_filter.unwrap_or_default());
                self.run();
            }
            EventMeaning::Stop => {
                self.running = if record.is_automatic() { StreamState::StoppedFull } else { StreamState::Stopped };
                return self.within(WindowKind::Run, ("P5", "a stop while the trace is not running"), faults);
            }
            EventMeaning::Overflow => {
                let fault = ("P4", "a second overflow before the trace resumed");
                self.expect_closed(WindowKind::Overflow, fault, faults);
                if self.running == StreamState::Unknown {
                    // the start was overwritten
                    self.run();
                }
                self.enter(WindowKind::Overflow);
            }
            EventMeaning::Resume => {
                // a change of the filter may be among the events that were lost
                self.is_filter_known = false;
                let fault = ("P4", "the trace resumes without an overflow before");
                return self.within(WindowKind::Overflow, fault, faults);
            }
            EventMeaning::FlushStart => {
                self.expect_closed(WindowKind::Flush, ("P7", "a flush starts before the last one stopped"), faults);
                self.enter(WindowKind::Flush);
            }
            EventMeaning::FlushStop => {
                return self.within(WindowKind::Flush, ("P7", "a flush stops that did not start"), faults);
            }
            EventMeaning::Filter => self.change_filter(old_filter, new_filter, faults),
            EventMeaning::Error => {}
            EventMeaning::Event => self.event(record.id, faults),
        }
        self.open.len()
    }

    /// Closes the window that an event of that kind ends, after the event.
    pub(crate) fn leave(&mut self, kind: EventMeaning) {
        match kind {
            EventMeaning::Stop => self.close(WindowKind::Run),
            EventMeaning::Resume => self.close(WindowKind::Overflow),
            EventMeaning::FlushStop => self.close(WindowKind::Flush),
            _ => false,
        };
    }

    fn check_time(&mut self, kind: EventMeaning, time: Option<i64>, faults: &mut Vec<BrokenRule>) {
        let Some(time) = time else { return };
        if let Some(resumed) = self.resumed_at.take().filter(|resumed| *resumed != time) {
            faults.push(("P3", format!("the trace resumed at {resumed} ns, but the next event is of {time} ns")));
        }
        if kind == EventMeaning::Overflow {
            return;
        }
        if let Some(last) = self.last_time.filter(|last| *last > time) {
            faults.push(("P3", format!("the time goes back from {last} to {time} ns")));
        }
        self.last_time = self.last_time.max(Some(time));
        self.resumed_at = Some(time).filter(|_| kind == EventMeaning::Resume);
    }

    fn change_filter(&mut self, old: Option<&[i64]>, new: Option<&[i64]>, faults: &mut Vec<BrokenRule>) {
        if let Some(old) = old.filter(|old| self.is_filter_known && !is_same_set(old, &self.filter)) {
            faults.push(("P6", format!("the old filter should be {:?}, found {old:?}", self.filter)));
        }
        new.into_iter().for_each(|new| self.set_filter(new));
    }

    fn event(&mut self, id: i64, faults: &mut Vec<BrokenRule>) {
        self.expect_closed(WindowKind::Overflow, ("P4", "an event before the trace resumed"), faults);
        let fault = match self.running {
            StreamState::Yes => None,
            StreamState::Unknown => Some(("P5", "an event before the start")),
            StreamState::Stopped => Some(("P5", "an event while the trace is stopped")),
            StreamState::StoppedFull => Some(("P8", "an event after the automatic stop")),
        };
        if let Some((rule, message)) = fault {
            faults.push((rule, message.to_owned()));
            self.run();
        }
        if self.is_filter_known && self.filter.contains(&id) {
            faults.push(("P6", format!("an event of type {id}, which is filtered out")));
        }
    }

    /// The number of windows that are open up to the one that an event ends; all of them if there is none, which is a fault.
    fn within(&self, span: WindowKind, (rule, message): StaticFault, faults: &mut Vec<BrokenRule>) -> usize {
        self.depth_of(span).unwrap_or_else(|| {
            faults.push((rule, message.to_owned()));
            self.open.len()
        })
    }

    /// Closes a window that should be closed, which is a fault.
    fn expect_closed(&mut self, span: WindowKind, (rule, message): StaticFault, faults: &mut Vec<BrokenRule>) {
        if self.close(span) {
            faults.push((rule, message.to_owned()));
        }
    }

    /// Opens a run; the trace may not have its start.
    fn run(&mut self) {
        self.running = StreamState::Yes;
        self.enter(WindowKind::Run);
    }

    fn enter(&mut self, span: WindowKind) {
        self.n_calls += 1;
        self.n_changes += 1;
        let n_spans = &mut self.n_spans[span as usize];
        *n_spans += 1;
        self.open.push(OpenWindow { call: self.n_calls, name: format!("{}{n_spans}", span.name()), span });
    }

    /// The number of windows that are open up to the one of that kind.
    fn depth_of(&self, span: WindowKind) -> Option<usize> {
        self.open.iter().rposition(|open| open.span == span).map(|index| index + 1)
    }

    /// Closes the innermost window of that kind; returns whether there was one.
    fn close(&mut self, span: WindowKind) -> bool {
        let Some(depth) = self.depth_of(span) else { return false };
        self.open.remove(depth - 1);
        self.n_changes += 1;
        true
    }
}

/// A rule, and what breaks it.
type StaticFault = (&'static str, &'static str);

fn is_same_set(one: &[i64], other: &[i64]) -> bool {
    one.iter().all(|id| other.contains(id)) && other.iter().all(|id| one.contains(id))
}
