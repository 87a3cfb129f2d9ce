//! What many events share - names, windows, filters - is told to the trace once, and named by its number then.

use smallvec::SmallVec;

use super::Reader;
use super::event_types::Class;
use super::events::list;
use super::line::Truncation;
use crate::trace::{Field, KeyId, PathId, ProcRow, ValueId};

/// What many events share, as it was told before.
#[derive(Default)]
pub struct Told {
    /// By [`Status`](super::fast::Status).
    pub truncations: [Option<ValueId>; 3],
    running: [Option<ValueId>; 2],
    filter: Option<(Vec<i64>, ValueId)>,
    place: Option<Place>,
}

/// The windows that are open for an event.
#[derive(Clone, Copy)]
pub struct Place {
    /// By the changes of the windows so far, and by how many of them are open for the event.
    state: (u64, usize),
    pub goal_path: PathId,
    pub window: Option<ValueId>,
    /// Number of the innermost.
    pub call: Option<i64>,
}

impl Reader<'_> {
    #[inline]
    pub(super) fn key(&mut self, index: usize, arity: usize) -> KeyId {
        let found = self.types.type_mut(index);
        *found.told.keys[arity].get_or_insert_with(|| {
            let proc = ProcRow { name: Some(&found.name), arity: Some(arity as i64), ..ProcRow::default() };
            self.builder.key(&proc, Some(found.port), None)
        })
    }

    pub(super) fn place(&mut self, depth: usize) -> Place {
        let state = (self.windows.n_changes(), depth);
        if let Some(place) = self.told.place.filter(|place| place.state == state) {
            return place;
        }
        let windows = &self.windows.open()[..depth];
        let names: SmallVec<[&str; 4]> = windows.iter().map(|open| &*open.name).collect();
        let window = names.last().map(|name| self.builder.value(self.ids.window, Field::Atom(name)));
        let call = windows.last().map(|open| open.call);
        let place = Place { state, goal_path: self.builder.path(&names), window, call };
        self.told.place = Some(place);
        place
    }

    pub(super) fn running(&mut self) -> Option<ValueId> {
        let is_running = self.windows.is_running()?;
        let value = Field::Bool(is_running);
        let told = &mut self.told.running[usize::from(is_running)];
        Some(*told.get_or_insert_with(|| self.builder.value(self.ids.running, value)))
    }

    pub(super) fn filter(&mut self) -> ValueId {
        let filter = self.windows.filter();
        match &self.told.filter {
            Some((told, value)) if told == filter => *value,
            _ => {
                let value = self.builder.value(self.ids.filter, Field::Json(&list(filter)));
                self.told.filter = Some((filter.to_vec(), value));
                value
            }
        }
    }

    pub(super) fn truncation(&mut self, truncation: Truncation<'_>) -> Option<ValueId> {
        let value = Field::Atom(truncation.word()?);
        let place = match truncation {
            Truncation::None => 0,
            Truncation::Record => 1,
            Truncation::Read => 2,
            Truncation::Absent | Truncation::Unknown(_) => return Some(self.builder.value(self.ids.trunc, value)),
        };
        let told = &mut self.told.truncations[place];
        Some(*told.get_or_insert_with(|| self.builder.value(self.ids.trunc, value)))
    }

    #[inline]
    pub(super) fn class(&mut self, index: usize) -> Option<ValueId> {
        let found = self.types.type_mut(index);
        let class = found.class?;
        Some(*found.told.class.get_or_insert_with(|| {
            let value = Field::Atom(if class == Class::User { "user" } else { "system" });
            self.builder.value(self.ids.class, value)
        }))
    }

    /// Events of a type mostly come from one place of the program.
    pub(super) fn addr(&mut self, index: usize, addr: &str) -> ValueId {
        let told = &mut self.types.type_mut(index).told.addr;
        match told {
            Some((known, value)) if known == addr => *value,
            _ => {
                let value = self.builder.value(self.ids.addr, Field::Atom(addr));
                *told = Some((addr.to_owned(), value));
                value
            }
        }
    }
}
