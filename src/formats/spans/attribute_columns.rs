//! Columns of attributes: each key is one, up to a limit, in the order of first appearance.

use super::bodies::Attributes;
use super::columns::ATTRIBUTES;
use super::key_lists::KeyLists;
use super::record_table::RecordShape;
use super::records::{HAS_EVENTS, HAS_LINKS, HAS_TOOL, SERVICE_NAME, SpanRecords};
use crate::term::hash::{HashMap, NumberMap};
use crate::trace::known_attribute;

/// Where an attribute is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyPlace {
    Resource,
    Scope,
    /// Among the arguments of a tool.
    Tool,
    /// At the span, event or link itself.
    Own,
}

impl KeyPlace {
    const COUNT: usize = 4;
}

/// A column.
#[derive(Clone, Debug)]
pub(super) struct AttributeColumn {
    pub(super) name: Box<str>,
    pub(super) has_values: bool,
    /// Whether all its values are integers that a column of integers can hold.
    pub(super) is_integer: bool,
}

/// The columns of the attributes of all records.
#[derive(Default)]
pub(super) struct AttributeColumns {
    pub(super) columns: Vec<AttributeColumn>,
    /// The columns of keys, for each place.
    of_keys: [NumberMap<u32, u32>; KeyPlace::COUNT],
    /// The numbers of all names, those of columns first.
    numbers: HashMap<Box<str>, u32>,
}

impl AttributeColumns {
    /// The greatest number of columns.
    pub(super) const MOST: usize = 1024;
    /// More columns than these are worth a note.
    pub(super) const MANY: usize = 256;

    /// The columns of records that are in the order of the file.
    pub(super) fn new(records: &SpanRecords) -> AttributeColumns {
        let mut survey = KeySurvey::new(records);
        records.records.numbers().for_each(|record| survey.record(record));
        survey.columns
    }

    /// The number of different names.
    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// The keys of a column at a place.
    pub(super) fn keys(&self, place: KeyPlace, column: u32) -> Vec<u32> {
        let of_keys = &self.of_keys[place as usize];
        let mut keys: Vec<u32> = of_keys.iter().filter(|(_, of)| **of == column).map(|(key, _)| *key).collect();
        keys.sort_unstable();
        keys
    }

    /// The number of the column of a key.
    fn column(&mut self, place: KeyPlace, key: u32, records: &SpanRecords) -> u32 {
        if let Some(column) = self.of_keys[place as usize].get(&key) {
            return *column;
        }
        let name = column_name(place, records.text_of(key));
        let next = self.numbers.len() as u32;
        let column = *self.numbers.entry(name.clone()).or_insert(next);
        if column == next && self.columns.len() < AttributeColumns::MOST {
            self.columns.push(AttributeColumn { name, has_values: false, is_integer: true });
        }
        self.of_keys[place as usize].insert(key, column);
        column
    }

    /// Notes that a column has a value with this first letter.
    #[inline]
    fn note(&mut self, column: u32, letter: u8) {
        if let Some(column) = self.columns.get_mut(column as usize).filter(|_| letter != 0) {
            column.has_values = true;
            column.is_integer &= letter == b'i';
        }
    }
}

fn column_name(place: KeyPlace, key: &str) -> Box<str> {
    let is_taken = || known_attribute(key).is_some() || ATTRIBUTES.iter().any(|attribute| attribute.name == key);
    let prefix = match place {
        KeyPlace::Resource => "resource.",
        KeyPlace::Scope => "scope.",
        KeyPlace::Tool => "arg.",
        KeyPlace::Own if is_taken() => "attr.",
        KeyPlace::Own => "",
    };
    format!("{prefix}{key}").into()
}

/// Goes through all attributes once.
struct KeySurvey<'r> {
    records: &'r SpanRecords,
    columns: AttributeColumns,
    /// The first letter of each stored value; 0 for none.
    letters: Vec<u8>,
    seen_contexts: Vec<bool>,
    /// The columns of each list of keys, at the span and among the arguments of a tool.
    of_lists: [Vec<Option<Box<[u32]>>>; 2],
}

impl<'r> KeySurvey<'r> {
    fn new(records: &'r SpanRecords) -> KeySurvey<'r> {
        let least = format!("i{}", i64::MIN);
        let letter = |stored: &str| match stored.as_bytes().first() {
            Some(b'i') if stored == least => b'n',
            first => first.copied().unwrap_or(0),
        };
        KeySurvey {
            records,
            columns: AttributeColumns::default(),
            letters: (0..records.texts.len()).map(|text| letter(records.texts.at(text))).collect(),
            seen_contexts: vec![false; records.contexts.len()],
            of_lists: [vec![None; records.lists.len()], vec![None; records.lists.len()]],
        }
    }

    fn record(&mut self, record: u32) {
        let records = self.records;
        let RecordShape { context, has, .. } = *records.records.shape(record);
        if !std::mem::replace(&mut self.seen_contexts[context as usize], true) {
            let context = &records.contexts[context as usize];
            let resource = context.resource.iter().filter(|(key, _)| *key != SERVICE_NAME);
            resource.for_each(|pair| self.pair(KeyPlace::Resource, *pair));
            context.of_scope.iter().for_each(|pair| self.pair(KeyPlace::Scope, *pair));
        }
        if has & (HAS_TOOL | HAS_EVENTS | HAS_LINKS) == 0 {
            return self.list(KeyPlace::Own, records.attributes(record));
        }
        let body = records.body_of(record);
        body.tool.into_iter().for_each(|tool| self.list(KeyPlace::Tool, tool));
        self.list(KeyPlace::Own, body.attributes);
        records.parts(&body).for_each(|(_, part)| self.list(KeyPlace::Own, part.attributes));
    }

    fn pair(&mut self, place: KeyPlace, (key, value): (u32, u32)) {
        let column = self.columns.column(place, key, self.records);
        self.columns.note(column, self.letters[value as usize]);
    }

    fn list(&mut self, place: KeyPlace, attributes: Attributes<'_>) {
        let list = attributes.keys as usize;
        let known = &mut self.of_lists[usize::from(place == KeyPlace::Tool)][list];
        if known.is_none() {
            let keys = self.records.lists.keys(attributes.keys);
            *known = Some(keys.iter().map(|key| self.columns.column(place, *key, self.records)).collect());
        }
        for (column, value) in known.iter().flatten().zip(attributes.values()) {
            self.columns.note(*column, self.letters[value as usize]);
        }
    }
}

/// Where keys stand in lists: key, list, and place in the list, sorted.
pub(super) struct KeyPositions(Vec<(u32, u32, u32)>);

impl KeyPositions {
    pub(super) fn new(lists: &KeyLists) -> KeyPositions {
        let of_list = |list: u32| (0..).zip(lists.keys(list)).map(move |(place, key)| (*key, list, place));
        let mut positions: Vec<(u32, u32, u32)> = (0..lists.len() as u32).flat_map(of_list).collect();
        positions.sort_unstable();
        KeyPositions(positions)
    }

    /// The lists that have some keys, with the first places of these keys.
    pub(super) fn of_keys(&self, keys: &[u32], n_lists: usize) -> ListPlaces {
        let mut places = ListPlaces { first: vec![0; n_lists], more: NumberMap::default() };
        let mut found: Vec<(u32, u32)> = Vec::new();
        for key in keys {
            let start = self.0.partition_point(|(other, ..)| other < key);
            let of_key = self.0[start..].iter().take_while(|(other, ..)| other == key);
            found.extend(of_key.map(|(_, list, place)| (*list, *place)));
        }
        found.sort_unstable();
        for (list, place) in found {
            match &mut places.first[list as usize] {
                0 => places.first[list as usize] = place + 1,
                _ => places.more.entry(list).or_default().push(place),
            }
        }
        places
    }
}

/// Where the keys of a column stand in each list.
pub(super) struct ListPlaces {
    /// The first place + 1, or 0.
    first: Vec<u32>,
    /// The other places.
    more: NumberMap<u32, Vec<u32>>,
}

impl ListPlaces {
    /// The first value of some attributes that is there; 0 if there is none.
    #[inline]
    pub(super) fn value(&self, attributes: Attributes<'_>) -> u32 {
        let Some(first) = self.first[attributes.keys as usize].checked_sub(1) else { return 0 };
        match attributes.value(first as usize) {
            0 => self.later_value(attributes),
            value => value,
        }
    }

    #[cold]
    fn later_value(&self, attributes: Attributes<'_>) -> u32 {
        let more = self.more.get(&attributes.keys).into_iter().flatten();
        more.map(|place| attributes.value(*place as usize)).find(|value| *value > 0).unwrap_or(0)
    }
}
