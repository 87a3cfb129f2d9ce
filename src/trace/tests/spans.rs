//! Arguments that stay in the file of the trace.

use std::fs::File;
use std::io::Write;

use super::super::{AttributeId, EventRow, ListField, ProcRow, ProgramPoint, Rows, TextSpan, Trace, Value};
use super::{args_code, builder};
use crate::trace::relation::args_column::ArgsColumn;

/// A file of consecutive argument texts, and the trace whose events have them.
fn trace_of(texts: &[String]) -> (tempfile::NamedTempFile, Trace) {
    let mut file = tempfile::NamedTempFile::new().expect("temporary files can be made");
    let text = texts.concat();
    file.write_all(text.as_bytes()).expect("temporary files can be written");
    let mut builder = builder();
    builder.leave_texts_in(file.reopen().expect("the file is there"));
    let key = builder.key(&ProcRow { name: Some("p"), ..ProcRow::default() }, Some("call"), None);
    let mut start = 0;
    let mut args = Vec::new();
    for text in texts {
        args.push(TextSpan { start, length: text.len() as u32 });
        start += text.len() as u32;
    }
    let numbers: Vec<i64> = (1..=texts.len() as i64).collect();
    let lines: Vec<u32> = (0..texts.len() as u32).collect();
    builder.append(&Rows {
        chronos: &numbers,
        calls: &vec![1; texts.len()],
        depths: &vec![1; texts.len()],
        keys: &vec![key; texts.len()],
        places: &vec![ProgramPoint::default(); texts.len()],
        args: &args,
        lines: &lines,
        first_line: 1,
        text: text.as_bytes(),
        offset: 0,
    });
    (file, builder.finish())
}

fn args(trace: &Trace, event: u32) -> Option<String> {
    match trace.value(event, AttributeId::ARGS) {
        Value::Args(list) => Some(list.whole().into_owned()),
        _ => None,
    }
}

fn numbers(n_texts: usize) -> Vec<String> {
    (0..n_texts).map(|number| format!("[{number}, {}]", number % 7)).collect()
}

#[test]
fn texts_of_any_length_are_read_back_from_the_file() {
    let mut texts = numbers(20_000);
    texts[3] = "x".repeat(65_534);
    texts[4] = "y".repeat(65_535);
    texts[5] = "z".repeat(300_000);
    texts[6] = String::new();
    let (_file, trace) = trace_of(&texts);
    for event in [0, 3, 4, 5, 6, 7, 10_000, 19_999] {
        assert_eq!(args(&trace, event), Some(texts[event as usize].clone()));
    }
    assert_eq!(args(&trace, 20_000), None);
    assert_eq!(args_code(&trace, 9), args_code(&trace, 9));
    assert_ne!(args_code(&trace, 3), args_code(&trace, 4));
    assert_eq!(trace.n_args_codes(), 20_000);
    assert_eq!(args(&trace, 5), Some(texts[5].clone()));
    assert_eq!(trace.fault(), None);
}

#[test]
fn texts_in_the_file_and_others_may_alternate() {
    let mut builder = builder();
    builder.leave_texts_in(tempfile::tempfile().expect("temporary files can be made"));
    for text in [Some("a"), None, Some("b, c"), Some("a")] {
        let args = text.map_or(ListField::Absent, ListField::Text);
        builder.push(&EventRow { call: Some(1), args, ..EventRow::default() });
    }
    let trace = builder.finish();
    let texts: Vec<_> = (0..4).map(|event| args(&trace, event)).collect();
    assert_eq!(texts, [Some("a".into()), None, Some("b, c".into()), Some("a".into())]);
    assert_eq!((args_code(&trace, 0), args_code(&trace, 1), trace.n_args_codes()), (args_code(&trace, 3), None, 2));
    assert_eq!(trace.fault(), None);
}

#[test]
fn a_dictionary_made_on_several_threads_numbers_the_texts_in_order() {
    let texts: Vec<String> =
        (0..400_000_u64).map(|number| format!("f({}, abcdefghij)", number * 7919 % 1_013)).collect();
    let (_file, trace) = trace_of(&texts);
    let mut codes = std::collections::HashMap::new();
    for (event, text) in (0..).zip(&texts) {
        let next = codes.len() as u32;
        let code = *codes.entry(text).or_insert(next);
        assert_eq!(args_code(&trace, event), Some(code));
    }
    assert_eq!(trace.n_args_codes(), codes.len());
    assert!((0..400_000).all(|event| args(&trace, event).as_ref() == texts.get(event as usize)));
}

#[test]
fn reading_the_whole_trace_does_not_keep_the_whole_file_in_memory() {
    let texts: Vec<String> = (0..40_000).map(|number| format!("[{}, abcdefghijklmnopq]", number % 7)).collect();
    let (_file, mut trace) = trace_of(&texts);
    let ArgsColumn::Spans(column) = &mut trace.args else { panic!("the texts are in the file") };
    column.most_read = 2;
    let before = trace.bytes();
    assert!((0..40_000).all(|event| args(&trace, event).as_ref() == texts.get(event as usize)));
    assert_eq!(trace.fault(), None);
    let grown = trace.bytes() - before;
    assert!(grown < 250_000, "two blocks and a byte for each event, not {grown} bytes");
}

#[test]
fn a_truncated_file_is_a_fault_but_earlier_reads_stay() {
    let texts = numbers(20_000);
    let (file, trace) = trace_of(&texts);
    assert_eq!(args(&trace, 19_999), Some(texts[19_999].clone()));
    truncate(file.as_file(), 70_000);
    assert_eq!(args(&trace, 0), Some(texts[0].clone()));
    assert_eq!(trace.fault(), None);
    assert_eq!(args(&trace, 9_000), None);
    let fault = trace.fault().expect("the block is gone");
    assert!(fault.ends_with("it was truncated after the trace was read"), "{fault}");
    assert_eq!(args(&trace, 19_999), Some(texts[19_999].clone()));
}

#[test]
fn a_changed_byte_is_a_fault_for_the_dictionary_too() {
    let texts = numbers(20_000);
    for of_dictionary in [false, true] {
        let (mut file, trace) = trace_of(&texts);
        let mut changed = texts.concat().into_bytes();
        changed[100_000] ^= 1;
        std::io::Seek::rewind(&mut file).expect("files can be rewound");
        file.write_all(&changed).expect("temporary files can be written");
        if of_dictionary {
            assert!(trace.n_args_codes() < 20_000);
        } else {
            assert!((0..20_000).any(|event| args(&trace, event).is_none()));
        }
        let fault = trace.fault().expect("the block has changed");
        assert!(fault.ends_with("it has changed since the trace was read"), "{fault}");
    }
}

fn truncate(file: &File, length: u64) {
    file.set_len(length).expect("temporary files can be cut");
}
