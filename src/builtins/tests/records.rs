//! Every predicate is documented and has an example.

use std::collections::BTreeSet;

use crate::builtins::{doc, tables};

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
