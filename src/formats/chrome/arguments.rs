//! The arguments of a record as texts of terms, with their names, in each of the forms that producers write.

use super::record::is_numeric;
use crate::formats::json::scanner::{JsonError, JsonKind, JsonScanner};
use crate::formats::json::terms::{ArgumentTexts, argument, nested};
use crate::formats::json::value::{Json, unquoted};
use crate::term::hash::HashMap;
use crate::term::letters::write_quoted;
use crate::trace::{ListField, top_level_comma};

/// How the texts in the arguments of a file are meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TextMeaning {
    /// Themselves.
    #[default]
    Themselves,
    /// Texts of terms: Rust's `Debug` output, as `tracing-chrome` writes it.
    Terms,
    /// Numbers, where they are numbers: the values of a counter.
    Numbers,
}

/// The arguments of a record.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RecordArgs {
    /// Those of the call, as texts of terms, each with its name; an argument without a name has an empty one.
    pub(super) args: Vec<(String, String)>,
    /// The result of the call, which only its exit has: its name, its text as a term, and as it is written.
    pub(super) result: Option<(&'static str, String, String)>,
    /// Whether the record says which arguments the call has.
    pub(super) are_stated: bool,
    /// Whether a value is no number.
    pub(super) has_other_values: bool,
    /// Where arguments are, by their names, if they are many.
    places: HashMap<String, usize>,
}

/// So many arguments are looked through one after the other.
const FEW: usize = 32;

impl RecordArgs {
    /// Reads the object of arguments.
    pub(super) fn read(scanner: &mut JsonScanner<'_>, meaning: TextMeaning) -> Result<RecordArgs, JsonError> {
        let mut read = RecordArgs::default();
        if !scanner.enters(JsonKind::Object)? {
            read.has_other_values = true;
            return Ok(read);
        }
        let mut n_keys = 0;
        while let Some(key) = scanner.next_key()? {
            n_keys += 1;
            match (&*key, scanner.kind()?) {
                ("func_args", JsonKind::Object) => read.function_args(scanner)?,
                (name @ ("return_value" | "retval"), JsonKind::Text) => {
                    let written = unquoted(scanner.raw()?);
                    let name = if name == "retval" { "retval" } else { "return_value" };
                    read.result = Some((name, printed(&written), written.into_owned()));
                }
                ("arguments", JsonKind::Text) => read.printed_args(&unquoted(scanner.raw()?)),
                ("message", JsonKind::Text) => {
                    let written = unquoted(scanner.raw()?);
                    read.set(&key, string(&written));
                }
                _ => {
                    let value = scanner.raw()?;
                    read.has_other_values |= !is_numeric(value);
                    read.set(&key, term(value, meaning));
                }
            }
        }
        read.are_stated |= n_keys == 0 || !read.args.is_empty();
        Ok(read)
    }

    /// `{"item": "'fig'", "count": "2"}`, printed by Python.
    fn function_args(&mut self, scanner: &mut JsonScanner<'_>) -> Result<(), JsonError> {
        self.are_stated = true;
        scanner.begin_object()?;
        while let Some(key) = scanner.next_key()? {
            let value = scanner.raw()?;
            self.set(
                &key,
                if value.starts_with('"') { printed(&unquoted(value)) } else { term(value, TextMeaning::Terms) },
            );
        }
        Ok(())
    }

    /// `(0x7fffb4710310, 0, &worker)`, printed by uftrace.
    fn printed_args(&mut self, text: &str) {
        self.are_stated = true;
        let inner = text.trim().strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(text);
        let mut rest = Some(inner).filter(|inner| !inner.trim().is_empty());
        while let Some(text) = rest {
            let comma = top_level_comma(text);
            self.args.push((String::new(), printed(text[..comma.unwrap_or(text.len())].trim())));
            rest = comma.map(|comma| &text[comma + 1..]);
        }
    }

    /// Sets an argument; of two with one name the last counts.
    fn set(&mut self, name: &str, text: String) {
        let known = match self.args.len() {
            ..FEW => self.args.iter().position(|(known, _)| known == name),
            _ => {
                for (place, (name, _)) in self.args.iter().enumerate().skip(self.places.len()) {
                    self.places.entry(name.clone()).or_insert(place);
                }
                self.places.get(name).copied()
            }
        };
        match known {
            Some(place) => self.args[place].1 = text,
            None => self.args.push((name.to_owned(), text)),
        }
    }
}

/// The stored form of a list of texts.
pub(super) fn stored(parts: &[Option<&str>]) -> String {
    let mut text = String::new();
    ListField::Parts(parts).write_stored(&mut text);
    text
}

/// A value as the text of a term.
pub(super) fn term(value: &str, meaning: TextMeaning) -> String {
    match Json::of(value) {
        Json::Null => "null".to_owned(),
        Json::Text(text) => match meaning {
            TextMeaning::Terms => printed(&text),
            TextMeaning::Numbers if is_numeric(&text) => term(&text, TextMeaning::Themselves),
            _ => string(&text),
        },
        Json::Nested(text) => nested(text),
        other => match argument(&other, &ArgumentTexts::Themselves) {
            Some(Ok(text)) => text.into_owned(),
            Some(Err(text)) => text,
            None => "null".to_owned(),
        },
    }
}

/// A printed value as the text of a term, or as a string if it is none.
fn printed(text: &str) -> String {
    let value = Json::Text(text.into());
    match argument(&value, &ArgumentTexts::Terms(None)) {
        // a term with a comma at its top would be two arguments
        Some(Ok(term)) if top_level_comma(&term).is_none() => term.trim().to_owned(),
        _ => string(text),
    }
}

fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_quoted(&mut out, text, '"').expect("writing to a string cannot fail");
    out
}
