//! The states in a part of a file, parsed without those before: each distinct value of a key once.

use super::line::{BrokenRule, Expression, ExpressionKind, entry, expression, picks, plain_integer};
use crate::formats::json::scanner::{JsonError, JsonKind, JsonScanner};
use crate::formats::json::value::unquoted;
use crate::term::hash::HashMap;
use crate::trace::{DictionaryBuilder, Field, SourcePlace};

/// States, in the order of the file.
#[derive(Default)]
pub(super) struct PartStates {
    pub(super) states: Vec<PartState>,
    /// The values of all states, those of a state in the order of its shape.
    pub(super) values: Vec<PartValue>,
    pub(super) keys: Vec<PartKey>,
    key_ids: HashMap<String, KeyId>,
    /// The keys that have values in a state, in order.
    pub(super) shapes: Vec<Box<[KeyId]>>,
    shape_ids: HashMap<Box<[KeyId]>, u32>,
    /// The names of actions.
    pub(super) actions: DictionaryBuilder,
    /// The choices as they are written, and what they are.
    picks_texts: DictionaryBuilder,
    pub(super) picks: Vec<Picks>,
    /// Rules that values break, by the index of the state.
    pub(super) broken: Vec<(usize, BrokenRule)>,
    /// The keys of the state before, which the next one is likely to have too.
    likely: Vec<KeyId>,
    likely_shape: Option<u32>,
    order: Vec<KeyId>,
    shape: Vec<KeyId>,
}

/// Number of a key in a part.
pub(super) type KeyId = u32;

/// A state.
pub(super) struct PartState {
    pub(super) place: SourcePlace,
    /// None if it is no object.
    pub(super) shape: Option<u32>,
    pub(super) index: WrittenIndex,
    pub(super) action: Option<u32>,
    pub(super) picks: Option<u32>,
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
pub(super) enum PartValue {
    Int(i64),
    /// The number of a value of the key.
    Known(u32),
}

/// A key with its distinct values.
pub(super) struct PartKey {
    pub(super) name: String,
    /// As most writers write it: quotes and colon.
    written: Vec<u8>,
    texts: DictionaryBuilder,
    pub(super) values: Vec<(Expression, Box<[BrokenRule]>)>,
    /// The last state that has it, and the index of its value there.
    last: Option<(usize, usize)>,
}

/// The choices of an action: names and values, in order.
pub(super) type Picks = (Option<Vec<(String, Expression)>>, Vec<BrokenRule>);

impl PartStates {
    /// Adds the state with this text.
    pub(super) fn add(&mut self, text: &str, place: SourcePlace) -> Result<(), JsonError> {
        let (n_values, n_broken) = (self.values.len(), self.broken.len());
        self.order.clear();
        self.shape.clear();
        match self.read(text, place) {
            Ok(state) => {
                std::mem::swap(&mut self.likely, &mut self.order);
                self.likely_shape = state.shape;
                self.states.push(state);
                Ok(())
            }
            Err(error) => {
                self.values.truncate(n_values);
                self.broken.truncate(n_broken);
                self.keys.iter_mut().for_each(|key| key.last = None);
                Err(error)
            }
        }
    }

    fn read(&mut self, text: &str, place: SourcePlace) -> Result<PartState, JsonError> {
        let mut state = PartState { place, shape: None, index: WrittenIndex::None, action: None, picks: None };
        let mut scanner = JsonScanner::new(text);
        if scanner.kind()? != JsonKind::Object {
            scanner.skip()?;
            scanner.end()?;
            return Ok(state);
        }
        scanner.begin_object()?;
        while let Some(key) = self.next_key(&mut scanner)? {
            let value = scanner.raw()?;
            self.order.push(key);
            match self.keys[key as usize].name.as_str() {
                "#meta" => state.index = entry(value, "index")?.map_or(WrittenIndex::None, WrittenIndex::of),
                "mbt::actionTaken" if value.starts_with('"') => {
                    state.action = Some(self.actions.intern(&unquoted(value)));
                }
                "mbt::nondetPicks" => state.picks = Some(self.picks(value)?),
                _ => self.value(key, value)?,
            }
        }
        scanner.end()?;
        state.shape = Some(self.shape_id());
        Ok(state)
    }

    /// The next key of a state; first the one that the state before has in its place.
    fn next_key(&mut self, scanner: &mut JsonScanner<'_>) -> Result<Option<KeyId>, JsonError> {
        if let Some(&likely) = self.likely.get(self.order.len())
            && scanner.passes_key(&self.keys[likely as usize].written)
        {
            return Ok(Some(likely));
        }
        let Some(name) = scanner.next_key()? else { return Ok(None) };
        if let Some(id) = self.key_ids.get(&*name) {
            return Ok(Some(*id));
        }
        let id = self.keys.len() as KeyId;
        let written = format!("{}:", serde_json::Value::from(&*name)).into_bytes();
        let name = name.into_owned();
        self.key_ids.insert(name.clone(), id);
        self.keys.push(PartKey { name, written, texts: DictionaryBuilder::default(), values: Vec::new(), last: None });
        Ok(Some(id))
    }

    /// Adds a value of the state; of two values of a key the last counts, in the place of the first.
    fn value(&mut self, id: KeyId, text: &str) -> Result<(), JsonError> {
        let n_states = self.states.len();
        let key = &mut self.keys[id as usize];
        let value = match plain_integer(text) {
            Some(number) => PartValue::Int(number),
            None => {
                let number = key.texts.intern(text);
                if number as usize == key.values.len() {
                    let mut broken = Vec::new();
                    match expression(text, &mut broken) {
                        Ok(expression) => key.values.push((expression, broken.into())),
                        // the text has its number, and needs a value
                        Err(error) => {
                            key.values.push(Default::default());
                            return Err(error);
                        }
                    }
                }
                let rules = key.values[number as usize].1.iter();
                self.broken.extend(rules.map(|rule| (n_states, *rule)));
                PartValue::Known(number)
            }
        };
        match key.last {
            Some((state, place)) if state == n_states => self.values[place] = value,
            _ => {
                key.last = Some((n_states, self.values.len()));
                self.values.push(value);
                self.shape.push(id);
            }
        }
        Ok(())
    }

    fn picks(&mut self, text: &str) -> Result<u32, JsonError> {
        let number = self.picks_texts.intern(text);
        if number as usize == self.picks.len() {
            let mut broken = Vec::new();
            let found = picks(text, &mut broken);
            self.picks.push((found.clone().unwrap_or_default(), broken));
            found?;
        }
        let n_states = self.states.len();
        let rules = self.picks[number as usize].1.iter();
        self.broken.extend(rules.map(|rule| (n_states, *rule)));
        Ok(number)
    }

    /// The number of the shape of the state that was read.
    fn shape_id(&mut self) -> u32 {
        if let Some(shape) = self.likely_shape.filter(|shape| *self.shapes[*shape as usize] == *self.shape) {
            return shape;
        }
        if let Some(shape) = self.shape_ids.get(self.shape.as_slice()) {
            return *shape;
        }
        let number = self.shapes.len() as u32;
        self.shapes.push(self.shape.as_slice().into());
        self.shape_ids.insert(self.shape.as_slice().into(), number);
        number
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
