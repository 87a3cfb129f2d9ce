//! Asserted rules: small ones are kept as terms, and compiled when they are first called.

use smallvec::SmallVec;
use std::rc::Rc;

use super::stored_clause::is_control;
use crate::engine::code::{ClauseEnd, ClauseId, Compiled, NeckStyle, Pc, PredId, RuleShape, Selected};
use crate::engine::compile::{ClauseParts, MAX_ARITY, compile};
use crate::engine::heap::{Cell, Frozen, Stop, Store, Term};
use crate::engine::state::{Database, FACT_CODE, Namespace, RULE_CODE, World};
use crate::term::{Atom, atoms};

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

    /// Compiles a small rule, which must be a valid clause; returns its address.
    fn add_rule_code(&mut self, rule: &Frozen) -> (Pc, NeckStyle) {
        let outline = rule.outline();
        let known = self.shapes.find(&outline);
        if let Some(shape) = known.or_else(|| self.new_shape(rule, &outline)) {
            return (self.add_code_of_shape(&shape, rule), shape.compiled.style);
        }
        let compiled = self.compile_frozen(rule, &[]);
        (self.add_code(&compiled, None), compiled.style)
    }

    fn add_code_of_shape(&mut self, shape: &RuleShape, rule: &Frozen) -> Pc {
        let start = self.add_code(&shape.compiled, None);
        for (pc, constant) in shape.constants(rule) {
            self.code.set_constant(start + pc, constant);
        }
        start
    }

    /// The shape of a rule, if its code depends on nothing else.
    fn new_shape(&mut self, rule: &Frozen, outline: &[u64]) -> Option<Rc<RuleShape>> {
        if !rule.objects.is_empty() {
            return None;
        }
        let shape = Rc::new(RuleShape::new(self.compile_frozen(rule, outline))?);
        self.shapes.keep(outline, &shape);
        Some(shape)
    }

    /// The code of a valid clause, with placeholders for the constants of an outline.
    fn compile_frozen(&mut self, clause: &Frozen, outline: &[u64]) -> Compiled {
        let mut tree = std::mem::take(&mut self.spare_tree);
        clause.write_to(&mut tree, outline);
        let compiled = compile(self, Namespace::User, &tree, ClauseParts::of(&tree))
            .expect("only clauses that compile are kept as terms, and large ones are compiled at once");
        tree.clear();
        self.spare_tree = tree;
        compiled
    }

    fn source(&self, id: PredId, clause: ClauseId) -> Option<Rc<Frozen>> {
        self.clauses(id)?.clause(clause)?.source.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::code::AddedInstruction;
    use crate::engine::state::Builtin;

    /// `p(A, X) :- q(B, X), r`.
    fn rule(store: &mut Store, a: Cell, b: Cell) -> Frozen {
        let x = store.new_var();
        let head = store.compound(Atom::new("p"), &[a, x]);
        let goal = store.compound(Atom::new("q"), &[b, x]);
        let body = store.compound(atoms::COMMA, &[goal, Cell::atom(Atom::new("r"))]);
        let rule = store.compound(atoms::NECK, &[head, body]);
        store.freeze(rule)
    }

    #[test]
    fn code_of_a_shape_holds_the_constants_of_each_rule() {
        let mut store = Store::new();
        let mut database = Database::new(std::iter::empty::<&Builtin>());
        let constants = |database: &Database, start: Pc| -> Vec<Cell> {
            let added = (start..).map_while(|pc| database.code.added(pc));
            let constant = |added| if let AddedInstruction::Instr(instr) = added { instr.constant() } else { None };
            added.filter_map(constant).collect()
        };
        let (name, other) = (Cell::atom(Atom::new("name")), Cell::atom(Atom::new("other")));
        let first = rule(&mut store, Cell::small_int(5), name);
        let second = rule(&mut store, Cell::small_int(-7), other);
        database.add_rule_code(&first);
        let n_shapes = database.shapes.len();
        let (code, _) = database.add_rule_code(&second);
        assert_eq!((n_shapes, database.shapes.len()), (1, 1));
        assert_eq!(constants(&database, code), [Cell::small_int(-7), other]);
    }
}
