//! The pictures of `papaver view`, against facts that were computed from the files by programs in other languages.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{data, papaver};

const QUEENS: &str = "examples/queens/queens.trace";

/// The pictures of a page of traces.
fn pictures(arguments: &[&str]) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("view.html");
    let mut command = papaver();
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR"))).arg("view").args(arguments).arg("-o").arg(&path);
    command.assert().success();
    let page = std::fs::read_to_string(path).unwrap();
    let (_, rest) = page.split_once(r#"<script type="application/json" id="data">"#).unwrap();
    let data: Value = serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap();
    data["pictures"].as_array().unwrap().clone()
}

fn find<'p>(pictures: &'p [Value], kind: &str) -> Option<&'p Value> {
    pictures.iter().find(|picture| picture["kind"] == kind)
}

fn picture(arguments: &[&str], kind: &str) -> Value {
    find(&pictures(arguments), kind).unwrap_or_else(|| panic!("{kind}")).clone()
}

#[test]
fn the_call_graph_counts_calls_failures_and_who_called_whom() {
    let graph = picture(&[QUEENS], "callgraph");
    let nodes = graph["data"]["nodes"].as_array().unwrap();
    assert_eq!(nodes[0], json!({ "name": "qdelete/3", "count": 47, "failed": 16 }));
    assert_eq!(nodes[1], json!({ "name": "nodiag/3", "count": 40, "failed": 15 }));
    assert_eq!(nodes[2], json!({ "name": "qperm/2", "count": 32, "failed": 0 }));
    assert_eq!(nodes[3], json!({ "name": "safe/1", "count": 18, "failed": 12 }));
    assert_eq!((nodes.len(), &graph["data"]["more"]), (9, &json!(0)));
    let name = |node: &Value| nodes[node.as_u64().unwrap() as usize]["name"].as_str().unwrap();
    let edges = graph["data"]["edges"].as_array().unwrap();
    let edges: BTreeMap<_, _> =
        edges.iter().map(|edge| ((name(&edge[0]), name(&edge[1])), edge[2].as_i64().unwrap())).collect();
    assert_eq!(edges.len(), 13);
    for (from, to, n) in [
        ("main/2", "queen/2", 1),
        ("queen/2", "safe/1", 11),
        ("qperm/2", "qdelete/3", 21),
        ("qperm/2", "qperm/2", 31),
        ("nodiag/3", "nodiag/3", 23),
        ("print_list_2/3", "print_list_2/3", 4),
    ] {
        assert_eq!(edges[&(from, to)], n, "{from} {to}");
    }
    // the first call of qdelete/3, and the first that failed
    let row = &graph["table"]["rows"][0];
    assert_eq!(row[1]["text"], "47");
    assert!(row[1]["event"].as_i64().unwrap() < row[2]["event"].as_i64().unwrap(), "{row}");
}

#[test]
fn the_proof_of_a_program_leaves_out_what_was_undone() {
    let proof = picture(&[QUEENS], "proof");
    let nodes = proof["data"]["nodes"].as_array().unwrap();
    assert!(nodes[0]["line"].as_str().unwrap().contains("main("), "{}", nodes[0]);
    let children: Vec<&str> = nodes[0]["children"]
        .as_array()
        .unwrap()
        .iter()
        .map(|child| nodes[child.as_u64().unwrap() as usize]["line"].as_str().unwrap())
        .collect();
    // data, queen and print_list; of the eleven calls of safe one contributed
    assert_eq!(children.len(), 3, "{children:?}");
    let of = |name: &str| nodes.iter().filter(|node| node["line"].as_str().unwrap().contains(name)).count();
    assert_eq!((of(" safe([1, 3, 5, 2, 4])"), of(" queen(")), (1, 1));
    assert!(nodes.iter().all(|node| node["state"] == "exit"));
    assert_eq!(proof["table"]["rows"].as_array().unwrap().len(), nodes.len());
}

#[test]
fn a_violated_check_shows_the_calls_around_its_witness() {
    let proof = picture(&[QUEENS, "--check", "examples/queens/rules.pl"], "proof");
    let nodes = proof["data"]["nodes"].as_array().unwrap();
    let states: Vec<&str> = nodes.iter().map(|node| node["state"].as_str().unwrap()).collect();
    assert!(states.contains(&"fail"), "{states:?}");
    assert!(nodes.iter().any(|node| node["line"].as_str().unwrap().contains("qdelete(-, [], -)")), "{nodes:?}");
}

#[test]
fn a_sequence_chart_has_every_message_in_the_order_of_sending() {
    let sequence = picture(&[&data("seq_trace/relay.raw")], "sequence");
    let messages = sequence["data"]["messages"].as_array().unwrap();
    assert_eq!((messages.len(), &sequence["data"]["more"]), (18, &json!(0)));
    let actors = sequence["data"]["actors"].as_array().unwrap();
    assert_eq!(actors.len(), 6);
    // three times around: 160, 165, 164, 163, 162, 161
    let name = |actor: &Value| actors[actor.as_u64().unwrap() as usize].as_str().unwrap();
    for (index, message) in messages.iter().enumerate() {
        let ring = ["<160.0>", "<165.0>", "<164.0>", "<163.0>", "<162.0>", "<161.0>"];
        assert!(name(&message[0]).contains(ring[index % 6]), "{message} {}", name(&message[0]));
        assert!(name(&message[1]).contains(ring[(index + 1) % 6]), "{message}");
        assert_eq!(message[4].as_i64().unwrap() - message[3].as_i64().unwrap(), 1);
    }
    assert!(find(&pictures(&[QUEENS]), "sequence").is_none());
}

/// A file, its length in time, and how long each number of agents worked.
type Parallelism = (&'static str, i64, &'static [(i64, i64)]);

#[test]
fn parallelism_has_the_times_with_each_number_of_agents_in_tasks() {
    let expected: [Parallelism; 3] = [
        ("visandor/ciao_fib_2agents.ev", 37481, &[(0, 32), (1, 7863), (2, 29586)]),
        ("visandor/synth_and.ev", 3133, &[(0, 47), (1, 76), (2, 42), (3, 435), (4, 2533)]),
        ("visandor/synth_or.ev", 2084, &[(0, 16), (1, 178), (2, 204), (3, 704), (4, 982)]),
    ];
    for (file, length, times) in expected {
        let picture = picture(&[&data(file)], "parallelism");
        assert_eq!(picture["data"]["length"], length, "{file}");
        let series = picture["data"]["series"].as_array().unwrap();
        let inside = series.iter().find(|series| series["name"] == "in tasks").unwrap()["points"].as_array().unwrap();
        let mut found: BTreeMap<i64, i64> = BTreeMap::new();
        for (place, point) in inside.iter().enumerate() {
            let end = inside.get(place + 1).map_or(length, |next| next[0].as_i64().unwrap());
            *found.entry(point[1].as_i64().unwrap()).or_default() += end - point[0].as_i64().unwrap();
        }
        assert_eq!(found, times.iter().copied().collect(), "{file}");
        let shares = picture["data"]["actors"].as_array().unwrap().iter().map(|actor| actor["busy"].as_f64().unwrap());
        assert!(shares.clone().count() > 1 && shares.clone().all(|share| (0.0..=1.0).contains(&share)), "{file}");
    }
    assert!(find(&pictures(&[QUEENS]), "parallelism").is_none());
}

/// Stretches `[.., from, to]` of the picture of waits with their names: of processes, and at the place of the reason.
fn stretches(waits: &Value, kind: &str) -> Vec<(Vec<String>, i64, Option<i64>)> {
    let data = &waits["data"];
    let name = |list: &str, index: &Value| data[list][index.as_u64().unwrap() as usize].as_str().unwrap().to_string();
    let stretch = |row: &Value| {
        let row = row.as_array().unwrap();
        let (names, ends) = row.split_at(row.len() - 2);
        let (reason, processes) = names.split_last().unwrap();
        let mut names: Vec<String> = processes.iter().map(|index| name("processes", index)).collect();
        names.push(name("reasons", reason));
        (names, ends[0].as_i64().unwrap(), ends[1].as_i64())
    };
    data[kind].as_array().unwrap().iter().map(stretch).collect()
}

#[test]
fn waits_of_philosophers_are_a_cycle_of_five_and_a_server_that_nobody_lets_go_on() {
    let waits = picture(&["examples/philosophers/philos_deadlock.trc"], "waits");
    let at_end = |one: &(Vec<String>, i64, Option<i64>)| one.2.is_none();
    let edges: Vec<_> = stretches(&waits, "edges").into_iter().filter(at_end).collect();
    // the lines on which each asks for its second fork, which the other holds
    let expected = [
        ("9462528", "94623C8", "9463888", 34),
        ("94624D0", "9462528", "94638F8", 35),
        ("9462478", "94624D0", "94638DC", 36),
        ("9462420", "9462478", "94638C0", 37),
        ("94623C8", "9462420", "94638A4", 38),
    ];
    let process = |id: &str| format!("p('{id}',1)");
    let edge = |&(from, to, fork, since): &(&str, &str, &str, i64)| {
        (vec![process(from), process(to), format!("on(s('{fork}',1))")], since, None)
    };
    assert_eq!(edges, expected.iter().map(edge).collect::<Vec<_>>());
    let blocked = stretches(&waits, "blocked");
    assert!(blocked.contains(&(vec![process("9462580"), "on(s('9463914',1))".to_string()], 33, None)), "{blocked:?}");
    assert_eq!(blocked.iter().filter(|one| at_end(one)).count(), 6);
    assert_eq!((&waits["data"]["at"], &waits["data"]["until"]), (&Value::Null, &Value::Null));
}

#[test]
fn waits_for_semaphores_last_from_p_to_contp_of_the_same_process() {
    for file in ["philos_ok.trc", "buffer.trc"] {
        let path = data(&format!("mpd/{file}"));
        let text = std::fs::read_to_string(&path).unwrap();
        // what is after the line number: procedure, event, process, semaphore
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        let mut expected = Vec::new();
        for (index, line) in lines.iter().enumerate().filter(|(_, line)| line[3] == "P") {
            let next = lines[index + 1..].iter().position(|other| other[4] == line[4]).map(|after| index + 1 + after);
            if next.is_none_or(|next| next > index + 1) {
                expected.push((line[5].to_string(), index as i64 + 1, next.map(|next| next as i64 + 1)));
            }
        }
        let of_semaphores =
            stretches(&picture(&[&path], "waits"), "blocked").into_iter().filter_map(|(names, from, to)| {
                let semaphore = names[1].strip_prefix("on(s('")?.split('\'').next()?.to_string();
                Some((semaphore, from, to))
            });
        assert!(!expected.is_empty(), "{file}");
        assert_eq!(of_semaphores.collect::<Vec<_>>(), expected, "{file}");
    }
    assert!(find(&pictures(&[QUEENS]), "waits").is_none());
}

#[test]
fn one_who_calls_waits_for_the_process_that_serves_it() {
    let waits = picture(&[&data("mpd/buffer.trc")], "waits");
    // on line 22 the keeper chooses the call of line 15 for its arm, which ends on line 23
    let edge = (vec!["p('8EF63C8',2)".to_string(), "p('8EF6420',1)".to_string(), "call(6)".to_string()], 22, Some(23));
    assert!(stretches(&waits, "edges").contains(&edge), "{:?}", stretches(&waits, "edges"));
}

#[test]
fn two_traces_stand_side_by_side_from_their_first_difference() {
    let changed = data("compare/queens_dropped.trace");
    let pictures = pictures(&[&data("queens.trace"), &changed]);
    let compare = find(&pictures, "compare").unwrap();
    let rows = compare["data"]["rows"].as_array().unwrap();
    let first = compare["data"]["first"].as_u64().unwrap() as usize;
    // a call and its failure, the lines 54 and 55, are missing in the other
    assert_eq!((&rows[first][0], &rows[first][4]), (&json!(54), &json!("differs")));
    assert!(rows[..first].iter().all(|row| row[0] == row[2] && row[4] == "same"));
    assert_eq!(rows[first - 1][0], 53);
    let words: Vec<&str> = rows.iter().map(|row| row[4].as_str().unwrap()).collect();
    assert!(words.iter().filter(|word| **word == "differs").count() < 20, "{words:?}");
    let same = pictures_of_equal();
    assert_eq!((&same["data"]["first"], &same["data"]["rows"]), (&Value::Null, &json!([])));
}

fn pictures_of_equal() -> Value {
    picture(&[&data("queens.trace"), &data("queens.jsonl")], "compare")
}

/// Each line of a file that was reached or could have been, with how often it was.
fn lines_of(coverage: &Value, name: &str) -> BTreeMap<i64, i64> {
    let files = coverage["data"]["files"].as_array().unwrap();
    let file = files.iter().find(|file| file["name"] == name).unwrap_or_else(|| panic!("{name}"));
    let lines = file["lines"].as_array().unwrap().iter();
    lines.filter_map(|line| Some((line[0].as_i64()?, line[2].as_i64()?))).collect()
}

#[test]
fn coverage_counts_what_reached_each_line_of_the_sources_and_marks_the_calls_that_nothing_reached() {
    let coverage = picture(&[&data("sources/shop.txt"), "--source-dir", &data("sources")], "coverage");
    // counted by hand in the transcript; lines 11, 12, 25, 31 and 48 have calls that were never made
    let reached =
        [(10, 1), (11, 0), (12, 0), (14, 2), (16, 1), (21, 2), (25, 0), (27, 1), (28, 1), (31, 0), (42, 2), (48, 0)];
    assert_eq!(lines_of(&coverage, "shop.m"), reached.into());
    assert_eq!(lines_of(&coverage, "till.m"), [(15, 1), (19, 0)].into());
    assert_eq!((&coverage["data"]["reached"], &coverage["data"]["able"]), (&json!(8), &json!(14)));
    let rows = coverage["table"]["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row[0] == "shop.m:21").unwrap();
    assert_eq!(row[1], json!({ "text": "2", "event": 3 }));
    assert!(find(&pictures(&[&data("sources/shop.txt")]), "coverage").is_none());
}

#[test]
fn coverage_of_a_trace_without_modules_has_the_file_that_defines_its_procedures() {
    let coverage = picture(&[QUEENS, "--source-dir", "examples/queens/source"], "coverage");
    let lines = lines_of(&coverage, "queens.m");
    // 11 boards are tested, by a call in line 44; nobody calls write_string in line 19
    assert_eq!((lines[&44], lines[&19]), (11, 0));
}
