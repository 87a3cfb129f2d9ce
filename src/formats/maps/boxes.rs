//! Boxes: events with the same key, or inside spans of the same thread whose names are nested.

use crate::term::hash::HashMap;
use crate::trace::KeyId;

/// Which box an event belongs to, and what it does to it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KeyedEvent<'k> {
    pub(crate) role: BoxRole,
    pub(crate) key: Option<&'k str>,
    pub(crate) parent: Option<&'k str>,
    /// The thread, if boxes nest by names.
    pub(crate) thread: Option<&'k str>,
    /// The name of the innermost box around the event.
    pub(crate) around: Option<&'k str>,
    pub(crate) name: Option<&'k str>,
    /// Whether it opens a box if there is none with its key.
    pub(crate) may_open: bool,
    /// Its key, if it may open a box.
    pub(crate) opener: KeyId,
}

/// What an event does to its box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum BoxRole {
    Opens,
    Closes,
    #[default]
    Inside,
}

/// A box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlacedBox {
    pub(crate) call: i64,
    /// The key of the event that opened it.
    pub(crate) opener: KeyId,
    /// The number of boxes around it + 1.
    pub(crate) depth: i64,
    /// The call of the box around it, if the event is its first.
    pub(crate) new_in: Option<Option<i64>>,
}

/// The place of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EventPlace {
    /// The box; none for an event outside of all.
    pub(crate) found: Option<PlacedBox>,
    pub(crate) fault: Option<BoxFault>,
}

/// The rules about keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoxFault {
    /// J6: a box with the same key is open.
    OpenAlready,
    /// J7: no box with its key is open.
    NotOpen,
}

/// An open box.
#[derive(Clone, Debug)]
struct OpenBox {
    call: i64,
    opener: KeyId,
    depth: i64,
    thread: Option<Box<str>>,
}

/// A box on the stack of its thread.
#[derive(Clone, Debug)]
struct StackedBox {
    call: i64,
    opener: KeyId,
    depth: i64,
    name: Box<str>,
}

/// The open boxes of a trace.
#[derive(Debug, Default)]
pub(crate) struct KeyedBoxes {
    /// By key, the innermost last.
    open: HashMap<Box<str>, Vec<OpenBox>>,
    /// By thread, if boxes nest by names.
    stacks: HashMap<Box<str>, Vec<StackedBox>>,
    /// Whether boxes nest by names, so that several may have one key.
    nests: bool,
    n_calls: i64,
}

impl KeyedBoxes {
    /// No boxes; they nest by names, or only by keys.
    pub(crate) fn new(nests: bool) -> KeyedBoxes {
        KeyedBoxes { nests, ..KeyedBoxes::default() }
    }

    /// The place of the next event.
    pub(crate) fn place(&mut self, event: &KeyedEvent<'_>) -> EventPlace {
        let is_open = event.key.is_some_and(|key| self.open.contains_key(key));
        let mut place = EventPlace::default();
        match (event.role, event.key) {
            (BoxRole::Opens, Some(key)) => {
                place.fault = (is_open && !self.nests).then_some(BoxFault::OpenAlready);
                place.found = Some(self.begin(key, event));
            }
            (_, Some(key)) if is_open => place.found = self.innermost(key),
            (_, Some(key)) if event.may_open => place.found = Some(self.begin(key, event)),
            (BoxRole::Closes, _) => place.fault = Some(BoxFault::NotOpen),
            _ => place.found = self.around(event),
        }
        if let (BoxRole::Closes, Some(key), Some(_)) = (event.role, event.key, place.found) {
            self.close(key);
        }
        place
    }

    fn innermost(&self, key: &str) -> Option<PlacedBox> {
        let innermost = self.open.get(key)?.last()?;
        let OpenBox { call, opener, depth, .. } = *innermost;
        Some(PlacedBox { call, opener, depth, new_in: None })
    }

    /// The box of the thread with the name of the innermost box around the event.
    fn around(&self, event: &KeyedEvent<'_>) -> Option<PlacedBox> {
        let (stack, name) = (self.stacks.get(event.thread?)?, event.around?);
        let found = stack.iter().rev().find(|stacked| *stacked.name == *name)?;
        let StackedBox { call, opener, depth, .. } = *found;
        Some(PlacedBox { call, opener, depth, new_in: None })
    }

    fn begin(&mut self, key: &str, event: &KeyedEvent<'_>) -> PlacedBox {
        let parent = match event.parent {
            Some(parent) => self.innermost(parent),
            None => self.around(event),
        };
        self.n_calls += 1;
        let (call, depth) = (self.n_calls, parent.map_or(0, |parent| parent.depth) + 1);
        let thread = event.thread.filter(|_| self.nests);
        let opener = event.opener;
        let opened = OpenBox { call, opener, depth, thread: thread.map(Box::from) };
        match self.open.get_mut(key) {
            Some(boxes) => boxes.push(opened),
            None => {
                self.open.insert(key.into(), vec![opened]);
            }
        }
        if let Some(thread) = thread {
            let stacked = StackedBox { call, opener, depth, name: event.name.unwrap_or_default().into() };
            self.stacks.entry(thread.into()).or_default().push(stacked);
        }
        PlacedBox { call, opener, depth, new_in: Some(parent.map(|parent| parent.call)) }
    }

    /// Closes the innermost box of a key.
    fn close(&mut self, key: &str) {
        let Some(boxes) = self.open.get_mut(key) else { return };
        let Some(closed) = boxes.pop() else { return };
        if boxes.is_empty() {
            self.open.remove(key);
        }
        let Some(stack) = closed.thread.and_then(|thread| self.stacks.get_mut(&*thread)) else { return };
        if let Some(place) = stack.iter().rposition(|stacked| stacked.call == closed.call) {
            stack.remove(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opens<'k>(key: &'k str, parent: Option<&'k str>) -> KeyedEvent<'k> {
        KeyedEvent { role: BoxRole::Opens, key: Some(key), parent, ..KeyedEvent::default() }
    }

    fn closes(key: &str) -> KeyedEvent<'_> {
        KeyedEvent { role: BoxRole::Closes, key: Some(key), ..KeyedEvent::default() }
    }

    #[test]
    fn boxes_overlap_and_lie_in_the_box_of_their_parent() {
        let mut boxes = KeyedBoxes::default();
        let place = |boxes: &mut KeyedBoxes, event| boxes.place(&event).found.map(|found| (found.call, found.depth));
        assert_eq!(place(&mut boxes, opens("a", None)), Some((1, 1)));
        assert_eq!(place(&mut boxes, opens("b", Some("a"))), Some((2, 2)));
        assert_eq!(place(&mut boxes, closes("a")), Some((1, 1)));
        assert_eq!(place(&mut boxes, KeyedEvent { key: Some("b"), ..KeyedEvent::default() }), Some((2, 2)));
        assert_eq!(place(&mut boxes, opens("c", Some("a"))), Some((3, 1)));
        assert_eq!(place(&mut boxes, closes("b")), Some((2, 2)));
    }

    #[test]
    fn keys_that_are_open_or_not_open_are_faults() {
        let mut boxes = KeyedBoxes::default();
        assert_eq!(boxes.place(&closes("a")), EventPlace { found: None, fault: Some(BoxFault::NotOpen) });
        assert_eq!(boxes.place(&opens("a", None)).fault, None);
        assert_eq!(boxes.place(&opens("a", None)).fault, Some(BoxFault::OpenAlready));
        assert_eq!(boxes.place(&closes("a")).found.map(|found| found.call), Some(2));
        assert_eq!(boxes.place(&closes("a")).found.map(|found| found.call), Some(1));
    }
}
