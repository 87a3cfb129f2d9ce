//! Goals of the vocabulary, taken apart: the claim, the lists of constraints it is about, where it must hold, and its
//! limit.

use crate::builtins::arguments::{pair, small_integer};
use crate::builtins::program::clause_search::effect_of;
use crate::builtins::trace::constraints::wrong::error_of;
use crate::builtins::trace::values::text_terms::OPERATORS;
use crate::engine::error::{domain_error, instantiation_error, type_error, with_message};
use crate::engine::{Cell, ListEnd, Stop, Store, Term, World};
use crate::term::print::{self, Spacing, Style};
use crate::term::{NodeId, Tree, atoms};
use crate::trace::{Claim, Property, Scope};

use super::limit::check_limit;

/// The predicates of the vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VocabularyWord {
    Never,
    Exists,
    Always,
    Precedes,
    Responds,
}

impl VocabularyWord {
    /// The predicate of a name.
    pub(super) fn of(name: &str) -> Option<VocabularyWord> {
        Some(match name {
            "never" => VocabularyWord::Never,
            "exists" => VocabularyWord::Exists,
            "always" => VocabularyWord::Always,
            "precedes" => VocabularyWord::Precedes,
            "responds" => VocabularyWord::Responds,
            _ => return None,
        })
    }

    /// How many lists, or chains of lists, come first.
    pub(super) fn n_chains(self) -> usize {
        if matches!(self, VocabularyWord::Precedes | VocabularyWord::Responds) { 2 } else { 1 }
    }

    /// Whether there is a predicate with this number of arguments.
    pub(super) fn has_arity(self, arity: usize) -> bool {
        let most = if matches!(self, VocabularyWord::Never | VocabularyWord::Always) { 3 } else { 4 };
        (self.n_chains()..=most).contains(&arity)
    }
}

/// A goal of the vocabulary.
pub(super) struct Assertion {
    /// Its predicate.
    pub(super) word: VocabularyWord,
    /// What it states about its lists.
    pub(super) property: Property,
    /// Its lists of constraints.
    pub(super) lists: Vec<Cell>,
    /// How far apart events must be: `within(Attribute, Max)` or `within(Attribute, Min..Max)`.
    pub(super) within: Option<Cell>,
}

/// The arguments still to be read.
struct RemainingArguments<'a> {
    store: &'a Store,
    args: &'a [Cell],
}

impl RemainingArguments<'_> {
    fn take(&mut self) -> Option<Cell> {
        let (first, rest) = self.args.split_first()?;
        self.args = rest;
        Some(self.store.deref(*first))
    }
}

impl Assertion {
    /// The place of the list of its subject; none if that is a chain.
    pub(super) fn only_subject(&self) -> Option<usize> {
        let subject = &self.property.subject;
        (subject.len() == 1).then_some(subject.start)
    }

    /// The assertion that a predicate of the vocabulary states with these arguments.
    pub(super) fn read(store: &Store, word: VocabularyWord, args: &[Cell]) -> Result<Assertion, Stop> {
        let mut lists = Vec::new();
        let mut ranges = Vec::new();
        for chain in &args[..word.n_chains()] {
            let start = lists.len();
            lists.extend(chain_of(store, *chain)?);
            ranges.push(start..lists.len());
        }
        let mut rest = RemainingArguments { store, args: &args[word.n_chains()..] };
        let subject = ranges.pop().unwrap_or(0..0);
        let needed = ranges.pop().unwrap_or(0..0);
        if word == VocabularyWord::Always && subject.len() != 1 {
            let error = domain_error(store, "constraints", args[0]);
            return Err(with_message(
                error,
                "expected one list of constraints, found a chain: no event satisfies several",
            ));
        }
        let claim = claim(word, &mut rest)?;
        let (scope, [opens, closes]) =
            rest.take().map_or(Ok((Scope::Globally, [None, None])), |scope| scope_of(rest.store, scope))?;
        let within = rest.take();
        if rest.take().is_some() {
            let error = domain_error(store, "bound", args[1]);
            return Err(with_message(error, "expected a bound: at_least(N), at_most(N) or exactly(N)"));
        }
        let [opens, closes] = [opens, closes].map(|list| {
            list.map(|list| {
                lists.push(list);
                lists.len() - 1
            })
        });
        let property = Property { claim, scope, needed, subject, opens, closes };
        Ok(Assertion { word, property, lists, within })
    }
}

/// The lists of a chain, or the only one.
fn chain_of(store: &Store, term: Cell) -> Result<Vec<Cell>, Stop> {
    match store.look(term) {
        Term::Var(_) => Err(instantiation_error()),
        Term::Compound(compound)
            if (compound.name, compound.arity) == (atoms::DOT, 2) && is_list(store, store.arg(compound, 0)) =>
        {
            let walk = store.walk_list(term);
            match walk.end {
                ListEnd::Nil => Ok(walk.items),
                ListEnd::Partial(_) => Err(instantiation_error()),
                _ => Err(type_error(store, "list", term)),
            }
        }
        _ => Ok(vec![term]),
    }
}

fn is_list(store: &Store, term: Cell) -> bool {
    match store.look(term) {
        Term::Atom(name) => name == atoms::NIL,
        Term::Compound(compound) => (compound.name, compound.arity) == (atoms::DOT, 2),
        _ => false,
    }
}

fn claim(word: VocabularyWord, rest: &mut RemainingArguments<'_>) -> Result<Claim, Stop> {
    Ok(match word {
        VocabularyWord::Never => Claim::Count { least: 0, most: Some(0) },
        VocabularyWord::Always => Claim::Always,
        VocabularyWord::Precedes => Claim::Precedes,
        VocabularyWord::Responds => Claim::Responds,
        VocabularyWord::Exists => {
            let bound = rest.args.first().and_then(|bound| bound_of(rest.store, *bound).transpose()).transpose()?;
            if bound.is_some() {
                rest.take();
            }
            let (least, most) = bound.unwrap_or((1, None));
            Claim::Count { least, most }
        }
    })
}

/// The least and the greatest number, if a term is a bound.
fn bound_of(store: &Store, term: Cell) -> Result<Option<(u64, Option<u64>)>, Stop> {
    let Term::Compound(compound) = store.look(term) else { return Ok(None) };
    let kind = match (compound.name.as_str(), compound.arity) {
        (kind @ ("at_least" | "at_most" | "exactly"), 1) => kind,
        _ => return Ok(None),
    };
    let number = store.arg(compound, 0);
    let Ok(n) = u64::try_from(small_integer(store, number)?) else {
        return Err(domain_error(store, "not_less_than_zero", number));
    };
    Ok(Some(match kind {
        "at_least" => (n, None),
        "at_most" => (0, Some(n)),
        _ => (n, Some(n)),
    }))
}

/// The scopes, each with the number of its lists of constraints.
pub(crate) const SCOPES: [(&str, usize); 5] =
    [("globally", 0), ("before", 1), ("after", 1), ("between", 2), ("after_until", 2)];

/// A scope, with the lists that open and close its stretches.
type ScopeLists = (Scope, [Option<Cell>; 2]);

fn scope_of(store: &Store, term: Cell) -> Result<ScopeLists, Stop> {
    let (name, args) = match store.look(term) {
        Term::Var(_) => return Err(instantiation_error()),
        Term::Atom(name) => (name, &[][..]),
        Term::Compound(compound) => (compound.name, store.args(compound)),
        _ => (atoms::NIL, &[][..]),
    };
    Ok(match (name.as_str(), args) {
        ("globally", []) => (Scope::Globally, [None, None]),
        ("before", [closes]) => (Scope::Before, [None, Some(*closes)]),
        ("after", [opens]) => (Scope::After, [Some(*opens), None]),
        ("between", [opens, closes]) => (Scope::Between, [Some(*opens), Some(*closes)]),
        ("after_until", [opens, closes]) => (Scope::AfterUntil, [Some(*opens), Some(*closes)]),
        _ => {
            return Err(with_message(domain_error(store, "scope", term), &no_scope(&shown(store, term))));
        }
    })
}

/// That a term is no scope; a number was meant as a bound.
fn no_scope(text: &str) -> String {
    let bound = if text.parse::<u64>().is_ok() {
        format!("; a bound is at_most({text}) or exactly({text})")
    } else {
        String::new()
    };
    format!(
        "expected a scope (globally, before(R), after(Q), between(Q, R) or after_until(Q, R)), found `{text}`{bound}"
    )
}

/// A term of a goal in a message.
pub(super) fn shown(store: &Store, term: Cell) -> String {
    let style = Style { spacing: Spacing::NextArgument, max_terms: Some(60), ..Style::writeq() };
    print::to_string(store, term, &OPERATORS, &style)
}

/// Why a goal of the vocabulary is wrong whatever the trace is, apart from its lists of constraints.
pub(crate) fn wrong_assertion(tree: &Tree, goal: NodeId) -> Option<Stop> {
    error_of(tree, goal, |store, goal| {
        let Term::Compound(compound) = store.look(goal) else { return Ok(()) };
        let word = VocabularyWord::of(compound.name.as_str()).filter(|word| word.has_arity(compound.arity));
        let read = word.map(|word| Assertion::read(store, word, store.args(compound))).transpose()?;
        read.and_then(|read| read.within).map_or(Ok(()), |within| check_limit(store, within))
    })
}

/// The variables of a list of `Name=Variable`.
pub(super) fn named_variables(world: &World, pairs: Cell) -> Vec<(Cell, String)> {
    let name = |given: Cell| {
        let (name, variable) = pair(&world.store, given, atoms::EQUALS)?;
        match world.store.look(name) {
            Term::Atom(name) => Some((world.store.deref(variable), name.to_string())),
            _ => None,
        }
    };
    world.store.walk_list(pairs).items.into_iter().filter_map(name).collect()
}

/// The predicate and the arguments of a goal of the vocabulary.
pub(super) fn vocabulary_goal(world: &World, goal: Cell) -> Option<(VocabularyWord, Vec<Cell>)> {
    let Term::Compound(compound) = world.store.look(goal) else { return None };
    let word = VocabularyWord::of(compound.name.as_str()).filter(|word| word.has_arity(compound.arity))?;
    effect_of(world, goal).map(|_| (word, world.store.args(compound).to_vec()))
}
