//! Which record ends the box that another one begins: on a track by B and E, in an asynchronous operation by b and e.

use super::log::{ChromeLog, LogRecord, NONE, RecordIdx};
use super::rules::RuleFindings;
use crate::term::hash::HashMap;

/// What is known of the boxes, by record.
pub(super) struct BoxLinks {
    /// Of a beginning its end, and of an end its beginning.
    pub(super) partner: Vec<RecordIdx>,
    /// The innermost open box at a record; of a box its parent.
    pub(super) around: Vec<RecordIdx>,
}

impl BoxLinks {
    pub(super) fn new(n_records: usize) -> BoxLinks {
        BoxLinks { partner: vec![NONE; n_records], around: vec![NONE; n_records] }
    }
}

/// The open boxes of a track or an operation.
#[derive(Default)]
struct OpenBoxes {
    /// Some may have ended.
    stack: Vec<RecordIdx>,
    /// The open boxes with a name, the innermost last.
    by_name: HashMap<u32, Vec<RecordIdx>>,
}

impl OpenBoxes {
    fn top(&mut self, partner: &[RecordIdx]) -> RecordIdx {
        while self.stack.last().is_some_and(|top| partner[*top as usize] != NONE) {
            self.stack.pop();
        }
        self.stack.last().copied().unwrap_or(NONE)
    }

    fn push(&mut self, record: RecordIdx, name: u32) {
        self.stack.push(record);
        self.by_name.entry(name).or_default().push(record);
    }

    fn innermost(&self, name: u32) -> Option<RecordIdx> {
        self.by_name.get(&name)?.last().copied()
    }

    fn remove(&mut self, name: u32) {
        self.by_name.get_mut(&name).and_then(Vec::pop);
    }
}

/// Pairs the records of a sequence.
pub(super) struct Pairing<'l> {
    log: &'l ChromeLog,
    links: &'l mut BoxLinks,
    findings: &'l mut RuleFindings,
    open: OpenBoxes,
    /// The records in the order in which they count.
    pub(super) order: Vec<RecordIdx>,
}

impl<'l> Pairing<'l> {
    pub(super) fn new(log: &'l ChromeLog, links: &'l mut BoxLinks, findings: &'l mut RuleFindings) -> Pairing<'l> {
        Pairing { log, links, findings, open: OpenBoxes::default(), order: Vec::new() }
    }

    /// Pairs the records of a sequence, which come in the order of time.
    pub(super) fn pair(&mut self, records: &[RecordIdx]) {
        let mut from = 0;
        while from < records.len() {
            let time = self.record(records[from]).time;
            let length = records[from..].partition_point(|record| self.record(*record).time == time);
            match &records[from..from + length] {
                [record] => self.take(*record),
                group => self.pair_group(group),
            }
            from += length;
        }
    }

    fn record(&self, record: RecordIdx) -> &'l LogRecord {
        &self.log.records[record as usize]
    }

    /// Takes the records of one time. An end on a track whose name no open box has waits for a box of this name that begins
    /// at the same time: a box of no length whose end was written first.
    fn pair_group(&mut self, group: &[RecordIdx]) {
        let mut waiting: HashMap<usize, Vec<RecordIdx>> = HashMap::default();
        let mut begins: Option<HashMap<u32, Vec<usize>>> = None;
        for (place, record) in group.iter().enumerate() {
            let mut next = Some(*record);
            while let Some(record) = next {
                let name = self.record(record).name;
                let is_lone = self.record(record).phase == 'E' && name != NONE && self.open.innermost(name).is_none();
                let begin = is_lone.then(|| {
                    let begins = begins.get_or_insert_with(|| self.begins(group));
                    let places = begins.get(&name)?;
                    places.get(places.partition_point(|begin| *begin <= place)).copied()
                });
                match begin.flatten() {
                    Some(begin) => waiting.entry(begin).or_default().push(record),
                    None => self.take(record),
                }
                next = waiting.get_mut(&place).and_then(Vec::pop);
            }
        }
    }

    /// The places of the beginnings with each name.
    fn begins(&self, group: &[RecordIdx]) -> HashMap<u32, Vec<usize>> {
        let mut begins: HashMap<u32, Vec<usize>> = HashMap::default();
        for (place, record) in group.iter().enumerate().filter(|(_, record)| self.record(**record).phase == 'B') {
            begins.entry(self.record(*record).name).or_default().push(place);
        }
        begins
    }

    fn take(&mut self, idx: RecordIdx) {
        self.order.push(idx);
        let record = self.record(idx);
        let top = self.open.top(&self.links.partner);
        self.links.around[idx as usize] = top;
        if record.begins() {
            self.open.push(idx, record.name);
        } else if record.ends() {
            self.end(idx, record, top);
        }
    }

    fn end(&mut self, idx: RecordIdx, record: &LogRecord, top: RecordIdx) {
        let begin = match record.name {
            NONE => Some(top).filter(|top| *top != NONE),
            name => self.open.innermost(name),
        };
        let Some(begin) = begin else {
            let message = format!("record {} ends a box that no record begins", record.number);
            return self.findings.add("C5", u64::from(record.line), message);
        };
        if begin != top {
            let message = format!("record {} ends a box while others that began in it are open", record.number);
            self.findings.add("C6", u64::from(record.line), message);
        }
        self.open.remove(self.record(begin).name);
        self.links.partner[begin as usize] = idx;
        self.links.partner[idx as usize] = begin;
    }
}
