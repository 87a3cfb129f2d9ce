//! Counts of matching events by the values of some attributes.

use crate::term::hash::{HashMap, NumberMap};
use crate::trace::event::EventId;
use crate::trace::event::schema::AttributeId;
use crate::trace::event::value::Value;
use crate::trace::relation::store::Trace;
use crate::trace::search::distinct_values::{DistinctValue, Stored, TraceColumn};
use crate::trace::search::find::each_match;
use crate::trace::search::pattern::Pattern;

/// The number of matching events for each combination of values of `attributes`, in the order in which the combinations
/// first appear.
///
/// A computed attribute, such as the stack, counts as absent.
pub(crate) fn group<'a>(trace: &'a Trace, pattern: &Pattern, attributes: &[AttributeId]) -> Vec<(Vec<Value<'a>>, u64)> {
    let mut combinations = Combinations::new(trace, attributes);
    let mut groups: Vec<Group> = Vec::new();
    match (combinations.classes_of_keys(), pattern.whole_keys(trace)) {
        (Some(classes), Some(keys)) => count_keys(trace, &keys, classes, &mut groups),
        _ => each_match(trace, pattern, |event| {
            let id = combinations.id(event);
            note(&mut groups, id, event, 1);
        }),
    }
    groups.retain(|group| group.n_events > 0);
    groups.sort_unstable_by_key(|group| group.first);
    let values = |event| attributes.iter().map(|attribute| trace.value(event, *attribute)).collect();
    groups.into_iter().map(|group| (values(group.first), group.n_events)).collect()
}

/// The events with one combination of values.
#[derive(Clone, Copy)]
struct Group {
    first: EventId,
    n_events: u64,
}

#[inline]
fn note(groups: &mut Vec<Group>, id: u32, first: EventId, n_events: u64) {
    let index = id as usize;
    if index >= groups.len() {
        groups.resize((index + 1).next_power_of_two(), Group { first: EventId::MAX, n_events: 0 });
    }
    let group = &mut groups[index];
    group.first = group.first.min(first);
    group.n_events += n_events;
}

/// Counts whole keys by their postings lists.
fn count_keys(trace: &Trace, keys: &[u32], classes: &[u32], groups: &mut Vec<Group>) {
    for key in keys {
        if let Some(first) = trace.postings.first(*key as usize) {
            note(groups, classes[*key as usize], first, trace.postings.count(*key as usize) as u64);
        }
    }
}

/// Numbers the combinations of values that the events of a trace have, in a few nanoseconds for each event.
pub(crate) struct Combinations<'a> {
    trace: &'a Trace,
    stages: Vec<CombinationStage<'a>>,
}

impl<'a> Combinations<'a> {
    pub(crate) fn new(trace: &'a Trace, attributes: &[AttributeId]) -> Combinations<'a> {
        Combinations { trace, stages: stages(trace, attributes) }
    }

    /// For each key the number of its events, if it depends on nothing else.
    #[inline]
    pub(crate) fn classes_of_keys(&self) -> Option<&[u32]> {
        match self.stages.as_slice() {
            [CombinationStage::Keys(classes)] => Some(classes),
            _ => None,
        }
    }

    /// A number that only events with the same values have. Not all numbers below the greatest one need be in use.
    #[inline]
    pub(crate) fn id(&mut self, event: EventId) -> u32 {
        let trace = self.trace;
        self.stages.iter_mut().fold(0, |id, stage| stage.id(trace, id, event))
    }
}

/// A stage in computing the number of an event's combination.
enum CombinationStage<'a> {
    /// The number of the combination of all parts that the key has; always the first stage.
    Keys(Vec<u32>),
    /// The code in a column is the number; only as the first stage.
    First(Stored<'a>, HashMap<i64, u32>),
    /// Combines the number so far with the code in a column, which is below this limit, by multiplication.
    Product(Stored<'a>, u32),
    /// Combines them by a table of pairs, because there may be too many products.
    Next(Stored<'a>, HashMap<i64, u32>, NumberMap<(u32, u32), u32>),
    /// The row itself, for numbers of events.
    Row,
}

impl CombinationStage<'_> {
    #[inline]
    fn id(&mut self, trace: &Trace, so_far: u32, event: EventId) -> u32 {
        match self {
            CombinationStage::Keys(classes) => classes[trace.key(event) as usize],
            CombinationStage::First(stored, numbers) => stored.number(event, numbers),
            CombinationStage::Product(stored, width) => so_far * *width + stored.code(event),
            CombinationStage::Next(stored, numbers, pairs) => {
                let pair = (so_far, stored.number(event, numbers));
                let next = pairs.len() as u32;
                *pairs.entry(pair).or_insert(next)
            }
            CombinationStage::Row => event,
        }
    }
}

impl Stored<'_> {
    #[inline]
    fn code(&self, event: EventId) -> u32 {
        match self {
            Stored::Codes(codes) | Stored::Ints(codes, _) => codes.at(event as usize),
            Stored::Wide(_) => 0,
        }
    }

    /// A limit that all codes are below, if it fits in 32 bits.
    fn width(&self) -> Option<u32> {
        match self {
            Stored::Codes(codes) | Stored::Ints(codes, _) => codes.greatest().checked_add(1),
            Stored::Wide(_) => None,
        }
    }

    /// A number that only rows with the same value share; 0 for an absent value.
    #[inline]
    fn number(&self, event: EventId, numbers: &mut HashMap<i64, u32>) -> u32 {
        match self {
            Stored::Codes(_) | Stored::Ints(..) => self.code(event),
            Stored::Wide(values) => match values.get(event as usize) {
                Some(value) => {
                    let next = numbers.len() as u32 + 1;
                    *numbers.entry(*value).or_insert(next)
                }
                None => 0,
            },
        }
    }
}

fn stages<'a>(trace: &'a Trace, attributes: &[AttributeId]) -> Vec<CombinationStage<'a>> {
    if attributes.contains(&AttributeId::CHRONO) {
        return vec![CombinationStage::Row];
    }
    let of_key = |attribute: &&AttributeId| trace.column_of(**attribute) == TraceColumn::Key;
    let key_parts: Vec<AttributeId> = attributes.iter().filter(of_key).copied().collect();
    let mut stages = Vec::new();
    let mut n_ids = Some(1_u32);
    if !key_parts.is_empty() {
        let classes = classes(trace, &key_parts);
        n_ids = classes.iter().max().map(|class| class + 1);
        stages.push(CombinationStage::Keys(classes));
    }
    for attribute in attributes.iter().filter(|attribute| !of_key(attribute)) {
        let Some(stored) = trace.stored(trace.column_of(*attribute)) else { continue };
        n_ids = n_ids.zip(stored.width()).and_then(|(ids, width)| ids.checked_mul(width));
        // a number is an index: one in billions of a few events would take a table of billions
        let is_dense = match &stored {
            Stored::Codes(_) | Stored::Ints(..) => {
                stored.width().is_some_and(|width| width <= MAX_PRODUCT.max(trace.n_events()))
            }
            Stored::Wide(_) => true,
        };
        stages.push(match (stages.is_empty(), n_ids.filter(|ids| *ids <= MAX_PRODUCT).and(stored.width())) {
            (true, _) if is_dense => CombinationStage::First(stored, HashMap::default()),
            (true, _) => CombinationStage::Next(stored, HashMap::default(), NumberMap::default()),
            (false, Some(width)) => CombinationStage::Product(stored, width),
            (false, None) => CombinationStage::Next(stored, HashMap::default(), NumberMap::default()),
        });
    }
    stages
}

/// The most entries of a dense table of combinations, as most of them may not occur.
const MAX_PRODUCT: u32 = 1 << 16;

/// For each key the number of its combination of parts.
pub(crate) fn classes(trace: &Trace, parts: &[AttributeId]) -> Vec<u32> {
    let entries: Vec<Vec<DistinctValue<'_>>> = parts.iter().map(|part| trace.key_entries(*part)).collect();
    let mut numbers: HashMap<Vec<Option<i64>>, u32> = HashMap::default();
    let class = |key: usize| {
        let combination = entries.iter().map(|part| part_number(&part[key])).collect();
        let next = numbers.len() as u32;
        *numbers.entry(combination).or_insert(next)
    };
    (0..trace.keys.keys.len()).map(class).collect()
}

fn part_number(entry: &DistinctValue<'_>) -> Option<i64> {
    match entry {
        DistinctValue::Int(value) => Some(*value),
        DistinctValue::Atom(name) => Some(i64::from(name.id())),
        _ => None,
    }
}
