//! Which record ends the box that another one begins: on a track by B and E, in an asynchronous operation by b and e.

use super::heads::{NONE, RecordHead};
use super::log::{ChromeLog, RecordIdx};
use super::rules::RuleFindings;
use crate::term::hash::{HashMap, HashSet};

/// What is known of the boxes, by record.
pub(super) struct BoxLinks {
    /// Of a beginning its end, and of an end its beginning; empty if there is none.
    partners: Vec<RecordIdx>,
    /// The innermost open box at a record; of a box its parent.
    pub(super) around: Vec<RecordIdx>,
}

impl BoxLinks {
    /// No links between the records of a log.
    pub(super) fn new(log: &ChromeLog) -> BoxLinks {
        let has_pairs = log.known_heads.heads.iter().any(|head| head.begins() || head.ends());
        let n_partners = if has_pairs { log.len() } else { 0 };
        BoxLinks { partners: vec![NONE; n_partners], around: vec![NONE; log.len()] }
    }

    /// Of a beginning its end, and of an end its beginning.
    #[inline]
    pub(super) fn partner(&self, idx: RecordIdx) -> RecordIdx {
        self.partners.get(idx as usize).copied().unwrap_or(NONE)
    }

    fn pair(&mut self, begin: RecordIdx, end: RecordIdx) {
        self.partners[begin as usize] = end;
        self.partners[end as usize] = begin;
    }

    /// The size in bytes.
    pub(super) fn bytes(&self) -> usize {
        (self.partners.capacity() + self.around.capacity()) * size_of::<RecordIdx>()
    }
}

/// The open boxes of a track or an operation.
#[derive(Default)]
struct OpenBoxes {
    /// Some may have ended, but not the last one.
    stack: Vec<RecordIdx>,
    /// The open boxes with a name, the innermost last; found when an end does not have the name of the last open box.
    by_name: Option<HashMap<u32, Vec<RecordIdx>>>,
}

impl OpenBoxes {
    /// The innermost one.
    fn top(&self) -> RecordIdx {
        self.stack.last().copied().unwrap_or(NONE)
    }

    fn push(&mut self, record: RecordIdx, name: u32) {
        self.stack.push(record);
        if let Some(by_name) = &mut self.by_name {
            by_name.entry(name).or_default().push(record);
        }
    }

    /// The innermost one with a name.
    fn innermost(&mut self, name: u32, log: &ChromeLog) -> Option<RecordIdx> {
        let top = *self.stack.last()?;
        if log.head(top).name == name {
            return Some(top);
        }
        let by_name = self.by_name.get_or_insert_with(|| {
            let mut by_name: HashMap<u32, Vec<RecordIdx>> = HashMap::default();
            self.stack.iter().for_each(|record| by_name.entry(log.head(*record).name).or_default().push(*record));
            by_name
        });
        by_name.get(&name)?.last().copied()
    }

    /// Removes the innermost one with a name, which was paired.
    fn remove(&mut self, name: u32, links: &BoxLinks) {
        if let Some(by_name) = &mut self.by_name {
            by_name.get_mut(&name).and_then(Vec::pop);
        }
        while self.stack.last().is_some_and(|top| links.partner(*top) != NONE) {
            self.stack.pop();
        }
    }
}

/// The places of records of one kind in a group, by name, the last first.
struct PlacesByName(HashMap<u32, Vec<usize>>);

impl PlacesByName {
    fn new(log: &ChromeLog, group: &[RecordIdx], is_of_kind: impl Fn(&RecordHead) -> bool) -> PlacesByName {
        let mut places: HashMap<u32, Vec<usize>> = HashMap::default();
        for (place, head) in group.iter().map(|record| log.head(*record)).enumerate().rev() {
            if is_of_kind(head) {
                places.entry(head.name).or_default().push(place);
            }
        }
        PlacesByName(places)
    }

    /// The places after one, which never falls.
    fn after(&mut self, place: usize, name: u32) -> &mut Vec<usize> {
        let places = self.0.entry(name).or_default();
        while places.last().is_some_and(|other| *other <= place) {
            places.pop();
        }
        places
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
            let time = self.log.time(records[from]);
            let length = 1 + records[from + 1..].iter().take_while(|record| self.log.time(**record) == time).count();
            match &records[from..from + length] {
                [record] => self.take(*record),
                group => self.pair_group(group),
            }
            from += length;
        }
    }

    fn head(&self, record: RecordIdx) -> &'l RecordHead {
        self.log.head(record)
    }

    /// Takes the records of one time. An end whose name no open box has waits for a box of this name that begins
    /// at the same time: a box of no length whose end was written first. The end of a box waits for the ends of those in it.
    fn pair_group(&mut self, group: &[RecordIdx]) {
        let mut waiting: HashMap<usize, Vec<RecordIdx>> = HashMap::default();
        let (mut begins, mut ends): (Option<PlacesByName>, Option<PlacesByName>) = (None, None);
        let mut taken: HashSet<RecordIdx> = HashSet::default();
        for (place, record) in group.iter().enumerate() {
            let mut next = Some(*record).filter(|record| !taken.contains(record));
            while let Some(record) = next {
                let name = self.head(record).name;
                let is_named_end = self.head(record).ends() && name != NONE;
                let is_lone = is_named_end && self.open.innermost(name, self.log).is_none();
                let begin = is_lone.then(|| {
                    let begins = begins.get_or_insert_with(|| PlacesByName::new(self.log, group, RecordHead::begins));
                    begins.after(place, name).last().copied()
                });
                if let Some(begin) = begin.flatten() {
                    waiting.entry(begin).or_default().push(record);
                } else {
                    while is_named_end && !is_lone && self.head(self.open.top()).name != name {
                        let ends = ends.get_or_insert_with(|| PlacesByName::new(self.log, group, RecordHead::ends));
                        let Some(inner) = ends.after(place, self.head(self.open.top()).name).pop() else { break };
                        taken.insert(group[inner]);
                        self.take(group[inner]);
                    }
                    self.take(record);
                }
                next = waiting.get_mut(&place).and_then(Vec::pop);
            }
        }
    }

    fn take(&mut self, idx: RecordIdx) {
        self.order.push(idx);
        let record = self.head(idx);
        let top = self.open.top();
        self.links.around[idx as usize] = top;
        if record.begins() {
            self.open.push(idx, record.name);
        } else if record.ends() {
            self.end(idx, record.name, top);
        }
    }

    fn end(&mut self, idx: RecordIdx, name: u32, top: RecordIdx) {
        let begin = match name {
            NONE => Some(top).filter(|top| *top != NONE),
            name => self.open.innermost(name, self.log),
        };
        let mut found = |rule, what: &str| {
            let message = format!("record {} ends a box {what}", self.log.number(idx));
            self.findings.add(rule, self.log.line(idx), message);
        };
        let Some(begin) = begin else {
            return match top {
                NONE => found("C5", "that began before the recording, or never"),
                _ => found("C6", "that no record begins, while others are open"),
            };
        };
        if begin != top {
            found("C6", "while others that began in it are open");
        }
        self.links.pair(begin, idx);
        self.open.remove(self.head(begin).name, self.links);
    }
}
