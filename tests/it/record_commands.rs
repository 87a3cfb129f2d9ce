//! Commands in which another program starts the one that is meant, and what is said where nothing was recorded: what
//! papaver tells to type is typed.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::each::test_cases;
use crate::support::{data, has, program};

/// The interpreter, in a folder with a program and with others that give a program an environment of their own.
struct Place {
    folder: tempfile::TempDir,
    python: String,
}

impl Place {
    fn new() -> Option<Place> {
        if !has(&["python3", "env"]) {
            return None;
        }
        let asked = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
        let python = String::from_utf8(asked.expect("it can be run").stdout).expect("it is text").trim().to_string();
        let folder = tempfile::tempdir().expect("a folder can be made");
        std::fs::copy(data("record/python/ways.py"), folder.path().join("ways.py")).expect("it can be copied");
        for name in ["sudo", "poetry"] {
            let shift = if name == "poetry" { "shift; " } else { "" };
            let script = format!("#!/bin/sh\n{shift}exec env -i PATH=\"$PATH\" \"$@\"\n");
            let file = folder.path().join(name);
            std::fs::write(&file, script).expect("it is written");
            assert!(Command::new("chmod").arg("+x").arg(file).status().expect("chmod can be run").success());
        }
        Some(Place { folder, python })
    }

    fn run(&self, command: &mut Command) -> Output {
        command.current_dir(self.folder.path()).stdin(Stdio::null()).env_remove("PYTHONPATH");
        command.output().expect("it can be run")
    }

    fn record(&self, words: &[&str]) -> Output {
        self.run(program().arg("record").args(words))
    }

    /// Types a command line into a shell.
    fn typed(&self, line: &str) -> Output {
        self.run(Command::new("sh").args(["-c", line]))
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What the last line of papaver tells to type: ``type `LINE` ``.
fn told(output: &Output) -> String {
    let error = text(&output.stderr);
    let line = error.lines().last().and_then(|line| line.split_once("type `")?.1.strip_suffix('`'));
    line.unwrap_or_else(|| panic!("nothing to type: {error}")).to_string()
}

/// Types the question that the last line suggests, and returns what papaver answers.
pub(crate) fn asked(folder: &Path, told: &[u8]) -> String {
    let told = text(told);
    let line = told.lines().last().and_then(|line| line.split_once("or: papaver "));
    let (_, question) = line.unwrap_or_else(|| panic!("no question: {told}"));
    let line = format!("'{}' {question}", env!("CARGO_BIN_EXE_papaver"));
    let answered = Command::new("sh").args(["-c", &line]).current_dir(folder).output().expect("a shell can be run");
    assert!(answered.status.success(), "{question}: {}", text(&answered.stderr));
    text(&answered.stdout)
}

test_cases! {
    the_program_behind_others_is_recorded, record_behind:
    timeout "timeout -k 5 60", env "env X=1 PYTHONPATH=lib", emptied "env -i X=1", unset "env -u HOME", nice "nice -n 1",
    nohup "nohup", stdbuf "stdbuf -oL", several "nice env PYTHONPATH=a timeout 60 env -u A PYTHONPATH=b:c",
    time "time -o time.txt", setsid "setsid -w",
}

/// It prints and ends as it does bare, and sees its own environment.
fn record_behind(words: &str) {
    let Some(place) = Place::new() else { return };
    let words: Vec<&str> = words.split(' ').collect();
    if !has(&words[..1]) {
        return;
    }
    let command = [&words, &[place.python.as_str(), "ways.py", "a"][..]].concat();
    let bare = place.run(Command::new(command[0]).args(&command[1..]));
    let recorded = place.record(&[&["-o", "my trace.jsonl", "--"][..], &command].concat());
    assert_eq!(text(&recorded.stdout), text(&bare.stdout), "{}", text(&recorded.stderr));
    assert_eq!(recorded.status.code(), bare.status.code());
    let question = ["query", "event([port=exit, name=error])", "--count", "my trace.jsonl"];
    let calls = place.run(program().args(question));
    assert_eq!(text(&calls.stdout), "1\n", "{}", text(&calls.stderr));
    assert!(asked(place.folder.path(), &recorded.stderr).contains("<module>"));
}

test_cases! {
    a_program_in_another_environment_is_recorded_by_what_is_told, record_as_told:
    sudo "./sudo", poetry "./poetry run", behind_nice "nice ./sudo X=1",
}

fn record_as_told(words: &str) {
    let Some(place) = Place::new() else { return };
    let words: Vec<&str> = words.split(' ').collect();
    let command = [&words, &[place.python.as_str(), "-c", "print('it is run')"][..]].concat();
    let refused = place.record(&[&["-o", "t.jsonl", "--"][..], &command].concat());
    assert_eq!((refused.status.code(), text(&refused.stdout).as_str()), (Some(125), ""));
    let recorded = place.typed(&told(&refused));
    assert_eq!(text(&recorded.stdout), "it is run\n");
    assert!(text(&recorded.stderr).starts_with("recorded 2 events of 1 calls"), "{}", text(&recorded.stderr));
}

#[test]
fn a_module_of_the_library_is_recorded_by_what_is_told() {
    let Some(place) = Place::new() else { return };
    std::fs::write(place.folder.path().join("it's.json"), "[1]").expect("it is written");
    let nothing = place.record(&["-o", "t.jsonl", "--force", "--", &place.python, "-m", "json.tool", "it's.json"]);
    let recorded = place.typed(&told(&nothing));
    assert_eq!(text(&recorded.stdout), text(&nothing.stdout));
    assert!(text(&recorded.stderr).starts_with("recorded 4 events of 2 calls"), "{}", text(&recorded.stderr));
}

#[test]
fn where_nothing_is_recorded_the_reason_is_told() {
    let Some(place) = Place::new() else { return };
    let python = place.python.as_str();
    for (words, reason) in [
        (
            &["--only", "no_such", "--only", "b", python, "ways.py"][..],
            "nothing that ran matches --only no_such --only b",
        ),
        (
            &["--skip", "__main__", python, "ways.py"],
            "code of libraries is left out without --only, and what ran matches --skip __main__",
        ),
        (&["--with", "python", "env"], "the recorder python needs a Python program that reads PYTHONPATH"),
        (&[python, "--version"], "the recorder python needs a Python program that reads PYTHONPATH"),
        (&["--with", "python", "sh", "-c", "exit 3"], "ended by exit 3: it failed before code of its own ran"),
        (&["--with", "python", "sh", "-c", "exit 3"], "; or the recorder python needs"),
        (&[python, "no_such.py"], "it failed before code of its own ran, and says above why; or code of libraries"),
    ] {
        let recorded = place.record(words);
        let error = text(&recorded.stderr);
        let last = error.lines().last().unwrap_or_default();
        assert!(
            last.starts_with("papaver record: nothing was recorded, the program ended by exit "),
            "{words:?}: {error}"
        );
        assert!(last.contains(reason), "{words:?}: {error}");
    }
}

test_cases! {
    the_question_at_the_end_has_an_answer, ask:
    python ("python3", &["-c", "def f(): pass\nf()"]), python_error ("python3", &["-c", "1/0"]),
    swi ("swipl", &["-g", "main", "-t", "halt", "main.pl"]), swi_failure ("swipl", &["-g", "(no;true)", "-t", "halt", "main.pl"]),
}

fn ask((name, arguments): (&str, &[&str])) {
    let Some(place) = Place::new() else { return };
    if !has(&[name]) {
        return;
    }
    std::fs::write(place.folder.path().join("main.pl"), "main.\nno :- fail.\n").expect("it is written");
    let recorded = place.record(&[&["-o", "a 'b'.out", "--", name][..], arguments].concat());
    asked(place.folder.path(), &recorded.stderr);
}
