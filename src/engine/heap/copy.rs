//! Copies of terms: frozen ones, which survive backtracking, and fresh ones on the heap.

use super::cell::{Cell, Tag};
use super::frozen::Frozen;
use super::sharing::{Copies, SAMPLE};
use super::store::{Store, Trailed};

/// Where a frozen term was put on the heap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thawed {
    base: usize,
    objects: usize,
}

impl Store {
    /// A copy of the term that survives backtracking; the copy of a cyclic term is cyclic.
    pub(crate) fn freeze(&mut self, term: Cell) -> Frozen {
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
                frozen.cells.push(self.mark_pending(self.heap[index]));
                frozen.cells.push(self.mark_pending(self.heap[index + 1]));
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
    pub(crate) fn thaw(&mut self, frozen: &Frozen) -> Cell {
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
    pub(crate) fn copy(&mut self, term: Cell) -> Cell {
        let mut frozen = std::mem::take(&mut self.scratch);
        self.freeze_into(term, &mut frozen);
        let copy = self.thaw(&frozen);
        self.scratch = frozen;
        copy
    }
}

impl Thawed {
    /// Maps a cell of the frozen term to the heap.
    pub(crate) fn moved(self, cell: Cell) -> Cell {
        relocate(cell, self.base, self.objects)
    }
}

impl Frozen {
    /// The heap cell that stands at `index` and is still to be copied.
    fn pending(&self, index: usize) -> Option<Cell> {
        let cell = self.cells[index];
        (cell.0 & PENDING != 0 && !matches!(cell.tag(), Tag::Atom | Tag::Int)).then_some(Cell(cell.0 & !PENDING))
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
