//! Code for head unification, and code that builds the arguments of goals.

use smallvec::SmallVec;

use super::emit::{CompoundMode, Emitter};
use super::registers::Owner;
use super::{constant, freeze_simple, is_list_pair};
use crate::engine::code::{Instr, X};
use crate::engine::heap::{Cell, Store};
use crate::term::hash::NumberSet;
use crate::term::{Node, NodeId, Span, Tree, atoms};

/// Terms, each with its register.
type WaitingTerms = SmallVec<[(NodeId, X); 8]>;

impl Emitter<'_> {
    /// Emits code that unifies the argument in `x` with a term of the head.
    pub(super) fn get_argument(&mut self, term: NodeId, x: X) {
        match self.tree.node(term) {
            Node::Var(number) => self.get_variable(*number, x),
            Node::Compound { .. } => self.get_compound(term, x),
            node => {
                let node = node.clone();
                self.get_constant(&node, x);
                self.registers.set(x, Owner::Free);
            }
        }
    }

    fn get_variable(&mut self, number: u32, x: X) {
        if self.slots[number as usize].is_seen {
            let b = self.value_register(number);
            self.emit(Instr::GetValue { a: x, b });
            self.registers.set(x, Owner::Free);
            return;
        }
        self.slots[number as usize].is_seen = true;
        if self.is_permanent(number) {
            let to = self.slot(number);
            self.emit(Instr::StoreY { from: x, to });
            self.registers.set(x, Owner::Variable(number));
            self.slots[number as usize].x = Some(x);
        } else if self.variable(number).occurrences == 1 {
            self.registers.set(x, Owner::Free);
        } else {
            self.registers.set(x, Owner::Variable(number));
            self.slots[number as usize].x = Some(x);
        }
    }

    fn get_constant(&mut self, node: &Node, x: X) {
        match constant(node) {
            Some(value) => self.emit(Instr::GetConst { a: x, value }),
            None => {
                let id = self.database.add_frozen(freeze_simple(node));
                self.emit(Instr::GetFrozen { a: x, id });
            }
        }
    }

    /// Emits code that matches the compound in `x` and its inner compounds; then frees `x` unless a variable owns it.
    pub(super) fn get_compound(&mut self, term: NodeId, x: X) {
        if self.mode == CompoundMode::Frozen {
            self.unify_frozen(term, Instr::UnifyValueX { x });
            self.release(x);
            return;
        }
        let mut rest: WaitingTerms = SmallVec::new();
        rest.push((term, x));
        while let Some((term, x)) = rest.pop() {
            match self.tree.node(term) {
                Node::Compound { functor, arity, .. } => {
                    let (functor, arity) = (*functor, *arity as usize);
                    self.emit(if is_list_pair(functor, arity) {
                        Instr::GetList { a: x }
                    } else {
                        Instr::GetStruct { a: x, header: Cell::header(functor, arity) }
                    });
                    self.release(x);
                    self.unify_arguments(term, &mut rest);
                }
                node => {
                    let node = node.clone();
                    self.get_constant(&node, x);
                    self.release(x);
                }
            }
        }
    }

    /// Emits code for the arguments of a compound being matched; inner compounds to be matched later go to `rest`.
    fn unify_arguments(&mut self, term: NodeId, rest: &mut WaitingTerms) {
        let waiting = rest.len();
        for &arg in self.tree.args(term) {
            match self.tree.node(arg) {
                Node::Var(number) => self.unify_variable(*number),
                node => match constant(node) {
                    Some(value) => self.emit(Instr::UnifyConst { value }),
                    None => {
                        let x = self.registers.take(None, Owner::Taken);
                        self.emit(Instr::UnifyVarX { x });
                        rest.push((arg, x));
                    }
                },
            }
        }
        rest[waiting..].reverse();
    }

    fn unify_variable(&mut self, number: u32) {
        self.uses[number as usize] = self.uses[number as usize].saturating_sub(1);
        let slot = self.slots[number as usize];
        if slot.is_seen {
            match slot.x {
                Some(x) => self.emit(Instr::UnifyValueX { x }),
                None => {
                    let y = self.slot(number);
                    self.emit(Instr::UnifyValueY { y });
                }
            }
            return;
        }
        self.slots[number as usize].is_seen = true;
        if self.is_permanent(number) {
            let y = self.slot(number);
            self.emit(Instr::UnifyVarY { y });
        } else if self.variable(number).occurrences == 1 {
            self.emit_void();
        } else {
            let x = self.registers.take(self.wish(number), Owner::Variable(number));
            self.slots[number as usize].x = Some(x);
            self.emit(Instr::UnifyVarX { x });
        }
    }

    fn emit_void(&mut self) {
        match self.code.last_mut() {
            Some(Instr::UnifyVoid { n }) => *n += 1,
            _ => self.emit(Instr::UnifyVoid { n: 1 }),
        }
    }

    /// Emits code that loads the arguments of a goal into the first registers.
    pub(super) fn put_arguments(&mut self, args: &[NodeId]) {
        for (x, &arg) in args.iter().enumerate() {
            self.make_room(x as X, arg);
            self.put(arg, x as X);
        }
    }

    /// Moves a live variable out of `x`, unless it belongs there.
    fn make_room(&mut self, x: X, arg: NodeId) {
        let Owner::Variable(number) = self.registers.owner(x) else {
            self.registers.set(x, Owner::Taken);
            return;
        };
        if *self.tree.node(arg) == Node::Var(number) {
            return;
        }
        let is_needed = self.uses[number as usize] > 0 || self.variable(number).last as usize > self.place;
        if is_needed && self.slots[number as usize].y.is_none() {
            let to = self.registers.take(None, Owner::Variable(number));
            self.emit(Instr::Move { from: x, to });
            self.slots[number as usize].x = Some(to);
        } else {
            self.slots[number as usize].x = None;
        }
        self.registers.set(x, Owner::Taken);
    }

    /// Emits code that loads a term into register `x`.
    fn put(&mut self, term: NodeId, x: X) {
        match self.tree.node(term) {
            Node::Var(number) => self.put_variable(*number, x),
            Node::Compound { .. } => self.put_compound(term, x),
            node => {
                let node = node.clone();
                self.put_constant(&node, x);
            }
        }
    }

    fn put_constant(&mut self, node: &Node, x: X) {
        match constant(node) {
            Some(value) => self.emit(Instr::PutConst { x, value }),
            None => {
                let id = self.database.add_frozen(freeze_simple(node));
                self.emit(Instr::PutFrozen { x, id });
            }
        }
    }

    fn put_variable(&mut self, number: u32, x: X) {
        self.uses[number as usize] = self.uses[number as usize].saturating_sub(1);
        let slot = self.slots[number as usize];
        if slot.is_seen {
            match slot.x {
                Some(from) if from == x => {}
                Some(from) => self.emit(Instr::Move { from, to: x }),
                None => {
                    let from = self.slot(number);
                    self.emit(Instr::LoadY { from, to: x });
                }
            }
            return;
        }
        self.slots[number as usize].is_seen = true;
        if self.is_permanent(number) {
            let y = self.slot(number);
            self.emit(Instr::PutVarY { y });
            self.emit(Instr::LoadY { from: y, to: x });
        } else {
            self.emit(Instr::PutVarX { x });
            self.registers.set(x, Owner::Variable(number));
            self.slots[number as usize].x = Some(x);
        }
    }

    /// Emits code that builds a compound bottom-up.
    pub(super) fn put_compound(&mut self, term: NodeId, x: X) {
        if self.mode == CompoundMode::Frozen {
            self.unify_frozen(term, Instr::UnifyVarX { x });
            return;
        }
        let mut built: WaitingTerms = SmallVec::new();
        for (inner, is_root) in inside_out(self.tree, term) {
            let parts = self.take_parts(inner, &mut built);
            let target = if is_root { x } else { self.registers.take(None, Owner::Taken) };
            self.begin_compound(inner, target);
            for (&arg, part) in self.tree.args(inner).iter().zip(parts) {
                self.fill_argument(arg, part);
            }
            built.push((inner, target));
        }
    }

    fn begin_compound(&mut self, term: NodeId, x: X) {
        if let Some((functor, arity)) = self.tree.functor(term) {
            self.emit(if is_list_pair(functor, arity) {
                Instr::PutList { x }
            } else {
                Instr::PutStruct { x, header: Cell::header(functor, arity) }
            });
        }
    }

    /// The registers of inner compounds that were built before; each is freed by its use.
    fn take_parts(&mut self, term: NodeId, built: &mut WaitingTerms) -> SmallVec<[Option<X>; 16]> {
        let args = self.tree.args(term);
        let mut parts = SmallVec::from_elem(None, args.len());
        for (part, &arg) in parts.iter_mut().zip(args).rev() {
            if constant(self.tree.node(arg)).is_some() || matches!(self.tree.node(arg), Node::Var(_)) {
                continue;
            }
            if matches!(self.tree.node(arg), Node::Compound { .. }) {
                *part = Some(built.pop().expect("inner compounds are built first").1);
            } else {
                let x = self.registers.take(None, Owner::Taken);
                let node = self.tree.node(arg).clone();
                self.put_constant(&node, x);
                *part = Some(x);
            }
        }
        parts
    }

    fn fill_argument(&mut self, arg: NodeId, part: Option<X>) {
        match (self.tree.node(arg), part) {
            (Node::Var(number), _) => self.unify_variable(*number),
            (_, Some(x)) => {
                self.emit(Instr::UnifyValueX { x });
                self.registers.set(x, Owner::Free);
            }
            (node, None) => {
                let value = constant(node).expect("everything else was built before");
                self.emit(Instr::UnifyConst { value });
            }
        }
    }

    /// A register with the value of a term, for a test or comparison; to be freed with [`Emitter::release`].
    pub(super) fn operand(&mut self, term: NodeId) -> X {
        if let Node::Var(number) = self.tree.node(term)
            && let Some(x) = self.slots[*number as usize].x
        {
            return x;
        }
        let x = self.registers.take(None, Owner::Taken);
        self.put(term, x);
        if let Node::Var(number) = *self.tree.node(term) {
            self.registers.set(x, Owner::Variable(number));
            self.slots[number as usize].x = Some(x);
        }
        x
    }

    /// Frees a register unless a variable owns it.
    pub(super) fn release(&mut self, x: X) -> X {
        if self.registers.owner(x) == Owner::Taken {
            self.registers.set(x, Owner::Free);
        }
        x
    }

    /// `A = B`.
    pub(super) fn unify(&mut self, goal: NodeId) {
        let (a, b) = (self.tree.args(goal)[0], self.tree.args(goal)[1]);
        let is_new = |emitter: &Self, id| match emitter.tree.node(id) {
            Node::Var(number) => !emitter.slots[*number as usize].is_seen,
            _ => false,
        };
        let is_variable = |id| matches!(self.tree.node(id), Node::Var(_));
        let (a, b) = if is_new(self, b) || (!is_variable(a) && is_variable(b)) { (b, a) } else { (a, b) };
        match *self.tree.node(a) {
            Node::Var(number) if is_new(self, a) && !self.occurs(number, b) => self.bind_new(number, b),
            _ => {
                let x = self.operand(a);
                self.unify_known(b, x);
            }
        }
        self.registers.release_taken();
    }

    /// Emits code that unifies the value in `x`, which stays there, with a term.
    fn unify_known(&mut self, term: NodeId, x: X) {
        match *self.tree.node(term) {
            Node::Var(number) if self.slots[number as usize].is_seen => {
                let b = self.value_register(number);
                self.emit(Instr::GetValue { a: x, b });
            }
            Node::Var(number) => self.keep(number, x),
            Node::Compound { .. } => self.get_compound(term, x),
            ref node => {
                let node = node.clone();
                self.get_constant(&node, x);
            }
        }
    }

    fn occurs(&self, number: u32, term: NodeId) -> bool {
        let mut rest: SmallVec<[NodeId; 16]> = SmallVec::new();
        rest.push(term);
        while let Some(id) = rest.pop() {
            if *self.tree.node(id) == Node::Var(number) {
                return true;
            }
            rest.extend_from_slice(self.tree.args(id));
        }
        false
    }

    /// Initializes a variable to a term at its first occurrence.
    fn bind_new(&mut self, number: u32, term: NodeId) {
        let x = self.registers.take(self.wish(number), Owner::Taken);
        self.put(term, x);
        self.keep(number, x);
    }

    /// Makes register `x` the home of a variable at its first occurrence.
    pub(super) fn keep(&mut self, number: u32, x: X) {
        self.slots[number as usize].is_seen = true;
        if self.is_permanent(number) {
            let to = self.slot(number);
            self.emit(Instr::StoreY { from: x, to });
            if self.registers.owner(x) == Owner::Taken {
                self.registers.set(x, Owner::Variable(number));
                self.slots[number as usize].x = Some(x);
            }
        } else if matches!(self.registers.owner(x), Owner::Variable(_)) {
            let to = self.registers.take(None, Owner::Variable(number));
            self.emit(Instr::Move { from: x, to });
            self.slots[number as usize].x = Some(to);
        } else {
            self.registers.set(x, Owner::Variable(number));
            self.slots[number as usize].x = Some(x);
        }
    }

    /// Emits code that copies a term kept as a constant and unifies the variables of the copy with those of the clause.
    ///
    /// The constant is `[Term, V1, V2, ...]`; `root` handles `Term`.
    fn unify_frozen(&mut self, term: NodeId, root: Instr) {
        let (tree, variables) = constant_with_variables(self.tree, term);
        let mut store = Store::new();
        let (cell, _) = store.load(&tree);
        let id = self.database.add_frozen(store.freeze(cell));
        let rest = self.registers.take(None, Owner::Taken);
        self.emit(Instr::PutFrozen { x: rest, id });
        self.emit(Instr::GetList { a: rest });
        self.emit(root);
        for number in variables {
            self.emit(Instr::UnifyVarX { x: rest });
            self.emit(Instr::GetList { a: rest });
            self.unify_variable(number);
        }
        self.release(rest);
    }
}

/// The compounds in a compound in postorder, itself last.
fn inside_out(tree: &Tree, root: NodeId) -> SmallVec<[(NodeId, bool); 8]> {
    let mut found = SmallVec::new();
    let mut rest: SmallVec<[NodeId; 16]> = SmallVec::new();
    rest.push(root);
    while let Some(id) = rest.pop() {
        found.push((id, id == root));
        rest.extend(tree.args(id).iter().copied().filter(|&arg| matches!(tree.node(arg), Node::Compound { .. })));
    }
    found.reverse();
    found
}

/// `[Term, V1, V2, ...]` with the distinct variables of a subterm, and their numbers.
fn constant_with_variables(tree: &Tree, term: NodeId) -> (Tree, Vec<u32>) {
    let mut numbers = Vec::new();
    let mut seen = NumberSet::default();
    let mut rest = vec![term];
    while let Some(id) = rest.pop() {
        match tree.node(id) {
            Node::Var(number) if seen.insert(*number) => numbers.push(*number),
            _ => rest.extend(tree.args(id).iter().rev()),
        }
    }
    let mut tree = tree.clone();
    let span = Span::default();
    let nil = tree.push(Node::Atom(atoms::NIL), span);
    let list = numbers.iter().rev().fold(nil, |tail, &number| {
        let variable = tree.push(Node::Var(number), span);
        tree.push_compound(atoms::DOT, &[variable, tail], span)
    });
    tree.push_compound(atoms::DOT, &[term, list], span);
    (tree, numbers)
}
