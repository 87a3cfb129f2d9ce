//! The clause database: predicates, their clauses in order, and the code that runs them.

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::rc::Rc;

use super::builtin::{Builtin, Det, Nondet, Protection, Run};
use super::control::Control;
use crate::engine::code::{
    Call, Clause, ClauseEnd, ClauseId, ClauseList, CodeArea, Compiled, Effect, FAIL, Instr, Live, LivePlaces, Pc,
    PredId, Remaining, Selected, Shapes, Style, Switch, Y,
};
use crate::engine::heap::{Cell, Frozen, Store};
use crate::term::{Atom, Span, Tree};

/// All predicates and their code.
///
/// There are two namespaces. Library clauses see the library's; everything else sees the user's, whose entries forward
/// to the library until a script redefines them.
#[derive(Debug, Default)]
pub struct Database {
    preds: Vec<Pred>,
    user: FxHashMap<(Atom, usize), PredId>,
    library: FxHashMap<(Atom, usize), PredId>,
    /// Where each predicate begins: its stub, which dispatches on the definition, or the code to which the stub was
    /// linked.
    entries: Vec<Pc>,
    /// The stub of each predicate.
    stubs: Vec<Pc>,
    pub(crate) code: CodeArea,
    switches: Vec<Switch>,
    pub(crate) frozen: Vec<Rc<Frozen>>,
    positions: Vec<Position>,
    /// The liveness of slots after each call.
    live: LivePlaces,
    /// Temporary code below this address is referenced by suspended goals of tables.
    held: usize,
    /// Code that belongs to no clause, ordered by address.
    loose_code: Vec<LooseCode>,
    /// Bytes that clauses kept as terms occupy.
    bytes_kept: usize,
    /// Predicates with many erased clauses.
    crowded: Vec<PredId>,
    generation: u64,
    pub(crate) shapes: Shapes,
    /// The native predicates that take lists of constraints, according to their modes.
    constrained: FxHashSet<(Atom, usize)>,
    /// A buffer for terms being compiled.
    pub(crate) spare_tree: Tree,
}

/// Which namespace a clause sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Namespace {
    /// The predicates that come with papaver.
    Library,
    /// Those of scripts and queries.
    User,
}

/// A predicate.
#[derive(Debug)]
pub struct Pred {
    /// Its name.
    pub name: Atom,
    /// Number of its arguments.
    pub arity: usize,
    /// What it does.
    pub definition: Definition,
    /// Who may redefine it.
    pub protection: Protection,
    /// The script that defined it last; its clauses are replaced when another one, or the same again, defines it.
    pub script: Option<u32>,
    /// Whether its clauses may be discontiguous.
    pub is_discontiguous: bool,
    /// Whether several scripts may add to it.
    pub is_multifile: bool,
    /// What the library's predicate of this name does besides binding its arguments.
    pub effect: Effect,
    /// The library predicate that takes its place where variables have attributes.
    pub attributed: Option<&'static str>,
}

/// Initial capacity for predicates, papaver's own included: the full load of a hash table of 1024 buckets.
const ROOM: usize = 896;

/// The address of the instruction that reports an answer.
pub(crate) const ANSWERING: Pc = 0;
/// The address of the instruction that fails.
pub(crate) const FAILING: Pc = 1;
/// The return address of a call that counts its recursion level.
pub(crate) const LEVEL_CODE: Pc = 2;
/// The return address of clauses of a table, which fail before they return.
pub(crate) const TABLE_CODE: Pc = 3;
/// The code address of facts that are kept as terms only; two instructions.
pub(crate) const FACT_CODE: Pc = 4;
/// The return address of the goal of a `catch/3`.
pub(crate) const CATCH_CODE: Pc = 6;
/// Placeholder for the code of rules that are kept as terms until their first call.
pub(crate) const RULE_CODE: Pc = 7;
/// The return address of woken goals that interrupted a clause.
pub(crate) const RESUME_CODE: Pc = 8;

/// What is kept of a clause besides its code.
pub(crate) enum Known {
    /// The keys of its arguments.
    Keys(Box<[u64]>),
    /// The whole clause as a term.
    Term(Rc<Frozen>),
}

/// A predicate written in Rust.
#[derive(Clone, Copy, Debug)]
pub enum Native {
    /// Succeeds at most once.
    Det(Det),
    /// May succeed many times.
    Nondet(Nondet),
    /// Runs inside the machine.
    Control(Control),
}

/// What a call of a predicate does.
#[derive(Debug)]
pub enum Definition {
    /// Unknown: calling it is an error.
    Undefined,
    /// Clauses.
    Clauses(Box<ClauseList>),
    /// Library clauses as source text, until the first call.
    Unread(&'static str),
    /// A function in Rust.
    Native(Native),
    /// Forwards to a library predicate.
    Library(PredId),
}

impl Definition {
    /// Whether calling it is an error.
    pub fn is_undefined(&self) -> bool {
        match self {
            Definition::Undefined => true,
            Definition::Clauses(list) => list.is_abolished,
            _ => false,
        }
    }
}

/// The source goal of an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position {
    pc: Pc,
    script: Option<u32>,
    span: Span,
    /// Its name and arity.
    pub(crate) goal: (Atom, usize),
}

/// Code that belongs to no clause: a goal compiled for a call, or the switch code of a predicate.
#[derive(Clone, Copy, Debug)]
struct LooseCode {
    start: Pc,
    end: Pc,
    leads_to: Option<PredId>,
}

/// The instruction that dispatches on the definition of a predicate.
fn stub(pred: PredId, definition: &Definition) -> Instr {
    match definition {
        Definition::Native(Native::Control(Control::Call(n))) => Instr::CallGoal { pred, n: *n as u8 },
        Definition::Native(Native::Control(Control::FoldKeep)) => Instr::FoldKeep,
        Definition::Native(Native::Det(_)) => Instr::CallDet { pred },
        Definition::Native(Native::Nondet(_)) => Instr::CallNondet { pred },
        _ => Instr::Enter { pred },
    }
}

impl Database {
    /// A database that holds the predicates of `builtins` and `controls`.
    pub fn new<'a>(builtins: impl Iterator<Item = &'a Builtin>) -> Database {
        let mut database = Database {
            preds: Vec::with_capacity(ROOM),
            library: FxHashMap::with_capacity_and_hasher(ROOM, FxBuildHasher),
            entries: Vec::with_capacity(ROOM),
            stubs: Vec::with_capacity(ROOM),
            ..Database::default()
        };
        let fixed = [
            Instr::Answer,
            Instr::Fail,
            Instr::DeallocateProceed,
            Instr::Fail,
            Instr::GetFact,
            Instr::NeckProceed,
            Instr::LeaveCatch,
            Instr::Fail,
            Instr::Resume,
        ];
        database.code.add(fixed);
        for (name, arity, control) in Control::all() {
            let id = database.define_native(Atom::of_program(name), arity, Native::Control(control), Protection::Iso);
            database.preds[id as usize].effect = control.effect();
        }
        for builtin in builtins {
            let native = match builtin.run {
                Run::Det(function) => Native::Det(function),
                Run::Nondet(function) => Native::Nondet(function),
            };
            let name = Atom::of_program(builtin.name);
            let id = database.define_native(name, builtin.arity, native, builtin.protection);
            let pred = &mut database.preds[id as usize];
            (pred.effect, pred.attributed) = (builtin.effect, builtin.attributed);
            if builtin.modes.contains("Constraints") {
                database.constrained.insert((name, builtin.arity));
            }
        }
        database
    }

    fn define_native(&mut self, name: Atom, arity: usize, native: Native, protection: Protection) -> PredId {
        let id = self.pred_id(Namespace::Library, name, arity);
        let pred = &mut self.preds[id as usize];
        (pred.definition, pred.protection) = (Definition::Native(native), protection);
        let stub = self.code.add([stub(id, &self.preds[id as usize].definition)]);
        (self.entries[id as usize], self.stubs[id as usize]) = (stub, stub);
        id
    }

    /// The number of `name/arity` as seen from `namespace`; an unknown predicate is entered as undefined.
    pub fn pred_id(&mut self, namespace: Namespace, name: Atom, arity: usize) -> PredId {
        let table = match namespace {
            Namespace::Library => &self.library,
            Namespace::User => &self.user,
        };
        if let Some(&id) = table.get(&(name, arity)) {
            return id;
        }
        let id = self.preds.len() as PredId;
        let (definition, protection) = match namespace {
            Namespace::User => self.inherited(name, arity),
            Namespace::Library => (Definition::Undefined, Protection::Library),
        };
        let library = self.library.get(&(name, arity)).map(|&id| self.pred(id));
        let (effect, attributed) = library.map_or((Effect::Any, None), |library| (library.effect, library.attributed));
        let entry = self.code.add([stub(id, &definition)]);
        self.entries.push(entry);
        self.stubs.push(entry);
        self.preds.push(Pred {
            name,
            arity,
            definition,
            protection,
            script: None,
            is_discontiguous: false,
            is_multifile: false,
            effect,
            attributed,
        });
        match namespace {
            Namespace::Library => self.library.insert((name, arity), id),
            Namespace::User => self.user.insert((name, arity), id),
        };
        id
    }

    /// What `name/arity` is to a user who has not defined it.
    fn inherited(&self, name: Atom, arity: usize) -> (Definition, Protection) {
        let Some(&id) = self.library.get(&(name, arity)) else { return (Definition::Undefined, Protection::Library) };
        let library = self.pred(id);
        let definition = match library.definition {
            Definition::Native(native) => Definition::Native(native),
            Definition::Undefined => Definition::Undefined,
            Definition::Clauses(_) | Definition::Unread(_) | Definition::Library(_) => Definition::Library(id),
        };
        (definition, library.protection)
    }

    /// Removes all clauses of a predicate and restores what it is without any script.
    pub fn forget(&mut self, id: PredId) {
        let (name, arity) = (self.pred(id).name, self.pred(id).arity);
        let (definition, _) = self.inherited(name, arity);
        let pred = self.pred_mut(id);
        (pred.definition, pred.script) = (definition, None);
    }

    /// Like [`Database::forget`], but iterations in progress still see the clauses.
    pub fn abolish(&mut self, id: PredId) {
        let (name, arity) = (self.pred(id).name, self.pred(id).arity);
        let is_known_otherwise = !matches!(self.inherited(name, arity).0, Definition::Undefined);
        let clauses: Vec<ClauseId> = match &self.pred(id).definition {
            Definition::Clauses(list) if !is_known_otherwise && !list.is_tabled() => {
                list.alive().map(|(clause, _)| clause).collect()
            }
            _ => return self.forget(id),
        };
        for clause in clauses {
            self.erase(id, clause);
        }
        let list = self.clauses_mut(id);
        (list.dynamic, list.is_abolished) = (false, true);
        self.pred_mut(id).script = None;
    }

    /// The number of `name/arity` as a user's goal sees it, if the predicate is known.
    pub fn find(&self, name: Atom, arity: usize) -> Option<PredId> {
        self.user.get(&(name, arity)).or_else(|| self.library.get(&(name, arity))).copied()
    }

    /// What the library's predicate of this name does besides binding its arguments.
    pub(crate) fn library_effect(&self, name: Atom, arity: usize) -> Effect {
        self.library.get(&(name, arity)).map_or(Effect::Any, |&id| self.pred(id).effect)
    }

    /// Whether a goal takes lists of constraints; not if a script has redefined its predicate.
    pub(crate) fn takes_constraints(&self, name: Atom, arity: usize) -> bool {
        let is_native = |id: PredId| matches!(self.pred(id).definition, Definition::Native(_));
        self.constrained.contains(&(name, arity)) && self.find(name, arity).is_some_and(is_native)
    }

    /// The predicate with this number.
    pub fn pred(&self, id: PredId) -> &Pred {
        &self.preds[id as usize]
    }

    /// The predicate with this number, mutably.
    pub fn pred_mut(&mut self, id: PredId) -> &mut Pred {
        self.unlink(id);
        &mut self.preds[id as usize]
    }

    /// Where a predicate begins.
    #[inline(always)]
    pub(crate) fn entry(&self, id: PredId) -> Pc {
        self.entries.get(id as usize).copied().unwrap_or(FAIL)
    }

    pub(crate) fn set_entry(&mut self, id: PredId, entry: Pc) {
        self.entries[id as usize] = entry;
    }

    /// Resets the entry of a predicate that may change: the next call dispatches on its definition again.
    fn unlink(&mut self, id: PredId) {
        if matches!(self.preds[id as usize].definition, Definition::Native(_)) {
            self.stubs[id as usize] = self.code.add([Instr::Enter { pred: id }]);
        }
        self.entries[id as usize] = self.stubs[id as usize];
    }

    /// Forwards a user's predicate to the library's.
    pub(crate) fn forward(&mut self, id: PredId, library: PredId) -> Pc {
        let entry = self.entry(library);
        if entry != self.stubs[library as usize] {
            self.set_entry(id, entry);
        }
        entry
    }

    /// The clauses to try in a call of a predicate that is not compiled to switches; the first may not be compiled yet.
    pub(crate) fn select(&mut self, id: PredId, call: &Call<'_>) -> Option<Selected> {
        let generation = self.generation;
        let Definition::Clauses(list) = &mut self.preds[id as usize].definition else { return None };
        let selected = list.select(call, generation);
        self.bytes_kept += list.take_growth();
        selected
    }

    pub(crate) fn add_switch(&mut self, switch: Switch) -> u32 {
        self.switches.push(switch);
        self.switches.len() as u32 - 1
    }

    /// Where a call continues, given its dereferenced argument.
    #[inline]
    pub(crate) fn switch_target(&self, table: u32, store: &Store, cell: Cell) -> Pc {
        self.switches[table as usize].target(store, cell)
    }

    /// All predicates with their numbers, including the library's.
    pub fn preds(&self) -> impl Iterator<Item = (PredId, &Pred)> {
        self.preds.iter().enumerate().map(|(id, pred)| (id as PredId, pred))
    }

    /// Name and arity of every predicate that a user's goal can call, in unspecified order.
    pub fn callable(&self) -> impl Iterator<Item = (Atom, usize)> {
        let known = |pred: &&Pred| !pred.definition.is_undefined();
        self.preds
            .iter()
            .filter(known)
            .map(|pred| (pred.name, pred.arity))
            .filter(|(name, _)| !name.as_str().starts_with('$') && !name.as_str().ends_with('_'))
    }

    /// The clauses that a user or the library has given to a predicate.
    pub fn clauses(&self, id: PredId) -> Option<&ClauseList> {
        match &self.pred(id).definition {
            Definition::Clauses(list) => Some(list),
            Definition::Library(id) => self.clauses(*id),
            _ => None,
        }
    }

    /// The clause list of a predicate, created if there is none.
    pub fn clauses_mut(&mut self, id: PredId) -> &mut ClauseList {
        self.unlink(id);
        let pred = &mut self.preds[id as usize];
        if !matches!(pred.definition, Definition::Clauses(_)) {
            pred.definition = Definition::Clauses(Box::default());
        }
        match &mut pred.definition {
            Definition::Clauses(list) => {
                list.is_abolished = false;
                list
            }
            _ => unreachable!("it was just made one"),
        }
    }

    /// Appends the code of a clause and returns its address.
    pub(crate) fn add_code(&mut self, compiled: &Compiled, script: Option<u32>) -> Pc {
        self.describe_code(compiled, script);
        let start = self.code.len() as Pc;
        self.code.add(compiled.code.iter().map(|&instr| instr.with_target(|to| to + start)))
    }

    /// Appends permanent code that belongs to no clause.
    pub(crate) fn add_goal_code(&mut self, compiled: &Compiled) -> Pc {
        let start = self.add_code(compiled, None);
        self.loose_code.push(LooseCode { start, end: self.code.len() as Pc, leads_to: None });
        start
    }

    /// Appends code that [`Database::forget_temporary_code`] may drop.
    pub(crate) fn add_temporary_code(&mut self, compiled: &Compiled, script: Option<u32>) -> Pc {
        self.describe_code(compiled, script);
        let start = self.code.len() as Pc;
        self.code.add_temporary(compiled.code.iter().map(|&instr| instr.with_target(|to| to + start)));
        self.loose_code.push(LooseCode { start, end: self.code.len() as Pc, leads_to: None });
        start
    }

    /// Records positions and liveness of code that is about to be added.
    fn describe_code(&mut self, compiled: &Compiled, script: Option<u32>) {
        let start = self.code.len() as Pc;
        self.live.extend(compiled.live.iter().map(|(pc, live)| (start + pc, Rc::clone(live))));
        self.positions.extend(compiled.places.iter().map(|place| Position {
            pc: start + place.pc,
            script,
            span: place.span,
            goal: place.goal,
        }));
    }

    /// The slots that are live after the call that returns to `pc`, if one does.
    pub(crate) fn live_slots(&self, pc: Pc) -> Option<&[Y]> {
        let found = self.live.binary_search_by_key(&pc, |place| place.0).ok()?;
        Some(&self.live[found].1.terms)
    }

    /// Gives the instruction that is about to be added at `to` the source goal of the one at `from`.
    pub(crate) fn copy_position(&mut self, from: Pc, to: Pc) {
        if let Some(&position) = self.position(from) {
            self.positions.push(Position { pc: to, ..position });
        }
    }

    /// Drops the temporary code beyond the first `length` instructions.
    #[inline]
    pub(crate) fn forget_temporary_code(&mut self, length: usize) {
        if let Some(length) = self.code.forget_temporary(length.max(self.held)) {
            self.live.truncate(self.live.partition_point(|(pc, _)| (*pc as usize) <= length));
            self.positions.truncate(self.positions.partition_point(|position| (position.pc as usize) < length));
            self.loose_code.truncate(self.loose_code.partition_point(|code| (code.start as usize) < length));
        }
    }

    /// The liveness at the return address `pc`; temporary code is kept until [`Database::release_temporary_code`].
    pub(crate) fn hold_place(&mut self, pc: Pc) -> Option<Rc<Live>> {
        let found = self.live.binary_search_by_key(&pc, |place| place.0).ok()?;
        if self.code.is_temporary(pc) {
            self.held = self.code.len();
        }
        Some(Rc::clone(&self.live[found].1))
    }

    /// Releases the temporary code that was held.
    pub(crate) fn release_temporary_code(&mut self) {
        self.held = 0;
    }

    /// The source goal of the instruction at `pc`.
    pub(crate) fn position(&self, pc: Pc) -> Option<&Position> {
        let found = self.positions.binary_search_by_key(&pc, |position| position.pc).ok()?;
        Some(&self.positions[found])
    }

    /// The script and source span of the goal of the instruction at `pc`.
    pub(crate) fn place(&self, pc: Pc) -> Option<(u32, Span)> {
        let position = self.position(pc)?;
        Some((position.script?, position.span))
    }

    /// Records that the code at `start` leads to clauses of the predicate.
    pub(crate) fn note_switch(&mut self, start: Pc, id: PredId) {
        self.loose_code.push(LooseCode { start, end: self.code.len() as Pc, leads_to: Some(id) });
    }

    /// For each instruction, the start of its clause and the predicate; `None` for an instruction of a goal that was
    /// compiled for a call. Scans all clauses.
    pub(crate) fn clause_starts(&self, pcs: &[Pc]) -> Vec<Option<(Pc, PredId)>> {
        let mut starts = vec![None; pcs.len()];
        for (id, pred) in self.preds() {
            let Definition::Clauses(list) = &pred.definition else { continue };
            for code in list.codes() {
                for (pc, start) in pcs.iter().zip(&mut starts) {
                    let is_nearer = start.is_none_or(|(known, _)| code > known);
                    if code <= *pc && is_nearer {
                        *start = Some((code, id));
                    }
                }
            }
        }
        for (pc, start) in pcs.iter().zip(&mut starts) {
            let before = self.loose_code.partition_point(|code| code.start <= *pc).checked_sub(1);
            if let Some(code) = before.map(|at| self.loose_code[at]).filter(|code| *pc < code.end) {
                *start = code.leads_to.map(|pred| (code.start, pred));
            }
        }
        starts
    }

    pub(crate) fn add_frozen(&mut self, frozen: Frozen) -> u32 {
        self.frozen.push(Rc::new(frozen));
        self.frozen.len() as u32 - 1
    }

    /// Adds a clause at the front or at the end.
    pub(crate) fn add_clause(&mut self, id: PredId, end: ClauseEnd, code: Pc, style: Style, known: Known) {
        let (keys, source) = match known {
            Known::Keys(keys) => (keys, None),
            Known::Term(source) => (Box::default(), Some(source)),
        };
        self.generation += 1;
        self.link_clause(id, end, Clause::new(code, style, keys, source, self.generation));
    }

    /// Adds a fact without compiling it.
    pub(crate) fn add_fact(&mut self, id: PredId, end: ClauseEnd, source: Rc<Frozen>) {
        self.add_term(id, end, FACT_CODE, source);
    }

    /// Adds a rule, to be compiled when it is first called.
    pub(crate) fn add_rule(&mut self, id: PredId, end: ClauseEnd, source: Rc<Frozen>) {
        self.add_term(id, end, RULE_CODE, source);
    }

    fn add_term(&mut self, id: PredId, end: ClauseEnd, code: Pc, source: Rc<Frozen>) {
        self.generation += 1;
        let clause = Clause::new(code, Style::Preserving, Box::default(), Some(source), self.generation);
        self.link_clause(id, end, clause);
    }

    fn link_clause(&mut self, id: PredId, end: ClauseEnd, clause: Clause) {
        self.bytes_kept += clause.bytes();
        let list = self.clauses_mut(id);
        let grown = list.add(end, clause);
        self.bytes_kept += grown;
    }

    /// Sets the code of a clause that was kept as a term.
    pub(crate) fn set_code(&mut self, id: PredId, clause: ClauseId, code: Pc, style: Style) {
        if let Definition::Clauses(list) = &mut self.preds[id as usize].definition
            && let Some(clause) = list.clause_mut(clause)
        {
            (clause.code, clause.style) = (code, style);
        }
    }

    /// Removes a clause; iterations in progress still see it. Returns `false` if it was already removed.
    pub fn erase(&mut self, id: PredId, clause: ClauseId) -> bool {
        self.generation += 1;
        let died = self.generation;
        self.unlink(id);
        let Definition::Clauses(list) = &mut self.preds[id as usize].definition else { return false };
        let erased = list.erase(clause, died);
        if erased && list.is_crowded() && self.crowded.last() != Some(&id) {
            self.crowded.push(id);
        }
        erased
    }

    /// Bytes that clauses and their code occupy.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes_kept + self.code.bytes() + self.frozen.len() * size_of::<Frozen>()
    }

    /// The predicates that have accumulated many erased clauses since the last call.
    pub(crate) fn take_crowded(&mut self) -> Vec<PredId> {
        std::mem::take(&mut self.crowded)
    }

    /// Frees the erased clauses of a predicate that no iteration of generation `oldest` or later sees.
    pub(crate) fn sweep(&mut self, id: PredId, oldest: u64) {
        if let Definition::Clauses(list) = &mut self.preds[id as usize].definition {
            let swept = list.sweep(oldest);
            self.bytes_kept -= swept.min(self.bytes_kept);
        }
    }

    /// The clauses that a call has to try, as of now; `None` if the predicate has no clauses.
    pub(crate) fn remaining(&mut self, id: PredId, call: &Call<'_>) -> Option<Remaining> {
        let generation = self.generation;
        match &mut self.preds[id as usize].definition {
            Definition::Clauses(list) => {
                let remaining = list.start(call, generation);
                self.bytes_kept += list.take_growth();
                Some(remaining)
            }
            Definition::Library(library) => {
                let library = *library;
                self.remaining(library, call)
            }
            _ => None,
        }
    }

    /// The predicates in the user's namespace.
    pub fn user_preds(&self) -> impl Iterator<Item = &Pred> {
        self.user.values().map(|&id| self.pred(id))
    }

    /// Whether the predicate is in the user's namespace.
    pub fn is_users(&self, id: PredId) -> bool {
        let pred = self.pred(id);
        self.user.get(&(pred.name, pred.arity)) == Some(&id)
    }
}
