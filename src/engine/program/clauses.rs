//! Adds clauses to a world, for scripts and for `assertz/1` and related predicates.

use smallvec::SmallVec;
use std::rc::Rc;

use crate::engine::code::{CallArguments, ClauseEnd, ClauseId, PredId, Remaining};
use crate::engine::compile;
use crate::engine::compile::{ClauseError, ClauseParts, MAX_ARITY};
use crate::engine::heap::{Cell, Frozen, Stop, Store, Term, error};
use crate::engine::state::{Definition, KnownOfClause, Namespace, Protection, World};
use crate::term::{Atom, Tree, atoms};

/// Clauses with more nodes than this are searched for shared parts.
const MANY_NODES: usize = 100;
/// Estimated memory for compiling one node of a clause.
const BYTES_PER_NODE: usize = 128;

/// Why a clause was not added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It is not a clause.
    Clause(ClauseError),
    /// Its head is neither an atom nor a compound.
    Head,
    /// Its predicate is protected.
    Protected(PredId),
}

/// A clause with its number; a library clause has no term.
pub(crate) type TakenClause = (ClauseId, Option<Rc<Frozen>>);

#[inline]
fn call_of(store: &Store, head: Cell) -> CallArguments<'_> {
    let args = match store.look(head) {
        Term::Compound(compound) => store.args(compound),
        _ => &[],
    };
    CallArguments { store, args }
}

impl World {
    /// Adds the clause in `tree` for a script or the library.
    pub(crate) fn add_clause(
        &mut self,
        namespace: Namespace,
        tree: &Tree,
        source: Option<u32>,
    ) -> Result<PredId, Refusal> {
        let parts = ClauseParts::of(tree);
        let pred = self.clause_pred(namespace, tree, parts)?;
        if parts.body.is_none() && namespace == Namespace::User && tree.args(parts.head).len() <= MAX_ARITY {
            let fact = self.freeze_tree(tree);
            self.database.add_fact(pred, ClauseEnd::Back, fact);
            return Ok(pred);
        }
        let compiled = compile::compile(&mut self.database, namespace, tree, parts).map_err(Refusal::Clause)?;
        let source = source.filter(|_| namespace == Namespace::User);
        let code = self.database.add_code(&compiled, source);
        let known = match namespace {
            Namespace::User => KnownOfClause::Term(self.freeze_tree(tree)),
            Namespace::Library => KnownOfClause::Keys(compile::keys(tree, parts.head)),
        };
        self.database.add_clause(pred, ClauseEnd::Back, code, compiled.style, known);
        Ok(pred)
    }

    /// The predicate that a clause belongs to, if clauses may be added to it.
    pub(crate) fn clause_pred(
        &mut self,
        namespace: Namespace,
        tree: &Tree,
        parts: ClauseParts,
    ) -> Result<PredId, Refusal> {
        let (name, arity) = tree.functor(parts.head).ok_or(Refusal::Head)?;
        let id = self.database.pred_id(namespace, name, arity);
        let pred = self.database.pred(id);
        let is_native = matches!(pred.definition, Definition::Native(_));
        match pred.protection {
            Protection::Iso if namespace == Namespace::User => Err(Refusal::Protected(id)),
            _ if is_native && namespace == Namespace::Library => Err(Refusal::Protected(id)),
            _ => Ok(id),
        }
    }

    fn freeze_tree(&mut self, tree: &Tree) -> Rc<crate::engine::heap::Frozen> {
        let mark = self.store.mark();
        let (term, _) = self.store.load(tree);
        let term = self.store.kept_clause(term);
        let frozen = self.store.without_limits(|store| store.freeze(term));
        self.store.undo_to(mark);
        Rc::new(frozen)
    }

    /// `asserta/1` and `assertz/1`; returns the predicate to which the clause was added.
    pub(crate) fn assert(&mut self, clause: Cell, end: ClauseEnd) -> Result<PredId, Stop> {
        self.check_clause(clause)?;
        if let Some(fact) = self.fact(clause) {
            return self.assert_fact(fact, end);
        }
        if let Some(kept) = self.small_rule(clause) {
            return self.assert_rule(kept, end);
        }
        let Some(tree) = self.store.save_acyclic(clause) else {
            return Err(error::type_error(&self.store, "acyclic_term", clause));
        };
        if tree.len() > MANY_NODES {
            self.check_room(tree.unfolded_len().saturating_mul(BYTES_PER_NODE))?;
        }
        let parts = ClauseParts::of(&tree);
        let refused = |world: &mut World, refusal| world.refusal_error(refusal, clause);
        let pred = match self.clause_pred(Namespace::User, &tree, parts) {
            Ok(pred) => pred,
            Err(refusal) => return Err(refused(self, refusal)),
        };
        self.make_dynamic(pred)?;
        let compiled = match compile::compile(&mut self.database, Namespace::User, &tree, parts) {
            Ok(compiled) => compiled,
            Err(error) => return Err(refused(self, Refusal::Clause(error))),
        };
        let code = self.database.add_code(&compiled, None);
        let kept = self.store.kept_clause(clause);
        let kept = KnownOfClause::Term(Rc::new(self.store.freeze(kept)));
        self.store.check_walks()?;
        self.database.add_clause(pred, end, code, compiled.style, kept);
        Ok(pred)
    }

    /// The head of a clause without a body.
    fn fact(&self, clause: Cell) -> Option<Cell> {
        let head = match self.store.look(clause) {
            Term::Compound(c) if (c.name, c.arity) == (atoms::NECK, 2) => {
                let is_true = self.store.deref(self.store.arg(c, 1)) == Cell::atom(atoms::TRUE);
                is_true.then_some(self.store.arg(c, 0))?
            }
            _ => clause,
        };
        self.store.functor(head).filter(|functor| functor.1 <= MAX_ARITY).map(|_| head)
    }

    fn assert_fact(&mut self, fact: Cell, end: ClauseEnd) -> Result<PredId, Stop> {
        let functor = self.store.functor(fact).expect("the caller has looked at it");
        let frozen = self.store.freeze(fact);
        self.store.check_walks()?;
        if frozen.is_suspicious() && !self.store.is_acyclic(fact) {
            return Err(error::type_error(&self.store, "acyclic_term", fact));
        }
        let pred = self.asserted_pred(functor)?;
        self.database.add_fact(pred, end, Rc::new(frozen));
        Ok(pred)
    }

    /// The predicate to which a clause is asserted.
    pub(crate) fn asserted_pred(&mut self, (name, arity): (Atom, usize)) -> Result<PredId, Stop> {
        let pred = self.database.pred_id(Namespace::User, name, arity);
        if self.database.pred(pred).protection == Protection::Iso {
            return Err(self.may_not("modify", "static_procedure", pred));
        }
        self.make_dynamic(pred)?;
        Ok(pred)
    }

    fn check_clause(&mut self, clause: Cell) -> Result<(), Stop> {
        let head = match self.store.look(clause) {
            Term::Compound(c) if (c.name, c.arity) == (atoms::NECK, 2) => {
                let body = self.store.arg(c, 1);
                if matches!(self.store.look(body), Term::Int(_) | Term::BigInt(_) | Term::Float(_) | Term::Str(_)) {
                    return Err(error::type_error(&self.store, "callable", body));
                }
                self.store.arg(c, 0)
            }
            _ => clause,
        };
        match self.store.look(head) {
            Term::Var(_) => Err(error::instantiation_error()),
            Term::Atom(_) | Term::Compound(_) => Ok(()),
            _ => Err(error::type_error(&self.store, "callable", head)),
        }
    }

    /// Makes a predicate without clauses dynamic; one with static clauses cannot be changed.
    pub(crate) fn make_dynamic(&mut self, pred: PredId) -> Result<(), Stop> {
        match &self.database.pred(pred).definition {
            Definition::Clauses(list) if list.dynamic => return Ok(()),
            Definition::Clauses(list) if !list.is_empty() => {
                return Err(self.may_not("modify", "static_procedure", pred));
            }
            _ => {}
        }
        if self.database.pred(pred).protection == Protection::Iso {
            return Err(self.may_not("modify", "static_procedure", pred));
        }
        self.database.clauses_mut(pred).dynamic = true;
        Ok(())
    }

    /// `permission_error(action, kind, Name/Arity)`.
    pub(crate) fn may_not(&mut self, action: &str, kind: &str, pred: PredId) -> Stop {
        let indicator = self.indicator(pred);
        error::permission_error(&self.store, action, kind, indicator)
    }

    /// `Name/Arity`.
    pub(crate) fn indicator(&mut self, pred: PredId) -> Cell {
        let pred = self.database.pred(pred);
        let (name, arity) = (Cell::atom(pred.name), pred.arity as i64);
        let arity = self.store.int(arity);
        self.store.compound(atoms::DIVIDE, &[name, arity])
    }

    /// The clauses whose head may unify with `head`, as of now; `None` if the predicate has no clauses.
    pub(crate) fn clauses_of(&mut self, pred: PredId, head: Cell) -> Option<Remaining> {
        let World { store, database, .. } = self;
        database.remaining(pred, &call_of(store, head))
    }

    /// Takes the next clause from an iteration over those that may match `head`.
    pub(crate) fn take_clause(&self, pred: PredId, head: Cell, remaining: &mut Remaining) -> Option<TakenClause> {
        let list = self.database.clauses(pred)?;
        let id = list.first(*remaining)?;
        *remaining = list.after(*remaining, &call_of(&self.store, head));
        Some((id, list.clause(id)?.source.clone()))
    }

    /// Unifies `head :- body` with a clause; a fact has the body `true`.
    pub(crate) fn unify_clause(&mut self, clause: &Frozen, head: Cell, body: Cell) -> bool {
        let store = &mut self.store;
        if !clause.is_fact() {
            let term = store.thaw(clause);
            let Term::Compound(parts) = store.look(term) else { return false };
            let [own_head, own_body] = [store.arg(parts, 0), store.arg(parts, 1)];
            return store.unify(head, own_head) && store.unify(body, own_body);
        }
        let args: SmallVec<[Cell; 16]> = call_of(store, head).args.into();
        store.unify_head(clause, &args) && store.unify(body, Cell::atom(atoms::TRUE))
    }

    /// Makes a predicate dynamic for a script that declares it; declarations of other scripts no longer count.
    pub(crate) fn declare_dynamic(&mut self, pred: PredId) {
        let owner = self.scripts.owner();
        let known = self.database.pred(pred);
        if owner.is_some() && known.script.is_some() && known.script != owner && !known.is_multifile {
            self.database.pred_mut(pred).definition = Definition::Undefined;
        }
        self.database.pred_mut(pred).script = owner.or(self.database.pred(pred).script);
        self.database.clauses_mut(pred).dynamic = true;
    }

    /// The namespace of the script being read; a goal uses the user's.
    pub(crate) fn namespace(&self) -> Namespace {
        self.scripts.namespace()
    }

    fn refusal_error(&mut self, refusal: Refusal, clause: Cell) -> Stop {
        match refusal {
            Refusal::Head => error::type_error(&self.store, "callable", clause),
            Refusal::Protected(pred) => self.may_not("modify", "static_procedure", pred),
            Refusal::Clause(ClauseError::TooManyArguments) => error::representation_error("max_procedure_arity"),
            Refusal::Clause(ClauseError::NotCallable(_)) => {
                let body = match self.store.look(clause) {
                    Term::Compound(compound) => self.store.arg(compound, compound.arity - 1),
                    _ => clause,
                };
                error::type_error(&self.store, "callable", body)
            }
        }
    }
}
