//! The vocabulary of assertions: `never/1`, `exists/1`, `always/1`, `precedes/2`, `responds/2`, on the stretches of a
//! scope.
//!
//! What they mean beyond their names:
//!
//! * A variable in two lists of a goal, including those of a chain and of the scope, has the same value in both, and the
//!   goal is decided for each value separately. The values come from the events: an event that matches a list gives
//!   values to its shared variables, and values from different events are combined if they agree (see
//!   [`Bindings`](crate::trace::Bindings)). An opening event with `C = 1` opens a stretch for `C = 1` only. If no event
//!   gives a value, the goal is decided once: `exists` is then violated, and `responds` holds.
//! * The events of a chain differ from each other. Each event that begins a chain counts as a subject, with the earliest
//!   events that complete it; chains that end with the same event count as one. `[[name=a], [name=b]]` occurs once in
//!   `a a b b` and twice in `a b a b`.
//! * `within(Attribute, Max)` limits the difference of two events' values of an attribute, `within(Attribute, Min..Max)`
//!   also from below. For `responds` these are the subject (the last event of its chain) and the last event of the needed
//!   chain, for `precedes` the subject and the first event of the needed chain, so that the whole chain lies within the
//!   distance. One chain at such a distance suffices, whether or not others lie between. For `never`, `exists` and `always`
//!   the two are the event that begins the stretch and the subject: only subjects at such a distance count. An event without
//!   a value is at no distance from any other.
//! * A lasso stands for the infinite trace in which its loop comes again and again.

mod codes;
mod evaluate;
mod follow;
mod goal;
mod limit;
mod marks;
pub(crate) mod monitors;
mod strangers;
#[cfg(test)]
mod tests;
mod words;

use crate::builtins::record::{asks, det};
use crate::engine::{Builtin, Cell, Stop, World};
use crate::term::Atom;

pub(crate) use self::follow::{Breach, FollowedEnding, Follower, News};
pub(crate) use self::goal::{SCOPES, wrong_assertion};

use self::evaluate::evaluate;
use self::goal::{VocabularyWord, named_variables, vocabulary_goal};

/// The records.
pub(crate) const TABLE: &[Builtin] = &asks([
    det(
        "never(+Constraints) is semidet",
        "Holds if no event satisfies the constraints.",
        "never([port=exception]), \\+ never([port=fail])",
        "true",
        |world, args| call(world, VocabularyWord::Never, args),
    ),
    det(
        "never(+Constraints, +Scope) is semidet",
        "Holds if on no stretch of the scope an event satisfies the constraints: `globally`, `before(R)`, `after(Q)`, `between(Q, R)`, `after_until(Q, R)`.",
        "never([name=qdelete], after([name=print_list]))",
        "true",
        |world, args| call(world, VocabularyWord::Never, args),
    ),
    det(
        "never(+Constraints, +Scope, +Within) is semidet",
        "As never/2, but only for the events that are `within(Attribute, Max)`, or `within(Attribute, Min..Max)`, of the one that begins the stretch.",
        "never([port=exit], after([name=queen, port=call]), within(chrono, 6..8))",
        "true",
        |world, args| call(world, VocabularyWord::Never, args),
    ),
    det(
        "exists(+Constraints) is semidet",
        "Holds if some event satisfies the constraints; for a chain, a list of lists, if events satisfy them in that order.",
        "exists([[name=queen, port=call], [name=queen, port=exit]])",
        "true",
        |world, args| call(world, VocabularyWord::Exists, args),
    ),
    det(
        "exists(+Constraints, +BoundOrScope) is semidet",
        "Holds if `at_least(N)`, `at_most(N)` or `exactly(N)` events satisfy the constraints, or some event on every stretch of the scope.",
        "exists([name=queen], exactly(2)), exists([port=exit], after([name=queen, port=exit]))",
        "true",
        |world, args| call(world, VocabularyWord::Exists, args),
    ),
    det(
        "exists(+Constraints, +BoundOrScope, +ScopeOrWithin) is semidet",
        "As exists/2, with a bound and a scope, or with a scope and `within(Attribute, Max)` or `within(Attribute, Min..Max)`.",
        "exists([port=call, depth=3, call=C], exactly(1), between([port=call, call=C], [port=exit, call=C]))",
        "false",
        |world, args| call(world, VocabularyWord::Exists, args),
    ),
    det(
        "exists(+Constraints, +Bound, +Scope, +Within) is semidet",
        "As exists/3, but only for the events that are `within(Attribute, Max)`, or `within(Attribute, Min..Max)`, of the one that begins the stretch.",
        "exists([port=exit], exactly(4), after([name=queen, port=call]), within(chrono, 20))",
        "true",
        |world, args| call(world, VocabularyWord::Exists, args),
    ),
    det(
        "always(+Constraints) is semidet",
        "Holds if every event satisfies the constraints.",
        "always([depth=1..9])",
        "true",
        |world, args| call(world, VocabularyWord::Always, args),
    ),
    det(
        "always(+Constraints, +Scope) is semidet",
        "Holds if on every stretch of the scope every event satisfies the constraints.",
        "always([depth > 1], between([name=queen, port=call], [name=queen, port=exit]))",
        "true",
        |world, args| call(world, VocabularyWord::Always, args),
    ),
    det(
        "always(+Constraints, +Scope, +Within) is semidet",
        "As always/2, but only for the events that are `within(Attribute, Max)`, or `within(Attribute, Min..Max)`, of the one that begins the stretch.",
        "always([depth=1..3], globally, within(chrono, 5))",
        "true",
        |world, args| call(world, VocabularyWord::Always, args),
    ),
    det(
        "precedes(+Needed, +Constraints) is semidet",
        "Holds if before each event that satisfies the constraints there is one that satisfies Needed; a variable in both is the same value.",
        "precedes([port=call, call=C], [port=exit, call=C])",
        "true",
        |world, args| call(world, VocabularyWord::Precedes, args),
    ),
    det(
        "precedes(+Needed, +Constraints, +Scope) is semidet",
        "As precedes/2, on every stretch of the scope: `globally`, `before(R)`, `after(Q)`, `between(Q, R)`, `after_until(Q, R)`.",
        "precedes([port=call, call=C], [port=exit, call=C], before([name=print_list]))",
        "true",
        |world, args| call(world, VocabularyWord::Precedes, args),
    ),
    det(
        "precedes(+Needed, +Constraints, +Scope, +Within) is semidet",
        "As precedes/3, by an event that is `within(Attribute, Max)`, or `within(Attribute, Min..Max)`, of the one that it precedes.",
        "precedes([port=call, call=C], [port=exit, call=C], globally, within(chrono, 10))",
        "false",
        |world, args| call(world, VocabularyWord::Precedes, args),
    ),
    det(
        "responds(+Needed, +Constraints) is semidet",
        "Holds if after each event that satisfies the constraints there is one that satisfies Needed; a variable in both is the same value.",
        "responds([port=[exit, fail, redo], call=C], [port=call, name=queen, call=C])",
        "true",
        |world, args| call(world, VocabularyWord::Responds, args),
    ),
    det(
        "responds(+Needed, +Constraints, +Scope) is semidet",
        "As responds/2, on every stretch of the scope: `globally`, `before(R)`, `after(Q)`, `between(Q, R)`, `after_until(Q, R)`.",
        "responds([port=[exit, fail], call=C], [port=call, call=C], after([name=queen, port=call]))",
        "true",
        |world, args| call(world, VocabularyWord::Responds, args),
    ),
    det(
        "responds(+Needed, +Constraints, +Scope, +Within) is semidet",
        "As responds/3, by an event that is `within(Attribute, Max)`, or `within(Attribute, Min..Max)`, of the one that it follows.",
        "responds([port=[exit, fail], call=C], [port=call, call=C], globally, within(chrono, 1..697))",
        "true",
        |world, args| call(world, VocabularyWord::Responds, args),
    ),
    det(
        "$violation(+Goal, +Names) is semidet",
        "Holds if a goal of the vocabulary does not, and notes why, with names (`Name=Variable`) for its variables.",
        "'$violation'(never([name=queen, call=C]), ['C'=C])",
        "true",
        violation,
    ),
    det(
        "$follow(+Goal, +Names) is det",
        "Notes a goal of the vocabulary that is to be followed while a trace grows, with names (`Name=Variable`).",
        "'$follow'(never([name=queen]), [])",
        "true",
        follow,
    ),
]);

/// Whether a predicate belongs to the vocabulary.
pub(crate) fn is_assertion(name: &str, arity: usize) -> bool {
    VocabularyWord::of(name).is_some_and(|word| word.has_arity(arity))
}

/// Whether a predicate of the vocabulary is about events that others need: those come first.
pub(crate) fn needs_events(name: &str, arity: usize) -> bool {
    VocabularyWord::of(name).is_some_and(|word| word.n_chains() == 2 && word.has_arity(arity))
}

/// Whether a goal of the vocabulary that is violated stays so on a longer trace; `bound` is the functor of its second argument.
pub(crate) fn stays_violated(name: &str, bound: Option<&str>) -> bool {
    match VocabularyWord::of(name) {
        Some(VocabularyWord::Never | VocabularyWord::Always | VocabularyWord::Precedes) => true,
        Some(VocabularyWord::Exists) => bound == Some("at_most"),
        Some(VocabularyWord::Responds) | None => false,
    }
}

/// Whether a goal or scope of the vocabulary is about the order of events.
pub(crate) fn is_of_order(name: &str) -> bool {
    name == "precedes" || SCOPES.iter().any(|(scope, n_lists)| *scope == name && *n_lists > 0)
}

/// Whether the values of an attribute depend on later events, so that a longer trace may have others.
pub(crate) fn is_of_later_events(attribute: &str) -> bool {
    matches!(
        attribute,
        "duration"
            | "self_time"
            | "duration_known"
            | "fate"
            | "blocked"
            | "served_at"
            | "answered_at"
            | "last_in_process"
            | "next_in_process"
    )
}

fn call(world: &mut World, word: VocabularyWord, args: &[Cell]) -> Result<bool, Stop> {
    evaluate(world, word, args, &[])
}

fn violation(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let Some((word, goal_args)) = vocabulary_goal(world, args[0]) else { return Ok(false) };
    let names = named_variables(world, args[1]);
    Ok(!evaluate(world, word, &goal_args, &names)?)
}

fn follow(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let question = world.store.compound(Atom::new("$violation"), args);
    let question = world.store.freeze(question);
    world.remarks.assertions.followed.push(question);
    Ok(true)
}
