//! Which recorder a command gets: by the name of its program, or by the interpreter of a script.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use super::{RECORDERS, Recorder};

/// The recorder for a program, which is chosen by its name; the last one records any program.
pub(crate) fn chosen(program: &OsStr) -> &'static Recorder {
    let name = Path::new(program).file_name().and_then(OsStr::to_str).unwrap_or_default();
    let knows = |recorder: &&Recorder| recorder.programs.iter().any(|pattern| is_version_of(name, pattern));
    RECORDERS.iter().find(knows).unwrap_or(&RECORDERS[RECORDERS.len() - 1])
}

/// Whether a name matches a pattern, in which a `*` at the end stands for a version.
fn is_version_of(name: &str, pattern: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(stem) => {
            let is_of_version = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-');
            name.strip_prefix(stem).is_some_and(|version| version.chars().all(is_of_version))
        }
        None => name == pattern,
    }
}

/// A command with the interpreter that the `#!` line of its program names in front, if a recorder knows that one.
/// `file` is where the program lies.
pub(crate) fn with_interpreter(command: &[OsString], file: &Path) -> Vec<OsString> {
    let line = interpreter(file).filter(|line| is_known(&line[0]));
    match (line, command.split_first()) {
        (Some(mut line), Some((program, arguments))) if !is_known(program) => {
            line.push(file.into());
            line.extend(arguments.iter().cloned());
            line
        }
        _ => command.to_vec(),
    }
}

/// Whether a recorder is chosen by the name of this program.
fn is_known(program: &OsStr) -> bool {
    !chosen(program).programs.is_empty()
}

/// The command that the `#!` line of a file names: `/usr/bin/python3`, or what `env` would start.
fn interpreter(file: &Path) -> Option<Vec<OsString>> {
    let mut head = Vec::new();
    File::open(file).ok()?.take(1 << 12).read_to_end(&mut head).ok()?;
    let line = head.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?.trim_ascii();
    let mut words: Vec<&[u8]> = line.splitn(2, |byte| matches!(byte, b' ' | b'\t')).map(<[u8]>::trim_ascii).collect();
    if words[0].ends_with(b"/env") {
        let rest = words.get(1)?;
        words = match rest.strip_prefix(b"-S") {
            Some(several) => several.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect(),
            None => vec![rest],
        };
    }
    let is_command = words.first().is_some_and(|word| !word.is_empty());
    is_command.then(|| words.into_iter().map(|word| OsString::from_vec(word.to_vec())).collect())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_star_stands_for_a_version() {
        for name in ["python", "python3", "python3.12"] {
            assert!(is_version_of(name, "python*"), "{name}");
        }
        for name in ["python3-config", "pythonw", "cpython3"] {
            assert!(!is_version_of(name, "python*"), "{name}");
        }
        assert!(is_version_of("mix", "mix") && !is_version_of("mixer", "mix"));
    }

    #[test]
    fn the_first_line_of_a_script_names_its_interpreter() {
        let of = |text: &str| {
            let mut file = tempfile::NamedTempFile::new().unwrap();
            file.write_all(text.as_bytes()).unwrap();
            let line = interpreter(file.path()).unwrap_or_default();
            line.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join("|")
        };
        assert_eq!(of("#!/usr/bin/python3\nprint()\n"), "/usr/bin/python3");
        assert_eq!(of("#! /usr/bin/swipl -q -g main\n"), "/usr/bin/swipl|-q -g main");
        assert_eq!(of("#!/usr/bin/env python3\n"), "python3");
        assert_eq!(of("#!/usr/bin/env -S python3 -u\n"), "python3|-u");
        assert_eq!(of("#!/usr/bin/env\n"), "");
        assert_eq!(of("#!\n"), "");
        assert_eq!(of("print()\n"), "");
    }
}
