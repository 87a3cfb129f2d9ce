//! Tests that a trace is the same in chunks of any size, and whether or not a thread remembers its places.

use std::path::PathBuf;

use super::FORMAT;
use crate::formats::testing::{in_chunks, shown};
use crate::trace::AttributeId;

fn samples() -> impl Iterator<Item = (PathBuf, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/mpd");
    let files =
        [folder.clone(), folder.join("bad")].into_iter().flat_map(|folder| folder.read_dir().expect("it is there"));
    let files = files.map(|file| file.expect("folders can be read").path()).filter(|path| path.is_file());
    files.map(|path| (path.clone(), std::fs::read(path).expect("samples can be read")))
}

#[test]
fn chunks_of_any_size_make_no_difference() {
    for (path, text) in samples() {
        let expected = shown(&in_chunks(&FORMAT, &text, 1 << 19));
        for chunk_bytes in [1, 700, 5000] {
            assert_eq!(
                shown(&in_chunks(&FORMAT, &text, chunk_bytes)),
                expected,
                "{} in chunks of {chunk_bytes}",
                path.display()
            );
        }
    }
}

#[test]
fn more_places_than_are_remembered_stay_different() {
    let line = |number: usize| {
        format!(
            "a.mpd, {number}  m.p{}  BODY  {number:X}  0\na.mpd, {number}  m.p{}  ENDBODY  {number:x}  0\n",
            number % 9,
            number % 9
        )
    };
    let text: String = (1..20_000).map(line).collect();
    let trace = in_chunks(&FORMAT, text.as_bytes(), 1 << 19);
    assert_eq!((trace.n_events(), trace.findings().total()), (2 * 19_999, 1));
    let last = trace.n_events() - 1;
    assert_eq!(format!("{:?}", trace.value(last, AttributeId::LINE_NUMBER)), "Int(19999)");
    let pid = trace.schema().find("pid").expect("events have processes");
    assert_eq!(format!("{:?}", trace.value(last, pid)), format!("{:?}", trace.value(last - 1, pid)));
}
