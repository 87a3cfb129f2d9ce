//! Index keys: one word for an argument, as clause indexing distinguishes them.

use std::hash::BuildHasher;

use crate::term::hash::FixedState;

use super::cell::{Cell, Object, Tag};
use super::frozen::Frozen;
use super::store::Store;

/// The key that matches every other key.
pub(crate) const ANY_KEY: u64 = 0;
/// The key of all list pairs.
pub(crate) const LIST_KEY: u64 = 1;

/// The key of an argument: terms that unify have equal keys, or one key is [`ANY_KEY`].
#[inline]
pub(crate) fn key_of(store: &Store, argument: Cell) -> u64 {
    let cell = store.deref(argument);
    match cell.tag() {
        Tag::Ref => ANY_KEY,
        Tag::Atom | Tag::Int => cell.0,
        Tag::List => LIST_KEY,
        Tag::Struct => store.heap[cell.index()].0,
        Tag::Float | Tag::Object | Tag::Header => boxed_key(store, cell),
    }
}

/// The key of a float, a string or a big integer.
#[inline(never)]
pub(crate) fn boxed_key(store: &Store, cell: Cell) -> u64 {
    match cell.tag() {
        Tag::Float => float_key(store.heap[cell.index() + 1]),
        _ => object_key(&store.objects[cell.index()]),
    }
}

/// `0.0` and `-0.0` compare equal, and NaNs may differ in their bits.
fn float_key(bits: Cell) -> u64 {
    let value = f64::from_bits(bits.0);
    let bits = if value == 0.0 || value.is_nan() { 0 } else { value.to_bits() };
    tagged(bits, Tag::Float)
}

fn object_key(object: &Object) -> u64 {
    let hasher = FixedState::default();
    let hash = match object {
        Object::BigInt(value) => hasher.hash_one(value),
        Object::Str(text) => hasher.hash_one(text),
    };
    tagged(hash, Tag::Object)
}

fn tagged(value: u64, tag: Tag) -> u64 {
    (value ^ value.rotate_left(17)) << 3 | tag as u64
}

impl Frozen {
    /// The key of a head argument, if this is a clause.
    #[inline]
    pub(crate) fn argument_key(&self, index: usize) -> u64 {
        let Some(&cell) = self.head_args().get(index) else { return ANY_KEY };
        match cell.tag() {
            Tag::Ref => ANY_KEY,
            Tag::Atom | Tag::Int => cell.0,
            Tag::List => LIST_KEY,
            Tag::Struct => self.cells[cell.index()].0,
            Tag::Float => float_key(self.cells[cell.index() + 1]),
            Tag::Object | Tag::Header => object_key(&self.objects[cell.index()]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;

    #[test]
    fn equal_boxed_terms_have_equal_keys_on_and_off_the_heap() {
        let mut store = Store::new();
        let big = |n: i32| BigInt::from(n).pow(40);
        let terms = [
            store.float(1.5),
            store.float(0.0),
            store.string("text"),
            store.bigint(big(7)),
            store.string(""),
            store.float(-1.5),
            store.bigint(big(11)),
        ];
        let again = [
            store.float(1.5),
            store.float(-0.0),
            store.string("text"),
            store.bigint(big(7)),
            store.string(""),
            store.float(-1.5),
            store.bigint(big(11)),
        ];
        for (number, (&one, &other)) in terms.iter().zip(&again).enumerate() {
            assert_eq!(key_of(&store, one), key_of(&store, other));
            let clause = store.compound(crate::term::Atom::new("p"), &[one]);
            assert_eq!(store.freeze(clause).argument_key(0), key_of(&store, one));
            let others = terms.iter().enumerate().filter(|(at, _)| *at != number);
            assert!(others.into_iter().all(|(_, &third)| key_of(&store, third) != key_of(&store, one)));
        }
    }
}
