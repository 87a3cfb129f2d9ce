//! Mark-and-compact garbage collection of the part of the heap that is younger than the newest choice point.
//!
//! Older cells stay because backtracking frees them, so choice points and their saved arguments need not be scanned.
//! The roots are the registers of the current call, the live slots of the environments, and the older cells bound since
//! then, which are on the trail. Live cells slide down in order, because the standard order of variables is that of
//! their addresses.

use super::machine::{HEADER, Machine, OUTERMOST};
use crate::engine::code::{Pc, PredId};
use crate::engine::heap::{Cell, Mark, Store, Tag, Trailed};
use crate::engine::state::{CATCH_CODE, LEVEL_CODE, RESUME_CODE};
use crate::term::hash::NumberSet;

/// Cells built before the first collection: 2 MB, so that short goals never collect.
const FIRST_COLLECTION: usize = 1 << 18;

/// Young cells with which a collection may give back enough for its time.
const WORTHWHILE: usize = 1 << 14;

/// The live things among those with numbers from `floor` on.
struct Marked {
    floor: usize,
    words: Vec<u64>,
    /// The number of live things before each word of the bit set.
    before: Vec<usize>,
}

impl Marked {
    fn new(floor: usize, end: usize) -> Marked {
        Marked { floor, words: vec![0; (end - floor).div_ceil(64)], before: Vec::new() }
    }

    /// Marks a thing; returns whether it is young and was not marked before.
    fn add(&mut self, index: usize) -> bool {
        let Some(place) = index.checked_sub(self.floor) else { return false };
        let (word, bit) = (&mut self.words[place / 64], 1 << (place % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    fn has(&self, index: usize) -> bool {
        let place = index - self.floor;
        self.words[place / 64] & 1 << (place % 64) != 0
    }

    /// The live things in order.
    fn iter(&self) -> impl Iterator<Item = usize> {
        let rests = |word: u64| std::iter::successors(Some(word), |rest| Some(rest & rest.wrapping_sub(1)));
        let bits = move |word| rests(word).take_while(|&rest| rest != 0).map(u64::trailing_zeros);
        let places = move |(number, &word)| bits(word).map(move |bit| number * 64 + bit as usize);
        self.words.iter().enumerate().filter(|word| *word.1 != 0).flat_map(places).map(|place| self.floor + place)
    }

    /// Counts the live things, for [`Marked::place`].
    fn count(&mut self) {
        let mut sum = 0;
        self.before = Vec::with_capacity(self.words.len());
        for word in &self.words {
            self.before.push(sum);
            sum += word.count_ones() as usize;
        }
    }

    /// The new index of a live thing.
    fn place(&self, index: usize) -> usize {
        let Some(place) = index.checked_sub(self.floor) else { return index };
        let below = self.words[place / 64] & ((1 << (place % 64)) - 1);
        self.floor + self.before[place / 64] + below.count_ones() as usize
    }
}

struct GarbageCollection {
    cells: Marked,
    objects: Marked,
    waiting: Vec<Cell>,
}

impl GarbageCollection {
    fn new(store: &Store, since: Mark) -> GarbageCollection {
        GarbageCollection {
            cells: Marked::new(since.heap, store.heap.len()),
            objects: Marked::new(since.objects, store.objects.len()),
            waiting: Vec::new(),
        }
    }

    /// Marks everything reachable from a cell.
    fn mark(&mut self, store: &Store, cell: Cell) {
        self.waiting.push(cell);
        while let Some(cell) = self.waiting.pop() {
            self.visit(store, cell);
        }
    }

    fn visit(&mut self, store: &Store, cell: Cell) {
        let index = cell.index();
        match cell.tag() {
            Tag::Ref => {
                self.visit_cells(store, index, 1);
                if let Some(companions) = store.companions(index) {
                    companions.iter().for_each(|&companion| self.visit_cells(store, companion, 1));
                }
            }
            Tag::List => self.visit_cells(store, index, 2),
            Tag::Struct => {
                if self.cells.add(index) {
                    self.visit_cells(store, index + 1, store.heap[index].header_arity());
                }
            }
            Tag::Float => {
                self.cells.add(index);
                self.cells.add(index + 1);
            }
            Tag::Object => {
                self.objects.add(index);
            }
            Tag::Atom | Tag::Int | Tag::Header => {}
        }
    }

    fn visit_cells(&mut self, store: &Store, first: usize, n: usize) {
        for index in first..first + n {
            if self.cells.add(index) {
                self.waiting.push(store.heap[index]);
            }
        }
    }

    /// The cell with its reference relocated.
    fn moved(&self, cell: Cell) -> Cell {
        match cell.tag() {
            tag @ (Tag::Ref | Tag::List | Tag::Struct | Tag::Float) => {
                Cell::pack(tag, self.cells.place(cell.index()) as u64)
            }
            Tag::Object => Cell::pack(Tag::Object, self.objects.place(cell.index()) as u64),
            Tag::Atom | Tag::Int | Tag::Header => cell,
        }
    }

    /// Slides live cells and objects down.
    fn slide(&mut self, store: &mut Store) {
        self.cells.count();
        self.objects.count();
        let mut to = self.cells.floor;
        let mut is_raw = false;
        for from in self.cells.iter() {
            let cell = store.heap[from];
            store.heap[to] = if is_raw { cell } else { self.moved(cell) };
            is_raw = !is_raw && cell == Cell::RAW;
            to += 1;
        }
        store.heap.truncate(to);
        let (objects, mut index) = (&self.objects, 0);
        store.objects.retain(|_| {
            index += 1;
            index <= objects.floor || objects.has(index - 1)
        });
    }

    fn mark_trailed(&mut self, store: &Store, change: Trailed) {
        self.mark(store, store.heap[change.index]);
        if let Some(old) = change.old {
            self.mark(store, old);
        }
    }

    fn move_trailed(&self, store: &mut Store, change: Trailed) -> Trailed {
        store.heap[change.index] = self.moved(store.heap[change.index]);
        Trailed { index: change.index, old: change.old.map(|old| self.moved(old)) }
    }
}

impl Store {
    /// Drops trail entries that backtracking does not need: those of cells it frees, and all but the first of each
    /// cell.
    fn compact_trail(&mut self, since: Mark) {
        let mut seen = NumberSet::default();
        let mut kept = since.trail;
        for index in since.trail..self.trail.len() {
            let change = self.trail[index];
            if change.index < since.heap && seen.insert(change.index) {
                self.trail[kept] = change;
                kept += 1;
            }
        }
        self.trail.truncate(kept);
    }
}

impl Machine {
    /// Collects garbage if the heap has grown enough or memory is short; `called` is the predicate whose arguments are
    /// in the registers.
    pub(super) fn collect_garbage_if_due(&mut self, called: PredId) {
        let is_short = self.bytes() > self.world.store.watch.memory;
        if is_short || self.world.store.heap.len() > self.next_collection {
            self.collect_garbage(self.world.database.pred(called).arity, is_short);
        }
    }

    /// Sets the heap size at which the next collection runs.
    pub(super) fn reset_collection(&mut self) {
        self.next_collection = FIRST_COLLECTION;
    }

    /// Collects garbage. Unless memory is short, it waits for a poll at which enough of the heap is young: in a goal whose
    /// choice point is new there is next to nothing to give back.
    fn collect_garbage(&mut self, arity: usize, is_short: bool) {
        let since = self.choices.last().map_or(Mark::default(), |choice| choice.mark);
        let since = self.world.store.raised(since);
        if !is_short && self.world.store.heap.len().saturating_sub(since.heap) < WORTHWHILE {
            return;
        }
        if let Some(slots) = self.live_slots() {
            self.collect(since, arity, &slots);
        }
        let length = self.world.store.heap.len();
        self.next_collection = length + FIRST_COLLECTION.max(length - since.heap);
    }

    fn collect(&mut self, since: Mark, arity: usize, slots: &[usize]) {
        let store = &mut self.world.store;
        let mut collection = GarbageCollection::new(store, since);
        let global = self.world.globals.live_slots(store);
        store.compact_trail(since);
        for &cell in self.x[..arity].iter().chain(slots.iter().map(|&slot| &self.environments[slot])).chain(&global) {
            collection.mark(store, cell);
        }
        for change in store.trail[since.trail..].iter().copied() {
            collection.mark_trailed(store, change);
        }
        collection.slide(store);
        store.note_moved(|index| collection.cells.place(index));
        for cell in &mut self.x[..arity] {
            *cell = collection.moved(*cell);
        }
        for &slot in slots {
            self.environments[slot] = collection.moved(self.environments[slot]);
        }
        for index in since.trail..store.trail.len() {
            store.trail[index] = collection.move_trailed(store, store.trail[index]);
        }
        self.world.globals.move_slots(&global, |cell| collection.moved(cell));
    }

    /// The live slots of the waiting calls, as indexes into the environments; `None` if an environment does not belong
    /// to a clause.
    fn live_slots(&mut self) -> Option<Vec<usize>> {
        let mut slots = Vec::new();
        let (mut frame, mut continuation) = (self.environment, self.continuation);
        while frame != OUTERMOST {
            if continuation == RESUME_CODE {
                let interrupted = self.interrupted(frame)?;
                slots.extend(interrupted.slots);
                (frame, continuation) = interrupted.caller;
                continue;
            }
            if continuation != LEVEL_CODE && continuation != CATCH_CODE {
                let live = self.world.database.live_slots(continuation)?;
                slots.extend(live.iter().map(|&y| frame + HEADER + y as usize));
            }
            (frame, continuation) = self.caller_of(frame)?;
        }
        Some(slots)
    }

    /// The previous environment, and the return address of the clause.
    pub(super) fn caller_of(&self, frame: usize) -> Option<(usize, Pc)> {
        let &[before, continuation] = self.environments.get(frame..frame + 2)? else { return None };
        Some((before.0 as usize, continuation.0 as Pc))
    }
}
