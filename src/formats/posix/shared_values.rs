//! Values that many events share - names, windows, filters: the trace numbers each once, and events refer to the number.

use smallvec::SmallVec;

use super::event_types::TypeClass;
use super::events::{PosixReader, list};
use super::line::Truncation;
use crate::trace::{Field, KeyId, PathId, ProcRow, ValueId};

/// The numbers of shared values.
#[derive(Default)]
pub(crate) struct SharedValues {
    /// None, record, read.
    truncations: [Option<ValueId>; 3],
    running: [Option<ValueId>; 2],
    filter: Option<(Vec<i64>, ValueId)>,
    place: Option<EventWindows>,
}

/// The windows that are open for an event.
#[derive(Clone, Copy)]
pub(crate) struct EventWindows {
    /// The number of changes of the windows so far, and how many are open for the event.
    state: (u64, usize),
    pub(crate) goal_path: PathId,
    pub(crate) window: Option<ValueId>,
    /// The number of the innermost window.
    pub(crate) call: Option<i64>,
}

impl PosixReader<'_> {
    #[inline]
    pub(crate) fn key(&mut self, index: usize, arity: usize) -> KeyId {
        let found = self.types.type_mut(index);
        *found.shared.keys[arity].get_or_insert_with(|| {
            let proc = ProcRow { name: Some(&found.name), arity: Some(arity as i64), ..ProcRow::default() };
            self.builder.key(&proc, Some(found.port), None)
        })
    }

    pub(crate) fn place(&mut self, depth: usize) -> EventWindows {
        let state = (self.windows.n_changes(), depth);
        if let Some(place) = self.shared.place.filter(|place| place.state == state) {
            return place;
        }
        let windows = &self.windows.open()[..depth];
        let names: SmallVec<[&str; 4]> = windows.iter().map(|open| &*open.name).collect();
        let window = names.last().map(|name| self.builder.value(self.ids.window, Field::Atom(name)));
        let call = windows.last().map(|open| open.call);
        let place = EventWindows { state, goal_path: self.builder.path(&names), window, call };
        self.shared.place = Some(place);
        place
    }

    pub(crate) fn running(&mut self) -> Option<ValueId> {
        let is_running = self.windows.is_running()?;
        let value = Field::Bool(is_running);
        let known = &mut self.shared.running[usize::from(is_running)];
        Some(*known.get_or_insert_with(|| self.builder.value(self.ids.running, value)))
    }

    pub(crate) fn filter(&mut self) -> ValueId {
        let filter = self.windows.filter();
        match &self.shared.filter {
            Some((known, value)) if known == filter => *value,
            _ => {
                let value = self.builder.value(self.ids.filter, Field::Json(&list(filter)));
                self.shared.filter = Some((filter.to_vec(), value));
                value
            }
        }
    }

    #[inline]
    pub(crate) fn truncation(&mut self, truncation: Truncation<'_>) -> Option<ValueId> {
        let value = Field::Atom(truncation.word()?);
        let place = match truncation {
            Truncation::None => 0,
            Truncation::Record => 1,
            Truncation::Read => 2,
            Truncation::Absent | Truncation::Unknown(_) => return Some(self.builder.value(self.ids.trunc, value)),
        };
        let known = &mut self.shared.truncations[place];
        Some(*known.get_or_insert_with(|| self.builder.value(self.ids.trunc, value)))
    }

    #[inline]
    pub(crate) fn class(&mut self, index: usize) -> Option<ValueId> {
        let found = self.types.type_mut(index);
        let class = found.class?;
        Some(*found.shared.class.get_or_insert_with(|| {
            let value = Field::Atom(if class == TypeClass::User { "user" } else { "system" });
            self.builder.value(self.ids.class, value)
        }))
    }

    /// Events of a type mostly come from one place of the program.
    pub(crate) fn addr(&mut self, index: usize, addr: &str) -> ValueId {
        let known = &mut self.types.type_mut(index).shared.addr;
        match known {
            Some((last, value)) if last == addr => *value,
            _ => {
                let value = self.builder.value(self.ids.addr, Field::Atom(addr));
                *known = Some((addr.to_owned(), value));
                value
            }
        }
    }
}
