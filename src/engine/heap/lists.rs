//! Walks along lists.

use super::cell::{Cell, Tag};
use super::store::Store;

/// The elements of a list, and how it ends.
#[derive(Clone, Debug)]
pub(crate) struct ListWalk {
    /// The elements.
    pub(crate) items: Vec<Cell>,
    /// What follows the last element.
    pub(crate) end: ListEnd,
}

/// What follows the last element of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListEnd {
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
    pub(crate) fn walk_list(&self, list: Cell) -> ListWalk {
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
}
