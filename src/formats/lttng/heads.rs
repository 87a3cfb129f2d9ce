//! Heads of events: what the text before the fields says, the name, and the names of the fields. Most events have a head
//! that an earlier one had: a thread that reads lines numbers those that it finds, and the trace all of them.

use std::ops::Range;

use super::columns::{AttributeIds, ContextThread, KnownContext};
use super::fields::is_hidden;
use super::line::LineForm;
use crate::formats::lines::interner::BytesInterner;
use crate::term::hash::HashMap;
use crate::trace::TraceBuilder;

/// The name of a field, if it has one.
pub(crate) type FieldName = Option<Box<str>>;

/// The number of a head in the trace.
pub(crate) type HeadId = u32;

/// The heads that a thread has found, numbered.
#[derive(Default)]
pub(crate) struct ThreadHeads {
    contexts: BytesInterner,
    /// By context, the head that came last.
    last: Vec<u32>,
    heads: Vec<ThreadHead>,
    numbers: HashMap<(u32, Box<[FieldName]>), u32>,
    /// The numbers in the trace, as far as they are known.
    in_trace: Vec<Option<HeadId>>,
}

struct ThreadHead {
    context: u32,
    /// The name in the text of the context.
    name: Range<usize>,
    fields: Box<[UsualField]>,
}

/// How a field of an event is usually written.
#[derive(Clone, Debug)]
pub(crate) struct UsualField {
    /// What stands before the value: ` id = `, or `, who = ` if another field is before it; none without a name.
    pub(crate) before: Option<Box<[u8]>>,
    /// Whether it is no argument.
    pub(crate) is_hidden: bool,
}

/// Heads of a thread after which it begins anew: a context may hold what differs at each event.
const MOST_HEADS: usize = 1 << 14;

impl ThreadHeads {
    /// Forgets all if there are many.
    pub(crate) fn renew(&mut self) {
        if self.heads.len() > MOST_HEADS {
            *self = ThreadHeads::default();
        }
    }

    /// The head that came last with the context that is a part of a text, in a form, and its fields.
    #[inline]
    pub(crate) fn last(
        &mut self,
        text: &[u8],
        (context, form): (Range<usize>, LineForm),
    ) -> Option<(u32, &[UsualField])> {
        let context = self.contexts.find(text, context, form as i64)?;
        let head = self.last[context as usize];
        Some((head, &self.heads[head as usize].fields))
    }

    /// The number of a head; `name` is the place of the name in the text of the context.
    pub(crate) fn number(
        &mut self,
        (context, form): (&str, LineForm),
        name: Range<usize>,
        fields: Box<[FieldName]>,
    ) -> u32 {
        let (text, tag) = (context.as_bytes(), form as i64);
        let found = self.contexts.find(text, 0..text.len(), tag);
        let context = found.unwrap_or_else(|| self.contexts.add(text, tag));
        let next = self.heads.len() as u32;
        let head = *self.numbers.entry((context, fields)).or_insert_with_key(|(context, fields)| {
            self.heads.push(ThreadHead { context: *context, name, fields: usual_fields(fields) });
            self.in_trace.push(None);
            next
        });
        match self.last.get_mut(context as usize) {
            Some(last) => *last = head,
            None => self.last.push(head),
        }
        head
    }

    /// The number in the trace of a head.
    #[inline]
    pub(crate) fn in_trace(&mut self, head: u32, trace: &mut TraceHeads, builder: &mut TraceBuilder) -> HeadId {
        match self.in_trace[head as usize] {
            Some(id) => id,
            None => self.new_in_trace(head, trace, builder),
        }
    }

    #[cold]
    fn new_in_trace(&mut self, head: u32, trace: &mut TraceHeads, builder: &mut TraceBuilder) -> HeadId {
        let ThreadHead { context, name, fields } = &self.heads[head as usize];
        let (_, form) = self.contexts.entry(*context);
        let form = if form == LineForm::Short as i64 { LineForm::Short } else { LineForm::All };
        let shown = fields.iter().filter(|field| !field.is_hidden).map(UsualField::name).collect();
        let id = trace.number((self.contexts.text(*context), form), name.clone(), shown, builder);
        self.in_trace[head as usize] = Some(id);
        id
    }
}

fn usual_fields(names: &[FieldName]) -> Box<[UsualField]> {
    let usual = |(index, name): (usize, &FieldName)| UsualField {
        before: name.as_ref().map(|name| format!("{} {name} = ", if index > 0 { "," } else { "" }).into_bytes().into()),
        is_hidden: is_hidden(name.as_deref()),
    };
    names.iter().enumerate().map(usual).collect()
}

impl UsualField {
    fn name(&self) -> FieldName {
        let before = std::str::from_utf8(self.before.as_deref()?).ok()?;
        Some(before.trim_start_matches(',').trim_start().trim_end_matches(" = ").into())
    }
}

/// All heads of a trace.
pub(crate) struct TraceHeads {
    ids: AttributeIds,
    names: HashMap<Box<str>, u32>,
    pub(crate) contexts: Vec<KnownContext>,
    context_numbers: HashMap<Box<str>, u32>,
    threads: HashMap<ContextThread, u32>,
    /// Lists of names of arguments.
    arg_names: Vec<Box<[FieldName]>>,
    list_numbers: HashMap<Box<[FieldName]>, u32>,
    pub(crate) heads: Vec<EventHead>,
    numbers: HashMap<(u32, u32), HeadId>,
}

/// What an event has before its values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventHead {
    pub(crate) context: u32,
    pub(crate) name: u32,
    /// The number of the thread to whose boxes the event belongs.
    pub(crate) thread: u32,
    arg_names: u32,
}

impl TraceHeads {
    pub(crate) fn new(ids: AttributeIds) -> TraceHeads {
        TraceHeads {
            ids,
            names: HashMap::default(),
            contexts: Vec::new(),
            context_numbers: HashMap::default(),
            threads: HashMap::default(),
            arg_names: Vec::new(),
            list_numbers: HashMap::default(),
            heads: Vec::new(),
            numbers: HashMap::default(),
        }
    }

    /// The number of a name.
    pub(crate) fn name(&mut self, name: &str) -> u32 {
        let next = self.names.len() as u32;
        match self.names.get(name) {
            Some(number) => *number,
            None => *self.names.entry(name.into()).or_insert(next),
        }
    }

    /// All names in the order of their numbers.
    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names = vec![""; self.names.len()];
        self.names.iter().for_each(|(name, number)| names[*number as usize] = name);
        names
    }

    /// The number of threads.
    pub(crate) fn n_threads(&self) -> usize {
        self.threads.len()
    }

    /// The names of the arguments of an event.
    pub(crate) fn arg_names(&self, head: &EventHead) -> &[FieldName] {
        &self.arg_names[head.arg_names as usize]
    }

    fn number(
        &mut self,
        (text, form): (&str, LineForm),
        name: Range<usize>,
        shown: Box<[FieldName]>,
        builder: &mut TraceBuilder,
    ) -> HeadId {
        // the name of the event is part of the text, but not of the context
        let name = self.name(&text[name]);
        let context = self.context(text, form, builder);
        let next = self.arg_names.len() as u32;
        let arg_names = *self.list_numbers.entry(shown.clone()).or_insert(next);
        if arg_names == next {
            self.arg_names.push(shown);
        }
        let next = self.heads.len() as HeadId;
        let head = *self.numbers.entry((context, arg_names)).or_insert(next);
        if head == next {
            let n_threads = self.threads.len() as u32;
            let of_context = &self.contexts[context as usize].thread;
            let thread = *self.threads.entry(of_context.clone()).or_insert(n_threads);
            self.heads.push(EventHead { context, name, thread, arg_names });
        }
        head
    }

    fn context(&mut self, text: &str, form: LineForm, builder: &mut TraceBuilder) -> u32 {
        if let Some(number) = self.context_numbers.get(text) {
            return *number;
        }
        let number = self.contexts.len() as u32;
        self.contexts.push(KnownContext::of(text, form, &self.ids, builder));
        self.context_numbers.insert(text.into(), number);
        number
    }

    /// Bytes of memory in use.
    pub(crate) fn n_bytes(&self) -> usize {
        let of_contexts: usize = self.contexts.iter().map(KnownContext::n_bytes).sum();
        of_contexts + self.heads.len() * size_of::<EventHead>()
    }
}
