//! Links a predicate of few static clauses: builds the switches on its arguments and the clause chains after them.
//! Done at the first call.

use super::op::{Kind, Op};
use super::step::assemble;
use crate::engine::code::{Clause, FAIL, Instr, Pc, PredId, Style, X};
use crate::engine::heap::{ANY_KEY, Cell, LIST_KEY, Store, Tag, boxed_key};
use crate::engine::state::{Database, Definition, FAILING};

/// A switch table: where to continue for each key of an argument.
#[derive(Debug)]
pub(crate) struct Switch {
    variable: Pc,
    /// The target for keys that no clause has.
    other: Pc,
    by_key: Vec<(u64, Pc)>,
}

/// Predicates with more clauses keep a clause list, whose hash indexes are built per argument.
const MOST_CLAUSES: usize = 64;
/// How many arguments are switched on in sequence; bounds the code size.
const DEPTH: usize = 3;

/// What the linker knows about a clause.
#[derive(Clone, Debug)]
struct Candidate {
    keys: Vec<u64>,
    code: Pc,
    style: Style,
}

/// An argument known to be a list pair.
type KnownPair = Option<X>;

impl Switch {
    /// Where a call continues whose argument is `cell`, dereferenced.
    #[inline]
    pub(crate) fn target(&self, store: &Store, cell: Cell) -> Pc {
        let key = match cell.tag() {
            Tag::Ref => return self.variable,
            Tag::Atom | Tag::Int => cell.0,
            Tag::List => LIST_KEY,
            Tag::Struct => store.heap[cell.index()].0,
            Tag::Float | Tag::Object | Tag::Header => boxed_key(store, cell),
        };
        self.by_key.iter().find(|entry| entry.0 == key).map_or(self.other, |entry| entry.1)
    }
}

impl Database {
    /// Links a predicate of suitable kind and returns its entry.
    pub(crate) fn link(&mut self, id: PredId) -> Option<Pc> {
        let arity = self.pred(id).arity;
        let Definition::Clauses(list) = &self.pred(id).definition else { return None };
        if list.dynamic || list.tabled.is_some() || list.is_empty() || list.len() > MOST_CLAUSES {
            return None;
        }
        self.compile_terms(id);
        let list = self.clauses(id)?;
        let candidate = |clause: &Clause| Candidate {
            keys: (0..arity).map(|argument| clause.key(argument)).collect(),
            code: clause.code,
            style: clause.style,
        };
        let candidates: Vec<Candidate> = list.alive().map(|(_, clause)| candidate(clause)).collect();
        let start = self.code.len() as Pc;
        let mut linker = Linker { database: self, arity };
        let entry = linker.select(&candidates, &[], None);
        self.note_switch(start, id);
        self.set_entry(id, entry);
        Some(entry)
    }
}

struct Linker<'a> {
    database: &'a mut Database,
    arity: usize,
}

impl Linker<'_> {
    /// The code that selects among `candidates` by the arguments not examined yet.
    ///
    /// Recurses once per argument, at most [`DEPTH`] deep.
    fn select(&mut self, candidates: &[Candidate], examined: &[usize], pair: KnownPair) -> Pc {
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
    fn best_argument(&self, candidates: &[Candidate], examined: &[usize]) -> Option<usize> {
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

    fn switch(&mut self, candidates: &[Candidate], examined: &[usize], argument: usize) -> Pc {
        let examined: Vec<usize> = examined.iter().copied().chain([argument]).collect();
        let of_key = |key: u64| -> Vec<Candidate> {
            let matches = |candidate: &&Candidate| [key, ANY_KEY].contains(&candidate.keys[argument]);
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
            None => Instr::Switch { a, table: self.database.add_switch(switch) },
        };
        self.database.code.add([assemble(instr)])
    }

    fn list_switch(&self, a: X, variable: Pc, pair: Pc, nil: Pc) -> Instr {
        match self.database.code.get(pair) {
            Some(op) if op.kind == Kind::TakePair && op.a == a => {
                Instr::TakeList { a, head: op.b, tail: op.c, variable, pair: pair + 1, nil }
            }
            _ => Instr::SwitchList { a, variable, pair, nil },
        }
    }

    /// Tries the clauses in order.
    fn chain(&mut self, candidates: &[Candidate], pair: KnownPair) -> Pc {
        let mut before = candidates.iter().rev();
        let last = before.next().map_or(FAILING, |candidate| candidate.code);
        before.fold(last, |next, candidate| self.attempt(candidate, next, pair))
    }

    /// A clause, with `next` as its alternative. Tests at its beginning that bind nothing run before any state is
    /// saved.
    fn attempt(&mut self, candidate: &Candidate, next: Pc, pair: KnownPair) -> Pc {
        let arity = self.arity as u8;
        if candidate.style == Style::Clobbering {
            return self.database.code.add([assemble(Instr::TryDeep { clause: candidate.code, next, arity })]);
        }
        let tests = self.tests(candidate.code, pair);
        let rest = candidate.code + tests.len() as Pc;
        let commits = self.database.code.get(rest).is_some_and(|op| op.kind == Kind::NeckCut);
        let start = self.database.code.len() as Pc;
        for offset in 0..tests.len() as Pc {
            self.database.copy_position(candidate.code + offset, start + offset);
        }
        self.database.code.add(tests.into_iter().map(|op| match op.kind {
            Kind::Test => Op { n: next, ..op },
            _ => op,
        }));
        let end = match commits {
            true => Instr::Jump { to: rest + 1 },
            false => Instr::TryShallow { clause: rest, next, arity },
        };
        self.database.code.add([assemble(end)]);
        start
    }

    /// The instructions at the beginning of a clause that only inspect the arguments.
    fn tests(&self, code: Pc, pair: KnownPair) -> Vec<Op> {
        let ops = (code..).map_while(|pc| self.database.code.get(pc));
        let looks = |op: &&Op| match op.kind {
            Kind::Test => op.n == FAIL,
            Kind::Value => true,
            Kind::TakePair => Some(op.a) == pair,
            _ => false,
        };
        let tests: Vec<Op> = ops.take_while(looks).copied().collect();
        match tests.iter().rposition(|op| op.kind == Kind::Test) {
            Some(last) => tests[..=last].to_vec(),
            None => Vec::new(),
        }
    }
}
