//! Access to a term that does not depend on where it is stored; printing and JSON use it.

use num_bigint::BigInt;

use super::Atom;

/// The outermost level of a term.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shape<'a> {
    /// An unbound variable, with a number that identifies it.
    Var(u64),
    /// An atom.
    Atom(Atom),
    /// An integer that fits in 64 bits.
    Int(i64),
    /// A larger integer.
    BigInt(&'a BigInt),
    /// A float.
    Float(f64),
    /// A string object.
    Str(&'a str),
    /// A compound: name and number of arguments. Lists are `'.'(Head, Tail)`.
    Compound(Atom, usize),
}

/// Something that holds terms: a [`Tree`](super::Tree), or the heap of the machine.
pub(crate) trait View {
    /// The address of a term.
    type Handle: Copy;

    /// The outermost level of the term, with bindings followed.
    fn shape(&self, term: Self::Handle) -> Shape<'_>;

    /// Argument `index` (from 0) of a compound.
    fn arg(&self, term: Self::Handle, index: usize) -> Self::Handle;
}
