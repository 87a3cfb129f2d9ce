//! Numbers for the values of arguments, by which they are compared without their texts.

use std::sync::{Arc, Mutex, PoisonError};

use super::store::Trace;
use super::value_index::{PartValue, TextKind, value_of_argument};
use crate::term::hash::HashMap;
use crate::term::number::Number;
use crate::trace::event::argument_place::ArgumentPlace;

/// Numbers for the values of arguments of a trace: equal ones have one number, whatever argument they are.
#[derive(Debug, Default)]
pub(crate) struct ArgumentValues(Mutex<KnownNumbers>);

#[derive(Debug, Default)]
struct KnownNumbers {
    by_value: HashMap<Box<str>, u32>,
    /// By the place, for each text of arguments; none if there is perhaps a variable somewhere.
    of_places: HashMap<ArgumentPlace, Option<Arc<[u32]>>>,
    /// How many arguments each text has.
    counts: Option<Arc<[u32]>>,
    n_bytes: usize,
}

/// The number of what has no number: no argument, or a term with parts.
pub(crate) const NO_NUMBER: u32 = 0;

/// The bytes that a number takes with its value.
const BYTES_PER_TEXT: usize = 64;

impl ArgumentValues {
    /// The bytes that the numbers take.
    pub(crate) fn bytes(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).n_bytes
    }
}

impl Trace {
    /// For each text of arguments, by its code, the number of the value at a place; none if that is perhaps a variable
    /// somewhere, or if there is no room. `has_room` is asked with the bytes that it takes.
    pub(crate) fn numbers_of_argument(
        &self,
        place: ArgumentPlace,
        has_room: impl FnOnce(usize) -> bool,
    ) -> Option<Arc<[u32]>> {
        let mut known = self.argument_values.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(numbers) = known.of_places.get(&place) {
            return numbers.clone();
        }
        let n_bytes = self.n_args_codes() * BYTES_PER_TEXT;
        if !has_room(n_bytes) {
            return None;
        }
        let KnownNumbers { by_value, .. } = &mut *known;
        let of_text = |code| {
            let text = canonical(value_of_argument(self.args_text(code), place))?;
            let next = by_value.len() as u32 + 1;
            Some(text.map_or(NO_NUMBER, |text| *by_value.entry(text.into()).or_insert(next)))
        };
        let numbers: Option<Arc<[u32]>> = (0..self.n_args_codes() as u32).map(of_text).collect();
        known.of_places.insert(place, numbers.clone());
        known.n_bytes += n_bytes;
        numbers
    }

    /// For each text of arguments, by its code, how many they are.
    pub(crate) fn counts_of_arguments(&self) -> Arc<[u32]> {
        let mut known = self.argument_values.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = |code| self.args_text(code).iter().count() as u32;
        let counts = known.counts.get_or_insert_with(|| (0..self.n_args_codes() as u32).map(count).collect()).clone();
        known.n_bytes = known.n_bytes.max(counts.len() * size_of::<u32>());
        counts
    }
}

/// A text that is the same for equal values; none inside for a term with parts, none at all for a variable.
fn canonical(value: PartValue<'_>) -> Option<Option<String>> {
    Some(match value {
        PartValue::Anything => return None,
        PartValue::Nothing => None,
        PartValue::Number(Number::Float(value)) => Some(format!("f{}", (value + 0.0).to_bits())),
        PartValue::Number(number) => Some(format!("i{number}")),
        PartValue::Text(text, kind) if *text == *"[]" && kind != TextKind::String => Some("l".into()),
        PartValue::Text(text, _) => Some(format!("s{text}")),
    })
}
