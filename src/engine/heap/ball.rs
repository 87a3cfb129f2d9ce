//! Questions about a ball: a frozen term off the heap.

use super::cell::{Cell, Object, Tag};
use super::frozen::Frozen;
use crate::term::{Atom, atoms};

impl Frozen {
    /// Whether it is `error(resource_error(_), _)`.
    pub(crate) fn is_resource_error(&self) -> bool {
        self.error_parts().is_some_and(|[formal, _]| self.functor(formal) == Some((atoms::RESOURCE_ERROR, 1)))
    }

    /// Whether it is an error whose context has a place, as those of the machine do after they were thrown.
    pub(crate) fn has_place(&self) -> bool {
        self.error_parts().is_some_and(|[_, context]| {
            matches!(self.functor(context), Some((atoms::CONTEXT, _)))
                && self.args(context).get(1).is_some_and(|place| place.tag() == Tag::Atom)
        })
    }

    /// The arguments of an `error/2`.
    fn error_parts(&self) -> Option<[Cell; 2]> {
        let root = self.root()?;
        match (self.functor(root), self.args(root)) {
            (Some((atoms::ERROR, 2)), &[formal, context]) => Some([formal, context]),
            _ => None,
        }
    }

    fn functor(&self, cell: Cell) -> Option<(Atom, usize)> {
        match cell.tag() {
            Tag::Atom => Some((cell.atom_value(), 0)),
            Tag::Struct => {
                let header = self.cells[cell.index()];
                Some((header.atom_value(), header.header_arity()))
            }
            Tag::List => Some((atoms::DOT, 2)),
            _ => None,
        }
    }

    /// Whether two balls are variants, as far as `most` steps show.
    pub(crate) fn is_like(&self, other: &Frozen, most: usize) -> bool {
        let mut waiting: Vec<(Cell, Cell)> = self.root().into_iter().zip(other.root()).collect();
        if waiting.is_empty() {
            return false;
        }
        for _ in 0..most {
            let Some((a, b)) = waiting.pop() else { return true };
            let is_like = match (a.tag(), b.tag()) {
                (Tag::Ref, Tag::Ref) => true,
                (Tag::Struct, Tag::Struct) => self.functor(a) == other.functor(b),
                (Tag::List, Tag::List) => true,
                (Tag::Float, Tag::Float) => self.cells[a.index() + 1] == other.cells[b.index() + 1],
                (Tag::Object, Tag::Object) => is_same(&self.objects[a.index()], &other.objects[b.index()]),
                _ => a == b,
            };
            if !is_like {
                return false;
            }
            waiting.extend(self.args(a).iter().copied().zip(other.args(b).iter().copied()));
        }
        false
    }
}

fn is_same(one: &Object, other: &Object) -> bool {
    match (one, other) {
        (Object::BigInt(a), Object::BigInt(b)) => a == b,
        (Object::Str(a), Object::Str(b)) => a == b,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::Store;
    use crate::term::{Atom, atoms};

    #[test]
    fn balls_are_alike_whatever_their_variables_are_called() {
        let mut store = Store::new();
        let [x, y] = [store.new_var(), store.new_var()];
        let (text, number) = (store.string("text"), store.float(1.5));
        let one = store.list(&[x, text, number]);
        let other = store.list(&[y, text, number]);
        let different = store.list(&[y, number, text]);
        let [one, other, different] = [one, other, different].map(|term| store.freeze(term));
        assert!(one.is_like(&other, 100));
        assert!(!one.is_like(&different, 100) && !one.is_like(&other, 3));
    }

    #[test]
    fn an_error_with_a_place_has_an_atom_after_its_predicate() {
        let mut store = Store::new();
        let variable = store.new_var();
        let formal = store.compound(atoms::RESOURCE_ERROR, &[variable]);
        let [known, unknown] = [super::Cell::atom(Atom::new("a.pl:1:1")), variable].map(|place| {
            let context = store.compound(atoms::CONTEXT, &[variable, place]);
            let error = store.compound(atoms::ERROR, &[formal, context]);
            store.freeze(error)
        });
        assert!(known.has_place() && known.is_resource_error());
        assert!(!unknown.has_place() && unknown.is_resource_error());
    }
}
