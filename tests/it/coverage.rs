//! Coverage of the call sites and procedures in the sources, reached or not.

use crate::support::{data, papaver, stdout};

/// The output of a goal with the sources of a folder.
fn with_sources(folder: &str, goal: &str, trace: &str) -> (String, String) {
    let mut command = papaver();
    command.args(["query", goal, "--to", "none", "--source-dir"]).arg(folder).arg(trace);
    let warnings = String::from_utf8_lossy(&command.assert().get_output().stderr.clone()).into_owned();
    (stdout(&mut command, 0), warnings)
}

#[test]
fn all_call_sites_of_queens_are_asked_of_its_trace() {
    let folder = format!("{}/examples/queens/source", env!("CARGO_MANIFEST_DIR"));
    let goal = "call_site_cov(_, Uncovered), forall(member(Site, Uncovered), ( print(Site), nl ))";
    let (text, warnings) = with_sources(&folder, goal, &data("queens.jsonl"));
    let of_example = include_str!("../../examples/monitors/coverage.out");
    let by_hand = of_example.split_once("Uncovered: 13").expect("the example lists its sites").1;
    assert_eq!(text.split_once("Uncovered: 13").map(|(_, rest)| rest), Some(by_hand), "{text}");
    assert_eq!(warnings, "");
}

#[test]
fn a_trace_without_modules_takes_determinisms_from_the_sources() {
    let folder = format!("{}/examples/queens/source", env!("CARGO_MANIFEST_DIR"));
    let (text, _) = with_sources(&folder, "call_site_cov(_, _), pred_cov(_, _)", &data("queens.trace"));
    assert_eq!(
        text,
        "Uncovered: 13\nTo cover: 35\nThe coverage rate is 62.8571 %\n\
         Uncovered: 3\nTo cover: 17\nThe coverage rate is 82.3529 %\n"
    );
}

#[test]
fn sites_in_imported_modules_and_in_lambda_expressions_are_found() {
    let goal = "call_site_cov(Sites, _), forall(member(Site, Sites), ( print(Site), nl ))";
    let (text, warnings) = with_sources(&data("sources"), goal, &data("sources/shop.txt"));
    let expected = "\
Uncovered: 13
To cover: 20
The coverage rate is 35 %
csc(list,foldl,10,[exit])
csc(-,member,11,[exit])
csc(shop,is_free,11,semidet)
csc(till,thank,12,det)
csc(till,thank,14,det)
csc(shop,close,16,det)
csc(shop,taxed,21,det)
csc(shop,give,25,det)
csc(shop,ring,28,det)
csc(shop,ring,31,det)
csc(till,entry,42,det)
csc(shop,is_free,42,semidet)
csc(shop,give,48,det)
csc(till,lock,48,[exit])
csc(till,greet,15,det)
csc(till,fail,15,failure)
csc(till,thank,19,det)
csc(shop,sell,10,det)
";
    assert_eq!(text, expected);
    assert!(warnings.starts_with("shop.m:49:16: warning: the calls of this clause are not known: "), "{warnings}");
    assert_eq!(warnings.matches("warning").count(), 1, "{warnings}");
}

#[test]
fn procedures_that_were_never_called_are_asked_of_the_trace() {
    let goal = "pred_cov(_, Uncovered), print(Uncovered), nl";
    let (text, _) = with_sources(&data("sources"), goal, &data("sources/shop.txt"));
    let never = "pc(shop,give,[exit]),pc(till,unused,[exit])]";
    assert!(text.trim_end().ends_with(never), "{text}");
}

#[test]
fn without_a_source_of_the_trace_its_own_sites_are_asked() {
    let goal = "call_site_cov(Sites, _), length(Sites, N), print(N), nl";
    let (text, _) = with_sources(&data("sources"), goal, &data("queens.jsonl"));
    assert!(text.ends_with("\n13\n"), "{text}");
}
