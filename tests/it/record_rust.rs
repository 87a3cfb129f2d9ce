//! The layer for `tracing`: a program that records itself, against what its source says.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::support::{papaver, stdout};

/// The program of `examples/tracing`; none if its crates cannot be had, which is said.
fn shop() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    BUILT.get_or_init(build).as_deref()
}

fn build() -> Option<PathBuf> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/tracing/Cargo.toml");
    let cargo = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO"));
        command.args(words).arg("--locked").arg("--manifest-path").arg(&manifest).output().expect("cargo can be run")
    };
    if !cargo(&["fetch"]).status.success() {
        println!("the crate `tracing` cannot be had here: not tested");
        return None;
    }
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tracing");
    let built = cargo(&["build", "--target-dir", target.to_str().expect("it is text")]);
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    Some(target.join("debug/shop"))
}

/// A trace of the program with these arguments and options of the recorder.
fn recorded(arguments: &[&str], options: &str) -> Option<(tempfile::TempDir, PathBuf)> {
    let shop = shop()?;
    let folder = tempfile::tempdir().expect("a folder can be made");
    let trace = folder.path().join("t.jsonl");
    let mut command = Command::new(shop);
    command.args(arguments).env("PAPAVER_OUT", &trace).env("PAPAVER_OPTIONS", options).env("RUST_BACKTRACE", "0");
    command.output().expect("it can be run");
    Some((folder, trace))
}

fn count(trace: &Path, constraints: &str) -> String {
    let goal = format!("event([{constraints}])");
    let output = papaver().args(["query", &goal, "--count"]).arg(trace).output().expect("papaver runs");
    String::from_utf8(output.stdout).expect("it is text").trim().to_string()
}

fn answers(trace: &Path, goal: &str) -> String {
    stdout(papaver().args(["query", goal]).arg(trace), 0)
}

#[test]
fn futures_that_take_turns_keep_their_own_boxes() {
    let Some((_folder, trace)) = recorded(&[], "") else { return };
    // a day, its delivery, 2 clients, 2 + 3 orders of 2 or 3 items
    let spans = 1 + 1 + 2 + (2 + 3) + (2 * 2 + 3 * 3);
    assert_eq!(count(&trace, "port=call"), spans.to_string());
    assert_eq!(count(&trace, "port=[exit, exception]"), spans.to_string());
    // the third order of three items asks for the items 2 to 4, and there is no item 4
    assert_eq!(
        answers(&trace, "event([port=exception, name=N, args=A, exception=E])"),
        "N = price, A = [4], E = \"no item \\\"4\\\"\"\n"
    );
    // prices 1 + 2 and 2 + 3; 1 + 2 + 3, 2 + 3 + 4, 3 + 4
    assert_eq!(
        answers(&trace, "event([port=exit, name=client, args=[W, _], result=R])"),
        "W = \"ann\", R = 8\nW = \"bob\", R = 22\n"
    );
    assert_eq!(answers(&trace, "event([port=exit, name=day, args=[Sold]])"), "Sold = 30\n");
    for (client, orders) in [("ann", "2"), ("bob", "3")] {
        let goal = format!(
            "event([port=call, name=client, args=[\"{client}\"|_], call=C]), event([port=call, name=order, parent=C])"
        );
        let found = stdout(papaver().args(["query", &goal, "--count"]).arg(&trace), 0);
        assert_eq!(found.trim(), orders, "{client}");
    }
    // each client pauses after each order, and each order once; the last pause of all has nothing to wait for
    assert_eq!(count(&trace, "port=suspend"), count(&trace, "port=resume"));
    let suspended = "event([port=suspend, call=C, chrono=S]), event([port=resume, call=C, chrono=R]), R > S";
    assert!(!answers(&trace, suspended).is_empty());
    let checks = stdout(papaver().args(["check", "--builtin"]).arg(&trace), 0);
    assert!(checks.contains("4 checks, 0 violated"), "{checks}");
    assert_eq!(answers(&trace, "trace_info(end, E)"), "E = \"ok\"\n");
}

#[test]
fn events_have_their_level_their_message_and_typed_fields() {
    let Some((_folder, trace)) = recorded(&[], "") else { return };
    assert_eq!(
        answers(&trace, "event([port=event, level='WARN', message=M, total=T, share=S])"),
        "M = \"large order\", T = 6, S = 0.75\nM = \"large order\", T = 9, S = 1.125\nM = \"large order\", T = 7, S = 0.875\n"
    );
    assert_eq!(
        answers(
            &trace,
            "event([port=event, message=\"delivered\", thread=T, boxes=N, call=C]), event([port=follows_from, call=C, follows=F])"
        ),
        "T = \"driver\", N = 2, C = 22, F = 1\n"
    );
    assert_eq!(count(&trace, "port=event, ok=true"), "2");
}

#[test]
fn a_span_is_a_call_and_an_exit_at_any_number_and_limits_hold() {
    let Some((_folder, trace)) = recorded(&["fib", "15"], "") else { return };
    // 2 F(16) - 1 calls
    assert_eq!((count(&trace, "port=call"), count(&trace, "chrono>0")), ("1973".to_string(), "3946".to_string()));
    let Some((_folder, trace)) = recorded(&["fib", "15"], "max_events=100\ntext=5") else { return };
    assert_eq!(count(&trace, "chrono>0"), "100");
    assert_eq!(answers(&trace, "trace_info(end, E)"), "E = \"limit\"\n");
    let Some((_folder, trace)) = recorded(&["panic"], "text=3") else { return };
    assert_eq!(answers(&trace, "trace_info(end, E), event([port=call, args=A])"), "E = \"panic\", A = [\"ask…\"]\n");
}
