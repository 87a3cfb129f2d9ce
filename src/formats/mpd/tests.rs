//! The reader on small traces and on those of the real system.

use std::io::Write as _;
use std::path::PathBuf;

use crate::formats::{LoadOptions, load};
use crate::trace::{Trace, Value, box_findings};

fn sample(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/mpd").join(name)
}

fn loaded(name: &str) -> Trace {
    load(&sample(name), &LoadOptions::default()).expect("the sample traces load")
}

fn read(text: &[u8]) -> Trace {
    let mut file = tempfile::NamedTempFile::new().expect("temporary files can be made");
    file.write_all(text).expect("temporary files can be written to");
    load(file.path(), &LoadOptions { from: Some("mpd"), ..LoadOptions::default() }).expect("a file can be read")
}

/// A trace of lines such as `5 m.a PROC 20 10`.
fn trace(lines: &str) -> Trace {
    let line = |line: &str| {
        let (number, rest) = line.trim().split_once(' ').expect("a line has a number");
        format!("a.mpd, {number}  {rest}\n")
    };
    read(lines.lines().filter(|line| !line.trim().is_empty()).map(line).collect::<String>().as_bytes())
}

fn rules(trace: &Trace) -> Vec<(&'static str, Option<i64>)> {
    trace.findings().kept().iter().map(|finding| (finding.rule, finding.chrono)).collect()
}

/// The values of an attribute, `-` for none.
fn column(trace: &Trace, name: &str) -> Vec<String> {
    let id = trace.schema().resolve(name).expect("the trace has it");
    let shown = |event| match trace.value(event, id) {
        Value::Absent => "-".to_owned(),
        Value::Int(number) => number.to_string(),
        Value::Atom(atom) => atom.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Term(text) => text.to_owned(),
        Value::Path(steps) => steps.iter().map(|step| step.to_string()).collect::<Vec<_>>().join(";"),
        Value::Args(list) => list.whole().into_owned(),
        other => format!("{other:?}"),
    };
    (0..trace.n_events()).map(shown).collect()
}

const GOOD: [&str; 10] = [
    "CS_3_4",
    "CS_seed_1_1",
    "buffer",
    "cosum",
    "dvm",
    "philos_deadlock",
    "philos_ok",
    "rwbig_small",
    "stdout_noline",
    "trc_vsuite",
];

#[test]
fn the_traces_of_the_real_system_break_no_rule() {
    for name in GOOD {
        let trace = loaded(&format!("{name}.trc"));
        assert_eq!(trace.origin().format, "mpd", "{name}");
        assert_eq!(rules(&trace), [], "{name}");
        assert_eq!(box_findings(&trace).total(), 0, "{name}");
    }
}

#[test]
fn each_bad_trace_breaks_its_rule() {
    let bad = ["M1_cut_line", "M2_no_opening", "M4_end_line", "M6_no_v", "M12_prefix_lost"];
    for name in bad {
        let trace = loaded(&format!("bad/{name}.trc"));
        let rule = name.split('_').next().expect("names begin with the rule");
        assert_eq!(rules(&trace).first().map(|(found, _)| *found), Some(rule), "{name}: {:?}", rules(&trace));
    }
}

#[test]
fn the_example_of_the_manual_reads_as_it_says() {
    let trace = trace(
        "15 main.body BODY 1730b8 0
         16 main.body CREATEG 1730b8 0
         1 CS.body BODY 173168 0
         5 CS.body SEND 173168 0
         1 CS.body ENDBODY 173168 0
         5 CS.arbitrator PROC 1731c0 173168
         20 main.body SEND 1730b8 0
         15 main.body ENDBODY 1730b8 0
         7 CS.arbitrator IN 1731c0 0
         20 main.user PROC 173168 1730b8
         22 main.user CALL 173168 0
         8 CS.arbitrator ARM 1731c0 173168
         7 CS.arbitrator NI 1731c0 173168",
    );
    assert_eq!(rules(&trace), []);
    let event_12 = |name| column(&trace, name)[11].clone();
    let values = ["call", "depth", "goal_path", "name", "args", "file", "line", "pid", "inc", "invoker", "serves"];
    let expected = ["4", "2", "proc@5;in@7", "CS.arbitrator", "", "a.mpd", "8", "1731c0", "1", "p('173168', 2)", "3"];
    assert_eq!(values.map(event_12), expected);
}

#[test]
fn inside_of_an_arm_the_path_has_a_step_more() {
    let trace = trace("1 m.b BODY A 0\n2 m.b SEND A 0\n3 m.b IN A 0\n4 m.b ARM A A\n5 m.b CREATER A 0\n3 m.b NI A A");
    assert_eq!(column(&trace, "goal_path")[3..], ["body@1;in@3", "body@1;in@3;arm@4", "body@1;in@3"]);
    assert_eq!(column(&trace, "depth"), ["1", "1", "2", "2", "2", "2"]);
    assert_eq!(column(&trace, "call")[4], "2");
}

#[test]
fn a_process_that_begins_again_while_it_is_open_was_killed() {
    let trace =
        trace("1 m.b BODY A 0\n2 m.b SEND A 0\n2 m.p PROC B A\n1 m.b BODY B 0\n1 m.b ENDBODY B 0\n1 m.b ENDBODY A 0");
    assert_eq!(rules(&trace), []);
    assert_eq!(column(&trace, "inc"), ["1", "1", "1", "2", "2", "1"]);
    assert_eq!(column(&trace, "fate"), ["ended", "-", "killed", "ended", "-", "-"]);
    assert_eq!(column(&trace, "last_in_process"), ["6", "-", "3", "5", "-", "-"]);
    assert_eq!(column(&trace, "next_in_process"), ["2", "6", "-", "5", "-", "-"]);
}

#[test]
fn a_direct_call_nests_in_its_process() {
    let trace = trace("1 m.b BODY A 0\n2 m.b CALL A 0\n5 m.p PROC A A\n5 m.p ENDPROC A A\n3 m.b SEND A 0");
    assert_eq!(rules(&trace), []);
    assert_eq!(column(&trace, "depth"), ["1", "2", "3", "3", "1"]);
    assert_eq!(column(&trace, "inc"), ["1"; 5]);
    assert_eq!(column(&trace, "matched")[2], "direct");
    assert_eq!(column(&trace, "answered_at")[1], "4");
    assert_eq!(column(&trace, "idepth"), ["1", "1", "2", "2", "1"]);
}

#[test]
fn equal_ids_on_two_machines_are_two_processes() {
    let text = "a.mpd, 1 m.b BODY A 0\na.mpd, 2 m.b CREATEV A 0\na.mpd, 3 vm(1).m.b SEND A 0\n\
                a.mpd, 5 vm(2).r.b BODY A 0\na.mpd, 6 vm(2).r.b SEND A 0\na.mpd, 7 vm(2).r.p PROC B A\n";
    let trace = read(text.as_bytes());
    assert_eq!(rules(&trace), []);
    assert_eq!(column(&trace, "vm"), ["1", "1", "1", "2", "2", "2"]);
    assert_eq!(column(&trace, "inc"), ["1", "1", "1", "2", "2", "1"]);
    assert_eq!(column(&trace, "invoker")[5], "p('A', 2)", "of the same machine");
    let trace = read(text.replace("vm(2).r.b SEND A", "vm(2).r.b CREATER A").as_bytes());
    assert_eq!(column(&trace, "invoker")[5], "p('A', 1)", "of the only one with an invocation");
}

/// The service of the call ends on machine 2, and the answer never arrives: that of a call in a co statement need not.
#[test]
fn a_caller_that_never_comes_back_is_blocked() {
    let call = "a.mpd, 1 m.b BODY A 0\na.mpd, 2 m.b CREATEV A 0\na.mpd, 3 vm(1).m.b CALL A 0\n\
                a.mpd, 9 vm(2).r.p PROC B A\na.mpd, 9 vm(2).r.p ENDPROC B A\n";
    let blocked = |text: &str| column(&read(text.as_bytes()), "blocked").join(" ");
    assert_eq!(blocked(call), "- - true - -");
    assert_eq!(blocked(&format!("{call}a.mpd, 1 vm(1).m.b ENDBODY A 0\n")), "- - - - - -");
    let in_co = call.replace("a.mpd, 3 vm(1)", "a.mpd, 3 vm(1).m.b CO A 0\na.mpd, 3 vm(1)");
    assert_eq!(blocked(&in_co), "- - - - - -");
}

#[test]
fn a_semaphore_created_again_is_another_one() {
    let trace = trace(
        "1 m.b BODY A 0\n2 m.b CREATES A F\n2 m.b INITS A 1\n3 m.b P A F\n3 m.b CONTP A F\n4 m.b CREATES A F\n5 m.b P A F",
    );
    assert_eq!(rules(&trace), []);
    assert_eq!(column(&trace, "sem_inc"), ["-", "1", "1", "1", "1", "2", "2"]);
    assert_eq!(column(&trace, "args"), ["", "'F'", "1", "'F'", "'F'", "'F'", "'F'"]);
    assert_eq!(column(&trace, "blocked")[6], "true");
    assert_eq!(column(&trace, "initial"), ["-", "1", "-", "-", "-", "0", "-"]);
}

#[test]
fn hexadecimal_numbers_in_both_cases_are_the_same_id() {
    let trace = trace("1 m.b BODY ab 0\n2 m.b SEND AB 0\n1 m.b ENDBODY Ab 0");
    assert_eq!((rules(&trace), column(&trace, "pid")), (vec![], vec!["ab".to_owned(); 3]));
}

#[test]
fn findings_name_a_process_as_its_events_do() {
    let trace = trace("1 m.b BODY ab 0\n2 m.p PROC C AB");
    let finding = &trace.findings().kept()[0];
    assert_eq!(finding.message, "process `ab` has no invocation that this could serve");
}

#[test]
fn output_of_the_program_is_counted_once_and_cut_off_in_front_of_events() {
    let trace = loaded("CS_stdout_mixed.trc");
    let findings = trace.findings().kept();
    assert_eq!((findings.len(), findings[0].rule, findings[0].line), (1, "output", Some(16)));
    assert_eq!(trace.n_events(), 46);
    let trace = loaded("stdout_noline.trc");
    assert_eq!(column(&trace, "file"), ["noline.mpd"; 7]);
}

/// The rules that a trace breaks, each once.
fn broken(lines: &str) -> Vec<&'static str> {
    rules(&trace(lines)).into_iter().map(|(rule, _)| rule).collect()
}

#[test]
fn every_rule_is_checked() {
    assert_eq!(broken("1 m.b BODY A 0\n1 m.b CREATED A 0\n1 m.b ENDBODY A 0"), ["M1"]);
    assert_eq!(broken("1 m.b SEND A 0\n1 m.b SEND A 0"), ["M2"]);
    assert_eq!(broken("1 m.b BODY A 0\n2 m.c SEND A 0"), ["M3"]);
    assert_eq!(broken("1 m.b BODY A 0\n1 m.c ENDBODY A 0"), ["M4"]);
    assert_eq!(broken("1 m.b BODY A 0\n1 m.b ENDFINAL A 0"), ["M4"]);
    assert_eq!(broken("1 m.b BODY A 0\n2 m.b P A F\n3 m.b V A F"), ["M5"]);
    assert_eq!(broken("1 m.b BODY A 0\n2 m.b P A F\n2 m.b CONTP A E"), ["M5", "M5"]);
    assert_eq!(broken("1 m.b BODY A 0\n1 m.b CREATES A F\n2 m.b P A F\n2 m.b CONTP A F"), ["M6"]);
    assert_eq!(broken("1 m.b BODY A 0\n3 m.b SEND A 0\n2 m.b ARM A A"), ["M7"]);
    assert_eq!(broken("1 m.b BODY A 0\n2 m.b IN A 0\n2 m.b NI A A"), ["M7"]);
    assert_eq!(broken("1 m.b BODY A 0\n2 m.b IN A 0\n3 m.b IN A 0"), ["M7"]);
    assert_eq!(broken("1 m.b BODY A 0\n2 m.b CO A 0\n3 m.b OC A 0"), ["M8"]);
    assert_eq!(broken("1 m.b BODY A 0\n2 m.b CALL A 0\n3 m.b SEND A 0"), ["M9"]);
    assert_eq!(broken("1 m.b BODY A 0\n2 m.p PROC B A"), ["M10"]);
    assert_eq!(broken("1 m.b BODY A 0\n2 m.b CALL A 0\n5 m.p PROC B A\n6 m.p REPLY B A\n7 m.p REPLY B A"), ["M11"]);
    assert_eq!(broken("1 m.b BODY A 0\n2 m.b FORWARD A 0"), ["M11"]);
    assert_eq!(broken("1 vm(1).m.b BODY A 0\n1 m.b ENDBODY A 0"), ["M12"]);
}

#[test]
fn what_is_open_at_the_end_is_no_fault() {
    let trace = loaded("philos_deadlock.trc");
    assert_eq!(rules(&trace), []);
    let blocked = column(&trace, "blocked").iter().filter(|value| *value == "true").count();
    assert_eq!((blocked, trace.open_calls().count()), (6, 12));
}

#[test]
fn a_trace_cut_at_any_byte_keeps_the_events_before() {
    let whole = std::fs::read(sample("stdout_noline.trc")).expect("the sample is there");
    for cut in 0..whole.len() {
        let trace = read(&whole[..cut]);
        let lines = whole[..cut].iter().filter(|byte| **byte == b'\n').count();
        assert!(trace.n_events() as usize + 1 >= lines, "cut at {cut}");
    }
}

#[test]
fn every_changed_line_is_survived() {
    let whole = std::fs::read_to_string(sample("buffer.trc")).expect("the sample is there");
    let lines: Vec<&str> = whole.lines().collect();
    for index in 0..lines.len() {
        let without = [&lines[..index], &lines[index + 1..]].concat();
        let twice = [&lines[..=index], &lines[index..]].concat();
        let mut swapped = lines.clone();
        swapped.swap(index, (index + 1) % lines.len());
        for changed in [without, twice, swapped] {
            let trace = read(changed.join("\n").as_bytes());
            assert_eq!(trace.n_events() as usize, changed.len());
            assert!(trace.calls().all(|call| trace.ancestors(call).count() < 10));
        }
        let mut flipped = whole.clone().into_bytes();
        let start: usize = lines[..index].iter().map(|line| line.len() + 1).sum();
        flipped[start..start + lines[index].len()].iter_mut().for_each(|byte| *byte ^= 0x80);
        assert_eq!(read(&flipped).n_events() as usize, lines.len() - 1);
    }
}

#[test]
fn deep_direct_calls_and_many_sends_take_no_more_than_their_share() {
    let mut text = String::from("a.mpd, 1 m.b BODY A 0\n");
    for line in 0..20_000 {
        text.push_str(&format!("a.mpd, {line} m.b CALL A 0\na.mpd, 5 m.b PROC A A\na.mpd, {line} m.b SEND A 0\n"));
    }
    let trace = read(text.as_bytes());
    assert_eq!((trace.n_events(), rules(&trace)), (60_001, vec![]));
    assert_eq!(column(&trace, "depth").last().map(String::as_str), Some("40001"));
}
