//! Terms between the heap and trees.

use num_bigint::BigInt;

use super::cell::Cell;
use super::sharing::{Copies, SAMPLE};
use super::store::{Compound, Store, Term};
use crate::term::hash::{NumberMap, NumberSet};
use crate::term::{Atom, Node, NodeId, Span, Tree};

impl Store {
    /// Builds `tree` on the heap; also returns the cells of its variables by number.
    pub(crate) fn load(&mut self, tree: &Tree) -> (Cell, Vec<Cell>) {
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
    pub(crate) fn save(&self, term: Cell) -> Tree {
        self.save_with_variables(term).0
    }

    /// Like [`Store::save`], with the variables by number; a cyclic term is cut where it reaches itself again.
    pub(crate) fn save_with_variables(&self, term: Cell) -> (Tree, Vec<Cell>) {
        let saver = self.saved(term);
        (saver.tree, saver.variables)
    }

    /// The tree of a term, or `None` if the term is cyclic.
    pub(crate) fn save_acyclic(&self, term: Cell) -> Option<Tree> {
        let saver = self.saved(term);
        saver.path.is_none().then_some(saver.tree)
    }

    fn saved(&self, term: Cell) -> Saver {
        let mut saver = Saver::default();
        let mut rest = vec![SaveStep::Visit(term)];
        let (mut steps, suspicious) = (0, 2 * self.suspicious());
        while let Some(work) = rest.pop() {
            match work {
                SaveStep::Visit(cell) => saver.visit(self, cell, &mut rest),
                SaveStep::Close(compound) => saver.close(compound),
            }
            steps += 1;
            if self.gives_up_at(steps) {
                return Saver::abandoned();
            }
            if steps == suspicious {
                saver.closed.sample = SAMPLE;
                if !self.is_acyclic(term) {
                    saver = Saver::of_cyclic();
                    rest = vec![SaveStep::Visit(term)];
                }
            }
        }
        saver
    }
}

/// An item of the explicit stack.
enum SaveStep {
    Visit(Cell),
    Close(Compound),
}

#[derive(Default)]
struct Saver {
    tree: Tree,
    numbers: NumberMap<Cell, u32>,
    variables: Vec<Cell>,
    done: Vec<NodeId>,
    /// The nodes of compounds seen before, so that shared parts of a large term stay shared.
    closed: Copies<Compound, NodeId>,
    /// The enclosing compounds, tracked for cyclic terms only.
    path: Option<NumberSet<Compound>>,
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

    fn visit(&mut self, store: &Store, cell: Cell, rest: &mut Vec<SaveStep>) {
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

    fn open(&mut self, store: &Store, compound: Compound, rest: &mut Vec<SaveStep>) {
        if let Some(&id) = self.closed.known.get(&compound) {
            return self.done.push(id);
        }
        if self.path.as_mut().is_some_and(|path| !path.insert(compound)) {
            let id = self.tree.push(Node::Atom(Atom::new("...")), Span::default());
            return self.done.push(id);
        }
        rest.push(SaveStep::Close(compound));
        rest.extend(store.args(compound).iter().rev().map(|&arg| SaveStep::Visit(arg)));
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
