//! What is known of a predicate without calling it: its effect, and which of its arguments are goals. The sources are
//! the records of predicates in Rust, the comments of the library and the machine's control; no other code lists
//! predicates.

use crate::engine::{Control, Effect};
use crate::term::Atom;

use super::abbreviations::ABBREVIATIONS;
use super::library;
use super::modes::{arguments, name_and_arity};

/// What is known of a predicate.
#[derive(Clone, Debug)]
pub(crate) struct KnownPredicate {
    /// What it does besides binding its arguments.
    pub(crate) effect: Effect,
    /// The kind of each argument.
    pub(crate) arguments: Vec<Argument>,
}

/// The kind of an argument of a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Argument {
    /// A goal that gets this number of further arguments.
    Goal(u8),
    /// A goal that may have `Variables^` before it.
    Quantified,
    /// A goal that is called in a special way.
    TakenApart,
    /// Any other term, with its mode.
    Term(char),
}

impl KnownPredicate {
    /// The predicate of this name that comes with papaver.
    pub(crate) fn of(name: Atom, arity: usize) -> Option<KnownPredicate> {
        KnownPredicate::of_control(name, arity).or_else(|| {
            let (effect, modes, calls) = found(name.as_str(), arity)?;
            let arguments = arguments(&modes[name.as_str().len()..]).map(|argument| Argument::of(argument, calls));
            Some(KnownPredicate { effect, arguments: arguments.collect() })
        })
    }

    fn of_control(name: Atom, arity: usize) -> Option<KnownPredicate> {
        let control = Control::find(name, arity)?;
        let argument = |index: usize| match control {
            Control::Body(_) => Argument::Goal(0),
            Control::Call(n) if index == 0 => Argument::Goal(n as u8 - 1),
            _ => Argument::Term('?'),
        };
        Some(KnownPredicate { effect: control.effect(), arguments: (0..arity).map(argument).collect() })
    }

    /// The indexes of the arguments that it calls as they are, after removing `^`.
    pub(crate) fn goals(&self) -> impl Iterator<Item = usize> {
        let is_goal = |argument: &Argument| matches!(argument, Argument::Goal(0) | Argument::Quantified);
        self.arguments.iter().enumerate().filter(move |(_, argument)| is_goal(argument)).map(|(index, _)| index)
    }

    /// Whether it also calls goals that [`KnownPredicate::goals`] does not give.
    pub(crate) fn calls_otherwise(&self) -> bool {
        self.arguments.iter().any(|argument| matches!(argument, Argument::Goal(1..) | Argument::TakenApart))
    }

    /// Whether an argument is a goal.
    pub(crate) fn has_goals(&self) -> bool {
        self.arguments.iter().any(|argument| !matches!(argument, Argument::Term(_)))
    }
}

impl Argument {
    fn of(argument: &str, calls: Option<&str>) -> Argument {
        match (argument.chars().next(), calls) {
            (Some(':'), None) => Argument::Goal(0),
            (Some(':'), Some("^")) => Argument::Quantified,
            (Some(':'), Some(calls)) => calls.parse().map_or(Argument::TakenApart, Argument::Goal),
            (Some(mode), _) if !mode.is_alphabetic() => Argument::Term(mode),
            _ => Argument::Term('?'),
        }
    }
}

/// What a predicate does besides binding its arguments.
pub(crate) fn effect(name: Atom, arity: usize) -> Effect {
    KnownPredicate::of(name, arity).map_or(Effect::Any, |known| known.effect)
}

/// Effect, head with modes, and how goals are called, of a predicate in Rust or in the library.
fn found(name: &str, arity: usize) -> Option<(Effect, &'static str, Option<&'static str>)> {
    found_as(name).find(|(_, modes, _)| name_and_arity(modes).1 == arity)
}

/// The same for all predicates called `name`.
fn found_as(name: &str) -> impl Iterator<Item = (Effect, &'static str, Option<&'static str>)> {
    let records = crate::builtins::tables().filter(move |record| record.name == name);
    let in_rust = records.map(|record| (record.effect, record.modes, None));
    in_rust.chain(library::heads(name).map(|(modes, tags)| (tags.effect(), modes, tags.calls())))
}

/// Whether the argument at `index` of a predicate with the name or abbreviation `name` takes constraints or an
/// attribute.
pub(crate) fn takes_attributes(name: &str, index: usize) -> bool {
    let name = ABBREVIATIONS.iter().find(|row| row.short == name).map_or(name, |row| row.name);
    let argument = |modes: &'static str| arguments(&modes[name.len()..]).nth(index);
    let is_attribute = |argument: &str| argument.ends_with("Constraints") || argument.ends_with("Attribute");
    found_as(name).any(|(_, modes, _)| argument(modes).is_some_and(is_attribute))
}

/// The indexes of the arguments of a predicate that are constraints.
pub(crate) fn constraint_arguments(name: &str, arity: usize) -> Vec<usize> {
    let Some((_, modes, _)) = found(name, arity) else { return Vec::new() };
    let all = arguments(&modes[name.len()..]).enumerate();
    all.filter(|(_, argument)| argument.ends_with("Constraints")).map(|(index, _)| index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtins::catalogue::doc::docs;
    use crate::engine::{Arrival, Destination, Often, SearchCourse, SearchKind};

    fn known(name: &str, arity: usize) -> KnownPredicate {
        KnownPredicate::of(Atom::new(name), arity).unwrap_or_else(|| panic!("{name}/{arity} comes with papaver"))
    }

    #[test]
    fn records_and_comments_and_control_say_what_a_predicate_does() {
        let effect = |name, arity| known(name, arity).effect;
        assert_eq!([effect("atom_length", 2), effect("member", 2), effect("call", 3)], [Effect::Pure; 3]);
        assert_eq!([effect("write", 1), effect("format", 2)], [Effect::Writes; 2]);
        assert_eq!([effect("not", 1), effect("\\+", 1)], [Effect::Negates; 2]);
        assert_eq!(effect("assertz", 1), Effect::Any);
        assert_eq!(effect("last_np", 0), Effect::Moves(Destination::Last, Arrival::Silent));
        let kind = SearchKind { direction: SearchCourse::Backward, often: Often::Once, arrival: Arrival::Silent };
        assert_eq!(effect("det_bget_np", 1), Effect::Searches(kind));
        assert!(KnownPredicate::of(Atom::new("no_such_predicate"), 1).is_none());
    }

    #[test]
    fn arguments_are_goals_as_modes_and_tags_say() {
        let goals = |name, arity| known(name, arity).goals().collect::<Vec<_>>();
        assert_eq!((goals("catch", 3), goals("findall", 3), goals(";", 2)), (vec![0, 2], vec![1], vec![0, 1]));
        assert_eq!(known("bagof", 3).arguments[1], Argument::Quantified);
        assert_eq!(known("call", 3).arguments, [Argument::Goal(2), Argument::Term('?'), Argument::Term('?')]);
        assert!(known("maplist", 3).calls_otherwise() && !known("atom", 1).has_goals());
    }

    #[test]
    fn every_comment_of_the_library_is_found() {
        let lost = docs().filter(|doc| KnownPredicate::of(Atom::new(doc.name()), doc.arity()).is_none());
        assert_eq!(lost.map(|doc| doc.modes).collect::<Vec<_>>(), Vec::<&str>::new());
    }

    #[test]
    fn every_tag_says_something() {
        let heads = docs().flat_map(|doc| library::heads(doc.name()));
        let wrong = heads.filter(|(_, tags)| !tags.are_known()).map(|(modes, _)| modes);
        assert_eq!(wrong.collect::<Vec<_>>(), Vec::<&str>::new());
    }

    #[test]
    fn constraints_and_attributes_are_found_by_their_place() {
        assert!(takes_attributes("fg", 0) && takes_attributes("responds", 1) && takes_attributes("attribute", 1));
        assert!(!takes_attributes("foldt", 1) && !takes_attributes("member", 0));
    }
}
