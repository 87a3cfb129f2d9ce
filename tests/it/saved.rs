//! Saved traces: `papaver convert TRACE -o FILE.papaver`, and the results of every command on the file.

use std::io::Write;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::support::{data, papaver, stderr, stdout};

/// A sample trace, saved.
fn saved(name: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("temporary folders can be made");
    let path = folder.path().join("saved.papaver");
    stdout(papaver().args(["convert", &data(name), "-o"]).arg(&path), 0);
    (folder, path)
}

#[test]
fn a_saved_trace_is_written_back_as_the_file_it_came_from() {
    for (name, format) in [("queens.trace", "morphine"), ("queens.jsonl", "jsonl"), ("qsort.jsonl", "jsonl")] {
        let (_folder, path) = saved(name);
        let direct = stdout(papaver().args(["convert", &data(name), "-o", "-", "--to", format]), 0);
        let back = stdout(papaver().arg("convert").arg(&path).args(["-o", "-", "--to", format]), 0);
        assert_eq!(back, direct, "{name}");
    }
}

#[test]
fn questions_have_the_same_answers_in_the_same_order() {
    let (_folder, path) = saved("queens.trace");
    for goal in [
        "event([port=exit, name=queen, args=A, chrono=C])",
        "tally(P-Q, event([proc=P, port=Q]), L)",
        "event([depth=5..6, line_number=N, call=K, chrono=C]), parent(K, P), call_start(K, S)",
        "event([args=[[1|_]|_], chrono=C])",
    ] {
        let direct = stdout(papaver().args(["query", goal, &data("queens.trace")]), 0);
        assert_eq!(stdout(papaver().args(["query", goal]).arg(&path), 0), direct, "{goal}");
    }
    let info = |path: &std::ffi::OsStr| stdout(papaver().arg("info").arg(path), 0);
    let rest = |text: String| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(rest(info(path.as_os_str())), rest(info(data("queens.trace").as_ref())));
}

#[test]
fn a_damaged_column_is_an_error_of_the_questions_that_need_it_and_only_of_these() {
    let (_folder, path) = saved("queens.trace");
    let mut bytes = std::fs::read(&path).expect("it was written just now");
    // the dictionaries, here that of the arguments, are the last part before the description
    let place = bytes.windows(6).position(|window| window == b"[1, 2,").expect("the texts are found") + 1;
    bytes[place] = b'7';
    std::fs::write(&path, &bytes).expect("temporary files can be written");
    assert!(stdout(papaver().args(["query", "event([port=exit])", "--count"]).arg(&path), 0).contains("149"));
    let error = stderr(papaver().args(["query", "event([args=[[1|_]|_]])", "--count"]).arg(&path), 2);
    assert!(error.contains("saved trace") && error.contains("is damaged"), "{error}");
}

#[test]
fn half_a_file_is_refused_with_the_way_out() {
    let (_folder, path) = saved("queens.trace");
    let bytes = std::fs::read(&path).expect("it was written just now");
    std::fs::write(&path, &bytes[..bytes.len() / 2]).expect("temporary files can be written");
    let error = stderr(papaver().args(["query", "true"]).arg(&path), 2);
    assert!(error.contains("truncated") && error.contains("convert the trace again"), "{error}");
}

#[test]
fn a_saved_trace_may_come_through_a_pipe_and_be_packed() {
    let (folder, path) = saved("queens.trace");
    let goal = "event([port=exit, name=queen, args=A, chrono=C])";
    let direct = stdout(papaver().args(["query", goal]).arg(&path), 0);
    assert!(direct.contains("673"), "{direct}");
    let piped = papaver().args(["query", goal, "-"]).pipe_stdin(&path).map(|piped| stdout(piped, 0));
    assert_eq!(piped.expect("it was written just now"), direct);
    let bytes = std::fs::read(&path).expect("it was written just now");
    let packed = folder.path().join("saved.papaver.gz");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(&bytes).expect("memory takes everything");
    let gzip = encoder.finish().expect("memory takes everything");
    std::fs::write(&packed, &gzip).expect("temporary files can be written");
    assert_eq!(stdout(papaver().args(["query", goal]).arg(&packed), 0), direct);
    std::fs::write(&packed, &gzip[..gzip.len() / 2]).expect("temporary files can be written");
    let error = stderr(papaver().args(["query", goal]).arg(&packed), 2);
    assert!(error.contains("the packed data is damaged"), "{error}");
}

/// The first log is of a format without rule J4, whose findings are warnings where it exists.
#[test]
fn findings_keep_the_severities_of_their_formats_when_logs_are_merged_and_saved() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let [log, objects, merged] = ["a.log", "b.jsonl", "merged.papaver"].map(|name| folder.path().join(name));
    std::fs::write(&log, "@1 approve (2,4)\n@5 publish (4)\n").expect("a file can be written");
    let call = |time, port, arity| {
        format!("{{\"time\": {time}, \"call\": 1, \"port\": \"{port}\", \"name\": \"p\", \"arity\": {arity}}}\n")
    };
    std::fs::write(&objects, call(2, "call", 1) + &call(3, "exit", 2)).expect("a file can be written");
    let goal = "finding(Severity, Rule, _, _)";
    let expected = "Severity = warning, Rule = 'J4'\n";
    assert_eq!(stdout(papaver().args(["query", "-q", "--merge", goal]).args([&log, &objects]), 0), expected);
    stdout(papaver().args(["convert", "-q", "--merge", "-o"]).args([&merged, &log, &objects]), 0);
    assert_eq!(stdout(papaver().args(["query", "-q", goal]).arg(&merged), 0), expected);
}
