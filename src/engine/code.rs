//! Instructions as the machine runs them, and where they are kept.

use std::rc::Rc;

use super::cell::Cell;
use super::instr::Pc;
use super::machine::Machine;

/// Does one instruction and, as its last act, the next one.
///
/// The arguments are the machine, all code, the place of the instruction, the instruction, and where on the heap the
/// compound that is being taken apart has its next argument ([`WRITE`] while one is being built).
///
/// All of them together fill the registers that arguments are passed in. The compiler may give a function more of them
/// whose callers it all knows, and then their calls are no jumps: so the address of every function of this kind is kept
/// somewhere.
pub(super) type Run = fn(&mut Machine, &[Op], usize, &Op, usize) -> Exit;

/// In place of the next argument of a compound: it is being built.
pub(super) const WRITE: usize = usize::MAX;

/// Tells a call that ends its clause from others.
pub(super) const LAST: u8 = 1;
/// Tells a call that leaves the environment of its clause from others.
pub(super) const LEAVES: u8 = 2;

/// Why the machine left its instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// To go on at `pc`: code was added meanwhile, or this build has no tail calls.
    Continue,
    /// To compile and run the goal in `X0`, an argument of `call/N`.
    Body,
    /// The query has an answer.
    Answer,
    /// The query has no further answer.
    Over,
    /// An error, an interrupt or a limit.
    Stop,
}

/// An instruction: what does it, and its operands, whose meaning is its own.
#[derive(Clone, Copy)]
pub(super) struct Op {
    pub(super) run: Run,
    /// A cell, or two places of 32 bits.
    pub(super) v: u64,
    /// A place, a predicate, a slot or two operands of 16 bits.
    pub(super) n: u32,
    pub(super) a: u8,
    pub(super) b: u8,
    pub(super) c: u8,
    pub(super) kind: Kind,
}

/// What those who look at code from outside want to know of an instruction: what it does to registers and slots, and
/// where it leads.
///
/// A register that is read or written is `a`, `b` or `c`, a slot `n`; a kind that is not said to lead elsewhere goes on
/// with the next instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A call of the predicate `n`, which may be any; `c` has [`LAST`] set if the clause ends with it, and [`LEAVES`] if
    /// it leaves the environment.
    Call,
    /// Takes a list pair in `a` apart, then calls the predicate `n` as the end of the clause; the parts are `b` and the
    /// low byte of `v`, their roles stand in `c`, see [`Op::pair_before_call`].
    PairCall,
    /// A call of the predicate `n`, which is a deterministic one in Rust.
    Builtin,
    /// Reads `a` and `b`, and goes on at `n` unless a test holds.
    Test,
    /// Goes on at `n`.
    Jump,
    /// Pushes a choice point that goes on at `n`.
    Try,
    /// Part of the way into a predicate, not of a clause.
    Way,
    /// The way into the predicate `n`, a deterministic one in Rust.
    Native,
    /// Drops the choice points of the clause before anything of its body was called.
    NeckCut,
    /// Begins the body of a clause.
    Neck,
    /// Takes a list pair in `a` apart into the registers `b` and `c`.
    TakePair,
    /// Computes a value from the registers `a` and `b` into `c`.
    Value,
    /// Copies `a` into `b`.
    Move,
    /// Unifies what is in `a`.
    Get,
    /// Unifies `a` with `b`.
    GetTwo,
    /// Builds a term in `a`.
    Put,
    /// Writes `a` into a slot.
    StoreSlot,
    /// Reads a slot into `a`.
    LoadSlot,
    /// Writes a slot.
    WriteSlot,
    /// Reads a slot; what stands in it is no term.
    ReadSlot,
    /// One argument of a compound; see [`Op::parts`].
    Part,
    /// Two of them.
    Parts,
    /// A list pair with two of them, unified with what is in `a`.
    GetParts,
    /// The same, built in `a`.
    PutParts,
    /// Arguments of a compound that nobody needs.
    Voids,
    /// Opens an environment.
    Open,
    /// Leaves the environment.
    Close,
    /// Leaves the environment and the clause.
    CloseReturn,
    /// Leaves the clause.
    Return,
    /// Fails.
    Fail,
}

/// What an instruction does with the register or slot of an argument of a compound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    WritesX,
    ReadsX,
    WritesY,
    ReadsY,
    /// It has none.
    Nothing,
}

impl Role {
    /// The roles by the numbers of the kinds of arguments, see `assemble`.
    pub(super) const ALL: [Role; 6] =
        [Role::WritesX, Role::ReadsX, Role::WritesY, Role::ReadsY, Role::Nothing, Role::Nothing];
}

impl Op {
    pub(super) fn low(&self) -> u16 {
        self.n as u16
    }

    pub(super) fn high(&self) -> u16 {
        (self.n >> 16) as u16
    }

    /// Whether it calls a predicate that may be any.
    pub(super) fn is_call(&self) -> bool {
        matches!(self.kind, Kind::Call | Kind::PairCall)
    }

    /// Whether a call ends its clause.
    pub(super) fn is_last_call(&self) -> bool {
        self.is_call() && self.c & LAST != 0
    }

    /// Whether a call leaves the environment of its clause.
    pub(super) fn leaves(&self) -> bool {
        self.kind == Kind::Call && self.c & LEAVES != 0
    }

    /// What is done with the two arguments of a compound, and their registers or slots.
    pub(super) fn parts(&self) -> [(Role, u16); 2] {
        [(Role::ALL[self.b as usize], self.low()), (Role::ALL[self.c as usize], self.high())]
    }

    /// The same of the pair that is taken apart before a call.
    pub(super) fn pair_before_call(&self) -> [(Role, u16); 2] {
        let roles = (self.c >> 1) as usize;
        [(Role::ALL[roles % 8], self.b.into()), (Role::ALL[roles / 8], self.v as u8 as u16)]
    }
}

impl std::fmt::Debug for Op {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Op").field("kind", &self.kind).field("n", &self.n).field("v", &self.v).finish_non_exhaustive()
    }
}

/// All code. While the machine runs it is lent out, and what is added waits until it is back.
#[derive(Debug, Default)]
pub(super) struct CodeArea {
    ops: Rc<Vec<Op>>,
    added: Vec<Op>,
    /// Temporary code from here on is no longer needed.
    unneeded_from: Option<usize>,
    /// Code below this place belongs to clauses; above it, to goals compiled for a call.
    lasting: usize,
}

impl CodeArea {
    /// Number of instructions.
    pub(super) fn len(&self) -> usize {
        self.ops.len() + self.added.len()
    }

    pub(super) fn get(&self, pc: Pc) -> Option<&Op> {
        let pc = pc as usize;
        self.ops.get(pc).or_else(|| self.added.get(pc - self.ops.len()))
    }

    /// Whether the code at a place may be dropped.
    pub(super) fn is_temporary(&self, pc: Pc) -> bool {
        pc as usize >= self.lasting
    }

    /// Adds instructions that stay.
    pub(super) fn add(&mut self, ops: impl IntoIterator<Item = Op>) -> Pc {
        let start = self.add_temporary(ops);
        self.lasting = self.len();
        start
    }

    /// Adds instructions that [`CodeArea::forget_temporary`] may drop.
    pub(super) fn add_temporary(&mut self, ops: impl IntoIterator<Item = Op>) -> Pc {
        let start = self.len() as Pc;
        self.added.extend(ops);
        start
    }

    /// Puts another constant in the place of the one that the instruction at `pc` holds, which was added just now.
    pub(super) fn set_constant(&mut self, pc: Pc, value: Cell) {
        let added = (pc as usize).checked_sub(self.ops.len());
        if let Some(op) = added.and_then(|index| self.added.get_mut(index)) {
            op.v = value.0;
        }
    }

    /// All code, to run it; what was added since it was lent last is part of it from now on.
    pub(super) fn lend(&mut self) -> Rc<Vec<Op>> {
        if self.unneeded_from.is_some() || !self.added.is_empty() {
            self.settle();
        }
        Rc::clone(&self.ops)
    }

    fn settle(&mut self) {
        let ops = Rc::make_mut(&mut self.ops);
        if let Some(length) = self.unneeded_from.take()
            && self.added.is_empty()
        {
            ops.truncate(length);
        }
        ops.append(&mut self.added);
    }

    /// Drops temporary code added since all code was `length` instructions long; gives what that length is now.
    pub(super) fn forget_temporary(&mut self, length: usize) -> Option<usize> {
        let length = length.max(self.lasting);
        if length >= self.len() || self.unneeded_from.is_some_and(|known| known <= length) {
            return None;
        }
        match length.checked_sub(self.ops.len()) {
            Some(kept) => self.added.truncate(kept),
            None => {
                self.added.clear();
                self.unneeded_from = Some(length);
            }
        }
        Some(length)
    }
}
