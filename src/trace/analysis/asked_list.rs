//! Lists in constraints on arguments that find nothing, where events have what was probably meant: more arguments than the list,
//! or an argument that is one of its elements.

use super::unknown_word::{arguments, is_value};
use crate::trace::event::args::ArgTexts;
use crate::trace::event::simple_term::simple_term;
use crate::trace::relation::store::Trace;
use crate::trace::search::find::walk;
use crate::trace::search::form::FormOp;
use crate::trace::search::pattern::Pattern;

/// A list that a search asks for.
#[derive(Debug)]
pub(crate) enum AskedList {
    /// As all arguments: names, texts and numbers; a variable is any argument.
    Arguments(Vec<Option<FormOp>>),
    /// As the argument with this number, from 1: names, texts and numbers.
    Argument(usize, Vec<FormOp>),
}

impl AskedList {
    /// What an event found has instead, if none has the list.
    pub(crate) fn passes_over(&self, trace: &Trace, found: &Pattern) -> Option<String> {
        let lists = || walk(trace, found).filter_map(|event| Some((trace.chrono(event), arguments(trace, event)?)));
        match self {
            AskedList::Arguments(asked) => {
                if lists().any(|(_, list)| list.iter().count() == asked.len()) {
                    return None;
                }
                let (chrono, list) = lists().find(|(_, list)| begins_with(*list, asked))?;
                let (n, n_asked) = (list.iter().count(), asked.len());
                Some(format!(
                    "event {chrono} has {n} arguments, which a list of {n_asked} does not find (`[_|_]` has any others)"
                ))
            }
            AskedList::Argument(number, asked) => {
                let texts = || lists().filter_map(|(chrono, list)| Some((chrono, list.part(number - 1)?)));
                if texts().any(|(_, text)| simple_term(text).is_none()) {
                    return None;
                }
                let (chrono, text) = texts().find(|(_, text)| asked.iter().any(|value| is_value(text, value)))?;
                Some(format!(
                    "event {chrono} has `arg({number}) = {text}`, an element of a list, which is one value here"
                ))
            }
        }
    }
}

fn begins_with(list: ArgTexts<'_>, asked: &[Option<FormOp>]) -> bool {
    let mut texts = list.iter();
    let is_it = |value: &Option<FormOp>| {
        texts.next().is_some_and(|text| value.as_ref().is_none_or(|value| is_value(text, value)))
    };
    asked.iter().all(is_it)
}
