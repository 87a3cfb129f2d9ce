//! Tests that a trace is the same whether its lines are taken apart in chunks of any size or one by one.

use std::fs::File;
use std::io::{Cursor, Write as _};
use std::path::{Path, PathBuf};

use super::fast::StraceChunk;
use super::{FORMAT, read_by};
use crate::formats::Lines;
use crate::formats::testing::{in_chunks, in_chunks_of, shown};
use crate::term::cases::n_cases;
use crate::trace::{Trace, TraceBuilder};

/// The trace in a text, each of whose lines is read by itself.
fn line_by_line(text: &[u8]) -> Trace {
    let mut lines = Lines::new(Box::new(Cursor::new(text.to_vec())));
    let mut builder = TraceBuilder::new(FORMAT.origin(Path::new("test.trace")));
    read_by(StraceChunk::leave_all, &mut lines, &mut builder);
    builder.finding("end", None, Some(lines.number()), "number of lines");
    builder.finish()
}

/// The texts of all samples, sound and bad.
fn samples() -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["tests/data/strace", "tests/data/strace/bad", "tests/fuzz/corpus/strace", "examples/strace"];
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(root.join(folder)).expect("there are samples"));
    let files = entries.map(|entry| entry.expect("a folder can be read").path()).filter(|path| path.is_file());
    let texts = files.filter_map(|path| Some((path.clone(), std::fs::read(&path).ok()?)));
    texts.filter(|(_, text)| (FORMAT.sniff)(text) > 0).collect()
}

fn file_of(text: &[u8]) -> File {
    let mut file = tempfile::tempfile().expect("temporary files can be made");
    file.write_all(text).expect("temporary files can be written");
    file
}

#[test]
fn arguments_of_a_file_that_has_changed_are_a_fault() {
    let text: String = (0..50).map(|number| format!("7 close({number}) = 0\n")).collect();
    let mut file = file_of(text.as_bytes());
    let trace = in_chunks_of(&FORMAT, text.as_bytes(), 100, Some(file.try_clone().expect("files can be cloned")));
    std::io::Seek::rewind(&mut file).expect("files can be rewound");
    file.write_all(b"7 close(8").expect("temporary files can be written");
    assert_eq!((trace.n_events(), trace.fault()), (100, None));
    shown(&trace);
    let fault = trace.fault().expect("the file has changed");
    assert!(fault.ends_with("it has changed since the trace was read"), "{fault}");
}

#[test]
fn samples_are_read_in_chunks_as_line_by_line() {
    let mut n_samples = 0;
    for (path, text) in samples() {
        let expected = shown(&line_by_line(&text));
        for chunk_bytes in [1, 300, 5000, 1 << 19] {
            assert!(shown(&in_chunks(&FORMAT, &text, chunk_bytes)) == expected, "{} by {chunk_bytes}", path.display());
            let of_file = in_chunks_of(&FORMAT, &text, chunk_bytes, Some(file_of(&text)));
            assert!(shown(&of_file) == expected, "{} by {chunk_bytes} from a file", path.display());
            assert_eq!(of_file.fault(), None);
        }
        n_samples += 1;
    }
    assert!(n_samples > 10, "{n_samples} samples");
}

#[test]
fn changed_lines_are_read_in_chunks_as_line_by_line() {
    const LINES: &[&str] = &[
        "7 1795364651.664734 read(3, \"a)\\\"\\n\\0 and more\"..., 5) = 5 <0.000008>",
        "7  1795364651.664735 openat(AT_FDCWD</srv>, \"/x\", O_RDONLY|1<<2) = -1 ENOENT (No such file or directory) <1.000089>",
        "8 1795364651.664736 newfstatat(29, \"\",  <unfinished ...>",
        "8 1795364651.664737 <... newfstatat resumed>{st_mode=S_IFREG|0644, st_size=986, ...}, 0) = 0 <0.000322>",
        "8 1795364651.664738 write(3</tmp/a,b>, \"x\" /* , 3 */, <unfinished ...>",
        "8 1795364651.664739 <... write resumed>4) = 3 (in) <0.000322>",
        "7 1795364651.664740 wait4(-1,  <unfinished ...>",
        "7 1795364651.664741 <... wait4 resumed>0x7ffc, 0, NULL) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)",
        "close(3) = 0",
        "<... close resumed>) = 0",
        "[pid 9] 10:11:12.5 close(3 <unfinished ...>",
        "7 1795364651.664742 brk(NULL) = 0x55d0c0ffe000 <0.000001>",
        "8 1795364651.664743 exit_group(0) = ?",
        "8 1795364651.664743 +++ exited with 0 +++",
    ];
    const PIECES: &[&str] = &[
        "(",
        ")",
        "[",
        "{",
        "<",
        ">",
        "/*",
        "*/",
        "\"",
        "\\",
        " ",
        ",",
        "x",
        "7",
        "=",
        "-",
        "\t",
        "\u{e9}",
        "",
        "<<",
        " <unfinished ...>",
    ];
    let mut seed = 7_u64;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    for _ in 0..n_cases(300) {
        let mut text = String::new();
        for _ in 0..12 {
            let mut line = LINES[next(LINES.len())].to_string();
            for _ in 0..next(3) {
                let at = next(line.len().max(1));
                let Some(byte) = line.get(at..).and_then(|rest| rest.chars().next()) else { continue };
                let end = if next(2) == 0 { at } else { at + byte.len_utf8() };
                line.replace_range(at..end, PIECES[next(PIECES.len())]);
            }
            text.push_str(&line);
            text.push('\n');
        }
        let expected = shown(&line_by_line(text.as_bytes()));
        assert_eq!(shown(&in_chunks(&FORMAT, text.as_bytes(), 1 << 19)), expected, "{text}");
        assert_eq!(shown(&in_chunks(&FORMAT, text.as_bytes(), 200)), expected, "{text}");
        let of_file = in_chunks_of(&FORMAT, text.as_bytes(), 300, Some(file_of(text.as_bytes())));
        assert_eq!(shown(&of_file), expected, "{text}");
    }
}
