//! The picture of coverage: the sources of a trace, with how often it reached each line.

use serde_json::{Value, json};

use super::picture::{Picture, PictureCell, PictureKind, PictureRequest, PictureTable};
use super::svg::cut;
use crate::builtins::trace::{LineUse, SourceLines, source_lines};

/// The record of the picture.
pub(super) const KIND: PictureKind = PictureKind { name: "coverage", is_of_event: false, make };

/// The most lines of all files together.
const MOST: usize = 20_000;
/// The most characters of a line.
const MOST_LETTERS: usize = 300;

fn make(request: &PictureRequest<'_>) -> Option<Picture> {
    let trace = &*request.of().timeline.trace;
    if request.sources.is_empty() {
        return None;
    }
    let mut files = source_lines(request.sources, trace);
    if files.is_empty() {
        return None;
    }
    let n_lines = |files: &[SourceLines]| files.iter().map(|file| file.text.lines().count()).sum::<usize>();
    let n_files = files.len();
    while files.len() > 1 && n_lines(&files) > MOST {
        files.pop();
    }
    let (reached, able) = files
        .iter()
        .flat_map(|file| file.lines.values())
        .fold((0, 0), |(reached, able), line| (reached + usize::from(line.n > 0), able + 1));
    let left_out = match n_files - files.len() {
        0 => String::new(),
        more => format!(", without {more} files"),
    };
    let title = format!("coverage{left_out}");
    let number = |event| trace.chrono(event);
    let drawn = |file: &SourceLines| -> Value {
        let line = |(n, text): (usize, &str)| {
            let found = file.lines.get(&n);
            json!([n, cut(text, MOST_LETTERS), found.map(|line| line.n), found.and_then(|line| line.first).map(number)])
        };
        let lines: Vec<Value> = (1..).zip(file.text.lines()).take(MOST).map(line).collect();
        json!({ "name": file.name, "lines": lines })
    };
    let drawn: Vec<Value> = files.iter().map(drawn).collect();
    let row = |file: &SourceLines, (n, line): (&usize, &LineUse)| {
        let times = match line.first {
            Some(event) => PictureCell::Event { text: line.n.to_string(), event: number(event) },
            None => PictureCell::text(0),
        };
        vec![PictureCell::text(format!("{}:{n}", file.name)), times]
    };
    let rows = files.iter().flat_map(|file| file.lines.iter().map(move |line| row(file, line))).collect();
    let table = PictureTable::new(&["line", "reached"], rows);
    let data = json!({ "files": drawn, "reached": reached, "able": able });
    Some(Picture { kind: KIND.name, title, trace: request.trace, table, data })
}
