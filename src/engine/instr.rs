//! The instructions of the machine.

use super::arith::Function;
use super::cell::Cell;
use crate::term::{Atom, atoms};

/// The number of a register of the machine, `X0` and up.
pub type X = u8;
/// A register that the compiler gives to no variable.
pub const SCRATCH: X = 255;
/// The number of a slot in an environment, `Y0` and up.
pub type Y = u16;
/// The place of an instruction.
pub type Pc = u32;
/// The number of a predicate.
pub type PredId = u32;

/// Instead of a place to go on: fail.
pub const FAIL: Pc = Pc::MAX;

/// Instead of a place to go on when the clause at hand fails before its neck: the machine's own list of clauses.
pub const NEXT_CLAUSE: Pc = Pc::MAX - 1;

/// An argument of a compound that is taken apart or built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Part {
    /// A variable met for the first time, kept in a register.
    VarX(X),
    /// One met before.
    ValueX(X),
    /// A variable met for the first time, kept in a slot.
    VarY(Y),
    /// One met before.
    ValueY(Y),
    /// An atom or a small integer.
    Const(Cell),
    /// A variable that occurs nowhere else.
    Void,
}

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
    /// Unifies the arguments of the call with those of the fact that is tried.
    GetFact,
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
    /// `Get` and both `Unify` of a list pair.
    GetPair {
        a: X,
        head: Part,
        tail: Part,
    },
    /// `GetPair`, `Execute`; the parts are in registers, or void.
    GetPairExecute {
        a: X,
        head: Part,
        tail: Part,
        pred: PredId,
    },
    /// Two `Unify`.
    UnifyPair {
        first: Part,
        second: Part,
    },
    /// `Put` and both `Unify` of a list pair.
    PutPair {
        x: X,
        head: Part,
        tail: Part,
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
    DeallocateProceed,
    DeallocateExecute {
        pred: PredId,
    },
    /// The head and the tests that follow it have succeeded: from here on the other clauses need a choice point.
    Neck,
    /// The goal of a `catch/3` has an answer: nothing catches for it any more if that is its last.
    LeaveCatch,
    /// The goals that waited for variables have succeeded: goes on with the clause that they interrupted.
    Resume,
    /// `Neck`, `Proceed`.
    NeckProceed,
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
    /// Calls the goal in `X0` with the `n - 1` arguments behind it; `pred` is `call/n`.
    CallGoal {
        pred: PredId,
        n: u8,
    },
    /// Hands the value in `X0` to the fold whose step has ended, and fails.
    FoldKeep,
    /// Runs a predicate in Rust that may have many answers.
    CallNondet {
        pred: PredId,
    },
    /// Runs a deterministic predicate in Rust and returns.
    CallDet {
        pred: PredId,
    },
    /// Calls a predicate by what it is at the moment.
    Enter {
        pred: PredId,
    },
    /// Goes to a clause; if it fails before its neck, on at `next`.
    TryShallow {
        clause: Pc,
        next: Pc,
        arity: u8,
    },
    /// Goes to a clause with a choice point that goes on at `next`.
    TryDeep {
        clause: Pc,
        next: Pc,
        arity: u8,
    },
    /// Goes on by what is in `a`: nothing yet, a list pair, `[]`; otherwise it fails.
    SwitchList {
        a: X,
        variable: Pc,
        pair: Pc,
        nil: Pc,
    },
    /// As `SwitchList`; a pair is taken apart into `head` and `tail` before.
    TakeList {
        a: X,
        head: X,
        tail: X,
        variable: Pc,
        pair: Pc,
        nil: Pc,
    },
    /// Goes on by what is in `a`, as the table says.
    Switch {
        a: X,
        table: u32,
    },
}

/// `<` and its kin, on numbers or in the standard order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `<`.
    Less,
    /// `=<`.
    LessEqual,
    /// `=:=`.
    Equal,
    /// `=\=`.
    NotEqual,
    /// `>=`.
    GreaterEqual,
    /// `>`.
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
    /// The comparison with this number.
    pub(super) fn numbered(number: u8) -> Comparison {
        use Comparison::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        [Less, LessEqual, Equal, NotEqual, GreaterEqual, Greater][number as usize]
    }

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

    /// Whether the comparison holds of two numbers in this order; not-a-number, which has none, differs from all.
    pub fn holds_of_numbers(self, order: Option<std::cmp::Ordering>) -> bool {
        order.map_or(self == Comparison::NotEqual, |order| self.holds(order))
    }

    /// The arithmetic comparison called `name`.
    pub fn of_numbers(name: Atom) -> Option<Comparison> {
        Some(match name {
            atoms::LESS => Comparison::Less,
            atoms::LESS_EQUAL => Comparison::LessEqual,
            atoms::ARITH_EQUAL => Comparison::Equal,
            atoms::ARITH_NOT_EQUAL => Comparison::NotEqual,
            atoms::GREATER_EQUAL => Comparison::GreaterEqual,
            atoms::GREATER => Comparison::Greater,
            _ => return None,
        })
    }

    /// The comparison in the standard order called `name`.
    pub fn of_terms(name: Atom) -> Option<Comparison> {
        Some(match name {
            atoms::TERM_LESS => Comparison::Less,
            atoms::TERM_LESS_EQUAL => Comparison::LessEqual,
            atoms::IDENTICAL => Comparison::Equal,
            atoms::NOT_IDENTICAL => Comparison::NotEqual,
            atoms::TERM_GREATER_EQUAL => Comparison::GreaterEqual,
            atoms::TERM_GREATER => Comparison::Greater,
            _ => return None,
        })
    }
}

impl Test {
    /// The type test called `name`, which has one argument.
    pub fn named(name: Atom) -> Option<Test> {
        Some(match name {
            atoms::VAR => Test::Var,
            atoms::NONVAR => Test::Nonvar,
            atoms::ATOM => Test::Atom,
            atoms::INTEGER => Test::Integer,
            atoms::FLOAT => Test::Float,
            atoms::NUMBER => Test::Number,
            atoms::ATOMIC => Test::Atomic,
            atoms::COMPOUND => Test::Compound,
            atoms::CALLABLE => Test::Callable,
            _ => return None,
        })
    }
}
