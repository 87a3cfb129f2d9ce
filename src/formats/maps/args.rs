//! Arguments: packed by chunk as they stand in the lines, and made terms when a query needs them.

use std::sync::Arc;

use super::line::{EventFields, Found};
use crate::formats::json::terms::{ArgumentTexts, argument};
use crate::formats::json::value::Json;
use crate::formats::lines::packed;
use crate::formats::mapping::{Source, SourceRoot};
use crate::trace::{EventId, KnownColumns, LazyLists, ListField, TraceBuilder};

/// The arguments of the events of a chunk: of each event their number, of each argument its kind, its length and its text.
#[derive(Debug, Default)]
pub(super) struct ChunkArgs {
    bytes: Vec<u8>,
    /// The same, packed.
    packed: Vec<u8>,
}

/// How the text of an argument is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArgKind {
    Absent,
    Text,
    Integer,
    Decimal,
    /// Any other JSON.
    Json,
}

impl ArgKind {
    const ALL: [ArgKind; 5] = [ArgKind::Absent, ArgKind::Text, ArgKind::Integer, ArgKind::Decimal, ArgKind::Json];
}

impl ChunkArgs {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.packed.clear();
    }

    /// Adds the arguments of the next event up to the last one that is there; returns how many these are.
    pub(super) fn push<'v>(&mut self, sources: &'v [(Box<str>, Source)], fields: &EventFields<'v>) -> u32 {
        let number_at = self.bytes.len();
        self.bytes.push(0);
        let (mut n_args, mut end) = (0, self.bytes.len());
        for (index, (_, source)) in sources.iter().enumerate() {
            if self.push_arg(source, fields) {
                (n_args, end) = (index + 1, self.bytes.len());
            }
        }
        self.bytes.truncate(end);
        match u8::try_from(n_args) {
            Ok(small) if small < u8::MAX => self.bytes[number_at] = small,
            _ => {
                let number = [&[u8::MAX], (n_args as u32).to_le_bytes().as_slice()].concat();
                self.bytes.splice(number_at..=number_at, number);
            }
        }
        n_args as u32
    }

    /// Adds the next argument; returns whether it is there.
    fn push_arg<'v>(&mut self, source: &'v Source, fields: &EventFields<'v>) -> bool {
        if let [path] = source.paths.as_slice()
            && matches!(path.root, SourceRoot::Rest)
            && path.steps.is_empty()
        {
            return self.push_rest(fields);
        }
        match fields.find(source) {
            Some(Found::Int(value)) => self.push_text(ArgKind::Integer, &value.to_string()),
            Some(found) => found.with(|value| match value {
                Json::Null => self.push_text(ArgKind::Absent, ""),
                Json::Text(text) => self.push_text(ArgKind::Text, text),
                Json::Integer(digits) => self.push_text(ArgKind::Integer, digits),
                Json::Decimal(text) => self.push_text(ArgKind::Decimal, text),
                Json::Nested(text) => self.push_text(ArgKind::Json, text),
                Json::Bool(_) => self.push_text(ArgKind::Json, &value.written()),
            }),
            None => self.push_text(ArgKind::Absent, ""),
        }
    }

    fn push_text(&mut self, kind: ArgKind, text: &str) -> bool {
        self.bytes.push(kind as u8);
        if kind != ArgKind::Absent {
            self.push_length(text.len());
            self.bytes.extend_from_slice(text.as_bytes());
        }
        kind != ArgKind::Absent
    }

    /// Adds the fields that are not shown otherwise, as an object.
    fn push_rest(&mut self, fields: &EventFields<'_>) -> bool {
        let n_bytes: usize = fields.element.rest().map(|part| part.len() + 1).sum();
        if n_bytes == 0 {
            return self.push_text(ArgKind::Absent, "");
        }
        self.bytes.push(ArgKind::Json as u8);
        self.push_length(n_bytes + 1);
        let mut before = b'{';
        for part in fields.element.rest() {
            self.bytes.push(before);
            self.bytes.extend_from_slice(part.as_bytes());
            before = b',';
        }
        self.bytes.push(b'}');
        true
    }

    fn push_length(&mut self, length: usize) {
        match u8::try_from(length) {
            Ok(small) if small < u8::MAX => self.bytes.push(small),
            _ => {
                self.bytes.push(u8::MAX);
                // less than a chunk, which is less than 4 GiB long
                self.bytes.extend_from_slice(&(length as u32).to_le_bytes());
            }
        }
    }

    /// Packs what was added.
    pub(super) fn pack(&mut self) {
        packed::pack(&self.bytes, &mut self.packed);
    }
}

/// The arguments of all events, packed.
#[derive(Debug, Default)]
pub(super) struct AllArgs {
    blocks: Vec<ArgBlock>,
    /// Events without arguments of their own, in rising order.
    without: Vec<EventId>,
    has_some: bool,
}

/// The arguments of the events of a chunk.
#[derive(Debug)]
struct ArgBlock {
    first_event: EventId,
    n_bytes: usize,
    packed: Box<[u8]>,
}

impl AllArgs {
    /// Adds the arguments of the events from `first_event` on; `has_some` says whether one of these has arguments.
    pub(super) fn add(&mut self, first_event: EventId, args: &ChunkArgs, has_some: bool) {
        if has_some {
            self.has_some = true;
            self.blocks.push(ArgBlock {
                first_event,
                n_bytes: args.bytes.len(),
                packed: args.packed.as_slice().into(),
            });
        }
    }

    /// Declares that an event has no arguments of its own.
    pub(super) fn leave_without(&mut self, event: EventId) {
        self.without.push(event);
    }

    /// Hands all to a lazy column.
    pub(super) fn leave(mut self, builder: &mut TraceBuilder) {
        if !self.has_some || builder.n_events() == 0 {
            return;
        }
        self.blocks.shrink_to_fit();
        self.without.shrink_to_fit();
        let n_packed: usize = self.blocks.iter().map(|block| block.packed.len()).sum();
        let n_tables = self.blocks.len() * size_of::<ArgBlock>() + self.without.len() * size_of::<EventId>();
        builder.keeps_tables(n_packed + n_tables);
        let all = Arc::new(self);
        builder.lazy_args(move |_: &KnownColumns, column| all.fill(column));
    }

    fn fill(&self, column: &mut LazyLists) {
        let (mut bytes, mut written) = (Vec::new(), String::new());
        for block in &self.blocks {
            packed::unpack(&block.packed, block.n_bytes, &mut bytes);
            let mut rest = PackedArgs(&bytes);
            let mut event = block.first_event;
            while !rest.0.is_empty() {
                while self.without.binary_search(&event).is_ok() {
                    event += 1;
                }
                written.clear();
                if rest.write(&mut written) {
                    let list = column.list(&written);
                    column.set(event, ListField::Known(list));
                }
                event += 1;
            }
        }
    }
}

/// What is left of the arguments of a chunk.
struct PackedArgs<'b>(&'b [u8]);

impl<'b> PackedArgs<'b> {
    /// Writes the arguments of the next event as the language writes them; returns whether there are some.
    fn write(&mut self, out: &mut String) -> bool {
        let n_args = self.number();
        for index in 0..n_args {
            out.push_str(if index > 0 { ", " } else { "" });
            match self.arg().and_then(|value| argument(&value, &ArgumentTexts::Themselves)?.ok()) {
                Some(text) => out.push_str(&text),
                None => out.push('-'),
            }
        }
        n_args > 0
    }

    /// The next argument; none if it is absent.
    fn arg(&mut self) -> Option<Json<'b>> {
        let kind = ArgKind::ALL[usize::from(self.byte())];
        if kind == ArgKind::Absent {
            return None;
        }
        let length = self.number();
        let text = std::str::from_utf8(self.bytes(length)).unwrap_or_default();
        Some(match kind {
            ArgKind::Absent => return None,
            ArgKind::Text => Json::Text(text.into()),
            ArgKind::Integer => Json::Integer(text),
            ArgKind::Decimal => Json::Decimal(text),
            ArgKind::Json => Json::of(text),
        })
    }

    fn number(&mut self) -> usize {
        match self.byte() {
            u8::MAX => {
                let bytes = self.bytes(4).first_chunk().copied().unwrap_or_default();
                u32::from_le_bytes(bytes) as usize
            }
            small => small.into(),
        }
    }

    fn byte(&mut self) -> u8 {
        self.bytes(1).first().copied().unwrap_or_default()
    }

    fn bytes(&mut self, length: usize) -> &'b [u8] {
        let (bytes, rest) = self.0.split_at_checked(length).unwrap_or_default();
        self.0 = rest;
        bytes
    }
}
