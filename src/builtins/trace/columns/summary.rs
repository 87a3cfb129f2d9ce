//! Summaries of the answers of a goal: whether columns give them, and how.
//!
//! The predicates of this file make a [`ColumnPlan`] and run it; `explain/1` makes the same plan to say whether there
//! is one. Without a plan, the predicates fail, and their callers in the library let the machine find the answers.

use crate::builtins::record::det;
use crate::builtins::trace::queries::query::CompiledQuery;
use crate::engine::{Builtin, Cell, Stop, Store, Summary, World};
use crate::term::{Atom, atoms};
use crate::trace::count;

use super::aggregates::{Sums, Totals};
use super::answers::Listing;
use super::compile::compile;
use super::counts::{EventGroups, only_search};
use super::run::{MoreRows, ROWS, RunEnd};
use super::steps::GoalSteps;

/// The records.
pub(crate) const TABLE: &[Builtin] = &[
    det(
        "$batch_total(+What, :Goal, -Outcome) is semidet",
        "value(Result) with what aggregate_all/3 gives, or `none` where it fails; fails for a goal that columns cannot answer.",
        "'$batch_total'(r(count, sum(C)), event([port=exit, chrono=C]), V)",
        "V = value(r(149, 53012))",
        |world, args| summarize(world, Summary::Total, args),
    ),
    det(
        "$batch_counts(?Key, :Goal, -Pairs) is semidet",
        "What tally/3 gives; fails for a goal that columns cannot answer.",
        "'$batch_counts'(P, event([port=P, name=queen]), L)",
        "L = [call-1, exit-1]",
        |world, args| summarize(world, Summary::Counts, args),
    ),
    det(
        "$batch_sums(?Key, ?Value, :Goal, -Pairs) is semidet",
        "What sum_by/4 gives; fails for a goal that columns cannot answer.",
        "'$batch_sums'(P, D, event([port=P, depth=D, chrono=1..3]), L)",
        "L = [call-3, exit-2]",
        |world, args| summarize(world, Summary::Sums, args),
    ),
    det(
        "$batch_holds(:Condition, :Action, -Truth) is semidet",
        "Whether forall/2 holds, as `true` or `false`; fails for goals that columns cannot answer.",
        "'$batch_holds'((event([port=exit, call=K, chrono=E]), call_start(K, S)), E > S, T)",
        "T = true",
        |world, args| summarize(world, Summary::ForAll, args),
    ),
    det(
        "$batch_answers(?Template, :Goal, -List) is semidet",
        "The answers of a goal as findall/3 gives them; fails for a goal that columns cannot answer.",
        "'$batch_answers'(C-P, limit(2, event([port=P, chrono=C])), L)",
        "L = [1-call, 2-call]",
        |world, args| summarize(world, Summary::List, args),
    ),
];

/// The goal of a summary whose answers columns may give.
pub(crate) fn goal_of(store: &mut Store, summary: Summary, args: &[Cell]) -> Cell {
    match summary {
        Summary::Total | Summary::Counts | Summary::List => args[1],
        Summary::Sums => args[2],
        Summary::ForAll => {
            let negated = store.compound(atoms::NOT_PROVABLE, &[args[1]]);
            store.compound(atoms::COMMA, &[args[0], negated])
        }
    }
}

/// How columns give a summary.
pub(crate) enum ColumnPlan {
    /// The events of a search are counted.
    Count(CompiledQuery),
    /// They are counted for each key.
    Counts(EventGroups),
    /// Their values are added up for each key.
    GroupSums(EventGroups),
    /// Rows are counted, added up or compared.
    Totals(GoalSteps, Totals),
    /// Values of rows are added up for each key.
    Sums(GoalSteps, Sums),
    /// There must be no row.
    NoRow(GoalSteps),
    /// Rows become answers.
    List(Listing),
}

impl ColumnPlan {
    /// The plan of a summary with these arguments, the result aside; none if the machine must find the answers.
    pub(crate) fn new(world: &mut World, summary: Summary, args: &[Cell]) -> Result<Option<ColumnPlan>, Stop> {
        if let Some(plan) = ColumnPlan::of_search(world, summary, args)? {
            return Ok(Some(plan));
        }
        if summary == Summary::List {
            return Ok(Listing::new(world, args[0], args[1]).map(ColumnPlan::List));
        }
        let goal = goal_of(&mut world.store, summary, args);
        Ok(compile(world, goal).and_then(|steps| ColumnPlan::of_steps(&mut world.store, summary, args, steps)))
    }

    /// The plan of a goal that is nothing but a search.
    fn of_search(world: &mut World, summary: Summary, args: &[Cell]) -> Result<Option<ColumnPlan>, Stop> {
        Ok(match summary {
            Summary::Total if world.store.functor(args[0]).is_some_and(is_count) => {
                only_search(world, args[1])?.map(ColumnPlan::Count)
            }
            Summary::Counts => EventGroups::new(world, args[0], args[1])?.map(ColumnPlan::Counts),
            Summary::Sums => EventGroups::with_values(world, args[0], args[1], args[2])?.map(ColumnPlan::GroupSums),
            _ => None,
        })
    }

    fn of_steps(store: &mut Store, summary: Summary, args: &[Cell], steps: GoalSteps) -> Option<ColumnPlan> {
        match summary {
            Summary::Total => {
                let totals = Totals::new(store, &steps.slots, args[0])?;
                Some(ColumnPlan::Totals(steps, totals))
            }
            Summary::Counts | Summary::Sums => {
                let value = if summary == Summary::Sums { args[1] } else { store.int(1) };
                let sums = Sums::new(store, &steps, args[0], value)?;
                Some(ColumnPlan::Sums(steps, sums))
            }
            Summary::ForAll => Some(ColumnPlan::NoRow(steps)),
            Summary::List => None,
        }
    }

    /// The summary; none if a number does not fit into 64 bits.
    fn run(self, world: &mut World) -> Result<Option<Cell>, Stop> {
        match self {
            ColumnPlan::Count(query) => {
                let n = i64::try_from(count(&query.trace, &query.plan.pattern)).unwrap_or(i64::MAX);
                let n = world.store.int(n);
                Ok(Some(value(&mut world.store, n)))
            }
            ColumnPlan::Counts(groups) => groups.counts(world),
            ColumnPlan::GroupSums(groups) => groups.sums(world),
            ColumnPlan::Totals(steps, mut totals) => {
                let end = steps.run_shared(world, &mut totals)?;
                Ok(if end == RunEnd::Done { totals.finish(&mut world.store) } else { None })
            }
            ColumnPlan::Sums(steps, mut sums) => match steps.run_shared(world, &mut sums)? {
                RunEnd::Done => sums.finish(world, &steps.trace),
                RunEnd::Abandoned => Ok(None),
            },
            ColumnPlan::NoRow(steps) => no_row(world, &steps),
            ColumnPlan::List(listing) => listing.run(world),
        }
    }
}

fn is_count(functor: (Atom, usize)) -> bool {
    functor.0.as_str() == "count" && functor.1 == 0
}

/// `value(Result)`.
pub(super) fn value(store: &mut Store, result: Cell) -> Cell {
    store.compound(Atom::new("value"), &[result])
}

/// Whether steps give no row, as `true` or `false`.
fn no_row(world: &mut World, steps: &GoalSteps) -> Result<Option<Cell>, Stop> {
    let mut is_found = false;
    let end = steps.run(world, ROWS, |batch| {
        is_found |= batch.n_rows > 0;
        Some(if is_found { MoreRows::Enough } else { MoreRows::Wanted })
    })?;
    let truth = Cell::atom(if is_found { atoms::FALSE } else { atoms::TRUE });
    Ok((end == RunEnd::Done).then_some(truth))
}

/// Unifies the last argument with the summary; fails if columns do not give it.
fn summarize(world: &mut World, summary: Summary, args: &[Cell]) -> Result<bool, Stop> {
    let Some((result, args)) = args.split_last() else { return Ok(false) };
    let Some(plan) = ColumnPlan::new(world, summary, args)? else { return Ok(false) };
    Ok(plan.run(world)?.is_some_and(|found| world.store.unify(*result, found)))
}
