//! The machine word: a term, or a reference to one on the heap.

use std::rc::Rc;

use num_bigint::BigInt;

use crate::term::Atom;

/// A tagged 64-bit word; the tag is in the low three bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Cell(pub(crate) u64);

/// What the value bits of a [`Cell`] mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tag {
    /// Index of a heap cell; an unbound variable refers to itself.
    Ref,
    /// Index of the head of a list pair; the tail follows it.
    List,
    /// Index of a functor header; the arguments follow the header.
    Struct,
    /// Number of an atom.
    Atom,
    /// Index of a raw header; the bits of a float follow the header.
    Float,
    /// Index into the store's table of big integers and strings.
    Object,
    /// Functor name and arity, or the header of raw words; found only on the heap.
    Header,
    /// A 61-bit integer.
    Int,
}

const TAG_BITS: u32 = 3;
const TAG_MASK: u64 = 7;
const ARITY_SHIFT: u32 = 35;
const RAW_ARITY: u64 = (1 << 28) - 1;

impl Cell {
    /// The largest integer that fits into a word.
    pub(crate) const MAX_INT: i64 = (1 << 60) - 1;
    /// The smallest integer that fits into a word.
    pub(crate) const MIN_INT: i64 = -(1 << 60);
    /// The empty list.
    pub(crate) const NIL: Cell = Cell::atom(crate::term::atoms::NIL);

    pub(crate) const fn pack(tag: Tag, value: u64) -> Cell {
        Cell(value << TAG_BITS | tag as u64)
    }

    /// The word of an atom.
    pub(crate) const fn atom(atom: Atom) -> Cell {
        Cell::pack(Tag::Atom, atom.id() as u64)
    }

    /// The word of an integer in [`Cell::MIN_INT`]..=[`Cell::MAX_INT`].
    pub(crate) const fn small_int(value: i64) -> Cell {
        Cell((value << TAG_BITS) as u64 | Tag::Int as u64)
    }

    /// The word of a character code.
    pub(crate) const fn code(character: char) -> Cell {
        Cell::small_int(character as i64)
    }

    pub(crate) const fn reference(index: usize) -> Cell {
        Cell::pack(Tag::Ref, index as u64)
    }

    pub(crate) const fn header(name: Atom, arity: usize) -> Cell {
        Cell((arity as u64) << ARITY_SHIFT | (name.id() as u64) << TAG_BITS | Tag::Header as u64)
    }

    /// The header of one raw word, which is not a cell.
    pub(crate) const RAW: Cell = Cell(RAW_ARITY << ARITY_SHIFT | Tag::Header as u64);

    /// The kind of this word.
    #[inline(always)]
    pub(crate) const fn tag(self) -> Tag {
        match self.0 & TAG_MASK {
            0 => Tag::Ref,
            1 => Tag::List,
            2 => Tag::Struct,
            3 => Tag::Atom,
            4 => Tag::Float,
            5 => Tag::Object,
            6 => Tag::Header,
            _ => Tag::Int,
        }
    }

    #[inline(always)]
    pub(crate) const fn is_int(self) -> bool {
        self.0 & TAG_MASK == Tag::Int as u64
    }

    #[inline(always)]
    pub(crate) const fn is_ref(self) -> bool {
        self.0 & TAG_MASK == Tag::Ref as u64
    }

    /// Whether this is an atom or a small integer.
    #[inline(always)]
    pub(crate) const fn is_constant(self) -> bool {
        matches!(self.tag(), Tag::Atom | Tag::Int)
    }

    /// The value bits as an index into the heap or a table.
    #[inline(always)]
    pub(crate) const fn index(self) -> usize {
        (self.0 >> TAG_BITS) as usize
    }

    #[inline(always)]
    pub(crate) const fn int_value(self) -> i64 {
        (self.0 as i64) >> TAG_BITS
    }

    /// The atom of an atom's word or of a functor's header.
    #[inline(always)]
    pub(crate) const fn atom_value(self) -> Atom {
        Atom::from_id((self.0 >> TAG_BITS) as u32)
    }

    #[inline(always)]
    pub(crate) const fn header_arity(self) -> usize {
        (self.0 >> ARITY_SHIFT) as usize
    }

    /// The same word with its heap index increased by `offset`.
    #[inline(always)]
    pub(crate) const fn moved_by(self, offset: usize) -> Cell {
        Cell(self.0 + ((offset as u64) << TAG_BITS))
    }
}

/// A big integer or a string; reference-counted, so that copying a term does not copy it.
#[derive(Clone, Debug)]
pub(crate) enum Object {
    BigInt(Rc<BigInt>),
    Str(Rc<str>),
}
