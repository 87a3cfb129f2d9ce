//! Truth and falsity as predicates for `call/N`; clauses have them as instructions.

use crate::builtins::arguments::list_or_partial;
use crate::builtins::record::{det, iso, pure};
use crate::engine::Builtin;

/// The predicates of this family.
pub(crate) const TABLE: &[Builtin] = &pure([
    iso(det("true is det", "Succeeds.", "true", "true", |_, _| Ok(true))),
    iso(det("fail is failure", "Fails.", "fail", "false", |_, _| Ok(false))),
    iso(det("false is failure", "Fails: the same as fail/0.", "false", "false", |_, _| Ok(false))),
    det(
        "$is_partial_list(?Term) is semidet",
        "Holds of lists and of what may become one.",
        "'$is_partial_list'([a|_])",
        "true",
        |world, args| Ok(list_or_partial(&world.store, args[0]).is_ok()),
    ),
]);
