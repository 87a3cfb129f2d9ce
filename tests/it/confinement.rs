//! Scripts read other scripts from their own folder and below it, and from nowhere else.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use tempfile::TempDir;

use crate::support::{data, papaver};

/// A folder `outer` with `secret.pl`; in it a folder `inner` with the script, which has a folder `deeper` with
/// `helper.pl`.
fn folders(script: &str) -> TempDir {
    let top = tempfile::tempdir().expect("a temporary folder can be made");
    let inner = top.path().join("inner");
    fs::create_dir_all(inner.join("deeper")).expect("it can be written to");
    let write = |path: &Path, text: &str| fs::write(path, text).expect("it can be written to");
    write(&top.path().join("secret.pl"), "secret(42).\n");
    write(&inner.join("deeper/helper.pl"), "helper(7).\n");
    write(&inner.join("script.pl"), script);
    top
}

/// Runs the script from its own folder by its bare name, and from outside by its path.
fn both_ways(top: &TempDir, check: impl Fn(&mut Command)) {
    let trace = data("qsort.trace");
    check(papaver().current_dir(top.path().join("inner")).args(["run", "script.pl", &trace]));
    check(papaver().current_dir(top.path()).args(["run", "inner/script.pl", &trace]));
}

#[test]
fn a_script_reads_what_lies_below_it() {
    for script in [
        ":- include('deeper/helper').\nmain :- helper(X), print(X), nl.\n",
        ":- consult('deeper/helper.pl').\nmain :- helper(X), print(X), nl.\n",
        "main :- consult('deeper/helper'), helper(X), print(X), nl.\n",
    ] {
        both_ways(&folders(script), |command| {
            command.assert().code(0).stdout("7\n");
        });
    }
}

#[test]
fn a_script_reads_nothing_outside_its_folder() {
    for read in ["include('../secret')", "consult('../secret')", "include('/etc/passwd')", "consult('/etc/passwd')"] {
        let as_directive = format!(":- {read}.\nmain.\n");
        both_ways(&folders(&as_directive), refused);
        let as_goal = format!("main :- {read}.\n");
        both_ways(&folders(&as_goal), refused);
    }
}

#[test]
fn what_is_wrong_with_a_script_that_a_goal_consults_is_told() {
    let top = folders("main :- consult(wrong).\n");
    fs::write(top.path().join("inner/wrong.pl"), "fine(1).\nwrong( .\n").expect("it can be written to");
    both_ways(&top, |command| {
        let assert = command.assert().code(2);
        let errors = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(errors.contains("wrong.pl:2:"), "{errors}");
    });
}

#[cfg(unix)]
#[test]
fn a_link_does_not_lead_out() {
    let top = folders("main :- consult(link).\n");
    std::os::unix::fs::symlink(top.path().join("secret.pl"), top.path().join("inner/link.pl")).expect("links work");
    both_ways(&top, refused);
}

fn refused(command: &mut Command) {
    let assert = command.assert().code(2);
    let errors = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(errors.contains("no permission to"), "{errors}");
    assert!(!errors.contains("root:"), "{errors}");
}
