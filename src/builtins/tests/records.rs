//! Every predicate is documented and has an example.

use std::collections::BTreeSet;

use crate::builtins::{doc, library, tables};
use crate::engine::Effect;

#[test]
fn every_record_of_a_predicate_is_complete() {
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for record in tables() {
        let indicator = format!("{}/{}", record.name, record.arity);
        let fields = [record.modes, record.doc, record.example, record.answer];
        let is_complete = fields.iter().all(|field| !field.trim().is_empty());
        let is_one_line = fields.iter().all(|field| !field.contains('\n'));
        if !is_complete || !is_one_line || !record.modes.contains(" is ") || !record.doc.ends_with('.') {
            wrong.push(indicator.clone());
        }
        if !seen.insert(indicator.clone()) {
            wrong.push(format!("{indicator} twice"));
        }
    }
    assert_eq!(wrong, [""; 0], "records whose modes, doc, example or answer are missing or badly formed");
}

#[test]
fn every_comment_of_the_library_has_an_example() {
    // consult.pl contains directives: they act on a script and give no answers.
    let without = doc::docs().filter(|doc| doc.examples.is_empty() && doc.file != "consult.pl");
    let names: Vec<String> = without.map(|doc| format!("{}: {}", doc.file, doc.modes)).collect();
    assert_eq!(names, [""; 0], "library predicates without an example");
}

/// What is asked of traces of strace and of seq_trace depends on all events, or on no event.
#[test]
fn every_predicate_of_these_formats_says_what_it_looks_at() {
    let asked: Vec<_> = doc::docs().filter(|doc| ["strace.pl", "seqtrace.pl"].contains(&doc.file)).collect();
    assert!(asked.len() > 20, "{asked:?}");
    let says = |doc: &doc::Doc| {
        let mut found = library::heads(doc.name()).filter(|(modes, _)| modes.trim_end_matches('.') == doc.modes);
        found.any(|(_, tags)| tags.look_at("whole trace") || tags.effect() == Effect::Pure)
    };
    let silent: Vec<_> = asked.iter().filter(|doc| !says(doc)).map(|doc| doc.modes).collect();
    assert_eq!(silent, [""; 0], "predicates whose comments have neither `%@ whole trace.` nor `%@ pure.`");
}
