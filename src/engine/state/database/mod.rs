//! The clause database: predicates, their clauses in order, and the code that runs them.

mod clauses;
mod code;
mod predicate;

use std::rc::Rc;

pub(crate) use clauses::KnownOfClause;
pub(crate) use code::{ANSWERING, CATCH_CODE, FACT_CODE, FAILING, LEVEL_CODE, RESUME_CODE, RULE_CODE, TABLE_CODE};
pub(crate) use predicate::{Definition, Namespace, Native, Pred};

use super::builtin::{Builtin, PredicateFunction, Protection};
use super::control::Control;
use crate::engine::code::{ClauseId, CodeArea, Effect, FAIL, Instr, LivePlaces, Pc, PredId, RuleShapes, Switch};
use crate::engine::heap::Frozen;
use crate::term::hash::{FixedState, NumberMap, NumberSet};
use crate::term::{Atom, Tree};
use code::{FIXED, LooseCode, Position};
use predicate::stub;

/// All predicates and their code.
///
/// There are two namespaces. Library clauses see the library's; everything else sees the user's, whose entries forward
/// to the library until a script redefines them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Database {
    preds: Vec<Pred>,
    user: NumberMap<(Atom, usize), PredId>,
    library: NumberMap<(Atom, usize), PredId>,
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
    pub(crate) shapes: RuleShapes,
    /// The native predicates that take lists of constraints, according to their modes.
    constrained: NumberSet<(Atom, usize)>,
    /// A buffer for terms being compiled.
    pub(crate) spare_tree: Tree,
}

/// Initial capacity for predicates, papaver's own included: the full load of a hash table of 1024 buckets.
const ROOM: usize = 896;

impl Database {
    /// A database that holds the predicates of `builtins` and `controls`.
    pub(crate) fn new<'a>(builtins: impl Iterator<Item = &'a Builtin>) -> Database {
        let mut database = Database {
            preds: Vec::with_capacity(ROOM),
            library: NumberMap::with_capacity_and_hasher(ROOM, FixedState::default()),
            entries: Vec::with_capacity(ROOM),
            stubs: Vec::with_capacity(ROOM),
            ..Database::default()
        };
        database.code.add(FIXED);
        for (name, arity, control) in Control::all() {
            let id = database.define_native(Atom::of_program(name), arity, Native::Control(control), Protection::Iso);
            database.preds[id as usize].effect = control.effect();
        }
        for builtin in builtins {
            let native = match builtin.run {
                PredicateFunction::Det(function) => Native::Det(function),
                PredicateFunction::Nondet(function) => Native::Nondet(function),
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
    pub(crate) fn pred_id(&mut self, namespace: Namespace, name: Atom, arity: usize) -> PredId {
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
    pub(crate) fn forget(&mut self, id: PredId) {
        let (name, arity) = (self.pred(id).name, self.pred(id).arity);
        let (definition, _) = self.inherited(name, arity);
        let pred = self.pred_mut(id);
        (pred.definition, pred.script) = (definition, None);
    }

    /// Like [`Database::forget`], but iterations in progress still see the clauses.
    pub(crate) fn abolish(&mut self, id: PredId) {
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
    pub(crate) fn find(&self, name: Atom, arity: usize) -> Option<PredId> {
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
    pub(crate) fn pred(&self, id: PredId) -> &Pred {
        &self.preds[id as usize]
    }

    /// The predicate with this number, mutably.
    pub(crate) fn pred_mut(&mut self, id: PredId) -> &mut Pred {
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

    /// All predicates with their numbers, including the library's.
    pub(crate) fn preds(&self) -> impl Iterator<Item = (PredId, &Pred)> {
        self.preds.iter().enumerate().map(|(id, pred)| (id as PredId, pred))
    }

    /// Name and arity of every predicate that a user's goal can call, in unspecified order.
    pub(crate) fn callable(&self) -> impl Iterator<Item = (Atom, usize)> {
        let known = |pred: &&Pred| !pred.definition.is_undefined();
        self.preds
            .iter()
            .filter(known)
            .map(|pred| (pred.name, pred.arity))
            .filter(|(name, _)| !name.as_str().starts_with('$') && !name.as_str().ends_with('_'))
    }

    /// Bytes that clauses and their code occupy.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes_kept + self.code.bytes() + self.frozen.len() * size_of::<Frozen>()
    }

    /// The predicates in the user's namespace.
    pub(crate) fn user_preds(&self) -> impl Iterator<Item = &Pred> {
        self.user.values().map(|&id| self.pred(id))
    }

    /// Whether the predicate is in the user's namespace.
    pub(crate) fn is_users(&self, id: PredId) -> bool {
        let pred = self.pred(id);
        self.user.get(&(pred.name, pred.arity)) == Some(&id)
    }
}
