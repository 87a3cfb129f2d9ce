//! Answers from whole columns: counts, sums and tests, for goals that use only the relation and integer
//! arithmetic. Any other goal fails here, and is left to the machine.

use crate::builtins::record::det;
use crate::engine::{Builtin, Cell, Stop, Store, Term, World};
use crate::term::{Atom, atoms};

use super::compile::compile;
use super::counts::{merge, pairs};
use super::expression::Expression;
use super::parallel::RowSink;
use super::rows::Batch;
use super::run::{MoreRows, ROWS, RunEnd};
use super::slots::VariableSlots;
use super::steps::GoalSteps;
use super::sums::Groups;

/// The records.
pub(crate) const TABLE: &[Builtin] = &[
    det(
        "$batch_total(+What, :Goal, -Outcome) is semidet",
        "value(Result) with what aggregate_all/3 gives, or `none` where it fails; fails for a goal that columns cannot answer.",
        "'$batch_total'(r(count, sum(C)), event([port=exit, chrono=C]), V)",
        "V = value(r(149, 53012))",
        total,
    ),
    det(
        "$batch_sums(?Key, ?Value, :Goal, -Pairs) is semidet",
        "What sum_by/4 gives; fails for a goal that columns cannot answer.",
        "'$batch_sums'(P, D, event([port=P, depth=D, chrono=1..3]), L)",
        "L = [call-3, exit-2]",
        sums,
    ),
    det(
        "$batch_holds(:Goal, -Truth) is semidet",
        "Whether a goal has an answer, as `true` or `false`; fails for one that columns cannot answer.",
        "'$batch_holds'((event([port=exit, call=K, chrono=E]), call_start(K, S), E < S), T)",
        "T = false",
        holds,
    ),
    det(
        "$batch_answers(?Template, :Goal, -List) is semidet",
        "The answers of a goal as findall/3 gives them; fails for a goal that columns cannot answer.",
        "'$batch_answers'(C-P, limit(2, event([port=P, chrono=C])), L)",
        "L = [1-call, 2-call]",
        super::answers::answers,
    ),
];

/// Whether columns give the answers of a goal when these are counted, added up or tested.
pub(crate) fn is_over_columns(world: &mut World, goal: Cell) -> bool {
    compile(world, goal).is_some()
}

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
            Term::Atom(name) if name.as_str() == "count" => Some(Total::Count(0)),
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

    fn add(&mut self, trace: &crate::trace::Trace, batch: &Batch) -> Option<()> {
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

impl RowSink for Vec<Total> {
    fn add(&mut self, steps: &GoalSteps, batch: &Batch) -> Option<()> {
        self.iter_mut().try_for_each(|total| total.add(&steps.trace, batch))
    }

    fn absorb(&mut self, _: &GoalSteps, other: Vec<Total>) {
        self.iter_mut().zip(other).for_each(|(total, other)| total.absorb(other));
    }
}

/// Sums by group, and the expression that is added up.
#[derive(Clone)]
struct Sums {
    groups: Groups,
    value: Expression,
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

fn total(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let Some((name, specs)) = parts(&world.store, args[0]) else { return Ok(false) };
    let Some(steps) = compile(world, args[1]) else { return Ok(false) };
    let each = specs.iter().map(|spec| Total::new(&world.store, &steps.slots, *spec));
    let Some(mut totals) = each.collect::<Option<Vec<_>>>() else { return Ok(false) };
    let end = steps.run_shared(world, &mut totals)?;
    let Some(results) = totals.iter().map(Total::finish).collect::<Option<Vec<_>>>() else { return Ok(false) };
    if end == RunEnd::Abandoned {
        return Ok(false);
    }
    let store = &mut world.store;
    let outcome = match results.into_iter().collect::<Option<Vec<i64>>>() {
        None => Cell::atom(Atom::new("none")),
        Some(numbers) => {
            let numbers: Vec<Cell> = numbers.into_iter().map(|number| store.int(number)).collect();
            let result = name.map_or(numbers[0], |name| store.compound(name, &numbers));
            store.compound(Atom::new("value"), &[result])
        }
    };
    Ok(store.unify(args[2], outcome))
}

fn sums(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let [key, value, goal] = [args[0], args[1], args[2]];
    let Some(steps) = compile(world, goal) else { return Ok(false) };
    let Some(value) = Expression::new(&world.store, &steps.slots, value) else { return Ok(false) };
    let Some(groups) = Groups::new(&world.store, &steps.trace, &steps.slots, key) else { return Ok(false) };
    let mut sums = Sums { groups, value };
    let end = steps.run_shared(world, &mut sums)?;
    if end == RunEnd::Abandoned {
        return Ok(false);
    }
    let Some(counted) = sums.groups.finish(world, &steps.trace, key) else { return Ok(false) };
    let merged = merge(world, counted)?;
    let list = pairs(&mut world.store, merged);
    Ok(world.store.unify(args[3], list))
}

fn holds(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let Some(steps) = compile(world, args[0]) else { return Ok(false) };
    let mut is_found = false;
    let end = steps.run(world, ROWS, |batch| {
        is_found |= batch.n_rows > 0;
        Some(if is_found { MoreRows::Enough } else { MoreRows::Wanted })
    })?;
    let truth = Cell::atom(if is_found { atoms::TRUE } else { atoms::FALSE });
    Ok(end == RunEnd::Done && world.store.unify(args[1], truth))
}
