//! Frozen clauses as trees, for the compiler.

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use smallvec::SmallVec;

use super::shapes::mark_at;
use crate::engine::heap::{Cell, Frozen, Object, Tag};
use crate::term::{Atom, Node, NodeId, Span, Tree, atoms};

/// Writes a frozen term into a tree.
struct TreeWriter<'a> {
    frozen: &'a Frozen,
    tree: &'a mut Tree,
    /// The numbers of variables, counted from 1, by index.
    numbers: SmallVec<[u32; 256]>,
    n_variables: u32,
    /// Terms still to be written: the index, the parent node and the argument position.
    waiting: SmallVec<[(usize, NodeId, usize); 32]>,
}

impl Frozen {
    /// Writes the term into an empty tree, with placeholders for the constants of an outline.
    pub(crate) fn write_to(&self, tree: &mut Tree, outline: &[u64]) {
        let numbers = SmallVec::from_elem(0, self.cells.len());
        let waiting = SmallVec::new();
        let mut writer = TreeWriter { frozen: self, tree, numbers, n_variables: 0, waiting };
        let top = writer.write(self.term());
        while let Some((place, node, position)) = writer.waiting.pop() {
            let arg = match mark_at(outline, place) {
                Some(mark) => writer.tree.push(mark, Span::default()),
                None => writer.write(self.cells[place]),
            };
            writer.tree.replace_arg(node, position, arg);
        }
        tree.set_root(top);
    }
}

impl TreeWriter<'_> {
    fn write(&mut self, cell: Cell) -> NodeId {
        let index = cell.index();
        let node = match cell.tag() {
            Tag::List => return self.open(atoms::DOT, index, 2),
            Tag::Struct => {
                let header = self.frozen.cells[index];
                return self.open(header.atom_value(), index + 1, header.header_arity());
            }
            Tag::Ref => Node::Var(self.number(index)),
            Tag::Atom | Tag::Header => Node::Atom(cell.atom_value()),
            Tag::Int => Node::Int(cell.int_value()),
            Tag::Float => Node::Float(f64::from_bits(self.frozen.cells[index + 1].0)),
            Tag::Object => match &self.frozen.objects[index] {
                Object::BigInt(value) => value.to_i64().map_or_else(|| Node::BigInt(BigInt::clone(value)), Node::Int),
                Object::Str(text) => Node::Str((**text).into()),
            },
        };
        self.tree.push(node, Span::default())
    }

    fn open(&mut self, functor: Atom, first: usize, arity: usize) -> NodeId {
        let node = self.tree.push_open(functor, arity, Span::default());
        self.waiting.extend((0..arity).rev().map(|position| (first + position, node, position)));
        node
    }

    fn number(&mut self, index: usize) -> u32 {
        if self.numbers[index] == 0 {
            self.n_variables += 1;
            self.numbers[index] = self.n_variables;
        }
        self.numbers[index] - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::heap::Store;

    #[test]
    fn a_tree_of_a_frozen_term_is_the_tree_of_the_term() {
        let mut store = Store::new();
        let (x, y) = (store.new_var(), store.new_var());
        let big = store.bigint(BigInt::from(7).pow(40));
        let wide = store.int(i64::MAX);
        let parts = [Cell::small_int(-3), store.float(0.5), store.string("text"), big, wide];
        let list = store.list_with_tail(&parts, y);
        let inner = store.compound(Atom::new("g"), &[y, x, Cell::NIL]);
        let term = store.compound(Atom::new("f"), &[x, list, inner, x]);
        let mut tree = Tree::new();
        store.freeze(term).write_to(&mut tree, &[]);
        let (copy, variables) = store.load(&tree);
        assert_eq!(variables.len(), 2);
        assert_eq!(store.save(copy), store.save(term));
    }
}
