//! The findings of the rules of spans, in the order of rules and calls.

use super::attribute_columns::AttributeColumns;
use super::document::OtherSignals;
use super::ids::SpanId;
use super::parents::{NO_SPAN, Parents};
use super::records::{HAS_EVENTS, HAS_LOST, RecordNote, SpanRecords};
use super::rows::{CallOrder, RowKind};
use super::tables::SpanTables;
use crate::term::hash::{NumberMap, NumberSet};
use crate::trace::TraceBuilder;

/// A finding about a span.
#[derive(Clone, Debug)]
struct SpanFinding {
    rule: &'static str,
    span: u32,
    detail: FindingDetail,
}

/// What a finding says; its message is written only if it is kept.
#[derive(Clone, Debug)]
enum FindingDetail {
    /// Nanoseconds or a number of things.
    Number(i64),
    /// A message.
    Message(Box<str>),
    /// The number of the text with the name of an event, or of a key.
    Text(u32),
}

/// All findings about a trace.
#[derive(Default)]
pub(super) struct SpanFindings {
    all: Vec<SpanFinding>,
    n_keys: usize,
    n_orphans: usize,
}

/// Parents that are not in the file are reported up to this number, and then counted.
const MOST_ORPHANS: usize = 10;

impl SpanFindings {
    /// What the rules find in spans.
    pub(super) fn of(
        tables: &SpanTables,
        calls: &CallOrder,
        parents: &Parents,
        differing: &[u32],
        keys: &AttributeColumns,
    ) -> SpanFindings {
        let mut findings = SpanFindings { n_keys: keys.len(), ..SpanFindings::default() };
        findings.orphans(calls, parents);
        let numbered = |spans: &[u32]| spans.iter().map(|span| calls.number(*span)).collect::<Vec<_>>();
        numbered(differing).into_iter().for_each(|span| findings.add("S2", span, FindingDetail::Number(0)));
        for (span, n_spans) in &parents.cycles {
            findings.add("S4", calls.number(*span), FindingDetail::Number(i64::from(*n_spans)));
        }
        findings.times(tables);
        findings.content(tables);
        findings.notes(&tables.records, calls);
        // a rule's number is after its `S`
        findings.all.sort_by_key(|finding| (finding.rule.len(), finding.rule, finding.span));
        findings
    }

    fn add(&mut self, rule: &'static str, span: u32, detail: FindingDetail) {
        self.all.push(SpanFinding { rule, span, detail });
    }

    fn orphans(&mut self, calls: &CallOrder, parents: &Parents) {
        self.n_orphans = parents.orphans.len();
        let mut orphans: Vec<u32> = parents.orphans.iter().map(|span| calls.number(*span)).collect();
        orphans.sort_unstable();
        orphans.into_iter().take(MOST_ORPHANS).for_each(|span| self.add("S1", span, FindingDetail::Number(0)));
    }

    /// Times that contradict each other or lack.
    fn times(&mut self, tables: &SpanTables) {
        let records = &tables.records.records;
        for span in records.numbers() {
            let (start, end) = (records.start(span), records.end(span));
            let around = Some(tables.parents[span as usize]).filter(|parent| *parent != NO_SPAN);
            let before_parent = around.and_then(|around| records.start(around)?.checked_sub(start?));
            let before_start = start.zip(end).and_then(|(start, end)| start.checked_sub(end));
            for (rule, nanoseconds) in [("S5", before_parent), ("S3", before_start)] {
                if let Some(nanoseconds) = nanoseconds.filter(|nanoseconds| *nanoseconds > 0) {
                    self.add(rule, span, FindingDetail::Number(nanoseconds));
                }
            }
            for (rule, time) in [("S9", end), ("S11", start)] {
                if time.is_none() {
                    self.add(rule, span, FindingDetail::Number(0));
                }
            }
        }
    }

    /// Dropped parts, events outside of their spans, attributes that stand twice.
    fn content(&mut self, tables: &SpanTables) {
        let repeated = repeated_keys(&tables.records);
        let needs =
            |span: &u32| !repeated.is_empty() || tables.records.records.shape(*span).has & (HAS_LOST | HAS_EVENTS) > 0;
        for span in tables.records.records.numbers().filter(needs) {
            let (record, body) = (tables.records.records.get(span), tables.records.body_of(span));
            if body.lost > 0 {
                self.add("S6", span, FindingDetail::Number(i64::from(body.lost)));
            }
            for (_, event) in tables.records.parts(&body).take(body.n_events as usize) {
                let is_before = event.time().zip(record.start()).is_some_and(|(time, start)| time < start);
                let is_after = event.time().zip(record.end()).is_some_and(|(time, end)| time > end);
                if is_before || is_after {
                    self.add("S10", span, FindingDetail::Text(event.name));
                }
            }
            for key in repeated.get(&body.attributes.keys).into_iter().flatten() {
                self.add("S13", span, FindingDetail::Text(*key));
            }
        }
    }

    /// What was noted while records and their contexts were read.
    fn notes(&mut self, records: &SpanRecords, calls: &CallOrder) {
        let message = |note: &RecordNote| FindingDetail::Message(note.message.clone());
        for note in &records.notes {
            self.add(note.rule, calls.number(note.of), message(note));
        }
        let mut of_contexts: NumberMap<u32, Vec<&RecordNote>> = NumberMap::default();
        records.context_notes.iter().for_each(|note| of_contexts.entry(note.of).or_default().push(note));
        if of_contexts.is_empty() {
            return;
        }
        for span in records.records.numbers() {
            for note in of_contexts.get(&records.records.shape(span).context).into_iter().flatten() {
                self.add(note.rule, span, message(note));
            }
        }
    }

    /// Hands the findings to the builder.
    pub(super) fn report(mut self, tables: &SpanTables, builder: &mut TraceBuilder) {
        let chronos = self.chronos(tables);
        let orphans_end = self.all.iter().take_while(|finding| finding.rule == "S1").count();
        let others = self.all.split_off(orphans_end);
        let one = |finding: &SpanFinding, builder: &mut TraceBuilder| {
            let message = if builder.keeps_finding(finding.rule) { finding.message(tables) } else { String::new() };
            let line = (finding.span != NO_SPAN).then(|| tables.place(finding.span).line).filter(|line| *line > 0);
            builder.finding(finding.rule, chronos.get(&finding.span).copied(), line, message);
        };
        self.all.iter().for_each(|finding| one(finding, builder));
        if self.n_orphans > MOST_ORPHANS {
            let n_orphans = self.n_orphans;
            builder.finding("S1", None, None, format!("the parents of {n_orphans} spans are not in the file"));
        }
        let late = others.iter().position(|finding| finding.rule.len() > 2 || finding.rule > "S8");
        let (early, late) = others.split_at(late.unwrap_or(others.len()));
        early.iter().for_each(|finding| one(finding, builder));
        report_unread(&tables.records, builder);
        late.iter().for_each(|finding| one(finding, builder));
        self.report_keys(builder);
    }

    /// The numbers of the call events of spans that have findings.
    fn chronos(&self, tables: &SpanTables) -> NumberMap<u32, i64> {
        let spans: NumberSet<u32> = self.all.iter().map(|finding| finding.span).collect();
        let calls = (1..).zip(tables.rows.iter()).filter(|(_, row)| row.kind() == RowKind::Call);
        calls.filter(|(_, row)| spans.contains(&row.span())).map(|(chrono, row)| (row.span(), chrono)).collect()
    }

    fn report_keys(&self, builder: &mut TraceBuilder) {
        let (n_keys, most) = (self.n_keys, AttributeColumns::MOST);
        if n_keys > most {
            let message = format!("{n_keys} keys of attributes: the first {most} are columns, all are in `args`");
            builder.finding("S14", None, None, message);
        } else if n_keys > AttributeColumns::MANY {
            builder.finding("S14", None, None, format!("{n_keys} keys of attributes, each a column"));
        }
    }
}

/// What could not be read.
fn report_unread(records: &SpanRecords, builder: &mut TraceBuilder) {
    for (line, message) in &records.unread {
        builder.finding("S8", None, Some(*line).filter(|line| *line > 0), message.as_str());
    }
    let OtherSignals { n_documents, line } = records.other_signals;
    if n_documents > 0 {
        let message = format!("{n_documents} documents hold logs, metrics or profiles, no spans; this is the first");
        builder.finding("signals", None, Some(line), message);
    }
    if records.n_left_out > 0 {
        let message = format!("{} records are left out: there is no room for more", records.n_left_out);
        builder.finding("S8", None, None, message);
    }
}

/// The keys that stand in a list again, for each list that has some.
fn repeated_keys(records: &SpanRecords) -> NumberMap<u32, Vec<u32>> {
    let mut repeated = NumberMap::default();
    let mut seen: NumberSet<u32> = NumberSet::default();
    for list in 0..records.lists.len() as u32 {
        seen.clear();
        let again: Vec<u32> = records.lists.keys(list).iter().copied().filter(|key| !seen.insert(*key)).collect();
        if !again.is_empty() {
            repeated.insert(list, again);
        }
    }
    repeated
}

impl SpanFinding {
    fn message(&self, tables: &SpanTables) -> String {
        let text = |number: u32| tables.records.text_of(number);
        match (self.rule, &self.detail) {
            (_, FindingDetail::Message(message)) => message.to_string(),
            ("S1", _) => format!("parent {} is not in the file", self.parent(tables)),
            ("S2", _) => "another record of this span differs".to_owned(),
            ("S3", FindingDetail::Number(number)) => format!("ends {number} ns before it starts"),
            ("S4", FindingDetail::Number(number)) => format!("its parents lead back to it, by {number} spans"),
            ("S5", FindingDetail::Number(number)) => format!("starts {number} ns before its parent"),
            ("S6", FindingDetail::Number(number)) => format!("{number} attributes, events or links were dropped"),
            ("S9", _) => "no end".to_owned(),
            ("S11", _) => "no start".to_owned(),
            ("S13", FindingDetail::Text(key)) => format!("attribute `{}` stands twice", text(*key)),
            (_, FindingDetail::Text(name)) => format!("event `{}` lies outside of its span", text(*name)),
            (_, FindingDetail::Number(number)) => number.to_string(),
        }
    }

    fn parent(&self, tables: &SpanTables) -> String {
        match tables.parent_id(self.span) {
            SpanId::Hex(id) => format!("{id:016x}"),
            SpanId::Text(text) => format!("`{}`", tables.records.text_of(text)),
            SpanId::None => "none".to_owned(),
        }
    }
}
