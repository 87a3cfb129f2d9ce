//! Programs that start another one, as in `timeout 5 python3 app.py`: the recorder is that of the other one.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// What stands in front of the program that is recorded.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Wrapper {
    /// Its words.
    pub(crate) words: Vec<OsString>,
    /// The place among them where variables of the environment can be assigned.
    pub(super) assignments: Option<usize>,
    /// The program that hides the recorder from the one that it starts.
    pub(super) hides: Option<&'static str>,
}

/// What a program makes of the environment, by which a recorder is found.
#[derive(Clone, Copy, PartialEq)]
enum Environment {
    /// It is passed on.
    Kept,
    /// It is changed, and words `NAME=value` assign variables.
    Assigned,
    /// It is another one, or a recorder in it is that of the program itself.
    Hidden,
}
use Environment::{Assigned, Hidden, Kept};

/// A program that starts another one.
struct Row {
    name: &'static str,
    /// The letters of its options that have a value.
    letters: &'static str,
    /// The long ones whose value is the next word.
    long: &'static [&'static str],
    /// The words that stand before the other program; `_` is any.
    operands: &'static [&'static str],
    environment: Environment,
}

const ROWS: &[Row] = &[
    row("caffeinate", "tw", &[], &[], Kept),
    row("chrt", "TPD", &["sched-runtime", "sched-period", "sched-deadline"], &["_"], Kept),
    row("conda", "np", &["name", "prefix", "cwd"], &["run"], Hidden),
    row("dbus-run-session", "", &["config-file", "dbus-daemon"], &[], Kept),
    row("doas", "uC", &[], &[], Hidden),
    row("env", "uC", &["unset", "chdir"], &[], Assigned),
    row("flock", "wE", &["timeout", "wait", "conflict-exit-code"], &["_"], Kept),
    row("hatch", "", &[], &["run"], Hidden),
    row("ionice", "cn", &["class", "classdata"], &[], Kept),
    row("mamba", "np", &["name", "prefix", "cwd"], &["run"], Hidden),
    row("nice", "n", &["adjustment"], &[], Kept),
    row("nohup", "", &[], &[], Kept),
    row("numactl", "CNPimp", &["cpunodebind", "membind", "interleave", "physcpubind", "preferred"], &[], Kept),
    row("pdm", "p", &["project"], &["run"], Hidden),
    row("pipenv", "", &["python"], &["run"], Hidden),
    row("poetry", "CP", &["directory", "project"], &["run"], Hidden),
    row("runuser", "gGsu", &["user", "group", "supp-group"], &[], Hidden),
    row("setsid", "", &[], &[], Kept),
    row("stdbuf", "ioe", &["input", "output", "error"], &[], Kept),
    row("sudo", "CDghpRrTtUu", &["user", "group", "chdir", "host", "prompt", "chroot"], &[], Hidden),
    row("taskset", "", &[], &["_"], Kept),
    row("time", "fo", &["format", "output"], &[], Kept),
    row("timeout", "ks", &["kill-after", "signal"], &["_"], Kept),
    row("unbuffer", "", &[], &[], Kept),
    row("xvfb-run", "efnpsw", &["error-file", "auth-file", "server-num", "server-args", "wait"], &[], Kept),
];

const fn row(
    name: &'static str,
    letters: &'static str,
    long: &'static [&'static str],
    operands: &'static [&'static str],
    environment: Environment,
) -> Row {
    Row { name, letters, long, operands, environment }
}

impl Wrapper {
    /// The programs at the beginning of a command that start the next one.
    pub(crate) fn of(command: &[OsString]) -> Wrapper {
        let mut wrapper = Wrapper::default();
        let mut n_words = 0;
        while let Some((row, n_own)) = command.get(n_words..).and_then(first) {
            n_words += n_own;
            match row.environment {
                Kept => {}
                Assigned => wrapper.assignments = Some(n_words),
                Hidden => wrapper.hides = Some(row.name),
            }
        }
        wrapper.words = command[..n_words].to_vec();
        wrapper
    }

    /// What a variable is for the program, without what the recorder makes of it.
    pub(super) fn variable(&self, name: &str) -> Option<OsString> {
        let words = || self.words[..self.assignments.unwrap_or(0)].iter().filter_map(|word| word.to_str());
        let assigned = words().rev().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
        let clears = |word: &str| {
            matches!(word, "-" | "-i" | "--ignore-environment")
                || word.trim_start_matches("--unset=").trim_start_matches("-u") == name
        };
        let inherited = || if words().any(clears) { None } else { std::env::var_os(name) };
        assigned.map(OsString::from).or_else(inherited).filter(|value| !value.is_empty())
    }
}

/// The program that a command begins with, if it starts the one behind it, and how many words are its own.
fn first(command: &[OsString]) -> Option<(&'static Row, usize)> {
    let name = Path::new(command.first()?).file_name().and_then(OsStr::to_str)?;
    let row = ROWS.iter().find(|row| row.name == name)?;
    let mut at = after_options(row, command, 1);
    for operand in row.operands {
        if *operand != "_" && command.get(at)? != operand {
            return None;
        }
        at = after_options(row, command, at + 1);
    }
    let is_assignment = |word: &&OsString| word.as_encoded_bytes().contains(&b'=');
    at += command.get(at..)?.iter().take_while(is_assignment).count();
    (at < command.len()).then_some((row, at))
}

/// The place behind the options that begin at a place.
fn after_options(row: &Row, command: &[OsString], mut at: usize) -> usize {
    while let Some(option) = command.get(at).and_then(|word| word.to_str()?.strip_prefix('-')) {
        at += 1;
        if option == "-" {
            break;
        }
        let has_value = match option.strip_prefix('-') {
            Some(long) => row.long.contains(&long),
            // what follows such a letter in the same word is its value
            None => option.find(|letter| row.letters.contains(letter)).is_some_and(|found| found + 1 == option.len()),
        };
        at += usize::from(has_value);
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapper(line: &str) -> (String, Wrapper) {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let wrapper = Wrapper::of(&words);
        let shown: Vec<&str> = wrapper.words.iter().map(|word| word.to_str().unwrap()).collect();
        (shown.join(" "), wrapper)
    }

    #[test]
    fn the_program_is_found_behind_those_that_start_it() {
        for (words, program) in [
            ("timeout 5", "python3 app.py"),
            ("timeout -k 5 -sINT --signal TERM --foreground 1m", "python3 app.py"),
            ("env X=1 Y=a=b", "python3 app.py"),
            ("/usr/bin/env -i -u HOME --unset PATH -C /tmp -- X=1", "python3 app.py"),
            ("env -", "erl"),
            ("nice", "swipl"),
            ("nice -n 10", "python3"),
            ("nice -10", "python3"),
            ("nice --adjustment=5", "python3"),
            ("nohup", "python3 -u app.py"),
            ("stdbuf -oL -e 0", "python3 -m app"),
            ("taskset -c 0,1", "erl -noshell"),
            ("time -f %e -o t", "swipl a.pl"),
            ("ionice -c2 -n 7", "python3"),
            ("xvfb-run -a -s -screen", "python3 gui.py"),
            ("flock -w 5 lock", "python3"),
            ("nice timeout 5 env X=1 stdbuf -oL", "python3 -c X=1"),
            ("sudo -u ann -E X=1", "python3"),
            ("poetry -C dir run", "pytest -x"),
            ("conda run -n base --no-capture-output", "python"),
            ("", "poetry install"),
            ("", "timeout 5"),
            ("", "env"),
            ("", "nice -n"),
            ("", "python3 timeout 5 erl"),
        ] {
            let line = [words, program].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
            assert_eq!(wrapper(&line).0, words, "{line}");
        }
    }

    #[test]
    fn variables_are_assigned_where_the_environment_is_changed_last() {
        for (line, place) in [
            ("env -i X=1 timeout 5 python3", Some(3)),
            ("timeout 5 env python3", Some(3)),
            ("env env X=1 python3", Some(3)),
            ("nice python3", None),
        ] {
            assert_eq!(wrapper(line).1.assignments, place, "{line}");
        }
        assert_eq!(wrapper("nice sudo python3").1.hides, Some("sudo"));
    }

    #[test]
    fn a_variable_is_what_the_words_make_of_it() {
        let path = std::env::var_os("PATH");
        for (line, value) in [
            ("nice python3 PATH=x", path.clone()),
            ("env A=1 python3", path),
            ("env PATH=a PATH=b nice python3", Some("b".into())),
            ("env -i python3", None),
            ("env -uPATH python3", None),
            ("env -u PATH python3", None),
            ("env --unset=PATH python3", None),
            ("env PATH= python3", None),
        ] {
            assert_eq!(wrapper(line).1.variable("PATH"), value, "{line}");
        }
    }
}
