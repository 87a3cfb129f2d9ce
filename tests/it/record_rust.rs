//! The layer for `tracing`: a program that records itself, against what its source says.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::support::{papaver, stdout};

/// The program of `examples/tracing`; none if its crates cannot be had, which is said.
pub fn shop() -> Option<&'static Path> {
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

/// What the program of the shop has: a day, its delivery, 2 clients, 5 orders and 13 prices, one of which fails.
#[test]
fn limits_leave_out_what_they_say() {
    let trailer = |trace: &Path| {
        let text = std::fs::read_to_string(trace).expect("it is there");
        let last = text.lines().last().unwrap_or_default();
        last.split_once("\"left_out\":").map_or("", |(_, left_out)| left_out).trim_end_matches('}').to_string()
    };
    for (options, calls, left_out) in [
        ("only=price", 13, "{\"only\":"),
        ("only=shop::price\nonly=client", 15, "{\"only\":"),
        ("only=shop", 22, "{"),
        ("only=sho", 0, "{\"only\":"),
        // the event of the error is one of the skipped span
        ("skip=price", 9, "{\"skip\":14"),
        // each has an event that says it is done, and a result that is no event
        ("skip=client", 20, "{\"skip\":4"),
        ("depth=2", 4, "{\"depth\":18"),
        ("sample=2", 1 + 1 + 1 + 3 + 7, "{\"sample\":9"),
        ("no_args=1", 22, "{\"no_args\":true"),
        // of the values, only the error of the price is written
        ("no_args=1\ntext=6", 22, "{\"text\":1,\"no_args\":true"),
        ("text=2", 22, "{\"text\":"),
    ] {
        let Some((_folder, trace)) = recorded(&[], options) else { return };
        assert_eq!(count(&trace, "port=call"), calls.to_string(), "{options}");
        assert_eq!(count(&trace, "port=[exit, exception]"), calls.to_string(), "{options}");
        assert!(trailer(&trace).starts_with(left_out), "{options}: {}", trailer(&trace));
        let checks = papaver().args(["check", "--builtin"]).arg(&trace).output().expect("papaver runs");
        assert!(String::from_utf8_lossy(&checks.stdout).contains(" 0 violated"), "{options}");
    }
    let Some((_folder, trace)) = recorded(&[], "only=price\nskip=day\nno_args=1") else { return };
    assert_eq!(
        answers(&trace, "trace_info(limits, L)").trim(),
        "L = json([text=400, only=[\"price\"], skip=[\"day\"], no_args=true])"
    );
    assert!(!std::fs::read_to_string(&trace).expect("it is there").contains("\"args\""));
    let Some((_folder, trace)) = recorded(&[], "only=order\nonly=price") else { return };
    // the parent of an order is not recorded
    assert_eq!(count(&trace, "port=call, name=order, parent=0, depth=1"), "5");
    assert_eq!(count(&trace, "port=call, name=price, depth=2"), "13");
    let Some((_folder, trace)) = recorded(&["fib", "15"], "last=10") else { return };
    assert_eq!(answers(&trace, "trace_info(events, N)").trim(), "N = 10");
    // the last fib(1) begins and ends, then fib(3), fib(5), ... end
    assert_eq!([count(&trace, "port=call"), count(&trace, "port=exit")], ["1", "9"]);
    let text = std::fs::read_to_string(&trace).expect("it is there");
    assert!(text.contains("{\"papaver\":1,\"port\":\"gap\",\"lost\":3936}\n"), "{text}");
    assert!(text.contains("\"events\":10,") && text.contains("\"left_out\":{\"last\":3936}"), "{text}");
}
