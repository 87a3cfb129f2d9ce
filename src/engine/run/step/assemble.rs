//! Translates the compiler's instructions to those that the machine runs.

use super::super::op::{InstructionFunction, InstructionKind, LAST, LEAVES, LinkedInstruction};
use super::super::step::part::{ArgumentTreatment, Const, ValueX, ValueY, VarX, VarY, Void};
use super::super::step::{arith, build, call, check_stack, environment, head, test};
use crate::engine::arith::Function;
use crate::engine::code::{Comparison, CompoundArgument, InlineTypeTest, Instr, Pc, SCRATCH, X};
use crate::engine::heap::Cell;

/// The instruction to run; addresses are copied unchanged.
pub(crate) fn assemble(instr: Instr) -> LinkedInstruction {
    match instr {
        Instr::Move { from, to } => LinkedInstruction { a: from, b: to, ..op(build::move_x, InstructionKind::Move) },
        Instr::StoreY { from, to } => {
            LinkedInstruction { a: from, n: to.into(), ..op(build::store_y, InstructionKind::StoreSlot) }
        }
        Instr::LoadY { from, to } => {
            LinkedInstruction { a: to, n: from.into(), ..op(build::load_y, InstructionKind::LoadSlot) }
        }
        Instr::GetValue { a, b } => LinkedInstruction { a, b, ..op(head::get_value, InstructionKind::GetTwo) },
        Instr::GetConst { a, value } => {
            LinkedInstruction { a, v: value.0, ..op(head::get_const, InstructionKind::Get) }
        }
        Instr::GetList { a } => LinkedInstruction { a, ..op(head::get_list, InstructionKind::Get) },
        Instr::GetStruct { a, header } => {
            LinkedInstruction { a, v: header.0, ..op(head::get_struct, InstructionKind::Get) }
        }
        Instr::GetFrozen { a, id } => LinkedInstruction { a, n: id, ..op(head::get_frozen, InstructionKind::Get) },
        Instr::GetFact => op(head::get_fact, InstructionKind::Entry),
        Instr::UnifyVarX { x } => unify_one(CompoundArgument::VarX(x)),
        Instr::UnifyVarY { y } => unify_one(CompoundArgument::VarY(y)),
        Instr::UnifyValueX { x } => unify_one(CompoundArgument::ValueX(x)),
        Instr::UnifyValueY { y } => unify_one(CompoundArgument::ValueY(y)),
        Instr::UnifyConst { value } => unify_one(CompoundArgument::Const(value)),
        Instr::UnifyVoid { n } => LinkedInstruction { n, ..op(head::unify_void, InstructionKind::Voids) },
        Instr::GetPair { a, head, tail } => {
            let get = LinkedInstruction { a, ..two(&GET_PAIR, InstructionKind::GetParts, head, tail) };
            match (taken(head), taken(tail)) {
                (Some(b), Some(c)) => LinkedInstruction { b, c, kind: InstructionKind::TakePair, ..get },
                _ => get,
            }
        }
        Instr::GetPairExecute { a, head, tail, pred } => {
            let ((row, b, _), (column, v, _)) = (split(head), split(tail));
            let run = GET_PAIR_EXECUTE[in_register(row)][in_register(column)];
            let c = LAST | (row as u8) << 1 | (column as u8) << 4;
            LinkedInstruction { a, b: b as u8, v: v.into(), n: pred, c, ..op(run, InstructionKind::PairCall) }
        }
        Instr::UnifyPair { first, second } => two(&UNIFY_PAIR, InstructionKind::Parts, first, second),
        Instr::PutPair { x, head, tail } => {
            LinkedInstruction { a: x, ..two(&PUT_PAIR, InstructionKind::PutParts, head, tail) }
        }
        Instr::PutVarX { x } => LinkedInstruction { a: x, ..op(build::put_var_x, InstructionKind::Put) },
        Instr::PutVarY { y } => LinkedInstruction { n: y.into(), ..op(build::put_var_y, InstructionKind::WriteSlot) },
        Instr::PutConst { x, value } => {
            LinkedInstruction { a: x, v: value.0, ..op(build::put_const, InstructionKind::Put) }
        }
        Instr::PutList { x } => LinkedInstruction { a: x, ..op(build::put_list, InstructionKind::Put) },
        Instr::PutStruct { x, header } => {
            LinkedInstruction { a: x, v: header.0, ..op(build::put_struct, InstructionKind::Put) }
        }
        Instr::PutFrozen { x, id } => LinkedInstruction { a: x, n: id, ..op(build::put_frozen, InstructionKind::Put) },
        _ => control(instr),
    }
}

fn control(instr: Instr) -> LinkedInstruction {
    match instr {
        Instr::Allocate { size } => LinkedInstruction { n: size, ..op(environment::allocate, InstructionKind::Open) },
        Instr::Deallocate => op(environment::deallocate, InstructionKind::Close),
        Instr::DeallocateProceed => op(environment::deallocate_proceed, InstructionKind::CloseReturn),
        Instr::DeallocateExecute { pred } => {
            LinkedInstruction { n: pred, c: LAST | LEAVES, ..op(call::deallocate_execute, InstructionKind::Call) }
        }
        Instr::Call { pred } => LinkedInstruction { n: pred, ..op(call::call, InstructionKind::Call) },
        Instr::Execute { pred } => LinkedInstruction { n: pred, c: LAST, ..op(call::execute, InstructionKind::Call) },
        Instr::Enter { pred } => LinkedInstruction { n: pred, ..op(call::enter_predicate, InstructionKind::Entry) },
        Instr::CallGoal { pred, n } => {
            LinkedInstruction { n: pred, a: n, ..op(call::call_goal, InstructionKind::Entry) }
        }
        Instr::FoldKeep => op(call::fold_keep, InstructionKind::Entry),
        Instr::CallNondet { pred } => LinkedInstruction { n: pred, ..op(call::call_nondet, InstructionKind::Entry) },
        Instr::CallDet { pred } => LinkedInstruction { n: pred, ..op(call::call_det, InstructionKind::Native) },
        Instr::Builtin { pred } => LinkedInstruction { n: pred, ..op(call::builtin, InstructionKind::Builtin) },
        Instr::Proceed => op(environment::proceed, InstructionKind::Return),
        Instr::LeaveCatch => op(environment::leave_catch, InstructionKind::CloseReturn),
        Instr::Resume => op(environment::resume_interrupted, InstructionKind::CloseReturn),
        Instr::Neck => op(environment::neck, InstructionKind::Neck),
        Instr::NeckProceed => op(environment::neck_proceed, InstructionKind::Return),
        Instr::Jump { to } => LinkedInstruction { n: to, ..op(environment::jump, InstructionKind::Jump) },
        Instr::StackCheck => op(check_stack, InstructionKind::StackCheck),
        Instr::Fail => op(environment::fail_here, InstructionKind::Fail),
        Instr::Try { to } => LinkedInstruction { n: to, ..op(environment::try_here, InstructionKind::Try) },
        Instr::TryShallow { clause, next, arity } => attempt(environment::try_shallow, clause, next, arity),
        Instr::TryDeep { clause, next, arity } => attempt(environment::try_deep, clause, next, arity),
        Instr::SwitchList { a, variable, pair, nil } => LinkedInstruction {
            a,
            n: variable,
            v: u64::from(nil) << 32 | u64::from(pair),
            ..op(call::switch_list, InstructionKind::Entry)
        },
        Instr::TakeList { a, head, tail, variable, pair, nil } => {
            let v = u64::from(nil) << 32 | u64::from(pair);
            LinkedInstruction { a, b: head, c: tail, n: variable, v, ..op(call::take_list, InstructionKind::Entry) }
        }
        Instr::Switch { a, table, has_boxed_keys } => {
            LinkedInstruction { a, n: table, c: has_boxed_keys.into(), ..op(call::switch, InstructionKind::Entry) }
        }
        Instr::Mark { y } => LinkedInstruction { n: y.into(), ..op(environment::mark, InstructionKind::WriteSlot) },
        Instr::SaveCut { y } => {
            LinkedInstruction { n: y.into(), ..op(environment::save_cut, InstructionKind::WriteSlot) }
        }
        Instr::CutTo { y } => LinkedInstruction { n: y.into(), ..op(environment::cut_to, InstructionKind::ReadSlot) },
        Instr::CutNeck => op(environment::cut_neck, InstructionKind::NeckCut),
        Instr::SoftCut { y } => {
            LinkedInstruction { n: y.into(), ..op(environment::soft_cut, InstructionKind::ReadSlot) }
        }
        Instr::Answer => op(environment::answer, InstructionKind::Return),
        _ => computation(instr),
    }
}

fn computation(instr: Instr) -> LinkedInstruction {
    match instr {
        Instr::Arith1 { f, to, a } => value(arith::arith1, a, a, to, f),
        Instr::Arith2 { f, to, a, b } => value(arith2(f), a, b, to, f),
        Instr::AddInt { to, a, n } => LinkedInstruction { v: int(n), ..value(arith::add_int, a, a, to, Function::Add) },
        Instr::Evaluate { to, a } => LinkedInstruction { n: 0, ..value(arith::evaluate, a, a, to, Function::Add) },
        Instr::Compare { op, a, b, otherwise } => {
            LinkedInstruction { b, c: op as u8, ..test(comparison(op, &COMPARE), a, otherwise) }
        }
        Instr::CompareInt { op, a, n, otherwise } => {
            LinkedInstruction { v: int(n), c: op as u8, ..test(comparison(op, &COMPARE_INT), a, otherwise) }
        }
        Instr::Order { op, a, b, otherwise } => {
            let run = match op {
                Comparison::Equal => test::identical::<true> as InstructionFunction,
                Comparison::NotEqual => test::identical::<false>,
                _ => test::order,
            };
            LinkedInstruction { b, c: op as u8, ..test(run, a, otherwise) }
        }
        Instr::Test { kind, a, otherwise } => test(type_test(kind), a, otherwise),
        _ => unreachable!("the other instructions are assembled elsewhere"),
    }
}

fn op(run: InstructionFunction, kind: InstructionKind) -> LinkedInstruction {
    LinkedInstruction { run, v: 0, n: 0, a: 0, b: 0, c: 0, kind }
}

fn value(run: InstructionFunction, a: X, b: X, to: X, f: Function) -> LinkedInstruction {
    LinkedInstruction { a, b, c: to, n: f as u32, ..op(run, InstructionKind::Value) }
}

fn test(run: InstructionFunction, a: X, otherwise: Pc) -> LinkedInstruction {
    LinkedInstruction { a, b: a, n: otherwise, ..op(run, InstructionKind::Test) }
}

fn attempt(run: InstructionFunction, clause: Pc, next: Pc, arity: u8) -> LinkedInstruction {
    LinkedInstruction { a: arity, n: next, v: clause.into(), ..op(run, InstructionKind::Entry) }
}

fn int(n: i32) -> u64 {
    Cell::small_int(n.into()).0
}

fn arith2(f: Function) -> InstructionFunction {
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

const COMPARE: [InstructionFunction; 6] = [
    test::compare::<test::Less>,
    test::compare::<test::LessEqual>,
    test::compare::<test::Equal>,
    test::compare::<test::NotEqual>,
    test::compare::<test::GreaterEqual>,
    test::compare::<test::Greater>,
];

const COMPARE_INT: [InstructionFunction; 6] = [
    test::compare_int::<test::Less>,
    test::compare_int::<test::LessEqual>,
    test::compare_int::<test::Equal>,
    test::compare_int::<test::NotEqual>,
    test::compare_int::<test::GreaterEqual>,
    test::compare_int::<test::Greater>,
];

fn comparison(op: Comparison, table: &[InstructionFunction; 6]) -> InstructionFunction {
    table[op as usize]
}

fn type_test(kind: InlineTypeTest) -> InstructionFunction {
    match kind {
        InlineTypeTest::Var => test::test::<test::Var>,
        InlineTypeTest::Nonvar => test::test::<test::Nonvar>,
        InlineTypeTest::Atom => test::test::<test::Atom>,
        InlineTypeTest::Integer => test::test::<test::Integer>,
        InlineTypeTest::Float => test::test::<test::Float>,
        InlineTypeTest::Number => test::test::<test::Number>,
        InlineTypeTest::Atomic => test::test::<test::Atomic>,
        InlineTypeTest::Compound => test::test::<test::Compound>,
        InlineTypeTest::Callable => test::test::<test::Callable>,
    }
}

/// Functions for all pairs of argument kinds, indexed by the first kind and then the second.
type Grid = [[InstructionFunction; 6]; 6];

macro_rules! grid {
    ($module:ident::$function:ident) => {{
        const fn row<A: ArgumentTreatment>() -> [InstructionFunction; 6] {
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

static GET_PAIR_EXECUTE: [[InstructionFunction; 3]; 3] = {
    const fn row<H: ArgumentTreatment>() -> [InstructionFunction; 3] {
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
fn split(part: CompoundArgument) -> (usize, u32, u64) {
    match part {
        CompoundArgument::VarX(x) => (0, x.into(), 0),
        CompoundArgument::ValueX(x) => (1, x.into(), 0),
        CompoundArgument::VarY(y) => (2, y.into(), 0),
        CompoundArgument::ValueY(y) => (3, y.into(), 0),
        CompoundArgument::Const(value) => (4, 0, value.0),
        CompoundArgument::Void => (5, 0, 0),
    }
}

/// The register into which an argument is simply loaded; an unused one for a void argument.
fn taken(part: CompoundArgument) -> Option<X> {
    match part {
        CompoundArgument::VarX(x) => Some(x),
        CompoundArgument::Void => Some(SCRATCH),
        _ => None,
    }
}

fn two(grid: &Grid, kind: InstructionKind, first: CompoundArgument, second: CompoundArgument) -> LinkedInstruction {
    let ((row, low, v), (column, high, w)) = (split(first), split(second));
    LinkedInstruction { n: high << 16 | low, v: v | w, b: row as u8, c: column as u8, ..op(grid[row][column], kind) }
}

fn unify_one(part: CompoundArgument) -> LinkedInstruction {
    let (number, n, v) = split(part);
    const RUN: [InstructionFunction; 6] = [
        head::unify_one::<VarX>,
        head::unify_one::<ValueX>,
        head::unify_one::<VarY>,
        head::unify_one::<ValueY>,
        head::unify_one::<Const>,
        head::unify_one::<Void>,
    ];
    LinkedInstruction { n, v, b: number as u8, ..op(RUN[number], InstructionKind::Part) }
}
