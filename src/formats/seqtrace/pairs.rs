//! Finds the node that each number in the pids of a log means, and the send of each receive.

use crate::term::hash::HashMap;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use super::log::SeqLog;
use super::ports::SeqPort;
use super::rows::{OptionalId, RowId, SeqRow};
use super::run::SeqRun;

/// Sorts the logs and names their nodes: from the headers, or else from the serials of messages between logs, or else
/// from the names of the files.
pub(crate) fn name_nodes(logs: &mut [SeqLog]) {
    logs.sort_by(|a, b| (&a.node, &a.name).cmp(&(&b.node, &b.name)));
    if logs.len() < 2 {
        return;
    }
    let votes = if needs_votes(logs) { votes(logs) } else { BTreeMap::new() };
    for ((log, number), other) in &votes {
        let Some(node) = logs[*log].nodes.of(*number).map(str::to_owned) else { continue };
        if logs[*other].node.is_none() {
            logs[*other].is_of_node(&node);
        }
    }
    for log in logs.iter_mut().filter(|log| log.node.is_none()) {
        let stem =
            Path::new(&log.name).file_stem().map_or(log.name.clone(), |stem| stem.to_string_lossy().into_owned());
        log.is_of_node(&stem);
    }
    for ((log, number), other) in votes {
        let node = logs[other].node.clone().unwrap_or_default();
        logs[log].nodes.name(number, &node);
    }
}

/// Whether some log has no header, or has a pid of a node that its header does not name.
fn needs_votes(logs: &[SeqLog]) -> bool {
    logs.iter().any(|log| {
        let pids = || (0..log.names.len() as u32).filter_map(|name| log.pid(name));
        log.node.is_none() || pids().any(|pid| pid.node != 0 && log.nodes.of(pid.node).is_none())
    })
}

/// For each number of a node in each log, the log of that node, by a majority of the messages between logs.
fn votes(logs: &[SeqLog]) -> BTreeMap<(usize, u32), usize> {
    let sends = sends(logs);
    let mut votes: BTreeMap<(usize, u32), BTreeMap<usize, usize>> = BTreeMap::new();
    for (to_log, log) in logs.iter().enumerate() {
        for event in log.rows.iter().filter(|event| event.port == SeqPort::Receive) {
            let Some(from) = log.pid(event.from).filter(|pid| pid.node != 0) else { continue };
            let found = sends.get(&(label(log, event), from.own, event.prev, event.cur));
            let mut fitting = found
                .into_iter()
                .flatten()
                .filter(|(from_log, send)| *from_log != to_log && may_be_to(&logs[*from_log], send, log, event));
            // a receive that fits several sends proves nothing
            let (Some((from_log, send)), None) = (fitting.next(), fitting.next()) else { continue };
            *votes.entry((to_log, from.node)).or_default().entry(*from_log).or_default() += 1;
            if let Some(to) = send.to.get().and_then(|to| logs[*from_log].pid(to)).filter(|pid| pid.node != 0) {
                *votes.entry((*from_log, to.node)).or_default().entry(to_log).or_default() += 1;
            }
        }
    }
    let most = |counts: BTreeMap<usize, usize>| counts.into_iter().max_by_key(|(log, n)| (*n, std::cmp::Reverse(*log)));
    votes.into_iter().filter_map(|(key, counts)| most(counts).map(|(log, _)| (key, log))).collect()
}

type SendKey<'l> = (&'l str, (u32, u32), u64, u64);

/// The sends by processes of each log's own node.
fn sends(logs: &[SeqLog]) -> HashMap<SendKey<'_>, Vec<(usize, &SeqRow)>> {
    let mut sends: HashMap<SendKey<'_>, Vec<(usize, &SeqRow)>> = HashMap::default();
    for (number, log) in logs.iter().enumerate() {
        for event in log.rows.iter().filter(|event| event.port == SeqPort::Send) {
            if let Some(from) = log.pid(event.from).filter(|pid| pid.node == 0) {
                sends.entry((label(log, event), from.own, event.prev, event.cur)).or_default().push((number, event));
            }
        }
    }
    sends
}

fn label<'l>(log: &'l SeqLog, event: &SeqRow) -> &'l str {
    &log.names[event.label as usize]
}

/// Whether the receiver may be the process to which a message was sent; a name or an alias may be any process.
fn may_be_to(from_log: &SeqLog, send: &SeqRow, to_log: &SeqLog, receive: &SeqRow) -> bool {
    let sent_to = send.to.get().and_then(|to| from_log.pid(to));
    let received_by = receive.to.get().and_then(|to| to_log.pid(to));
    match (sent_to, received_by) {
        (Some(to), Some(by)) => to.own == by.own && to.node != 0,
        _ => true,
    }
}

/// Events that repeat the serials of earlier ones.
#[derive(Debug, Default)]
pub(crate) struct RepeatedEvents {
    /// Sends with the label, sender and serial of an earlier send, and receives with those of an earlier receive.
    pub(crate) again: Vec<RowId>,
}

/// Makes the send and the receive of each transfer partners: they have the same label, sender and serial. Most of them
/// are partners already, rightly if no process has sent twice with the same serial.
pub(crate) fn pair(run: &mut SeqRun) -> RepeatedEvents {
    let shared = if are_distinct(run) { pair_rest(run) } else { None };
    shared.unwrap_or_else(|| pair_all(run))
}

/// Whether no process has sent twice with the same serial.
fn are_distinct(run: &SeqRun) -> bool {
    run.senders.iter().all(|sender| sender.is_rising)
}

/// Finds the send of each receive.
fn pair_all(run: &mut SeqRun) -> RepeatedEvents {
    run.rows.iter_mut().for_each(|row| (row.partner, row.is_as_sent) = (OptionalId::NONE, false));
    run.unpaired = Vec::new();
    let sends = Sends::of(run, events(run, |row| row.port == SeqPort::Send));
    let mut shared = RepeatedEvents { again: sends.again(run) };
    let receives = events(run, |row| row.port == SeqPort::Receive);
    pair_with(run, sends, receives, &mut shared);
    shared
}

/// Finds the sends of the receives without a partner, first among the sends without one. `None` if the partner of such
/// a send is a later receive.
fn pair_rest(run: &mut SeqRun) -> Option<RepeatedEvents> {
    let mut shared = RepeatedEvents::default();
    let unpaired = std::mem::take(&mut run.unpaired);
    let (sends, receives) = unpaired.into_iter().partition(|id| run.rows[*id as usize].port == SeqPort::Send);
    let sends = Sends::of(run, sends);
    let receives = pair_with(run, sends, receives, &mut shared)?;
    if !receives.is_empty() {
        let sends = Sends::of(run, events(run, |row| row.port == SeqPort::Send));
        pair_with(run, sends, receives, &mut shared)?;
        shared.again.sort_unstable();
    }
    Some(shared)
}

fn events(run: &SeqRun, is_wanted: impl Fn(&SeqRow) -> bool) -> Vec<RowId> {
    (0..).zip(&run.rows).filter(|(_, row)| is_wanted(row)).map(|(id, _)| id).collect()
}

/// Finds the sends of receives, and returns the receives without one. Of several receives of one message, the first
/// counts: `None` if the partner of its send is a later one.
fn pair_with(
    run: &mut SeqRun,
    mut sends: Sends,
    receives: Vec<RowId>,
    shared: &mut RepeatedEvents,
) -> Option<Vec<RowId>> {
    let mut rest = Vec::new();
    let mut groups: BTreeMap<usize, (usize, Vec<RowId>)> = BTreeMap::new();
    for id in receives {
        let row = run.rows[id as usize];
        let found = sends.find(run, &row);
        match found.len() {
            0 => rest.push(id),
            1 => pair_one(run, sends.sends[found.start], id, shared)?,
            _ => groups.entry(found.start).or_insert((found.end, Vec::new())).1.push(id),
        }
    }
    for (start, (end, receives)) in groups {
        pair_group(run, &sends.sends[start..end], &receives, shared);
    }
    shared.again.sort_unstable();
    Some(rest)
}

/// Pairs a receive with the only send of its serial; `None` if the partner of that send is a later receive.
fn pair_one(run: &mut SeqRun, send: RowId, receive: RowId, shared: &mut RepeatedEvents) -> Option<()> {
    match run.rows[send as usize].partner.get() {
        None => run.make_partners(send, receive),
        Some(first) if first < receive => shared.again.push(receive),
        Some(_) => return None,
    }
    Some(())
}

/// Pairs sends and receives that all have one serial, which was used again after a reset: first those in the same
/// stretch of the same log, then the others in their order, if the same number of both is left.
fn pair_group(run: &mut SeqRun, sends: &[RowId], receives: &[RowId], shared: &mut RepeatedEvents) {
    let mut stretches: HashMap<(u32, u16), Vec<RowId>> = HashMap::default();
    for send in sends {
        stretches.entry(stretch(run, *send)).or_default().push(*send);
    }
    let mut late = Vec::new();
    for receive in receives {
        match stretches.get(&stretch(run, *receive)).map(Vec::as_slice) {
            Some([send]) if run.rows[*send as usize].partner == OptionalId::NONE => run.make_partners(*send, *receive),
            _ => late.push(*receive),
        }
    }
    let is_free = |send: &&RowId| {
        run.rows[**send as usize].partner == OptionalId::NONE && stretches[&stretch(run, **send)].len() == 1
    };
    let free: Vec<RowId> = sends.iter().filter(is_free).copied().collect();
    if free.len() == late.len() {
        free.into_iter().zip(late).for_each(|(send, receive)| run.make_partners(send, receive));
    } else if free.is_empty() {
        let is_again = |receive: &RowId| stretches.get(&stretch(run, *receive)).is_some_and(|sends| sends.len() == 1);
        shared.again.extend(late.into_iter().filter(is_again));
    }
}

/// The log of an event, and how often serials had restarted there.
fn stretch(run: &SeqRun, id: RowId) -> (u32, u16) {
    let row = &run.rows[id as usize];
    (run.log(row), row.epoch)
}

/// Sends grouped by process, each group in the order of its serials.
///
/// Sends are nearly always logged in that order, and received in it too, so the search for one starts after the one
/// found before.
struct Sends {
    sends: Vec<RowId>,
    /// Where the sends of each process begin; they end where those of the next one begin.
    starts: Vec<u32>,
    /// Where the search for the next send of each process starts.
    next: Vec<u32>,
    /// Whether no two sends of a process have the same serial.
    are_distinct: bool,
}

impl Sends {
    /// Groups sends, given in the order of the logs.
    fn of(run: &SeqRun, logged: Vec<RowId>) -> Sends {
        let n_names = run.names.len();
        let mut starts = vec![0; n_names + 1];
        let from = |send: &RowId| run.rows[*send as usize].from as usize;
        logged.iter().for_each(|send| starts[from(send) + 1] += 1);
        for name in 0..n_names {
            starts[name + 1] += starts[name];
        }
        let (mut sends, mut next) = (vec![0; logged.len()], starts.clone());
        for send in logged {
            let place = &mut next[from(&send)];
            sends[*place as usize] = send;
            *place += 1;
        }
        for (ends, _) in starts.windows(2).zip(&run.senders).filter(|(_, sender)| !sender.is_sorted) {
            let sends = &mut sends[ends[0] as usize..ends[1] as usize];
            sends.sort_by_key(|send| run.rows[*send as usize].serial());
        }
        Sends { sends, next: starts.clone(), starts, are_distinct: are_distinct(run) }
    }

    /// The sends with the label, sender and serial of an earlier one after the same reset.
    fn again(&self, run: &SeqRun) -> Vec<RowId> {
        if self.are_distinct {
            return Vec::new();
        }
        let serial = |send: RowId| run.rows[send as usize].serial();
        let of_one = self.starts.windows(2).map(|ends| &self.sends[ends[0] as usize..ends[1] as usize]);
        let pairs = of_one.flat_map(|sends| sends.windows(2));
        let same =
            pairs.filter(|pair| serial(pair[0]) == serial(pair[1]) && stretch(run, pair[0]) == stretch(run, pair[1]));
        let mut again: Vec<RowId> = same.map(|pair| pair[1]).collect();
        again.sort_unstable();
        again
    }

    /// The places of the sends with the label, sender and serial of a receive.
    fn find(&mut self, run: &SeqRun, receive: &SeqRow) -> Range<usize> {
        let wanted = receive.serial();
        let from = receive.from as usize;
        let (start, end) = (self.starts[from] as usize, self.starts[from + 1] as usize);
        let at = |place: usize| run.rows[self.sends[place] as usize].serial();
        let is_at = |place: usize| place < end && at(place) == wanted;
        let mut place = self.next[from] as usize;
        // finds the first of equal ones
        if !is_at(place) || (!self.are_distinct && place > start && is_at(place - 1)) {
            place = start + self.sends[start..end].partition_point(|send| run.rows[*send as usize].serial() < wanted);
        }
        if !is_at(place) {
            return place..place;
        }
        self.next[from] = place as u32 + 1;
        let n_more = match self.are_distinct {
            true => 0,
            false => self.sends[place + 1..end].partition_point(|send| run.rows[*send as usize].serial() <= wanted),
        };
        place..place + 1 + n_more
    }
}
