//! What many events share - names, windows, filters - is told to the trace once, and named by its number then.

use smallvec::SmallVec;

use super::Reader;
use super::event::list;
use super::line::{Record, Truncation};
use super::types::Class;
use crate::trace::{ArgsId, AttributeId, Field, KeyId, PathId, ProcRow, TraceBuilder};

/// What many events share, as it was told before.
#[derive(Default)]
pub struct Told {
    truncations: [Option<Field<'static>>; 3],
    running: [Option<Field<'static>>; 2],
    filter: Option<(Vec<i64>, Field<'static>)>,
    place: Option<Place>,
    /// The arguments for data in hexadecimal, by the numbers of these; none where more than the data tells them.
    arguments: Vec<Option<ArgsId>>,
}

/// The windows that are open for an event.
#[derive(Clone, Copy)]
pub struct Place {
    /// By the changes of the windows so far, and by how many of them are open for the event.
    state: (u64, usize),
    pub goal_path: PathId,
    pub window: Option<Field<'static>>,
    /// Number of the innermost.
    pub call: Option<i64>,
}

impl Reader<'_> {
    /// Data in hexadecimal, and the argument that they are; many events have the same.
    pub(super) fn hex(&mut self, record: &Record<'_>, hex: &str, line: u64) -> (Field<'static>, ArgsId) {
        let value = self.builder.value(self.ids.data, Field::Atom(hex));
        let has_text = record.others.iter().any(|(key, _)| *key == "text");
        let known = self.told.arguments.get(value.index()).copied().flatten().filter(|_| !has_text);
        let argument = known.unwrap_or_else(|| {
            let mut text = std::mem::take(&mut self.scratch);
            text.clear();
            let is_valid = self.write_bytes(record, hex, line, &mut text);
            let argument = self.builder.args(&text);
            self.scratch = text;
            if is_valid && !has_text {
                let n_values = self.told.arguments.len().max(value.index() + 1);
                self.told.arguments.resize(n_values, None);
                self.told.arguments[value.index()] = Some(argument);
            }
            argument
        });
        (Field::Known(value), argument)
    }

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
        let window = names.last().map(|name| tell(self.builder, self.ids.window, Field::Atom(name)));
        let call = windows.last().map(|open| open.call);
        let place = Place { state, goal_path: self.builder.path(&names), window, call };
        self.told.place = Some(place);
        place
    }

    pub(super) fn running(&mut self) -> Option<Field<'static>> {
        let is_running = self.windows.is_running()?;
        let value = Field::Atom(if is_running { "true" } else { "false" });
        let told = &mut self.told.running[usize::from(is_running)];
        Some(*told.get_or_insert_with(|| tell(self.builder, self.ids.running, value)))
    }

    pub(super) fn filter(&mut self) -> Field<'static> {
        let filter = self.windows.filter();
        match &self.told.filter {
            Some((told, value)) if told == filter => *value,
            _ => {
                let value = tell(self.builder, self.ids.filter, Field::Json(&list(filter)));
                self.told.filter = Some((filter.to_vec(), value));
                value
            }
        }
    }

    pub(super) fn truncation<'e>(&mut self, truncation: Truncation<'e>) -> Option<Field<'e>> {
        let value = Field::Atom(truncation.word()?);
        let place = match truncation {
            Truncation::None => 0,
            Truncation::Record => 1,
            Truncation::Read => 2,
            Truncation::Absent | Truncation::Unknown(_) => return Some(value),
        };
        let told = &mut self.told.truncations[place];
        Some(*told.get_or_insert_with(|| tell(self.builder, self.ids.trunc, value)))
    }

    pub(super) fn class(&mut self, index: usize) -> Option<Field<'static>> {
        let found = self.types.type_mut(index);
        let value = Field::Atom(if found.class? == Class::User { "user" } else { "system" });
        Some(*found.told.class.get_or_insert_with(|| tell(self.builder, self.ids.class, value)))
    }

    /// Events of a type mostly come from one place of the program.
    pub(super) fn addr(&mut self, index: usize, addr: &str) -> Field<'static> {
        let told = &mut self.types.type_mut(index).told.addr;
        match told {
            Some((known, value)) if known == addr => *value,
            _ => {
                let value = tell(self.builder, self.ids.addr, Field::Atom(addr));
                *told = Some((addr.to_owned(), value));
                value
            }
        }
    }
}

fn tell(builder: &mut TraceBuilder, id: AttributeId, value: Field<'_>) -> Field<'static> {
    Field::Known(builder.value(id, value))
}
