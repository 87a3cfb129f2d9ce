//! Names in printed terms: operators, and atoms without quotes.

use std::sync::LazyLock;

use crate::builtins::trace::values::text_terms::OPERATORS;
use crate::term::Atom;

/// For each letter the lengths of the operators that begin with it, as bits.
static OPERATOR_LENGTHS: LazyLock<[u64; 256]> = LazyLock::new(|| {
    let mut lengths = [0; 256];
    for (name, _) in OPERATORS.iter() {
        let name = name.as_str();
        let first = name.bytes().next().unwrap_or_default();
        lengths[usize::from(first)] |= 1_u64 << name.len().min(63);
    }
    lengths
});

/// Whether a name is an operator.
pub(super) fn is_operator(name: &str) -> bool {
    let first = name.bytes().next().unwrap_or_default();
    let may_be = OPERATOR_LENGTHS[usize::from(first)] >> name.len().min(63) & 1 == 1;
    may_be && OPERATORS.is_op(Atom::new(name))
}

/// Whether a text is an atom of letters, digits and underscores.
pub(super) fn is_plain_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
