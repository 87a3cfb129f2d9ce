//! What a predicate does besides binding its arguments: part of its record, read by the compiler, the search for the
//! events that a goal needs, the explanation of violations and completion.

use super::instr::Comparison;

/// What a predicate does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Anything: it may ask the trace, change the session, or call goals that are not among its arguments.
    #[default]
    Any,
    /// Nothing, apart from asking the trace and calling the goals among its arguments.
    Asks,
    /// As [`Effect::Asks`], about the file, its recording or the current event alone: events that the trace lacks change
    /// nothing.
    Tells,
    /// Nothing, apart from calling the goals among its arguments.
    Pure,
    /// As [`Effect::Pure`]: it holds if its goal has no answer.
    Negates,
    /// As [`Effect::Pure`]: it gives a summary of the answers of its goals.
    Summarizes(Summary),
    /// As [`Effect::Pure`]: it calls no goals, and columns can hold what it computes.
    Computes(Computation),
    /// As [`Effect::Pure`]: it passes on as many answers of its goal as its first argument says, at most.
    Limits,
    /// Writes to the current output and succeeds once.
    Writes,
    /// Finds the events that satisfy its only argument, one after the other.
    Searches(SearchKind),
    /// Moves the cursor.
    Moves(Destination, Arrival),
    /// Reports facts about the whole trace by their names.
    Describes,
    /// Relates the number in its first argument, that of a call, to the one in its second.
    RelatesCall(CallRelation),
    /// Collects or watches what goals did that were called before it.
    Watches,
    /// Declares something, also where it is a fact of a script.
    Declares,
}

impl Effect {
    /// The effects that a library comment can name after `%@`.
    const TAGS: [(&'static str, Effect); 10] = [
        ("pure", Effect::Pure),
        ("negates", Effect::Negates),
        ("total", Effect::Summarizes(Summary::Total)),
        ("counts", Effect::Summarizes(Summary::Counts)),
        ("sums", Effect::Summarizes(Summary::Sums)),
        ("list", Effect::Summarizes(Summary::List)),
        ("for all", Effect::Summarizes(Summary::ForAll)),
        ("limits", Effect::Limits),
        ("writes", Effect::Writes),
        ("declares", Effect::Declares),
    ];

    /// The effect that a tag of a library comment names.
    pub(crate) fn of_tag(tag: &str) -> Option<Effect> {
        Effect::TAGS.iter().find(|(name, _)| *name == tag).map(|(_, effect)| *effect)
    }

    /// Whether the predicate does nothing but call the goals among its arguments.
    pub(crate) fn is_pure(self) -> bool {
        use Effect::{Computes, Limits, Negates, Pure, Summarizes};
        matches!(self, Pure | Negates | Limits | Summarizes(_) | Computes(_))
    }

    /// Whether the predicate changes nothing that a goal on the next trace could see, unless the goals among its arguments
    /// do.
    pub(crate) fn only_asks(self) -> bool {
        use Effect::{Describes, Moves, Tells, Writes};
        self.is_pure() || self.needs_events() || matches!(self, Describes | Moves(..) | Tells | Writes)
    }

    /// Whether other events in the trace could change what the predicate finds.
    pub(crate) fn needs_events(self) -> bool {
        match self {
            Effect::Asks | Effect::RelatesCall(_) | Effect::Searches(_) => true,
            Effect::Moves(to, _) => to != Destination::Chrono,
            _ => false,
        }
    }
}

/// What a predicate finds out from the answers of its goals; the arguments begin as given here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Summary {
    /// `(What, Goal)`: counts, sums and extremes of all answers.
    Total,
    /// `(Key, Goal)`: how many answers there are for each key.
    Counts,
    /// `(Key, Value, Goal)`: what the values add up to for each key.
    Sums,
    /// `(Template, Goal)`: the answers in their order.
    List,
    /// `(Condition, Action)`: whether the second goal has an answer for every answer of the first.
    ForAll,
}

/// What a predicate computes from its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Computation {
    /// The integers from the first argument to the second.
    Range,
    /// The value of the expression in the second argument.
    Value,
    /// Whether the values of two expressions compare so.
    Comparison(Comparison),
    /// Whether the argument is a list.
    IsList,
    /// Whether the first argument is an element of the second.
    HasElement,
}

/// What a number is to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallRelation {
    /// The number of its first event.
    Start,
    /// The number of its last event.
    End,
    /// The number of the call in which it was made.
    Parent,
}

/// How a predicate searches the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SearchKind {
    /// Where the search goes.
    pub(crate) direction: SearchCourse,
    /// How many answers it gives.
    pub(crate) often: Often,
    /// What happens at an event that it finds.
    pub(crate) arrival: Arrival,
}

/// Where a search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchCourse {
    /// Over the whole trace.
    Relation,
    /// From the cursor to the end.
    Forward,
    /// From the cursor to the start.
    Backward,
}

/// How many answers a search gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Often {
    /// Every event that there is.
    All,
    /// The first one.
    Once,
}

/// What happens when an event is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// Nothing: the cursor stays where it is.
    Nowhere,
    /// The cursor moves there.
    Silent,
    /// The cursor moves there, and the event is printed.
    Shown,
}

/// Where a move other than a search leads, as far as this is known without the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    /// To the last event.
    Last,
    /// To the event whose number is the argument.
    Chrono,
    /// Somewhere relative to the cursor, or to the start.
    Elsewhere,
}
