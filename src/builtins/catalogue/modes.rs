//! Heads with modes, `member(?X, ?List) is nondet`, taken apart.

/// Name and number of arguments of a head with modes.
pub(crate) fn name_and_arity(modes: &str) -> (&str, usize) {
    let (name, rest) = modes.split_at(modes.find(['(', ' ']).unwrap_or(modes.len()));
    (name, arguments(rest).count())
}

/// The arguments of a head with modes, from the bracket on: `+Text`, `-Length`.
pub(crate) fn arguments(head: &str) -> impl Iterator<Item = &str> {
    let inside = head.strip_prefix('(').and_then(|rest| rest.split(')').next());
    inside.into_iter().flat_map(|arguments| arguments.split(',')).map(str::trim)
}
