//! Which nodes the numbers in the pids of each log mean, and which receive belongs to which send.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use foldhash::fast::RandomState;

use super::log::{Event, Log, Port};
use super::run::{RowId, Run};

/// Puts the logs in an order of their own and names their nodes: from the headers, else from the serials of messages
/// that went from one log to another, else from the files.
pub fn name_nodes(logs: &mut [Log]) {
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

/// Whether some log has no header, or a pid of a node that its header does not name.
fn needs_votes(logs: &[Log]) -> bool {
    logs.iter().any(|log| {
        let pids = || (0..log.names().len() as u32).filter_map(|name| log.pid(name));
        log.node.is_none() || pids().any(|pid| pid.node != 0 && log.nodes.of(pid.node).is_none())
    })
}

/// For each log and number of a node the log of that node, as most messages between logs tell.
fn votes(logs: &[Log]) -> BTreeMap<(usize, u32), usize> {
    let sends = sends(logs);
    let mut votes: BTreeMap<(usize, u32), BTreeMap<usize, usize>> = BTreeMap::new();
    for (to_log, log) in logs.iter().enumerate() {
        for event in log.events.iter().filter(|event| event.port == Port::Receive) {
            let Some(from) = log.pid(event.from).filter(|pid| pid.node != 0) else { continue };
            let found = sends.get(&(label(log, event), from.own, event.prev, event.cur));
            let mut fitting = found
                .into_iter()
                .flatten()
                .filter(|(from_log, send)| *from_log != to_log && may_be_to(&logs[*from_log], send, log, event));
            // what several logs have sent tells nothing
            let (Some((from_log, send)), None) = (fitting.next(), fitting.next()) else { continue };
            *votes.entry((to_log, from.node)).or_default().entry(*from_log).or_default() += 1;
            if let Some(to) = send.to.and_then(|to| logs[*from_log].pid(to)).filter(|pid| pid.node != 0) {
                *votes.entry((*from_log, to.node)).or_default().entry(to_log).or_default() += 1;
            }
        }
    }
    let most = |counts: BTreeMap<usize, usize>| counts.into_iter().max_by_key(|(log, n)| (*n, std::cmp::Reverse(*log)));
    votes.into_iter().filter_map(|(key, counts)| most(counts).map(|(log, _)| (key, log))).collect()
}

type SendKey<'l> = (&'l str, (u32, u32), u64, u64);

/// The sends of processes of the logs' own nodes.
fn sends(logs: &[Log]) -> HashMap<SendKey<'_>, Vec<(usize, &Event)>, RandomState> {
    let mut sends: HashMap<SendKey<'_>, Vec<(usize, &Event)>, RandomState> = HashMap::default();
    for (number, log) in logs.iter().enumerate() {
        for event in log.events.iter().filter(|event| event.port == Port::Send) {
            if let Some(from) = log.pid(event.from).filter(|pid| pid.node == 0) {
                sends.entry((label(log, event), from.own, event.prev, event.cur)).or_default().push((number, event));
            }
        }
    }
    sends
}

fn label<'l>(log: &'l Log, event: &Event) -> &'l str {
    &log.names()[event.label as usize]
}

/// Whether a send to a pid may be to the process that has received; a name or an alias may be anyone.
fn may_be_to(from_log: &Log, send: &Event, to_log: &Log, receive: &Event) -> bool {
    let sent_to = send.to.and_then(|to| from_log.pid(to));
    let received_by = receive.to.and_then(|to| to_log.pid(to));
    match (sent_to, received_by) {
        (Some(to), Some(by)) => to.own == by.own && to.node != 0,
        _ => true,
    }
}

/// What is wrong with serials that several events share.
#[derive(Debug, Default)]
pub struct Shared {
    /// Sends, and receives, whose label, sender and serial an earlier one has.
    pub again: Vec<RowId>,
}

/// Makes the sends and receives of one transfer partners: those with the same label, sender and serial.
pub fn pair(run: &mut Run) -> Shared {
    let key = |row: &super::run::Row| (row.label, row.from, row.prev, row.cur);
    let mut sends: HashMap<_, Option<RowId>, RandomState> = HashMap::default();
    let mut shared = Shared::default();
    for (row, id) in run.rows.iter().zip(0..).filter(|(row, _)| row.port == Port::Send) {
        let known = sends.entry(key(row)).and_modify(|send| *send = None).or_insert(Some(id));
        if known.is_none() {
            shared.again.push(id);
        }
    }
    for id in 0..run.rows.len() {
        let row = &run.rows[id];
        if row.port != Port::Receive || row.partner.is_some() {
            continue;
        }
        let Some(Some(send)) = sends.get(&key(row)).copied() else { continue };
        match run.rows[send as usize].partner {
            Some(_) => shared.again.push(id as RowId),
            None => {
                run.rows[send as usize].partner = Some(id as RowId);
                run.rows[id].partner = Some(send);
            }
        }
    }
    shared
}
