//! Arrows: `s`, `t` and `f` of one category, name and id, and slices with one `bind_id`.

use super::log::{ChromeLog, LogRecord, NONE};
use super::rules::RuleFindings;
use crate::term::hash::HashMap;
use crate::trace::EventId;

/// What identifies an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum ArrowKey {
    Named(u32, u32, u32),
    Bound(u32),
}

/// The arrows, found while the events are handed over.
#[derive(Default)]
pub(super) struct Arrows {
    open: HashMap<ArrowKey, EventId>,
    /// Events with the event at which their arrow begins.
    pub(super) from: Vec<(EventId, EventId)>,
    /// Events with the number of the call to which they belong.
    pub(super) calls: Vec<(EventId, i64)>,
    /// Ends of arrows that belong to the next box of a track.
    waiting: HashMap<u32, Vec<EventId>>,
}

impl Arrows {
    /// An event that may be an end of an arrow; `call` is the innermost open box.
    pub(super) fn event(&mut self, event: EventId, record: &LogRecord, call: Option<i64>, findings: &mut RuleFindings) {
        let key = ArrowKey::Named(record.cat, record.name, record.id);
        match record.phase {
            's' => {
                self.open.insert(key, event);
            }
            't' | 'f' => {
                self.arrive(key, event, record, findings);
                if record.phase == 't' && self.open.contains_key(&key) {
                    self.open.insert(key, event);
                } else {
                    self.open.remove(&key);
                }
            }
            _ => return,
        }
        match call {
            _ if record.phase == 'f' && !record.binds_enclosing => {
                self.waiting.entry(record.sequence).or_default().push(event);
            }
            Some(call) => self.calls.push((event, call)),
            None => {}
        }
    }

    /// The call event of a box.
    pub(super) fn call(&mut self, event: EventId, record: &LogRecord, call: i64, findings: &mut RuleFindings) {
        if !self.waiting.is_empty() {
            let waiting = self.waiting.remove(&record.sequence);
            self.calls.extend(waiting.into_iter().flatten().map(|end| (end, call)));
        }
        if record.bind == NONE {
            return;
        }
        let key = ArrowKey::Bound(record.bind);
        if record.flows_in {
            self.arrive(key, event, record, findings);
        }
        if record.flows_out {
            self.open.insert(key, event);
        }
    }

    fn arrive(&mut self, key: ArrowKey, event: EventId, record: &LogRecord, findings: &mut RuleFindings) {
        match self.open.get(&key) {
            Some(from) => self.from.push((event, *from)),
            None => {
                let message = format!("record {} ends an arrow that begins nowhere", record.number);
                findings.add("C7", u64::from(record.line), message);
            }
        }
    }
}

/// The name of a counter, with its id if it has one.
pub(super) fn series(log: &ChromeLog, record: &LogRecord) -> Option<String> {
    let name = log.text(record.name)?;
    let name = super::record::characters(name);
    Some(log.text(record.id).map_or_else(|| name.to_owned(), |id| format!("{name} {id}")))
}
