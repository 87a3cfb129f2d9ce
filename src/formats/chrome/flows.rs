//! Arrows: `s`, `t` and `f` of one category, name and id, and slices with one `bind_id`.

use super::heads::{BINDS_ENCLOSING, FLOWS_IN, FLOWS_OUT, HAS_BIND, RecordHead};
use super::log::{ChromeLog, RecordIdx};
use super::rules::RuleFindings;
use crate::term::hash::HashMap;
use crate::trace::EventId;

/// What identifies an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum ArrowKey<'l> {
    Named(u32, u32, Option<&'l str>),
    Bound(&'l str),
}

/// The arrows, found while the events are handed over.
pub(super) struct Arrows<'l> {
    log: &'l ChromeLog,
    open: HashMap<ArrowKey<'l>, EventId>,
    /// Events with the event at which their arrow begins.
    pub(super) from: Vec<(EventId, EventId)>,
    /// Events with the number of the call to which they belong.
    pub(super) calls: Vec<(EventId, i64)>,
    /// Ends of arrows that belong to the next box of a track.
    waiting: HashMap<(u32, u32), Vec<EventId>>,
}

impl<'l> Arrows<'l> {
    pub(super) fn new(log: &'l ChromeLog) -> Arrows<'l> {
        Arrows { log, open: HashMap::default(), from: Vec::new(), calls: Vec::new(), waiting: HashMap::default() }
    }

    /// Whether a record may be an end of an arrow.
    pub(super) fn has_end(head: &RecordHead) -> bool {
        matches!(head.phase, 's' | 't' | 'f') || head.has(HAS_BIND)
    }

    /// An event that may be an end of an arrow; `call` is the innermost open box.
    pub(super) fn event(&mut self, event: EventId, idx: RecordIdx, call: Option<i64>, findings: &mut RuleFindings) {
        let head = self.log.head(idx);
        if !matches!(head.phase, 's' | 't' | 'f') {
            return;
        }
        let key = ArrowKey::Named(head.cat, head.name, self.log.body(idx).0.id);
        if head.phase == 's' {
            self.open.insert(key, event);
        } else {
            self.arrive(key, event, idx, findings);
            if head.phase == 't' && self.open.contains_key(&key) {
                self.open.insert(key, event);
            } else {
                self.open.remove(&key);
            }
        }
        match call {
            _ if head.phase == 'f' && !head.has(BINDS_ENCLOSING) => {
                self.waiting.entry((head.pid, head.tid)).or_default().push(event);
            }
            Some(call) => self.calls.push((event, call)),
            None => {}
        }
    }

    /// The call event of a box.
    pub(super) fn call(&mut self, event: EventId, idx: RecordIdx, call: i64, findings: &mut RuleFindings) {
        let head = self.log.head(idx);
        if !self.waiting.is_empty() && !head.is_async() {
            let waiting = self.waiting.remove(&(head.pid, head.tid));
            self.calls.extend(waiting.into_iter().flatten().map(|end| (end, call)));
        }
        let Some(bind) = self.log.body(idx).0.bind else { return };
        let key = ArrowKey::Bound(bind);
        if head.has(FLOWS_IN) {
            self.arrive(key, event, idx, findings);
        }
        if head.has(FLOWS_OUT) {
            self.open.insert(key, event);
        }
    }

    fn arrive(&mut self, key: ArrowKey<'l>, event: EventId, idx: RecordIdx, findings: &mut RuleFindings) {
        match self.open.get(&key) {
            Some(from) => self.from.push((event, *from)),
            None => {
                let message =
                    format!("record {} ends an arrow that began before the recording, or never", self.log.number(idx));
                findings.add("C7", self.log.line(idx), message);
            }
        }
    }
}
