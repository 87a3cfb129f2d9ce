//! Unification and the standard order of terms, each with an explicit stack; both terminate on cyclic terms.

use num_bigint::BigInt;
use smallvec::SmallVec;
use std::cmp::Ordering;

use super::cell::{Cell, Object, Tag};
use super::sharing::{EqualPairs, HARMLESS, Visits};
use super::store::{Mark, OccursCheck, Store, Term};
use crate::term::Atom;

/// A state to undo to if what follows fails; see [`Store::begin_attempt`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempt {
    mark: Mark,
    barrier: usize,
}

impl Store {
    /// Makes `a` and `b` equal by binding variables; after a failure some may be bound, which backtracking undoes.
    #[inline]
    pub(crate) fn unify(&mut self, a: Cell, b: Cell) -> bool {
        let (a, b) = (self.deref(a), self.deref(b));
        if a == b {
            return true;
        }
        if a.is_ref() && !b.is_ref() && !self.checks_occurs() {
            self.bind(a, b);
            return true;
        }
        if a.is_ref() || b.is_ref() {
            return self.unify_variable(a, b);
        }
        self.unify_nonvariables(a, b)
    }

    /// Like [`Store::unify`], but with the occurs check: a variable is never bound to a term that contains it.
    pub(crate) fn unify_with_occurs_check(&mut self, a: Cell, b: Cell) -> bool {
        let before = std::mem::replace(&mut self.occurs_check, OccursCheck::On);
        let unified = self.unify(a, b);
        self.occurs_check = before;
        unified
    }

    /// Whether `a` and `b` unify and `check` then accepts the unified terms; no binding remains.
    pub(crate) fn unifies(&mut self, a: Cell, b: Cell, check: impl FnOnce(&Store) -> bool) -> bool {
        let (barrier, undo) = (std::mem::replace(&mut self.barrier, self.heap.len()), self.trail.len());
        let unified = self.unify(a, b) && check(self);
        self.refused = None;
        self.unwind_trail(undo);
        self.barrier = barrier;
        unified
    }

    /// The bindings that would make `a` and `b` equal, or `None` if they do not unify.
    pub(crate) fn bindings_to_unify(&mut self, a: Cell, b: Cell) -> Option<Vec<(Cell, Cell)>> {
        let undo = self.trail.len();
        let mut bindings = None;
        self.unifies(a, b, |store| {
            let bound =
                store.trail[undo..].iter().map(|change| (Cell::reference(change.index), store.heap[change.index]));
            bindings = Some(bound.collect());
            true
        });
        bindings
    }

    /// Starts an attempt, whose bindings can be undone.
    pub(crate) fn begin_attempt(&mut self) -> Attempt {
        let attempt = Attempt { mark: self.mark(), barrier: self.barrier };
        self.barrier = self.heap.len();
        attempt
    }

    /// Ends a successful attempt: its bindings stay.
    pub(crate) fn keep_attempt(&mut self, attempt: Attempt) {
        self.barrier = attempt.barrier;
    }

    /// Ends a failed attempt: undoes its bindings and drops the terms it built.
    pub(crate) fn undo_attempt(&mut self, attempt: Attempt) {
        self.undo_to(attempt.mark);
        self.barrier = attempt.barrier;
    }

    /// Unifies two dereferenced, different cells, at least one of them a variable; the younger is bound to the older.
    fn unify_variable(&mut self, a: Cell, b: Cell) -> bool {
        let (variable, value) = match (a.is_ref(), b.is_ref()) {
            (true, true) => self.oriented(a, b),
            (true, _) => (a, b),
            _ => (b, a),
        };
        if self.occurs_check != OccursCheck::Off && self.occurs_in(variable, value) {
            return self.refuse(variable, value);
        }
        self.bind(variable, value);
        true
    }

    #[cold]
    fn refuse(&mut self, variable: Cell, value: Cell) -> bool {
        if self.occurs_check == OccursCheck::Error {
            self.refused = Some((variable, value));
        }
        false
    }

    fn unify_nonvariables(&mut self, a: Cell, b: Cell) -> bool {
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.clear();
        pairs.push((a, b));
        let unified = self.unify_pairs(&mut pairs);
        self.pairs = pairs;
        unified
    }

    /// Unifies pairs of nonvariable terms. Compound arguments are handled after the simple ones, which fail faster.
    fn unify_pairs(&mut self, pairs: &mut Vec<(Cell, Cell)>) -> bool {
        let mut visits = EqualPairs::new(self);
        while let Some((a, b)) = pairs.pop() {
            if visits.is_repeated(self, a, b) {
                if self.gave_up() {
                    return false;
                }
                continue;
            }
            let unified = match (a.tag(), b.tag()) {
                (Tag::List, Tag::List) => self.unify_arguments(pairs, a.index(), b.index(), 2),
                (Tag::Struct, Tag::Struct) => {
                    let header = self.heap[a.index()];
                    header == self.heap[b.index()]
                        && self.unify_arguments(pairs, a.index() + 1, b.index() + 1, header.header_arity())
                }
                _ => {
                    let equal = self.equal_boxed(a, b);
                    if !equal {
                        self.note_near_miss(a, b);
                    }
                    equal
                }
            };
            if !unified {
                return false;
            }
        }
        self.note_walk(visits.steps);
        visits.steps <= HARMLESS || !self.gave_up()
    }

    /// Unifies the simple ones among `arity` arguments from two heap indexes on, and pushes the compound ones onto
    /// `pairs`, the first one topmost.
    fn unify_arguments(&mut self, pairs: &mut Vec<(Cell, Cell)>, a: usize, b: usize, arity: usize) -> bool {
        let waiting = pairs.len();
        for argument in 0..arity {
            let (a, b) = (self.deref(self.heap[a + argument]), self.deref(self.heap[b + argument]));
            if a == b {
                continue;
            }
            if a.is_ref() || b.is_ref() {
                if !self.unify_variable(a, b) {
                    return false;
                }
            } else if a.is_constant() || b.is_constant() {
                if a.may_be_alike(b) {
                    self.note_near_miss(a, b);
                }
                return false;
            } else {
                pairs.push((a, b));
            }
        }
        pairs[waiting..].reverse();
        true
    }

    /// Whether two different words represent the same number or string.
    fn equal_boxed(&self, a: Cell, b: Cell) -> bool {
        match (a.tag(), b.tag()) {
            (Tag::Float, Tag::Float) => self.heap[a.index() + 1] == self.heap[b.index() + 1],
            (Tag::Object, Tag::Object) => match (&self.objects[a.index()], &self.objects[b.index()]) {
                (Object::Str(a), Object::Str(b)) => a == b,
                (Object::BigInt(a), Object::BigInt(b)) => a == b,
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether the unbound variable occurs in `term`.
    pub(crate) fn occurs_in(&self, variable: Cell, term: Cell) -> bool {
        let mut visits = Visits::new(self);
        let mut rest = vec![term];
        while let Some(term) = rest.pop() {
            let term = self.deref(term);
            if term == variable {
                return true;
            }
            if visits.is_repeated(self, term) {
                continue;
            }
            if let Term::Compound(compound) = self.look(term) {
                rest.extend_from_slice(self.args(compound));
            }
        }
        false
    }

    /// The standard order (ISO 7.2): variables, floats, integers, strings, atoms, compounds by arity, name and
    /// arguments. `-0.0` comes before `0.0`, since the two are different terms; NaN comes before all floats.
    #[inline]
    pub(crate) fn compare(&self, a: Cell, b: Cell) -> Ordering {
        let (a, b) = (self.deref(a), self.deref(b));
        if a.is_int() && b.is_int() { a.int_value().cmp(&b.int_value()) } else { self.compare_any(a, b) }
    }

    fn compare_any(&self, a: Cell, b: Cell) -> Ordering {
        match (self.look(a), self.look(b)) {
            (Term::Compound(_), Term::Compound(_)) => self.compare_compounds(a, b),
            (a, b) => compare_simple(a, b),
        }
    }

    fn compare_compounds(&self, a: Cell, b: Cell) -> Ordering {
        let mut visits = EqualPairs::new(self);
        let mut pairs: SmallVec<[(Cell, Cell); 16]> = SmallVec::new();
        pairs.push((a, b));
        while let Some((a, b)) = pairs.pop() {
            let (a, b) = (self.deref(a), self.deref(b));
            if a == b {
                continue;
            }
            if visits.is_repeated(self, a, b) {
                if self.gave_up() {
                    break;
                }
                continue;
            }
            let order = match (self.look(a), self.look(b)) {
                (Term::Compound(x), Term::Compound(y)) => {
                    let order = x.arity.cmp(&y.arity).then_with(|| compare_names(x.name, y.name));
                    if order.is_eq() {
                        let (x, y) = (self.args(x).iter().rev(), self.args(y).iter().rev());
                        pairs.extend(x.zip(y).map(|(x, y)| (*x, *y)));
                    }
                    order
                }
                (x, y) => compare_simple(x, y),
            };
            if order.is_ne() {
                self.note_walk(visits.steps);
                return order;
            }
        }
        self.note_walk(visits.steps);
        Ordering::Equal
    }
}

fn compare_simple(a: Term<'_>, b: Term<'_>) -> Ordering {
    match (a, b) {
        (Term::Var(a), Term::Var(b)) => a.index().cmp(&b.index()),
        (Term::Atom(a), Term::Atom(b)) => compare_names(a, b),
        (Term::Str(a), Term::Str(b)) => a.cmp(b),
        _ => rank(a).cmp(&rank(b)).then_with(|| compare_numbers(a, b)),
    }
}

#[inline]
fn compare_names(a: Atom, b: Atom) -> Ordering {
    if a == b { Ordering::Equal } else { a.as_str().cmp(b.as_str()) }
}

fn rank(term: Term<'_>) -> u8 {
    match term {
        Term::Var(_) => 0,
        Term::Float(_) => 1,
        Term::Int(_) | Term::BigInt(_) => 2,
        Term::Str(_) => 3,
        Term::Atom(_) => 4,
        Term::Compound(_) => 5,
    }
}

fn compare_numbers(a: Term<'_>, b: Term<'_>) -> Ordering {
    match (a, b) {
        (Term::Int(a), Term::Int(b)) => a.cmp(&b),
        (Term::Float(a), Term::Float(b)) => compare_floats(a, b),
        (Term::Int(a), Term::BigInt(b)) => BigInt::from(a).cmp(b),
        (Term::BigInt(a), Term::Int(b)) => a.cmp(&BigInt::from(b)),
        (Term::BigInt(a), Term::BigInt(b)) => a.cmp(b),
        _ => Ordering::Equal,
    }
}

fn compare_floats(a: f64, b: f64) -> Ordering {
    match (a.is_nan(), b.is_nan()) {
        (false, false) => a.partial_cmp(&b).unwrap_or(Ordering::Equal).then_with(|| a.total_cmp(&b)),
        (a, b) => b.cmp(&a),
    }
}
