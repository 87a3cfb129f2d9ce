//! Text with column stops: `~t` marks where blanks may go, `~|` and `~+` the column up to which they fill.

use crate::builtins::arguments::check_elements;
use crate::engine::Stop;

/// A text that grows, with the fill points since the last column stop.
pub(crate) struct Columns {
    text: String,
    /// Column in which the text began.
    base: usize,
    /// Byte offset and column of the last column stop.
    stop: (usize, usize),
    /// Byte offset and character of each fill point after the last column stop.
    fills: Vec<(usize, char)>,
}

impl Columns {
    /// An empty text after `base` characters of a line.
    pub(crate) fn new(base: usize) -> Columns {
        Columns { text: String::new(), base, stop: (0, base), fills: Vec::new() }
    }

    /// Appends `text`; after a line end, columns count from 0 again.
    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
        if text.contains('\n') {
            self.stop = (self.text.rfind('\n').map_or(0, |newline| newline + 1), 0);
            self.fills.clear();
        }
    }

    /// Appends `n` times `character`.
    pub(crate) fn push_repeated(&mut self, character: char, n: usize) -> Result<(), Stop> {
        check_elements(n)?;
        self.push(&character.to_string().repeat(n));
        Ok(())
    }

    /// Marks a place where `character` may be put to fill up to the next column stop.
    pub(crate) fn fill_point(&mut self, character: char) {
        self.fills.push((self.text.len(), character));
    }

    /// The column after the last character.
    pub(crate) fn column(&self) -> usize {
        match self.text.rfind('\n') {
            Some(newline) => self.text[newline + 1..].chars().count(),
            None => self.base + self.text.chars().count(),
        }
    }

    /// A stop at `column`, or at the current column.
    pub(crate) fn stop_at(&mut self, column: Option<usize>) -> Result<(), Stop> {
        let column = column.unwrap_or_else(|| self.column());
        let missing = column.saturating_sub(self.column());
        check_elements(missing)?;
        self.fill(missing);
        self.stop = (self.text.len(), self.column());
        self.fills.clear();
        Ok(())
    }

    /// A stop `distance` columns after the last one.
    pub(crate) fn stop_after(&mut self, distance: usize) -> Result<(), Stop> {
        self.stop_at(Some(self.stop.1.saturating_add(distance)))
    }

    /// Puts `missing` characters at the fill points, the rest at the last; without any, blanks after the text.
    fn fill(&mut self, missing: usize) {
        if self.fills.is_empty() {
            self.fills.push((self.text.len(), ' '));
        }
        let share = missing / self.fills.len();
        let mut rest = missing % self.fills.len();
        for (offset, character) in std::mem::take(&mut self.fills).into_iter().rev() {
            let n = share + std::mem::take(&mut rest);
            self.text.insert_str(offset, &character.to_string().repeat(n));
        }
    }

    /// The whole text.
    pub(crate) fn finish(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(build: impl FnOnce(&mut Columns)) -> String {
        let mut columns = Columns::new(0);
        build(&mut columns);
        columns.finish()
    }

    #[test]
    fn blanks_go_where_the_fill_points_are() {
        let text = filled(|columns| {
            columns.push("ab");
            columns.stop_at(Some(5)).unwrap();
            columns.fill_point('.');
            columns.push("12");
            columns.stop_after(6).unwrap();
        });
        assert_eq!(text, "ab   ....12");
    }

    #[test]
    fn two_fill_points_centre_a_text() {
        let text = filled(|columns| {
            columns.fill_point(' ');
            columns.push("x");
            columns.fill_point(' ');
            columns.stop_at(Some(5)).unwrap();
            columns.push("|");
        });
        assert_eq!(text, "  x  |");
    }

    #[test]
    fn a_text_beyond_the_stop_is_not_cut() {
        let text = filled(|columns| {
            columns.push("abcdef");
            columns.stop_at(Some(3)).unwrap();
            columns.push("|");
        });
        assert_eq!(text, "abcdef|");
    }

    #[test]
    fn columns_count_from_the_start_of_the_line() {
        let mut columns = Columns::new(4);
        columns.push("a");
        columns.stop_at(Some(6)).unwrap();
        columns.push("b\nc");
        columns.stop_at(Some(3)).unwrap();
        columns.push("|");
        assert_eq!(columns.finish(), "a b\nc  |");
    }
}
