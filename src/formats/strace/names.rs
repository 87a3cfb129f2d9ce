//! Words that repeat: names of calls, and what stands after the values that they return. Each is looked up once.

use std::ops::Range;

use indexmap::IndexSet;

use super::line::ResultDetails;
use super::processes::NameId;
use crate::formats::lines::interner::{BytesInterner, ShortText};
use crate::formats::lines::text;
use crate::term::hash::{HashMap, RandomState};
use crate::trace::{Field, KeyId, ProcRow, TraceBuilder};

/// The codes of one thread, and what the trace has for them.
#[derive(Default)]
pub(crate) struct ThreadCodes {
    name_codes: BytesInterner,
    names: Vec<Option<NameId>>,
    detail_codes: BytesInterner,
    details: Vec<Option<FoundDetails>>,
}

/// What stands after a returned value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownDetails {
    pub(crate) id: DetailsId,
    pub(crate) has_errno: bool,
}

/// Those of nothing.
const NOTHING: KnownDetails = KnownDetails { id: DetailsId::NONE, has_errno: false };

/// The same; none if it breaks the grammar.
type FoundDetails = Option<KnownDetails>;

/// Number of details in their table, from 1; 0 for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DetailsId(u32);

impl DetailsId {
    pub(crate) const NONE: DetailsId = DetailsId(0);

    /// The id as an integer, which [`of`](DetailsId::of) takes.
    pub(crate) fn code(self) -> i64 {
        self.0.into()
    }

    pub(crate) fn of(code: i64) -> DetailsId {
        DetailsId(code as u32)
    }

    /// The index in the table.
    pub(crate) fn index(self) -> Option<usize> {
        Some(self.0.checked_sub(1)? as usize)
    }
}

/// All details that stand after returned values.
#[derive(Debug, Default)]
pub(crate) struct DetailsTable(IndexSet<DetailTexts, RandomState>);

#[derive(Debug, PartialEq, Eq, Hash)]
struct DetailTexts {
    path: Option<Box<str>>,
    errno: Option<Box<str>>,
    text: Option<Box<str>>,
}

impl DetailsTable {
    /// The details with these parts.
    pub(crate) fn known(&mut self, details: ResultDetails<'_>) -> KnownDetails {
        let text = |part: &[u8]| Box::from(&*text::visible(part));
        let texts =
            DetailTexts { path: details.path.map(text), errno: details.errno.map(text), text: details.text.map(text) };
        let has_errno = texts.errno.is_some();
        if details == ResultDetails::default() {
            return NOTHING;
        }
        KnownDetails { id: DetailsId(self.0.insert_full(texts).0 as u32 + 1), has_errno }
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The path with details, by their index.
    pub(crate) fn path(&self, index: usize) -> Option<Field<'_>> {
        self.0.get_index(index)?.path.as_deref().map(Field::Text)
    }

    /// The name of the error in details, by their index.
    pub(crate) fn errno(&self, index: usize) -> Option<Field<'_>> {
        self.0.get_index(index)?.errno.as_deref().map(Field::Atom)
    }

    /// The text in details, by their index.
    pub(crate) fn text(&self, index: usize) -> Option<Field<'_>> {
        self.0.get_index(index)?.text.as_deref().map(Field::Text)
    }
}

/// The code of details that are empty.
pub(crate) const NO_DETAILS: u32 = u32::MAX;

impl ThreadCodes {
    /// The code of a name.
    #[inline]
    pub(crate) fn name(&mut self, text: &[u8], name: Range<usize>) -> u32 {
        let found = self.name_codes.find(text, name.clone(), 0);
        found.unwrap_or_else(|| self.name_codes.add(&text[name], 0))
    }

    /// The code of a short name that has one.
    #[inline(always)]
    pub(crate) fn known_name(&mut self, name: ShortText) -> Option<u32> {
        self.name_codes.find_short(name, 0)
    }

    /// The code of what stands after a value.
    #[inline]
    pub(crate) fn details(&mut self, details: &[u8]) -> u32 {
        if details.is_empty() {
            return NO_DETAILS;
        }
        let found = self.detail_codes.find(details, 0..details.len(), 0);
        found.unwrap_or_else(|| self.detail_codes.add(details, 0))
    }

    /// The name with a code.
    #[inline]
    pub(crate) fn name_id(&mut self, code: u32, names: &mut CallNames) -> NameId {
        if let Some(Some(id)) = self.names.get(code as usize) {
            return *id;
        }
        let id = names.id(self.name_codes.entry(code).0);
        *slot(&mut self.names, code) = Some(id);
        id
    }

    /// The details with a code; none if they break the grammar.
    #[inline]
    pub(crate) fn known_details(&mut self, code: u32, table: &mut DetailsTable) -> Option<KnownDetails> {
        if code == NO_DETAILS {
            return Some(NOTHING);
        }
        *slot(&mut self.details, code).get_or_insert_with(|| {
            let details = ResultDetails::of(self.detail_codes.entry(code).0);
            details.map(|details| table.known(details))
        })
    }
}

fn slot<T>(slots: &mut Vec<Option<T>>, code: u32) -> &mut Option<T> {
    let index = code as usize;
    if slots.len() <= index {
        slots.resize_with(index + 1, || None);
    }
    &mut slots[index]
}

/// How a call appears at an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallPort {
    Call,
    Exit,
    Exception,
    Interrupted,
}

impl CallPort {
    fn name(self) -> &'static str {
        match self {
            CallPort::Call => "call",
            CallPort::Exit => "exit",
            CallPort::Exception => "exception",
            CallPort::Interrupted => "interrupted",
        }
    }
}

/// The name of a call.
struct CallName {
    text: Box<str>,
    keys: [Option<KeyId>; 4],
    makes_process: bool,
}

/// All names of calls.
#[derive(Default)]
pub(crate) struct CallNames {
    ids: HashMap<Box<[u8]>, NameId>,
    names: Vec<CallName>,
}

impl CallNames {
    /// The number of a name.
    pub(crate) fn id(&mut self, name: &[u8]) -> NameId {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let id = self.names.len() as NameId;
        let text = text::visible(name).into_owned().into_boxed_str();
        let makes_process = matches!(&*text, "fork" | "vfork" | "clone" | "clone3");
        self.names.push(CallName { text, keys: [None; 4], makes_process });
        self.ids.insert(name.into(), id);
        id
    }

    /// The name with a number.
    pub(crate) fn text(&self, id: NameId) -> &str {
        &self.names[id as usize].text
    }

    /// Whether calls of that name return a new process.
    #[inline]
    pub(crate) fn makes_process(&self, id: NameId) -> bool {
        self.names[id as usize].makes_process
    }

    /// The key of the events of a port.
    #[inline]
    pub(crate) fn key(&mut self, id: NameId, port: CallPort, builder: &mut TraceBuilder) -> KeyId {
        let CallName { text, keys, .. } = &mut self.names[id as usize];
        *keys[port as usize].get_or_insert_with(|| {
            builder.key(&ProcRow { name: Some(text), ..ProcRow::default() }, Some(port.name()), None)
        })
    }
}
