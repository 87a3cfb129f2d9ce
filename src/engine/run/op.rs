//! Instructions as the machine runs them, and the area that holds them.

use super::machine::Machine;
use crate::engine::code::{BYTES_PER_INSTRUCTION, Pc};

/// Runs one instruction and then the next one, by a tail call if the compiler makes one; see `step`.
///
/// The arguments are the machine, all code, the address of the instruction, the instruction, and the heap index of the
/// next argument of the compound that is being matched ([`WRITE`] while one is being built).
///
/// Together they fill the argument registers. Where the Rust compiler knows all callers of a function, it may add
/// arguments, and then its calls are slower than tail calls; so the address of every such function is stored somewhere.
pub(super) type InstructionFunction = fn(&mut Machine, &[LinkedInstruction], usize, &LinkedInstruction, usize) -> Exit;

/// The next argument in write mode: the compound is being built.
pub(super) const WRITE: usize = usize::MAX;

/// Flag of a call that ends its clause.
pub(super) const LAST: u8 = 1;
/// Flag of a call that deallocates the environment of its clause.
pub(super) const LEAVES: u8 = 2;

/// Why the machine left its instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// To continue at `left_at`: code was added, or frames have piled up on the stack.
    Continue,
    /// To compile and run the goal in `X0`, an argument of `call/N`.
    Body,
    /// The query has an answer.
    Answer,
    /// The query has no more answers.
    Over,
    /// An error, an interrupt or a limit.
    Stop,
}

/// An instruction: its function and its operands, whose meaning depends on the function.
#[derive(Clone, Copy)]
pub(super) struct LinkedInstruction {
    pub(super) run: InstructionFunction,
    /// A cell, or two 32-bit addresses.
    pub(super) v: u64,
    /// An address, a predicate, a slot, or two 16-bit operands.
    pub(super) n: u32,
    pub(super) a: u8,
    pub(super) b: u8,
    pub(super) c: u8,
    pub(super) kind: InstructionKind,
}

/// What an instruction does to registers and slots, and where it leads; for analyses of code.
///
/// The registers read or written are `a`, `b` and `c`, the slot is `n`. Unless its kind says otherwise, an instruction
/// continues with the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InstructionKind {
    /// Calls predicate `n` of any kind; `c` has [`LAST`] set if the call ends the clause, and [`LEAVES`] if it
    /// deallocates the environment.
    Call,
    /// Matches a list pair in `a`, then calls predicate `n` as the last call; the parts are `b` and the low byte of
    /// `v`, their roles are in `c`; see [`LinkedInstruction::pair_before_call`].
    PairCall,
    /// Calls predicate `n`, a deterministic native one.
    Builtin,
    /// Reads `a` and `b`, and jumps to `n` unless a test holds.
    Test,
    /// Jumps to `n`.
    Jump,
    /// Changes no register or slot.
    StackCheck,
    /// Pushes a choice point whose alternative is `n`.
    Try,
    /// Part of the code that selects a clause at the entry of a predicate; no clause contains it.
    Entry,
    /// The entry of predicate `n`, a deterministic native one.
    Native,
    /// Drops the clause's choice points before the body has called anything.
    NeckCut,
    /// The neck.
    Neck,
    /// Matches a list pair in `a` and loads its parts into `b` and `c`.
    TakePair,
    /// Computes a value from `a` and `b` into `c`.
    Value,
    /// Copies `a` into `b`.
    Move,
    /// Unifies `a` with a term.
    Get,
    /// Unifies `a` with `b`.
    GetTwo,
    /// Builds a term in `a`.
    Put,
    /// Stores `a` in a slot.
    StoreSlot,
    /// Loads a slot into `a`.
    LoadSlot,
    /// Writes a slot.
    WriteSlot,
    /// Reads a slot that holds something other than a term.
    ReadSlot,
    /// One argument of a compound; see [`LinkedInstruction::parts`].
    Part,
    /// Two arguments of a compound.
    Parts,
    /// A list pair with both its parts, unified with `a`.
    GetParts,
    /// A list pair with both its parts, built in `a`.
    PutParts,
    /// Void arguments of a compound.
    Voids,
    /// Allocates an environment.
    Open,
    /// Deallocates the environment.
    Close,
    /// Deallocates the environment and returns.
    CloseReturn,
    Return,
    Fail,
}

/// How an instruction uses the register or slot of an argument of a compound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    WritesX,
    ReadsX,
    WritesY,
    ReadsY,
    /// It does not use it.
    Nothing,
}

impl Role {
    /// The roles by argument kind, numbered as in `assemble`.
    pub(super) const ALL: [Role; 6] =
        [Role::WritesX, Role::ReadsX, Role::WritesY, Role::ReadsY, Role::Nothing, Role::Nothing];
}

// The code area counts with it.
const _: () = assert!(size_of::<LinkedInstruction>() == BYTES_PER_INSTRUCTION);

impl LinkedInstruction {
    /// The same instruction; a test leads to `otherwise` where it does not hold.
    pub(super) fn leading_to(self, otherwise: Pc) -> LinkedInstruction {
        if self.kind == InstructionKind::Test { LinkedInstruction { n: otherwise, ..self } } else { self }
    }

    pub(super) fn low(&self) -> u16 {
        self.n as u16
    }

    pub(super) fn high(&self) -> u16 {
        (self.n >> 16) as u16
    }

    /// Whether it calls a predicate of any kind.
    pub(super) fn is_call(&self) -> bool {
        matches!(self.kind, InstructionKind::Call | InstructionKind::PairCall)
    }

    /// Whether a call is the last call of its clause.
    pub(super) fn is_last_call(&self) -> bool {
        self.is_call() && self.c & LAST != 0
    }

    /// Whether a call deallocates the environment of its clause.
    pub(super) fn leaves(&self) -> bool {
        self.kind == InstructionKind::Call && self.c & LEAVES != 0
    }

    /// The roles of the two arguments of a compound, and their registers or slots.
    pub(super) fn parts(&self) -> [(Role, u16); 2] {
        [(Role::ALL[self.b as usize], self.low()), (Role::ALL[self.c as usize], self.high())]
    }

    /// The roles of the two parts of the list pair that is matched before a call, and their registers or slots.
    pub(super) fn pair_before_call(&self) -> [(Role, u16); 2] {
        let roles = (self.c >> 1) as usize;
        [(Role::ALL[roles % 8], self.b.into()), (Role::ALL[roles / 8], self.v as u8 as u16)]
    }
}

impl std::fmt::Debug for LinkedInstruction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Op").field("kind", &self.kind).field("n", &self.n).field("v", &self.v).finish_non_exhaustive()
    }
}
