//! Evaluation of arithmetic expressions on the heap, with an explicit stack.

use smallvec::SmallVec;

use super::rounding::Rounding;
use super::{Function, Number};
use crate::engine::heap::{
    Cell, Compound, Stop, Store, Term, Watch, domain_error, instantiation_error, type_error, with_message,
};
use crate::term::hash::{NumberMap, NumberSet};
use crate::term::{Atom, atoms};

/// The function whose first argument is evaluated with another rounding of floats.
const ROUNDTOWARD: &str = "roundtoward";

/// Applications of functions between two polls of interrupts and limits.
const POLL_EVERY: usize = 1 << 10;

/// The value of `expression`; unbound variables, unknown functors and cyclic terms are errors.
#[inline]
pub(crate) fn evaluate(store: &Store, expression: Cell) -> Result<Number, Stop> {
    match store.look(expression) {
        Term::Int(value) => Ok(Number::Int(value)),
        Term::Compound(compound) => evaluate_compound(store, &store.watch, expression, compound),
        _ => evaluate_simple(store, expression),
    }
}

/// Like [`evaluate`], for expressions in constraints: interrupts and limits are not polled.
pub(crate) fn evaluate_unwatched(store: &Store, expression: Cell) -> Result<Number, Stop> {
    match store.look(expression) {
        Term::Compound(compound) => evaluate_compound(store, &Watch::default(), expression, compound),
        _ => evaluate_simple(store, expression),
    }
}

fn evaluate_compound(store: &Store, watch: &Watch, expression: Cell, compound: Compound) -> Result<Number, Stop> {
    let mut evaluation = Evaluation { most: 2 * store.suspicious(), ..Evaluation::new(store, watch) };
    if let Some(value) = evaluation.run(compound)? {
        return Ok(value);
    }
    let is_acyclic = store.is_acyclic(expression);
    store.check_walks()?;
    if !is_acyclic {
        return Err(type_error(store, "expression", expression));
    }
    let shared = shared_parts(store, compound);
    let mut evaluation = Evaluation { shared, ..Evaluation::new(store, watch) };
    Ok(evaluation.run(compound)?.expect("there is no bound on the steps"))
}

/// The compounds that occur more than once in an acyclic expression.
fn shared_parts(store: &Store, compound: Compound) -> NumberSet<Compound> {
    let (mut seen, mut shared) = (NumberSet::default(), NumberSet::default());
    let mut rest = vec![compound];
    while let Some(compound) = rest.pop() {
        if !seen.insert(compound) {
            shared.insert(compound);
            continue;
        }
        rest.extend(store.args(compound).iter().filter_map(|&arg| match store.look(arg) {
            Term::Compound(inner) => Some(inner),
            _ => None,
        }));
    }
    shared
}

enum EvaluationStep {
    Value(Cell),
    Apply(Function),
    /// Sets the rounding of floats.
    Round(Rounding),
    /// Caches the last value as that of a compound that occurs again.
    Keep(Compound),
}

/// The state of an evaluation.
struct Evaluation<'w> {
    store: &'w Store,
    watch: &'w Watch,
    steps: SmallVec<[EvaluationStep; 8]>,
    values: SmallVec<[Number; 4]>,
    n_applied: usize,
    rounding: Rounding,
    /// The evaluation is abandoned after this many steps.
    most: usize,
    /// Shared subexpressions, which are evaluated once, and their values.
    shared: NumberSet<Compound>,
    known: NumberMap<Compound, Number>,
}

impl<'w> Evaluation<'w> {
    fn new(store: &'w Store, watch: &'w Watch) -> Evaluation<'w> {
        Evaluation {
            store,
            watch,
            steps: SmallVec::new(),
            values: SmallVec::new(),
            n_applied: 0,
            rounding: Rounding::default(),
            most: usize::MAX,
            shared: NumberSet::default(),
            known: NumberMap::default(),
        }
    }

    /// The value, or `None` after too many steps.
    fn run(&mut self, compound: Compound) -> Result<Option<Number>, Stop> {
        let mut n_steps = 0;
        self.open(compound)?;
        while let Some(step) = self.steps.pop() {
            n_steps += 1;
            if n_steps > self.most {
                return Ok(None);
            }
            match step {
                EvaluationStep::Value(cell) => match self.store.look(cell) {
                    Term::Int(value) => self.values.push(Number::Int(value)),
                    Term::Compound(compound) => self.open(compound)?,
                    _ => self.values.push(evaluate_simple(self.store, cell)?),
                },
                EvaluationStep::Apply(function) => self.apply(function)?,
                EvaluationStep::Round(rounding) => self.round(rounding),
                EvaluationStep::Keep(compound) => drop(self.known.insert(compound, self.last())),
            }
        }
        Ok(Some(self.last()))
    }

    fn last(&self) -> Number {
        self.values.last().expect("every expression leaves one value").clone()
    }

    fn apply(&mut self, function: Function) -> Result<(), Stop> {
        self.n_applied += 1;
        let first = self.values.len() - function.arity();
        let args = &self.values[first..];
        let value = self.rounding.rounded(function, args, function.apply(args)?);
        if matches!(value, Number::Big(_)) || self.n_applied.is_multiple_of(POLL_EVERY) {
            self.watch.check()?;
        }
        self.values.truncate(first);
        self.values.push(value);
        Ok(())
    }

    /// Pushes the arguments and the application of a compound; `[X]` is `X`.
    fn open(&mut self, compound: Compound) -> Result<(), Stop> {
        if !self.shared.is_empty() && self.shared.contains(&compound) {
            if let Some(value) = self.known.get(&compound) {
                self.values.push(value.clone());
                return Ok(());
            }
            self.steps.push(EvaluationStep::Keep(compound));
        }
        if compound.name == atoms::DOT && compound.arity == 2 {
            let element = self.only_element(compound)?;
            self.steps.push(EvaluationStep::Value(element));
            return Ok(());
        }
        if compound.name.as_str() == ROUNDTOWARD && compound.arity == 2 {
            return self.open_rounded(compound);
        }
        match Function::find(compound.name, compound.arity) {
            Some(function) => self.steps.push(EvaluationStep::Apply(function)),
            None => return Err(not_evaluable(compound.name, compound.arity)),
        }
        self.steps.extend(self.store.args(compound).iter().rev().map(|&arg| EvaluationStep::Value(arg)));
        Ok(())
    }

    /// Sets the rounding, which invalidates the cached values.
    fn round(&mut self, rounding: Rounding) {
        self.rounding = rounding;
        self.known.clear();
    }

    /// Pushes the first argument of `roundtoward(Expression, Mode)` between changes of the rounding.
    fn open_rounded(&mut self, compound: Compound) -> Result<(), Stop> {
        let [expression, mode] = [0, 1].map(|index| self.store.arg(compound, index));
        let rounding = match self.store.look(mode) {
            Term::Var(_) => return Err(instantiation_error()),
            Term::Atom(name) => Rounding::named(name.as_str()),
            _ => return Err(type_error(self.store, "atom", mode)),
        };
        let rounding = rounding.ok_or_else(|| domain_error(self.store, "round", mode))?;
        self.steps.extend([
            EvaluationStep::Round(self.rounding),
            EvaluationStep::Value(expression),
            EvaluationStep::Round(rounding),
        ]);
        Ok(())
    }

    fn only_element(&self, pair: Compound) -> Result<Cell, Stop> {
        match self.store.look(self.store.arg(pair, 1)) {
            Term::Atom(atoms::NIL) => Ok(self.store.arg(pair, 0)),
            Term::Var(_) => Err(instantiation_error()),
            _ => Err(not_evaluable(atoms::DOT, 2)),
        }
    }
}

fn evaluate_simple(store: &Store, cell: Cell) -> Result<Number, Stop> {
    match store.look(cell) {
        Term::Var(_) => Err(instantiation_error()),
        Term::Atom(name) => match Function::find(name, 0) {
            Some(constant) => constant.apply(&[]),
            None => Err(not_evaluable(name, 0)),
        },
        Term::Str(text) => one_character(store, text, cell),
        _ => Ok(Number::of(store, cell).expect("every other term is a number")),
    }
}

/// A string of one character is that character's code.
fn one_character(store: &Store, text: &str, cell: Cell) -> Result<Number, Stop> {
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) => Ok(Number::Int(i64::from(u32::from(character)))),
        _ => Err(type_error(store, "evaluable", cell)),
    }
}

/// `type_error(evaluable, Name/Arity)`.
fn not_evaluable(name: Atom, arity: usize) -> Stop {
    let mut store = Store::new();
    let arity = store.int(arity as i64);
    let indicator = store.compound(atoms::DIVIDE, &[Cell::atom(name), arity]);
    let error = type_error(&store, "evaluable", indicator);
    match name {
        atoms::MINUS => with_message(
            error,
            "expected a number, found `-`, which stands for one that the trace does not have, \
            such as the end of what has not ended: write `To == (-) ; To > 20`",
        ),
        _ => error,
    }
}
