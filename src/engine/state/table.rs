//! The tables of tabled predicates: the answers of each variant of a call. How they are filled is in `tabling`.

use std::collections::VecDeque;
use std::rc::Rc;

use crate::engine::code::{Live, Pc, PredId};
use crate::engine::heap::{AddedAnswer, AnswerSet, Cell, Frozen, Stop, Store};
use crate::term::hash::HashMap;

/// The number of a table.
pub(crate) type TableId = u32;

/// All tables, and the evaluations in progress.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    pub(crate) declared: Vec<Rc<Tabled>>,
    by_key: HashMap<Box<[u64]>, TableId>,
    tables: Vec<Option<Box<AnswerTable>>>,
    /// Components, sets of mutually dependent tables, newest last.
    pub(crate) components: Vec<Component>,
    /// An evaluation that an exception is leaving.
    pub(crate) failing: Option<Failing>,
    bytes: usize,
}

/// An evaluation that an exception is leaving: no handler within it may catch the exception.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failing {
    pub(crate) leader: TableId,
    /// Choice points above this height were pushed by cleanups on the way.
    pub(crate) height: usize,
}

/// A tabled predicate.
#[derive(Debug)]
pub(crate) struct Tabled {
    /// The predicate whose clauses fill the tables.
    pub(crate) pred: PredId,
    /// The mode of each argument.
    pub(crate) modes: Box<[TableMode]>,
}

/// How a table treats an argument of its predicate.
#[derive(Clone, Debug)]
pub(crate) enum TableMode {
    /// It distinguishes answers.
    Index,
    /// The minimum in the standard order is kept.
    Min,
    /// The maximum in the standard order is kept.
    Max,
    /// The first is kept.
    First,
    /// The last is kept.
    Last,
    /// The values are added up.
    Sum,
    /// A goal decides what is kept: `po(Goal)` or `lattice(Goal)`.
    Goal(Rc<Frozen>),
}

/// Mutually dependent tables, which are completed together.
#[derive(Debug)]
pub(crate) struct Component {
    /// The oldest table; completing it completes the others.
    pub(crate) leader: TableId,
    pub(crate) tables: Vec<TableId>,
    /// Tables with answers that some suspension has not seen.
    pub(crate) queue: VecDeque<TableId>,
}

/// The answers of a variant of a call.
#[derive(Debug)]
pub(crate) struct AnswerTable {
    pub(crate) declared: Rc<Tabled>,
    key: Box<[u64]>,
    pub(crate) is_complete: bool,
    pub(crate) answers: AnswerSet,
    pub(crate) suspensions: Vec<Rc<Suspension>>,
    /// How many answers each suspension has seen.
    pub(crate) taken: Vec<u32>,
    /// The suspension to resume next.
    turn: usize,
    is_queued: bool,
}

/// A suspended consumer of a table, with its continuation.
#[derive(Debug)]
pub(crate) struct Suspension {
    /// The environments from the innermost outwards to that of the clause that fills a table.
    pub(crate) frames: Box<[SuspendedFrame]>,
    /// The template of the call's answers, and the contents of the environment slots.
    pub(crate) terms: Frozen,
    pub(crate) cursor: u32,
}

/// An environment of a suspension.
#[derive(Debug)]
pub(crate) struct SuspendedFrame {
    /// Its continuation.
    pub(crate) pc: Pc,
    pub(crate) size: u32,
    pub(crate) live: Rc<Live>,
}

impl Tabled {
    /// Whether all arguments distinguish answers.
    pub(crate) fn is_plain(&self) -> bool {
        self.modes.iter().all(|mode| matches!(mode, TableMode::Index))
    }

    /// Number of moded arguments.
    pub(crate) fn n_moded(&self) -> usize {
        self.modes.iter().filter(|mode| !matches!(mode, TableMode::Index)).count()
    }

    /// The modes of the moded arguments.
    pub(crate) fn moded(&self) -> impl Iterator<Item = &TableMode> {
        self.modes.iter().filter(|mode| !matches!(mode, TableMode::Index))
    }
}

impl Tables {
    /// Adds a tabled predicate and returns its number.
    pub(crate) fn declare(&mut self, tabled: Rc<Tabled>) -> u32 {
        let known = self.declared.iter().position(|known| known.pred == tabled.pred);
        match known {
            Some(number) => self.declared[number] = tabled,
            None => self.declared.push(tabled),
        }
        known.unwrap_or(self.declared.len() - 1) as u32
    }

    /// The table of a variant.
    pub(crate) fn find(&self, key: &[u64]) -> Option<TableId> {
        self.by_key.get(key).copied()
    }

    pub(crate) fn table(&self, id: TableId) -> Option<&AnswerTable> {
        self.tables.get(id as usize)?.as_deref()
    }

    pub(crate) fn table_mut(&mut self, id: TableId) -> Option<&mut AnswerTable> {
        self.tables.get_mut(id as usize)?.as_deref_mut()
    }

    /// Creates the table of a variant, in a component of its own.
    pub(crate) fn open(&mut self, declared: Rc<Tabled>, key: Box<[u64]>) -> TableId {
        let id = self.tables.len() as TableId;
        self.by_key.insert(key.clone(), id);
        self.bytes += size_of::<AnswerTable>() + 16 * key.len() + 64;
        self.tables.push(Some(Box::new(AnswerTable {
            declared,
            key,
            is_complete: false,
            answers: AnswerSet::default(),
            suspensions: Vec::new(),
            taken: Vec::new(),
            turn: 0,
            is_queued: false,
        })));
        self.components.push(Component { leader: id, tables: vec![id], queue: VecDeque::new() });
        id
    }

    /// The component of an incomplete table.
    fn component_of(&self, id: TableId) -> usize {
        self.components.partition_point(|component| component.leader <= id) - 1
    }

    /// Merges all components from that of a table on, since they depend on each other.
    pub(crate) fn merge_down_to(&mut self, id: TableId) {
        let lowest = self.component_of(id);
        while self.components.len() > lowest + 1
            && let (Some(mut upper), Some(lower)) = (self.components.pop(), self.components.last_mut())
        {
            if upper.tables.len() > lower.tables.len() {
                std::mem::swap(&mut upper.tables, &mut lower.tables);
            }
            lower.tables.append(&mut upper.tables);
            lower.queue.append(&mut upper.queue);
        }
    }

    /// Adds the terms of a template as an answer of an incomplete table.
    ///
    /// Returns the number of the answer with the same index arguments if there is one and the modes have to decide.
    pub(crate) fn add(&mut self, store: &Store, id: TableId, template: Cell) -> Result<Option<usize>, Stop> {
        let Some(table) = self.table_mut(id) else { return Ok(None) };
        let before = table.answers.bytes();
        let split = table.answers.push_words(store, template, table.declared.n_moded())?;
        let added = table.answers.add(split);
        let after = table.answers.bytes();
        let known = match added {
            AddedAnswer::New => {
                self.announce(id);
                None
            }
            AddedAnswer::Known(known) => {
                table.answers.drop_words();
                (table.declared.n_moded() > 0).then_some(known)
            }
        };
        self.bytes += after - before;
        Ok(known)
    }

    /// Replaces answer `known`.
    pub(crate) fn supersede(&mut self, store: &Store, id: TableId, template: Cell, known: usize) -> Result<(), Stop> {
        let Some(table) = self.table_mut(id) else { return Ok(()) };
        let before = table.answers.bytes();
        let split = table.answers.push_words(store, template, table.declared.n_moded())?;
        table.answers.supersede(known, split);
        let after = table.answers.bytes();
        self.bytes += after - before;
        self.announce(id);
        Ok(())
    }

    /// The values of the moded arguments of an answer.
    pub(crate) fn moded_values(&self, store: &mut Store, id: TableId, number: usize) -> Vec<Cell> {
        self.table(id).map(|table| table.answers.rest(store, number)).unwrap_or_default()
    }

    /// Queues a table that has a new answer or suspension.
    fn announce(&mut self, id: TableId) {
        let Some(table) = self.table_mut(id) else { return };
        if table.is_queued || table.suspensions.is_empty() || table.answers.len() == 0 {
            return;
        }
        table.is_queued = true;
        let component = self.component_of(id);
        self.components[component].queue.push_back(id);
    }

    /// Adds a suspension to a table.
    pub(crate) fn suspend(&mut self, id: TableId, suspension: Suspension) {
        self.bytes += suspension.bytes();
        let Some(table) = self.table_mut(id) else { return };
        table.suspensions.push(Rc::new(suspension));
        table.taken.push(0);
        self.announce(id);
    }

    /// A suspension of the newest component with unseen answers.
    pub(crate) fn next_suspension(&mut self) -> Option<(TableId, usize)> {
        loop {
            let id = *self.components.last()?.queue.front()?;
            if let Some(turn) = self.table_mut(id).and_then(AnswerTable::next_turn) {
                return Some((id, turn));
            }
            self.components.last_mut()?.queue.pop_front();
            if let Some(table) = self.table_mut(id) {
                table.is_queued = false;
                table.turn = 0;
                let waits = table.taken.iter().any(|&taken| (taken as usize) < table.answers.len());
                if waits {
                    self.announce(id);
                }
            }
        }
    }

    /// Completes the tables of the newest component.
    pub(crate) fn complete(&mut self) {
        let Some(component) = self.components.pop() else { return };
        for id in component.tables {
            let Some(table) = self.table_mut(id) else { continue };
            let before = table.answers.bytes() + table.suspensions.iter().map(|s| s.bytes()).sum::<usize>();
            table.is_complete = true;
            table.suspensions = Vec::new();
            table.taken = Vec::new();
            table.answers.finish();
            let after = table.answers.bytes();
            self.bytes = (self.bytes + after).saturating_sub(before);
        }
    }

    /// Drops the tables of the component whose leader is `id` and of later ones: an exception has left their
    /// evaluation.
    pub(crate) fn abandon_from(&mut self, id: TableId) {
        while self.components.last().is_some_and(|component| component.leader >= id)
            && let Some(component) = self.components.pop()
        {
            component.tables.into_iter().for_each(|id| self.remove(id));
        }
    }

    fn remove(&mut self, id: TableId) {
        if let Some(table) = self.tables.get_mut(id as usize).and_then(Option::take) {
            if self.by_key.get(&table.key) == Some(&id) {
                self.by_key.remove(&table.key);
            }
            let suspended: usize = table.suspensions.iter().map(|s| s.bytes()).sum();
            let key = size_of::<AnswerTable>() + 16 * table.key.len() + 64;
            self.bytes = self.bytes.saturating_sub(table.answers.bytes() + suspended + key);
        }
    }

    /// Drops complete tables; those in `used` are only hidden from new calls.
    pub(crate) fn abolish(&mut self, used: &[TableId]) {
        for id in 0..self.tables.len() as TableId {
            let Some(table) = self.table(id) else { continue };
            if table.is_complete && !used.contains(&id) {
                self.remove(id);
            }
        }
        let tables = &self.tables;
        self.by_key.retain(|_, id| tables[*id as usize].as_ref().is_some_and(|table| !table.is_complete));
        if self.components.is_empty() && used.is_empty() {
            self.tables = Vec::new();
        }
    }

    /// Hides all tables from new calls of tabled predicates.
    pub(crate) fn outdate(&mut self) {
        self.abolish(&(0..self.tables.len() as TableId).collect::<Vec<_>>());
    }

    /// Ends all evaluations when the query ends, and drops tables that no call can find any more.
    pub(crate) fn end_query(&mut self) {
        self.abandon_from(0);
        self.failing = None;
        if self.by_key.len() < self.tables.len() {
            for id in 0..self.tables.len() as TableId {
                if self.table(id).is_some_and(|table| self.by_key.get(&table.key) != Some(&id)) {
                    self.remove(id);
                }
            }
        }
        if self.by_key.is_empty() {
            self.tables = Vec::new();
            self.bytes = 0;
        }
    }

    /// Bytes that the tables occupy.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes + self.tables.capacity() * size_of::<usize>()
    }
}

impl AnswerTable {
    /// The next suspension with unseen answers, in round-robin order.
    fn next_turn(&mut self) -> Option<usize> {
        let waits = |&taken: &u32| (taken as usize) < self.answers.len();
        let found = self.turn + self.taken[self.turn..].iter().position(waits)?;
        self.turn = found + 1;
        Some(found)
    }
}

impl Suspension {
    fn bytes(&self) -> usize {
        size_of::<Suspension>() + self.terms.bytes() + self.frames.len() * size_of::<SuspendedFrame>()
    }
}
