//! The states in a part of a file, parsed without those before: a row of each state, each distinct value of a key once.

use super::line::{BrokenRule, Expression, ExpressionKind, entry, expression, picks, plain_integer};
use crate::formats::json::scanner::{JsonError, JsonKind, JsonScanner};
use crate::formats::json::value::unquoted;
use crate::term::hash::HashMap;
use crate::trace::{DictionaryBuilder, EventTable, Field, SourcePlace, ValueId};

/// The key that is no variable; its column has the names of actions.
pub(super) const META: &str = "#meta";
/// The key of the choices that were made, whose column has them as JSON.
pub(super) const PICKS: &str = "mbt::nondetPicks";

/// States, in the order of the file.
#[derive(Default)]
pub(super) struct PartStates {
    pub(super) states: Vec<PartState>,
    /// The values of the states that are objects, by the number of their keys.
    pub(super) table: EventTable,
    pub(super) keys: Vec<PartKey>,
    key_ids: HashMap<String, usize>,
    /// Rules that values break, by the index of the state.
    pub(super) broken: Vec<(usize, BrokenRule)>,
    /// Values of keys that are written otherwise than equal ones, with the text that is the same for these.
    pub(super) sorted: Vec<(usize, Expression)>,
    /// The keys of the state before, which the next one is likely to have too.
    likely: Vec<usize>,
    order: Vec<usize>,
    /// The values of the state that is read.
    row: Vec<(usize, Option<Cell>)>,
    n_read: usize,
}

/// A state.
pub(super) struct PartState {
    pub(super) place: SourcePlace,
    pub(super) is_object: bool,
    pub(super) index: WrittenIndex,
}

/// The index that a state states.
#[derive(Default)]
pub(super) enum WrittenIndex {
    #[default]
    None,
    Number(usize),
    Other(Box<str>),
}

/// A value of a key.
#[derive(Clone, Copy)]
enum Cell {
    Int(i64),
    Known(ValueId),
}

/// A key with its distinct values.
pub(super) struct PartKey {
    pub(super) name: String,
    /// As most writers write it: quotes and colon.
    written: Vec<u8>,
    texts: DictionaryBuilder,
    values: Vec<(Option<Cell>, Box<[BrokenRule]>)>,
    /// The last reading of a state that found it, and the place of its value in the row.
    last: Option<(usize, usize)>,
}

impl PartStates {
    /// Adds the state with this text.
    pub(super) fn add(&mut self, text: &str, place: SourcePlace) -> Result<(), JsonError> {
        let n_broken = self.broken.len();
        self.n_read += 1;
        self.order.clear();
        self.row.clear();
        let state = self.read(text, place).inspect_err(|_| self.broken.truncate(n_broken))?;
        if state.is_object {
            let row = self.table.n_rows();
            for (key, cell) in &self.row {
                let field = cell.map(|cell| match cell {
                    Cell::Int(value) => Field::Int(value),
                    Cell::Known(id) => Field::Known(id),
                });
                field.into_iter().for_each(|field| self.table.set_cell(*key, row, field));
            }
            self.table.end_row();
        }
        std::mem::swap(&mut self.likely, &mut self.order);
        self.states.push(state);
        Ok(())
    }

    fn read(&mut self, text: &str, place: SourcePlace) -> Result<PartState, JsonError> {
        let mut state = PartState { place, is_object: true, index: WrittenIndex::None };
        let mut scanner = JsonScanner::new(text);
        if !scanner.enters(JsonKind::Object)? {
            scanner.end()?;
            return Ok(PartState { is_object: false, ..state });
        }
        while let Some(key) = self.next_key(&mut scanner)? {
            let value = scanner.raw()?;
            self.order.push(key);
            match self.keys[key].name.as_str() {
                META => state.index = entry(value, "index")?.map_or(WrittenIndex::None, WrittenIndex::of),
                "mbt::actionTaken" if value.starts_with('"') => {
                    let actions = self.key(META);
                    self.value(actions, value)?;
                }
                _ => self.value(key, value)?,
            }
        }
        scanner.end()?;
        Ok(state)
    }

    /// The next key of a state; first the one that the state before has in its place.
    fn next_key(&mut self, scanner: &mut JsonScanner<'_>) -> Result<Option<usize>, JsonError> {
        if let Some(&likely) = self.likely.get(self.order.len())
            && scanner.passes_key(&self.keys[likely].written)
        {
            return Ok(Some(likely));
        }
        Ok(scanner.next_key()?.map(|name| self.key(&name)))
    }

    /// The number of a key.
    fn key(&mut self, name: &str) -> usize {
        if let Some(id) = self.key_ids.get(name) {
            return *id;
        }
        let written = format!("{}:", serde_json::Value::from(name)).into_bytes();
        let (texts, name) = (DictionaryBuilder::default(), name.to_owned());
        self.key_ids.insert(name.clone(), self.keys.len());
        self.keys.push(PartKey { name, written, texts, values: Vec::new(), last: None });
        self.keys.len() - 1
    }

    /// Adds a value of the state; of two values of a key the last counts.
    fn value(&mut self, key: usize, text: &str) -> Result<(), JsonError> {
        let cell = match plain_integer(text) {
            Some(number) => Some(Cell::Int(number)),
            None => self.known(key, text)?,
        };
        match self.keys[key].last {
            Some((read, place)) if read == self.n_read => self.row[place].1 = cell,
            _ => {
                self.keys[key].last = Some((self.n_read, self.row.len()));
                self.row.push((key, cell));
            }
        }
        Ok(())
    }

    /// A value that is no small integer, which is parsed once, with the rules that it breaks.
    fn known(&mut self, key: usize, text: &str) -> Result<Option<Cell>, JsonError> {
        let number = self.keys[key].texts.intern(text) as usize;
        if number == self.keys[key].values.len() {
            let mut broken = Vec::new();
            let parsed = self.parsed(key, text, &mut broken);
            // the text has its number, and needs a value
            self.keys[key].values.push((parsed.unwrap_or_default(), broken.into()));
            parsed?;
        }
        let (cell, broken) = &self.keys[key].values[number];
        self.broken.extend(broken.iter().map(|rule| (self.states.len(), *rule)));
        Ok(*cell)
    }

    fn parsed(&mut self, key: usize, text: &str, broken: &mut Vec<BrokenRule>) -> Result<Option<Cell>, JsonError> {
        let id = match self.keys[key].name.as_str() {
            META => self.table.value(key, Field::Text(&unquoted(text))),
            PICKS if picks(text, broken)?.is_none() => return Ok(None),
            PICKS => self.table.value(key, Field::Json(text)),
            _ => {
                let expression = expression(text, broken)?;
                let id = self.table.value(key, expression.field());
                self.sorted.extend(expression.sorted.is_some().then_some((key, expression)));
                id
            }
        };
        Ok(Some(Cell::Known(id)))
    }
}

impl WrittenIndex {
    fn of(text: &str) -> WrittenIndex {
        match text.parse() {
            Ok(number) if text == "0" || !text.starts_with(['0', '+']) => WrittenIndex::Number(number),
            _ => WrittenIndex::Other(text.into()),
        }
    }
}

impl Expression {
    /// The value of an attribute.
    pub(super) fn field(&self) -> Field<'_> {
        match self.kind {
            ExpressionKind::Integer => Field::BigInt(&self.text),
            ExpressionKind::Bool => Field::Bool(self.text == "true"),
            _ => Field::Term(&self.text),
        }
    }
}
