//! From the compiler's instructions to those that the machine runs.

use super::super::arith::Function;
use super::super::cell::Cell;
use super::super::code::{Kind, LAST, Op, Run};
use super::super::instr::{Comparison, Instr, Part as Operand, Pc, SCRATCH, Test, X};
use super::part::{Const, Part, ValueX, ValueY, VarX, VarY, Void};
use super::{arith, build, call, environment, head, test};

/// The instruction to run; places are as they stand.
pub(in crate::engine) fn assemble(instr: Instr) -> Op {
    match instr {
        Instr::Move { from, to } => Op { a: from, b: to, ..plain(build::move_x) },
        Instr::StoreY { from, to } => Op { a: from, n: to.into(), ..plain(build::store_y) },
        Instr::LoadY { from, to } => Op { a: to, n: from.into(), ..plain(build::load_y) },
        Instr::GetValue { a, b } => Op { a, b, ..plain(head::get_value) },
        Instr::GetConst { a, value } => Op { a, v: value.0, ..plain(head::get_const) },
        Instr::GetList { a } => Op { a, ..plain(head::get_list) },
        Instr::GetStruct { a, header } => Op { a, v: header.0, ..plain(head::get_struct) },
        Instr::GetFrozen { a, id } => Op { a, n: id, ..plain(head::get_frozen) },
        Instr::GetFact => plain(head::get_fact),
        Instr::UnifyVarX { x } => unify_one(Operand::VarX(x)),
        Instr::UnifyVarY { y } => unify_one(Operand::VarY(y)),
        Instr::UnifyValueX { x } => unify_one(Operand::ValueX(x)),
        Instr::UnifyValueY { y } => unify_one(Operand::ValueY(y)),
        Instr::UnifyConst { value } => unify_one(Operand::Const(value)),
        Instr::UnifyVoid { n } => Op { n, ..plain(head::unify_void) },
        Instr::GetPair { a, head, tail } => {
            let op = Op { a, ..two(&GET_PAIR, head, tail) };
            match (taken(head), taken(tail)) {
                (Some(b), Some(c)) => Op { b, c, kind: Kind::TakePair, ..op },
                _ => op,
            }
        }
        Instr::GetPairExecute { a, head, tail, pred } => {
            let ((row, b, _), (column, v, _)) = (split(head), split(tail));
            let (run, n) = (GET_PAIR_EXECUTE[in_register(row)][in_register(column)], pred);
            Op { a, b: b as u8, v: v.into(), n, kind: Kind::Call, c: LAST, ..plain(run) }
        }
        Instr::UnifyPair { first, second } => two(&UNIFY_PAIR, first, second),
        Instr::PutPair { x, head, tail } => Op { a: x, ..two(&PUT_PAIR, head, tail) },
        Instr::PutVarX { x } => Op { a: x, ..plain(build::put_var_x) },
        Instr::PutVarY { y } => Op { n: y.into(), ..plain(build::put_var_y) },
        Instr::PutConst { x, value } => Op { a: x, v: value.0, ..plain(build::put_const) },
        Instr::PutList { x } => Op { a: x, ..plain(build::put_list) },
        Instr::PutStruct { x, header } => Op { a: x, v: header.0, ..plain(build::put_struct) },
        Instr::PutFrozen { x, id } => Op { a: x, n: id, ..plain(build::put_frozen) },
        _ => control(instr),
    }
}

fn control(instr: Instr) -> Op {
    match instr {
        Instr::Allocate { size } => Op { n: size, kind: Kind::Open, ..plain(environment::allocate) },
        Instr::Deallocate => plain(environment::deallocate),
        Instr::DeallocateProceed => plain(environment::deallocate_proceed),
        Instr::DeallocateExecute { pred } => {
            Op { n: pred, kind: Kind::Call, c: LAST, ..plain(call::deallocate_execute) }
        }
        Instr::Call { pred } => Op { n: pred, kind: Kind::Call, ..plain(call::call) },
        Instr::Execute { pred } => Op { n: pred, kind: Kind::Call, c: LAST, ..plain(call::execute) },
        Instr::Enter { pred } => Op { n: pred, ..plain(call::enter_predicate) },
        Instr::CallGoal { pred, n } => Op { n: pred, a: n, ..plain(call::call_goal) },
        Instr::FoldKeep => plain(call::fold_keep),
        Instr::CallNondet { pred } => Op { n: pred, ..plain(call::call_nondet) },
        Instr::CallDet { pred } => Op { n: pred, ..plain(call::call_det) },
        Instr::Builtin { pred } => Op { n: pred, kind: Kind::Builtin, ..plain(call::builtin) },
        Instr::Proceed => plain(environment::proceed),
        Instr::LeaveCatch => plain(environment::leave_catch),
        Instr::Neck => plain(environment::neck),
        Instr::NeckProceed => plain(environment::neck_proceed),
        Instr::Jump { to } => Op { n: to, kind: Kind::Jump, ..plain(environment::jump) },
        Instr::Fail => plain(environment::fail_here),
        Instr::Try { to } => Op { n: to, kind: Kind::Jump, ..plain(environment::try_here) },
        Instr::TryShallow { clause, next, arity } => attempt(environment::try_shallow, clause, next, arity),
        Instr::TryDeep { clause, next, arity } => attempt(environment::try_deep, clause, next, arity),
        Instr::SwitchList { a, variable, pair, nil } => {
            Op { a, n: variable, v: u64::from(nil) << 32 | u64::from(pair), ..plain(call::switch_list) }
        }
        Instr::TakeList { a, head, tail, variable, pair, nil } => {
            let v = u64::from(nil) << 32 | u64::from(pair);
            Op { a, b: head, c: tail, n: variable, v, ..plain(call::take_list) }
        }
        Instr::Switch { a, table } => Op { a, n: table, ..plain(call::switch) },
        Instr::Mark { y } => Op { n: y.into(), ..plain(environment::mark) },
        Instr::SaveCut { y } => Op { n: y.into(), ..plain(environment::save_cut) },
        Instr::CutTo { y } => Op { n: y.into(), ..plain(environment::cut_to) },
        Instr::CutNeck => Op { kind: Kind::NeckCut, ..plain(environment::cut_neck) },
        Instr::SoftCut { y } => Op { n: y.into(), ..plain(environment::soft_cut) },
        Instr::Answer => plain(environment::answer),
        _ => computation(instr),
    }
}

fn computation(instr: Instr) -> Op {
    match instr {
        Instr::Arith1 { f, to, a } => value(Op { a, c: to, n: f as u32, ..plain(arith::arith1) }),
        Instr::Arith2 { f, to, a, b } => value(Op { a, b, c: to, n: f as u32, ..plain(arith2(f)) }),
        Instr::AddInt { to, a, n } => value(Op { a, b: to, v: int(n), ..plain(arith::add_int) }),
        Instr::Evaluate { to, a } => value(Op { a, c: to, ..plain(arith::evaluate) }),
        Instr::Compare { op, a, b, otherwise } => {
            branch(Op { a, b, c: op as u8, ..plain(comparison(op, &COMPARE)) }, otherwise)
        }
        Instr::CompareInt { op, a, n, otherwise } => {
            branch(Op { a, v: int(n), c: op as u8, ..plain(comparison(op, &COMPARE_INT)) }, otherwise)
        }
        Instr::Order { op, a, b, otherwise } => {
            let run = match op {
                Comparison::Equal => test::identical::<true> as Run,
                Comparison::NotEqual => test::identical::<false>,
                _ => test::order,
            };
            branch(Op { a, b, c: op as u8, ..plain(run) }, otherwise)
        }
        Instr::Test { kind, a, otherwise } => branch(Op { a, ..plain(type_test(kind)) }, otherwise),
        _ => unreachable!("the other instructions are assembled elsewhere"),
    }
}

fn plain(run: Run) -> Op {
    Op { run, v: 0, n: 0, a: 0, b: 0, c: 0, kind: Kind::Other }
}

fn value(op: Op) -> Op {
    Op { kind: Kind::Value, ..op }
}

fn branch(op: Op, otherwise: Pc) -> Op {
    Op { n: otherwise, kind: Kind::Test, ..op }
}

fn attempt(run: Run, clause: Pc, next: Pc, arity: u8) -> Op {
    Op { a: arity, n: next, v: clause.into(), kind: Kind::Jump, ..plain(run) }
}

fn int(n: i32) -> u64 {
    Cell::small_int(n.into()).0
}

fn arith2(f: Function) -> Run {
    match f {
        Function::Add => arith::arith2::<arith::Add>,
        Function::Subtract => arith::arith2::<arith::Subtract>,
        Function::Multiply => arith::arith2::<arith::Multiply>,
        Function::IntDivide => arith::arith2::<arith::IntDivide>,
        Function::Mod => arith::arith2::<arith::Mod>,
        Function::BitAnd => arith::arith2::<arith::BitAnd>,
        _ => arith::arith2::<arith::Other>,
    }
}

const COMPARE: [Run; 6] = [
    test::compare::<test::Less>,
    test::compare::<test::LessEqual>,
    test::compare::<test::Equal>,
    test::compare::<test::NotEqual>,
    test::compare::<test::GreaterEqual>,
    test::compare::<test::Greater>,
];

const COMPARE_INT: [Run; 6] = [
    test::compare_int::<test::Less>,
    test::compare_int::<test::LessEqual>,
    test::compare_int::<test::Equal>,
    test::compare_int::<test::NotEqual>,
    test::compare_int::<test::GreaterEqual>,
    test::compare_int::<test::Greater>,
];

fn comparison(op: Comparison, table: &[Run; 6]) -> Run {
    table[op as usize]
}

fn type_test(kind: Test) -> Run {
    match kind {
        Test::Var => test::test::<test::Var>,
        Test::Nonvar => test::test::<test::Nonvar>,
        Test::Atom => test::test::<test::Atom>,
        Test::Integer => test::test::<test::Integer>,
        Test::Float => test::test::<test::Float>,
        Test::Number => test::test::<test::Number>,
        Test::Atomic => test::test::<test::Atomic>,
        Test::Compound => test::test::<test::Compound>,
        Test::Callable => test::test::<test::Callable>,
    }
}

/// Functions for all kinds of two arguments: by that of the first, then that of the second.
type Grid = [[Run; 6]; 6];

macro_rules! grid {
    ($module:ident::$function:ident) => {{
        const fn row<A: Part>() -> [Run; 6] {
            [
                $module::$function::<A, VarX>,
                $module::$function::<A, ValueX>,
                $module::$function::<A, VarY>,
                $module::$function::<A, ValueY>,
                $module::$function::<A, Const>,
                $module::$function::<A, Void>,
            ]
        }
        [row::<VarX>(), row::<ValueX>(), row::<VarY>(), row::<ValueY>(), row::<Const>(), row::<Void>()]
    }};
}

static GET_PAIR_EXECUTE: [[Run; 3]; 3] = {
    const fn row<H: Part>() -> [Run; 3] {
        [head::get_pair_execute::<H, VarX>, head::get_pair_execute::<H, ValueX>, head::get_pair_execute::<H, Void>]
    }
    [row::<VarX>(), row::<ValueX>(), row::<Void>()]
};

/// The number among those in registers of a kind of argument.
fn in_register(kind: usize) -> usize {
    kind.min(2)
}

static GET_PAIR: Grid = grid!(head::get_pair);
static UNIFY_PAIR: Grid = grid!(head::unify_pair);
static PUT_PAIR: Grid = grid!(build::put_pair);

/// Number of the kind, operand and constant of an argument.
fn split(part: Operand) -> (usize, u32, u64) {
    match part {
        Operand::VarX(x) => (0, x.into(), 0),
        Operand::ValueX(x) => (1, x.into(), 0),
        Operand::VarY(y) => (2, y.into(), 0),
        Operand::ValueY(y) => (3, y.into(), 0),
        Operand::Const(value) => (4, 0, value.0),
        Operand::Void => (5, 0, 0),
    }
}

/// The register that an argument is just put into; one that nobody reads if it is not needed.
fn taken(part: Operand) -> Option<X> {
    match part {
        Operand::VarX(x) => Some(x),
        Operand::Void => Some(SCRATCH),
        _ => None,
    }
}

fn two(grid: &Grid, first: Operand, second: Operand) -> Op {
    let ((row, low, v), (column, high, w)) = (split(first), split(second));
    Op { n: high << 16 | low, v: v | w, ..plain(grid[row][column]) }
}

fn unify_one(part: Operand) -> Op {
    let (kind, n, v) = split(part);
    const RUN: [Run; 6] = [
        head::unify_one::<VarX>,
        head::unify_one::<ValueX>,
        head::unify_one::<VarY>,
        head::unify_one::<ValueY>,
        head::unify_one::<Const>,
        head::unify_one::<Void>,
    ];
    Op { n, v, ..plain(RUN[kind]) }
}
