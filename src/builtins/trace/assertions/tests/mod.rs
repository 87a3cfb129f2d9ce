//! The vocabulary against its definition, evaluated position by position on random traces.

mod definition;

use proptest::prelude::*;
use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use crate::builtins::catalogue::library::machine;
use crate::engine::{Cell, Machine, Output, Term, World};
use crate::formats::{Growing, NewLines};
use crate::syntax::{ReadFlags, read_goal};
use crate::trace::{EventRow, Field, PortRecord, PortSet, Trace, TraceBuilder, TraceEnd, TraceOrigin};

use self::definition::{ArgumentConstraint, DefinedEvent, DefinedGoal, DefinedList, GoalDefinition, VariableValues};
use super::evaluate::MarkedGoal;
use super::goal::VocabularyWord;
use super::{FollowedEnding, Follower, News};

fn build(events: &[DefinedEvent]) -> Arc<Trace> {
    const PORTS: &[PortRecord] = &[];
    let origin = TraceOrigin {
        path: "test.trace".into(),
        format: "test",
        ports: PortSet::Open(PORTS),
        attributes: &[],
        rule: "L1",
        severities: &[],
        is_by_line: true,
        ends_silently: false,
        lasso: None,
        results: &[],
        shown: &[],
        alike: &[],
    };
    let mut builder = TraceBuilder::new(origin);
    let [x, y, t] = ["x", "y", "t"].map(|name| builder.attribute(name).expect("there is room"));
    for event in events {
        let fields = [(x, event.x), (y, event.y), (t, event.t)];
        let extra: Vec<_> =
            fields.into_iter().filter_map(|(id, value)| value.map(|value| (id, Field::Int(value)))).collect();
        builder.push(&EventRow { port: Some(event.port), extra: &extra, ..EventRow::default() });
    }
    Arc::new(builder.finish())
}

/// What the engine makes of a goal: the bindings, and of each whether it is violated.
fn check(events: &[DefinedEvent], goal: &DefinedGoal) -> Result<(), TestCaseError> {
    let trace = build(events);
    let mut world = World::new(Output::new(Box::new(Vec::new())));
    world.open_trace(Arc::clone(&trace));
    let text = goal.text();
    let read = read_goal(&text, &world.operators, &ReadFlags::default()).unwrap();
    let (term, _) = world.store.load(&read.tree);
    let Term::Compound(compound) = world.store.look(term) else { unreachable!("{text}") };
    let args = world.store.args(compound).to_vec();
    let names: Vec<_> = world.store.variables(term).into_iter().zip(read.variables.iter()).collect();
    let names: Vec<_> = names.iter().map(|(cell, (name, ..))| (*cell, name.clone())).collect();
    let word = VocabularyWord::of(goal.word).unwrap();
    let question = match MarkedGoal::new(&mut world, word, &args, &names) {
        Ok(question) => question,
        // an attribute that no event of a random trace has
        Err(_) => return Ok(()),
    };
    let sum = question.decide(&world, TraceEnd::Complete).unwrap();
    let definition = GoalDefinition { events, goal, shared: goal.shared() };
    let bindings = definition.bindings();
    let n_violated = bindings.iter().filter(|binding| definition.is_violated(binding)).count();
    let n_vacuous = bindings.iter().filter(|binding| definition.is_vacuous(binding)).count();
    prop_assert_eq!((sum.n_bindings, sum.n_violated), (bindings.len(), n_violated), "{}", text);
    prop_assert_eq!(sum.n_vacuous, n_vacuous, "{}", text);
    if let Some((number, violation)) = sum.first {
        let found = question.bindings.binding(number);
        let mut binding = VariableValues::default();
        let order: Vec<usize> = order_of_first_occurrence(goal);
        for (variable, code) in &found.values {
            binding[order[*variable]] = Some(question.codes.text(*code).parse().unwrap());
        }
        prop_assert!(bindings.contains(&binding), "{} {:?}", text, binding);
        prop_assert!(definition.is_violation(&binding, &violation), "{} {:?} {:?}", text, binding, violation);
    }
    Ok(())
}

/// A goal as a term of a world.
fn term(world: &mut World, text: &str) -> Cell {
    let read = read_goal(text, &world.operators, &ReadFlags::default()).unwrap();
    world.store.load(&read.tree).0
}

/// Whether a violation is certain after some events, all of them being kept.
fn is_certain(events: &[DefinedEvent], goal: &DefinedGoal) -> Option<bool> {
    let mut world = World::new(Output::new(Box::new(Vec::new())));
    world.open_trace(build(events));
    let term = term(&mut world, &goal.text());
    let Term::Compound(compound) = world.store.look(term) else { unreachable!("a goal is a compound") };
    let args = world.store.args(compound).to_vec();
    let question = MarkedGoal::new(&mut world, VocabularyWord::of(goal.word)?, &args, &[]).ok()?;
    Some(question.decide(&world, TraceEnd::Open).ok()?.n_violated > 0)
}

/// Events as lines of JSON.
fn lines(events: &[DefinedEvent]) -> String {
    let field = |name: &str, value: Option<i64>| value.map_or(String::new(), |value| format!(", \"{name}\": {value}"));
    let line = |event: &DefinedEvent| {
        let fields = [field("x", event.x), field("y", event.y), field("t", event.t)].concat();
        format!("{{\"port\": \"{}\"{fields}}}\n", event.port)
    };
    events.iter().map(line).collect()
}

/// Follows a goal while events come in groups: it is violated as soon as it would be if all events were kept, and at
/// the end it is what the definition says.
fn check_followed(world: &mut World, groups: &[Vec<DefinedEvent>], goal: &DefinedGoal) -> Result<(), TestCaseError> {
    let events = groups.concat();
    let definition = GoalDefinition { events: &events, goal, shared: goal.shared() };
    let bindings = definition.bindings();
    let is_violated = bindings.iter().any(|binding| definition.is_violated(binding));
    let is_vacuous = bindings.iter().all(|binding| definition.is_vacuous(binding));
    let text = goal.text();
    let question = term(world, &format!("'$violation'({text}, [])"));
    let question = world.store.freeze(question);
    let Some(mut follower) = Follower::new(world, question) else {
        prop_assert!(goal.word == "always", "{}", text);
        return Ok(());
    };
    let mut growing = Growing::new(Path::new("t"), Growing::format(b"", Some("jsonl")).unwrap(), None);
    let mut n_events = 0;
    for group in groups {
        let lines = lines(group);
        let text = NewLines::new(lines.as_bytes(), growing.n_lines());
        let batch = growing.read(text.text());
        n_events += group.len();
        world.open_trace(Arc::clone(&batch.trace));
        let breach = follower.feed(world, &News { batch: &batch, text: &text }).unwrap();
        if let Some(certain) = is_certain(&events[..n_events], goal) {
            prop_assert_eq!(breach.is_some(), certain, "{} {:?}", goal.text(), breach);
        }
        if let Some(breach) = breach {
            prop_assert!(is_violated, "{} {:?}", goal.text(), breach);
            return Ok(());
        }
    }
    match follower.finish(world) {
        // an attribute that no event has
        Err(_) => {}
        Ok(FollowedEnding::Violated(_)) => prop_assert!(is_violated, "{}", text),
        Ok(FollowedEnding::Vacuous(_)) => prop_assert!(!is_violated && is_vacuous, "{}", text),
        Ok(FollowedEnding::Holds) => prop_assert!(!is_violated && !is_vacuous, "{}", text),
    }
    Ok(())
}

/// The shared variables in the order in which they stand in the lists.
fn order_of_first_occurrence(goal: &DefinedGoal) -> Vec<usize> {
    let shared = goal.shared();
    let mut order = Vec::new();
    for list in goal.lists() {
        for wish in list.wishes() {
            if let Some(ArgumentConstraint::Variable(number)) = wish
                && shared.contains(&number)
                && !order.contains(&number)
            {
                order.push(number);
            }
        }
    }
    order
}

const ALL_PORTS: [&str; 3] = ["a", "b", "c"];

fn event() -> impl Strategy<Value = DefinedEvent> {
    let value = || prop_oneof![1 => Just(None), 4 => (0..3_i64).prop_map(Some)];
    let time = prop_oneof![1 => Just(None), 5 => (0..12_i64).prop_map(Some)];
    (prop::sample::select(&ALL_PORTS[..]), value(), value(), time).prop_map(|(port, x, y, t)| DefinedEvent {
        port,
        x,
        y,
        t,
    })
}

fn list() -> impl Strategy<Value = DefinedList> {
    let wish = || {
        prop_oneof![
            3 => Just(None),
            1 => (0..3_i64).prop_map(|value| Some(ArgumentConstraint::Value(value))),
            4 => (0..3_usize).prop_map(|number| Some(ArgumentConstraint::Variable(number))),
        ]
    };
    let ports = prop::sample::subsequence(&ALL_PORTS[..], 1..=2);
    (ports, wish(), wish()).prop_map(|(ports, x, y)| DefinedList { ports, x, y })
}

fn chain() -> impl Strategy<Value = Vec<DefinedList>> {
    prop_oneof![2 => prop::collection::vec(list(), 1), 1 => prop::collection::vec(list(), 2..4)]
}

fn goal() -> impl Strategy<Value = DefinedGoal> {
    let words = prop::sample::select(vec!["never", "exists", "always", "precedes", "responds"]);
    let bound = prop::option::of((prop::sample::select(vec!["at_least", "at_most", "exactly"]), 0..4_u64));
    let scopes = prop::sample::select(vec!["globally", "before", "after", "between", "after_until"]);
    let width = (prop::option::of(0..8_i64), 0..6_i64);
    let within = prop::option::of((prop::sample::select(vec!["chrono", "t"]), width));
    let within =
        within.prop_map(|within| within.map(|(name, (least, width))| (name, least, least.unwrap_or(0) + width)));
    (words, bound, chain(), chain(), scopes, list(), list(), within).prop_map(
        |(word, bound, needed, mut subject, scope, opens, closes, within)| {
            if word == "always" {
                subject.truncate(1);
            }
            let needed = if matches!(word, "precedes" | "responds") { needed } else { Vec::new() };
            DefinedGoal {
                word,
                bound: bound.filter(|_| word == "exists"),
                needed,
                subject,
                scope,
                opens: Some(opens).filter(|_| matches!(scope, "after" | "between" | "after_until")),
                closes: Some(closes).filter(|_| matches!(scope, "before" | "between" | "after_until")),
                within,
            }
        },
    )
}

proptest! {
    #![proptest_config(crate::term::cases::cases(500))]

    #[test]
    fn the_vocabulary_is_its_definition(events in prop::collection::vec(event(), 0..24), goal in goal()) {
        check(&events, &goal)?;
    }
}

thread_local! {
    /// A machine with all predicates, which takes a while to make.
    static MACHINE: RefCell<Machine> = RefCell::new(machine(Output::new(Box::new(Vec::new()))));
}

proptest! {
    #![proptest_config(crate::term::cases::cases(300))]

    #[test]
    fn a_goal_is_followed_as_it_is_decided(
        groups in prop::collection::vec(prop::collection::vec(event(), 1..6), 1..8),
        goal in goal(),
    ) {
        MACHINE.with_borrow_mut(|machine| check_followed(&mut machine.world, &groups, &goal))?;
    }
}

#[test]
fn a_binding_that_appears_late_is_decided_for_the_events_before_it() {
    let list =
        |port, variable| DefinedList { ports: vec![port], x: None, y: Some(ArgumentConstraint::Variable(variable)) };
    let goal = DefinedGoal {
        word: "always",
        bound: None,
        needed: Vec::new(),
        subject: vec![list("a", 0)],
        scope: "after_until",
        opens: Some(list("c", 1)),
        closes: Some(list("c", 0)),
        within: None,
    };
    let event = |port, y| DefinedEvent { port, x: None, y: Some(y), t: None };
    let groups = [vec![event("c", 2)], vec![event("a", 0)]];
    MACHINE.with_borrow_mut(|machine| check_followed(&mut machine.world, &groups, &goal)).unwrap();
}
