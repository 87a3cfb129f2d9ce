//! Tables for people: rows of texts in columns, columns of numbers to the right.

use unicode_width::UnicodeWidthStr;

/// A table that is written as its rows arrive; the first rows determine the widths of the columns.
pub(crate) struct Table {
    heading: Vec<String>,
    columns: Vec<Column>,
    /// The rows that wait until the widths are known.
    waiting: Vec<Vec<String>>,
    is_begun: bool,
}

struct Column {
    width: usize,
    alignment: Alignment,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Alignment {
    Left,
    Right,
}

/// How many rows determine the widths. A wider text in a later row moves the rest of its row.
const LOOK_AHEAD: usize = 1000;

impl Table {
    /// A table with the names of its columns.
    pub(crate) fn new(heading: Vec<String>) -> Table {
        Table { heading, columns: Vec::new(), waiting: Vec::new(), is_begun: false }
    }

    /// Adds a row; returns the lines that are ready.
    pub(crate) fn push(&mut self, row: Vec<String>) -> String {
        self.waiting.push(row.into_iter().map(|text| on_one_line(&text)).collect());
        if self.is_begun || self.waiting.len() >= LOOK_AHEAD { self.ready() } else { String::new() }
    }

    /// The lines of the rows so far, which then determine the widths.
    pub(crate) fn flush(&mut self) -> String {
        self.ready()
    }

    /// The remaining lines. A table without rows has only its heading.
    pub(crate) fn finish(mut self) -> String {
        self.ready()
    }

    fn ready(&mut self) -> String {
        let rows = std::mem::take(&mut self.waiting);
        let mut text = String::new();
        if !self.is_begun {
            self.is_begun = true;
            let column = |index: usize| Column::of(&self.heading[index], rows.iter().filter_map(|row| row.get(index)));
            self.columns = (0..self.heading.len()).map(column).collect();
            self.line(&mut text, &self.heading);
        }
        rows.iter().for_each(|row| self.line(&mut text, row));
        text
    }

    fn line(&self, text: &mut String, row: &[String]) {
        let start = text.len();
        for (field, column) in row.iter().zip(&self.columns) {
            if text.len() > start {
                text.push_str("  ");
            }
            let blanks = " ".repeat(column.width.saturating_sub(field.width()));
            match column.alignment {
                Alignment::Left => text.extend([field.as_str(), &blanks]),
                Alignment::Right => text.extend([blanks.as_str(), field]),
            }
        }
        text.truncate(start + text[start..].trim_end_matches(' ').len());
        text.push('\n');
    }
}

impl Column {
    fn of<'r>(name: &str, fields: impl Iterator<Item = &'r String> + Clone) -> Column {
        let width = fields.clone().map(|field| field.width()).max().unwrap_or(0).max(name.width());
        let begins_with_digit = |field: &String| {
            field.is_empty() || field.trim_start_matches('-').starts_with(|first: char| first.is_ascii_digit())
        };
        let has_numbers = fields.clone().any(|field| !field.is_empty()) && fields.clone().all(begins_with_digit);
        Column { width, alignment: if has_numbers { Alignment::Right } else { Alignment::Left } }
    }
}

fn on_one_line(text: &str) -> String {
    text.replace('\n', "\\n").replace('\t', "\\t")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(heading: &[&str], rows: &[&[&str]]) -> String {
        let mut table = Table::new(heading.iter().map(|name| (*name).to_string()).collect());
        let mut text: String =
            rows.iter().map(|row| table.push(row.iter().map(|field| (*field).to_string()).collect())).collect();
        text.push_str(&table.finish());
        text
    }

    #[test]
    fn numbers_stand_to_the_right_and_texts_to_the_left() {
        let text = table(&["name", "calls"], &[&["queen/2", "1"], &["é\nß", "-1048"]]);
        assert_eq!(text, "name     calls\nqueen/2      1\né\\nß     -1048\n");
    }

    #[test]
    fn an_empty_table_has_its_heading() {
        assert_eq!(table(&["a", "b"], &[]), "a  b\n");
    }

    #[test]
    fn rows_after_the_first_thousand_keep_the_widths() {
        let mut table = Table::new(vec!["n".to_string()]);
        let lines: usize = (0..LOOK_AHEAD + 2).map(|n| table.push(vec![n.to_string()]).lines().count()).sum();
        assert_eq!(lines, LOOK_AHEAD + 3);
        assert_eq!(table.push(vec!["7".to_string()]), "  7\n");
    }
}
