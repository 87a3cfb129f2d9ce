//! The source texts of goals: scripts and queries, by number.

use std::sync::Arc;

use crate::syntax::diagnostic::Source;
use crate::term::Span;

/// The texts read so far.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    texts: Vec<Arc<Source>>,
    /// The text of the running query.
    query: Option<u32>,
}

impl Sources {
    /// Adds a text and returns its number.
    pub(crate) fn add(&mut self, source: Arc<Source>) -> u32 {
        self.texts.push(source);
        self.texts.len() as u32 - 1
    }

    /// Adds the text of a query that starts.
    pub(crate) fn begin_query(&mut self, source: Arc<Source>) -> u32 {
        let id = self.add(source);
        self.query = Some(id);
        id
    }

    /// Drops the text of the query that ends, unless the query has loaded scripts, whose numbers follow.
    pub(crate) fn end_query(&mut self) {
        if self.query.take().is_some_and(|query| query as usize + 1 == self.texts.len()) {
            self.texts.pop();
        }
    }

    /// The text of the running query.
    pub(crate) fn query(&self) -> Option<&Source> {
        self.query.and_then(|query| self.texts.get(query as usize)).map(Arc::as_ref)
    }

    /// `file:line:column` of a span in a text; `None` in a text without a name, which papaver has generated.
    pub(crate) fn place(&self, source: u32, span: Span) -> Option<String> {
        let source = self.texts.get(source as usize).filter(|source| !source.name.is_empty())?;
        Some(source.place(span.start))
    }
}
