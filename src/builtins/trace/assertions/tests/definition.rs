//! What the vocabulary means, position by position: slow, and close to the words of its definition.

use std::collections::BTreeSet;

use crate::trace::{EventId, Violation, ViolationKind};

#[derive(Clone, Debug)]
pub(super) struct DefinedEvent {
    pub(super) port: &'static str,
    pub(super) x: Option<i64>,
    pub(super) y: Option<i64>,
    pub(super) t: Option<i64>,
}

/// A constraint on `x` or `y`: a value, or a variable by its number.
#[derive(Clone, Copy, Debug)]
pub(super) enum ArgumentConstraint {
    Value(i64),
    Variable(usize),
}

#[derive(Clone, Debug, Default)]
pub(super) struct DefinedList {
    pub(super) ports: Vec<&'static str>,
    pub(super) x: Option<ArgumentConstraint>,
    pub(super) y: Option<ArgumentConstraint>,
}

#[derive(Clone, Debug)]
pub(super) struct DefinedGoal {
    pub(super) word: &'static str,
    pub(super) bound: Option<(&'static str, u64)>,
    pub(super) needed: Vec<DefinedList>,
    pub(super) subject: Vec<DefinedList>,
    pub(super) scope: &'static str,
    pub(super) opens: Option<DefinedList>,
    pub(super) closes: Option<DefinedList>,
    /// The attribute, the least distance if that is written, and the greatest one.
    pub(super) within: Option<(&'static str, Option<i64>, i64)>,
}

/// Values of variables.
pub(super) type VariableValues = [Option<i64>; 3];

pub(super) const VARIABLES: [&str; 3] = ["A", "B", "C"];

impl DefinedList {
    pub(super) fn text(&self) -> String {
        let wish = |name: &str, wish: &Option<ArgumentConstraint>| match wish {
            None => String::new(),
            Some(ArgumentConstraint::Value(value)) => format!(", {name}={value}"),
            Some(ArgumentConstraint::Variable(number)) => format!(", {name}={}", VARIABLES[*number]),
        };
        format!("[port=[{}]{}{}]", self.ports.join(", "), wish("x", &self.x), wish("y", &self.y))
    }

    pub(super) fn wishes(&self) -> [Option<ArgumentConstraint>; 2] {
        [self.x, self.y]
    }

    pub(super) fn variables(&self) -> BTreeSet<usize> {
        self.wishes()
            .into_iter()
            .filter_map(|wish| match wish {
                Some(ArgumentConstraint::Variable(number)) => Some(number),
                _ => None,
            })
            .collect()
    }

    /// The values that an event gives to the variables, if it matches.
    pub(super) fn binding(&self, event: &DefinedEvent) -> Option<VariableValues> {
        if !self.ports.contains(&event.port) {
            return None;
        }
        let mut binding = VariableValues::default();
        for (wish, value) in self.wishes().into_iter().zip([event.x, event.y]) {
            match (wish, value) {
                (None, _) => {}
                (Some(_), None) => return None,
                (Some(ArgumentConstraint::Value(wanted)), Some(value)) if wanted == value => {}
                (Some(ArgumentConstraint::Value(_)), _) => return None,
                (Some(ArgumentConstraint::Variable(number)), Some(value)) => {
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

impl DefinedGoal {
    pub(super) fn lists(&self) -> Vec<&DefinedList> {
        self.needed.iter().chain(&self.subject).chain(&self.opens).chain(&self.closes).collect()
    }

    pub(super) fn text(&self) -> String {
        let chain = |lists: &[DefinedList]| match lists {
            [list] => list.text(),
            lists => format!("[{}]", lists.iter().map(DefinedList::text).collect::<Vec<_>>().join(", ")),
        };
        let mut args = Vec::new();
        if !self.needed.is_empty() {
            args.push(chain(&self.needed));
        }
        args.push(chain(&self.subject));
        args.extend(self.bound.map(|(name, number)| format!("{name}({number})")));
        let of_scope: Vec<String> = self.opens.iter().chain(&self.closes).map(DefinedList::text).collect();
        args.push(match of_scope.is_empty() {
            true => self.scope.to_string(),
            false => format!("{}({})", self.scope, of_scope.join(", ")),
        });
        args.extend(self.within.map(|(name, least, most)| {
            let least = least.map_or(String::new(), |least| format!("{least}.."));
            format!("within({name}, {least}{most})")
        }));
        format!("{}({})", self.word, args.join(", "))
    }

    pub(super) fn shared(&self) -> Vec<usize> {
        let lists = self.lists();
        (0..3).filter(|number| lists.iter().filter(|list| list.variables().contains(number)).count() > 1).collect()
    }
}

/// What the definition says, position by position.
pub(super) struct GoalDefinition<'a> {
    pub(super) events: &'a [DefinedEvent],
    pub(super) goal: &'a DefinedGoal,
    pub(super) shared: Vec<usize>,
}

/// A stretch: its first position, the one after its last, and whether events open and close it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub(super) from: usize,
    pub(super) below: usize,
    pub(super) is_opened: bool,
    pub(super) is_closed: bool,
}

impl GoalDefinition<'_> {
    pub(super) fn restricted(&self, binding: VariableValues) -> VariableValues {
        std::array::from_fn(|number| binding[number].filter(|_| self.shared.contains(&number)))
    }

    /// All bindings that events make up and that are part of no other.
    pub(super) fn bindings(&self) -> Vec<VariableValues> {
        let lists = self.goal.lists();
        let given: Vec<VariableValues> = lists
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
        let is_part =
            |part: &VariableValues, whole: &VariableValues| part.iter().zip(whole).all(|(a, b)| a.is_none() || a == b);
        let is_made_up = |binding: &VariableValues| {
            let parts: Vec<&VariableValues> = given.iter().filter(|part| is_part(part, binding)).collect();
            (0..3).all(|number| binding[number].is_none() || parts.iter().any(|part| part[number].is_some()))
        };
        all.retain(is_made_up);
        let made_up = all.clone();
        all.retain(|binding| !made_up.iter().any(|other| other != binding && is_part(binding, other)));
        all
    }

    pub(super) fn satisfies(&self, binding: &VariableValues, list: &DefinedList, position: usize) -> bool {
        let given = list.binding(&self.events[position]).map(|given| self.restricted(given));
        given.is_some_and(|given| (0..3).all(|number| given[number].is_none() || given[number] == binding[number]))
    }

    pub(super) fn stretches(&self, binding: &VariableValues) -> Vec<Stretch> {
        let n = self.events.len();
        let is = |list: &Option<DefinedList>, position: usize| {
            list.as_ref().is_some_and(|list| self.satisfies(binding, list, position))
        };
        let (opens, closes) = (&self.goal.opens, &self.goal.closes);
        let first = |list: &Option<DefinedList>| (0..n).find(|position| is(list, *position));
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

    pub(super) fn value(&self, position: usize) -> Option<i64> {
        match self.goal.within?.0 {
            "chrono" => Some(position as i64 + 1),
            _ => self.events.get(position)?.t,
        }
    }

    pub(super) fn is_within(&self, one: usize, other: usize) -> bool {
        let Some((_, least, most)) = self.goal.within else { return true };
        match (self.value(one), self.value(other)) {
            (Some(one), Some(other)) => (least.unwrap_or(0)..=most).contains(&(one - other).abs()),
            _ => false,
        }
    }

    /// Where the earliest chain from a position on ends.
    pub(super) fn chain_end(
        &self,
        binding: &VariableValues,
        chain: &[DefinedList],
        from: usize,
        below: usize,
    ) -> Option<usize> {
        let mut next = from;
        for list in chain {
            next = 1 + (next..below).find(|position| self.satisfies(binding, list, *position))?;
        }
        Some(next - 1)
    }

    /// Where subjects end that lie in a stretch.
    pub(super) fn subjects(&self, binding: &VariableValues, stretch: Stretch) -> BTreeSet<usize> {
        let chain = &self.goal.subject;
        (stretch.from..stretch.below)
            .filter(|start| self.satisfies(binding, &chain[0], *start))
            .filter_map(|start| self.chain_end(binding, chain, start, stretch.below))
            .collect()
    }

    /// The subjects, or events, that violate the goal on a stretch; none if it holds there.
    pub(super) fn wrong(&self, binding: &VariableValues, stretch: Stretch) -> Option<Vec<usize>> {
        let subjects = self.subjects(binding, stretch);
        let Stretch { from, below, .. } = stretch;
        let needed = &self.goal.needed;
        let wrong: Vec<usize> = match self.goal.word {
            "always" => (from..below)
                .filter(|position| self.is_within(from, *position))
                .filter(|position| !self.satisfies(binding, &self.goal.subject[0], *position))
                .collect(),
            "precedes" => subjects
                .into_iter()
                .filter(|subject| {
                    !(from..=*subject).any(|first| {
                        self.satisfies(binding, &needed[0], first)
                            && self.chain_end(binding, needed, first, subject + 1).is_some()
                            && self.is_within(first, *subject)
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
                        has_others() && self.satisfies(binding, last, end) && self.is_within(*subject, end)
                    })
                })
                .collect(),
            word => {
                let n = subjects.iter().filter(|subject| self.is_within(from, **subject)).count() as u64;
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

    pub(super) fn is_violated(&self, binding: &VariableValues) -> bool {
        self.stretches(binding).into_iter().any(|stretch| self.wrong(binding, stretch).is_some())
    }

    pub(super) fn is_vacuous(&self, binding: &VariableValues) -> bool {
        let stretches = self.stretches(binding);
        match self.goal.word {
            "precedes" | "responds" => stretches.iter().all(|stretch| self.subjects(binding, *stretch).is_empty()),
            "always" => stretches.iter().all(|stretch| stretch.from >= stretch.below),
            _ => stretches.is_empty(),
        }
    }

    /// Whether a violation is one of a binding: of a stretch that there is, by events that are wrong there.
    pub(super) fn is_violation(&self, binding: &VariableValues, violation: &Violation) -> bool {
        let row = |event: Option<EventId>| event.map(|event| event as usize);
        let stretch = self.stretches(binding).into_iter().find(|stretch| {
            stretch.is_opened.then_some(stretch.from) == row(violation.opening)
                && stretch.is_closed.then_some(stretch.below) == row(violation.closing)
        });
        let Some(wrong) = stretch.and_then(|stretch| self.wrong(binding, stretch)) else { return false };
        match violation.fault {
            ViolationKind::TooFew(_) => violation.events.is_empty(),
            ViolationKind::TooMany => {
                violation.events.iter().filter(|event| wrong.contains(&(**event as usize))).count() > 0
            }
            _ => violation.events.last().is_some_and(|event| wrong.contains(&(*event as usize))),
        }
    }
}
