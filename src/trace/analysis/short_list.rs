//! Lists of arguments that are shorter than those of the events that are probably meant.

use super::unknown_word::{arguments, is_value};
use crate::trace::event::args::ArgTexts;
use crate::trace::relation::store::Trace;
use crate::trace::search::find::walk;
use crate::trace::search::form::FormOp;
use crate::trace::search::pattern::Pattern;

/// A list of arguments that a search asks for: names, texts and numbers; a variable is any argument.
pub(crate) type AskedArguments = Vec<Option<FormOp>>;

/// That an event found has these arguments and more, and none has exactly so many.
pub(crate) fn more_arguments(trace: &Trace, found: &Pattern, asked: &AskedArguments) -> Option<String> {
    let lists = || walk(trace, found).filter_map(|event| Some((event, arguments(trace, event)?)));
    let has_all = |list: ArgTexts<'_>| {
        let mut texts = list.iter();
        let is_it = |value: &Option<FormOp>| {
            texts.next().is_some_and(|text| value.as_ref().is_none_or(|value| is_value(text, value)))
        };
        asked.iter().all(is_it)
    };
    if lists().any(|(_, list)| list.iter().count() == asked.len()) {
        return None;
    }
    let (event, list) = lists().find(|(_, list)| has_all(*list))?;
    let (n, chrono, n_asked) = (list.iter().count(), trace.chrono(event), asked.len());
    Some(format!("event {chrono} has {n} arguments, which a list of {n_asked} does not find (`[_|_]` has any others)"))
}
