//! The heap and trail of the machine: building terms, dereferencing, binding and undoing.

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::collections::TryReserveError;
use std::rc::Rc;

use super::cell::{Cell, Object, Tag};
use super::frozen::Frozen;
use super::near_misses::NearMiss;
use super::watch::Watch;
use crate::term::{Atom, Shape, View, atoms};

/// All terms of a running query.
///
/// Terms are cells of one vector; floats are raw words after a header; big integers and strings live in a separate
/// table. Heap and table shrink on backtracking.
#[derive(Debug, Default)]
pub(crate) struct Store {
    pub(crate) heap: Vec<Cell>,
    pub(crate) trail: Vec<Trailed>,
    pub(crate) objects: Vec<Object>,
    /// Cells below this index are older than the newest choice point, so binding them is trailed.
    pub(crate) barrier: usize,
    /// Terms built below this mark survive backtracking: changes that are never undone refer to them.
    floor: Mark,
    pub(crate) attributed: Attributed,
    pub(crate) pairs: Vec<(Cell, Cell)>,
    /// A buffer that copies reuse.
    pub(crate) scratch: Frozen,
    /// What unification does when it would bind a variable to a term that contains it.
    pub(crate) occurs_check: OccursCheck,
    /// The variable and the term that the occurs check rejected, kept until the failure is turned into an error.
    pub(crate) refused: Option<(Cell, Cell)>,
    /// Interrupts and limits, which may end a long predicate midway.
    pub(crate) watch: Watch,
    /// Whether a walk over a term was abandoned; see [`Store::check_walks`].
    pub(crate) gave_up: std::cell::Cell<bool>,
    /// The terms that the running query compared, that are written alike and differ in type.
    pub(super) near_misses: Vec<NearMiss>,
    /// Steps of long walks since the last poll.
    pub(crate) walked: std::cell::Cell<usize>,
}

/// What unification does when it would bind a variable to a term that contains it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum OccursCheck {
    /// Binds it: the term becomes cyclic.
    #[default]
    Off,
    /// Fails.
    On,
    /// Raises an error.
    Error,
}

/// A trail entry: the cell and its old content, unless that was an unbound variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trailed {
    pub(crate) index: usize,
    pub(crate) old: Option<Cell>,
}

/// Where the attributed variables of a store are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attributed {
    /// The index of the first one; `usize::MAX` if there is none.
    pub(super) first: usize,
    /// The end of the newest one: bindings below it are always trailed.
    pub(super) end: usize,
    /// Trail entries below this index have been checked.
    pub(super) checked: usize,
}

impl Default for Attributed {
    fn default() -> Attributed {
        Attributed { first: usize::MAX, end: 0, checked: 0 }
    }
}

/// A compound term on the heap, for [`Store::arg`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Compound {
    /// Name of the functor.
    pub(crate) name: Atom,
    /// Number of arguments.
    pub(crate) arity: usize,
    first: usize,
}

/// The top of a term after dereferencing.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Term<'a> {
    /// An unbound variable.
    Var(Cell),
    /// An atom.
    Atom(Atom),
    /// A 64-bit integer.
    Int(i64),
    /// An integer beyond 64 bits.
    BigInt(&'a BigInt),
    /// A float.
    Float(f64),
    /// A string object.
    Str(&'a str),
    /// A compound.
    Compound(Compound),
}

/// The sizes of the store at one moment, to backtrack to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mark {
    pub(crate) heap: usize,
    pub(crate) trail: usize,
    pub(crate) objects: usize,
}

impl Store {
    /// An empty store.
    pub(crate) fn new() -> Store {
        Store::default()
    }

    /// A fresh unbound variable.
    #[inline]
    pub(crate) fn new_var(&mut self) -> Cell {
        let cell = Cell::reference(self.heap.len());
        self.heap.push(cell);
        cell
    }

    /// An integer.
    #[inline]
    pub(crate) fn int(&mut self, value: i64) -> Cell {
        if (Cell::MIN_INT..=Cell::MAX_INT).contains(&value) {
            Cell::small_int(value)
        } else {
            self.object(Object::BigInt(Rc::new(value.into())))
        }
    }

    /// An integer of any size, in its smallest representation.
    pub(crate) fn bigint(&mut self, value: BigInt) -> Cell {
        match value.to_i64() {
            Some(small) => self.int(small),
            None => self.object(Object::BigInt(Rc::new(value))),
        }
    }

    /// A compound `name(_, ...)` of fresh variables.
    pub(crate) fn fresh_compound(&mut self, name: Atom, arity: usize) -> Cell {
        let args: Vec<Cell> = (0..arity).map(|_| self.new_var()).collect();
        self.compound(name, &args)
    }

    /// A float.
    pub(crate) fn float(&mut self, value: f64) -> Cell {
        let index = self.heap.len();
        let value = if value.is_nan() { f64::NAN } else { value };
        self.heap.push(Cell::RAW);
        self.heap.push(Cell(value.to_bits()));
        Cell::pack(Tag::Float, index as u64)
    }

    /// A string object.
    pub(crate) fn string(&mut self, text: &str) -> Cell {
        self.object(Object::Str(text.into()))
    }

    pub(crate) fn object(&mut self, object: Object) -> Cell {
        let index = self.objects.len();
        self.objects.push(object);
        Cell::pack(Tag::Object, index as u64)
    }

    /// `name(args...)`; `'.'/2` gives a list pair, and an empty `args` gives the atom.
    pub(crate) fn compound(&mut self, name: Atom, args: &[Cell]) -> Cell {
        match *args {
            [] => Cell::atom(name),
            [head, tail] if name == atoms::DOT => self.cons(head, tail),
            _ => {
                let index = self.heap.len();
                self.heap.push(Cell::header(name, args.len()));
                self.heap.extend_from_slice(args);
                Cell::pack(Tag::Struct, index as u64)
            }
        }
    }

    /// `name()`: a compound without arguments.
    pub(crate) fn empty_compound(&mut self, name: Atom) -> Cell {
        let index = self.heap.len();
        self.heap.push(Cell::header(name, 0));
        Cell::pack(Tag::Struct, index as u64)
    }

    /// `[head|tail]`.
    #[inline]
    pub(crate) fn cons(&mut self, head: Cell, tail: Cell) -> Cell {
        let index = self.heap.len();
        self.heap.push(head);
        self.heap.push(tail);
        Cell::pack(Tag::List, index as u64)
    }

    /// The list of `items`.
    pub(crate) fn list(&mut self, items: &[Cell]) -> Cell {
        self.list_with_tail(items, Cell::NIL)
    }

    /// The list of `items`, each of which must be a single word.
    pub(crate) fn list_of(&mut self, items: impl Iterator<Item = Cell>) -> Cell {
        let first = self.heap.len();
        for item in items {
            let tail = self.heap.len() as u64 + 2;
            self.heap.push(item);
            self.heap.push(Cell::pack(Tag::List, tail));
        }
        if self.heap.len() == first {
            return Cell::NIL;
        }
        let last = self.heap.len() - 1;
        self.heap[last] = Cell::NIL;
        Cell::pack(Tag::List, first as u64)
    }

    /// The list of `items` that ends in `tail`.
    pub(crate) fn list_with_tail(&mut self, items: &[Cell], tail: Cell) -> Cell {
        self.heap.reserve(2 * items.len());
        items.iter().rev().fold(tail, |rest, &item| self.cons(item, rest))
    }

    /// Follows references from `cell` to its value or to an unbound variable.
    #[inline(always)]
    pub(crate) fn deref(&self, mut cell: Cell) -> Cell {
        while cell.is_ref() {
            match self.heap.get(cell.index()) {
                Some(&next) if next != cell => cell = next,
                _ => break,
            }
        }
        cell
    }

    /// Whether a dereferenced cell is an integer that does not fit into a word.
    pub(crate) fn is_big_integer(&self, cell: Cell) -> bool {
        cell.tag() == Tag::Object && matches!(self.objects.get(cell.index()), Some(Object::BigInt(_)))
    }

    /// Whether binding a variable needs an occurs check.
    #[inline(always)]
    pub(crate) fn checks_occurs(&self) -> bool {
        self.occurs_check != OccursCheck::Off
    }

    /// The top of the term, dereferenced.
    pub(crate) fn look(&self, cell: Cell) -> Term<'_> {
        let cell = self.deref(cell);
        let index = cell.index();
        match cell.tag() {
            Tag::Ref => Term::Var(cell),
            Tag::Atom => Term::Atom(cell.atom_value()),
            Tag::Int => Term::Int(cell.int_value()),
            Tag::List => Term::Compound(Compound { name: atoms::DOT, arity: 2, first: index }),
            Tag::Struct => {
                let header = self.heap[index];
                Term::Compound(Compound { name: header.atom_value(), arity: header.header_arity(), first: index + 1 })
            }
            Tag::Float => Term::Float(f64::from_bits(self.heap[index + 1].0)),
            Tag::Object => match &self.objects[index] {
                Object::Str(text) => Term::Str(text),
                Object::BigInt(value) => value.to_i64().map_or(Term::BigInt(value), Term::Int),
            },
            Tag::Header => unreachable!("a header is never the value of a term"),
        }
    }

    /// Argument `index` (from 0) of a compound.
    #[inline]
    pub(crate) fn arg(&self, compound: Compound, index: usize) -> Cell {
        debug_assert!(index < compound.arity);
        self.heap[compound.first + index]
    }

    /// The arguments of a compound.
    pub(crate) fn args(&self, compound: Compound) -> &[Cell] {
        &self.heap[compound.first..compound.first + compound.arity]
    }

    /// The arguments of a term; an atom and any other constant has none.
    pub(crate) fn arguments(&self, cell: Cell) -> &[Cell] {
        match self.look(cell) {
            Term::Compound(compound) => self.args(compound),
            _ => &[],
        }
    }

    /// Name and arity of an atom or a compound.
    pub(crate) fn functor(&self, cell: Cell) -> Option<(Atom, usize)> {
        match self.look(cell) {
            Term::Atom(name) => Some((name, 0)),
            Term::Compound(compound) => Some((compound.name, compound.arity)),
            _ => None,
        }
    }

    /// Binds the unbound variable `variable`, and trails the binding where backtracking must undo it.
    #[inline(always)]
    pub(crate) fn bind(&mut self, variable: Cell, value: Cell) {
        let index = variable.index();
        self.heap[index] = value;
        if index < self.barrier {
            self.trail.push(Trailed { index, old: None });
        }
    }

    /// Like [`Store::bind`], but returns `false` and changes nothing if the trail would have to grow.
    #[inline(always)]
    pub(crate) fn try_bind(&mut self, variable: Cell, value: Cell) -> bool {
        let index = variable.index();
        if index < self.barrier {
            if self.trail.len() == self.trail.capacity() {
                return false;
            }
            self.trail.push(Trailed { index, old: None });
        }
        if let Some(cell) = self.heap.get_mut(index) {
            *cell = value;
        }
        true
    }

    /// Whether one more cell fits without growing the heap.
    #[inline(always)]
    pub(crate) fn has_room(&self) -> bool {
        self.heap.len() != self.heap.capacity()
    }

    /// Appends a cell if it fits without growing the heap; otherwise does nothing.
    #[inline(always)]
    pub(crate) fn push_one(&mut self, cell: Cell) {
        if self.has_room() {
            self.heap.push(cell);
        }
    }

    /// Appends two cells, or returns `false` and changes nothing if the heap would have to grow.
    #[inline(always)]
    pub(crate) fn push_two(&mut self, [first, second]: [Cell; 2]) -> bool {
        if self.heap.len() == self.heap.capacity() || self.heap.len() + 1 == self.heap.capacity() {
            return false;
        }
        self.heap.push(first);
        self.heap.push(second);
        true
    }

    /// The cells at `index` and `index + 1`.
    #[inline(always)]
    pub(crate) fn pair(&self, index: usize) -> Option<[Cell; 2]> {
        let second = *self.heap.get(index + 1)?;
        Some([*self.heap.get(index)?, second])
    }

    /// Appends a fresh unbound variable, if it fits without growing the heap.
    #[inline(always)]
    pub(crate) fn push_var(&mut self) -> Cell {
        let cell = Cell::reference(self.heap.len());
        self.push_one(cell);
        cell
    }

    /// Overwrites argument `index` of a compound; backtracking restores the old value.
    pub(crate) fn replace_arg(&mut self, compound: Compound, index: usize, value: Cell) {
        let index = compound.first + index;
        self.trail.push(Trailed { index, old: Some(self.heap[index]) });
        self.heap[index] = value;
    }

    /// Overwrites argument `index` of a compound with a copy of `value`; backtracking restores neither.
    pub(crate) fn replace_arg_for_good(&mut self, compound: Compound, index: usize, value: Cell) {
        let value = self.copy(value);
        self.heap[compound.first + index] = value;
        if !value.is_constant() {
            self.floor = Mark { trail: 0, ..self.mark() };
            self.barrier = self.floor.heap;
        }
    }

    /// Cells below this index are older than a choice point with this mark, or survive backtracking to it.
    #[inline(always)]
    pub(crate) fn barrier_at(&self, mark: Mark) -> usize {
        mark.heap.max(self.floor.heap)
    }

    /// The later of `mark` and the floor below which everything survives.
    pub(crate) fn raised(&self, mark: Mark) -> Mark {
        Mark { heap: self.barrier_at(mark), objects: mark.objects.max(self.floor.objects), ..mark }
    }

    /// The present sizes, for `undo_to`.
    pub(crate) fn mark(&self) -> Mark {
        Mark { heap: self.heap.len(), trail: self.trail.len(), objects: self.objects.len() }
    }

    /// Undoes every trailed binding made since `mark`, and drops the terms built since.
    #[inline(always)]
    pub(crate) fn undo_to(&mut self, mark: Mark) {
        if self.trail.len() > mark.trail {
            self.unwind_trail(mark.trail);
        }
        self.heap.truncate(self.barrier_at(mark));
        if self.objects.len() > mark.objects {
            self.drop_objects(mark.objects.max(self.floor.objects));
        }
    }

    #[inline(never)]
    fn drop_objects(&mut self, length: usize) {
        self.objects.truncate(length);
    }

    /// Undoes the trail entries above `length`, newest first.
    #[inline(never)]
    pub(crate) fn unwind_trail(&mut self, length: usize) {
        self.note_cut_trail(length);
        while self.trail.len() > length {
            let Some(Trailed { index, old }) = self.trail.pop() else { return };
            self.heap[index] = old.unwrap_or(Cell::reference(index));
        }
    }

    /// Reserves capacity for `n` more cells and `n` more trail entries.
    pub(crate) fn reserve(&mut self, n: usize) -> Result<(), TryReserveError> {
        self.heap.try_reserve(n)?;
        self.trail.try_reserve(n)
    }

    /// Releases capacity that is far beyond what the terms need and beyond `spacious` entries.
    pub(crate) fn give_back(&mut self, spacious: usize) {
        self.heap.shrink_to(spacious.max(2 * self.heap.len()));
        self.trail.shrink_to(spacious.max(2 * self.trail.len()));
        self.objects.shrink_to(spacious.max(2 * self.objects.len()));
        self.pairs.shrink_to(spacious);
    }

    /// Drops all terms.
    pub(crate) fn reset(&mut self) {
        self.floor = Mark::default();
        self.undo_to(Mark::default());
        self.attributed = Attributed::default();
        self.barrier = 0;
        self.gave_up.set(false);
    }

    /// Bytes that the terms occupy.
    pub(crate) fn bytes(&self) -> usize {
        self.heap.len() * size_of::<Cell>()
            + self.trail.len() * size_of::<Trailed>()
            + self.objects.len() * size_of::<Object>()
    }
}

impl View for Store {
    type Handle = Cell;

    fn shape(&self, cell: Cell) -> Shape<'_> {
        match self.look(cell) {
            Term::Var(cell) => Shape::Var(cell.index() as u64),
            Term::Atom(name) => Shape::Atom(name),
            Term::Int(value) => Shape::Int(value),
            Term::BigInt(value) => Shape::BigInt(value),
            Term::Float(value) => Shape::Float(value),
            Term::Str(text) => Shape::Str(text),
            Term::Compound(compound) => Shape::Compound(compound.name, compound.arity),
        }
    }

    fn arg(&self, cell: Cell, index: usize) -> Cell {
        match self.look(cell) {
            Term::Compound(compound) => Store::arg(self, compound, index),
            _ => unreachable!("only a compound has arguments"),
        }
    }
}
