//! Links a predicate with few static clauses at its first call: builds the switches on its arguments and the clause
//! chains after them.

use super::machine::Machine;
use super::op::{InstructionKind, LinkedInstruction};
use crate::engine::code::{Clause, FAIL, Instr, NeckStyle, Pc, PredId, Switch, X};
use crate::engine::heap::{ANY_KEY, Cell, LIST_KEY};
use crate::engine::state::{Database, Definition, FAILING};

/// Predicates with more clauses keep a clause list, whose hash indexes are built per argument.
const MOST_CLAUSES: usize = 64;
/// The most clauses that are tried before the stack is measured.
const CLAUSES_BEFORE_CHECK: usize = 8;
/// The most arguments to switch on in sequence; this bounds the code size.
const DEPTH: usize = 3;

/// What the linker knows about a clause.
#[derive(Clone, Debug)]
struct LinkedClause {
    keys: Vec<u64>,
    code: Pc,
    style: NeckStyle,
}

/// An argument known to be a list pair.
type KnownPair = Option<X>;

impl Machine {
    /// Links a predicate of suitable kind and returns its entry.
    pub(super) fn link(&mut self, id: PredId) -> Option<Pc> {
        let database = &mut self.world.database;
        let arity = database.pred(id).arity;
        let Definition::Clauses(list) = &database.pred(id).definition else { return None };
        if list.dynamic || list.tabled.is_some() || list.is_empty() || list.len() > MOST_CLAUSES {
            return None;
        }
        database.compile_terms(id);
        let list = database.clauses(id)?;
        let candidate = |clause: &Clause| LinkedClause {
            keys: (0..arity).map(|argument| clause.key(argument)).collect(),
            code: clause.code,
            style: clause.style,
        };
        let candidates: Vec<LinkedClause> = list.alive().map(|(_, clause)| candidate(clause)).collect();
        let start = database.code.len() as Pc;
        let entry = Linker { machine: self, arity }.select(&candidates, &[], None);
        self.world.database.note_switch(start, id);
        self.world.database.set_entry(id, entry);
        Some(entry)
    }
}

struct Linker<'a> {
    machine: &'a mut Machine,
    arity: usize,
}

impl Linker<'_> {
    fn database(&mut self) -> &mut Database {
        &mut self.machine.world.database
    }

    /// The code that selects among `candidates` by the arguments not examined yet.
    ///
    /// Recurses once per argument, at most [`DEPTH`] deep.
    fn select(&mut self, candidates: &[LinkedClause], examined: &[usize], pair: KnownPair) -> Pc {
        match candidates {
            [] => FAILING,
            [only] => only.code,
            _ => match self.best_argument(candidates, examined) {
                Some(argument) => self.switch(candidates, examined, argument),
                None => self.chain(candidates, pair),
            },
        }
    }

    /// The most selective argument; the first argument also counts if it only excludes keys that no clause has.
    fn best_argument(&self, candidates: &[LinkedClause], examined: &[usize]) -> Option<usize> {
        if examined.len() == DEPTH {
            return None;
        }
        let score = |argument: usize| {
            let mut keys: Vec<u64> = candidates.iter().map(|candidate| candidate.keys[argument]).collect();
            keys.retain(|&key| key != ANY_KEY);
            let known = keys.len();
            keys.sort_unstable();
            keys.dedup();
            let tells = keys.len() > 1 || (known > 0 && known < candidates.len());
            let excludes = examined.is_empty() && known == candidates.len();
            (tells || excludes).then_some((known, keys.len()))
        };
        let arguments = (0..self.arity).filter(|argument| !examined.contains(argument));
        arguments
            .rev()
            .filter_map(|argument| Some((score(argument)?, argument)))
            .max_by_key(|&(score, _)| score)
            .map(|best| best.1)
    }

    fn switch(&mut self, candidates: &[LinkedClause], examined: &[usize], argument: usize) -> Pc {
        let examined: Vec<usize> = examined.iter().copied().chain([argument]).collect();
        let of_key = |key: u64| -> Vec<LinkedClause> {
            let matches = |candidate: &&LinkedClause| [key, ANY_KEY].contains(&candidate.keys[argument]);
            candidates.iter().filter(matches).cloned().collect()
        };
        let mut keys: Vec<u64> = Vec::new();
        for candidate in candidates {
            let key = candidate.keys[argument];
            if key != ANY_KEY && !keys.contains(&key) {
                keys.push(key);
            }
        }
        let mut by_key = Vec::new();
        for key in keys {
            let pair = (key == LIST_KEY).then_some(argument as X);
            by_key.push((key, self.select(&of_key(key), &examined, pair)));
        }
        let other = self.select(&of_key(ANY_KEY), &examined, None);
        let variable = self.select(candidates, &examined, None);
        self.place_switch(argument as X, Switch { variable, other, by_key })
    }

    fn place_switch(&mut self, a: X, switch: Switch) -> Pc {
        let target = |key: u64| switch.by_key.iter().find(|entry| entry.0 == key).map(|entry| entry.1);
        let (pair, nil) = (target(LIST_KEY), target(Cell::NIL.0));
        let is_of_lists = switch.other == FAILING && switch.by_key.len() == 1 + usize::from(nil.is_some());
        let instr = match pair.filter(|_| is_of_lists) {
            Some(pair) => self.list_switch(a, switch.variable, pair, nil.unwrap_or(FAILING)),
            None => {
                Instr::Switch { a, has_boxed_keys: switch.has_boxed_keys(), table: self.database().add_switch(switch) }
            }
        };
        self.database().code.add([instr])
    }

    fn list_switch(&self, a: X, variable: Pc, pair: Pc, nil: Pc) -> Instr {
        match self.machine.op(pair) {
            Some(op) if op.kind == InstructionKind::TakePair && op.a == a => {
                Instr::TakeList { a, head: op.b, tail: op.c, variable, pair: pair + 1, nil }
            }
            _ => Instr::SwitchList { a, variable, pair, nil },
        }
    }

    /// Tries the clauses in order.
    fn chain(&mut self, candidates: &[LinkedClause], pair: KnownPair) -> Pc {
        let mut before = candidates.iter().rev();
        let last = before.next().map_or(FAILING, |candidate| candidate.code);
        before.enumerate().fold(last, |next, (index, candidate)| {
            let next = if (index + 1) % CLAUSES_BEFORE_CHECK == 0 { self.check_before(next) } else { next };
            self.attempt(candidate, next, pair)
        })
    }

    /// The code at `next` after a check of the stack: nothing else measures it between clauses that fail in their heads.
    fn check_before(&mut self, next: Pc) -> Pc {
        self.database().code.add([Instr::StackCheck, Instr::Jump { to: next }])
    }

    /// A clause, with `next` as its alternative. Tests at its beginning that bind nothing run before any state is
    /// saved.
    fn attempt(&mut self, candidate: &LinkedClause, next: Pc, pair: KnownPair) -> Pc {
        let arity = self.arity as u8;
        if candidate.style == NeckStyle::Clobbering {
            return self.database().code.add([Instr::TryDeep { clause: candidate.code, next, arity }]);
        }
        let n_tests = self.n_tests(candidate.code, pair);
        let rest = candidate.code + n_tests;
        let commits = self.machine.op(rest).is_some_and(|op| op.kind == InstructionKind::NeckCut);
        let start = self.database().code.add_copies(candidate.code, n_tests, next);
        for offset in 0..n_tests {
            self.database().copy_position(candidate.code + offset, start + offset);
        }
        let end = match commits {
            true => Instr::Jump { to: rest + 1 },
            false => Instr::TryShallow { clause: rest, next, arity },
        };
        self.database().code.add([end]);
        start
    }

    /// The number of instructions at the beginning of a clause that only inspect the arguments.
    fn n_tests(&self, code: Pc, pair: KnownPair) -> Pc {
        let ops = (code..).map_while(|pc| self.machine.op(pc));
        let looks = |op: &LinkedInstruction| match op.kind {
            InstructionKind::Test => op.n == FAIL,
            InstructionKind::Value => true,
            InstructionKind::TakePair => Some(op.a) == pair,
            _ => false,
        };
        let tests = (1..).zip(ops.take_while(looks)).filter(|(_, op)| op.kind == InstructionKind::Test);
        tests.last().map_or(0, |(n, _)| n)
    }
}
