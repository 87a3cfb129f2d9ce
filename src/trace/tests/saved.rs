//! A saved and reopened trace is the same trace.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::{args_code, builder, queens};
use crate::trace::{
    AttributeId, EventRow, Field, Finding, FindingSeverity, ListField, MERCURY_PORTS, MemorySource, PortSet,
    SavedError, SavedSource, Trace, TraceOrigin,
};

fn saved(trace: &Trace) -> Vec<u8> {
    let mut bytes = Vec::new();
    trace.clone().save(&mut bytes).expect("memory takes everything");
    bytes
}

fn open_in(source: SavedSource, memory: Option<MemorySource>) -> Result<Trace, SavedError> {
    let format = |name: &str| {
        (name == "test").then(|| TraceOrigin {
            path: PathBuf::new(),
            format: "test",
            ports: PortSet::Closed(MERCURY_PORTS),
            attributes: &[],
            rule: "L1",
            severities: &[],
            is_by_line: true,
            ends_silently: false,
            lasso: None,
            results: &[],
            shown: &[],
            alike: &[],
        })
    };
    Trace::open_saved(source, Path::new("saved"), memory, format)
}

fn open(bytes: &[u8]) -> Result<Trace, SavedError> {
    let mut file = tempfile::tempfile().expect("temporary files can be made");
    file.write_all(bytes).expect("temporary files can be written");
    open_in(SavedSource::File(file), None)
}

/// The same trace from a file.
pub(super) fn reopened(trace: &Trace) -> Trace {
    open(&saved(trace)).expect("what was saved can be opened")
}

/// The first event with the same arguments; their codes may differ, because saving renumbers them.
fn same_args(trace: &Trace, event: u32, firsts: &mut HashMap<u32, u32>) -> Option<u32> {
    args_code(trace, event).map(|code| *firsts.entry(code).or_insert(event))
}

/// All contents of a trace.
fn everything(trace: &Trace) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    all.extend(trace.schema().iter().map(|(id, attribute)| format!("{id:?} {attribute:?}")));
    all.extend(trace.findings().kept().iter().map(|finding| format!("{finding:?}")));
    all.push(format!("{} {} {}", trace.findings().total(), trace.n_events(), trace.n_calls()));
    all.extend(trace.procs().map(|(id, proc)| format!("{id:?} {proc:?}")));
    all.extend(trace.ports().map(|port| format!("{port:?}")));
    let mut firsts = HashMap::new();
    for event in 0..trace.n_events() {
        let values = trace.schema().iter().map(|(id, _)| trace.value(event, id));
        let roles = (trace.port_role(event), trace.is_traced(event), trace.source_line(event), trace.call(event));
        all.push(format!("{:?} {roles:?} {:?}", values.collect::<Vec<_>>(), same_args(trace, event, &mut firsts)));
    }
    for call in trace.calls() {
        let family = (trace.parent(call), trace.children(call).collect::<Vec<_>>(), trace.is_open(call));
        let events = (trace.call_first(call), trace.call_last(call), trace.call_events(call));
        all.push(format!(
            "{} {family:?} {events:?} {:?}",
            trace.call_number(call),
            trace.find_call(trace.call_number(call))
        ));
    }
    all
}

#[test]
fn a_saved_trace_is_the_same_in_everything() {
    let trace = queens();
    let again = reopened(&trace);
    assert_eq!(everything(&again), everything(&trace));
    assert_eq!(again.fault(), None);
}

#[test]
fn extreme_numbers_texts_of_all_kinds_and_gaps_round_trip() {
    let mut builder = builder();
    let (own, vars) = (builder.attribute("own"), builder.attribute("vars"));
    let ids = [own.expect("there is room"), vars.expect("it is known")];
    for (index, number) in [i64::MIN + 1, -5, 0, 7, i64::from(u32::MAX), i64::MAX - (1 << 33)].into_iter().enumerate() {
        let extra = [(ids[0], Field::Int(number)), (ids[1], [Field::Float(0.1), Field::Text("é\0\n")][index % 2])];
        builder.push(&EventRow {
            chrono: Some(number),
            call: Some(number),
            depth: Some(number),
            line_number: (index > 2).then_some(number),
            args: ListField::Parts(&[Some(["a, b", "", "\u{1f}"][index % 3]), None]),
            extra: &extra[index % 2..],
            source_line: [1, 2, 9, 4, 5, u64::MAX][index],
            ..EventRow::default()
        });
    }
    builder.finding("M1", Some(-3), None, "a finding");
    for severity in FindingSeverity::ALL {
        builder.inherit_finding(Finding { rule: "X", severity, chrono: None, line: Some(1), message: "".into() });
    }
    let trace = builder.finish();
    assert_eq!(everything(&reopened(&trace)), everything(&trace));
}

#[test]
fn a_trace_without_events_can_be_saved() {
    let trace = builder().finish();
    assert_eq!(everything(&reopened(&trace)), everything(&trace));
}

#[test]
fn a_file_that_ends_early_is_refused_wherever_it_ends() {
    let bytes = saved(&queens());
    for length in 0..bytes.len() {
        assert!(open(&bytes[..length]).is_err(), "{length}");
    }
    let longer = [&bytes[..], b"x"].concat();
    assert!(matches!(open(&longer), Err(SavedError::Partial)));
}

#[test]
fn any_changed_byte_is_an_error_or_harmless() {
    let mut builder = builder();
    for number in 0..6 {
        let args = ListField::Text(["a, [b]", "-, c"][number % 2]);
        let port = Some(["call", "exit"][number % 2]);
        let call = Some(number as i64 / 2 + 1);
        builder.push(&EventRow { chrono: Some(number as i64), call, depth: call, port, args, ..EventRow::default() });
    }
    let trace = builder.finish();
    let (bytes, expected) = (saved(&trace), everything(&trace));
    for (place, flip) in (0..bytes.len()).flat_map(|place| [(place, 1), (place, 0x80), (place, 0xFF)]) {
        let mut bytes = bytes.clone();
        bytes[place] ^= flip;
        let Ok(trace) = open(&bytes) else { continue };
        let found = everything(&trace);
        assert!(trace.fault().is_some() || found == expected, "byte {place}");
    }
}

#[test]
fn another_version_is_named() {
    let mut bytes = saved(&queens());
    bytes[8] = 77;
    let error = open(&bytes).expect_err("nothing is saved like that");
    assert!(error.to_string().contains("version 77"), "{error}");
}

#[test]
fn unused_attributes_are_not_read() {
    let trace = queens();
    let bytes = saved(&trace);
    let trace = open(&bytes).expect("it was saved just now");
    let before = trace.bytes();
    assert_eq!(before, 0);
    trace.value(0, AttributeId::DEPTH);
    let depths = trace.bytes();
    assert!((698..2 * 698).contains(&depths), "{depths}");
}

/// A trace of many blocks, with five keys in turn and texts that events share.
fn many_events() -> Trace {
    let mut builder = builder();
    for number in 0..60_000_i64 {
        let hash = (number.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64) >> 40) & 0xFF;
        let args = format!("[{}], f({})", hash % 40, number / 7);
        let port = Some(["call", "exit", "redo", "fail", "exception"][hash as usize % 5]);
        builder.push(&EventRow {
            chrono: Some(number + 1),
            call: Some(number / 3 + 1),
            depth: Some(hash % 9 + 1),
            port,
            args: ListField::Text(&args),
            ..EventRow::default()
        });
    }
    builder.finish()
}

#[test]
fn the_number_of_threads_does_not_change_the_file() {
    let trace = many_events();
    let written = |n_threads| {
        let mut bytes = Vec::new();
        trace.clone().save_on(n_threads, &mut bytes).expect("memory takes everything");
        bytes
    };
    let expected = written(1);
    for n_threads in [2, 3, 8] {
        assert!(written(n_threads) == expected, "{n_threads} threads");
    }
    let again = open(&expected).expect("it was saved just now");
    assert!(saved(&again) == expected, "saved again");
}

#[test]
fn random_access_gives_the_values_of_whole_columns() {
    let trace = many_events();
    let bytes = saved(&trace);
    let attributes = [AttributeId::DEPTH, AttributeId::ARGS, AttributeId::CALL, AttributeId::PORT];
    let n_events = u64::from(trace.n_events());
    let mixed: Vec<u32> = (0..n_events).map(|index| (index * 7919 % n_events) as u32).collect();
    let rows: Vec<u32> = (0..trace.n_events()).collect();
    let backwards: Vec<u32> = rows.iter().rev().copied().collect();
    for order in [&rows[..], &backwards, &mixed[..200], &mixed] {
        let again = open(&bytes).expect("it was saved just now");
        for event in order.iter().copied() {
            for attribute in attributes {
                assert_eq!(again.value(event, attribute), trace.value(event, attribute), "{event}");
            }
        }
        assert_eq!(again.fault(), None);
    }
}

#[test]
fn bytes_in_memory_open_like_a_file_and_may_be_truncated_too() {
    let trace = queens();
    let bytes = saved(&trace);
    let again = open_in(SavedSource::Memory(bytes.clone()), None).expect("it was saved just now");
    assert_eq!(everything(&again), everything(&trace));
    for length in 0..bytes.len() {
        assert!(open_in(SavedSource::Memory(bytes[..length].to_vec()), None).is_err(), "{length}");
    }
}

#[test]
fn parts_beyond_the_memory_limit_are_faults_and_the_others_load() {
    let trace = many_events();
    let memory = MemorySource { free: || Some(300_000), unasked: 1000 };
    let again = open_in(SavedSource::Memory(saved(&trace)), Some(memory)).expect("it was saved just now");
    let exits = |trace: &Trace| trace.events_of_keys().count();
    assert_eq!(exits(&again), exits(&trace));
    assert_eq!(again.value(59_999, AttributeId::DEPTH), trace.value(59_999, AttributeId::DEPTH));
    assert_eq!(again.fault(), None);
    again.call_events(again.call(7).expect("every event has one"));
    let message = again.fault().expect("60,000 numbers of 4 bytes do not fit");
    assert!(message.contains("MiB are free in memory") && message.contains("--memory-limit none"), "{message}");
}

#[test]
fn rows_of_one_or_several_keys_are_gathered() {
    let trace = many_events();
    let bytes = saved(&trace);
    let of_key = |key: usize| (0..60_000_i64).filter(move |event| *event as usize % 5 == key);
    let by_key: Vec<i64> = (0..60_000).filter(|event| trace.key_of(*event as u32) == 1).collect();
    let thinned: Vec<i64> = by_key.iter().copied().step_by(3).collect();
    let with_others: Vec<i64> = by_key[..40].iter().chain(&by_key[2000..9000]).copied().chain(of_key(2)).collect();
    for rows in [&by_key, &thinned, &with_others, &(0..60_000).rev().collect()] {
        let again = open(&bytes).expect("it was saved just now");
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        assert!(trace.gather_integers(AttributeId::DEPTH, rows, &mut expected));
        assert!(again.gather_integers(AttributeId::DEPTH, rows, &mut found));
        assert!(found == expected && again.fault().is_none());
    }
}
