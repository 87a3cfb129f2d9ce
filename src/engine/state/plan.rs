//! Compiled searches.

use std::fmt;
use std::sync::Arc;

use super::world::World;
use crate::engine::heap::{Stop, system_error};
use crate::term::Atom;
use crate::term::hash::NumberMap;
use crate::trace::{
    ArgumentPlace, AttributeId, CallId, Constraint, EventId, FormOp, IndexedPart, Pattern, SimpleTerm, Trace,
    UnknownWord, WordPlace, compared_arguments, simple_term, unmeasured, walk,
};

/// A list of constraints compiled for one trace: a pattern for the columns, and unifications for events that pass it.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The part decided by the columns.
    pub(crate) pattern: Pattern,
    /// The constraints from which the pattern was compiled.
    pub(crate) constraints: Vec<Constraint>,
    /// How the terms in the list of constraints are used, each as an index among them and the use.
    pub(crate) uses: Vec<(usize, TermUse)>,
    /// Tests of the texts of arguments.
    pub(crate) tests: Vec<ArgumentTest>,
    /// Descriptions of comparisons of texts with numbers.
    pub(crate) doubts: Vec<String>,
    /// Why nothing may be found in any trace: two of the constraints ask for different texts in one place.
    pub(crate) vacuous: Vec<String>,
    /// Words that perhaps no event of the trace has.
    pub(crate) unknown: Vec<UnknownWord>,
}

impl Plan {
    /// Whether the answer depends on what calls cost, which events that have not been read may change.
    pub(crate) fn asks_call_times(&self) -> bool {
        self.constraints.iter().any(|constraint| constraint.attribute().is_call_time())
            || self.uses.iter().any(|(_, usage)| usage.attribute().is_some_and(AttributeId::is_call_time))
    }

    /// That the trace does not have the durations, or the times of ends, that are asked for, unless no call of which it has none
    /// satisfies the other constraints.
    pub(crate) fn lacks_durations(&self, trace: &Trace) -> Option<String> {
        let (asked, others): (Vec<_>, Vec<_>) =
            self.constraints.iter().cloned().partition(|of| trace.is_duration(of.attribute()));
        let is_used = |is_it: &dyn Fn(AttributeId) -> bool| {
            self.uses.iter().any(|(_, usage)| matches!(usage, TermUse::Unify(EventPart::Attribute(id)) if is_it(*id)))
        };
        // what is asked about one event is asked about its call
        let is_of_one = self.uses.iter().any(|(_, usage)| matches!(usage, TermUse::Chrono | TermUse::Call));
        let asks_durations = !asked.is_empty() || is_used(&|id| trace.is_duration(id));
        let asks_ends = is_used(&|id| trace.is_time(id));
        if !asks_durations && !asks_ends || is_of_one {
            return None;
        }
        if asks_ends && trace.n_events() > 0 && !trace.has_times() {
            return Some("no event of the trace has a time".to_string());
        }
        let others = Pattern::new(trace, others);
        let is_asked = |call: CallId| {
            let first = Some(trace.call_first(call)).filter(|_| asks_durations);
            first.into_iter().chain([trace.call_last(call)]).any(|event| others.matches(trace, event))
        };
        unmeasured(trace).any(is_asked).then(|| trace.lack_of_durations())
    }

    /// That an event which the columns find has a text in its arguments that does not pass a test of numbers, and the number
    /// in this text would, or the beginning of a text, and the test is a search.
    pub(crate) fn passes_over_texts(&self, trace: &Trace) -> Option<String> {
        let failing = |event| {
            let texts = self.tests.iter().map(move |test| Some((test, test.part.word_place()?.text_in(trace, event)?)));
            texts.collect::<Option<Vec<_>>>().map(|texts| texts.into_iter().filter(|(test, text)| !(test.holds)(text)))
        };
        let told = |event| {
            let failing: Vec<_> = failing(event)?.collect();
            let is_cut = |(test, text): &(&ArgumentTest, &str)| test.searches && text.starts_with("cut(");
            let is_near = |one: &(&ArgumentTest, &str)| match simple_term(one.1) {
                Some(SimpleTerm::Text(digits)) => digits.parse::<f64>().is_ok() && (one.0.holds)(&digits),
                _ => is_cut(one),
            };
            let told = failing.first().filter(|_| failing.iter().all(is_near))?;
            let (part, text, chrono) = (told.0.part.name(trace), told.1, trace.chrono(event));
            let why = match is_cut(told) {
                true => "of which the rest is not known",
                false => "a text, which no comparison with a number finds",
            };
            Some(format!("event {chrono} has `{part} = {text}`, {why}"))
        };
        (!self.tests.is_empty()).then(|| walk(trace, &self.pattern).find_map(told)).flatten()
    }
}

/// A test of the text of an argument.
pub(crate) struct ArgumentTest {
    /// Whose text it is: an argument or a key of one.
    pub(crate) part: EventPart,
    /// Whether it looks for something anywhere in a text.
    pub(crate) searches: bool,
    /// Whether a text passes.
    pub(crate) holds: Box<dyn Fn(&str) -> bool + Send + Sync>,
}

impl fmt::Debug for ArgumentTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArgumentTest").field("part", &self.part).finish_non_exhaustive()
    }
}

/// How a term of a list of constraints is used, in addition to the pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TermUse {
    /// An integer: the number of the event.
    Chrono,
    /// An integer: the number of the call.
    Call,
    /// It is unified with a value.
    Unify(EventPart),
    /// It must not unify with a value.
    Differ(EventPart),
}

impl TermUse {
    /// The attribute whose value is used, unless it is the number of the event or call.
    pub(crate) fn attribute(self) -> Option<AttributeId> {
        match self {
            TermUse::Unify(EventPart::Attribute(id)) | TermUse::Differ(EventPart::Attribute(id)) => Some(id),
            _ => None,
        }
    }
}

/// A value of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventPart {
    /// The value of an attribute.
    Attribute(AttributeId),
    /// The value of an argument, counted from 1.
    Argument(usize),
    /// The value at a path of keys, in the first argument that is an object which has it.
    Key(Atom),
    /// A module (`decl_module`) or a name (`name`) that is one half of a qualified name such as `resource.proc`.
    Half(AttributeId),
}

impl EventPart {
    /// The name of the attribute, or `arg(2)`, `arg.key` for a part of the arguments.
    pub(crate) fn name(self, trace: &Trace) -> String {
        match self {
            EventPart::Attribute(attribute) => trace.schema().get(attribute).name.to_string(),
            EventPart::Argument(number) => format!("arg({number})"),
            EventPart::Key(path) => format!("arg.{path}"),
            EventPart::Half(_) => "proc".to_string(),
        }
    }

    /// Where words of it are looked for.
    pub(crate) fn word_place(self) -> Option<WordPlace> {
        match self {
            EventPart::Attribute(attribute) => Some(WordPlace::Attribute(attribute)),
            EventPart::Argument(number) => Some(WordPlace::Argument(number)),
            EventPart::Key(path) => Some(WordPlace::Path(path)),
            EventPart::Half(_) => None,
        }
    }

    /// The part as one that indexes and joins are about, if it is one.
    pub(crate) fn indexed(self) -> Option<IndexedPart> {
        match self {
            EventPart::Attribute(attribute) => Some(IndexedPart::Attribute(attribute)),
            EventPart::Argument(number) => ArgumentPlace::of_argument(number).map(IndexedPart::Argument),
            EventPart::Key(_) | EventPart::Half(_) => None,
        }
    }
}

/// Which events a failed search covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// All.
    All,
    /// Those whose rows are at least this.
    From(EventId),
    /// Those whose rows are below this.
    Below(EventId),
    /// This one.
    At(EventId),
}

/// The compiled searches of one trace, keyed by the shape of their constraints.
#[derive(Debug, Default)]
pub(crate) struct Plans {
    of: Option<Arc<Trace>>,
    plans: NumberMap<Vec<u64>, Arc<Plan>>,
    attributes: NumberMap<Atom, AttributeId>,
    everywhere: NumberMap<AttributeId, bool>,
    /// By argument number, a description of comparisons with numbers if all its values are texts.
    compared: NumberMap<usize, Option<String>>,
    /// A buffer for the next key.
    pub(crate) scratch: Vec<u64>,
}

/// The cache is emptied at this size.
const MAX_PLANS: usize = 512;

impl Plans {
    /// Clears the cache if `trace` differs from before.
    pub(crate) fn belong_to(&mut self, trace: &Arc<Trace>) {
        if !self.of.as_ref().is_some_and(|of| Arc::ptr_eq(of, trace)) {
            *self = Plans { of: Some(Arc::clone(trace)), ..Plans::default() };
        }
    }

    /// The plan for a key.
    pub(crate) fn find(&self, key: &[u64]) -> Option<&Arc<Plan>> {
        self.plans.get(key)
    }

    /// Caches a plan.
    pub(crate) fn keep(&mut self, key: &[u64], plan: &Arc<Plan>) {
        if self.plans.len() >= MAX_PLANS {
            self.plans.clear();
        }
        self.plans.insert(key.into(), Arc::clone(plan));
    }

    /// The attribute cached for a name.
    pub(crate) fn attribute(&self, name: Atom) -> Option<AttributeId> {
        self.attributes.get(&name).copied()
    }

    /// Caches the attribute of a name.
    pub(crate) fn keep_attribute(&mut self, name: Atom, attribute: AttributeId) {
        self.attributes.insert(name, attribute);
    }

    /// A description of comparisons with numbers, if all arguments with this number, counted from 1, are texts.
    pub(crate) fn compared_arguments(&mut self, trace: &Trace, number: usize) -> Option<String> {
        self.compared.entry(number).or_insert_with(|| compared_arguments(trace, number)).clone()
    }

    /// Whether every event of the trace has a value for an attribute.
    pub(crate) fn is_everywhere(&mut self, trace: &Trace, attribute: AttributeId) -> bool {
        *self.everywhere.entry(attribute).or_insert_with(|| {
            let any = Constraint::new(trace, attribute, &[FormOp::Any]);
            any.is_ok_and(|any| {
                let pattern = Pattern::new(trace, vec![any]);
                crate::trace::count(trace, &pattern) == u64::from(trace.n_events())
            })
        })
    }
}

impl World {
    /// Makes `trace` the current trace, with the cursor before its first event.
    pub(crate) fn open_trace(&mut self, trace: Arc<Trace>) {
        self.tables.outdate();
        self.desk.open(trace);
    }

    /// An error if the file of the trace has changed since it was read, so that answers may be wrong.
    pub(crate) fn trust_trace(&self) -> Result<(), Stop> {
        match self.desk.trace().and_then(|trace| trace.fault()) {
            None => Ok(()),
            Some(fault) => Err(system_error(fault)),
        }
    }
}

/// Why a move backwards from the start of the trace fails.
pub(crate) const BEFORE_FIRST: &str = "there is no event before the first";

/// Why a move forwards from the end of the trace fails.
pub(crate) fn no_event_after(chrono: i64) -> String {
    format!("there is no event after {chrono}")
}
