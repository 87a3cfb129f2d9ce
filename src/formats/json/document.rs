//! Reading documents: one pass cuts them into pieces, all cores parse the pieces, and the results come back in order.

use super::cut::{CutPiece, Cutter, DocumentRules, PieceKind, key_text, line_start_before};
use super::scanner::JsonError;
use crate::formats::lines::{Chunk, LineEnding, Lines, read_ahead, text};
use crate::trace::SourcePlace;

/// A piece of a document.
#[derive(Debug)]
pub(crate) struct Piece<'t> {
    pub(crate) kind: PieceKind,
    /// Its key, if it stands in an object.
    pub(crate) key: Option<String>,
    /// The value of a record or a kept value, in which a byte that is not UTF-8 is `\\xHH\\`; of a beginning its bracket.
    pub(crate) text: &'t str,
    /// The line of the part on which it begins, from 0.
    pub(crate) line: u64,
    /// Where it begins in the part: line from 0, column from 1, and offset.
    pub(crate) place: SourcePlace,
    /// The number of entered containers around it.
    pub(crate) depth: usize,
    /// Why the record is no JSON, if that is why it is [broken](PieceKind::Broken).
    pub(crate) error: Option<JsonError>,
}

/// A part of a document whose pieces are parsed together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DocumentPart {
    /// The number, from 1, of the line on which it begins, to which the [line](Piece::line) of a piece is added.
    pub(crate) first_line: u64,
    /// The bytes before it: in its first line, and in the input.
    n_before: (u64, u64),
}

impl DocumentPart {
    /// A place in the part as one in the input.
    pub(crate) fn place(&self, SourcePlace { line, column, offset }: SourcePlace) -> SourcePlace {
        let (in_line, in_input) = self.n_before;
        let before = if line == 0 && column > 0 { in_line } else { 0 };
        SourcePlace { line: self.first_line + line, column: before + column, offset: in_input + offset }
    }
}

/// A part with its pieces.
struct CutPart {
    chunk: Chunk,
    pieces: Vec<CutPiece>,
}

impl From<CutPart> for Vec<u8> {
    fn from(part: CutPart) -> Vec<u8> {
        part.chunk.into()
    }
}

/// What parsing a part gives.
#[derive(Default)]
struct ParsedPart<R> {
    result: R,
    n_lines: u64,
    /// The bytes after its last line end; all, if it has none.
    n_after: u64,
    /// Whether the line in which the part ends is left out.
    is_dropping: bool,
}

/// Reads the documents in `lines`, one after the other.
///
/// `parse` gets the pieces of a part one by one, and adds what it finds to the result for the part; an error says that a
/// record is no JSON, and the piece comes again as [broken](PieceKind::Broken). `take` gets the results in the order of the
/// input.
pub(crate) fn read<R: Default>(
    lines: &mut Lines,
    rules: DocumentRules,
    parse: impl Fn(&Piece<'_>, &mut R) -> Result<(), JsonError> + Sync,
    mut take: impl FnMut(DocumentPart, &mut R) + Send,
) {
    let n_threads = read_ahead::n_threads(lines);
    let (mut cutter, mut has_ended) = (Cutter::new(rules), false);
    let (mut n_lines, mut n_in_line, mut is_dropping) = (0, 0, false);
    let next = |spent| {
        let part = (!has_ended).then(|| next_part(lines, &mut cutter, spent))?;
        has_ended = part.chunk.ending == LineEnding::InputEnd;
        Some(part)
    };
    let parse_part = |part: &CutPart, drops: bool| parse_part(part, rules, drops, &parse);
    let take_part = |part: &CutPart, parsed: &mut ParsedPart<R>| {
        if is_dropping {
            *parsed = parse_part(part, true);
        }
        take(DocumentPart { first_line: n_lines + 1, n_before: (n_in_line, part.chunk.offset) }, &mut parsed.result);
        n_in_line = parsed.n_after + if parsed.n_lines == 0 { n_in_line } else { 0 };
        n_lines += parsed.n_lines;
        is_dropping = parsed.is_dropping;
    };
    read_ahead::read_parts(n_threads, next, |part, parsed| *parsed = parse_part(part, false), take_part);
    lines.count_lines(n_lines);
}

fn next_part(lines: &mut Lines, cutter: &mut Cutter, spent: Vec<u8>) -> CutPart {
    let mut pieces = Vec::new();
    let chunk = lines.next_cut(spent, |text, is_last| {
        let length = cutter.cut(text, is_last, &mut pieces);
        if length > 0 || text.len() < Lines::LONGEST {
            return length;
        }
        cutter.leave_out(&mut pieces);
        cutter.cut(text, is_last, &mut pieces)
    });
    CutPart { chunk, pieces }
}

fn parse_part<R: Default>(
    part: &CutPart,
    rules: DocumentRules,
    is_dropping: bool,
    parse: impl Fn(&Piece<'_>, &mut R) -> Result<(), JsonError>,
) -> ParsedPart<R> {
    let text = part.chunk.text();
    let mut parsed = ParsedPart { result: R::default(), n_lines: 0, n_after: 0, is_dropping };
    let (mut counted, mut line_start, mut next_newline) = (0, 0, newline(text, 0));
    for cut in &part.pieces {
        if next_newline < cut.start {
            let between = &text[counted..cut.start];
            parsed.n_lines += n_newlines(between);
            line_start = memchr::memrchr(b'\n', between).map_or(line_start, |at| counted + at + 1);
            counted = cut.start;
            next_newline = newline(text, counted);
        }
        if cut.kind == PieceKind::Record {
            parsed.is_dropping &= line_start_before(text, cut.start).is_none();
            if parsed.is_dropping {
                continue;
            }
        }
        let shown = text::visible_in_json(&text[cut.start..cut.end]);
        let key = cut.key.map(|key| key_text(text, key));
        let (column, offset) = ((cut.start - line_start + 1) as u64, cut.start as u64);
        let place = SourcePlace { line: parsed.n_lines, column, offset };
        let piece = Piece { kind: cut.kind, key, text: &shown, line: place.line, place, depth: cut.depth, error: None };
        if let Err(error) = parse(&piece, &mut parsed.result) {
            parsed.is_dropping |= rules.drops_line;
            // what is broken is not parsed
            let _ = parse(&Piece { kind: PieceKind::Broken, error: Some(error), ..piece }, &mut parsed.result);
        }
    }
    parsed.n_lines += n_newlines(&text[counted..]);
    parsed.n_after = (text.len() - memchr::memrchr(b'\n', text).map_or(0, |at| at + 1)) as u64;
    parsed
}

/// Where the next line end is; the length of the text if there is none.
fn newline(text: &[u8], from: usize) -> usize {
    memchr::memchr(b'\n', &text[from..]).map_or(text.len(), |at| from + at)
}

fn n_newlines(text: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', text).count() as u64
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::formats::json::cut::{OpenContainer, Treatment};
    use crate::formats::json::scanner::{JsonKind, JsonScanner};

    /// Records are the elements of `spans`, wherever it stands, and of arrays at the top.
    fn treatment(open: &[OpenContainer], key: Option<&str>, kind: JsonKind) -> Treatment {
        match (open.last().map(|open| (open.key.as_str(), open.is_object)), key) {
            (None, _) | (_, Some("spans" | "scopes")) => Treatment::Enter,
            (Some(("spans" | "", false)), _) => Treatment::Record,
            (Some((_, false)), _) => Treatment::Enter,
            _ if kind == JsonKind::Null => Treatment::Skip,
            _ => Treatment::Keep,
        }
    }

    const RULES: DocumentRules = DocumentRules {
        treatment,
        resume: |open, rest| if rest.starts_with(b"{") { open.len() } else { 0 },
        drops_line: false,
        has_loose_commas: false,
    };

    /// The pieces of a text, each with its line, read in parts of about `part_bytes` bytes.
    fn pieces(text: &[u8], part_bytes: usize, rules: DocumentRules) -> Vec<String> {
        let mut lines = Lines::new(Box::new(Cursor::new(text.to_vec())));
        lines.chunk_bytes = part_bytes;
        let mut all = Vec::new();
        let parse = |piece: &Piece<'_>, found: &mut Vec<(u64, String)>| {
            if piece.kind == PieceKind::Record {
                let mut scanner = JsonScanner::new(piece.text);
                scanner.skip().and_then(|()| scanner.end())?;
            }
            let key = piece.key.as_deref().map(|key| format!(" {key}:")).unwrap_or_default();
            let error = piece.error.map(|error| format!(" ({error} at {})", error.at)).unwrap_or_default();
            found.push((piece.line, format!("{} {:?}{key} {}{error}", piece.depth, piece.kind, piece.text)));
            Ok(())
        };
        read(&mut lines, rules, parse, |part, found: &mut Vec<(u64, String)>| {
            all.extend(
                found.drain(..).map(|(line, shown)| format!("{}: {}", part.first_line + line, shown.trim_end())),
            );
        });
        all
    }

    /// The same, for parts of any size.
    fn pieces_in_any_parts(text: &[u8]) -> Vec<String> {
        let whole = pieces(text, 1 << 20, RULES);
        for part_bytes in [1, 2, 3, 7, 20, 64, 100] {
            assert_eq!(pieces(text, part_bytes, RULES), whole, "in parts of {part_bytes} bytes");
        }
        whole
    }

    #[test]
    fn a_part_may_end_inside_of_a_word_a_number_or_an_escape() {
        let records = r#"{"a":null,"b":[true,-1.5e+3,"\\\u00e9 \n"]},{"c":false}"#;
        let found = pieces_in_any_parts(format!(r#"{{"spans":[{records}]}}"#).as_bytes());
        let kinds: Vec<&str> = found.iter().filter_map(|piece| piece.split(' ').nth(2)).collect();
        assert_eq!(kinds, ["Begin", "Begin", "Record", "Record", "End", "End"], "{found:?}");
    }

    #[test]
    fn records_and_what_is_around_them_come_in_order_whatever_the_lines_are() {
        let indented = concat!(
            "\u{FEFF}{\"a\" : 12,\r\n \"s\\u0063opes\": [\n  {\"spans\": [{\"n\": \"}\\\"\"},\n   {\n   }], \"name\": \"x\"},\n",
            "  {\"none\": null, \"spans\": []}\n ]\n}\n [ 1, {} ]"
        );
        let expected = [
            "1: 0 Begin {",
            "1: 1 Value a: 12",
            "2: 1 Begin scopes: [",
            "3: 2 Begin {",
            "3: 3 Begin spans: [",
            "3: 4 Record {\"n\": \"}\\\"\"}",
            "4: 4 Record {\n   }",
            "5: 3 End",
            "5: 3 Value name: \"x\"",
            "5: 2 End",
            "6: 2 Begin {",
            "6: 3 Begin spans: [",
            "6: 3 End",
            "6: 2 End",
            "7: 1 End",
            "8: 0 End",
            "9: 0 Begin [",
            "9: 1 Record 1",
            "9: 1 Record {}",
            "9: 0 End",
        ];
        assert_eq!(pieces_in_any_parts(indented.as_bytes()), expected);
        let without_lines = |pieces: &[String]| -> Vec<String> {
            pieces.iter().map(|piece| piece.split_once(' ').expect("a line").1.replace("\n   ", "")).collect()
        };
        let one_line = indented.replace(['\n', '\r'], "").replace("{   }", "{}");
        let expected: Vec<String> = expected.iter().map(|piece| (*piece).to_owned()).collect();
        assert_eq!(without_lines(&pieces_in_any_parts(one_line.as_bytes())), without_lines(&expected));
    }

    #[test]
    fn a_piece_begins_at_its_line_column_and_byte_in_parts_of_any_size() {
        let text = "\u{FEFF}[{\"a\": 1}, {\"b\": 2},\r\n  {\"c\":\n 3}, {\"d\": 4}\n]\n[{\"\u{e9}\": 5}, {\"f\": 6}]";
        for part_bytes in [1, 2, 3, 7, 20, 1 << 20] {
            let mut lines = Lines::new(Box::new(Cursor::new(text.as_bytes().to_vec())));
            lines.chunk_bytes = part_bytes;
            let mut found = Vec::new();
            let parse = |piece: &Piece<'_>, places: &mut Vec<SourcePlace>| {
                places.extend((piece.kind == PieceKind::Record).then_some(piece.place));
                Ok(())
            };
            read(&mut lines, RULES, parse, |part, places: &mut Vec<SourcePlace>| {
                found.extend(places.drain(..).map(|place| part.place(place)));
            });
            let shown = |place: &SourcePlace| (place.line, place.column, &text[place.offset as usize..][..4]);
            let shown: Vec<_> = found.iter().map(shown).collect();
            let expected = [
                (1, 2, "{\"a\""),
                (1, 12, "{\"b\""),
                (2, 3, "{\"c\""),
                (3, 6, "{\"d\""),
                (5, 2, "{\"\u{e9}"),
                (5, 13, "{\"f\""),
            ];
            assert_eq!(shown, expected, "in parts of {part_bytes} bytes");
        }
    }

    #[test]
    fn a_broken_record_that_is_indented_costs_itself_and_no_record_goes_to_another_array() {
        let good = |n: usize| format!("    {{\n      \"a\": {n}\n    }}");
        let broken = [
            "    {\n      \"a\" 1\n    }",
            "    {\n      \"a\": [1, inf, x]\n    }",
            "    {\n      \"a\": \"1\n    }",
            "    {\n      \"a\": {\"b\": 1\n    }",
            "    {\n      \"a\": [1\n    }",
        ];
        for broken in broken {
            let first = [good(1), broken.to_owned(), good(2)].join(",\n");
            let text = format!("{{\n  \"spans\": [\n{first}\n  ],\n  \"x\": 1\n}}\n");
            let found = pieces_in_any_parts(text.as_bytes());
            let records = found.iter().filter(|piece| piece.contains("2 Record")).count();
            let n_broken = found.iter().filter(|piece| piece.contains("Broken")).count();
            assert!(
                records == 2 && n_broken == 1 && found.iter().any(|piece| piece.contains("x: 1")),
                "{text}{found:?}"
            );
            // the fault is in the last element of an array
            let two = |array: &str| {
                let spans = |array: &str| format!("  {{\n  \"spans\": [\n{array}\n  ]\n  }}");
                format!("{{\"scopes\": [\n{},\n{}\n]}}\n", spans(array), spans(&good(3)))
            };
            let found = pieces_in_any_parts(two(&[good(1), broken.to_owned()].join(",\n")).as_bytes());
            let after = found.iter().skip_while(|piece| !piece.contains("Broken")).skip(1);
            let in_old_array =
                after.take_while(|piece| !piece.contains("End")).filter(|piece| piece.contains("Record"));
            assert_eq!(in_old_array.count(), 0, "{found:?}");
        }
    }

    #[test]
    fn a_broken_record_is_left_out_and_the_next_ones_are_read() {
        let text = "[\n{\"a\": 1},\n{\"a\" 2},\n{\"a\": 3},\n{\"a\": \"4},\n{\"a\": 5},\n{\"a\": 6,\n{\"a\": 7}\n]";
        let expected = [
            "1: 0 Begin [",
            "2: 1 Record {\"a\": 1}",
            "3: 1 Broken {\"a\" 2} (expected `:` at 5)",
            "4: 1 Record {\"a\": 3}",
            "5: 1 Broken",
            "6: 1 Record {\"a\": 5}",
            "7: 1 Broken",
            "8: 1 Record {\"a\": 7}",
            "9: 0 End",
        ];
        assert_eq!(pieces_in_any_parts(text.as_bytes()), expected);
    }

    #[test]
    fn the_rest_of_a_broken_line_is_left_out_if_the_rules_say_so() {
        let text = b"[{\"a\": 1}, {\"a\" 2}, {\"a\": 3},\n{\"a\": 4}]";
        let rules = DocumentRules { drops_line: true, ..RULES };
        for part_bytes in [1, 10, 1 << 20] {
            let found = pieces(text, part_bytes, rules);
            let expected = ["1: 0 Begin [", "1: 1 Record {\"a\": 1}", "1: 1 Broken {\"a\" 2} (expected `:` at 5)"];
            assert_eq!(found[..3], expected);
            assert_eq!(found[3..], ["2: 1 Record {\"a\": 4}", "2: 0 End"], "in parts of {part_bytes} bytes");
        }
    }

    #[test]
    fn a_comma_that_is_missing_or_too_many_is_found_unless_the_rules_are_loose() {
        for (text, n_records) in [
            ("[1, 2 3, 4]", 2),
            ("[1,, 2]", 1),
            ("[, 1]", 0),
            ("[1, 2,]", 2),
            ("{\"spans\": [1, 2] \"scopes\": []}", 2),
            ("{\"spans\": [1, 2],, \"scopes\": []}", 2),
            ("{\"spans\": [1, 2],}", 2),
            ("[1,\n{\"a\": 2}\n{\"a\": 3},\n{\"a\": 4}]", 4),
        ] {
            let found = pieces_in_any_parts(text.as_bytes());
            let count = |kind: &str| found.iter().filter(|piece| piece.split(' ').nth(2) == Some(kind)).count();
            assert_eq!((count("Comma"), count("Record")), (1, n_records), "{text}: {found:?}");
            let loose = pieces(text.as_bytes(), 7, DocumentRules { has_loose_commas: true, ..RULES });
            assert!(!loose.iter().any(|piece| piece.contains("Comma") || piece.contains("Broken")), "{loose:?}");
        }
        for text in ["[1, 2]", "[]", "{}", "[[], {}]", "{\"a\": 1, \"spans\": [{}, {}], \"b\": 2}", "[1] [2]\n[3]"] {
            assert!(!pieces_in_any_parts(text.as_bytes()).iter().any(|piece| piece.contains("Comma")), "{text}");
        }
    }

    #[test]
    fn a_document_may_end_anywhere() {
        let text = "{\"scopes\": [{\"spans\": [{\"a\": [1, \"x\"]}, {\"b\": 2}], \"z\": -1.5}]}".as_bytes();
        let ends = ["\"]}", "2}"].map(|end| {
            let at = memchr::memmem::find(text, end.as_bytes()).expect("it stands in the text");
            at + end.len()
        });
        let n_records = |found: &[String]| found.iter().filter(|piece| piece.contains("Record")).count();
        for length in 0..=text.len() {
            let found = pieces_in_any_parts(&text[..length]);
            let begins = found.iter().filter(|piece| piece.contains("Begin")).count();
            assert_eq!(begins, found.iter().filter(|piece| piece.ends_with("End")).count(), "{found:?}");
            assert_eq!(found.iter().any(|piece| piece.contains("Unfinished")), 0 < length && length < text.len());
            assert_eq!(n_records(&found), ends.iter().filter(|end| length >= **end).count(), "{found:?}");
        }
    }

    #[test]
    fn deep_nesting_and_bytes_that_are_no_text_are_only_data() {
        let deep = format!("[{}]", "{\"a\":[".repeat(1 << 16));
        let found = pieces(deep.as_bytes(), 1 << 20, RULES);
        assert_eq!(found, ["1: 0 Begin [", "1: 1 Broken", "1: 1 Unfinished", "1: 0 End"]);
        let found = pieces_in_any_parts(b"[{\"a\": \"\xFF\"}]\n; trailing [garbage");
        assert_eq!(found[1], "1: 1 Record {\"a\": \"\\\\xff\\\\\"}");
        assert_eq!(found[3..], ["2: 0 Broken"]);
    }

    #[test]
    fn broken_records_cost_no_more_than_others() {
        let text = "{\"a\": [1, 2,\n".repeat(1 << 12);
        let found = pieces(format!("[\n{text}").as_bytes(), 1 << 20, RULES);
        assert_eq!(found.len(), (1 << 12) + 3);
    }
}
