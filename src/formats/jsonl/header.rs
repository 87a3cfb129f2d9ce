//! What a recorder states about its trace: objects with the key `papaver` at the start, at the end, and where events were
//! lost.

use crate::formats::json::facts;
use crate::formats::json::terms::ArgumentTexts;
use crate::formats::json::value::{Json, JsonObject};
use crate::term::Atom;
use crate::term::hash::HashSet;
use crate::term::ops::{OpKind, OpTable};
use crate::trace::{Field, Gap, RecordedAt, TimeUnit, TraceBuilder};

/// What the header states, as far as reading depends on it.
#[derive(Default)]
pub(crate) struct TraceHeader {
    pub(crate) texts: ArgumentTexts,
    /// The unit of integer times: a float among them is one of seconds, and so are they, unless the header says otherwise.
    pub(crate) unit: TimeUnit,
    states_unit: bool,
    /// Whether calls, depths and parents are stated wherever there are any, so that nothing is inferred from nesting.
    pub(crate) states_boxes: bool,
    /// The least depth of an event, as stated.
    pub(crate) least_depth: Option<i64>,
    /// The operators of texts that are terms, where they are not the standard ones.
    operators: Option<Box<OpTable>>,
    /// Whether parts of objects are attributes nevertheless.
    has_parts: bool,
    /// The attributes whose texts are atoms.
    atoms: HashSet<Box<str>>,
    n_stated: Option<i64>,
    /// Whether a recorder, or papaver as it converts, stated at the start what it writes: then it writes a trailer.
    has_recorder: bool,
    has_trailer: bool,
}

/// A key of the header, and the function that takes its value or says what it expected.
type HeaderOption = (&'static str, fn(&mut TraceHeader, &Json<'_>) -> Result<(), &'static str>);

impl TraceHeader {
    /// Nothing is stated so far; terms are read with the operators that scripts declare, if any.
    pub(crate) fn new(operators: Option<Box<OpTable>>) -> TraceHeader {
        TraceHeader { operators, ..TraceHeader::default() }
    }

    /// A time is a float.
    pub(crate) fn has_float(&mut self) {
        if !self.states_unit {
            self.unit = TimeUnit::Seconds;
        }
    }

    /// Reads a header, a trailer or a gap.
    pub(crate) fn read(&mut self, object: &JsonObject<'_>, line: u64, builder: &mut TraceBuilder) {
        let Some(at) = facts::read(object, builder) else { return };
        match at {
            RecordedAt::Start => {
                self.has_recorder |= ["source", "recorder", "boxes"].iter().any(|key| object.get(key).is_some());
            }
            RecordedAt::End => {
                self.has_trailer = true;
                self.n_stated = object.get("events").and_then(Json::integer).or(self.n_stated);
            }
        }
        for message in self.take(object) {
            builder.finding("J5", None, Some(line), message);
        }
    }

    /// Takes over what reading depends on; returns a message for each value that is not understood.
    fn take(&mut self, object: &JsonObject<'_>) -> Vec<String> {
        self.least_depth = object.get("least_depth").and_then(Json::integer).or(self.least_depth);
        self.has_parts |= object.get("objects").and_then(Json::text) == Some("parts");
        let options: [HeaderOption; 6] = [
            ("args", TraceHeader::take_args),
            ("capitals", TraceHeader::take_capitals),
            ("boxes", TraceHeader::take_boxes),
            ("time", TraceHeader::take_unit),
            ("ops", TraceHeader::take_operators),
            ("atoms", TraceHeader::take_atoms),
        ];
        let stated = options.into_iter().filter_map(|(key, take)| Some((object.get(key)?, take)));
        let wrong = stated.filter_map(|(value, take)| Some((take(self, value).err()?, value)));
        wrong
            .map(|(expected, found)| format!("expected {expected} in the header, found `{}`", found.written()))
            .collect()
    }

    fn take_args(&mut self, args: &Json<'_>) -> Result<(), &'static str> {
        match args.text() {
            Some("terms") => self.texts = ArgumentTexts::Terms(self.operators.clone()),
            Some("texts") => self.texts = ArgumentTexts::Themselves,
            _ => return Err("`terms` or `texts` for `args`"),
        }
        Ok(())
    }

    fn take_capitals(&mut self, capitals: &Json<'_>) -> Result<(), &'static str> {
        match capitals.text() {
            Some("variables") if self.has_terms() => self.texts = ArgumentTexts::Written,
            Some("variables" | "names") => {}
            _ => return Err("`variables` or `names` for `capitals`"),
        }
        Ok(())
    }

    fn take_boxes(&mut self, boxes: &Json<'_>) -> Result<(), &'static str> {
        self.states_boxes |= boxes.text() == Some("told");
        if boxes.text() == Some("told") { Ok(()) } else { Err("`told` for `boxes`") }
    }

    fn take_unit(&mut self, unit: &Json<'_>) -> Result<(), &'static str> {
        self.unit = unit.text().and_then(TimeUnit::named).ok_or("`ns`, `us`, `ms` or `s` for `time`")?;
        self.states_unit = true;
        Ok(())
    }

    fn take_operators(&mut self, ops: &Json<'_>) -> Result<(), &'static str> {
        let table = self.with_operators(ops).ok_or("operators like `[[700, \"xfx\", \"==>\"]]` for `ops`")?;
        if self.has_terms() {
            self.texts = ArgumentTexts::Terms(Some(Box::new(table)));
        }
        Ok(())
    }

    fn take_atoms(&mut self, atoms: &Json<'_>) -> Result<(), &'static str> {
        let names = atoms.elements().and_then(|names| names.iter().map(|name| name.text().map(Box::from)).collect());
        let names: Vec<Box<str>> = names.ok_or("an array of names of attributes for `atoms`")?;
        self.atoms.extend(names);
        Ok(())
    }

    /// Whether the texts of an attribute are atoms.
    pub(crate) fn has_atoms(&self, key: &str) -> bool {
        !self.atoms.is_empty() && self.atoms.contains(key)
    }

    fn has_terms(&self) -> bool {
        matches!(self.texts, ArgumentTexts::Terms(_))
    }

    /// Whether the parts of an object become attributes; not if the header states all attributes.
    pub(crate) fn splits_objects(&self) -> bool {
        !self.states_boxes || self.has_parts
    }

    /// Compares with what was read, and notes a truncated trace.
    pub(crate) fn finish(&self, builder: &mut TraceBuilder) {
        if matches!(self.texts, ArgumentTexts::Themselves) {
            builder.recording().record(RecordedAt::Start, "args", Field::Text("texts"));
        }
        if self.has_recorder && !self.has_trailer {
            builder.recording().is_unfinished = true;
        }
        let n_read = i64::from(builder.n_events());
        if let Some(n_stated) = self.n_stated.filter(|n_stated| *n_stated != n_read) {
            builder.finding("J5", None, None, format!("the trailer states {n_stated} events, {n_read} were read"));
            if let Ok(lost) = u64::try_from(n_stated - n_read) {
                let before = builder.n_events();
                builder.recording().gap(Gap { first: 0, before, lost: Some(lost) });
            }
        }
    }

    /// The operators with those of the header.
    fn with_operators(&self, ops: &Json<'_>) -> Option<OpTable> {
        let mut table = self.operators.as_deref().cloned().unwrap_or_else(OpTable::standard);
        for op in ops.elements()? {
            let parts = op.elements()?;
            let [priority, kind, name] = parts.as_slice() else { return None };
            let priority = priority.integer().and_then(|priority| u16::try_from(priority).ok())?;
            let kind = OpKind::from_name(kind.text()?)?;
            table.add((priority <= 1200).then_some(priority)?, kind, Atom::new(name.text()?));
        }
        Some(table)
    }
}
