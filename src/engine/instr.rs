//! The instructions of the machine.

use super::arith::Function;
use super::cell::Cell;
use crate::term::Atom;

/// The number of a register of the machine, `X0` and up.
pub type X = u8;
/// The number of a slot in an environment, `Y0` and up.
pub type Y = u16;
/// The place of an instruction.
pub type Pc = u32;
/// The number of a predicate.
pub type PredId = u32;

/// Instead of a place to go on: fail.
pub const FAIL: Pc = Pc::MAX;

/// One step of the machine. `Get` takes an argument of the head apart, `Unify` handles the arguments of the compound
/// that a `Get` or `Put` before it began, `Put` builds for a goal.
#[derive(Clone, Copy, Debug)]
pub enum Instr {
    Move {
        from: X,
        to: X,
    },
    StoreY {
        from: X,
        to: Y,
    },
    LoadY {
        from: Y,
        to: X,
    },
    GetValue {
        a: X,
        b: X,
    },
    GetConst {
        a: X,
        value: Cell,
    },
    GetList {
        a: X,
    },
    GetStruct {
        a: X,
        header: Cell,
    },
    GetFrozen {
        a: X,
        id: u32,
    },
    UnifyVarX {
        x: X,
    },
    UnifyVarY {
        y: Y,
    },
    UnifyValueX {
        x: X,
    },
    UnifyValueY {
        y: Y,
    },
    UnifyConst {
        value: Cell,
    },
    UnifyVoid {
        n: u32,
    },
    PutVarX {
        x: X,
    },
    PutVarY {
        y: Y,
    },
    PutConst {
        x: X,
        value: Cell,
    },
    PutList {
        x: X,
    },
    PutStruct {
        x: X,
        header: Cell,
    },
    PutFrozen {
        x: X,
        id: u32,
    },
    /// Opens an environment of `size` slots.
    Allocate {
        size: u32,
    },
    Deallocate,
    Call {
        pred: PredId,
    },
    Execute {
        pred: PredId,
    },
    Proceed,
    /// A deterministic predicate in Rust, with its arguments in `X0` and up.
    Builtin {
        pred: PredId,
    },
    Jump {
        to: Pc,
    },
    Fail,
    /// Pushes a choice point that goes on at `to`.
    Try {
        to: Pc,
    },
    /// Remembers the number of choice points.
    Mark {
        y: Y,
    },
    /// Remembers the number of choice points that there were when the clause's predicate was called.
    SaveCut {
        y: Y,
    },
    /// Drops the choice points above the remembered number.
    CutTo {
        y: Y,
    },
    /// Drops those made since the clause's predicate was called.
    CutNeck,
    /// Makes the choice point that followed the mark fail when it is come back to.
    SoftCut {
        y: Y,
    },
    /// `to` := f(a).
    Arith1 {
        f: Function,
        to: X,
        a: X,
    },
    /// `to` := f(a, b).
    Arith2 {
        f: Function,
        to: X,
        a: X,
        b: X,
    },
    /// `to` := a + n.
    AddInt {
        to: X,
        a: X,
        n: i32,
    },
    /// Evaluates the term in `a`.
    Evaluate {
        to: X,
        a: X,
    },
    /// Goes on if the comparison holds, else at `otherwise`.
    Compare {
        op: Comparison,
        a: X,
        b: X,
        otherwise: Pc,
    },
    CompareInt {
        op: Comparison,
        a: X,
        n: i32,
        otherwise: Pc,
    },
    Order {
        op: Comparison,
        a: X,
        b: X,
        otherwise: Pc,
    },
    Test {
        kind: Test,
        a: X,
        otherwise: Pc,
    },
    /// The query has an answer.
    Answer,
}

/// `<` and its kin, on numbers or in the standard order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Less,
    LessEqual,
    Equal,
    NotEqual,
    GreaterEqual,
    Greater,
}

/// Tests of one argument that compiled code does by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    Var,
    Nonvar,
    Atom,
    Integer,
    Float,
    Number,
    Atomic,
    Compound,
    Callable,
}

impl Comparison {
    /// Whether the comparison holds of two things in this order.
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Comparison::Less => order.is_lt(),
            Comparison::LessEqual => order.is_le(),
            Comparison::Equal => order.is_eq(),
            Comparison::NotEqual => order.is_ne(),
            Comparison::GreaterEqual => order.is_ge(),
            Comparison::Greater => order.is_gt(),
        }
    }

    /// The arithmetic comparison called `name`.
    pub fn of_numbers(name: Atom) -> Option<Comparison> {
        Some(match name.as_str() {
            "<" => Comparison::Less,
            "=<" => Comparison::LessEqual,
            "=:=" => Comparison::Equal,
            "=\\=" => Comparison::NotEqual,
            ">=" => Comparison::GreaterEqual,
            ">" => Comparison::Greater,
            _ => return None,
        })
    }

    /// The comparison in the standard order called `name`.
    pub fn of_terms(name: Atom) -> Option<Comparison> {
        Some(match name.as_str() {
            "@<" => Comparison::Less,
            "@=<" => Comparison::LessEqual,
            "==" => Comparison::Equal,
            "\\==" => Comparison::NotEqual,
            "@>=" => Comparison::GreaterEqual,
            "@>" => Comparison::Greater,
            _ => return None,
        })
    }
}

impl Test {
    /// The type test called `name`, which has one argument.
    pub fn named(name: Atom) -> Option<Test> {
        Some(match name.as_str() {
            "var" => Test::Var,
            "nonvar" => Test::Nonvar,
            "atom" => Test::Atom,
            "integer" => Test::Integer,
            "float" => Test::Float,
            "number" => Test::Number,
            "atomic" => Test::Atomic,
            "compound" => Test::Compound,
            "callable" => Test::Callable,
            _ => return None,
        })
    }
}
