//! The rows of `papaver stats`, as a table, CSV or JSON Lines.

use std::io;

use super::args::StatsForm;
use super::table::Table;
use super::units;
use crate::output::json::{self, JsonPairs, JsonValue};

/// The columns of numbers; the table writes those from `total` on with a unit.
pub(super) const COLUMNS: [&str; 9] = ["calls", "errors", "depth", "total", "self", "p50", "p95", "p99", "max"];
const FIRST_DURATION: usize = 3;

/// What the times of a trace count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeUnit {
    Nanoseconds,
    Unknown,
}

/// A row: the name of a group in one or more columns, and what is known of its calls, by column.
pub(super) struct StatsRow {
    pub(super) names: Vec<String>,
    pub(super) numbers: [Option<i64>; COLUMNS.len()],
}

/// The rows about a trace, or about several together.
pub(super) struct StatsTable<'p> {
    /// The headings of the columns with names.
    pub(super) by: Vec<String>,
    pub(super) rows: Vec<StatsRow>,
    /// The trace, if it is named.
    pub(super) path: Option<&'p str>,
    pub(super) unit: TimeUnit,
    /// What the first column of numbers counts: `calls`, or `events` of a trace without calls.
    pub(super) counted: &'static str,
}

impl StatsTable<'_> {
    pub(super) fn written(&self, form: StatsForm) -> io::Result<String> {
        match form {
            StatsForm::Json => {
                let columns = self.columns();
                Ok(self.rows.iter().map(|row| self.object(&columns, row) + "\n").collect())
            }
            StatsForm::Csv => self.csv(),
            StatsForm::Table => Ok(self.table()),
        }
    }

    fn object(&self, columns: &[usize], row: &StatsRow) -> String {
        let trace = self.path.map(|path| ("trace", JsonValue::text(path)));
        let names = self.by.iter().zip(&row.names).map(|(key, name)| (&**key, JsonValue::text(name)));
        let number = |column: &usize| Some((self.name_of(*column), JsonValue::Int(row.numbers[*column]?)));
        let numbers = columns.iter().filter_map(number);
        json::to_string(&JsonPairs(trace.into_iter().chain(names).chain(numbers).collect()))
    }

    fn name_of(&self, column: usize) -> &'static str {
        if column == 0 { self.counted } else { COLUMNS[column] }
    }

    /// The columns in which some row has a number, and those of durations of calls; not those that are named like a column
    /// of names.
    fn columns(&self) -> Vec<usize> {
        let has_durations = self.counted == COLUMNS[0];
        let is_known = |column: &usize| self.rows.iter().any(|row| row.numbers[*column].is_some());
        let is_name = |column: &usize| self.by.iter().any(|name| *name == COLUMNS[*column]);
        let is_shown = |column: &usize| *column >= FIRST_DURATION && has_durations || is_known(column);
        (0..COLUMNS.len()).filter(|column| is_shown(column) && !is_name(column)).collect()
    }

    fn heading(&self, columns: &[usize]) -> Vec<String> {
        let names = self.by.iter().filter(|_| !self.rows.is_empty()).cloned();
        names.chain(columns.iter().map(|column| self.name_of(*column).to_string())).collect()
    }

    /// The names and the numbers of a row as texts.
    fn fields(&self, columns: &[usize], row: &StatsRow, unit: TimeUnit, missing: &str) -> Vec<String> {
        let text = |column: &usize| match row.numbers[*column] {
            Some(time) if unit == TimeUnit::Nanoseconds && *column >= FIRST_DURATION => units::duration(time),
            number => number.map_or(missing.to_string(), |number| number.to_string()),
        };
        row.names.iter().cloned().chain(columns.iter().map(text)).collect()
    }

    fn csv(&self) -> io::Result<String> {
        let columns = self.columns();
        let mut writer = csv::Writer::from_writer(Vec::new());
        let trace = self.path.map(|_| "trace".to_string());
        writer.write_record(trace.iter().chain(&self.heading(&columns))).map_err(io::Error::other)?;
        for row in &self.rows {
            let fields = self.fields(&columns, row, TimeUnit::Unknown, "");
            let fields = self.path.into_iter().map(str::to_string).chain(fields);
            writer.write_record(fields).map_err(io::Error::other)?;
        }
        let bytes = writer.into_inner().map_err(|error| io::Error::other(error.to_string()))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn table(&self) -> String {
        let columns = self.columns();
        let mut table = Table::new(self.heading(&columns));
        let mut text = self.path.map_or(String::new(), |path| format!("% {path}\n"));
        for row in &self.rows {
            text.push_str(&table.push(self.fields(&columns, row, self.unit, "-")));
        }
        text + &table.finish()
    }
}
