//! strace as a recorder: the system calls of any program.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::{Command, Stdio};

use super::process_depths::FORKS;
use super::strace_limits::StraceLimits;
use super::{Limit, Recorder, RecorderFile, Request, Start};

/// The row of the recorder.
pub(super) const RECORDER: Recorder = Recorder {
    kind: "strace",
    doc: "the system calls of any program, by strace",
    page: "strace",
    files: &[RecorderFile { name: "strace.sh", text: include_str!("strace.sh") }],
    programs: &[],
    endings: &["sh"],
    format: "strace",
    question: "event([port=exception, name=Call, errno=Error])",
    overview: None,
    needs: "a program that strace can follow",
    limits: &[Limit::Only, Limit::Skip, Limit::Depth, Limit::Text, Limit::NoArgs, Limit::Sample],
    kept_outside: Some(StraceLimits::of),
    start,
};

/// The length of a text where `--text` does not say it.
const TEXT: u64 = 400;

fn start(request: &Request<'_>) -> Result<Start, String> {
    let start = command(request)?;
    refuse_without_strace()?;
    Ok(start)
}

/// Says why, if strace is not there or may not trace, as in many containers: the program shall not run unrecorded.
fn refuse_without_strace() -> Result<(), String> {
    let traced = Command::new("strace").args(["-o", "/dev/null", "true"]).stdin(Stdio::null()).output();
    match traced {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let last = said.lines().last().unwrap_or("it does not say why").to_string();
            Err(format!("strace cannot trace here: {last} (--with chooses another recorder)"))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err("this program needs `strace`, which is not installed (--with chooses another recorder)".to_string())
        }
        Err(error) => Err(format!("cannot run `strace`: {error}")),
    }
}

/// The tracer runs beside the program, not as its parent: the program is a child of papaver with an exit status of its
/// own, and goes on when the tracer ends. The terminal sends Ctrl-C to the program alone, and a closed pipe ends the
/// tracer. A filter of the kernel (`--seccomp-bpf`) would be faster with `--only`, but without its tracer the program
/// could not make those system calls any more.
fn command(request: &Request<'_>) -> Result<Start, String> {
    let mut command: Vec<OsString> = ["strace", "-DD", "-I", "2", "-f", "-ttt", "-T", "-y"].map(OsString::from).into();
    // what is meant for recorders is not passed on to the program
    command.extend(["-E", "PAPAVER_OUT", "-E", "PAPAVER_OPTIONS", "-s"].map(OsString::from));
    command.push(request.limits.text.unwrap_or(TEXT).to_string().into());
    command.extend(calls(request)?.map(|calls| ["-e".into(), calls.into()]).into_iter().flatten());
    command.extend(["-o".into(), request.out(), "--".into()]);
    command.extend(request.wrapper.words.iter().chain(request.command).cloned());
    Ok(Start { command, environment: request.environment().to_vec() })
}

/// The system calls to record, as an expression of strace. How deep a process is can only be told by the calls that made
/// it and those above it, so that `--depth` needs these.
fn calls(request: &Request<'_>) -> Result<Option<String>, String> {
    match (request.limits.only.as_slice(), request.limits.skip.as_slice()) {
        ([], []) => Ok(None),
        (only, []) if request.limits.depth.is_some() => {
            // a system that does not have one of them says nothing about it
            let forks = FORKS.map(|fork| format!("?{fork}")).join(",");
            Ok(Some(format!("trace={},{forks}", only.join(","))))
        }
        (only, []) => Ok(Some(format!("trace={}", only.join(",")))),
        ([], skip) if request.limits.depth.is_some() && skip.iter().any(|pattern| may_be_fork(pattern)) => {
            Err(format!("with --depth, strace cannot leave out the calls that make processes: {}", FORKS.join(", ")))
        }
        ([], skip) => Ok(Some(format!("trace=!{}", skip.join(",")))),
        _ => Err("strace takes either --only or --skip, not both".to_string()),
    }
}

/// Whether a pattern of strace may name a call that makes processes: by name, class or regular expression.
fn may_be_fork(pattern: &str) -> bool {
    let name = pattern.trim_start_matches('?');
    name.split(',').any(|name| {
        let name = name.split('@').next().unwrap_or_default();
        FORKS.contains(&name) || matches!(name, "%process" | "process" | "all") || name.starts_with('/')
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorders::Limits;

    fn words(limits: &Limits) -> Result<String, String> {
        let words_of_user = ["make".into(), "-s".into()];
        let request = Request::plain(&words_of_user, "/r", limits);
        let words = super::command(&request)?.command;
        Ok(words.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn the_command_stands_behind_the_options() {
        let expected = "strace -DD -I 2 -f -ttt -T -y -E PAPAVER_OUT -E PAPAVER_OPTIONS -s 400 -o /r/pipe -- make -s";
        assert_eq!(words(&Limits::default()).as_deref(), Ok(expected));
        assert!(RECORDER.files[0].text.contains("strace -DD -I 2 -f -ttt -T -y -s 400 -o \"$out\" -- \"$@\""));
    }

    #[test]
    fn limits_are_options_of_strace() {
        let limits = Limits { only: vec!["openat".into(), "%network".into()], text: Some(20), ..Limits::default() };
        let expected = "strace -DD -I 2 -f -ttt -T -y -E PAPAVER_OUT -E PAPAVER_OPTIONS -s 20 -e trace=openat,%network -o /r/pipe -- make -s";
        assert_eq!(words(&limits).as_deref(), Ok(expected));
        let both = Limits { skip: vec!["read".into()], ..limits };
        assert!(words(&both).is_err());
    }

    #[test]
    fn the_depth_of_processes_needs_the_calls_that_make_them() {
        let limits = |only: &[&str], skip: &[&str]| Limits {
            only: only.iter().map(ToString::to_string).collect(),
            skip: skip.iter().map(ToString::to_string).collect(),
            depth: Some(2),
            ..Limits::default()
        };
        let only = words(&limits(&["openat"], &[])).expect("there is a command");
        assert!(only.contains(" -e trace=openat,?clone,?clone3,?fork,?vfork -o "), "{only}");
        assert!(words(&limits(&[], &["read"])).is_ok());
        for pattern in ["clone3", "%process", "read,fork", "?vfork", "/^cl"] {
            assert!(words(&limits(&[], &[pattern])).is_err(), "{pattern}");
        }
    }
}
