//! The constraints of a search on arguments, tested by matchers: once for each distinct text, if events share texts.

use crate::builtins::trace::constraints::list::is_of_arguments;
use crate::builtins::trace::values::attributes;
use crate::builtins::trace::values::tuples::LastVariables;
use crate::builtins::trace::values::unify::unify_value;
use crate::engine::{Cell, EventPart, ListEnd, Plan, Store, Term, TermUse};
use crate::trace::{ArgTexts, AttributeId, EventId, Trace, Value};

use super::matcher::{MatchVerdict, Matcher};
use super::term_test::TermTest;

/// The conditions of a search on the arguments of its events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    checks: Vec<TermComparison>,
}

/// The error of a test that must build terms and has no store for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoStore;

/// A term with which arguments are compared.
#[derive(Clone, Debug)]
struct TermComparison {
    /// The index of the term.
    index: usize,
    wanted: RequiredSameness,
    part: EventPart,
    term: Cell,
    /// Tests of the values of its variables after unification.
    tests: Vec<TermTest>,
    last_variables: LastVariables,
    matcher: Option<Matcher>,
    /// If the term is a list of different variables, how many they are, and whether others may follow.
    shape: Option<(usize, bool)>,
    verdicts: Verdicts,
}

/// Whether a term must unify or must not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RequiredSameness {
    Same,
    Other,
}

/// The uses that are known to hold for an event, by the indexes of their terms.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Settled(u64);

impl Settled {
    /// Whether the use of a term holds and binds nothing.
    pub(crate) fn has(self, index: usize) -> bool {
        index < 64 && self.0 >> index & 1 == 1
    }
}

impl Filter {
    /// The filter for the terms of a plan, with the bindings of their variables at the beginning of the search.
    pub(crate) fn new(store: &Store, plan: &Plan, terms: &[Cell]) -> Filter {
        let check = |(index, usage): &(usize, TermUse)| {
            let (part, wanted) = match *usage {
                TermUse::Unify(part) => (part, RequiredSameness::Same),
                TermUse::Differ(part) => (part, RequiredSameness::Other),
                TermUse::Chrono | TermUse::Call => return None,
            };
            if !is_of_arguments(*usage) {
                return None;
            }
            let term = terms[*index];
            let last_variables = LastVariables::of_all(store, &[term]);
            let matcher = Matcher::new(store, part, term, &[]);
            let shape = matches!(part, EventPart::Attribute(_)).then(|| shape(store, term)).flatten();
            let (tests, verdicts) = (Vec::new(), Verdicts::default());
            Some(TermComparison { index: *index, wanted, part, term, tests, last_variables, matcher, shape, verdicts })
        };
        Filter { checks: plan.uses.iter().filter_map(check).collect() }
    }

    /// Adds a test of the value of a variable; returns `false` if no use binds the variable.
    pub(crate) fn add_test(&mut self, store: &Store, test: TermTest) -> bool {
        let binds = |check: &&mut TermComparison| {
            check.wanted == RequiredSameness::Same && store.variables(check.term).contains(&test.variable)
        };
        let Some(check) = self.checks.iter_mut().find(binds) else { return false };
        check.tests.push(test);
        check.shape = None;
        check.matcher = Matcher::new(store, check.part, check.term, &check.tests);
        true
    }

    /// The uses that certainly hold for an event according to matchers; none if one certainly does not.
    pub(crate) fn settle(&mut self, trace: &Trace, event: EventId) -> Option<Settled> {
        let mut settled = Settled::default();
        for check in &mut self.checks {
            let Some(verdict) = check.verdict(trace, event) else { continue };
            let Some(matcher) = &check.matcher else { continue };
            // A variable may be bound by the time it is unified, so a match of a term with variables is not certain.
            let is_certain =
                verdict == MatchVerdict::Fails || verdict == MatchVerdict::Fits && !matcher.has_variables();
            if is_certain && (verdict == MatchVerdict::Fits) != (check.wanted == RequiredSameness::Same) {
                return None;
            }
            if is_certain && check.index < 64 && trace.value(event, AttributeId::ARGS) != Value::Absent {
                settled.0 |= 1 << check.index;
            }
        }
        Some(settled)
    }

    /// Whether all uses hold for an event, for terms whose variables occur nowhere else; nothing is bound.
    pub(crate) fn passes(
        &mut self,
        mut store: Option<&mut Store>,
        trace: &Trace,
        event: EventId,
    ) -> Result<bool, NoStore> {
        for check in &mut self.checks {
            let verdict = check.verdict(trace, event).unwrap_or(MatchVerdict::Unknown);
            if !check.holds(store.as_deref_mut(), trace, event, verdict)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Removes the events from index `from` on for which some use does not hold.
    pub(crate) fn keep(
        &mut self,
        mut store: Option<&mut Store>,
        trace: &Trace,
        events: &mut Vec<i64>,
        from: usize,
    ) -> Result<(), NoStore> {
        let mut verdicts = Vec::new();
        for check in &mut self.checks {
            let mut n_kept = from;
            for start in (from..events.len()).step_by(AT_ONCE) {
                let end = events.len().min(start + AT_ONCE);
                check.judge(trace, &events[start..end], &mut verdicts);
                for (at, verdict) in (start..end).zip(&verdicts) {
                    let event = events[at];
                    events[n_kept] = event;
                    n_kept += usize::from(check.holds(store.as_deref_mut(), trace, event as EventId, *verdict)?);
                }
            }
            events.truncate(n_kept);
        }
        Ok(())
    }
}

/// Texts are looked up for this many events before the first is read, so that their cache misses overlap.
const AT_ONCE: usize = 256;

impl TermComparison {
    /// The verdict of the matcher on the arguments of an event; none if there is no matcher.
    fn verdict(&mut self, trace: &Trace, event: EventId) -> Option<MatchVerdict> {
        let (matcher, wanted, part) = (self.matcher.as_ref()?, self.wanted, self.part);
        Some(self.verdicts.of(trace, event, || match trace.value(event, AttributeId::ARGS) {
            Value::Args(list) => matched(matcher, wanted, part, list),
            _ => MatchVerdict::Unknown,
        }))
    }

    /// The verdicts on several events.
    fn judge(&mut self, trace: &Trace, events: &[i64], verdicts: &mut Vec<MatchVerdict>) {
        verdicts.clear();
        let mut codes = Vec::with_capacity(events.len());
        let Some(matcher) = self.matcher.as_ref() else {
            return verdicts.resize(events.len(), MatchVerdict::Unknown);
        };
        if !trace.gather_args_codes(events, &mut codes) {
            let verdict = |event: &i64| self.verdict(trace, *event as EventId).unwrap_or(MatchVerdict::Unknown);
            return verdicts.extend(events.iter().map(verdict));
        }
        self.verdicts.ask(trace, events.len());
        if let Some((n, is_open)) = self.shape
            && self.verdicts.has_table()
        {
            let counts = trace.counts_of_arguments();
            let fits = |count: u32| count as usize == n || is_open && count as usize > n;
            let verdict = |code: &i64| match usize::try_from(*code - 1).ok().and_then(|code| counts.get(code)) {
                None => MatchVerdict::Unknown,
                Some(count) if fits(*count) => MatchVerdict::Fits,
                Some(_) => MatchVerdict::Fails,
            };
            return verdicts.extend(codes.iter().map(verdict));
        }
        let text = |code: &i64| {
            let code = u32::try_from(*code - 1).ok().filter(|code| self.verdicts.known(*code).is_none());
            code.map(|code| trace.args_text(code))
        };
        let texts: Vec<Option<ArgTexts<'_>>> = codes.iter().map(text).collect();
        for (code, text) in codes.iter().zip(texts) {
            let code = (code - 1) as u32;
            verdicts.push(match (text, self.verdicts.known(code)) {
                (_, Some(verdict)) => verdict,
                (Some(text), None) => {
                    let verdict = matched(matcher, self.wanted, self.part, text);
                    self.verdicts.keep(code, verdict);
                    verdict
                }
                (None, None) => MatchVerdict::Unknown,
            });
        }
    }

    /// Whether the use holds, given the verdict of a matcher.
    fn holds(
        &mut self,
        store: Option<&mut Store>,
        trace: &Trace,
        event: EventId,
        verdict: MatchVerdict,
    ) -> Result<bool, NoStore> {
        let is_same = match verdict {
            MatchVerdict::Fits => true,
            MatchVerdict::Fails => false,
            MatchVerdict::Unknown => match self.unifies(store.ok_or(NoStore)?, trace, event) {
                Some(unifies) => {
                    let verdict = if unifies { MatchVerdict::Fits } else { MatchVerdict::Fails };
                    if let Some(code) = trace.known_args_code(event) {
                        self.verdicts.keep(code, verdict);
                    }
                    unifies
                }
                None => return Ok(false),
            },
        };
        Ok(is_same == (self.wanted == RequiredSameness::Same))
    }

    /// Whether the term unifies with the value; none if there is no value.
    fn unifies(&self, store: &mut Store, trace: &Trace, event: EventId) -> Option<bool> {
        let attempt = store.begin_attempt();
        let value = attributes::part(store, trace, event, self.part);
        let unifies = value.map(|value| {
            unify_value(store, self.term, value)
                && self.last_variables.are_elements(store)
                && self.tests.iter().all(|test| test.holds(store))
        });
        store.undo_attempt(attempt);
        unifies
    }
}

/// The number of the elements of a list that consists of different variables, and whether its rest is a variable, too.
fn shape(store: &Store, term: Cell) -> Option<(usize, bool)> {
    let walk = store.walk_list(term);
    let rest = match walk.end {
        ListEnd::Nil => None,
        ListEnd::Partial(rest) => Some(rest),
        _ => return None,
    };
    let n_parts = walk.items.len() + usize::from(rest.is_some());
    let are_variables = walk.items.iter().all(|item| matches!(store.look(*item), Term::Var(_)));
    (are_variables && store.variables(term).len() == n_parts).then_some((walk.items.len(), rest.is_some()))
}

/// The verdict of a matcher on the arguments of an event.
fn matched(matcher: &Matcher, wanted: RequiredSameness, part: EventPart, list: ArgTexts<'_>) -> MatchVerdict {
    match part {
        // A missing argument does not count as different.
        EventPart::Argument(number) if wanted == RequiredSameness::Other && list.part(number - 1).is_none() => {
            MatchVerdict::Unknown
        }
        _ => matcher.verdict(list),
    }
}

/// The verdicts on texts that several events may share.
#[derive(Clone, Debug, Default)]
struct Verdicts {
    n_asked: usize,
    /// For each text the verdict + 1, or 0 if there is none yet; empty until enough events have been tested.
    known: Vec<u8>,
}

/// The table of verdicts is made once the trace has at most this many texts for each event asked about.
const FEW: usize = 16;

impl Verdicts {
    fn of(&mut self, trace: &Trace, event: EventId, find: impl FnOnce() -> MatchVerdict) -> MatchVerdict {
        let Some(code) = trace.known_args_code(event) else { return find() };
        self.ask(trace, 1);
        self.known(code).unwrap_or_else(|| {
            let verdict = find();
            self.keep(code, verdict);
            verdict
        })
    }

    /// Counts `n_events` more events whose texts have codes, and makes the table once it is worth it.
    fn ask(&mut self, trace: &Trace, n_events: usize) {
        self.n_asked += n_events;
        if self.known.is_empty() && self.n_asked >= 64 && trace.n_args_codes() / FEW <= self.n_asked {
            self.known = vec![0; trace.n_args_codes()];
        }
    }

    fn has_table(&self) -> bool {
        !self.known.is_empty()
    }

    fn known(&self, code: u32) -> Option<MatchVerdict> {
        match self.known.get(code as usize)? {
            1 => Some(MatchVerdict::Fails),
            2 => Some(MatchVerdict::Fits),
            3 => Some(MatchVerdict::Unknown),
            _ => None,
        }
    }

    fn keep(&mut self, code: u32, verdict: MatchVerdict) {
        if let Some(place) = self.known.get_mut(code as usize) {
            *place = verdict as u8 + 1;
        }
    }
}
