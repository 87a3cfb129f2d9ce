//! Rules that differ only in their constants are compiled once, and their code is copied.
//!
//! Rules asserted in a loop usually do. The first rule of a shape is compiled with placeholders for its constants;
//! where these end up in the code, each rule's own constants go.

use std::rc::Rc;

use smallvec::SmallVec;

use super::compiled::Compiled;
use super::instr::{CompoundArgument, Instr, Pc};
use crate::engine::heap::{Cell, Frozen, Tag};
use crate::term::hash::HashMap;
use crate::term::{Atom, Node, atoms};

/// Recently compiled rules, by their outline.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuleShapes {
    known: HashMap<Box<[u64]>, Rc<RuleShape>>,
}

/// The code that all rules of a shape share.
#[derive(Debug)]
pub(crate) struct RuleShape {
    pub(crate) compiled: Compiled,
    constants: SmallVec<[ConstantPlace; 8]>,
}

/// Where a constant of a rule goes in its code.
#[derive(Clone, Copy, Debug)]
struct ConstantPlace {
    pc: Pc,
    /// Its index in the frozen rule.
    cell: usize,
    is_negated: bool,
}

/// The words of a rule with each constant replaced by its [`ConstantKind`].
pub(crate) type Outline = SmallVec<[u64; 64]>;

/// What the compiler has to know about a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConstantKind {
    /// An atom that is not a goal.
    Atom = 1,
    /// An integer of 32 bits, which fits into an instruction next to a register.
    Small = 2,
    /// Any other integer.
    Wide = 3,
}

/// The most shapes that are cached.
const MOST: usize = 256;
/// The placeholders of small integers, to which their index is added.
const SMALL_MARK: i64 = 0x4000_0000;
const WIDE_MARK: i64 = 1 << 40;
/// Placeholders count from here; rules compiled by shape have fewer cells.
const MARKS: usize = 1 << 12;

impl ConstantKind {
    const ALL: [ConstantKind; 3] = [ConstantKind::Atom, ConstantKind::Small, ConstantKind::Wide];

    /// Its word in an outline, which occurs in no term.
    fn word(self) -> u64 {
        Cell::RAW.0 | (self as u64) << 3
    }

    fn of(cell: Cell) -> Option<ConstantKind> {
        match cell.tag() {
            Tag::Atom => Some(ConstantKind::Atom),
            // Its negation does not fit into 32 bits.
            Tag::Int if cell.int_value() == i64::from(i32::MIN) => None,
            Tag::Int if i32::try_from(cell.int_value()).is_ok() => Some(ConstantKind::Small),
            Tag::Int => Some(ConstantKind::Wide),
            _ => None,
        }
    }

    /// The placeholder of the constant at `index`.
    fn mark(self, index: usize) -> Node {
        match self {
            ConstantKind::Atom => Node::Atom(Atom::from_id(u32::MAX - index as u32)),
            ConstantKind::Small => Node::Int(SMALL_MARK + index as i64),
            ConstantKind::Wide => Node::Int(WIDE_MARK + index as i64),
        }
    }
}

/// The placeholder at an index of an outline; `None` if no constant is there.
pub(crate) fn mark_at(outline: &[u64], index: usize) -> Option<Node> {
    let word = *outline.get(index)?;
    ConstantKind::ALL.into_iter().find(|kind| kind.word() == word).map(|kind| kind.mark(index))
}

/// The constant that a placeholder stands for: its index and whether it is negated.
fn marked(word: Cell) -> Option<(usize, bool)> {
    let below = |index: i64| usize::try_from(index).ok().filter(|&index| index < MARKS);
    if word.tag() == Tag::Atom {
        return Some((below(i64::from(u32::MAX - word.atom_value().id()))?, false));
    }
    let plain = |value: i64| below(value - SMALL_MARK).or_else(|| below(value - WIDE_MARK));
    let value = word.is_int().then(|| word.int_value())?;
    plain(value).map(|index| (index, false)).or_else(|| Some((plain(-value)?, true)))
}

impl RuleShapes {
    /// The shape with this outline.
    pub(crate) fn find(&self, outline: &[u64]) -> Option<Rc<RuleShape>> {
        self.known.get(outline).cloned()
    }

    /// Caches a shape.
    pub(crate) fn keep(&mut self, outline: &[u64], shape: &Rc<RuleShape>) {
        if self.known.len() == MOST {
            self.known.clear();
        }
        self.known.insert(outline.into(), Rc::clone(shape));
    }

    /// Number of shapes.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.known.len()
    }
}

impl RuleShape {
    /// The shape of a rule compiled with placeholders, unless its code refers to constants in a separate table.
    pub(crate) fn new(compiled: Compiled) -> Option<RuleShape> {
        let is_apart = |instr: &Instr| matches!(instr, Instr::GetFrozen { .. } | Instr::PutFrozen { .. });
        if compiled.code.iter().any(is_apart) {
            return None;
        }
        let places = compiled.code.iter().enumerate().filter_map(|(pc, instr)| {
            let (cell, is_negated) = marked(instr.constant()?)?;
            Some(ConstantPlace { pc: pc as Pc, cell, is_negated })
        });
        Some(RuleShape { constants: places.collect(), compiled })
    }

    /// The constants of a rule of this shape, each with the relative address of its instruction.
    pub(crate) fn constants(&self, rule: &Frozen) -> impl Iterator<Item = (Pc, Cell)> {
        self.constants.iter().map(|place| {
            let own = rule.cells[place.cell];
            (place.pc, if place.is_negated { Cell::small_int(-own.int_value()) } else { own })
        })
    }
}

impl Instr {
    /// The constant that it holds.
    pub(crate) fn constant(&self) -> Option<Cell> {
        match *self {
            Instr::GetConst { value, .. } | Instr::UnifyConst { value } | Instr::PutConst { value, .. } => Some(value),
            Instr::AddInt { n, .. } | Instr::CompareInt { n, .. } => Some(Cell::small_int(n.into())),
            Instr::GetPair { head: one, tail: other, .. }
            | Instr::PutPair { head: one, tail: other, .. }
            | Instr::UnifyPair { first: one, second: other } => [one, other].into_iter().find_map(|part| match part {
                CompoundArgument::Const(value) => Some(value),
                _ => None,
            }),
            _ => None,
        }
    }

    /// Replaces that constant by one of the same size.
    pub(crate) fn set_constant(&mut self, new: Cell) {
        match self {
            Instr::GetConst { value, .. } | Instr::UnifyConst { value } | Instr::PutConst { value, .. } => *value = new,
            Instr::AddInt { n, .. } | Instr::CompareInt { n, .. } => *n = new.int_value() as i32,
            Instr::GetPair { head: one, tail: other, .. }
            | Instr::PutPair { head: one, tail: other, .. }
            | Instr::UnifyPair { first: one, second: other } => {
                for part in [one, other] {
                    if let CompoundArgument::Const(value) = part {
                        *value = new;
                    }
                }
            }
            _ => {}
        }
    }
}

/// Whether compounds of this name may have goals as arguments, whose names matter.
fn takes_goals(name: Atom) -> bool {
    use atoms::{ARROW, BAR, COMMA, IGNORE, NECK, NOT_PROVABLE, ONCE, SEMICOLON, SOFT_ARROW};
    matches!(name, NECK | COMMA | SEMICOLON | BAR | ARROW | SOFT_ARROW | NOT_PROVABLE | ONCE | IGNORE)
}

impl Frozen {
    /// Its words with placeholders for all constants that are not goals.
    pub(crate) fn outline(&self) -> Outline {
        let mut outline = Outline::with_capacity(self.cells.len());
        // Words before this index are goals or the bits of a float.
        let mut exact = 0;
        for (index, &cell) in self.cells.iter().enumerate() {
            let kind = ConstantKind::of(cell).filter(|_| index >= exact);
            outline.push(kind.map_or(cell.0, ConstantKind::word));
            if index >= exact && cell.tag() == Tag::Header {
                exact = match cell {
                    Cell::RAW => index + 2,
                    _ if takes_goals(cell.atom_value()) => index + 1 + cell.header_arity(),
                    _ => exact,
                };
            }
        }
        outline
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::heap::Store;

    /// `p(A, X) :- q(B, X), r`.
    fn rule(store: &mut Store, a: Cell, b: Cell, last: &str) -> Frozen {
        let x = store.new_var();
        let head = store.compound(Atom::new("p"), &[a, x]);
        let goal = store.compound(Atom::new("q"), &[b, x]);
        let body = store.compound(atoms::COMMA, &[goal, Cell::atom(Atom::new(last))]);
        let rule = store.compound(atoms::NECK, &[head, body]);
        store.freeze(rule)
    }

    #[test]
    fn rules_that_differ_in_arguments_of_one_kind_are_alike() {
        let mut store = Store::new();
        let [one, two, wide, name, other] = [
            Cell::small_int(1),
            Cell::small_int(2),
            Cell::small_int(1 << 40),
            Cell::atom(Atom::new("name")),
            Cell::atom(Atom::new("other")),
        ];
        let first = rule(&mut store, one, name, "r").outline();
        for (a, b, last, is_alike) in [
            (two, other, "r", true),
            (one, name, "r", true),
            (wide, name, "r", false),
            (name, name, "r", false),
            (one, one, "r", false),
            (one, name, "s", false),
        ] {
            assert_eq!(first == rule(&mut store, a, b, last).outline(), is_alike);
        }
    }
}
