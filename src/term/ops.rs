//! The operator table: the operators, with their kinds and priorities.

use crate::term::hash::NumberMap;
use std::sync::LazyLock;

use super::{Atom, atoms};

/// Place and associativity of an operator (`f`): a `y` operand may have its priority, an `x` operand must have a lower one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub(crate) enum OpKind {
    Xfx,
    Xfy,
    Yfx,
    Fy,
    Fx,
    Xf,
    Yf,
}

/// The place of an operator; an atom has at most one operator in each place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpPlace {
    /// Before its operand.
    Prefix,
    /// Between two operands.
    Infix,
    /// After its operand.
    Postfix,
}

/// An operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Op {
    /// 1 to 1200; a greater one binds less tightly.
    pub(crate) priority: u16,
    /// Place and associativity.
    pub(crate) kind: OpKind,
}

impl OpKind {
    const ALL: [(OpKind, &'static str); 7] = [
        (OpKind::Xfx, "xfx"),
        (OpKind::Xfy, "xfy"),
        (OpKind::Yfx, "yfx"),
        (OpKind::Fy, "fy"),
        (OpKind::Fx, "fx"),
        (OpKind::Xf, "xf"),
        (OpKind::Yf, "yf"),
    ];

    /// The name in op/3: `xfx`, `fy`, ...
    pub(crate) fn name(self) -> &'static str {
        OpKind::ALL[self as usize].1
    }

    /// The kind with this name.
    pub(crate) fn from_name(name: &str) -> Option<OpKind> {
        OpKind::ALL.iter().find(|(_, n)| *n == name).map(|(kind, _)| *kind)
    }

    /// The place of the operator.
    pub(crate) fn place(self) -> OpPlace {
        match self {
            OpKind::Fy | OpKind::Fx => OpPlace::Prefix,
            OpKind::Xf | OpKind::Yf => OpPlace::Postfix,
            OpKind::Xfx | OpKind::Xfy | OpKind::Yfx => OpPlace::Infix,
        }
    }
}

impl Op {
    /// The greatest priority of a left operand; without meaning for a prefix operator.
    pub(crate) fn left_max(self) -> u16 {
        match self.kind {
            OpKind::Yfx | OpKind::Yf => self.priority,
            _ => self.priority - 1,
        }
    }

    /// The greatest priority of a right operand; without meaning for a postfix operator.
    pub(crate) fn right_max(self) -> u16 {
        match self.kind {
            OpKind::Xfy | OpKind::Fy => self.priority,
            _ => self.priority - 1,
        }
    }
}

/// A set of operators.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpTable {
    entries: NumberMap<Atom, [Option<Op>; 3]>,
}

impl OpTable {
    /// The operators of ISO Prolog, and those of the trace queries.
    pub(crate) fn standard() -> OpTable {
        static TABLE: LazyLock<OpTable> = LazyLock::new(standard);
        TABLE.clone()
    }

    /// Makes `name` an operator, replacing the one in the same place; priority 0 removes that one.
    pub(crate) fn add(&mut self, priority: u16, kind: OpKind, name: Atom) {
        let op = (priority > 0).then_some(Op { priority, kind });
        let entry = self.entries.entry(name).or_default();
        entry[kind.place() as usize] = op;
        if *entry == [None; 3] {
            self.entries.remove(&name);
        }
    }

    /// The prefix operator `name`.
    pub(crate) fn prefix(&self, name: Atom) -> Option<Op> {
        self.at(name, OpPlace::Prefix)
    }

    /// The infix operator `name`.
    pub(crate) fn infix(&self, name: Atom) -> Option<Op> {
        self.at(name, OpPlace::Infix)
    }

    /// The postfix operator `name`.
    pub(crate) fn postfix(&self, name: Atom) -> Option<Op> {
        self.at(name, OpPlace::Postfix)
    }

    /// Whether `name` is an operator in any place.
    pub(crate) fn is_op(&self, name: Atom) -> bool {
        name == atoms::COMMA || self.entries.contains_key(&name)
    }

    /// All operators, sorted by name, for `current_op/3`.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Atom, Op)> + use<> {
        let mut all: Vec<(Atom, Op)> =
            self.entries.iter().flat_map(|(&name, ops)| ops.iter().flatten().map(move |&op| (name, op))).collect();
        all.sort_by_key(|(name, op)| (name.as_str(), op.kind as usize));
        all.into_iter()
    }

    fn at(&self, name: Atom, place: OpPlace) -> Option<Op> {
        // The comma is the most common operator: no lookup.
        if name == atoms::COMMA {
            return (place == OpPlace::Infix).then_some(Op { priority: 1000, kind: OpKind::Xfy });
        }
        self.entries.get(&name)?[place as usize]
    }
}

fn standard() -> OpTable {
    let mut table = OpTable::default();
    for (priority, kind, names) in STANDARD {
        for name in names.split(' ') {
            table.add(*priority, *kind, Atom::of_program(name));
        }
    }
    table
}

/// ISO 13211-1 table 7 with its corrigenda; then the usual extensions; then those of the trace queries.
const STANDARD: &[(u16, OpKind, &str)] = &[
    (1200, OpKind::Xfx, ":- -->"),
    (1200, OpKind::Fx, ":- ?-"),
    (1100, OpKind::Xfy, "; |"),
    (1050, OpKind::Xfy, "-> *->"),
    (1000, OpKind::Xfy, ","),
    (900, OpKind::Fy, "\\+"),
    (700, OpKind::Xfx, "= \\= == \\== @< @> @=< @>= =.. is =:= =\\= < > =< >= =@= \\=@= as"),
    (500, OpKind::Yfx, "+ - /\\ \\/ xor"),
    (400, OpKind::Yfx, "* / // rem mod div << >>"),
    (200, OpKind::Xfx, "**"),
    (200, OpKind::Xfy, "^"),
    (200, OpKind::Fy, "- + \\"),
    (1150, OpKind::Fx, "dynamic discontiguous initialization table"),
    (1150, OpKind::Fx, "man apropos"),
    (900, OpKind::Xfy, "and"),
    (350, OpKind::Xfx, ".."),
    (200, OpKind::Xfy, ":"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minus_is_prefix_and_infix() {
        let table = OpTable::standard();
        assert_eq!(table.prefix(atoms::MINUS), Some(Op { priority: 200, kind: OpKind::Fy }));
        assert_eq!(table.infix(atoms::MINUS), Some(Op { priority: 500, kind: OpKind::Yfx }));
        assert_eq!(table.postfix(atoms::MINUS), None);
    }

    #[test]
    fn priority_zero_removes_an_operator() {
        let mut table = OpTable::standard();
        let name = Atom::new("===>");
        table.add(700, OpKind::Xfx, name);
        assert!(table.is_op(name));
        table.add(0, OpKind::Xfy, name);
        assert!(!table.is_op(name));
        assert_eq!(table.infix(name), None);
    }

    #[test]
    fn operators_are_listed_by_name() {
        let names: Vec<_> = OpTable::standard().iter().map(|(name, _)| name.as_str()).collect();
        assert!(names.is_sorted());
        assert_eq!(names.iter().filter(|name| **name == "-").count(), 2);
    }
}
