//! Tables: the answers of tabled predicates, one table for each variant of a call. How they are filled is in `tabling`.

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::cell::Cell;
use super::copy::Frozen;
use super::instr::{Pc, PredId};
use super::live::Live;
use super::store::{Store, Term};
use super::variant::{self, Numbering};

/// The number of a table.
pub(super) type TableId = u32;

/// All tables, and the evaluations in progress.
#[derive(Debug, Default)]
pub struct Tables {
    pub(super) declared: Vec<Rc<Tabled>>,
    by_key: FxHashMap<Box<[u64]>, TableId>,
    tables: Vec<Option<Box<Table>>>,
    /// Groups of tables that wait for each other, the newest last.
    pub(super) components: Vec<Component>,
    /// The leader of an evaluation that a ball is leaving, up to where nothing may catch it.
    pub(super) failing: Option<TableId>,
    bytes: usize,
}

/// A tabled predicate.
#[derive(Debug)]
pub(super) struct Tabled {
    /// The predicate, whose clauses fill the tables.
    pub(super) pred: PredId,
    /// What is done with each argument.
    pub(super) modes: Box<[Mode]>,
}

/// What a table does with an argument of its predicate.
#[derive(Clone, Debug)]
pub enum Mode {
    /// It tells answers apart.
    Index,
    /// The least in the standard order is kept.
    Min,
    /// The greatest in the standard order is kept.
    Max,
    /// The first is kept.
    First,
    /// The last is kept.
    Last,
    /// The values are added up.
    Sum,
    /// A goal says what is kept: `po(Goal)` or `lattice(Goal)`.
    Goal(Rc<Frozen>),
}

/// Tables that may need each other's answers: they are complete together.
#[derive(Debug)]
pub(super) struct Component {
    /// The oldest table; its call completes them.
    pub(super) leader: TableId,
    pub(super) tables: Vec<TableId>,
    /// Tables that have answers for calls that wait for them.
    pub(super) queue: VecDeque<TableId>,
}

/// The answers of a variant of a call.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) declared: Rc<Tabled>,
    key: Box<[u64]>,
    pub(super) is_complete: bool,
    pub(super) answers: Answers,
    pub(super) suspensions: Vec<Rc<Suspension>>,
    /// How many answers each suspension has got.
    pub(super) taken: Vec<u32>,
    /// The suspension whose turn it is.
    turn: usize,
    is_queued: bool,
}

/// A call that waits for answers of a table: what is to be done with each of them.
#[derive(Debug)]
pub(super) struct Suspension {
    /// The environments from the innermost outwards to that of the clause that fills a table.
    pub(super) frames: Box<[SuspendedFrame]>,
    /// The template of the call's answers, and what stands in the frames' slots.
    pub(super) terms: Frozen,
    pub(super) cursor: u32,
}

/// An environment of a suspension.
#[derive(Debug)]
pub(super) struct SuspendedFrame {
    /// Where it goes on.
    pub(super) pc: Pc,
    pub(super) size: u32,
    pub(super) live: Rc<Live>,
}

/// A set of answers in the order in which they were found; each is the words of the terms of a template.
#[derive(Debug, Default)]
pub(super) struct Answers {
    words: Vec<u64>,
    entries: Vec<Entry>,
    /// Numbers of entries plus 1, by hash of what tells them apart; 0 is free.
    index: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    start: usize,
    /// Where the words end that tell answers apart.
    split: usize,
    end: usize,
    /// Of the words up to `split`.
    hash: u32,
    /// Whether a better one has taken its place.
    is_superseded: bool,
}

/// What came of adding an answer.
pub(super) enum Added {
    /// It is new.
    New,
    /// An answer with the same index arguments is there.
    Known(usize),
}

/// Every bit of every word counts for every bit: answers are often small integers in all combinations.
fn hash(words: &[u64]) -> u32 {
    let mixed = words.iter().fold(0_u64, |hash, word| {
        let mixed = (hash.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed ^ (mixed >> 32)
    });
    (mixed.wrapping_mul(0xFF51_AFD7_ED55_8CCD) >> 32) as u32
}

impl Answers {
    /// Number of answers, the superseded ones included.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether an answer still counts.
    pub(super) fn counts(&self, number: usize) -> bool {
        !self.entries[number].is_superseded
    }

    fn bytes(&self) -> usize {
        self.words.capacity() * 8 + self.entries.capacity() * size_of::<Entry>() + self.index.capacity() * 4
    }

    fn split_words(&self, number: usize) -> &[u64] {
        let entry = self.entries[number];
        &self.words[entry.start..entry.split]
    }

    /// Adds the words behind the last answer as an answer, of which those up to `split` tell it apart; if one with the
    /// same is known, the words stay for [`Answers::supersede`] or [`Answers::drop_words`].
    fn add(&mut self, split: usize) -> Added {
        if self.index.len() < 2 * (self.entries.len() + 1) {
            self.grow();
        }
        let start = self.start_of_new();
        let mask = self.index.len() - 1;
        let hash = hash(&self.words[start..split]);
        let mut place = hash as usize & mask;
        while self.index[place] != 0 {
            let known = self.index[place] as usize - 1;
            if self.entries[known].hash == hash && self.split_words(known) == &self.words[start..split] {
                return Added::Known(known);
            }
            place = (place + 1) & mask;
        }
        self.index[place] = self.entries.len() as u32 + 1;
        self.push(split, hash);
        Added::New
    }

    fn push(&mut self, split: usize, hash: u32) {
        let entry = Entry { start: self.start_of_new(), split, end: self.words.len(), hash, is_superseded: false };
        self.entries.push(entry);
    }

    fn start_of_new(&self) -> usize {
        self.entries.last().map_or(0, |entry| entry.end)
    }

    fn drop_words(&mut self) {
        self.words.truncate(self.start_of_new());
    }

    /// The words behind the last answer take the place of those of answer `known`.
    fn supersede(&mut self, known: usize, split: usize) {
        let mask = self.index.len() - 1;
        let hash = self.entries[known].hash;
        let mut place = hash as usize & mask;
        while self.index[place] as usize != known + 1 {
            place = (place + 1) & mask;
        }
        self.index[place] = self.entries.len() as u32 + 1;
        self.entries[known].is_superseded = true;
        self.push(split, hash);
    }

    fn grow(&mut self) {
        let size = (4 * self.entries.len()).max(8).next_power_of_two();
        self.index = vec![0; size];
        for number in 0..self.entries.len() {
            if self.counts(number) {
                let mut place = self.entries[number].hash as usize & (size - 1);
                while self.index[place] != 0 {
                    place = (place + 1) & (size - 1);
                }
                self.index[place] = number as u32 + 1;
            }
        }
    }

    /// Unifies the terms of a template with an answer.
    pub(super) fn unify(&self, store: &mut Store, number: usize, template: Cell) -> bool {
        let Term::Compound(compound) = store.look(template) else { return true };
        let entry = self.entries[number];
        let words = &self.words[entry.start..entry.end];
        let (mut place, mut variables) = (0, Vec::new());
        (0..compound.arity).all(|i| {
            if place == entry.split - entry.start {
                variables.clear();
            }
            let value = variant::decode(store, words, &mut place, &mut variables);
            let argument = store.arg(compound, i);
            store.unify(argument, value)
        })
    }

    /// The terms of an answer behind those that tell it apart.
    fn rest(&self, store: &mut Store, number: usize) -> Vec<Cell> {
        let entry = self.entries[number];
        let words = &self.words[entry.split..entry.end];
        let (mut place, mut variables, mut found) = (0, Vec::new(), Vec::new());
        while place < words.len() {
            found.push(variant::decode(store, words, &mut place, &mut variables));
        }
        found
    }

    /// Gives back what is only needed while answers are added.
    fn finish(&mut self) {
        if self.entries.iter().any(|entry| entry.is_superseded) {
            self.entries.retain(|entry| !entry.is_superseded);
        }
        self.index = Vec::new();
        self.words.shrink_to_fit();
        self.entries.shrink_to_fit();
    }
}

impl Tabled {
    /// Whether all arguments tell answers apart.
    pub(super) fn is_plain(&self) -> bool {
        self.modes.iter().all(|mode| matches!(mode, Mode::Index))
    }

    /// Number of arguments that do not.
    pub(super) fn n_moded(&self) -> usize {
        self.modes.iter().filter(|mode| !matches!(mode, Mode::Index)).count()
    }

    /// What is done with those that do not.
    pub(super) fn moded(&self) -> impl Iterator<Item = &Mode> {
        self.modes.iter().filter(|mode| !matches!(mode, Mode::Index))
    }
}

impl Tables {
    /// Enters a tabled predicate, and gives its number among them.
    pub(super) fn declare(&mut self, tabled: Rc<Tabled>) -> u32 {
        let known = self.declared.iter().position(|known| known.pred == tabled.pred);
        match known {
            Some(number) => self.declared[number] = tabled,
            None => self.declared.push(tabled),
        }
        known.unwrap_or(self.declared.len() - 1) as u32
    }

    /// The table of a variant.
    pub(super) fn find(&self, key: &[u64]) -> Option<TableId> {
        self.by_key.get(key).copied()
    }

    pub(super) fn table(&self, id: TableId) -> Option<&Table> {
        self.tables.get(id as usize)?.as_deref()
    }

    pub(super) fn table_mut(&mut self, id: TableId) -> Option<&mut Table> {
        self.tables.get_mut(id as usize)?.as_deref_mut()
    }

    /// Makes the table of a variant, with a component of its own.
    pub(super) fn open(&mut self, declared: Rc<Tabled>, key: Box<[u64]>) -> TableId {
        let id = self.tables.len() as TableId;
        self.by_key.insert(key.clone(), id);
        self.bytes += size_of::<Table>() + 16 * key.len() + 64;
        self.tables.push(Some(Box::new(Table {
            declared,
            key,
            is_complete: false,
            answers: Answers::default(),
            suspensions: Vec::new(),
            taken: Vec::new(),
            turn: 0,
            is_queued: false,
        })));
        self.components.push(Component { leader: id, tables: vec![id], queue: VecDeque::new() });
        id
    }

    /// The component of a table that is being filled.
    fn component_of(&self, id: TableId) -> usize {
        self.components.partition_point(|component| component.leader <= id) - 1
    }

    /// Joins the components from that of a table on: they wait for each other.
    pub(super) fn merge_down_to(&mut self, id: TableId) {
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

    /// Adds the terms of a template as an answer of a table that is being filled.
    ///
    /// Gives the number of the answer with the same index arguments if there is one and the modes must decide; `None` in
    /// the option if the template is cyclic.
    pub(super) fn add(&mut self, store: &Store, id: TableId, template: Cell) -> Option<Option<usize>> {
        let Some(table) = self.table_mut(id) else { return Some(None) };
        let before = table.answers.bytes();
        let split = table.push_words(store, template)?;
        let added = table.answers.add(split);
        let after = table.answers.bytes();
        let known = match added {
            Added::New => {
                self.announce(id);
                None
            }
            Added::Known(known) => {
                table.answers.drop_words();
                (table.declared.n_moded() > 0).then_some(known)
            }
        };
        self.bytes += after - before;
        Some(known)
    }

    /// Puts an answer in the place of answer `known`; `None` if it is cyclic.
    pub(super) fn supersede(&mut self, store: &Store, id: TableId, template: Cell, known: usize) -> Option<()> {
        let table = self.table_mut(id)?;
        let before = table.answers.bytes();
        let split = table.push_words(store, template)?;
        table.answers.supersede(known, split);
        let after = table.answers.bytes();
        self.bytes += after - before;
        self.announce(id);
        Some(())
    }

    /// The values of the arguments with modes of an answer.
    pub(super) fn moded_values(&self, store: &mut Store, id: TableId, number: usize) -> Vec<Cell> {
        self.table(id).map(|table| table.answers.rest(store, number)).unwrap_or_default()
    }

    /// The table has an answer or a suspension more: it is looked at when its component is completed.
    fn announce(&mut self, id: TableId) {
        let Some(table) = self.table_mut(id) else { return };
        if table.is_queued || table.suspensions.is_empty() || table.answers.len() == 0 {
            return;
        }
        table.is_queued = true;
        let component = self.component_of(id);
        self.components[component].queue.push_back(id);
    }

    /// Lets a call wait for the answers of a table.
    pub(super) fn suspend(&mut self, id: TableId, suspension: Suspension) {
        self.bytes += suspension.bytes();
        let Some(table) = self.table_mut(id) else { return };
        table.suspensions.push(Rc::new(suspension));
        table.taken.push(0);
        self.announce(id);
    }

    /// A suspension of the newest component for which there are answers.
    pub(super) fn next_suspension(&mut self) -> Option<(TableId, usize)> {
        loop {
            let id = *self.components.last()?.queue.front()?;
            if let Some(turn) = self.table_mut(id).and_then(Table::next_turn) {
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

    /// The tables of the newest component have all their answers.
    pub(super) fn complete(&mut self) {
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

    /// Forgets the tables of the component whose leader is `id` and of those in it: a ball has left their evaluation.
    pub(super) fn abandon_from(&mut self, id: TableId) {
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
            let key = size_of::<Table>() + 16 * table.key.len() + 64;
            self.bytes = self.bytes.saturating_sub(table.answers.bytes() + suspended + key);
        }
    }

    /// Forgets complete tables but those in `used`, which are only forgotten for new calls.
    pub(super) fn abolish(&mut self, used: &[TableId]) {
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

    /// New calls of tabled predicates do not find what is in the tables.
    pub fn outdate(&mut self) {
        self.abolish(&(0..self.tables.len() as TableId).collect::<Vec<_>>());
    }

    /// Ends every evaluation, and forgets tables that no call can find any more: the query has ended.
    pub(super) fn end_query(&mut self) {
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

    /// Bytes that tables take.
    pub fn bytes(&self) -> usize {
        self.bytes + self.tables.capacity() * size_of::<usize>()
    }
}

impl Table {
    /// Writes the words of the terms of a template behind the last answer, and gives where those end that tell it apart.
    fn push_words(&mut self, store: &Store, template: Cell) -> Option<usize> {
        let n_moded = self.declared.n_moded();
        let words = &mut self.answers.words;
        let mut split = words.len();
        let Term::Compound(compound) = store.look(template) else { return Some(split) };
        let mut numbering = Numbering::default();
        let n_index = compound.arity - n_moded;
        for i in 0..compound.arity {
            if i == n_index {
                numbering = Numbering::default();
            }
            if variant::encode(store, store.arg(compound, i), words, &mut numbering).is_none() {
                self.answers.drop_words();
                return None;
            }
            if i + 1 == n_index {
                split = words.len();
            }
        }
        Some(split)
    }

    /// The next suspension, from that whose turn it is on, that has not got all answers.
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
