//! Asserted rules: small ones are kept as terms, and compiled when they are first called.

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use smallvec::SmallVec;
use std::rc::Rc;

use super::shapes::mark_at;
use crate::engine::code::{ClauseEnd, ClauseId, PredId, Selected};
use crate::engine::compile::MAX_ARITY;
use crate::engine::heap::{Cell, Frozen, Object, Stop, Store, Tag, Term, is_control};
use crate::engine::state::{Database, FACT_CODE, RULE_CODE, World};
use crate::term::{Atom, Node, NodeId, Span, Tree, atoms};

/// Larger rules (in cells) are compiled at once, since they might need more registers than there are.
const SMALL: usize = 192;

impl World {
    /// The rule in its stored form; `None` if it is so large or unusual that only compiling it shows whether it is a
    /// clause.
    pub(crate) fn small_rule(&mut self, rule: Cell) -> Option<Frozen> {
        let Term::Compound(parts) = self.store.look(rule) else { return None };
        let (head, body) = (self.store.arg(parts, 0), self.store.arg(parts, 1));
        if self.store.functor(head)?.1 > MAX_ARITY || !self.store.is_plain_body(body) {
            return None;
        }
        let mark = self.store.mark();
        let kept = self.store.kept_clause(rule);
        let frozen = self.store.freeze_below(SMALL, kept);
        self.store.undo_to(mark);
        frozen
    }

    /// Adds a rule that [`World::small_rule`] returned.
    pub(crate) fn assert_rule(&mut self, rule: Frozen, end: ClauseEnd) -> Result<PredId, Stop> {
        let functor = rule.head_functor().expect("a rule has a head");
        let pred = self.asserted_pred(functor)?;
        self.database.add_rule(pred, end, Rc::new(rule));
        Ok(pred)
    }
}

impl Store {
    /// Whether all goals of a body are clearly callable or variables.
    fn is_plain_body(&self, body: Cell) -> bool {
        let mut rest: SmallVec<[Cell; 16]> = SmallVec::new();
        rest.push(body);
        let mut steps = 0;
        while let Some(goal) = rest.pop() {
            match self.look(goal) {
                Term::Var(_) | Term::Atom(_) => {}
                Term::Compound(parts) if is_control(parts) || takes_body(parts.name, parts.arity) => {
                    rest.extend(self.args(parts).iter().copied());
                }
                Term::Compound(parts) if parts.arity <= MAX_ARITY => {}
                _ => return false,
            }
            steps += 1;
            if steps > SMALL {
                return false;
            }
        }
        true
    }
}

/// Whether the argument of a goal is compiled with its clause.
fn takes_body(name: Atom, arity: usize) -> bool {
    (name, arity) == (atoms::BAR, 2) || arity == 1 && matches!(name, atoms::NOT_PROVABLE | atoms::ONCE | atoms::IGNORE)
}

impl Database {
    /// The clause to enter, compiled if it was not.
    #[inline]
    pub(crate) fn compiled(&mut self, id: PredId, selected: Selected) -> Selected {
        if selected.code == RULE_CODE { self.compile_selected(id, selected) } else { selected }
    }

    #[inline(never)]
    fn compile_selected(&mut self, id: PredId, selected: Selected) -> Selected {
        let Some(source) = self.source(id, selected.id) else { return selected };
        let (code, style) = self.add_rule_code(&source);
        self.set_code(id, selected.id, code, style);
        Selected { code, style, ..selected }
    }

    /// Compiles the clauses of a predicate that are still kept as terms.
    pub(crate) fn compile_terms(&mut self, id: PredId) {
        let is_term = |code| code == FACT_CODE || code == RULE_CODE;
        let Some(list) = self.clauses(id) else { return };
        let terms: Vec<ClauseId> =
            list.alive().filter(|(_, clause)| is_term(clause.code)).map(|(number, _)| number).collect();
        for number in terms {
            let Some(source) = self.source(id, number) else { continue };
            let compiled = self.compile_frozen(&source, &[]);
            let code = self.add_code(&compiled, None);
            self.set_code(id, number, code, compiled.style);
        }
    }

    fn source(&self, id: PredId, clause: ClauseId) -> Option<Rc<Frozen>> {
        self.clauses(id)?.clause(clause)?.source.clone()
    }
}

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
