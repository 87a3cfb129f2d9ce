//! From objects to events: reads each object key by key, finds its box, and hands its row to the builder.

use std::borrow::Cow;
use std::hash::BuildHasher;

use smallvec::SmallVec;

use super::boxes::{BoxRole, JsonBoxes, StatedBox};
use super::columns::{KeyColumns, KeyMeaning, known};
use super::goal_path::goal_path;
use super::header::TraceHeader;
use super::rules::{FaultCounts, ValueFault};
use super::{VARIABLES, time};
use crate::formats::json::own_value::OwnValue;
use crate::formats::json::value::{Json, JsonObject};
use crate::formats::json::{plain_terms, terms};
use crate::formats::lines::Lines;
use crate::formats::mercury::local_vars;
use crate::formats::mercury::procedure;
use crate::syntax::is_term;
use crate::term::hash::{HashMap, RandomState};
use crate::trace::{AttributeId, BASE, EventRow, Field, ListField, TraceBuilder};

/// Reads the objects of a trace.
#[derive(Default)]
pub(crate) struct JsonLinesReader {
    pub(crate) header: TraceHeader,
    pub(crate) faults: FaultCounts,
    pub(crate) boxes: JsonBoxes,
    pub(super) keys: KeyColumns,
    roles: HashMap<Box<str>, BoxRole>,
    hasher: RandomState,
    /// For each attribute, the number of the event that set it last, and the place of the value in `extra` of that
    /// event.
    last_set: Vec<(u64, usize)>,
    n_read: u64,
    least_depth: Option<i64>,
    /// Whether half of a character was found, which is told once.
    pub(crate) has_halves: bool,
}

/// A list of texts, with `None` for null.
pub(super) type TextList<'t> = Vec<Option<Cow<'t, str>>>;

/// An event while its object is read.
#[derive(Default)]
pub(super) struct ObjectEvent<'t, 'o> {
    pub(super) line: u64,
    pub(super) row: EventRow<'o>,
    pub(super) has_no_arity: bool,
    pub(super) args: Option<TextList<'t>>,
    pub(super) arg_types: Option<TextList<'t>>,
    pub(super) arg_names: Option<TextList<'t>>,
    pub(super) parent: Option<i64>,
    /// The texts of `pid`, `thread` and `tid`.
    pub(super) thread: [Cow<'o, str>; 3],
    pub(super) extra: SmallVec<[(AttributeId, OwnValue<'t>); 4]>,
}

impl JsonLinesReader {
    /// A reader for a trace, from its first line on.
    pub(crate) fn new(lines: &mut Lines) -> JsonLinesReader {
        let mut header = TraceHeader::new(lines.operators.take());
        if time::has_floats(lines.sample()) {
            header.has_float();
        }
        JsonLinesReader { header, ..JsonLinesReader::default() }
    }

    /// Reads a header or trailer.
    pub(crate) fn about(&mut self, object: &JsonObject<'_>, line: u64, builder: &mut TraceBuilder) {
        self.header.read(object, line, builder);
        self.boxes.are_stated = self.header.states_boxes;
    }

    /// Reads the event that the object on a line describes.
    pub(crate) fn event(&mut self, object: &JsonObject<'_>, line: u64, builder: &mut TraceBuilder) {
        self.n_read += 1;
        let mut event = ObjectEvent { line, ..ObjectEvent::default() };
        for (key, value) in &object.0 {
            self.set(&mut event, key, value, builder);
        }
        self.push(event, builder);
    }

    /// Hands the builder what is known only after the last event.
    pub(crate) fn finish(self, builder: &mut TraceBuilder) {
        self.boxes.finish(builder);
        self.faults.report(builder);
        let least_depth = if self.header.states_boxes { self.header.least_depth } else { self.least_depth };
        builder.recording().least_depth = least_depth.filter(|depth| *depth != 1);
        self.header.finish(builder);
    }

    fn set<'t, 'o>(
        &mut self,
        event: &mut ObjectEvent<'t, 'o>,
        key: &str,
        value: &'o Json<'t>,
        builder: &mut TraceBuilder,
    ) {
        let slot = self.keys.slot(key, builder);
        if *value == Json::Null {
            event.has_no_arity |= known(slot.id, slot.meaning) == Some(AttributeId::ARITY);
            let own = slot.id.filter(|_| slot.meaning != KeyMeaning::Known);
            return own.into_iter().for_each(|id| builder.let_stand(id));
        }
        match slot.meaning {
            KeyMeaning::Known => {
                if let Err(fault) = self.set_known(event, slot.id, value, builder) {
                    self.keep(event, key, value, fault, builder);
                }
            }
            KeyMeaning::Time => {
                if matches!(value, Json::Decimal(_)) {
                    self.header.has_float();
                }
                match time::nanoseconds(value, self.header.unit) {
                    Some(time) => self.set_extra(event, slot.id, key, OwnValue::Int(time)),
                    None => self.keep(event, key, value, ValueFault::Kind("a time"), builder),
                }
            }
            KeyMeaning::Result => {
                let result = self.result(event.line, value);
                self.set_extra(event, slot.id, key, result);
            }
            KeyMeaning::Thread | KeyMeaning::Own => {
                if slot.meaning == KeyMeaning::Thread {
                    event.set_thread(key, value);
                }
                self.set_own(event, (slot.id, key), value, builder);
            }
        }
    }

    /// Sets an attribute that only the writer knows, and its parts if its value is an object.
    fn set_own<'t>(
        &mut self,
        event: &mut ObjectEvent<'t, '_>,
        (id, key): (Option<AttributeId>, &str),
        value: &Json<'t>,
        builder: &mut TraceBuilder,
    ) {
        let own = OwnValue::of(value);
        let own = if self.header.has_atoms(key) { own.text_as_atom() } else { own };
        let has_parts = self.header.splits_objects() && matches!(own, OwnValue::Json(_));
        self.set_extra(event, id, key, own);
        if has_parts {
            self.set_parts(event, key, value, builder);
        }
    }

    /// Sets an attribute of the table `BASE`; an error if the attribute cannot have the value.
    fn set_known<'t, 'o>(
        &mut self,
        event: &mut ObjectEvent<'t, 'o>,
        id: Option<AttributeId>,
        value: &'o Json<'t>,
        builder: &mut TraceBuilder,
    ) -> Result<(), ValueFault> {
        let Some(id) = id else { return Err(ValueFault::TooMany) };
        if let Some(field) = event.integer_field(id) {
            *field = Some(value.integer().ok_or(ValueFault::Kind("an integer"))?);
        } else if let Some(field) = event.text_field(id) {
            *field = Some(value.text().ok_or(ValueFault::Kind("a text"))?);
        } else if let Some(field) = event.list_field(id) {
            *field = Some(texts(value).ok_or(ValueFault::Kind("an array"))?);
        } else {
            self.set_structured(event, id, value, builder)?;
        }
        Ok(())
    }

    /// Sets an attribute of the table that is neither an integer nor a text nor a list of texts.
    fn set_structured<'t, 'o>(
        &mut self,
        event: &mut ObjectEvent<'t, 'o>,
        id: AttributeId,
        value: &'o Json<'t>,
        builder: &mut TraceBuilder,
    ) -> Result<(), ValueFault> {
        match id {
            AttributeId::GOAL_PATH => {
                event.row.goal_path = Some(goal_path(value, builder).ok_or(ValueFault::Kind("an array of steps"))?);
            }
            AttributeId::PROC => {
                let proc = value.text().ok_or(ValueFault::Kind("a text"))?;
                event.row.proc = procedure(proc).ok_or(ValueFault::Kind("a procedure like `m:p/2-0`"))?;
            }
            AttributeId::CALL => {
                event.row.call = Some(self.call(value).ok_or(ValueFault::Kind("an integer or a text"))?);
                self.keep_text(event, "call", value, builder);
            }
            AttributeId::PARENT => {
                event.parent = Some(self.call(value).ok_or(ValueFault::Kind("an integer or a text"))?);
                self.keep_text(event, "parent", value, builder);
            }
            AttributeId::ARGS => event.args = Some(self.args(event.line, value)?),
            _ => {
                let value = match OwnValue::of(value) {
                    OwnValue::Text(text) if VARIABLES.contains(&id) => {
                        self.variables(event.line, BASE[id.index()].name, text)
                    }
                    other => other,
                };
                self.set_extra(event, Some(id), "", value);
            }
        }
        Ok(())
    }

    /// The number of a call that the object states as an integer or as a text.
    fn call(&mut self, value: &Json<'_>) -> Option<i64> {
        match value {
            Json::Text(text) => Some(self.boxes.numbers.of_text(text)),
            _ => value.integer().map(|number| self.boxes.numbers.of_integer(number)),
        }
    }

    /// Keeps a call as the object states it, if that is not its number in the trace.
    fn keep_text<'t>(
        &mut self,
        event: &mut ObjectEvent<'t, '_>,
        key: &str,
        value: &Json<'t>,
        builder: &mut TraceBuilder,
    ) {
        let number = if key == "call" { event.row.call } else { event.parent };
        if value.text().is_some() {
            self.keep_as(event, key, value, builder);
        } else if value.integer() != number {
            self.keep(event, key, value, ValueFault::Taken, builder);
        }
    }

    fn args<'t>(&mut self, line: u64, value: &Json<'t>) -> Result<TextList<'t>, ValueFault> {
        let elements = value.elements().ok_or(ValueFault::Kind("an array"))?;
        let faults = &mut self.faults;
        let argument = |element: &Json<'t>| match terms::argument(element, &self.header.texts)? {
            Ok(text) => Some(text),
            Err(text) => {
                faults.add("args", ValueFault::NoTerm, line, element.text().unwrap_or_default());
                Some(Cow::Owned(text))
            }
        };
        Ok(elements.iter().map(argument).collect())
    }

    /// The result of a function, read like an argument.
    fn result<'t>(&mut self, line: u64, value: &Json<'t>) -> OwnValue<'t> {
        match (value, &self.header.texts) {
            (Json::Text(_), terms::ArgumentTexts::Themselves) => OwnValue::of(value),
            (Json::Text(text), texts) => match terms::argument(value, texts) {
                Some(Ok(term)) => OwnValue::Term(term),
                _ => {
                    self.faults.add("result", ValueFault::NoTerm, line, text);
                    OwnValue::of(value)
                }
            },
            _ => OwnValue::of(value),
        }
    }

    /// Reads the text of live variables as a term, with types as terms and strings in place of values that are no terms.
    fn variables<'t>(&mut self, line: u64, key: &str, text: Cow<'t, str>) -> OwnValue<'t> {
        let is_term = plain_terms::is_plain(text.as_bytes()) || is_term(&text);
        let has_texts = text.contains("\")");
        let read = if is_term && !has_texts { None } else { local_vars::with_strings(&text) };
        let (term, strings) = match read {
            Some((list, strings)) => (OwnValue::Term(Cow::Owned(list)), strings),
            None if is_term => return OwnValue::Term(text),
            None => (OwnValue::Text(text.clone()), vec![text.into_owned()]),
        };
        strings.iter().for_each(|text| self.faults.add(key, ValueFault::NoTerm, line, text));
        term
    }

    /// Counts a value that its attribute cannot have, and keeps it.
    fn keep<'t>(
        &mut self,
        event: &mut ObjectEvent<'t, '_>,
        key: &str,
        value: &Json<'t>,
        fault: ValueFault,
        builder: &mut TraceBuilder,
    ) {
        self.faults.add(key, fault, event.line, &value.written());
        self.keep_as(event, key, value, builder);
    }

    /// Keeps a value in the attribute `KEY_`.
    fn keep_as<'t>(
        &mut self,
        event: &mut ObjectEvent<'t, '_>,
        key: &str,
        value: &Json<'t>,
        builder: &mut TraceBuilder,
    ) {
        let slot = self.keys.slot(&format!("{key}_"), builder);
        self.set_extra(event, slot.id, key, OwnValue::of(value));
    }

    /// Sets each part of an object as an attribute of its own.
    fn set_parts<'t>(
        &mut self,
        event: &mut ObjectEvent<'t, '_>,
        key: &str,
        value: &Json<'t>,
        builder: &mut TraceBuilder,
    ) {
        let mut objects: Vec<(String, JsonObject<'t>)> =
            value.entries().map(|object| (key.to_owned(), object)).into_iter().collect();
        while let Some((key, object)) = objects.pop() {
            for (sub, value) in object.0 {
                let key = format!("{key}.{sub}");
                if value == Json::Null {
                    continue;
                }
                let Some(id) = self.keys.part(&key, builder) else { continue };
                self.set_extra(event, Some(id), &key, OwnValue::of(&value));
                if key.len() < MOST_KEY_BYTES {
                    objects.extend(value.entries().map(|object| (key, object)));
                }
            }
        }
    }

    /// Sets an attribute; of two values for one event, the last counts.
    fn set_extra<'t>(
        &mut self,
        event: &mut ObjectEvent<'t, '_>,
        id: Option<AttributeId>,
        key: &str,
        value: OwnValue<'t>,
    ) {
        let Some(id) = id else {
            self.faults.add("", ValueFault::TooMany, event.line, key);
            return;
        };
        if self.last_set.len() <= id.index() {
            self.last_set.resize(id.index() + 1, (0, 0));
        }
        let last = &mut self.last_set[id.index()];
        if last.0 == self.n_read {
            event.extra[last.1].1 = value;
            return;
        }
        *last = (self.n_read, event.extra.len());
        event.extra.push((id, value));
    }

    /// Adds an event, in the box that it belongs to.
    pub(super) fn push(&mut self, mut event: ObjectEvent<'_, '_>, builder: &mut TraceBuilder) {
        let row = &mut event.row;
        if row.proc.arity.is_none() && !event.has_no_arity {
            row.proc.arity = event.args.as_ref().and_then(|args| i64::try_from(args.len()).ok());
        }
        row.port = Some(row.port.unwrap_or("event"));
        self.place(&mut event, builder);
        let lists = [&event.args, &event.arg_types, &event.arg_names].map(parts);
        let [args, arg_types, arg_names] = [0, 1, 2].map(|index| match &lists[index] {
            Some(parts) => ListField::Parts(parts),
            None => ListField::Absent,
        });
        let extra: SmallVec<[(AttributeId, Field<'_>); 4]> =
            event.extra.iter().map(|(id, value)| (*id, value.as_field())).collect();
        builder.push(&EventRow { args, arg_types, arg_names, extra: &extra, source_line: event.line, ..event.row });
    }

    /// Finds the box of the event.
    fn place(&mut self, event: &mut ObjectEvent<'_, '_>, builder: &mut TraceBuilder) {
        // mostly no attribute names a thread
        let thread = match event.thread.iter().all(|part| part.is_empty()) {
            true => String::new(),
            false => event.thread.join("\u{1f}"),
        };
        let row = &mut event.row;
        let role = self.role(row.port.unwrap_or_default(), builder);
        let proc = row.proc.name.map(|name| self.hasher.hash_one((name, row.proc.decl_module)));
        let (call, depth, arity) = (row.call, row.depth, row.proc.arity);
        let stated = StatedBox { role, call, parent: event.parent, depth, proc, arity, thread: &thread };
        let place = self.boxes.place(builder.n_events(), &stated);
        (row.call, row.depth) = (place.call, place.depth);
        self.least_depth = self.least_depth.into_iter().chain(place.depth).min();
        if let Some(of_call) = place.arity_of_call.filter(|_| !event.has_no_arity) {
            if let Some(shown) = arity {
                let shown = format!("{shown} arguments, and {of_call} at the call");
                self.faults.add("args", ValueFault::Arity, event.line, &shown);
            }
            row.proc.arity = Some(of_call);
        }
        if let (Some(of_call), Some(depth)) = (place.depth_of_call, depth) {
            self.faults.add("depth", ValueFault::Depth, event.line, &format!("{depth} is not {of_call}, that"));
        }
    }

    /// What events of a port do to their boxes.
    fn role(&mut self, port: &str, builder: &TraceBuilder) -> BoxRole {
        if let Some(role) = self.roles.get(port) {
            return *role;
        }
        let role = builder.origin().ports.find(port).map_or(BoxRole::Point, |record| record.role.into());
        if self.roles.len() < MOST_ROLES {
            self.roles.insert(port.into(), role);
        }
        role
    }
}

/// The attributes that together say in which thread an event happened.
pub(super) const THREAD_KEYS: [&str; 3] = ["pid", "thread", "tid"];

/// The roles of at most this many ports are remembered.
const MOST_ROLES: usize = 256;

/// A part with a key of this length is not split further.
const MOST_KEY_BYTES: usize = 256;

impl<'t, 'o> ObjectEvent<'t, 'o> {
    /// The field of an attribute that is an integer.
    pub(super) fn integer_field(&mut self, id: AttributeId) -> Option<&mut Option<i64>> {
        Some(match id {
            AttributeId::CHRONO => &mut self.row.chrono,
            AttributeId::DEPTH => &mut self.row.depth,
            AttributeId::LINE_NUMBER => &mut self.row.line_number,
            AttributeId::ARITY => &mut self.row.proc.arity,
            AttributeId::MODE_NUMBER => &mut self.row.proc.mode_number,
            _ => return None,
        })
    }

    /// The field of an attribute that is a text.
    pub(super) fn text_field(&mut self, id: AttributeId) -> Option<&mut Option<&'o str>> {
        Some(match id {
            AttributeId::PORT => &mut self.row.port,
            AttributeId::DET => &mut self.row.det,
            AttributeId::PROC_TYPE => &mut self.row.proc.proc_type,
            AttributeId::DECL_MODULE => &mut self.row.proc.decl_module,
            AttributeId::DEF_MODULE => &mut self.row.proc.def_module,
            AttributeId::NAME => &mut self.row.proc.name,
            _ => return None,
        })
    }

    /// The field of an attribute that is a list of texts.
    pub(super) fn list_field(&mut self, id: AttributeId) -> Option<&mut Option<TextList<'t>>> {
        Some(match id {
            AttributeId::ARG_TYPES => &mut self.arg_types,
            AttributeId::ARG_NAMES => &mut self.arg_names,
            _ => return None,
        })
    }

    fn set_thread(&mut self, key: &str, value: &'o Json<'_>) {
        let place = THREAD_KEYS.iter().position(|name| *name == key);
        let text = value.text().map_or_else(|| Cow::Owned(value.written().into_owned()), Cow::Borrowed);
        self.thread[place.unwrap_or(0)] = text;
    }
}

fn parts<'c>(list: &'c Option<TextList<'_>>) -> Option<Vec<Option<&'c str>>> {
    list.as_ref().map(|parts| parts.iter().map(Option::as_deref).collect())
}

/// The elements of an array as texts; null becomes `None`.
fn texts<'t>(value: &Json<'t>) -> Option<TextList<'t>> {
    let text = |element: Json<'t>| match element {
        Json::Null => None,
        Json::Text(text) => Some(text),
        other => Some(other.written()),
    };
    Some(value.elements()?.into_iter().map(text).collect())
}
