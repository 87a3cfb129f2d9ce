//! Terms copied off the heap.

use super::cell::{Cell, Object, Tag};
use crate::term::{Atom, atoms};

/// Cells for which an emptied copy keeps memory.
const MOST_KEPT: usize = 1 << 18;

/// A term copied off the heap: its references are relative to the start of the copy.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frozen {
    pub(crate) cells: Vec<Cell>,
    pub(crate) objects: Vec<Object>,
    pub(super) root: Option<Cell>,
    pub(crate) has_variables: bool,
    pub(super) is_suspicious: bool,
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
    #[inline]
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
        self.cells.shrink_to(MOST_KEPT);
        self.objects.clear();
        self.has_variables = false;
        self.is_suspicious = false;
    }

    /// Bytes occupied beyond those of an empty copy.
    pub(crate) fn growth(&self) -> usize {
        size_of_val(&*self.cells) + size_of_val(&*self.objects)
    }

    /// Whether nothing has been frozen yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Whether copying took so long that the term may be cyclic.
    pub(crate) fn is_suspicious(&self) -> bool {
        self.is_suspicious
    }

    /// Bytes that the copy occupies.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Frozen>() + self.growth()
    }
}
