//! Goals of a page: their answers as layers, found one goal after the other with the limits of the prompt.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use crate::app::context::CommandContext;
use crate::engine::{Remarks, Stopped};
use crate::session::{Answer, Session, with_event_numbers};
use crate::syntax::ReadTerm;
use crate::syntax::diagnostic::{Diagnostic, Source};
use crate::syntax::read_goal;
use crate::term::print::{self, Spacing, Style};
use crate::term::{Node, NodeId};
use crate::view::{LayerEvent, LayerRow, PageLayer, PageTrace, Place};

/// The most answers of a layer.
const MOST_ROWS: usize = 1000;
/// The most subterms and the deepest nesting that a cell shows.
const MOST_TERMS: usize = 400;
const MOST_DEPTH: usize = 60;
/// The most bytes of a goal's own output that are kept.
const MOST_OUTPUT: usize = 100_000;

/// A session whose answers a page shows.
pub(super) struct GoalSession<'c> {
    pub(super) session: Session,
    pub(super) context: &'c CommandContext,
    pub(super) output: GoalOutput,
}

/// What goals write.
#[derive(Clone, Default)]
pub(super) struct GoalOutput(Rc<RefCell<Vec<u8>>>);

impl GoalOutput {
    fn take(&self) -> String {
        String::from_utf8_lossy(&self.0.take()).into_owned()
    }
}

impl Write for GoalOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut kept = self.0.borrow_mut();
        let n_kept = bytes.len().min(MOST_OUTPUT.saturating_sub(kept.len()));
        kept.extend_from_slice(&bytes[..n_kept]);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl GoalSession<'_> {
    /// The answers of a goal on all of some traces.
    pub(super) fn layer(&mut self, traces: &[PageTrace], id: usize, goal: &str) -> PageLayer {
        let mut layer = PageLayer {
            id,
            goal: goal.to_string(),
            color: id,
            columns: Vec::new(),
            rows: Vec::new(),
            more: false,
            error: None,
            note: None,
        };
        let source = Source::new("goal", goal);
        let goals = self.session.goals();
        let read = match read_goal(goal, &goals.operators, &goals.flags) {
            Ok(read) => read,
            Err(error) => {
                layer.error = Some(Diagnostic::syntax(&source, error).to_string());
                return layer;
            }
        };
        let named = |(name, ..): &(String, u32, crate::term::Span, u32)| name.clone();
        layer.columns = read.variables.iter().map(named).filter(|name| !name.starts_with('_')).collect();
        let (watched, numbers) = with_event_numbers(&read);
        let mut notes = Vec::new();
        for of in traces {
            super::open(&mut self.session, &of.timeline.trace);
            let asked = Asked { goal: &watched, source: &source, numbers: &numbers, of };
            match self.answers(&asked, &mut layer) {
                Ok(remarks) if layer.rows.is_empty() => notes.extend(remarks.reasons()),
                Ok(_) => {}
                Err(stop) => {
                    layer.error = Some(self.in_words(&stop));
                    break;
                }
            }
        }
        let output = self.output.take();
        notes.extend(Some(output).filter(|output| !output.is_empty()));
        layer.note = Some(notes.join("\n")).filter(|note| !note.is_empty());
        layer
    }

    fn answers(&mut self, asked: &Asked<'_>, layer: &mut PageLayer) -> Result<Remarks, Stopped> {
        let operators = self.session.operators().clone();
        self.session.rewind();
        let mut query = self.session.query(asked.goal, asked.source)?;
        loop {
            let Some(answer) = query.next().transpose()? else { return Ok(query.finish()) };
            if layer.rows.len() == MOST_ROWS {
                layer.more = true;
                return Ok(query.finish());
            }
            let style = Style {
                spacing: Spacing::NextArgument,
                max_terms: Some(MOST_TERMS),
                max_depth: Some(MOST_DEPTH),
                ..Style::writeq()
            };
            let text = |value: NodeId| match answer.tree.node(value) {
                Node::Var(_) => "_".to_string(),
                _ => print::to_string(&answer.tree, value, &operators, &style),
            };
            let value = |name: &String| answer.values.iter().find(|(known, _)| known == name);
            let cells = layer.columns.iter().map(|name| value(name).map_or(String::new(), |(_, value)| text(*value)));
            let cells = cells.collect();
            layer.rows.push(LayerRow { cells, events: asked.events(&answer) });
        }
    }

    /// Why a goal stopped, as the prompt says it.
    fn in_words(&self, stop: &Stopped) -> String {
        let Some(complaint) = self.session.describe(stop) else { return "the goal called `halt`".to_string() };
        let place = complaint.place.map_or(String::new(), |place| format!("{place}: "));
        let goals = complaint.goals.to_string();
        let line_break = if goals.is_empty() { "" } else { "\n" };
        format!("{place}{}{line_break}{goals}", complaint.message)
    }
}

/// A goal on a trace.
struct Asked<'a> {
    goal: &'a ReadTerm,
    source: &'a std::sync::Arc<Source>,
    /// The variables that have the numbers of events.
    numbers: &'a [String],
    of: &'a PageTrace,
}

impl Asked<'_> {
    /// The events of an answer: those that it found, and that at the cursor.
    fn events(&self, answer: &Answer) -> Vec<LayerEvent> {
        let trace = &self.of.timeline.trace;
        let values = answer.values.iter().filter(|(name, _)| self.numbers.contains(name));
        let found = values.filter_map(|(_, value)| match answer.tree.node(*value) {
            Node::Int(number) => trace.find_chrono(*number),
            _ => None,
        });
        let mut events: Vec<u32> = found.chain(answer.event).collect();
        events.sort_unstable();
        events.dedup();
        let event = |event: u32| LayerEvent {
            trace: self.of.index,
            number: trace.chrono(event),
            place: Place::of(&self.of.timeline, event),
        };
        events.into_iter().map(event).collect()
    }
}
