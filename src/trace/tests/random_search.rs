//! Searches of random traces with random constraints find the same rows as a naive loop.

use proptest::prelude::*;

use super::super::search::find::next_match;
use super::super::{
    AttributeId, Bound, Constraint, EventRow, Field, FormOp, ListField, Matches, Pattern, ProcRow, SearchDirection,
    Sweep, Trace, count, group, reasons,
};
use super::saved::reopened;
use super::{between, builder, path, prev_match};
use crate::term::Atom;
use crate::term::number::{Number, compare};

#[derive(Clone, Debug)]
struct RandomRow {
    gap: i64,
    call: Option<i64>,
    depth: Option<i64>,
    port: Option<&'static str>,
    name: Option<&'static str>,
    arity: Option<i64>,
    steps: Option<Vec<&'static str>>,
    line: Option<i64>,
    args: Option<&'static str>,
    node: Option<RandomNode>,
}

#[derive(Clone, Copy, Debug)]
enum RandomNode {
    Int(i64),
    Atom(&'static str),
}

fn some<T: Clone + std::fmt::Debug + 'static>(value: impl Strategy<Value = T>) -> impl Strategy<Value = Option<T>> {
    prop_oneof![9 => value.prop_map(Some), 1 => Just(None)]
}

fn row() -> impl Strategy<Value = RandomRow> {
    let names = prop_oneof![400 => Just("p"), 200 => Just("q"), 1 => Just("rare")];
    let steps = prop::collection::vec(prop::sample::select(vec!["c1", "s2", "s2-3"]), 0..2);
    let lines = prop_oneof![20 => 0..5_i64, 1 => Just(300), 1 => Just(-7)];
    let nodes = prop_oneof![
        (0..3_i64).prop_map(RandomNode::Int),
        prop::sample::select(vec!["a", "b"]).prop_map(RandomNode::Atom)
    ];
    let numbers = (prop_oneof![30 => Just(1_i64), 1 => 2..9_i64], some(0..400_i64), some(1..4_i64), some(lines));
    let ports = some(prop::sample::select(vec!["call", "exit", "redo", "fail", "then"]));
    let texts = some(prop::sample::select(vec!["1, -", "f(x)", "[1, 2], x"]));
    (numbers, ports, some(names), some(0..3_i64), some(steps), texts, some(nodes)).prop_map(
        |((gap, call, depth, line), port, name, arity, steps, args, node)| RandomRow {
            gap,
            call,
            depth,
            port,
            name,
            arity,
            steps,
            line,
            args,
            node,
        },
    )
}

fn build(rows: &[RandomRow]) -> Trace {
    let mut builder = builder();
    let node_id = builder.attribute("node").expect("there is room");
    let mut chrono = 0;
    for row in rows {
        chrono += row.gap;
        let extra = row.node.map(|node| match node {
            RandomNode::Int(value) => (node_id, Field::Int(value)),
            RandomNode::Atom(name) => (node_id, Field::Atom(name)),
        });
        let goal_path = row.steps.as_ref().map(|steps| builder.path(steps));
        builder.push(&EventRow {
            chrono: Some(chrono),
            call: row.call,
            depth: row.depth,
            port: row.port,
            proc: ProcRow { name: row.name, arity: row.arity, ..ProcRow::default() },
            goal_path,
            line_number: row.line,
            args: row.args.map_or(ListField::Absent, ListField::Text),
            extra: extra.as_slice(),
            ..EventRow::default()
        });
    }
    builder.finish()
}

/// A form as a tree, for the naive loop.
#[derive(Clone, Debug)]
enum FormTree {
    Leaf(FormOp),
    AnyOf(Vec<FormTree>),
    Not(Box<FormTree>),
}

fn tree(leaf: impl Strategy<Value = FormOp> + 'static) -> impl Strategy<Value = FormTree> {
    let leaf = prop_oneof![8 => leaf, 1 => Just(FormOp::Any)].prop_map(FormTree::Leaf);
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(FormTree::AnyOf),
            inner.prop_map(|tree| FormTree::Not(Box::new(tree))),
        ]
    })
}

fn flatten(tree: &FormTree, form: &mut Vec<FormOp>) {
    match tree {
        FormTree::Leaf(op) => form.push(op.clone()),
        FormTree::AnyOf(trees) => {
            trees.iter().for_each(|tree| flatten(tree, form));
            form.push(FormOp::AnyOf(trees.len()));
        }
        FormTree::Not(tree) => {
            flatten(tree, form);
            form.push(FormOp::Not);
        }
    }
}

fn integers() -> impl Strategy<Value = FormOp> {
    let bound = || prop_oneof![3 => (-8..45_i64).prop_map(Some), 1 => Just(None)];
    prop_oneof![
        (-8..45_i64).prop_map(FormOp::int),
        (bound(), bound()).prop_map(|(low, high)| between(low, high)),
        Just(FormOp::Number(Number::Big(u128::MAX.into()))),
    ]
}

fn names(names: &'static [&'static str]) -> impl Strategy<Value = FormOp> {
    prop::sample::select(names).prop_map(super::atom)
}

fn wish() -> impl Strategy<Value = (&'static str, FormTree)> {
    let paths = prop::sample::select(vec![vec![], vec!["c1"], vec!["s2"], vec!["s2-3"]]).prop_map(|steps| path(&steps));
    prop_oneof![
        tree(integers()).prop_map(|form| ("chrono", form)),
        tree(integers()).prop_map(|form| ("call", form)),
        tree(integers()).prop_map(|form| ("depth", form)),
        tree(integers()).prop_map(|form| ("line_number", form)),
        tree(integers()).prop_map(|form| ("arity", form)),
        tree(names(&["call", "exit", "FAIL", "then", "disj"])).prop_map(|form| ("port", form)),
        tree(names(&["p", "q", "rare", "none"])).prop_map(|form| ("name", form)),
        tree(prop_oneof![integers(), names(&["a", "c"])]).prop_map(|form| ("node", form)),
        tree(paths).prop_map(|form| ("goal_path", form)),
    ]
}

/// A value of a row; none if it is absent.
#[derive(Clone, Debug, PartialEq)]
enum Naive {
    Int(i64),
    Name(&'static str),
    Steps(Vec<&'static str>),
}

fn naive_value(row: &RandomRow, chrono: i64, attribute: &str) -> Option<Naive> {
    match attribute {
        "chrono" => Some(Naive::Int(chrono)),
        "call" => row.call.map(Naive::Int),
        "depth" => row.depth.map(Naive::Int),
        "line_number" => row.line.map(Naive::Int),
        "arity" => row.arity.map(Naive::Int),
        "port" => row.port.map(Naive::Name),
        "name" => row.name.map(Naive::Name),
        "node" => row.node.map(|node| match node {
            RandomNode::Int(value) => Naive::Int(value),
            RandomNode::Atom(name) => Naive::Name(name),
        }),
        "goal_path" => row.steps.clone().map(Naive::Steps),
        _ => None,
    }
}

fn holds(tree: &FormTree, value: &Naive) -> bool {
    match tree {
        FormTree::AnyOf(trees) => trees.iter().any(|tree| holds(tree, value)),
        FormTree::Not(tree) => !holds(tree, value),
        FormTree::Leaf(op) => match (op, value) {
            (FormOp::Any, _) => true,
            (FormOp::Number(asked), Naive::Int(value)) => *asked == Number::Int(*value),
            (FormOp::Range(low, high), Naive::Int(value)) => {
                let order = |bound: &Bound| compare(&Number::Int(*value), &bound.number);
                low.as_ref().is_none_or(|low| order(low).is_ge())
                    && high.as_ref().is_none_or(|high| order(high).is_le())
            }
            (FormOp::Atom(asked), Naive::Name(name)) => {
                asked.as_str() == *name || asked.as_str() == "FAIL" && *name == "fail"
            }
            (FormOp::Path(asked), Naive::Steps(steps)) => {
                let step = |(asked, step): (&Atom, &&str)| {
                    asked.as_str() == *step || asked.as_str() == "s2" && *step == "s2-3"
                };
                asked.len() == steps.len() && asked.iter().zip(steps).all(step)
            }
            _ => false,
        },
    }
}

/// The rows that the naive loop finds.
fn naive_matches(rows: &[RandomRow], wishes: &[(&str, FormTree)]) -> Vec<u32> {
    let mut chrono = 0;
    let mut found = Vec::new();
    for (event, row) in (0..).zip(rows) {
        chrono += row.gap;
        let all = wishes
            .iter()
            .all(|(attribute, tree)| naive_value(row, chrono, attribute).is_some_and(|value| holds(tree, &value)));
        if all {
            found.push(event);
        }
    }
    found
}

fn constraints(trace: &Trace, wishes: &[(&str, FormTree)]) -> Option<Vec<Constraint>> {
    let constraint = |(attribute, tree): &(&str, FormTree)| {
        let mut form = Vec::new();
        flatten(tree, &mut form);
        let attribute = trace.schema().find(attribute)?;
        Constraint::new(trace, attribute, &form).ok()
    };
    wishes.iter().map(constraint).collect()
}

/// Groups by port and another attribute, counted event by event.
fn naive_groups(trace: &Trace, matches: &[u32], attributes: &[AttributeId]) -> Vec<(String, u64)> {
    let mut groups: Vec<(String, u64)> = Vec::new();
    for event in matches {
        let values: Vec<_> = attributes.iter().map(|attribute| trace.value(*event, *attribute)).collect();
        let values = format!("{values:?}");
        match groups.iter_mut().find(|(key, _)| *key == values) {
            Some((_, count)) => *count += 1,
            None => groups.push((values, 1)),
        }
    }
    groups
}

/// All matches, found one by one.
fn all(trace: &Trace, pattern: &Pattern, way: SearchDirection, position: u32) -> Vec<u32> {
    let mut matches = Matches::new(trace, pattern, way, position);
    std::iter::from_fn(|| matches.next(trace, pattern)).collect()
}

/// Checks a trace from the builder, and the same trace saved and reopened.
fn check(rows: &[RandomRow], wishes: &[(&str, FormTree)]) -> Result<(), TestCaseError> {
    let trace = build(rows);
    check_trace(reopened(&trace), rows, wishes)?;
    check_trace(trace, rows, wishes)
}

fn check_trace(trace: Trace, rows: &[RandomRow], wishes: &[(&str, FormTree)]) -> Result<(), TestCaseError> {
    let Some(constraints) = constraints(&trace, wishes) else { return Ok(()) };
    let pattern = Pattern::new(&trace, constraints.clone());
    let expected = naive_matches(rows, wishes);
    let is_expected = |event| expected.binary_search(&event).is_ok();
    prop_assert_eq!(count(&trace, &pattern), expected.len() as u64, "{}", pattern.explain(&trace));
    for position in 0..=trace.n_events() {
        let next = expected[expected.partition_point(|event| *event < position)..].first().copied();
        prop_assert_eq!(next_match(&trace, position, &pattern), next, "from {}", position);
        let prev = expected[..expected.partition_point(|event| *event < position)].last().copied();
        prop_assert_eq!(prev_match(&trace, position, &pattern), prev, "before {}", position);
        prop_assert_eq!(pattern.matches(&trace, position), is_expected(position));
    }
    for position in [0, trace.n_events() / 3, trace.n_events()] {
        let (before, after) = expected.split_at(expected.partition_point(|event| *event < position));
        prop_assert_eq!(all(&trace, &pattern, SearchDirection::Forward, position), after);
        let mut backwards = all(&trace, &pattern, SearchDirection::Backward, position);
        backwards.reverse();
        prop_assert_eq!(backwards, before);
    }
    let sweep = Sweep::new(&trace, &pattern);
    let mut swept = Vec::new();
    (0..sweep.n_stretches()).for_each(|stretch| sweep.add(stretch, &mut swept));
    prop_assert!(swept.iter().copied().eq(expected.iter().copied().map(i64::from)), "{swept:?} {expected:?}");
    for attributes in [
        &[AttributeId::PORT, AttributeId::NAME][..],
        &[AttributeId::DEPTH, AttributeId::PORT],
        &[AttributeId::LINE_NUMBER],
        &[AttributeId::CALL, AttributeId::GOAL_PATH, AttributeId::ARGS],
        &[],
    ] {
        let groups: Vec<(String, u64)> = group(&trace, &pattern, attributes)
            .into_iter()
            .map(|(values, count)| (format!("{values:?}"), count))
            .collect();
        prop_assert_eq!(groups, naive_groups(&trace, &expected, attributes));
    }
    prop_assert_eq!(reasons(&trace, &constraints).is_empty(), !expected.is_empty());
    Ok(())
}

proptest! {
    #![proptest_config(crate::term::cases::cases(200))]

    #[test]
    fn search_in_short_traces_agrees_with_a_naive_loop(
        rows in prop::collection::vec(row(), 0..60),
        wishes in prop::collection::vec(wish(), 0..4),
    ) {
        check(&rows, &wishes)?;
    }
}

proptest! {
    #![proptest_config(crate::term::cases::cases(40))]

    #[test]
    fn search_in_traces_of_several_blocks_agrees_with_a_naive_loop(
        rows in prop::collection::vec(row(), 500..1200),
        wishes in prop::collection::vec(wish(), 1..3),
    ) {
        check(&rows, &wishes)?;
    }
}

proptest! {
    #[test]
    fn prev_match_undoes_next_match(
        rows in prop::collection::vec(row(), 1..60),
        wish in wish(),
        from in 0_u32..60,
    ) {
        let trace = build(&rows);
        let Some(constraints) = constraints(&trace, &[wish]) else { return Ok(()) };
        let pattern = Pattern::new(&trace, constraints);
        if let Some(next) = next_match(&trace, from, &pattern) {
            prop_assert!(prev_match(&trace, next, &pattern).is_none_or(|prev| prev < from));
            prop_assert_eq!(prev_match(&trace, next + 1, &pattern), Some(next));
        }
    }
}
