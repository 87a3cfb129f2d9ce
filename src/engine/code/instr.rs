//! The instructions of the machine.

use crate::engine::arith::Function;
use crate::engine::heap::Cell;
use crate::term::{Atom, atoms};

/// The number of an argument register, `X0` and up.
pub(crate) type X = u8;
/// A register that the compiler assigns to no variable.
pub(crate) const SCRATCH: X = 255;
/// The number of an environment slot, `Y0` and up.
pub(crate) type Y = u16;
/// The address of an instruction.
pub(crate) type Pc = u32;
/// The number of a predicate.
pub(crate) type PredId = u32;

/// Jump target: fail.
pub(crate) const FAIL: Pc = Pc::MAX;

/// Jump target when the current clause fails before its neck: the next clause of the list.
pub(crate) const NEXT_CLAUSE: Pc = Pc::MAX - 1;

/// An argument of a compound that is matched or built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum CompoundArgument {
    /// The first occurrence of a variable in a register.
    VarX(X),
    /// A later one.
    ValueX(X),
    /// The first occurrence of a variable in a slot.
    VarY(Y),
    /// A later one.
    ValueY(Y),
    /// An atom or a small integer.
    Const(Cell),
    /// A variable that occurs nowhere else.
    Void,
}

/// An abstract instruction of the machine. `Get` matches an argument of the head, `Unify` handles the arguments of the
/// compound that the preceding `Get` or `Put` began, `Put` builds an argument of a goal.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Instr {
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
    /// Unifies the arguments of the call with those of the fact being tried.
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
    /// `Get` and both `Unify` of a list pair, fused.
    GetPair {
        a: X,
        head: CompoundArgument,
        tail: CompoundArgument,
    },
    /// `GetPair` and `Execute`, fused; the parts are in registers or void.
    GetPairExecute {
        a: X,
        head: CompoundArgument,
        tail: CompoundArgument,
        pred: PredId,
    },
    /// Two `Unify`, fused.
    UnifyPair {
        first: CompoundArgument,
        second: CompoundArgument,
    },
    /// `Put` and both `Unify` of a list pair, fused.
    PutPair {
        x: X,
        head: CompoundArgument,
        tail: CompoundArgument,
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
    /// Allocates an environment of `size` slots.
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
    /// The head and the tests after it have succeeded: from here on the other clauses need a choice point.
    Neck,
    /// The goal of a `catch/3` has succeeded: drops its catch frame if there are no more solutions.
    LeaveCatch,
    /// The woken goals have succeeded: resumes the clause that they interrupted.
    Resume,
    /// `Neck` and `Proceed`, fused.
    NeckProceed,
    /// Runs a deterministic native predicate with its arguments in `X0` and up.
    Builtin {
        pred: PredId,
    },
    Jump {
        to: Pc,
    },
    /// Measures the native stack, in code that is long without a call.
    StackCheck,
    Fail,
    /// Pushes a choice point whose alternative is `to`.
    Try {
        to: Pc,
    },
    /// Saves the height of the choice point stack.
    Mark {
        y: Y,
    },
    /// Saves the height that the choice point stack had when the clause's predicate was called.
    SaveCut {
        y: Y,
    },
    /// Cuts to a saved height.
    CutTo {
        y: Y,
    },
    /// Cuts to the height at the call of the clause's predicate.
    CutNeck,
    /// Makes the choice point directly above a saved height fail when it is resumed.
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
    /// Continues if the comparison holds, otherwise jumps to `otherwise`.
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
        kind: InlineTypeTest,
        a: X,
        otherwise: Pc,
    },
    /// The query has an answer.
    Answer,
    /// Calls the goal in `X0` with the `n - 1` arguments after it; `pred` is `call/n`.
    CallGoal {
        pred: PredId,
        n: u8,
    },
    /// Passes the value in `X0` to the fold whose step has ended, and fails.
    FoldKeep,
    /// Runs a nondeterministic native predicate.
    CallNondet {
        pred: PredId,
    },
    /// Runs a deterministic native predicate and returns.
    CallDet {
        pred: PredId,
    },
    /// Calls a predicate by its current definition.
    Enter {
        pred: PredId,
    },
    /// Enters a clause; if it fails before its neck, continues at `next`.
    TryShallow {
        clause: Pc,
        next: Pc,
        arity: u8,
    },
    /// Enters a clause with a choice point whose alternative is `next`.
    TryDeep {
        clause: Pc,
        next: Pc,
        arity: u8,
    },
    /// Dispatches on `a`: unbound, list pair or `[]`; fails otherwise.
    SwitchList {
        a: X,
        variable: Pc,
        pair: Pc,
        nil: Pc,
    },
    /// Like `SwitchList`; first matches a pair and loads its parts into `head` and `tail`.
    TakeList {
        a: X,
        head: X,
        tail: X,
        variable: Pc,
        pair: Pc,
        nil: Pc,
    },
    /// Dispatches on `a` by a hash table.
    Switch {
        a: X,
        table: u32,
        has_boxed_keys: bool,
    },
}

/// Comparisons of numbers, or of terms in the standard order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
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

/// Type tests of one argument that compiled code does inline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InlineTypeTest {
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
    pub(crate) fn numbered(number: u8) -> Comparison {
        use Comparison::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        [Less, LessEqual, Equal, NotEqual, GreaterEqual, Greater][number as usize]
    }

    /// Whether the comparison holds of two things in this order.
    pub(crate) fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Comparison::Less => order.is_lt(),
            Comparison::LessEqual => order.is_le(),
            Comparison::Equal => order.is_eq(),
            Comparison::NotEqual => order.is_ne(),
            Comparison::GreaterEqual => order.is_ge(),
            Comparison::Greater => order.is_gt(),
        }
    }

    /// Whether the comparison holds of two numbers in this order; NaN, which has no order, differs from all numbers.
    pub(crate) fn holds_of_numbers(self, order: Option<std::cmp::Ordering>) -> bool {
        order.map_or(self == Comparison::NotEqual, |order| self.holds(order))
    }

    /// The arithmetic comparison called `name`.
    pub(crate) fn of_numbers(name: Atom) -> Option<Comparison> {
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
    pub(crate) fn of_terms(name: Atom) -> Option<Comparison> {
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

impl InlineTypeTest {
    /// The type test called `name`, which has one argument.
    pub(crate) fn named(name: Atom) -> Option<InlineTypeTest> {
        Some(match name {
            atoms::VAR => InlineTypeTest::Var,
            atoms::NONVAR => InlineTypeTest::Nonvar,
            atoms::ATOM => InlineTypeTest::Atom,
            atoms::INTEGER => InlineTypeTest::Integer,
            atoms::FLOAT => InlineTypeTest::Float,
            atoms::NUMBER => InlineTypeTest::Number,
            atoms::ATOMIC => InlineTypeTest::Atomic,
            atoms::COMPOUND => InlineTypeTest::Compound,
            atoms::CALLABLE => InlineTypeTest::Callable,
            _ => return None,
        })
    }
}
