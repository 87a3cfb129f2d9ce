//! Facts kept as terms: a call unifies its arguments with them and builds only what it leaves unbound.

use smallvec::SmallVec;

use super::cell::{Cell, Object, Tag};
use super::frozen::Frozen;
use super::sharing::SUSPICIOUS;
use super::store::Store;

impl Store {
    /// Unifies the arguments of a call with those of a fact's head.
    pub(crate) fn unify_head(&mut self, fact: &Frozen, args: &[Cell]) -> bool {
        let mut is_simple = true;
        for (&own, &arg) in fact.head_args().iter().zip(args) {
            if matches!(own.tag(), Tag::Atom | Tag::Int) {
                let arg = self.deref(arg);
                if arg.is_ref() {
                    self.bind(arg, own);
                } else if arg != own {
                    return false;
                }
            } else {
                is_simple = false;
            }
        }
        is_simple || self.unify_compounds(fact, args)
    }

    /// Unifies the arguments that are neither atoms nor small integers.
    #[inline(never)]
    fn unify_compounds(&mut self, fact: &Frozen, args: &[Cell]) -> bool {
        let mut thawed = None;
        for (index, &own) in fact.head_args().iter().enumerate() {
            if matches!(own.tag(), Tag::Atom | Tag::Int) {
                continue;
            }
            if !fact.has_variables
                && thawed.is_none()
                && let Some(is_equal) = self.equals_frozen(fact, own, args[index])
            {
                if !is_equal {
                    return false;
                }
                continue;
            }
            let whole = *thawed.get_or_insert_with(|| self.thaw_from(fact));
            let built = whole.moved(own);
            if !self.unify(args[index], built) {
                return false;
            }
        }
        true
    }

    /// Whether a term equals a frozen ground term; `None` if the frozen term has variables, or is so large that general
    /// unification is faster.
    fn equals_frozen(&self, fact: &Frozen, own: Cell, term: Cell) -> Option<bool> {
        let mut rest: SmallVec<[(Cell, Cell); 16]> = SmallVec::new();
        rest.push((own, term));
        let mut steps = 0;
        while let Some((own, term)) = rest.pop() {
            let term = self.deref(term);
            let (from, to) = (own.index(), term.index());
            match (own.tag(), term.tag()) {
                (_, Tag::Ref) => return None,
                (Tag::List, Tag::List) => {
                    let [head, tail] = [0, 1].map(|n| (fact.cells[from + n], self.heap[to + n]));
                    rest.extend([tail, head]);
                }
                (Tag::Struct, Tag::Struct) if fact.cells[from] == self.heap[to] => {
                    let arity = fact.cells[from].header_arity();
                    rest.extend((1..=arity).rev().map(|n| (fact.cells[from + n], self.heap[to + n])));
                }
                (Tag::Float, Tag::Float) | (Tag::Object, Tag::Object) if self.equals_boxed(fact, own, term) => {}
                (Tag::Atom, Tag::Atom) | (Tag::Int, Tag::Int) if own == term => {}
                _ => return Some(false),
            }
            steps += 1;
            if steps == SUSPICIOUS {
                return None;
            }
        }
        Some(true)
    }

    fn equals_boxed(&self, fact: &Frozen, own: Cell, term: Cell) -> bool {
        if own.tag() == Tag::Float {
            return fact.cells[own.index() + 1] == self.heap[term.index() + 1];
        }
        match (&fact.objects[own.index()], &self.objects[term.index()]) {
            (Object::BigInt(one), Object::BigInt(other)) => one == other,
            (Object::Str(one), Object::Str(other)) => one == other,
            _ => false,
        }
    }
}
