//! Peephole fusion: sequences of common instructions become one. Long code without calls gets checks of the stack.

use smallvec::SmallVec;

use super::emit::Emitted;
use crate::engine::code::{CompoundArgument, Instr, Pc, jump_targets};

/// The longest sequence that becomes one instruction.
const LONGEST: usize = 4;

/// The most instructions that run without a call or a check of the stack.
const LONGEST_RUN: u8 = 32;

/// Fuses instructions, adds checks of the stack and recomputes all addresses.
pub(super) fn fuse(emitted: &mut Emitted) {
    let code = std::mem::take(&mut emitted.code);
    let is_target = jump_targets(&code);
    // how many instructions may run before each one, since a call or a check
    let mut run: SmallVec<[u8; 64]> = SmallVec::from_elem(0, code.len() + 1);
    let mut fused: Vec<Instr> = Vec::with_capacity(code.len());
    let mut moved: SmallVec<[Pc; 64]> = SmallVec::with_capacity(code.len() + 1);
    let mut from = 0;
    while from < code.len() {
        let most = code.len().min(from + LONGEST);
        let end = (from + 1..most).find(|&next| is_target[next]).unwrap_or(most);
        let (instr, length) = first_step(&code[from..end]);
        moved.extend(std::iter::repeat_n(fused.len() as Pc, length));
        if run[from] == LONGEST_RUN {
            fused.push(Instr::StackCheck);
            run[from] = 0;
        }
        fused.push(instr);
        let next = if is_counted(&instr) { 0 } else { run[from] + 1 };
        from += length;
        run[from] = run[from].max(next);
        if let Some(to) = instr.jump_target() {
            run[to as usize] = run[to as usize].max(next);
        }
    }
    moved.push(fused.len() as Pc);
    for instr in &mut fused {
        *instr = instr.with_target(|to| moved[to as usize]);
    }
    for place in &mut emitted.places {
        let pc = moved[place.pc as usize];
        place.pc = pc + Pc::from(matches!(fused[pc as usize], Instr::StackCheck));
    }
    emitted.code = fused;
}

/// The fused instruction for the start of `code`, and the number of instructions it replaces.
fn first_step(code: &[Instr]) -> (Instr, usize) {
    let two = |at: usize| Some((part(code.get(at)?)?, part(code.get(at + 1)?)?)).filter(|&pair| fits(pair));
    let fused = match (code[0], code.get(1)) {
        (Instr::GetList { a }, Some(Instr::UnifyVoid { n: 2 })) => {
            Some((Instr::GetPair { a, head: CompoundArgument::Void, tail: CompoundArgument::Void }, 2))
        }
        (Instr::GetList { a }, _) => two(1).map(|(head, tail)| match code.get(3) {
            Some(&Instr::Execute { pred }) if [head, tail].iter().all(is_in_register) => {
                (Instr::GetPairExecute { a, head, tail, pred }, 4)
            }
            _ => (Instr::GetPair { a, head, tail }, 3),
        }),
        (Instr::PutList { x }, _) => two(1).map(|(head, tail)| (Instr::PutPair { x, head, tail }, 3)),
        (Instr::Deallocate, Some(Instr::Proceed)) => Some((Instr::DeallocateProceed, 2)),
        (Instr::Deallocate, Some(&Instr::Execute { pred })) => Some((Instr::DeallocateExecute { pred }, 2)),
        (Instr::Neck, Some(Instr::Proceed)) => Some((Instr::NeckProceed, 2)),
        _ => two(0).map(|(first, second)| (Instr::UnifyPair { first, second }, 2)),
    };
    fused.unwrap_or((code[0], 1))
}

/// Whether the instruction calls a predicate, where the machine measures its stack.
fn is_counted(instr: &Instr) -> bool {
    matches!(
        instr,
        Instr::Call { .. } | Instr::Execute { .. } | Instr::DeallocateExecute { .. } | Instr::GetPairExecute { .. }
    )
}

fn is_in_register(part: &CompoundArgument) -> bool {
    matches!(part, CompoundArgument::VarX(_) | CompoundArgument::ValueX(_) | CompoundArgument::Void)
}

/// A fused instruction holds one constant, and reads both its parts before it changes anything.
fn fits(pair: (CompoundArgument, CompoundArgument)) -> bool {
    match pair {
        (CompoundArgument::Const(_), CompoundArgument::Const(_)) => false,
        (CompoundArgument::VarX(first), CompoundArgument::ValueX(second)) => first != second,
        (CompoundArgument::VarY(first), CompoundArgument::ValueY(second)) => first != second,
        _ => true,
    }
}

fn part(instr: &Instr) -> Option<CompoundArgument> {
    Some(match *instr {
        Instr::UnifyVarX { x } => CompoundArgument::VarX(x),
        Instr::UnifyVarY { y } => CompoundArgument::VarY(y),
        Instr::UnifyValueX { x } => CompoundArgument::ValueX(x),
        Instr::UnifyValueY { y } => CompoundArgument::ValueY(y),
        Instr::UnifyConst { value } => CompoundArgument::Const(value),
        Instr::UnifyVoid { n: 1 } => CompoundArgument::Void,
        _ => return None,
    })
}
