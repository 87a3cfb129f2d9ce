//! Calls that call themselves with the same arguments, directly or through others.

use std::fmt::Write;

use crate::term::hash::HashMap;
use crate::trace::event::schema::AttributeId;
use crate::trace::event::value::Value;
use crate::trace::relation::calls::CallId;
use crate::trace::relation::store::Trace;

/// Each call that has an ancestor with the same procedure and arguments, after the nearest such ancestor; in the order of
/// the calls. Arguments are the same if they differ only in names of variables.
pub(crate) fn loops(trace: &Trace) -> Vec<(CallId, CallId)> {
    let mut known: HashMap<String, usize> = HashMap::default();
    let keys: Vec<Option<usize>> = trace
        .calls()
        .map(|call| {
            let next = known.len();
            key(trace, call).map(|key| *known.entry(key).or_insert(next))
        })
        .collect();
    let mut open: Vec<Option<CallId>> = vec![None; known.len()];
    let mut found = Vec::new();
    for root in trace.calls().filter(|call| trace.parent(*call).is_none()) {
        let mut path: Vec<OpenCall<'_>> = Vec::new();
        let mut next = Some(root);
        while next.is_some() || !path.is_empty() {
            if let Some(call) = next {
                let around = keys[call.index()].and_then(|key| open[key].replace(call));
                found.extend(around.map(|outer| (outer, call)));
                let children = trace.calls.children.of(call.index()).iter();
                path.push(OpenCall { call, around, children });
            }
            next = path.last_mut().and_then(|open| open.children.next()).map(|child| CallId(*child));
            if next.is_none()
                && let Some(left) = path.pop()
                && let Some(key) = keys[left.call.index()]
            {
                open[key] = left.around;
            }
        }
    }
    found.sort_unstable_by_key(|(_, inner)| *inner);
    found
}

/// A call on the path from an outermost call.
struct OpenCall<'t> {
    call: CallId,
    /// The nearest call around it with the same procedure and arguments.
    around: Option<CallId>,
    children: std::slice::Iter<'t, u32>,
}

/// The procedure and the arguments of a call; none if the trace does not show its arguments.
fn key(trace: &Trace, call: CallId) -> Option<String> {
    let event = trace.call_first(call);
    let proc = trace.proc_of(event)?;
    let mut key = format!("{} ", proc.0);
    match trace.value(event, AttributeId::ARGS) {
        Value::Args(list) => write_variant(&mut key, &list.whole()),
        _ if trace.proc(proc).arity == Some(0) => {}
        _ => return None,
    }
    Some(key)
}

/// Writes the text of terms with numbers for the names of its variables, which begin with `_`.
fn write_variant(key: &mut String, text: &str) {
    let mut numbers: HashMap<&str, usize> = HashMap::default();
    let mut n_variables = 0;
    let (mut quote, mut is_in_name) = (None, false);
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let mut length = letter.len_utf8();
        if quote.is_none() && letter == '_' && !is_in_name {
            length = rest.find(|letter: char| !is_of_name(letter)).unwrap_or(rest.len());
            let number = match &rest[..length] {
                "_" => n_variables,
                name => *numbers.entry(name).or_insert(n_variables),
            };
            n_variables = n_variables.max(number + 1);
            write!(key, "_{number}").expect("writing to a string does not fail");
        } else {
            match quote {
                Some(open) if open == letter => quote = None,
                None if matches!(letter, '\'' | '"') => quote = Some(letter),
                _ => {}
            }
            key.push(letter);
        }
        is_in_name = quote.is_none() && is_of_name(letter);
        rest = &rest[length..];
    }
}

fn is_of_name(letter: char) -> bool {
    letter == '_' || letter.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variant(text: &str) -> String {
        let mut key = String::new();
        write_variant(&mut key, text);
        key
    }

    #[test]
    fn variants_differ_only_in_names_of_variables() {
        assert_eq!(variant("[f(_12,_G3,_12), a_b]"), variant("[f(_7,_8,_7), a_b]"));
        assert_ne!(variant("[_1,_2]"), variant("[_1,_1]"));
        assert_eq!(variant("[_,_]"), variant("[_1,_2]"));
        assert_ne!(variant("['_1']"), variant("['_2']"));
        assert_ne!(variant("[a_1]"), variant("[a_2]"));
    }
}
