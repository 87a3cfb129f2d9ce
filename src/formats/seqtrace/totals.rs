//! Facts about all events of a run that decide which columns and rules it needs.

use super::chains::SerialChains;
use super::rows::{ClockKind, RowDetail, SeqRow};
use super::rules::DoubtfulRules;
use super::run::{ResolvedName, SeqRun};
use crate::trace::Field;
use crate::trace::threads::with_helpers;

/// Events from which a second thread pays.
const MANY: usize = 1 << 15;

/// What some event has, whatever the order.
pub(crate) struct EventTotals {
    pub(crate) doubts: DoubtfulRules,
    /// The roles of each name, as bits.
    roles: Vec<u8>,
    pub(crate) has_partners: bool,
    pub(crate) has_unique: bool,
    pub(crate) has_times: bool,
    /// Whether `i64::MIN` occurs, which no column of integers can hold.
    pub(crate) has_least_time: bool,
    pub(crate) has_least_unique: bool,
}

pub(crate) const LABEL: u8 = 1;
pub(crate) const FROM: u8 = 2;
pub(crate) const TO: u8 = 4;
pub(crate) const ACTOR: u8 = 8;

impl EventTotals {
    fn new(run: &SeqRun) -> EventTotals {
        EventTotals {
            doubts: DoubtfulRules::new(run),
            roles: vec![0; run.names.len()],
            has_partners: false,
            has_unique: false,
            has_times: false,
            has_least_time: false,
            has_least_unique: false,
        }
    }

    /// Looks at all events.
    fn of(run: &SeqRun) -> EventTotals {
        let mut seen = EventTotals::new(run);
        for (row, detail) in run.rows.iter().zip(&run.details) {
            seen.look(row, detail);
            seen.doubts.look(run, row, detail);
        }
        seen
    }

    /// The totals, and the result of a function that goes over the events at the same time.
    pub(crate) fn beside<T>(run: &SeqRun, other: impl FnOnce() -> T) -> (EventTotals, T) {
        if run.rows.len() < MANY {
            return (EventTotals::of(run), other());
        }
        let (other, mut totals) = with_helpers(1, || EventTotals::of(run), other);
        // a system without a free thread still has this one
        (totals.pop().unwrap_or_else(|| EventTotals::of(run)), other)
    }

    #[inline]
    fn look(&mut self, row: &SeqRow, detail: &RowDetail) {
        self.roles[row.label as usize] |= LABEL;
        self.roles[row.from as usize] |= FROM;
        if let Some(to) = row.to.get() {
            self.roles[to as usize] |= TO;
        }
        self.roles[row.actor() as usize] |= ACTOR;
        self.has_partners |= row.partner.get().is_some();
        self.has_unique |= detail.clock == ClockKind::Strict;
        self.has_times |= detail.clock != ClockKind::None;
        self.has_least_time |= detail.time == i64::MIN;
        self.has_least_unique |= detail.unique == i64::MIN;
    }

    /// The names in a role.
    pub(crate) fn names<'r>(&self, run: &'r SeqRun, role: u8) -> impl Iterator<Item = &'r ResolvedName> {
        run.names.iter().zip(&self.roles).filter(move |(_, roles)| **roles & role != 0).map(|(name, _)| name)
    }

    /// Whether all names in a role are integers that a column of integers can hold.
    pub(crate) fn are_integers(&self, run: &SeqRun, role: u8) -> bool {
        self.names(run, role).all(|name| matches!(name.field(), Field::Int(value) if value != i64::MIN))
    }
}

/// Facts that follow from the order.
pub(crate) struct OrderTotals {
    pub(crate) n_calls: usize,
    pub(crate) has_parents: bool,
    pub(crate) n_steps: u64,
    pub(crate) has_to: bool,
    pub(crate) has_nodes: bool,
    /// Whether labels, senders and receivers are integers.
    pub(crate) are_integers: [bool; 3],
}

impl OrderTotals {
    pub(crate) fn of(run: &SeqRun, seen: &EventTotals, chains: &SerialChains<'_>) -> OrderTotals {
        OrderTotals {
            n_calls: chains.around.len(),
            has_parents: chains.has_parents(),
            n_steps: chains.n_steps,
            has_to: seen.names(run, TO).next().is_some(),
            has_nodes: seen.names(run, ACTOR).any(|actor| actor.node.is_some()),
            are_integers: [LABEL, FROM, TO].map(|role| seen.are_integers(run, role)),
        }
    }
}
