//! The profile of nested calls is that which the index of calls gives.

use proptest::prelude::*;

use super::nested::nested_profile;
use super::{Durations, ProfileRow, indexed_profile, profile};
use crate::trace::event::EventId;
use crate::trace::event::port::{MERCURY_PORTS, PortSet};
use crate::trace::event::schema::AttributeId;
use crate::trace::{EventRow, Field, ProcRow, Trace, TraceBuilder, TraceOrigin};

/// What happens next in a random trace.
#[derive(Clone, Copy, Debug)]
enum Move {
    Open(&'static str),
    Close(&'static str),
    /// A call of the active call that was left becomes active again.
    Reopen,
    /// An event inside of the active call.
    Inside,
    /// The call around the active one ends before it.
    CloseAround,
}

fn moves(broken: u32) -> impl Strategy<Value = Vec<(Move, i64)>> {
    let next = prop_oneof![
        40 => prop::sample::select(vec!["p", "q", "r"]).prop_map(Move::Open),
        40 => prop::sample::select(vec!["exit", "exit", "fail", "exception"]).prop_map(Move::Close),
        10 => Just(Move::Reopen),
        10 => Just(Move::Inside),
        broken => Just(Move::CloseAround),
    ];
    prop::collection::vec((next, 0..4_i64), 0..80)
}

/// An event of a call, which has the name, at a depth.
type Told = (i64, &'static str, i64, &'static str);

/// The events of moves; all calls end.
fn told(moves: &[(Move, i64)]) -> Vec<(Told, i64)> {
    let mut stack: Vec<(i64, &str)> = Vec::new();
    let mut left: Vec<(i64, i64, &str)> = Vec::new();
    let (mut n_calls, mut events) = (0, Vec::new());
    let ends = std::iter::repeat_n((Move::Close("exit"), 1), moves.len());
    for (next, time) in moves.iter().copied().chain(ends) {
        let depth = stack.len() as i64;
        let parent = stack.last().map_or(0, |(call, _)| *call);
        match next {
            Move::Open(name) => {
                n_calls += 1;
                stack.push((n_calls, name));
                events.push(((n_calls, name, depth + 1, "call"), time));
            }
            Move::Close(port) => {
                let Some((call, name)) = stack.pop() else { continue };
                events.push(((call, name, depth, port), time));
                left.push((call, stack.last().map_or(0, |(call, _)| *call), name));
            }
            Move::Reopen => {
                let Some(place) = left.iter().rposition(|(_, around, _)| *around == parent) else { continue };
                let (call, _, name) = left.remove(place);
                stack.push((call, name));
                events.push(((call, name, depth + 1, "redo"), time));
            }
            Move::Inside => {
                let Some((call, name)) = stack.last() else { continue };
                events.push(((*call, name, depth, "then"), time));
            }
            Move::CloseAround => {
                let Some(place) = stack.len().checked_sub(2) else { continue };
                let (call, name) = stack.remove(place);
                events.push(((call, name, depth - 1, "exit"), time));
            }
        }
    }
    events
}

fn trace(moves: &[(Move, i64)], has_times: bool) -> Trace {
    let mut builder = TraceBuilder::new(TraceOrigin {
        path: "test.trace".into(),
        format: "test",
        ports: PortSet::Closed(MERCURY_PORTS),
        attributes: &[],
        rule: "L1",
        severities: &[],
        is_by_line: true,
        ends_silently: false,
        lasso: None,
        results: &[],
        shown: &[],
        alike: &[],
    });
    let time_id = builder.attribute("time").expect("there is room");
    let mut now = 1000;
    for ((call, name, depth, port), after) in told(moves) {
        now += after;
        let extra = [(time_id, Field::Int(now))];
        builder.push(&EventRow {
            call: Some(call),
            depth: Some(depth),
            port: Some(port),
            proc: ProcRow { name: Some(name), arity: Some(1), ..ProcRow::default() },
            extra: if has_times { &extra } else { &[] },
            ..EventRow::default()
        });
    }
    builder.finish()
}

fn by_first(mut rows: Vec<ProfileRow>) -> Vec<ProfileRow> {
    rows.sort_by_key(|row| row.first);
    rows
}

proptest! {
    #[test]
    fn nested_calls_cost_what_the_index_of_calls_says(moves in moves(0), has_times: bool, skips: bool) {
        let trace = trace(&moves, has_times);
        let mut is_wanted = |event: EventId| !skips || !event.is_multiple_of(3);
        prop_assert!(nested_profile(&trace, &[AttributeId::NAME], Some(&mut is_wanted), 1).is_some());
        let rows = by_first(profile(&trace, &[AttributeId::NAME], Some(&mut is_wanted)));
        prop_assert_eq!(rows, by_first(indexed_profile(&trace, &[AttributeId::NAME], is_wanted)));
    }

    #[test]
    fn calls_that_do_not_nest_cost_what_the_index_of_calls_says(moves in moves(3), has_times: bool) {
        let trace = trace(&moves, has_times);
        let rows = by_first(profile(&trace, &[AttributeId::NAME], None));
        prop_assert_eq!(rows, by_first(indexed_profile(&trace, &[AttributeId::NAME], |_| true)));
    }

    #[test]
    fn the_parts_of_a_trace_add_up(moves in moves(0), has_times: bool, n_parts in 2..6_usize) {
        let moves: Vec<_> = moves.into_iter().filter(|(next, _)| !matches!(next, Move::Reopen)).collect();
        let trace = trace(&moves, has_times);
        let rows = |n_parts: usize| {
            let groups = nested_profile(&trace, &[AttributeId::NAME], None, n_parts);
            let mut rows: Vec<_> = groups.into_iter().flatten().map(|mut group| {
                (group.row, Durations::of(group.durations.parts()))
            }).collect();
            rows.sort_by_key(|(row, _)| row.first);
            rows
        };
        prop_assert!(!rows(1).is_empty() || moves.is_empty() || trace.n_calls() == 0);
        prop_assert_eq!(rows(n_parts), rows(1));
    }
}
