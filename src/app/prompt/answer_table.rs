//! Answers at the prompt as rows of a table, a page at a time.

use std::io;
use std::sync::Arc;

use super::keys::AnswerKey;
use super::sessions::{Audience, ask, no_answer, remark, show};
use crate::app::answers::{AnswerView, AnswersEnd, Continue, show_answers};
use crate::app::context::CommandContext;
use crate::app::status::Status;
use crate::app::table::Table;
use crate::app::timed_variables::TimedVariables;
use crate::session::{Answer, Session};
use crate::syntax::ReadTerm;
use crate::syntax::diagnostic::Source;
use crate::term::NodeId;
use crate::term::ops::OpTable;

/// The rows of a page; the audience is asked after each.
const PAGE: usize = 100;
/// The most characters of a value; `print/1` shows it whole.
const MOST_LETTERS: usize = 60;

/// Runs a goal, and shows its answers as a table if there are several.
pub(super) fn put_as_table(
    context: &CommandContext,
    session: &mut Session,
    goal: &ReadTerm,
    source: &Arc<Source>,
    audience: &mut dyn Audience,
) -> Status {
    let ops = session.operators().clone();
    let names = goal.variables.iter().map(|(name, ..)| name).filter(|name| !name.starts_with('_'));
    let mut view = AnswerTable {
        context,
        ops: &ops,
        audience,
        timed: TimedVariables::of(goal, session.trace().map(|trace| &**trace)),
        table: Table::new(names.cloned().collect()),
        n_rows: 0,
        has_answered: false,
        wanted: AnswerKey::Next,
    };
    let (end, remarks) = show_answers(session, goal, source, usize::MAX, &mut view);
    let (has_answered, has_rows, table) = (view.has_answered, view.n_rows > 0, view.table);
    let shown = if has_rows { context.written(context.out.data(&table.finish())) } else { Status::Yes };
    let status_of_scripts = context.diagnostics(&session.take_load_report().diagnostics);
    remarks.text_comparisons().iter().for_each(|note| remark(context, note));
    let status = match end {
        AnswersEnd::Enough | AnswersEnd::Exhausted if has_answered => Status::Yes,
        AnswersEnd::Enough | AnswersEnd::Exhausted => no_answer(context, &remarks),
        AnswersEnd::Stopped(stop) => context.stopped(&stop, session),
        AnswersEnd::Unwritten(error) => context.written(Err(error)),
    };
    shown.and(status).and(status_of_scripts)
}

/// Answers that become rows; a single one is shown as usual.
struct AnswerTable<'a> {
    context: &'a CommandContext,
    ops: &'a OpTable,
    audience: &'a mut dyn Audience,
    timed: TimedVariables,
    table: Table,
    n_rows: usize,
    has_answered: bool,
    wanted: AnswerKey,
}

impl AnswerView for AnswerTable<'_> {
    fn begins_line(&self, _: Option<&Answer>) -> bool {
        true
    }

    fn show(&mut self, answer: &Answer) -> io::Result<Continue> {
        self.has_answered = true;
        if self.n_rows == 0 && !answer.more {
            show(self.context, answer, self.ops, self.wanted, self.audience)?;
            return Ok(Continue::No);
        }
        self.n_rows += 1;
        let ready = self.table.push(self.row(answer));
        self.context.out.data(&ready)?;
        if answer.more && self.n_rows.is_multiple_of(PAGE) && self.wanted != AnswerKey::All {
            let ready = self.table.flush();
            self.context.out.data(&ready)?;
            self.wanted = ask(self.context, &format!("% {} answers, more?", self.n_rows), self.audience)?;
        }
        Ok(if self.wanted == AnswerKey::Stop || !answer.more { Continue::No } else { Continue::Yes })
    }
}

impl AnswerTable<'_> {
    fn row(&self, answer: &Answer) -> Vec<String> {
        let values = answer.values.iter().filter(|(name, _)| !name.starts_with('_'));
        let text = |(name, value): &(String, NodeId)| {
            let text = self.timed.text(answer, name, *value, self.ops);
            match text.char_indices().nth(MOST_LETTERS) {
                Some((end, _)) => format!("{}...", &text[..end]),
                None => text,
            }
        };
        values.map(text).collect()
    }
}
