//! Procedures that are written as one text.

use crate::trace::ProcRow;

/// `predicate->queens:queen/2-0`; only the name is required.
pub(crate) fn procedure(text: &str) -> Option<ProcRow<'_>> {
    let (proc_type, rest) = text.split_once("->").map_or((None, text), |(kind, rest)| (Some(kind.trim()), rest));
    let (decl_module, rest) = rest.split_once(':').map_or((None, rest), |(module, rest)| (Some(module.trim()), rest));
    let (rest, mode_number) = number_after(rest, '-');
    let (name, arity) = number_after(rest, '/');
    let name = Some(name.trim()).filter(|name| !name.is_empty());
    name.map(|_| ProcRow { proc_type, decl_module, def_module: None, name, arity, mode_number })
}

/// The text before the last `mark` and the number after it; the whole text if there is no number.
fn number_after(text: &str, mark: char) -> (&str, Option<i64>) {
    let found = text.rsplit_once(mark).and_then(|(before, number)| Some((before, number.trim().parse().ok()?)));
    found.map_or((text, None), |(before, number)| (before, Some(number)))
}
