//! Counts, sums and extremes over the rows of steps.

use crate::engine::{Cell, Stop, Store, Term, World};
use crate::term::{Atom, atoms};
use crate::trace::Trace;

use super::counts::pairs;
use super::expression::Expression;
use super::parallel::RowSink;
use super::rows::Batch;
use super::slots::VariableSlots;
use super::steps::GoalSteps;
use super::summary::value;
use super::sums::Groups;

/// An aggregate over all rows.
#[derive(Clone)]
enum Total {
    Count(i128),
    Sum(Expression, i128),
    Least(Expression, Option<i64>),
    Greatest(Expression, Option<i64>),
}

impl Total {
    fn new(store: &Store, slots: &VariableSlots, what: Cell) -> Option<Total> {
        match store.look(what) {
            Term::Atom(atoms::COUNT) => Some(Total::Count(0)),
            Term::Compound(compound) if compound.arity == 1 => {
                let value = || Expression::new(store, slots, store.arg(compound, 0));
                match compound.name.as_str() {
                    "sum" => Some(Total::Sum(value()?, 0)),
                    "min" => Some(Total::Least(value()?, None)),
                    "max" => Some(Total::Greatest(value()?, None)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn add(&mut self, trace: &Trace, batch: &Batch) -> Option<()> {
        match self {
            Total::Count(n) => *n += batch.n_rows as i128,
            Total::Sum(value, sum) => {
                let values = value.evaluate(trace, batch)?;
                *sum += values.iter().map(|value| i128::from(*value)).sum::<i128>();
            }
            Total::Least(value, least) => {
                let values = value.evaluate(trace, batch)?;
                *least = values.iter().copied().chain(*least).min();
            }
            Total::Greatest(value, greatest) => {
                let values = value.evaluate(trace, batch)?;
                *greatest = values.iter().copied().chain(*greatest).max();
            }
        }
        Some(())
    }

    fn absorb(&mut self, other: Total) {
        match (self, other) {
            (Total::Count(n), Total::Count(more)) => *n += more,
            (Total::Sum(_, sum), Total::Sum(_, more)) => *sum += more,
            (Total::Least(_, least), Total::Least(_, other)) => *least = other.into_iter().chain(*least).min(),
            (Total::Greatest(_, greatest), Total::Greatest(_, other)) => {
                *greatest = other.into_iter().chain(*greatest).max();
            }
            _ => unreachable!("both were made for the same"),
        }
    }

    /// The result; none inside for a least or greatest value without rows, none outside if it does not fit into 64
    /// bits.
    fn finish(&self) -> Option<Option<i64>> {
        match self {
            Total::Count(n) | Total::Sum(_, n) => i64::try_from(*n).ok().map(Some),
            Total::Least(_, value) | Total::Greatest(_, value) => Some(*value),
        }
    }
}

/// The aggregates that aggregate_all/3 gives at once.
#[derive(Clone)]
pub(crate) struct Totals {
    /// The name of the compound of which the aggregates are the arguments; without a name there is only one.
    name: Option<Atom>,
    totals: Vec<Total>,
}

impl Totals {
    /// The aggregates that are asked for; none if one of them is not over integers.
    pub(super) fn new(store: &Store, slots: &VariableSlots, what: Cell) -> Option<Totals> {
        let (name, specs) = parts(store, what)?;
        let totals = specs.iter().map(|spec| Total::new(store, slots, *spec)).collect::<Option<_>>()?;
        Some(Totals { name, totals })
    }

    /// `value(Result)`, or `none` for a least or greatest value without rows; none if a result does not fit into 64
    /// bits.
    pub(super) fn finish(&self, store: &mut Store) -> Option<Cell> {
        let results = self.totals.iter().map(Total::finish).collect::<Option<Vec<_>>>()?;
        let Some(numbers) = results.into_iter().collect::<Option<Vec<i64>>>() else {
            return Some(Cell::atom(Atom::new("none")));
        };
        let numbers: Vec<Cell> = numbers.into_iter().map(|number| store.int(number)).collect();
        let result = self.name.map_or(numbers[0], |name| store.compound(name, &numbers));
        Some(value(store, result))
    }
}

impl RowSink for Totals {
    fn add(&mut self, steps: &GoalSteps, batch: &Batch) -> Option<()> {
        self.totals.iter_mut().try_for_each(|total| total.add(&steps.trace, batch))
    }

    fn absorb(&mut self, _: &GoalSteps, other: Totals) {
        self.totals.iter_mut().zip(other.totals).for_each(|(total, other)| total.absorb(other));
    }
}

/// Sums by group, and the expression that is added up.
#[derive(Clone)]
pub(crate) struct Sums {
    groups: Groups,
    key: Cell,
    value: Expression,
}

impl Sums {
    /// Sums of a value by a key; none if one of them is not over the slots of the steps.
    pub(super) fn new(store: &Store, steps: &GoalSteps, key: Cell, value: Cell) -> Option<Sums> {
        let value = Expression::new(store, &steps.slots, value)?;
        Some(Sums { groups: Groups::new(store, &steps.trace, &steps.slots, key)?, key, value })
    }

    /// The list of `Key-Sum`; none if a sum does not fit into 64 bits.
    pub(super) fn finish(self, world: &mut World, trace: &Trace) -> Result<Option<Cell>, Stop> {
        let sums = self.groups.finish(&mut world.store, trace, self.key);
        pairs(world, sums)
    }
}

impl RowSink for Sums {
    fn add(&mut self, steps: &GoalSteps, batch: &Batch) -> Option<()> {
        self.groups.add(&steps.trace, batch, &self.value.evaluate(&steps.trace, batch)?);
        Some(())
    }

    fn absorb(&mut self, steps: &GoalSteps, other: Sums) {
        self.groups.absorb(&steps.trace, other.groups);
    }
}

/// The aggregates asked for: the arguments of a compound that is not an aggregate itself, otherwise the term alone.
fn parts(store: &Store, what: Cell) -> Option<(Option<Atom>, Vec<Cell>)> {
    match store.look(what) {
        Term::Compound(compound) if !matches!(compound.name.as_str(), "sum" | "min" | "max" | "bag" | "set") => {
            Some((Some(compound.name), store.args(compound).to_vec()))
        }
        Term::Var(_) => None,
        _ => Some((None, vec![what])),
    }
}
