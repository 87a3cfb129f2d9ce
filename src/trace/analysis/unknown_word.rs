//! Words of constraints that no event has, and what they may be misspellings of.

use std::borrow::Cow;

use super::group::group;
use super::reason::{known_values, value_text};
use crate::term::Atom;
use crate::term::hash::HashSet;
use crate::term::letters::atom_text;
use crate::trace::event::EventId;
use crate::trace::event::args::{ArgTexts, argument_at, members, value_at};
use crate::trace::event::nearest::{akin, akin_attribute, misspelt};
use crate::trace::event::schema::AttributeId;
use crate::trace::event::simple_term::{SimpleTerm, leaves, simple_term};
use crate::trace::event::value::Value;
use crate::trace::relation::store::Trace;
use crate::trace::search::constraint::Constraint;
use crate::trace::search::find::{next_match, walk};
use crate::trace::search::form::{FormOp, characters, leaf_text};
use crate::trace::search::pattern::Pattern;

/// A word of a constraint that perhaps no event has: a place in events, or a value there, as deep in the form as it may be.
#[derive(Clone, Debug)]
pub(crate) struct UnknownWord {
    place: WordPlace,
    value: Option<FormOp>,
    /// `name = saef`
    text: String,
}

/// Where a word is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WordPlace {
    /// In the column of an attribute.
    Attribute(AttributeId),
    /// In the argument with this number, from 1.
    Argument(usize),
    /// At a path of keys, in arguments.
    Path(Atom),
    /// At a path of keys, in the objects that an attribute has.
    Member(AttributeId, Atom),
}

/// The values of arguments among which a misspelt one is looked for are at most so many.
const MAX_KNOWN: usize = 100_000;

impl UnknownWord {
    /// An attribute, if it is a key of spans that no event has.
    pub(crate) fn key(trace: &Trace, attribute: AttributeId) -> Option<UnknownWord> {
        let text = || trace.schema().get(attribute).name.to_string();
        let place = WordPlace::Attribute(attribute);
        attribute.is_unheld_key().then(|| UnknownWord { place, value: None, text: text() })
    }

    /// A path of keys that perhaps no object there has.
    pub(crate) fn path(trace: &Trace, place: WordPlace) -> UnknownWord {
        UnknownWord { place, value: None, text: place.text(trace) }
    }

    /// A name, text or number that perhaps nothing there is.
    pub(crate) fn value(trace: &Trace, place: WordPlace, value: FormOp) -> UnknownWord {
        let text = format!("{} = {}", place.text(trace), leaf_text(&value));
        UnknownWord { place, value: Some(value), text }
    }

    /// The texts and numbers in a constraint that no event has.
    pub(crate) fn values(trace: &Trace, constraint: &Constraint) -> Vec<UnknownWord> {
        let mut words = Vec::new();
        if let [FormOp::Atom(_) | FormOp::Str(_) | FormOp::Number(_)] = constraint.form.as_slice()
            && !constraint.has_no_code()
        {
            return words;
        }
        let mut waiting = vec![(constraint.attribute, constraint.form.as_slice())];
        while let Some((attribute, form)) = waiting.pop() {
            for op in form {
                match op {
                    FormOp::Proc(pattern) => {
                        waiting.extend(pattern.parts());
                        words.extend(UnknownWord::procedure(trace, op));
                    }
                    FormOp::Atom(_) | FormOp::Str(_) | FormOp::Number(_) => {
                        let alone = Constraint::new(trace, attribute, std::slice::from_ref(op)).ok();
                        let of_name = if attribute == AttributeId::PROC { AttributeId::NAME } else { attribute };
                        words.extend(alone.filter(Constraint::has_no_code).map(|_| UnknownWord {
                            place: WordPlace::Attribute(of_name),
                            ..UnknownWord::value(trace, WordPlace::Attribute(attribute), op.clone())
                        }));
                    }
                    _ => {}
                }
            }
        }
        words
    }

    /// A procedure that no event has; its parts may be those of others.
    fn procedure(trace: &Trace, op: &FormOp) -> Option<UnknownWord> {
        let alone = Constraint::new(trace, AttributeId::PROC, std::slice::from_ref(op)).ok()?;
        let (place, text) = (WordPlace::Attribute(AttributeId::PROC), alone.text(trace));
        alone.has_no_code().then(|| UnknownWord { place, value: Some(op.clone()), text })
    }

    /// `name = saef`
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    fn word<'w>(&'w self, trace: &'w Trace) -> Cow<'w, str> {
        match (&self.value, self.place) {
            (None, WordPlace::Attribute(attribute)) => Cow::Borrowed(&trace.schema().get(attribute).name),
            (None, WordPlace::Path(path) | WordPlace::Member(_, path)) => Cow::Borrowed(path.as_str()),
            (None, WordPlace::Argument(_)) => Cow::Borrowed(&self.text),
            (Some(value), _) => characters(value),
        }
    }

    /// What a script has that asks for it: of a path the last key, as a pattern of an object has it.
    pub(crate) fn written<'w>(&'w self, trace: &'w Trace) -> Cow<'w, str> {
        match (self.place, &self.value) {
            (WordPlace::Path(path) | WordPlace::Member(_, path), None) => {
                Cow::Borrowed(path.as_str().rsplit('.').next().unwrap_or_default())
            }
            _ => self.word(trace),
        }
    }

    /// Whether it is a key of objects.
    pub(crate) fn is_path(&self) -> bool {
        self.value.is_none() && matches!(self.place, WordPlace::Path(_) | WordPlace::Member(..))
    }

    /// As [`text`](UnknownWord::text); of a key that only the events of a pattern lack, with the constraints of that.
    pub(crate) fn text_among(&self, trace: &Trace, events: &Pattern, constraints: &[Constraint]) -> String {
        let anywhere = Pattern::new(trace, Vec::new());
        if !self.is_path() || next_match(trace, 0, events).is_none() || !self.is_known(trace, &anywhere) {
            return self.text.clone();
        }
        let others = constraints.iter().filter(|other| !matches!(other.form.as_slice(), [FormOp::Any]));
        let texts = others.map(|other| other.text(trace)).chain([self.text.clone()]);
        texts.collect::<Vec<_>>().join(", ")
    }

    /// The events among which a key is looked for: those that the other constraints find, if there are any. A value may be
    /// anywhere.
    fn events<'p>(&self, trace: &Trace, found: &'p Pattern) -> Cow<'p, Pattern> {
        match self.is_path() && next_match(trace, 0, found).is_some() {
            true => Cow::Borrowed(found),
            false => Cow::Owned(Pattern::new(trace, Vec::new())),
        }
    }

    /// Where it was looked for.
    pub(crate) fn place(&self) -> WordPlace {
        self.place
    }

    /// Whether an event has it, for a key one of those found. What is said of attributes is known to be on none.
    pub(crate) fn is_known(&self, trace: &Trace, found: &Pattern) -> bool {
        let events = self.events(trace, found);
        let mut texts = self.place.texts(trace, &events);
        match (self.place, &self.value) {
            (WordPlace::Attribute(_), _) => false,
            (_, None) => texts.next().is_some(),
            (_, Some(value)) => {
                let mut last = "";
                texts.any(|text| text != std::mem::replace(&mut last, text) && is_value(text, value))
            }
        }
    }

    /// That the events found have no such key because of their port: those of another one have it.
    pub(crate) fn at_another_port(&self, trace: &Trace, constraints: &[Constraint]) -> Option<String> {
        let (of_port, others): (Vec<_>, Vec<_>) =
            constraints.iter().cloned().partition(|one| one.attribute == AttributeId::PORT);
        let asked = of_port.first().filter(|_| self.is_path())?;
        let events = Pattern::new(trace, others);
        let port = walk(trace, &events).find(|event| self.place.text_in(trace, *event).is_some())?;
        let (asked, port) = (asked.text(trace), value_text(trace, &trace.value(port, AttributeId::PORT))?);
        Some(format!("no event of `{asked}` has `{}`, but events of `port = {port}` have", self.text))
    }

    /// A term where the word was looked for in which it occurs, as the id of a process does in `p('92A1', 1)`.
    pub(crate) fn term_with_it(&self, trace: &Trace) -> Option<String> {
        let value = self.value.as_ref()?;
        let (word, anywhere) = (self.word(trace), Pattern::new(trace, Vec::new()));
        let has_it = |text: &str| {
            text.contains(&*word) && simple_term(text).is_none() && leaves(text).iter().any(|leaf| *leaf == word)
        };
        match self.place {
            WordPlace::Attribute(attribute) => {
                let values = group(trace, &anywhere, &[attribute]);
                values.iter().find_map(|(values, _)| match values.first()? {
                    Value::Term(text) | Value::Json(text) if has_it(text) => Some(text.to_string()),
                    _ => None,
                })
            }
            // small numbers are parts of many terms
            WordPlace::Argument(_) if matches!(value, FormOp::Number(_)) => None,
            place => place.texts(trace, &anywhere).find(|text| has_it(text)).map(str::to_string),
        }
    }

    /// What it is probably a misspelling of: for a number, the text with these digits, and the other way round; for a key,
    /// also one that is longer or shorter by parts, as `file_path` is than `path`.
    pub(crate) fn meant(&self, trace: &Trace, found: &Pattern) -> Option<String> {
        let word = self.word(trace);
        let Some(value) = &self.value else {
            let names = self.place.names(trace, &self.events(trace, found));
            let names = || names.iter().map(|name| &**name);
            let near = misspelt(&word, names()).or_else(|| match self.place {
                WordPlace::Attribute(_) => akin_attribute(&word, names()),
                _ => akin(&word, names()),
            });
            return near.map(|meant| self.place.name(trace, meant));
        };
        if trace.origin().alike.contains(&&*word) {
            return None;
        }
        if self.place == WordPlace::Attribute(AttributeId::PORT) {
            let ports = &trace.origin().ports;
            let has_own = trace.ports().any(|(_, port)| ports.find(port.as_str()).is_none());
            let is_other = ports.find(&word).is_none() && !has_own;
            let own = || trace.ports().map(|(_, port)| port.as_str());
            return ports.meant(&word).filter(|_| is_other).or_else(|| misspelt(&word, own())).map(str::to_string);
        }
        let (known, is_number) = (self.place.values(trace), matches!(value, FormOp::Number(_)));
        if known.iter().any(|known| *known == *word) {
            return Some(if is_number { atom_text(&word).into_owned() } else { word.into_owned() });
        }
        let texts = || known.iter().map(|known| &**known).filter(|_| !is_number);
        if let FormOp::Proc(_) = value {
            return texts().filter(|known| name_of(known) == name_of(&word)).min().map(str::to_string);
        }
        let is_last_part = |known: &&str| known.rsplit(['.', ':']).next() == Some(&*word);
        let of_a_class = || match self.place {
            WordPlace::Attribute(AttributeId::NAME) => texts().filter(is_last_part).min(),
            _ => None,
        };
        misspelt(&word, texts()).or_else(of_a_class).map(|near| as_written(near).into_owned())
    }
}

impl WordPlace {
    /// The place of a key in the objects here.
    pub(crate) fn inside(self, key: Atom) -> WordPlace {
        let joined = |outer: Atom| Atom::new(&format!("{outer}.{key}"));
        match self {
            WordPlace::Attribute(attribute) => WordPlace::Member(attribute, key),
            WordPlace::Member(attribute, outer) => WordPlace::Member(attribute, joined(outer)),
            WordPlace::Argument(_) => WordPlace::Path(key),
            WordPlace::Path(outer) => WordPlace::Path(joined(outer)),
        }
    }

    /// The place as it is written in constraints.
    fn text(self, trace: &Trace) -> String {
        match self {
            WordPlace::Attribute(attribute) => trace.schema().get(attribute).name.to_string(),
            WordPlace::Argument(number) => format!("arg({number})"),
            WordPlace::Path(path) | WordPlace::Member(_, path) => self.name(trace, path.as_str()),
        }
    }

    /// The texts of the arguments or members here.
    fn texts<'t>(self, trace: &'t Trace, events: &'t Pattern) -> impl Iterator<Item = &'t str> {
        walk(trace, events).filter_map(move |event| self.text_in(trace, event))
    }

    /// The text of the argument or member here.
    pub(crate) fn text_in(self, trace: &Trace, event: EventId) -> Option<&str> {
        match self {
            WordPlace::Attribute(_) => None,
            WordPlace::Argument(number) => arguments(trace, event)?.part(number - 1),
            WordPlace::Path(path) => argument_at(arguments(trace, event)?, trace.argument_names(event), path.as_str()),
            WordPlace::Member(attribute, path) => value_at(object(trace, event, attribute)?, path.as_str()),
        }
    }

    /// The names of all places of this kind.
    fn names<'t>(self, trace: &'t Trace, events: &Pattern) -> HashSet<Cow<'t, str>> {
        let mut known = HashSet::default();
        if let WordPlace::Attribute(_) = self {
            return trace.schema().iter().map(|(_, attribute)| Cow::Borrowed(&*attribute.name)).collect();
        }
        for event in walk(trace, events) {
            let mut waiting: Vec<(Cow<'_, str>, &str)> = match self {
                WordPlace::Attribute(_) | WordPlace::Argument(_) => Vec::new(),
                WordPlace::Member(attribute, _) => {
                    object(trace, event, attribute).map(members).into_iter().flatten().collect()
                }
                WordPlace::Path(_) => {
                    let list = arguments(trace, event);
                    let named = trace.argument_names(event).into_iter().flatten().zip(list.into_iter().flatten());
                    let named = named.map(|(name, text)| (Cow::Borrowed(name), text));
                    named.chain(list.into_iter().flatten().flat_map(members)).collect()
                }
            };
            while let Some((path, text)) = waiting.pop()
                && known.len() < MAX_KNOWN
            {
                if waiting.len() < MAX_KNOWN {
                    waiting.extend(members(text).map(|(key, value)| (Cow::Owned(format!("{path}.{key}")), value)));
                }
                known.insert(path);
            }
        }
        known
    }

    /// A name of a place of this kind as it is written.
    fn name(self, trace: &Trace, name: &str) -> String {
        match self {
            WordPlace::Path(_) => format!("arg.{name}"),
            WordPlace::Member(attribute, _) => format!("{}.{name}", trace.schema().get(attribute).name),
            WordPlace::Attribute(_) | WordPlace::Argument(_) => name.to_string(),
        }
    }

    /// The texts and numbers here.
    fn values(self, trace: &Trace) -> HashSet<Cow<'_, str>> {
        if let WordPlace::Attribute(attribute) = self {
            return known_values(trace, attribute).into_iter().map(|(name, _)| Cow::Owned(name)).collect();
        }
        let anywhere = Pattern::new(trace, Vec::new());
        let value = |text: &str| match simple_term(text)? {
            SimpleTerm::Number(number) => Some(Cow::Owned(number.to_string())),
            SimpleTerm::Text(text) => Some(Cow::Owned(text.into_owned())),
        };
        let texts: HashSet<&str> = self.texts(trace, &anywhere).take(MAX_KNOWN).collect();
        texts.into_iter().filter_map(value).collect()
    }
}

/// A value as goals write it: names and texts inside of terms have their quotes already.
fn as_written(value: &str) -> Cow<'_, str> {
    match simple_term(value) {
        Some(SimpleTerm::Text(_)) if value.starts_with(['\'', '"']) => Cow::Borrowed(value),
        _ => atom_text(value),
    }
}

/// The name of a procedure, without what it has after its last `/`.
fn name_of(procedure: &str) -> &str {
    procedure.rsplit_once('/').map_or(procedure, |(name, _)| name)
}

pub(super) fn arguments(trace: &Trace, event: EventId) -> Option<ArgTexts<'_>> {
    match trace.value(event, AttributeId::ARGS) {
        Value::Args(list) => Some(list),
        _ => None,
    }
}

/// The text of the term or object that an attribute is.
fn object(trace: &Trace, event: EventId, attribute: AttributeId) -> Option<&str> {
    match trace.value(event, attribute) {
        Value::Term(text) | Value::Json(text) => Some(text),
        _ => None,
    }
}

/// Whether an argument with this text is a value; 1 and 1.0 are two, as they are when terms are unified.
pub(super) fn is_value(text: &str, value: &FormOp) -> bool {
    match (simple_term(text), value) {
        (Some(SimpleTerm::Text(text)), FormOp::Atom(name)) => text == name.as_str(),
        (Some(SimpleTerm::Text(text)), FormOp::Str(wanted)) => text == wanted.as_str(),
        (Some(SimpleTerm::Number(number)), FormOp::Number(wanted)) => number == *wanted,
        _ => false,
    }
}
