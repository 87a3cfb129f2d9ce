//! The data of all events, from which the attribute `data` and the arguments are made when they are asked for.

use super::data;
use super::events::Other;
use super::fast::{Data, Plain};
use crate::trace::{EventId, Field, LazyLists, LazyValues, ListField};

/// The data of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told<'p> {
    Nothing,
    /// Bytes, which the argument shows.
    Bytes(&'p [u8]),
    /// Anything else, by its place.
    Odd(usize),
}

/// The data of all events so far.
#[derive(Debug, Default)]
pub struct Payload {
    /// Of each event [`NOTHING`], [`ODD`], or how many of `bytes` are its own.
    lengths: Vec<u16>,
    bytes: Vec<u8>,
    /// What is no bytes, or has an argument of its own.
    odd: Vec<Odd>,
}

#[derive(Debug)]
struct Odd {
    data: Other,
    argument: Box<str>,
}

const NOTHING: u16 = u16::MAX;
const ODD: u16 = u16::MAX - 1;

impl Payload {
    /// Adds an event without data.
    pub fn push_nothing(&mut self) {
        self.lengths.push(NOTHING);
    }

    /// Adds an event with bytes.
    pub fn push_bytes(&mut self, bytes: &[u8]) {
        match u16::try_from(bytes.len()).ok().filter(|length| *length < ODD) {
            Some(length) => {
                self.lengths.push(length);
                self.bytes.extend_from_slice(bytes);
            }
            None => {
                let (mut hex, mut argument) = (String::new(), String::new());
                data::write_hex(bytes, &mut hex);
                data::write_argument(bytes, &mut argument);
                self.push_odd(Other::Atom(hex), argument);
            }
        }
    }

    /// Adds an event with anything else.
    pub fn push_odd(&mut self, data: Other, argument: String) {
        self.lengths.push(ODD);
        self.odd.push(Odd { data, argument: argument.into() });
    }

    /// Adds the events of a stretch, whose data stand in `bytes` without a gap.
    pub fn append(&mut self, events: &[Plain], bytes: &[u8]) {
        self.lengths.extend(events.iter().map(|event| event.data.map_or(NOTHING, |data| data.length)));
        let place = |data: Data| (data.start as usize, data.start as usize + usize::from(data.length));
        let first = events.iter().find_map(|event| event.data).map(place);
        let last = events.iter().rev().find_map(|event| event.data).map(place);
        if let (Some((start, _)), Some((_, end))) = (first, last) {
            self.bytes.extend_from_slice(&bytes[start..end]);
        }
    }

    /// Whether any data are something else than integers.
    pub fn has_texts(&self) -> bool {
        self.lengths.iter().any(|length| *length < ODD) || self.odd.iter().any(|odd| !matches!(odd.data, Other::Int(_)))
    }

    /// Gives back memory that is not needed.
    pub fn shrink(&mut self) {
        self.lengths.shrink_to_fit();
        self.bytes.shrink_to_fit();
        self.odd.shrink_to_fit();
    }

    /// Bytes of memory that it takes.
    pub fn n_bytes(&self) -> usize {
        self.lengths.capacity() * 2 + self.bytes.capacity() + self.odd.capacity() * size_of::<Odd>()
    }

    /// The values of the attribute `data`.
    pub fn each_value(&self, column: &mut LazyValues) {
        let mut hex = String::new();
        for (event, told) in self.events() {
            match told {
                Told::Nothing => {}
                Told::Bytes(bytes) => {
                    hex.clear();
                    data::write_hex(bytes, &mut hex);
                    column.set(event, Field::Atom(&hex));
                }
                Told::Odd(place) => column.set(event, self.odd[place].data.as_field()),
            }
        }
    }

    /// The arguments.
    pub fn each_argument(&self, column: &mut LazyLists) {
        let mut text = String::new();
        for (event, told) in self.events() {
            text.clear();
            match told {
                Told::Nothing => {}
                Told::Bytes(bytes) => data::write_argument(bytes, &mut text),
                Told::Odd(place) => text.push_str(&self.odd[place].argument),
            }
            column.set(event, ListField::Text(&text));
        }
    }

    /// The values of the attribute `data` that are no bytes.
    pub fn integers(&self) -> impl Iterator<Item = (EventId, Field<'_>)> {
        self.events().filter_map(|(event, told)| match told {
            Told::Odd(place) => Some((event, self.odd[place].data.as_field())),
            Told::Nothing | Told::Bytes(_) => None,
        })
    }

    fn events(&self) -> impl Iterator<Item = (EventId, Told<'_>)> {
        let (mut start, mut n_odd) = (0, 0);
        (0..).zip(&self.lengths).map(move |(event, length)| {
            let told = match *length {
                NOTHING => Told::Nothing,
                ODD => {
                    n_odd += 1;
                    Told::Odd(n_odd - 1)
                }
                length => {
                    let from = start;
                    start += usize::from(length);
                    Told::Bytes(&self.bytes[from..start])
                }
            };
            (event, told)
        })
    }
}
