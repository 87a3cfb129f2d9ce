//! The vocabulary against its definition, evaluated position by position on random traces.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;

use super::evaluate::Question;
use super::goal::Word;
use super::{Ending, Follower, News};
use crate::builtins::library::machine;
use crate::engine::{Cell, Machine, Output, Term, World};
use crate::formats::{BatchText, Growing};
use crate::syntax::{ReadFlags, read_goal};
use crate::trace::{
    End, EventId, EventRow, Fault, Field, PortRecord, PortSet, Trace, TraceBuilder, TraceOrigin, Violation,
};

#[derive(Clone, Debug)]
struct Event {
    port: &'static str,
    x: Option<i64>,
    y: Option<i64>,
    t: Option<i64>,
}

/// A constraint on `x` or `y`: a value, or a variable by its number.
#[derive(Clone, Copy, Debug)]
enum Wish {
    Value(i64),
    Variable(usize),
}

#[derive(Clone, Debug, Default)]
struct List {
    ports: Vec<&'static str>,
    x: Option<Wish>,
    y: Option<Wish>,
}

#[derive(Clone, Debug)]
struct Goal {
    word: &'static str,
    bound: Option<(&'static str, u64)>,
    needed: Vec<List>,
    subject: Vec<List>,
    scope: &'static str,
    opens: Option<List>,
    closes: Option<List>,
    within: Option<(&'static str, i64)>,
}

/// Values of variables.
type Binding = [Option<i64>; 3];

const VARIABLES: [&str; 3] = ["A", "B", "C"];

impl List {
    fn text(&self) -> String {
        let wish = |name: &str, wish: &Option<Wish>| match wish {
            None => String::new(),
            Some(Wish::Value(value)) => format!(", {name}={value}"),
            Some(Wish::Variable(number)) => format!(", {name}={}", VARIABLES[*number]),
        };
        format!("[port=[{}]{}{}]", self.ports.join(", "), wish("x", &self.x), wish("y", &self.y))
    }

    fn wishes(&self) -> [Option<Wish>; 2] {
        [self.x, self.y]
    }

    fn variables(&self) -> BTreeSet<usize> {
        self.wishes()
            .into_iter()
            .filter_map(|wish| match wish {
                Some(Wish::Variable(number)) => Some(number),
                _ => None,
            })
            .collect()
    }

    /// The values that an event gives to the variables, if it matches.
    fn binding(&self, event: &Event) -> Option<Binding> {
        if !self.ports.contains(&event.port) {
            return None;
        }
        let mut binding = Binding::default();
        for (wish, value) in self.wishes().into_iter().zip([event.x, event.y]) {
            match (wish, value) {
                (None, _) => {}
                (Some(_), None) => return None,
                (Some(Wish::Value(wanted)), Some(value)) if wanted == value => {}
                (Some(Wish::Value(_)), _) => return None,
                (Some(Wish::Variable(number)), Some(value)) => {
                    if binding[number].is_some_and(|other| other != value) {
                        return None;
                    }
                    binding[number] = Some(value);
                }
            }
        }
        Some(binding)
    }
}

impl Goal {
    fn lists(&self) -> Vec<&List> {
        self.needed.iter().chain(&self.subject).chain(&self.opens).chain(&self.closes).collect()
    }

    fn text(&self) -> String {
        let chain = |lists: &[List]| match lists {
            [list] => list.text(),
            lists => format!("[{}]", lists.iter().map(List::text).collect::<Vec<_>>().join(", ")),
        };
        let mut args = Vec::new();
        if !self.needed.is_empty() {
            args.push(chain(&self.needed));
        }
        args.push(chain(&self.subject));
        args.extend(self.bound.map(|(name, number)| format!("{name}({number})")));
        let of_scope: Vec<String> = self.opens.iter().chain(&self.closes).map(List::text).collect();
        args.push(match of_scope.is_empty() {
            true => self.scope.to_string(),
            false => format!("{}({})", self.scope, of_scope.join(", ")),
        });
        args.extend(self.within.map(|(name, most)| format!("within({name}, {most})")));
        format!("{}({})", self.word, args.join(", "))
    }

    fn shared(&self) -> Vec<usize> {
        let lists = self.lists();
        (0..3).filter(|number| lists.iter().filter(|list| list.variables().contains(number)).count() > 1).collect()
    }
}

/// What the definition says, position by position.
struct Definition<'a> {
    events: &'a [Event],
    goal: &'a Goal,
    shared: Vec<usize>,
}

/// A stretch: its first position, the one behind its last, and whether events open and close it.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    from: usize,
    below: usize,
    is_opened: bool,
    is_closed: bool,
}

impl Definition<'_> {
    fn restricted(&self, binding: Binding) -> Binding {
        std::array::from_fn(|number| binding[number].filter(|_| self.shared.contains(&number)))
    }

    /// All bindings that events make up and that are part of no other.
    fn bindings(&self) -> Vec<Binding> {
        let lists = self.goal.lists();
        let given: Vec<Binding> = lists
            .iter()
            .flat_map(|list| self.events.iter().filter_map(|event| list.binding(event)))
            .map(|binding| self.restricted(binding))
            .collect();
        let choices = [None, Some(0), Some(1), Some(2)];
        let mut all = Vec::new();
        for a in choices {
            for b in choices {
                for c in choices {
                    all.push([a, b, c]);
                }
            }
        }
        let is_part = |part: &Binding, whole: &Binding| part.iter().zip(whole).all(|(a, b)| a.is_none() || a == b);
        let is_made_up = |binding: &Binding| {
            let parts: Vec<&Binding> = given.iter().filter(|part| is_part(part, binding)).collect();
            (0..3).all(|number| binding[number].is_none() || parts.iter().any(|part| part[number].is_some()))
        };
        all.retain(is_made_up);
        let made_up = all.clone();
        all.retain(|binding| !made_up.iter().any(|other| other != binding && is_part(binding, other)));
        all
    }

    fn satisfies(&self, binding: &Binding, list: &List, position: usize) -> bool {
        let given = list.binding(&self.events[position]).map(|given| self.restricted(given));
        given.is_some_and(|given| (0..3).all(|number| given[number].is_none() || given[number] == binding[number]))
    }

    fn stretches(&self, binding: &Binding) -> Vec<Stretch> {
        let n = self.events.len();
        let is = |list: &Option<List>, position: usize| {
            list.as_ref().is_some_and(|list| self.satisfies(binding, list, position))
        };
        let (opens, closes) = (&self.goal.opens, &self.goal.closes);
        let first = |list: &Option<List>| (0..n).find(|position| is(list, *position));
        let open_end = |from: usize| Stretch { from, below: n, is_opened: true, is_closed: false };
        match self.goal.scope {
            "globally" => vec![Stretch { is_opened: false, ..open_end(0) }],
            "before" => first(closes)
                .map(|below| Stretch { from: 0, below, is_opened: false, is_closed: true })
                .into_iter()
                .collect(),
            "after" => first(opens).map(open_end).into_iter().collect(),
            scope => {
                let starts = (0..n).filter(|position| is(opens, *position) && !is(closes, *position));
                let stretch = |from: usize| match (from..n).find(|position| is(closes, *position)) {
                    Some(below) => Some(Stretch { below, is_closed: true, ..open_end(from) }),
                    None => (scope == "after_until").then(|| open_end(from)),
                };
                starts.filter_map(stretch).collect()
            }
        }
    }

    fn value(&self, position: usize) -> Option<i64> {
        match self.goal.within?.0 {
            "chrono" => Some(position as i64 + 1),
            _ => self.events.get(position)?.t,
        }
    }

    fn is_near(&self, one: usize, other: usize) -> bool {
        let Some((_, most)) = self.goal.within else { return true };
        match (self.value(one), self.value(other)) {
            (Some(one), Some(other)) => (one - other).abs() <= most,
            _ => false,
        }
    }

    /// Where the earliest chain from a position on ends.
    fn chain_end(&self, binding: &Binding, chain: &[List], from: usize, below: usize) -> Option<usize> {
        let mut next = from;
        for list in chain {
            next = 1 + (next..below).find(|position| self.satisfies(binding, list, *position))?;
        }
        Some(next - 1)
    }

    /// Where subjects end that lie in a stretch.
    fn subjects(&self, binding: &Binding, stretch: Stretch) -> BTreeSet<usize> {
        let chain = &self.goal.subject;
        (stretch.from..stretch.below)
            .filter(|start| self.satisfies(binding, &chain[0], *start))
            .filter_map(|start| self.chain_end(binding, chain, start, stretch.below))
            .collect()
    }

    /// The subjects, or events, that violate the goal on a stretch; none if it holds there.
    fn wrong(&self, binding: &Binding, stretch: Stretch) -> Option<Vec<usize>> {
        let subjects = self.subjects(binding, stretch);
        let Stretch { from, below, .. } = stretch;
        let needed = &self.goal.needed;
        let wrong: Vec<usize> = match self.goal.word {
            "always" => (from..below)
                .filter(|position| self.is_near(from, *position))
                .filter(|position| !self.satisfies(binding, &self.goal.subject[0], *position))
                .collect(),
            "precedes" => subjects
                .into_iter()
                .filter(|subject| {
                    !(from..=*subject).any(|first| {
                        self.satisfies(binding, &needed[0], first)
                            && self.chain_end(binding, needed, first, subject + 1).is_some()
                            && self.is_near(first, *subject)
                    })
                })
                .collect(),
            "responds" => subjects
                .into_iter()
                .filter(|subject| {
                    let (last, others) = needed.split_last().unwrap();
                    !(*subject..below).any(|end| {
                        let has_others =
                            || others.is_empty() || self.chain_end(binding, others, *subject, end).is_some();
                        has_others() && self.satisfies(binding, last, end) && self.is_near(*subject, end)
                    })
                })
                .collect(),
            word => {
                let n = subjects.iter().filter(|subject| self.is_near(from, **subject)).count() as u64;
                let holds = match (word, self.goal.bound) {
                    ("never", _) => n == 0,
                    (_, None) => n > 0,
                    (_, Some(("at_least", bound))) => n >= bound,
                    (_, Some(("at_most", bound))) => n <= bound,
                    (_, Some((_, bound))) => n == bound,
                };
                return (!holds).then(|| subjects.into_iter().collect());
            }
        };
        (!wrong.is_empty()).then_some(wrong)
    }

    fn is_violated(&self, binding: &Binding) -> bool {
        self.stretches(binding).into_iter().any(|stretch| self.wrong(binding, stretch).is_some())
    }

    fn is_vacuous(&self, binding: &Binding) -> bool {
        let stretches = self.stretches(binding);
        match self.goal.word {
            "precedes" | "responds" => stretches.iter().all(|stretch| self.subjects(binding, *stretch).is_empty()),
            "always" => stretches.iter().all(|stretch| stretch.from >= stretch.below),
            _ => stretches.is_empty(),
        }
    }

    /// Whether a violation is one of a binding: of a stretch that there is, by events that are wrong there.
    fn is_violation(&self, binding: &Binding, violation: &Violation) -> bool {
        let row = |event: Option<EventId>| event.map(|event| event as usize);
        let stretch = self.stretches(binding).into_iter().find(|stretch| {
            stretch.is_opened.then_some(stretch.from) == row(violation.opening)
                && stretch.is_closed.then_some(stretch.below) == row(violation.closing)
        });
        let Some(wrong) = stretch.and_then(|stretch| self.wrong(binding, stretch)) else { return false };
        match violation.fault {
            Fault::TooFew(_) => violation.events.is_empty(),
            Fault::TooMany => violation.events.iter().filter(|event| wrong.contains(&(**event as usize))).count() > 0,
            _ => violation.events.last().is_some_and(|event| wrong.contains(&(*event as usize))),
        }
    }
}

fn build(events: &[Event]) -> Arc<Trace> {
    const PORTS: &[PortRecord] = &[];
    let origin = TraceOrigin { path: "test.trace".into(), format: "test", ports: PortSet::Open(PORTS) };
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
fn check(events: &[Event], goal: &Goal) -> Result<(), TestCaseError> {
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
    let word = Word::of(goal.word).unwrap();
    let question = match Question::new(&mut world, word, &args, &names) {
        Ok(question) => question,
        // an attribute that no event of a random trace has
        Err(_) => return Ok(()),
    };
    let sum = question.decide(&world, End::Complete).unwrap();
    let definition = Definition { events, goal, shared: goal.shared() };
    let bindings = definition.bindings();
    let n_violated = bindings.iter().filter(|binding| definition.is_violated(binding)).count();
    let n_vacuous = bindings.iter().filter(|binding| definition.is_vacuous(binding)).count();
    prop_assert_eq!((sum.n_bindings, sum.n_violated), (bindings.len(), n_violated), "{}", text);
    prop_assert_eq!(sum.n_vacuous, n_vacuous, "{}", text);
    if let Some((number, violation)) = sum.first {
        let found = question.bindings.binding(number);
        let mut binding = Binding::default();
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
fn is_certain(events: &[Event], goal: &Goal) -> Option<bool> {
    let mut world = World::new(Output::new(Box::new(Vec::new())));
    world.open_trace(build(events));
    let term = term(&mut world, &goal.text());
    let Term::Compound(compound) = world.store.look(term) else { unreachable!("a goal is a compound") };
    let args = world.store.args(compound).to_vec();
    let question = Question::new(&mut world, Word::of(goal.word)?, &args, &[]).ok()?;
    Some(question.decide(&world, End::Open).ok()?.n_violated > 0)
}

/// Events as lines of JSON.
fn lines(events: &[Event]) -> String {
    let field = |name: &str, value: Option<i64>| value.map_or(String::new(), |value| format!(", \"{name}\": {value}"));
    let line = |event: &Event| {
        let fields = [field("x", event.x), field("y", event.y), field("t", event.t)].concat();
        format!("{{\"port\": \"{}\"{fields}}}\n", event.port)
    };
    events.iter().map(line).collect()
}

/// Follows a goal while events come in groups: it is violated as soon as it would be if all events were kept, and at
/// the end it is what the definition says.
fn check_followed(world: &mut World, groups: &[Vec<Event>], goal: &Goal) -> Result<(), TestCaseError> {
    let events = groups.concat();
    let definition = Definition { events: &events, goal, shared: goal.shared() };
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
    let mut growing = Growing::new(Path::new("t"), Growing::format(b"", Some("jsonl")).unwrap());
    let mut n_events = 0;
    for group in groups {
        let lines = lines(group);
        let text = BatchText::new(lines.as_bytes(), growing.n_lines());
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
        Ok(Ending::Violated(_)) => prop_assert!(is_violated, "{}", text),
        Ok(Ending::Vacuous(_)) => prop_assert!(!is_violated && is_vacuous, "{}", text),
        Ok(Ending::Holds) => prop_assert!(!is_violated && !is_vacuous, "{}", text),
    }
    Ok(())
}

/// The shared variables in the order in which they stand in the lists.
fn order_of_first_occurrence(goal: &Goal) -> Vec<usize> {
    let shared = goal.shared();
    let mut order = Vec::new();
    for list in goal.lists() {
        for wish in list.wishes() {
            if let Some(Wish::Variable(number)) = wish
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

fn event() -> impl Strategy<Value = Event> {
    let value = || prop_oneof![1 => Just(None), 4 => (0..3_i64).prop_map(Some)];
    let time = prop_oneof![1 => Just(None), 5 => (0..12_i64).prop_map(Some)];
    (prop::sample::select(&ALL_PORTS[..]), value(), value(), time).prop_map(|(port, x, y, t)| Event { port, x, y, t })
}

fn list() -> impl Strategy<Value = List> {
    let wish = || {
        prop_oneof![
            3 => Just(None),
            1 => (0..3_i64).prop_map(|value| Some(Wish::Value(value))),
            4 => (0..3_usize).prop_map(|number| Some(Wish::Variable(number))),
        ]
    };
    let ports = prop::sample::subsequence(&ALL_PORTS[..], 1..=2);
    (ports, wish(), wish()).prop_map(|(ports, x, y)| List { ports, x, y })
}

fn chain() -> impl Strategy<Value = Vec<List>> {
    prop_oneof![2 => prop::collection::vec(list(), 1), 1 => prop::collection::vec(list(), 2..4)]
}

fn goal() -> impl Strategy<Value = Goal> {
    let words = prop::sample::select(vec!["never", "exists", "always", "precedes", "responds"]);
    let bound = prop::option::of((prop::sample::select(vec!["at_least", "at_most", "exactly"]), 0..4_u64));
    let scopes = prop::sample::select(vec!["globally", "before", "after", "between", "after_until"]);
    let within = prop::option::of((prop::sample::select(vec!["chrono", "t"]), 0..6_i64));
    (words, bound, chain(), chain(), scopes, list(), list(), within).prop_map(
        |(word, bound, needed, mut subject, scope, opens, closes, within)| {
            if word == "always" {
                subject.truncate(1);
            }
            let needed = if matches!(word, "precedes" | "responds") { needed } else { Vec::new() };
            Goal {
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
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

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
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn a_goal_is_followed_as_it_is_decided(
        groups in prop::collection::vec(prop::collection::vec(event(), 1..6), 1..8),
        goal in goal(),
    ) {
        MACHINE.with_borrow_mut(|machine| check_followed(&mut machine.world, &groups, &goal))?;
    }
}
