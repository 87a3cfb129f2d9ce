//! Markdown as plain text for a terminal: titles in capitals, blocks moved in, the columns of tables aligned.

/// The widest that a table becomes.
const WIDTH: usize = 118;
const INDENT: &str = "    ";

/// A page, or the part of one, as plain text.
pub(crate) fn text(markdown: &str) -> String {
    let mut plain = String::new();
    let mut table = Vec::new();
    let mut is_block = false;
    for line in markdown.lines() {
        if line.starts_with('|') && !is_block {
            table.push(cells(line));
            continue;
        }
        write_table(&mut plain, &std::mem::take(&mut table));
        if line.starts_with("```") {
            is_block = !is_block;
        } else if is_block {
            plain.push_str(format!("{INDENT}{line}").trim_end());
            plain.push('\n');
        } else if !line.starts_with("<!--") {
            plain.push_str(&prose(line));
            plain.push('\n');
        }
    }
    write_table(&mut plain, &table);
    plain.truncate(plain.trim_end().len());
    plain.push('\n');
    plain
}

/// A line outside of blocks and tables.
fn prose(line: &str) -> String {
    match line.split_once(' ') {
        Some(("#", title)) => title.to_owned(),
        Some(("##" | "###", title)) => title.to_uppercase(),
        _ => without_marks(line),
    }
}

/// Removes the marks of links and bold text, except between backticks.
fn without_marks(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let plain = |(index, part): (usize, &str)| match index % 2 {
        0 => without_links(&part.replace("**", "")),
        _ => part.to_owned(),
    };
    parts.map(plain).collect::<Vec<_>>().join("`")
}

/// `[the text](its target)` becomes `the text`.
fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](")
        && let Some((start, name)) = before.rsplit_once('[')
        && let Some((_, end)) = after.split_once(')')
    {
        plain.extend([start, name]);
        rest = end;
    }
    plain + rest
}

/// The cells of a row; `\|` does not end one.
fn cells(line: &str) -> Vec<String> {
    let inner = line.trim().trim_start_matches('|').replace("\\|", "\u{0}");
    let inner = inner.strip_suffix('|').unwrap_or(&inner);
    inner.split('|').map(|cell| without_marks(cell.trim()).replace('\u{0}', "|")).collect()
}

fn is_rule(row: &[String]) -> bool {
    row.iter().all(|cell| !cell.is_empty() && cell.chars().all(|letter| "-:".contains(letter)))
}

fn write_table(plain: &mut String, table: &[Vec<String>]) {
    let rows = || table.iter().filter(|row| !is_rule(row) && row.iter().any(|cell| !cell.is_empty()));
    let n_columns = rows().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..n_columns)
        .map(|column| rows().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0))
        .collect();
    let widths = fitted(widths);
    for row in rows() {
        write_row(plain, row, &widths);
    }
}

/// Column widths that fit into a line: wide columns share the space that narrow ones leave.
fn fitted(mut widths: Vec<usize>) -> Vec<usize> {
    let mut left = WIDTH - INDENT.len();
    let mut order: Vec<usize> = (0..widths.len()).collect();
    order.sort_by_key(|&column| widths[column]);
    for (index, &column) in order.iter().enumerate() {
        let share = left / (order.len() - index);
        widths[column] = widths[column].min(share.saturating_sub(2)).max(1);
        left = left.saturating_sub(widths[column] + 2);
    }
    widths
}

fn write_row(plain: &mut String, row: &[String], widths: &[usize]) {
    let columns: Vec<Vec<String>> = row.iter().zip(widths).map(|(cell, &width)| wrapped(cell, width)).collect();
    let height = columns.iter().map(Vec::len).max().unwrap_or(0);
    for index in 0..height {
        let mut line = INDENT.to_owned();
        for (column, &width) in columns.iter().zip(widths) {
            let part = column.get(index).map_or("", String::as_str);
            line.push_str(&format!("{part:<width$}  "));
        }
        plain.push_str(line.trim_end());
        plain.push('\n');
    }
}

/// The lines of a cell; a word that is wider than the column has a line of its own.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => line.extend([" ", word]),
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn the_columns_of_a_table_are_aligned() {
        let table = "| form | holds |\n|---|---|\n| `a` | yes |\n| `[1\\|_]` | see [this](that.md) |\n";
        assert_eq!(text(table), "    form     holds\n    `a`      yes\n    `[1|_]`  see this\n");
        assert_eq!(text("| | |\n|---|---|\n| a | b |\n"), "    a  b\n");
    }

    #[test]
    fn a_long_cell_is_wrapped_in_its_column() {
        let words = "word ".repeat(40);
        let plain = text(&format!("| name | {words}|\n"));
        assert!(plain.lines().count() == 2 && plain.lines().all(|line| line.len() <= super::WIDTH), "{plain}");
        assert!(plain.lines().nth(1).is_some_and(|line| line.starts_with("          word")), "{plain}");
    }

    #[test]
    fn blocks_are_moved_in_and_keep_their_text() {
        assert_eq!(
            text("A **b** `**`:\n\n```console\n$ x | [y](z)\n| not | a table |\n```\n"),
            "A b `**`:\n\n    $ x | [y](z)\n    | not | a table |\n"
        );
    }

    #[test]
    fn comments_and_marks_of_titles_are_left_out() {
        assert_eq!(text("# One\n<!-- begin -->\n## Two\n- [x](y) `[p](q)`\n"), "One\nTWO\n- x `[p](q)`\n");
    }
}
