//! Terms in and out of the heap: trees, and frozen copies that survive backtracking.

use std::hash::Hash;

use num_bigint::BigInt;
use rustc_hash::FxHashMap;

use super::cell::{Cell, Tag};
use super::store::{Compound, Object, Store, Term, Trailed};
use super::unify::{SAMPLE, SUSPICIOUS, Visits};
use crate::term::{Atom, Node, NodeId, Span, Tree, atoms};

/// A term copied off the heap: its references are relative to the start of the copy.
#[derive(Clone, Debug, Default)]
pub struct Frozen {
    pub(crate) cells: Vec<Cell>,
    pub(crate) objects: Vec<Object>,
    root: Option<Cell>,
    pub(crate) has_variables: bool,
    is_suspicious: bool,
}

/// Where a frozen term was put on the heap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thawed {
    base: usize,
    objects: usize,
}

/// The elements of a list, and how it ends.
#[derive(Clone, Debug)]
pub struct ListWalk {
    /// The elements.
    pub items: Vec<Cell>,
    /// What follows the last element.
    pub end: ListEnd,
}

/// What follows the last element of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListEnd {
    /// `[]`: a proper list.
    Nil,
    /// An unbound variable.
    Partial(Cell),
    /// Something else.
    Improper(Cell),
    /// Nothing: the list is cyclic.
    Cyclic,
}

impl Store {
    /// The elements of a list and its end; terminates on cyclic lists too.
    pub fn walk_list(&self, list: Cell) -> ListWalk {
        let walk = self.walk_pairs(list);
        self.note_walk(walk.items.len());
        walk
    }

    #[inline]
    fn walk_pairs(&self, list: Cell) -> ListWalk {
        let (mut cell, mut tortoise, mut lap) = (self.deref(list), None, 1usize);
        let mut items = Vec::with_capacity(if cell.tag() == Tag::List { 16 } else { 0 });
        loop {
            match cell.tag() {
                Tag::List => items.push(self.heap[cell.index()]),
                Tag::Ref => return ListWalk { items, end: ListEnd::Partial(cell) },
                _ if cell == Cell::NIL => return ListWalk { items, end: ListEnd::Nil },
                _ => return ListWalk { items, end: ListEnd::Improper(cell) },
            }
            if tortoise == Some(cell) {
                return ListWalk { items, end: ListEnd::Cyclic };
            }
            if self.gives_up_at(items.len()) {
                return ListWalk { items, end: ListEnd::Improper(cell) };
            }
            if items.len() == lap {
                (tortoise, lap) = (Some(cell), lap * 2);
            }
            cell = self.deref(self.heap[cell.index() + 1]);
        }
    }

    /// Builds `tree` on the heap; also returns the cells of its variables by number.
    pub fn load(&mut self, tree: &Tree) -> (Cell, Vec<Cell>) {
        let mut variables = Vec::new();
        let mut built: Vec<Option<Cell>> = vec![None; tree.len()];
        let mut rest = vec![tree.root()];
        while let Some(&id) = rest.last() {
            if built[id as usize].is_some() {
                rest.pop();
                continue;
            }
            let waiting = rest.len();
            rest.extend(tree.args(id).iter().copied().filter(|&arg| built[arg as usize].is_none()));
            if rest.len() == waiting {
                rest.pop();
                built[id as usize] = Some(self.load_node(tree, id, &built, &mut variables));
            }
        }
        let root = built[tree.root() as usize].expect("the loop ends when the root is built");
        (root, variables.into_iter().map(|cell| cell.unwrap_or(Cell::NIL)).collect())
    }

    fn load_node(
        &mut self,
        tree: &Tree,
        id: NodeId,
        built: &[Option<Cell>],
        variables: &mut Vec<Option<Cell>>,
    ) -> Cell {
        match tree.node(id) {
            Node::Var(number) => {
                let number = *number as usize;
                if variables.len() <= number {
                    variables.resize(number + 1, None);
                }
                *variables[number].get_or_insert_with(|| self.new_var())
            }
            Node::Atom(name) => Cell::atom(*name),
            Node::Int(value) => self.int(*value),
            Node::BigInt(value) => self.bigint(value.clone()),
            Node::Float(value) => self.float(*value),
            Node::Str(text) => self.string(text),
            Node::Compound { functor, arity: 0, .. } => self.empty_compound(*functor),
            Node::Compound { functor, .. } => {
                let args: Vec<Cell> = tree
                    .args(id)
                    .iter()
                    .map(|&arg| built[arg as usize].expect("arguments are built before their compound"))
                    .collect();
                self.compound(*functor, &args)
            }
        }
    }

    /// Copies a term off the heap into a tree; variables are numbered from 0 in order of first occurrence from the
    /// left.
    pub fn save(&self, term: Cell) -> Tree {
        self.save_with_variables(term).0
    }

    /// Like [`Store::save`], with the variables by number; a cyclic term is cut where it reaches itself again.
    pub fn save_with_variables(&self, term: Cell) -> (Tree, Vec<Cell>) {
        let saver = self.saved(term);
        (saver.tree, saver.variables)
    }

    /// The tree of a term, or `None` if the term is cyclic.
    pub fn save_acyclic(&self, term: Cell) -> Option<Tree> {
        let saver = self.saved(term);
        saver.path.is_none().then_some(saver.tree)
    }

    fn saved(&self, term: Cell) -> Saver {
        let mut saver = Saver::default();
        let mut rest = vec![Work::Visit(term)];
        let (mut steps, suspicious) = (0, 2 * self.suspicious());
        while let Some(work) = rest.pop() {
            match work {
                Work::Visit(cell) => saver.visit(self, cell, &mut rest),
                Work::Close(compound) => saver.close(compound),
            }
            steps += 1;
            if self.gives_up_at(steps) {
                return Saver::abandoned();
            }
            if steps == suspicious {
                saver.closed.sample = SAMPLE;
                if !self.is_acyclic(term) {
                    saver = Saver::of_cyclic();
                    rest = vec![Work::Visit(term)];
                }
            }
        }
        saver
    }

    /// A copy of the term that survives backtracking; the copy of a cyclic term is cyclic.
    pub fn freeze(&mut self, term: Cell) -> Frozen {
        let mut frozen = Frozen::default();
        self.freeze_into(term, &mut frozen);
        frozen
    }

    /// Like [`Store::freeze`], but reuses the memory of another copy.
    pub(crate) fn freeze_into(&mut self, term: Cell, frozen: &mut Frozen) {
        frozen.clear();
        frozen.root = Some(self.freeze_onto(term, frozen));
    }

    /// A copy of the term without spare capacity, or `None` if it needs `most` cells or more.
    pub(crate) fn freeze_below(&mut self, most: usize, term: Cell) -> Option<Frozen> {
        let mut room = std::mem::take(&mut self.scratch);
        room.clear();
        let root = self.copy_below(most, term, &mut room, Copies::default());
        let frozen = root.map(|root| Frozen {
            cells: room.cells.as_slice().into(),
            objects: std::mem::take(&mut room.objects),
            root: Some(root),
            ..room
        });
        self.scratch = Frozen { cells: room.cells, ..Frozen::default() };
        frozen
    }

    /// Appends a copy of the term to a frozen one and returns the root of the copy.
    pub(crate) fn freeze_onto(&mut self, term: Cell, frozen: &mut Frozen) -> Cell {
        let (cells, objects) = (frozen.cells.len(), frozen.objects.len());
        self.copy_below(cells + self.suspicious(), term, frozen, Copies::default()).unwrap_or_else(|| {
            frozen.cells.truncate(cells);
            frozen.objects.truncate(objects);
            frozen.is_suspicious = true;
            let sample = if self.is_acyclic(term) { SAMPLE } else { 1 };
            let copies = Copies { sample, ..Copies::default() };
            self.copy_below(usize::MAX, term, frozen, copies).expect("no term has so many cells")
        })
    }

    /// Like [`Store::freeze_onto`], but gives up beyond `most` cells; the caller then drops the partial copy.
    fn copy_below(&mut self, most: usize, term: Cell, frozen: &mut Frozen, mut copies: Copies) -> Option<Cell> {
        let (undo, start, objects) = (self.trail.len(), frozen.cells.len(), frozen.objects.len());
        let root = self.freeze_cell(term, frozen);
        let (mut scan, mut has_given_up) = (start, false);
        while scan < frozen.cells.len() && scan < most && !has_given_up {
            let end = most.min(scan.saturating_add(BLOCK));
            while scan < frozen.cells.len() && scan < end {
                scan = self.freeze_scan(scan, frozen, &mut copies);
            }
            has_given_up = scan >= start + BLOCK && self.gives_up();
        }
        self.unwind_trail(undo);
        self.note_walk(scan - start);
        if has_given_up {
            frozen.cells.truncate(start);
            frozen.objects.truncate(objects);
            return Some(Cell::NIL);
        }
        (scan < most).then_some(root)
    }

    /// Copies what the cell at `scan` refers to and returns the next cell to scan (Cheney's algorithm).
    ///
    /// For a large term a sample of the compounds copied is remembered, so that shared parts do not make the copy grow
    /// without bound; for a cyclic term all are.
    #[inline]
    fn freeze_scan(&mut self, scan: usize, frozen: &mut Frozen, copies: &mut Copies) -> usize {
        let cell = frozen.cells[scan];
        if cell == Cell::RAW {
            return scan + 2;
        }
        // A cell copied verbatim still refers to the heap; the mark distinguishes it from a finished one.
        if let Some(source) = frozen.pending(scan) {
            let source = self.deref(source);
            let is_compound = matches!(source.tag(), Tag::List | Tag::Struct);
            frozen.cells[scan] = match is_compound.then(|| copies.known.get(&source)).flatten() {
                Some(&copy) => copy,
                None => {
                    let copy = self.freeze_cell(source, frozen);
                    if is_compound {
                        copies.note(source, copy);
                    }
                    copy
                }
            };
        }
        scan + 1
    }

    /// The frozen form of a heap cell; the arguments of a compound are appended verbatim, to be scanned later.
    fn freeze_cell(&mut self, cell: Cell, frozen: &mut Frozen) -> Cell {
        let cell = self.deref(cell);
        let index = cell.index();
        let start = frozen.cells.len();
        match cell.tag() {
            Tag::Atom | Tag::Int => cell,
            Tag::Header => Cell::reference(forwarded(cell)),
            Tag::Ref => {
                frozen.has_variables = true;
                frozen.cells.push(Cell::reference(start));
                self.trail.push(Trailed { index, old: Some(self.heap[index]) });
                self.heap[index] = forward_to(start);
                Cell::reference(start)
            }
            Tag::List => {
                let parts = [self.heap[index], self.heap[index + 1]].map(|part| self.mark_pending(part));
                frozen.cells.extend(parts);
                Cell::pack(Tag::List, start as u64)
            }
            Tag::Struct => {
                let arity = self.heap[index].header_arity();
                frozen.cells.push(self.heap[index]);
                let args = &self.heap[index + 1..=index + arity];
                frozen.cells.extend(args.iter().map(|&arg| self.mark_pending(arg)));
                Cell::pack(Tag::Struct, start as u64)
            }
            Tag::Float => {
                frozen.cells.extend_from_slice(&self.heap[index..index + 2]);
                Cell::pack(Tag::Float, start as u64)
            }
            Tag::Object => {
                frozen.objects.push(self.objects[index].clone());
                Cell::pack(Tag::Object, frozen.objects.len() as u64 - 1)
            }
        }
    }

    /// The placeholder of an argument until it is scanned. An atom or integer needs no mark: it is its own copy.
    #[inline(always)]
    fn mark_pending(&self, arg: Cell) -> Cell {
        let arg = self.deref(arg);
        if matches!(arg.tag(), Tag::Atom | Tag::Int) { arg } else { Cell(arg.0 | PENDING) }
    }

    /// Puts a frozen term back on the heap, with fresh variables.
    pub fn thaw(&mut self, frozen: &Frozen) -> Cell {
        self.thaw_from(frozen).moved(frozen.term())
    }

    /// Like [`Store::thaw`]; the result maps each cell of the frozen term to its place on the heap.
    pub(crate) fn thaw_from(&mut self, frozen: &Frozen) -> Thawed {
        let (base, objects) = (self.heap.len(), self.objects.len());
        self.objects.extend_from_slice(&frozen.objects);
        self.heap.reserve(frozen.cells.len());
        let mut cells = frozen.cells.iter();
        while let Some(&cell) = cells.next() {
            self.heap.push(relocate(cell, base, objects));
            if cell == Cell::RAW {
                self.heap.extend(cells.next());
            }
        }
        Thawed { base, objects }
    }

    /// A copy of the term with fresh variables.
    pub fn copy(&mut self, term: Cell) -> Cell {
        let mut frozen = std::mem::take(&mut self.scratch);
        self.freeze_into(term, &mut frozen);
        let copy = self.thaw(&frozen);
        self.scratch = frozen;
        copy
    }

    /// A clause in its stored form: a variable as a goal of the body becomes `call(Variable)` (ISO 7.6.2).
    pub(crate) fn kept_clause(&mut self, clause: Cell) -> Cell {
        let Term::Compound(parts) = self.look(clause) else { return clause };
        if (parts.name, parts.arity) != (atoms::NECK, 2) || !self.has_variable_goal(self.arg(parts, 1)) {
            return clause;
        }
        let parts = self.args(parts).to_vec();
        let kept = self.compound(atoms::NECK, &parts);
        let mut places = vec![kept.index() + 2];
        while let Some(place) = places.pop() {
            let goal = self.heap[place];
            match self.look(goal) {
                Term::Var(variable) => self.heap[place] = self.compound(atoms::CALL, &[variable]),
                Term::Compound(control) if is_control(control) => {
                    let goals = self.args(control).to_vec();
                    self.heap[place] = self.compound(control.name, &goals);
                    places.extend([1, 2].map(|argument| self.heap[place].index() + argument));
                }
                _ => {}
            }
        }
        kept
    }

    fn has_variable_goal(&self, body: Cell) -> bool {
        let mut rest = vec![body];
        while let Some(goal) = rest.pop() {
            match self.look(goal) {
                Term::Var(_) => return true,
                Term::Compound(control) if is_control(control) => rest.extend_from_slice(self.args(control)),
                _ => {}
            }
        }
        false
    }

    /// The distinct unbound variables of the term, in order of first occurrence from the left.
    pub fn variables(&self, term: Cell) -> Vec<Cell> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut found = Vec::new();
        let mut visits = Visits::new(self);
        let mut rest = vec![term];
        while let Some(term) = rest.pop() {
            match self.look(term) {
                Term::Var(cell) if seen.insert(cell) => found.push(cell),
                Term::Compound(compound) if !visits.is_repeated(self, compound) => {
                    rest.extend(self.args(compound).iter().rev())
                }
                _ => {}
            }
        }
        self.note_walk(visits.steps);
        found
    }

    /// The distinct unbound variables of the term, in order of first occurrence from the left, each with its number of
    /// occurrences.
    pub fn variables_by_occurrence(&self, term: Cell) -> Vec<(Cell, usize)> {
        let mut places = FxHashMap::default();
        let mut found: Vec<(Cell, usize)> = Vec::new();
        let mut visits = Visits::new(self);
        let mut rest = vec![term];
        while let Some(term) = rest.pop() {
            match self.look(term) {
                Term::Var(cell) => {
                    let place = *places.entry(cell).or_insert(found.len());
                    if place == found.len() {
                        found.push((cell, 0));
                    }
                    found[place].1 += 1;
                }
                Term::Compound(compound) if !visits.is_repeated(self, compound) => {
                    rest.extend(self.args(compound).iter().rev())
                }
                _ => {}
            }
        }
        self.note_walk(visits.steps);
        found
    }

    /// A compound `name(_, ...)` of fresh variables.
    pub fn fresh_compound(&mut self, name: Atom, arity: usize) -> Cell {
        let args: Vec<Cell> = (0..arity).map(|_| self.new_var()).collect();
        self.compound(name, &args)
    }
}

impl Thawed {
    /// Maps a cell of the frozen term to the heap.
    pub(crate) fn moved(self, cell: Cell) -> Cell {
        relocate(cell, self.base, self.objects)
    }
}

impl Frozen {
    /// The arguments of the head of a clause `Head :- Body` or a fact.
    #[inline]
    pub(crate) fn head_args(&self) -> &[Cell] {
        let Some(root) = self.root else { return &[] };
        let args = self.args(root);
        match args {
            &[head, _] if self.cells[root.index()] == Cell::header(atoms::NECK, 2) => self.args(head),
            _ => args,
        }
    }

    /// The functor of the head, if this is a clause.
    pub(crate) fn head_functor(&self) -> Option<(Atom, usize)> {
        let &[head, _] = self.args(self.term()) else { return None };
        match head.tag() {
            Tag::Atom => Some((head.atom_value(), 0)),
            Tag::Struct => Some((self.cells[head.index()].atom_value(), self.cells[head.index()].header_arity())),
            Tag::List => Some((atoms::DOT, 2)),
            _ => None,
        }
    }

    /// The root of the frozen term.
    pub(crate) fn term(&self) -> Cell {
        self.root.expect("freeze sets the root")
    }

    /// Whether this clause has no body.
    pub(crate) fn is_fact(&self) -> bool {
        self.root
            .is_none_or(|root| root.tag() != Tag::Struct || self.cells[root.index()] != Cell::header(atoms::NECK, 2))
    }

    /// The root, or `None` if nothing was frozen.
    pub(crate) fn root(&self) -> Option<Cell> {
        self.root
    }

    /// The arguments of a compound in the frozen term; empty for other cells.
    pub(crate) fn args(&self, cell: Cell) -> &[Cell] {
        let index = cell.index();
        match cell.tag() {
            Tag::Struct => &self.cells[index + 1..=index + self.cells[index].header_arity()],
            Tag::List => &self.cells[index..index + 2],
            _ => &[],
        }
    }

    /// Drops the content and keeps the capacity.
    pub(crate) fn clear(&mut self) {
        self.cells.clear();
        self.cells.shrink_to(SUSPICIOUS);
        self.objects.clear();
        self.has_variables = false;
        self.is_suspicious = false;
    }

    /// Bytes occupied beyond those of an empty copy.
    pub(crate) fn growth(&self) -> usize {
        size_of_val(&*self.cells) + size_of_val(&*self.objects)
    }

    /// Whether nothing has been frozen yet.
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Whether copying took so long that the term may be cyclic.
    pub(crate) fn is_suspicious(&self) -> bool {
        self.is_suspicious
    }

    /// Bytes that the copy occupies.
    pub fn bytes(&self) -> usize {
        size_of::<Frozen>() + self.growth()
    }

    /// The heap cell that stands at `index` and is still to be copied.
    fn pending(&self, index: usize) -> Option<Cell> {
        let cell = self.cells[index];
        (cell.0 & PENDING != 0 && !matches!(cell.tag(), Tag::Atom | Tag::Int)).then_some(Cell(cell.0 & !PENDING))
    }
}

/// Where a sample of the compounds was copied to.
struct Copies<K = Cell, V = Cell> {
    known: FxHashMap<K, V>,
    /// Remembers one compound in this many; none if it is 0.
    sample: usize,
    steps: usize,
}

impl<K, V> Default for Copies<K, V> {
    fn default() -> Copies<K, V> {
        Copies { known: FxHashMap::default(), sample: 0, steps: 0 }
    }
}

impl<K: Eq + Hash, V> Copies<K, V> {
    fn note(&mut self, source: K, copy: V) {
        if self.sample > 0 {
            self.steps += 1;
            if self.steps.is_multiple_of(self.sample) {
                self.known.insert(source, copy);
            }
        }
    }
}

/// Cells of a copy scanned between two polls of interrupts and limits.
const BLOCK: usize = 1 << 14;

/// A bit beyond all heap indexes.
const PENDING: u64 = 1 << 63;

/// What a copied variable is bound to during the copy: the index of its copy, as an atom number under a header's tag,
/// which no other binding has.
fn forward_to(index: usize) -> Cell {
    Cell((index as u64) << 3 | Tag::Header as u64)
}

fn forwarded(cell: Cell) -> usize {
    cell.index()
}

fn relocate(cell: Cell, base: usize, objects: usize) -> Cell {
    match cell.tag() {
        Tag::Ref | Tag::List | Tag::Struct | Tag::Float => cell.moved_by(base),
        Tag::Object => cell.moved_by(objects),
        Tag::Atom | Tag::Int | Tag::Header => cell,
    }
}

/// Whether the arguments of a goal are goals of the same body.
pub(crate) fn is_control(goal: Compound) -> bool {
    goal.arity == 2 && matches!(goal.name, atoms::COMMA | atoms::SEMICOLON | atoms::ARROW | atoms::SOFT_ARROW)
}

enum Work {
    Visit(Cell),
    Close(Compound),
}

#[derive(Default)]
struct Saver {
    tree: Tree,
    numbers: FxHashMap<Cell, u32>,
    variables: Vec<Cell>,
    done: Vec<NodeId>,
    /// The nodes of compounds seen before, so that shared parts of a large term stay shared.
    closed: Copies<Compound, NodeId>,
    /// The enclosing compounds, tracked for cyclic terms only.
    path: Option<rustc_hash::FxHashSet<Compound>>,
}

impl Saver {
    fn of_cyclic() -> Saver {
        let closed = Copies { sample: 1, ..Copies::default() };
        Saver { path: Some(Default::default()), closed, ..Saver::default() }
    }

    /// Stands for a term whose saving was abandoned.
    fn abandoned() -> Saver {
        let mut saver = Saver::default();
        saver.tree.push(Node::Atom(Atom::new("...")), Span::default());
        saver
    }

    fn visit(&mut self, store: &Store, cell: Cell, rest: &mut Vec<Work>) {
        let node = match store.look(cell) {
            Term::Compound(compound) => return self.open(store, compound, rest),
            Term::Var(cell) => Node::Var(self.number(cell)),
            Term::Atom(name) => Node::Atom(name),
            Term::Int(value) => Node::Int(value),
            Term::BigInt(value) => Node::BigInt(BigInt::clone(value)),
            Term::Float(value) => Node::Float(value),
            Term::Str(text) => Node::Str(text.into()),
        };
        let id = self.tree.push(node, Span::default());
        self.done.push(id);
    }

    fn open(&mut self, store: &Store, compound: Compound, rest: &mut Vec<Work>) {
        if let Some(&id) = self.closed.known.get(&compound) {
            return self.done.push(id);
        }
        if self.path.as_mut().is_some_and(|path| !path.insert(compound)) {
            let id = self.tree.push(Node::Atom(Atom::new("...")), Span::default());
            return self.done.push(id);
        }
        rest.push(Work::Close(compound));
        rest.extend(store.args(compound).iter().rev().map(|&arg| Work::Visit(arg)));
    }

    fn close(&mut self, compound: Compound) {
        let args = self.done.split_off(self.done.len() - compound.arity);
        let id = self.tree.push_compound(compound.name, &args, Span::default());
        self.done.push(id);
        self.closed.note(compound, id);
        if let Some(path) = &mut self.path {
            path.remove(&compound);
        }
    }

    fn number(&mut self, cell: Cell) -> u32 {
        let next = self.variables.len() as u32;
        *self.numbers.entry(cell).or_insert_with(|| {
            self.variables.push(cell);
            next
        })
    }
}
