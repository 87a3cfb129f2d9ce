//! Translates the compiler's instructions to those that the machine runs.

use super::super::op::{Kind, LAST, LEAVES, Op, Run};
use super::super::step::part::{Const, Part, ValueX, ValueY, VarX, VarY, Void};
use super::super::step::{arith, build, call, environment, head, test};
use crate::engine::arith::Function;
use crate::engine::code::{Comparison, Instr, Part as Operand, Pc, SCRATCH, Test, X};
use crate::engine::heap::Cell;

/// The instruction to run; addresses are copied unchanged.
pub(crate) fn assemble(instr: Instr) -> Op {
    match instr {
        Instr::Move { from, to } => Op { a: from, b: to, ..op(build::move_x, Kind::Move) },
        Instr::StoreY { from, to } => Op { a: from, n: to.into(), ..op(build::store_y, Kind::StoreSlot) },
        Instr::LoadY { from, to } => Op { a: to, n: from.into(), ..op(build::load_y, Kind::LoadSlot) },
        Instr::GetValue { a, b } => Op { a, b, ..op(head::get_value, Kind::GetTwo) },
        Instr::GetConst { a, value } => Op { a, v: value.0, ..op(head::get_const, Kind::Get) },
        Instr::GetList { a } => Op { a, ..op(head::get_list, Kind::Get) },
        Instr::GetStruct { a, header } => Op { a, v: header.0, ..op(head::get_struct, Kind::Get) },
        Instr::GetFrozen { a, id } => Op { a, n: id, ..op(head::get_frozen, Kind::Get) },
        Instr::GetFact => op(head::get_fact, Kind::Entry),
        Instr::UnifyVarX { x } => unify_one(Operand::VarX(x)),
        Instr::UnifyVarY { y } => unify_one(Operand::VarY(y)),
        Instr::UnifyValueX { x } => unify_one(Operand::ValueX(x)),
        Instr::UnifyValueY { y } => unify_one(Operand::ValueY(y)),
        Instr::UnifyConst { value } => unify_one(Operand::Const(value)),
        Instr::UnifyVoid { n } => Op { n, ..op(head::unify_void, Kind::Voids) },
        Instr::GetPair { a, head, tail } => {
            let get = Op { a, ..two(&GET_PAIR, Kind::GetParts, head, tail) };
            match (taken(head), taken(tail)) {
                (Some(b), Some(c)) => Op { b, c, kind: Kind::TakePair, ..get },
                _ => get,
            }
        }
        Instr::GetPairExecute { a, head, tail, pred } => {
            let ((row, b, _), (column, v, _)) = (split(head), split(tail));
            let run = GET_PAIR_EXECUTE[in_register(row)][in_register(column)];
            let c = LAST | (row as u8) << 1 | (column as u8) << 4;
            Op { a, b: b as u8, v: v.into(), n: pred, c, ..op(run, Kind::PairCall) }
        }
        Instr::UnifyPair { first, second } => two(&UNIFY_PAIR, Kind::Parts, first, second),
        Instr::PutPair { x, head, tail } => Op { a: x, ..two(&PUT_PAIR, Kind::PutParts, head, tail) },
        Instr::PutVarX { x } => Op { a: x, ..op(build::put_var_x, Kind::Put) },
        Instr::PutVarY { y } => Op { n: y.into(), ..op(build::put_var_y, Kind::WriteSlot) },
        Instr::PutConst { x, value } => Op { a: x, v: value.0, ..op(build::put_const, Kind::Put) },
        Instr::PutList { x } => Op { a: x, ..op(build::put_list, Kind::Put) },
        Instr::PutStruct { x, header } => Op { a: x, v: header.0, ..op(build::put_struct, Kind::Put) },
        Instr::PutFrozen { x, id } => Op { a: x, n: id, ..op(build::put_frozen, Kind::Put) },
        _ => control(instr),
    }
}

fn control(instr: Instr) -> Op {
    match instr {
        Instr::Allocate { size } => Op { n: size, ..op(environment::allocate, Kind::Open) },
        Instr::Deallocate => op(environment::deallocate, Kind::Close),
        Instr::DeallocateProceed => op(environment::deallocate_proceed, Kind::CloseReturn),
        Instr::DeallocateExecute { pred } => {
            Op { n: pred, c: LAST | LEAVES, ..op(call::deallocate_execute, Kind::Call) }
        }
        Instr::Call { pred } => Op { n: pred, ..op(call::call, Kind::Call) },
        Instr::Execute { pred } => Op { n: pred, c: LAST, ..op(call::execute, Kind::Call) },
        Instr::Enter { pred } => Op { n: pred, ..op(call::enter_predicate, Kind::Entry) },
        Instr::CallGoal { pred, n } => Op { n: pred, a: n, ..op(call::call_goal, Kind::Entry) },
        Instr::FoldKeep => op(call::fold_keep, Kind::Entry),
        Instr::CallNondet { pred } => Op { n: pred, ..op(call::call_nondet, Kind::Entry) },
        Instr::CallDet { pred } => Op { n: pred, ..op(call::call_det, Kind::Native) },
        Instr::Builtin { pred } => Op { n: pred, ..op(call::builtin, Kind::Builtin) },
        Instr::Proceed => op(environment::proceed, Kind::Return),
        Instr::LeaveCatch => op(environment::leave_catch, Kind::CloseReturn),
        Instr::Resume => op(environment::resume_interrupted, Kind::CloseReturn),
        Instr::Neck => op(environment::neck, Kind::Neck),
        Instr::NeckProceed => op(environment::neck_proceed, Kind::Return),
        Instr::Jump { to } => Op { n: to, ..op(environment::jump, Kind::Jump) },
        Instr::Fail => op(environment::fail_here, Kind::Fail),
        Instr::Try { to } => Op { n: to, ..op(environment::try_here, Kind::Try) },
        Instr::TryShallow { clause, next, arity } => attempt(environment::try_shallow, clause, next, arity),
        Instr::TryDeep { clause, next, arity } => attempt(environment::try_deep, clause, next, arity),
        Instr::SwitchList { a, variable, pair, nil } => {
            Op { a, n: variable, v: u64::from(nil) << 32 | u64::from(pair), ..op(call::switch_list, Kind::Entry) }
        }
        Instr::TakeList { a, head, tail, variable, pair, nil } => {
            let v = u64::from(nil) << 32 | u64::from(pair);
            Op { a, b: head, c: tail, n: variable, v, ..op(call::take_list, Kind::Entry) }
        }
        Instr::Switch { a, table } => Op { a, n: table, ..op(call::switch, Kind::Entry) },
        Instr::Mark { y } => Op { n: y.into(), ..op(environment::mark, Kind::WriteSlot) },
        Instr::SaveCut { y } => Op { n: y.into(), ..op(environment::save_cut, Kind::WriteSlot) },
        Instr::CutTo { y } => Op { n: y.into(), ..op(environment::cut_to, Kind::ReadSlot) },
        Instr::CutNeck => op(environment::cut_neck, Kind::NeckCut),
        Instr::SoftCut { y } => Op { n: y.into(), ..op(environment::soft_cut, Kind::ReadSlot) },
        Instr::Answer => op(environment::answer, Kind::Return),
        _ => computation(instr),
    }
}

fn computation(instr: Instr) -> Op {
    match instr {
        Instr::Arith1 { f, to, a } => value(arith::arith1, a, a, to, f),
        Instr::Arith2 { f, to, a, b } => value(arith2(f), a, b, to, f),
        Instr::AddInt { to, a, n } => Op { v: int(n), ..value(arith::add_int, a, a, to, Function::Add) },
        Instr::Evaluate { to, a } => Op { n: 0, ..value(arith::evaluate, a, a, to, Function::Add) },
        Instr::Compare { op, a, b, otherwise } => Op { b, c: op as u8, ..test(comparison(op, &COMPARE), a, otherwise) },
        Instr::CompareInt { op, a, n, otherwise } => {
            Op { v: int(n), c: op as u8, ..test(comparison(op, &COMPARE_INT), a, otherwise) }
        }
        Instr::Order { op, a, b, otherwise } => {
            let run = match op {
                Comparison::Equal => test::identical::<true> as Run,
                Comparison::NotEqual => test::identical::<false>,
                _ => test::order,
            };
            Op { b, c: op as u8, ..test(run, a, otherwise) }
        }
        Instr::Test { kind, a, otherwise } => test(type_test(kind), a, otherwise),
        _ => unreachable!("the other instructions are assembled elsewhere"),
    }
}

fn op(run: Run, kind: Kind) -> Op {
    Op { run, v: 0, n: 0, a: 0, b: 0, c: 0, kind }
}

fn value(run: Run, a: X, b: X, to: X, f: Function) -> Op {
    Op { a, b, c: to, n: f as u32, ..op(run, Kind::Value) }
}

fn test(run: Run, a: X, otherwise: Pc) -> Op {
    Op { a, b: a, n: otherwise, ..op(run, Kind::Test) }
}

fn attempt(run: Run, clause: Pc, next: Pc, arity: u8) -> Op {
    Op { a: arity, n: next, v: clause.into(), ..op(run, Kind::Entry) }
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

/// Functions for all pairs of argument kinds, indexed by the first kind and then the second.
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

/// The index of an argument kind among those in registers.
fn in_register(kind: usize) -> usize {
    kind.min(2)
}

static GET_PAIR: Grid = grid!(head::get_pair);
static UNIFY_PAIR: Grid = grid!(head::unify_pair);
static PUT_PAIR: Grid = grid!(build::put_pair);

/// Kind number, operand and constant of an argument.
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

/// The register into which an argument is simply loaded; an unused one for a void argument.
fn taken(part: Operand) -> Option<X> {
    match part {
        Operand::VarX(x) => Some(x),
        Operand::Void => Some(SCRATCH),
        _ => None,
    }
}

fn two(grid: &Grid, kind: Kind, first: Operand, second: Operand) -> Op {
    let ((row, low, v), (column, high, w)) = (split(first), split(second));
    Op { n: high << 16 | low, v: v | w, b: row as u8, c: column as u8, ..op(grid[row][column], kind) }
}

fn unify_one(part: Operand) -> Op {
    let (number, n, v) = split(part);
    const RUN: [Run; 6] = [
        head::unify_one::<VarX>,
        head::unify_one::<ValueX>,
        head::unify_one::<VarY>,
        head::unify_one::<ValueY>,
        head::unify_one::<Const>,
        head::unify_one::<Void>,
    ];
    Op { n, v, b: number as u8, ..op(RUN[number], Kind::Part) }
}
