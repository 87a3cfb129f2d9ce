//! Words of constraints that no event has, and what they may be misspellings of.

use std::borrow::Cow;

use super::group::group;
use super::reason::known_values;
use crate::term::Atom;
use crate::term::hash::HashSet;
use crate::term::letters::atom_text;
use crate::trace::event::args::{ArgTexts, argument_at, members};
use crate::trace::event::nearest::misspelt;
use crate::trace::event::schema::AttributeId;
use crate::trace::event::simple_term::{SimpleTerm, leaves, simple_term};
use crate::trace::event::value::Value;
use crate::trace::relation::store::Trace;
use crate::trace::search::constraint::Constraint;
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

    /// A path of keys that perhaps no argument has.
    pub(crate) fn path(path: Atom) -> UnknownWord {
        UnknownWord { place: WordPlace::Path(path), value: None, text: format!("arg.{path}") }
    }

    /// A name, text or number that perhaps no argument is.
    pub(crate) fn argument(place: WordPlace, value: FormOp) -> UnknownWord {
        let value_text = match &value {
            FormOp::Atom(name) => atom_text(name.as_str()).into_owned(),
            value => leaf_text(value),
        };
        let text = match place {
            WordPlace::Argument(number) => format!("arg({number}) = {value_text}"),
            WordPlace::Path(path) => format!("arg.{path} = {value_text}"),
            WordPlace::Attribute(_) => value_text,
        };
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
                        words.extend(alone.filter(Constraint::has_no_code).map(|alone| UnknownWord {
                            place: WordPlace::Attribute(of_name),
                            value: Some(op.clone()),
                            text: match op {
                                FormOp::Atom(name) => {
                                    let attribute = &trace.schema().get(attribute).name;
                                    format!("{attribute} = {}", atom_text(name.as_str()))
                                }
                                _ => alone.text(trace),
                            },
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
            (None, WordPlace::Path(path)) => Cow::Borrowed(path.as_str()),
            (None, WordPlace::Argument(_)) => Cow::Borrowed(&self.text),
            (Some(value), _) => characters(value),
        }
    }

    /// What a script has that asks for it: of a path the last key, as a pattern of an object has it.
    pub(crate) fn written<'w>(&'w self, trace: &'w Trace) -> Cow<'w, str> {
        match (self.place, &self.value) {
            (WordPlace::Path(path), None) => Cow::Borrowed(path.as_str().rsplit('.').next().unwrap_or_default()),
            _ => self.word(trace),
        }
    }

    /// Where it was looked for.
    pub(crate) fn place(&self) -> WordPlace {
        self.place
    }

    /// Whether an event has it. What is said of attributes is known to be on none.
    pub(crate) fn is_known(&self, trace: &Trace) -> bool {
        let mut texts = arguments(trace).filter_map(|(names, list)| self.place.text(names, list));
        match (self.place, &self.value) {
            (WordPlace::Attribute(_), _) => false,
            (_, None) => texts.next().is_some(),
            (_, Some(value)) => {
                let mut last = "";
                texts.any(|text| text != std::mem::replace(&mut last, text) && is_value(text, value))
            }
        }
    }

    /// A term among the values of the attribute in which the word occurs, as the id of a process does in `p('92A1', 1)`.
    pub(crate) fn term_with_it(&self, trace: &Trace) -> Option<String> {
        let (WordPlace::Attribute(attribute), Some(_)) = (self.place, &self.value) else { return None };
        let word = self.word(trace);
        let values = group(trace, &Pattern::new(trace, Vec::new()), &[attribute]);
        values.iter().find_map(|(values, _)| match values.first()? {
            Value::Term(text) if text.contains(&*word) && leaves(text).iter().any(|leaf| *leaf == word) => {
                Some(text.to_string())
            }
            _ => None,
        })
    }

    /// What it is probably a misspelling of: for a number, the text with these digits, and the other way round.
    pub(crate) fn meant(&self, trace: &Trace) -> Option<String> {
        let word = self.word(trace);
        let Some(value) = &self.value else {
            let names = self.place.names(trace);
            return misspelt(&word, names.iter().map(|name| &**name)).map(|meant| self.place.name(meant));
        };
        if trace.origin().alike.contains(&&*word) {
            return None;
        }
        if self.place == WordPlace::Attribute(AttributeId::PORT) {
            let ports = &trace.origin().ports;
            let has_own = trace.ports().any(|(_, port)| ports.find(port.as_str()).is_none());
            let is_other = ports.find(&word).is_none() && !has_own;
            return ports.meant(&word).filter(|_| is_other).map(str::to_string);
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
        misspelt(&word, texts()).or_else(of_a_class).map(|near| atom_text(near).into_owned())
    }
}

impl WordPlace {
    /// The text of the argument here.
    fn text<'t>(self, names: Option<ArgTexts<'t>>, list: ArgTexts<'t>) -> Option<&'t str> {
        match self {
            WordPlace::Attribute(_) => None,
            WordPlace::Argument(number) => list.part(number - 1),
            WordPlace::Path(path) => argument_at(list, names, path.as_str()),
        }
    }

    /// The names of all places of this kind.
    fn names(self, trace: &Trace) -> HashSet<Cow<'_, str>> {
        match self {
            WordPlace::Attribute(_) => {
                trace.schema().iter().map(|(_, attribute)| Cow::Borrowed(&*attribute.name)).collect()
            }
            WordPlace::Argument(_) => HashSet::default(),
            WordPlace::Path(_) => {
                let mut known = HashSet::default();
                for (names, list) in arguments(trace) {
                    let named = names.into_iter().flatten().zip(list);
                    let named = named.map(|(name, text)| (Cow::Borrowed(name), text));
                    let mut waiting: Vec<(Cow<'_, str>, &str)> = named.chain(list.iter().flat_map(members)).collect();
                    while let Some((path, text)) = waiting.pop()
                        && known.len() < MAX_KNOWN
                    {
                        if waiting.len() < MAX_KNOWN {
                            let inner = members(text).map(|(key, value)| (Cow::Owned(format!("{path}.{key}")), value));
                            waiting.extend(inner);
                        }
                        known.insert(path);
                    }
                }
                known
            }
        }
    }

    /// A name of a place as it is written.
    fn name(self, name: &str) -> String {
        match self {
            WordPlace::Path(_) => format!("arg.{name}"),
            _ => name.to_string(),
        }
    }

    /// The texts and numbers here.
    fn values(self, trace: &Trace) -> HashSet<Cow<'_, str>> {
        if let WordPlace::Attribute(attribute) = self {
            return known_values(trace, attribute).into_iter().map(|(name, _)| Cow::Owned(name)).collect();
        }
        let texts: HashSet<&str> =
            arguments(trace).filter_map(|(names, list)| self.text(names, list)).take(MAX_KNOWN).collect();
        let value = |text| match simple_term(text)? {
            SimpleTerm::Number(number) => Some(Cow::Owned(number.to_string())),
            SimpleTerm::Text(text) => Some(text),
        };
        texts.into_iter().filter_map(value).collect()
    }
}

/// The name of a procedure, without what it has after its last `/`.
fn name_of(procedure: &str) -> &str {
    procedure.rsplit_once('/').map_or(procedure, |(name, _)| name)
}

/// The names and the texts of the arguments of all events.
fn arguments(trace: &Trace) -> impl Iterator<Item = (Option<ArgTexts<'_>>, ArgTexts<'_>)> {
    (0..trace.n_events()).filter_map(|event| match trace.value(event, AttributeId::ARGS) {
        Value::Args(list) => Some((trace.argument_names(event), list)),
        _ => None,
    })
}

/// Whether an argument with this text is a value; 1 and 1.0 are two, as they are when terms are unified.
fn is_value(text: &str, value: &FormOp) -> bool {
    match (simple_term(text), value) {
        (Some(SimpleTerm::Text(text)), FormOp::Atom(name)) => text == name.as_str(),
        (Some(SimpleTerm::Text(text)), FormOp::Str(wanted)) => text == wanted.as_str(),
        (Some(SimpleTerm::Number(number)), FormOp::Number(wanted)) => number == *wanted,
        _ => false,
    }
}
