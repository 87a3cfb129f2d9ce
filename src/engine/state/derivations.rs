//! Derived traces: their rules, and those that are being made from the solutions of a goal.

use crate::formats::derived::DerivedEvents;
use crate::term::Atom;
use crate::term::hash::HashMap;

/// How a trace is derived from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DerivedRule {
    /// The predicate without arguments whose solutions are the events.
    pub(crate) predicate: Atom,
    /// The derived trace from which it is derived; none if that is the trace of the file.
    pub(crate) source: Option<Atom>,
    /// The script that declares it.
    pub(crate) script: Option<u32>,
    /// The attributes that declarations name.
    pub(crate) attributes: Vec<Atom>,
}

/// The rules of the session, and the traces in the making.
#[derive(Debug, Default)]
pub(super) struct Derivations {
    rules: HashMap<Atom, DerivedRule>,
    /// Innermost last.
    making: Vec<DerivedInMaking>,
}

/// A derived trace that is being made.
#[derive(Debug)]
struct DerivedInMaking {
    /// Its index among the traces.
    at: usize,
    events: DerivedEvents,
}

impl Derivations {
    /// The rule of a name.
    pub(super) fn rule(&self, name: Atom) -> Option<&DerivedRule> {
        self.rules.get(&name)
    }

    /// The names that have rules, in alphabetical order.
    pub(super) fn names(&self) -> Vec<Atom> {
        let mut names: Vec<Atom> = self.rules.keys().copied().collect();
        names.sort_by_key(|name| name.as_str());
        names
    }

    /// Adds a rule, or replaces that of the same name.
    pub(super) fn add(&mut self, name: Atom, rule: DerivedRule) {
        self.rules.insert(name, rule);
    }

    /// Begins to make a trace; the indexes of those whose making waits for it if that includes itself.
    pub(super) fn begin(&mut self, at: usize, name: Atom) -> Result<(), Vec<usize>> {
        match self.making.iter().position(|making| making.at == at) {
            Some(first) => Err(self.making[first..].iter().map(|making| making.at).collect()),
            None => {
                let attributes = self.rules.get(&name).map_or(&[][..], |rule| &rule.attributes);
                self.making.push(DerivedInMaking { at, events: DerivedEvents::of(attributes) });
                Ok(())
            }
        }
    }

    /// Whether a trace is in the making.
    pub(super) fn is_making(&self) -> bool {
        !self.making.is_empty()
    }

    /// The events of the innermost trace in the making.
    pub(super) fn events(&mut self) -> Option<&mut DerivedEvents> {
        self.making.last_mut().map(|making| &mut making.events)
    }

    /// Ends the making of the innermost trace, and returns its index and its events.
    pub(super) fn end(&mut self) -> Option<(usize, DerivedEvents)> {
        self.making.pop().map(|making| (making.at, making.events))
    }

    /// Gives up the making of a trace, and of all whose making it has waited for.
    pub(super) fn abandon(&mut self, at: usize) {
        let first = self.making.iter().position(|making| making.at == at);
        self.making.truncate(first.unwrap_or(self.making.len()));
    }

    /// Gives up the making of all traces.
    pub(super) fn abandon_all(&mut self) {
        self.making.clear();
    }

    /// Memory of the traces in the making.
    pub(super) fn bytes(&self) -> usize {
        self.making.iter().map(|making| making.events.bytes()).sum()
    }
}
