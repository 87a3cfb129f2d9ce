//! `papaver sql`: the text of each construct, and the same answers in DuckDB as in papaver.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::each::test_cases;
use crate::support::{Random, file, has_duckdb, papaver, stderr, stdout};

/// What `papaver.json` says of a trace with these attributes.
fn description() -> Value {
    let attribute = |name: &str, kind: &str, columns: &[(&str, &str)]| {
        let columns: Vec<Value> = columns.iter().map(|(name, kind)| json!({"name": name, "kind": kind})).collect();
        json!({"name": name, "type": kind, "columns": columns})
    };
    let integer = |name| attribute(name, "integer", &[(name, "integer")]);
    json!({"papaver_export": 1, "traces": [{
        "trace": "t", "format": "jsonl", "event_files": ["events.parquet"], "call_files": ["calls.parquet"],
        "attributes": [
            integer("chrono"), integer("call"), integer("depth"), attribute("port", "port", &[("port", "atom")]),
            attribute("name", "name", &[("name", "atom")]), integer("arity"),
            attribute("proc", "proc", &[("proc", "proc")]), integer("v"),
            attribute("w", "any", &[("w", "integer"), ("w_text", "text")]), attribute("stack", "computed", &[]),
        ],
    }]})
}

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("papaver.json"), description().to_string()).unwrap();
    folder
}

fn sql(goal: &str, folder: &Path) -> assert_cmd::Command {
    let mut command = papaver();
    command.args(["sql", goal]).arg(folder);
    command
}

/// The SQL without the tables of the folder.
fn body(goal: &str, dialect: &str) -> String {
    let folder = folder();
    let text = stdout(sql(goal, folder.path()).args(["--dialect", dialect]), 0);
    let start = text.find("\nSELECT").expect("a query");
    text[start + 1..].trim_end().to_string()
}

#[test]
fn each_construct_has_its_text() {
    let cases = [
        (
            "fget([port=exit, depth > 2])",
            "SELECT e1.chrono AS chrono, e1.chrono AS order_0 FROM events AS e1 WHERE e1.port = 'exit' AND e1.depth > 2\n\
             ORDER BY order_0",
        ),
        (
            "event([port=call, call=C]), \\+ event([port=exit, call=C])",
            "SELECT e1.call AS \"C\", e1.chrono AS order_0 FROM events AS e1 WHERE e1.port = 'call' AND e1.call IS NOT \
             NULL AND NOT EXISTS (SELECT 1 FROM events AS e2 WHERE e2.port = 'exit' AND e2.call IS NOT NULL AND \
             e2.call = e1.call)\nORDER BY order_0",
        ),
        (
            "aggregate_all(count, event([name=matches(\"^q\")]), N)",
            "SELECT (SELECT count(*) FROM (SELECT 1 AS v FROM events AS e1 WHERE regexp_matches(e1.name, '^q'))) AS \"N\"",
        ),
        (
            "event([call=3, stack=_S]), length(_S, N)",
            "SELECT (SELECT count(*) FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY tree_first DESC) - 1 AS v0, ROW_NUMBER() \
             OVER (ORDER BY tree_first DESC) AS pos FROM (SELECT c3.enter AS v1, c3.call AS v2, c3.depth AS v3, \
             CAST(NULL AS VARCHAR) AS v4, CAST(NULL AS VARCHAR) AS v5, c3.name AS v6, c3.arity AS v7, CAST(NULL AS BIGINT) \
             AS v8, CAST(NULL AS VARCHAR) AS v9, c3.tree_first FROM calls AS c2 CROSS JOIN \
             calls AS c3 WHERE c2.call = e1.call AND c3.tree_first <= c2.tree_first AND c2.tree_first <= \
             c3.tree_last))) AS \"N\", e1.chrono AS order_0 FROM events AS e1 WHERE e1.call = 3\nORDER BY order_0",
        ),
        (
            "limit(2, parent(C, P))",
            "SELECT c1.call AS \"C\", c1.parent AS \"P\", c1.enter AS order_0 FROM calls AS c1 WHERE c1.parent IS NOT \
             NULL\nORDER BY order_0\nLIMIT 2",
        ),
    ];
    for (goal, expected) in cases {
        assert_eq!(body(goal, "duckdb"), expected, "{goal}");
    }
    let around = "SELECT e1.call AS `C`, c4.call AS `A`, e1.chrono AS order_0, c2.enter AS order_1, -c4.tree_first AS \
                  order_2 FROM events AS e1 CROSS JOIN calls AS c2 CROSS JOIN LATERAL explode(array(4, 8, 12, 16, 20, 24, \
                  28, 32)) AS l3(level) CROSS JOIN calls_around AS c4 WHERE e1.chrono = 14 AND e1.call IS NOT NULL AND \
                  c2.call = e1.call AND c4.level = l3.level AND c4.bucket = shiftright(c2.tree_first, l3.level) AND \
                  c4.tree_first < c2.tree_first AND c2.tree_first <= c4.tree_last\nORDER BY order_0, order_1, order_2";
    assert_eq!(body("event([chrono=14, call=C]), ancestor(C, A)", "spark"), around);
    let within = "SELECT c1.call AS `C`, c1.enter AS order_0, -c2.tree_first AS order_1 FROM calls_within AS c1 CROSS JOIN \
                  calls_around AS c2 WHERE c2.level = c1.level AND c2.bucket = shiftright(c1.tree_first, c1.level) AND \
                  c2.tree_first < c1.tree_first AND c1.tree_first <= c2.tree_last AND c2.call = 3\nORDER BY order_0, \
                  order_1";
    assert_eq!(body("ancestor(C, 3)", "spark"), within);
    let spark = "SELECT e1.name AS `N`, e1.chrono AS order_0 FROM events AS e1 WHERE e1.name IS NOT NULL AND e1.name \
                 RLIKE 'q\\\\z'\nORDER BY order_0";
    assert_eq!(body("event([name=N, name=matches(\"q$\")])", "spark"), spark);
}

#[test]
fn what_is_not_compiled_is_an_error_at_its_place() {
    let folder = folder();
    for (goal, place) in [
        ("event([port=call]), assertz(a)", "sql:1:21: error: `assertz/1` is not compiled to SQL"),
        ("event([prot=call])", "sql:1:8: error: the trace has no attribute `prot`"),
        ("event([call=C]), D > 3", "sql:1:18: error: the variable has no value here"),
        ("event([arg(1)=3])", "sql:1:8: error: constraints on arguments are not compiled"),
        ("event([port=", "sql:1:"),
        (
            "fget_np([]), stack(S), member([_, _, Kind|_], S)",
            "sql:1:38: error: this is `-` where the trace does not state",
        ),
        ("event([stack=[]])", "sql:1:14: error: constraints on `stack` are not compiled to SQL"),
    ] {
        let message = stderr(&mut sql(goal, folder.path()), 2);
        assert!(message.contains(place), "{goal}: {message}");
    }
    let goal = "event([call=C]), forall(event([call=C, v=V]), event([call=C, depth=V]))";
    let message = stderr(sql(goal, folder.path()).args(["--dialect", "spark"]), 2);
    assert!(message.contains("sql:1:47: error: a goal within two others shares a variable"), "{message}");
    stdout(sql(&goal.replace("[call=C, depth", "[depth"), folder.path()).args(["--dialect", "spark"]), 0);
    let message = stderr(&mut sql("true", Path::new("no such folder")), 2);
    assert!(message.contains("cannot read `no such folder/papaver.json`"), "{message}");
}

/// Events of nested calls as JSON Lines, and the rows of their calls.
fn trace(random: &mut Random) -> (Vec<Value>, Vec<Value>) {
    let (mut events, mut calls): (Vec<Value>, Vec<Value>) = (Vec::new(), Vec::new());
    let mut open: Vec<usize> = Vec::new();
    let n_events = 8 + random.below(25);
    while (events.len() as u64) < n_events {
        let chrono = events.len() as u64 + 1;
        let enters = open.is_empty() || random.below(2) == 0;
        if enters {
            let parent = open.last().map(|at| calls[*at]["call"].clone());
            open.push(calls.len());
            calls.push(json!({
                "trace": "t", "call": calls.len() + 1, "parent": parent, "enter": chrono, "leave": chrono,
                "depth": open.len(), "tree_first": calls.len() + 1, "tree_last": calls.len() + 1,
                "name": random.of(&["p", "q", "pq"]), "arity": random.below(2),
            }));
        }
        let at = *open.last().unwrap();
        let port = if enters { "call" } else { random.of(&["exit", "fail", "exit"]) };
        let mut event = json!({
            "chrono": chrono, "call": calls[at]["call"], "depth": open.len(), "port": port,
            "name": calls[at]["name"], "arity": calls[at]["arity"],
        });
        calls[at]["leave"] = json!(chrono);
        if random.below(4) > 0 {
            event["v"] = json!(random.below(5));
        }
        match random.below(3) {
            0 => event["w"] = json!(random.below(3)),
            1 => event["w"] = json!(random.of(&["a", "b", "it's"])),
            _ => {}
        }
        events.push(event);
        let n_calls = calls.len();
        open.iter().for_each(|at| calls[*at]["tree_last"] = json!(n_calls));
        if !enters {
            open.pop();
        }
    }
    (events, calls)
}

/// A random list of constraints; its variables are among `C`, `V` and `N`.
fn constraints(random: &mut Random) -> String {
    let all = [
        "port=call",
        "port=[exit, fail]",
        "port \\= call",
        "port=not([call, fail])",
        "depth > 1",
        "depth = 1..2",
        "v = 2",
        "v = not(1..3)",
        "v \\= 3",
        "not(v > 2)",
        "w = 1",
        "w = a",
        "w = [b, \"it's\", 2]",
        "w \\= a",
        "w > 0",
        "w = not(-)",
        "w = -",
        "name = matches(\"^p\")",
        "name = matches(\"q$\")",
        "proc = p/0",
        "proc \\= q/1",
        "proc = N/1",
        "call = C",
        "v = V",
        "name = N",
        "v = []",
        "v = not([])",
        "call = C",
        "depth = D",
    ];
    let n = 1 + random.below(3);
    let list: Vec<&str> = (0..n).map(|_| random.of(&all)).collect();
    format!("[{}]", list.join(", "))
}

/// A random goal.
fn goal(random: &mut Random) -> String {
    let (a, b) = (constraints(random), constraints(random));
    let move_1 = random.of(&["event", "fget_np", "event"]);
    let move_2 = random.of(&["event", "fget_np", "bget_np"]);
    match random.below(68) {
        0 => format!("{move_1}({a})"),
        1 => format!("{move_1}([chrono=X, call=C]), {move_2}({b})"),
        2 => format!("{move_1}({a}), {move_2}({b})"),
        3 => format!("event([call=C, v=V]), \\+ event({a})"),
        4 => format!("event([call=C, chrono=X]), forall(event({a}), event({b}))"),
        5 => format!("aggregate_all(count, (event({a}), event({b})), Z)"),
        6 => format!("event([call=C, chrono=X]), aggregate_all(count, event({a}), Z), Z > 1"),
        7 => format!("event([v=V, call=C]), X is V * 2 - 1, X =< {}", random.below(8)),
        8 => format!("(event([chrono=X, v=1]) ; event([chrono=X]), \\+ event({a})), fget_np({b})"),
        9 => format!("parent(C, P), event({a})"),
        10 => format!("event([port=call, call=C]), ancestor(C, A), \\+ event({b})"),
        11 => format!("call_start(C, S), call_end(C, E), E - S > {}, event([call=C])", random.below(4)),
        12 => format!("aggregate_all({}(V), event([v=V, port=exit]), Z)", random.of(&["sum", "max", "min"])),
        13 => format!("limit({}, (event({a}), event({b})))", random.below(6)),
        14 => format!("nested(C, {}), event({b})", random.below(3)),
        15 => format!("event([call=C]), \\+ odd(C), event({a})"),
        16 => "event([name=N, v=V]), kind(N, K)".to_string(),
        17 => format!("tally(N-P, (event([name=N, port=P]), event({a})), _Ps), member(N-P-Z, _Ps)"),
        18 => format!("sum_by(N, V, (event([name=N, v=V]), event({a})), _Ps), member(p-Z, _Ps)"),
        19 => format!("event([port=call, call=C]), findall(V, event([call=C, v=V]), _Vs), length(_Vs, Z), event({a})"),
        20 => format!("order_by([desc(D), asc(N)], (event([depth=D, name=N, call=C]), event({a})))"),
        21 => format!("limit(4, order_by([desc(D), asc(N)], (event([depth=D, name=N, call=C]), event({a}))))"),
        22 => format!("distinct((event([name=N, v=V]), event({a})))"),
        23 => format!("distinct(N, (event([name=N, call=C]), event({b})))"),
        24 => format!("event([call=C, v=V]), findall(X, (event([call=C, chrono=X]), event({a})), _L), member(X, _L)"),
        25 => format!("event([port=call, call=A]), ancestor(C, A), event({a})"),
        26 => format!("{move_2}({a}), {move_1}({b}), stack(_S), length(_S, Z)"),
        27 => "event([chrono=X, stack=_S]), member([level(L), detail(E, C, 1)|_], _S)".to_string(),
        28 => format!("fget_np({a}), stack(_S), member([_, detail(E, _, _), -, proc(-, \"p\", 0, -), det(-)], _S)"),
        29 => format!("event({a}), event([port=call, call=C]), above(C, A)"),
        30 => format!("above(C, A), event([call=A, port=exit, chrono=X]), event({b})"),
        31 => "above(C, 2) ; event([port=exit, call=C])".to_string(),
        32 => format!("event([port=call, call=C]), \\+ (above(C, A), event([call=A, v=2])), event({a})"),
        33 => "event([port=call, call=C]), aggregate_all(count, above(C, _), Z)".to_string(),
        34 => "event([chrono=X, call=C]), forall(above(C, A), event([call=A, port=exit]))".to_string(),
        35 => "event([port=exit, call=C]), findall(A, above(C, A), _L), member(A, _L)".to_string(),
        36 => format!("event([port=call, call=C]), below(C, A, Z), event({a})"),
        37 => "below(C, A, Z), Z > 1".to_string(),
        38 => {
            format!("limit({}, (event([call=C, port=call]), root(C, R), event([call=R, chrono=X])))", random.below(9))
        }
        39 => "event([port=call, call=C]), ends(C, A, X)".to_string(),
        40 => format!("event([v=V, chrono=X, port={}]), up_to(V, Z)", random.of(&["call", "exit"])),
        41 => format!("fget_np({a}), walk(X), fget_np({b})"),
        42 => "walk(X)".to_string(),
        43 => "event([port=call, call=C]), even(C)".to_string(),
        44 => format!("event([call=C, port=exit, name=N]), named(N, C, A), event({a})"),
        45 => "tally(A, above(_, A), _Ps), member(A-Z, _Ps)".to_string(),
        46 => "order_by([desc(A)], (event([port=exit, call=C]), named(p, C, A)))".to_string(),
        47 => "event([port=call, call=C]), tagged(p, 1, C, A)".to_string(),
        48 => "event([port=exit, call=C, v=V]), tagged(p, V, C, A)".to_string(),
        49 => format!(
            "event([call=C, chrono=X]), ( event([call=C, port=exit, chrono=_E]) -> Z is _E - X ; Z = 0 ), event({b})"
        ),
        50 => format!("event([call=C, v=V]), once((event({a}), event([call=C, chrono=X]))), event({b})"),
        51 => {
            let found = random.of(&["v > 1", "port=fail", "w = a"]);
            format!(
                "fget_np({a}), ( {move_2}([{found}]), event([port=exit]) -> true ; fget_np([v=1]) ), fget_np([chrono=X])"
            )
        }
        52 => format!("event([name=N, v=V]), once(kind(N, K)), event({a})"),
        53 => "event([name=N, call=C]), N \\== p, ( event([call=C, v=2, chrono=_X]) *-> _X \\== 7 ; event([call=C, v=_V]), _V == 1 )".to_string(),
        54 => {
            format!("event([call=C, name=N]), ignore(({move_2}([call=C, port=exit]), fget_np([v > 0]))), fget_np({b})")
        }
        55 => "event([port=call, call=C]), \\+ ( event([call=C, port=exit, v=_V]) -> event([call=C, v=1]) ; fail )"
            .to_string(),
        56 => format!("once({move_1}({a})), {move_2}({b})"),
        57 => "event([chrono=X, v=V]), forall(event([v=V, call=_C]), once((event([call=_C, port=exit, chrono=_Y]), _Y \\== X)))".to_string(),
        58 => format!("event([port=call, call=C]), once(above(C, A)), event({a})"),
        59 => format!("event([call=C, chrono=X]), limit({}, event([call=C, v=V])), event({a})", random.below(4)),
        60 => "event([port=call, call=C]), order_by([desc(X)], event([call=C, chrono=X, name=N])), X > 3".to_string(),
        61 => format!("event([port=call, name=N]), distinct(V, event([name=N, v=V, chrono=X])), event({a})"),
        62 => format!("aggregate_all(count, distinct(N, (event([name=N, call=C]), event({a}))), Z)"),
        63 => "event([port=exit, call=C]), findall(X, limit(2, event([call=C, chrono=X])), _L), member(X, _L)".to_string(),
        64 => "event([port=call, call=C]), forall(limit(2, event([call=C, v=_V])), event([v=_V, port=exit]))".to_string(),
        65 => format!("fget_np({a}), limit(2, ({move_2}([v > 0]), fget_np([port=exit]))), fget_np([chrono=X])"),
        66 => "event([port=call, call=C]), once(order_by([desc(V)], event([call=C, v=V, chrono=X])))".to_string(),
        _ => "deepest(D, N)".to_string(),
    }
}

/// A random goal about the trace `steps`, or `failures`, which are derived.
fn derived_goal(random: &mut Random) -> String {
    let all = [
        "port=call",
        "port=[fail, event]",
        "port \\= exit",
        "name=matches(\"q$\")",
        "w=a",
        "w=not(a)",
        "w > 0",
        "twice=4",
        "twice=2..6",
        "value=V",
        "call=C",
        "origin=O",
        "name=N",
        "call > 2",
        "origin < 9",
        "name=p",
        "value \\= 3",
    ];
    let list = |random: &mut Random| {
        let picked: Vec<&str> = (0..=random.below(2)).map(|_| random.of(&all)).collect();
        picked.join(", ")
    };
    let (a, b) = (list(random), list(random));
    match random.below(12) {
        0 => format!("fget([{a}])"),
        1 => format!("event([{a}, chrono=X])"),
        2 => format!("fget_np([{a}]), bget_np([{b}, chrono=X])"),
        3 => format!("event([call=C, {a}]), \\+ event([call=C, {b}])"),
        4 => format!("tally(N-P, event([name=N, port=P, {a}]), _Ps), member(N-P-Z, _Ps)"),
        5 => format!("aggregate_all(count, event([{a}]), Z)"),
        6 => format!("aggregate_all(max(_V), event([value=_V, {a}]), Z)"),
        7 => "call_start(C, A), call_end(C, E), E > A".to_string(),
        8 => format!("event([port=P, call=C, origin=O, {a}]), once(event([call=C, {b}, chrono=X]))"),
        9 => format!("limit(3, order_by([desc(O), asc(X)], event([origin=O, chrono=X, {a}])))"),
        10 => format!(
            "event([port=P, name=N, origin=O]), ( event([origin=O, {}]) -> Z = 1 ; Z = 0 )",
            random.of(&all[..9])
        ),
        _ => format!("event([chrono=X, origin=O, name=N, {a}])"),
    }
}

/// Rules that the goals use.
const RULES: &str = "
    nested(C, D) :- parent(C, P), event([call=P, depth=E]), D is E - 1.
    nested(C, 0) :- call_start(C, _).
    odd(C) :- event([call=C, v=1]).
    odd(C) :- event([call=C, v=3]).
    kind(p, letter).
    kind(q, letter).
    kind(pq, word) :- event([name=q]).
    deepest(D, N) :- aggregate_all(max(E), event([depth=E]), D), event([depth=D, name=N]).
    above(C, A) :- parent(C, A).
    above(C, A) :- parent(C, B), above(B, A).
    below(C, D, 1) :- child(C, D).
    below(C, D, N) :- child(C, B), below(B, D, M), N is M + 1.
    root(C, C) :- \\+ parent(C, _).
    root(C, R) :- parent(C, P), root(P, R).
    ends(C, A, X) :- call_start(C, X), A = C.
    ends(C, A, X) :- parent(C, B), ends(B, A, _), event([call=A, port=exit, chrono=X]).
    tagged(_, 1, C, A) :- parent(C, A).
    tagged(T, N, C, A) :- N < 4, parent(C, B), event([call=B, name=T]), tagged(pq, 1, B, A).
    up_to(N, N).
    up_to(N, M) :- N < 4, K is N + 1, up_to(K, M).
    walk(X) :- fget_np([port=exit, chrono=X]).
    walk(X) :- fget_np([port=call, v=4, name=N]), walk(X), fget_np([name=N]).
    even(C) :- \\+ parent(C, _).
    even(C) :- parent(C, P), odd_level(P).
    odd_level(C) :- parent(C, P), ( even(P) ; event([call=P, v=1]), even(P) ).
    named(N, C, C) :- event([call=C, port=call, name=N]).
    named(N, C, A) :- (event([call=C, v=2]) ; event([call=C, v=3])), parent(C, B), named(N, B, A).
    named(N, C, A) :- parent(C, B), \\+ event([call=B, v=1]), named(N, B, A).

    :- derived_trace(steps, [port=P, call=C, name=N, value=V, origin=X, twice=T],
                     ( event([port=P, call=C, name=N, chrono=X, v=V]), T is V * 2 )).
    :- derived_trace(steps, [call=C, name=N, origin=X, w=W, value=V],
                     ( event([port=exit, call=C, name=N, chrono=Y]), call_start(C, X),
                       ( event([call=C, v=V]) -> true ; true ), W = a, Y > 2 )).
    :- derived_trace(failures, steps, [port=Q, name=N, call=C, origin=X, w=T, value=1, twice=V],
                     ( event([port=P, chrono=X, call=C, name=N, twice=T, value=V]), ( P == exit -> Q = fail ; Q = call ) ;
                       fget_np([w=a, chrono=X, call=C]), fget_np([name=N]), T = a, Q = fail, V = 4 )).
";

/// Runs queries on folders in one process: prints the rows of each as a line of JSON.
const RUNNER: &str = r#"
import json, sys
import duckdb
for line in sys.stdin:
    task = json.loads(line)
    con = duckdb.connect()
    for name in ("events", "calls"):
        if "folder" in task and "make" in task:
            columns = task["columns"][name]
            con.execute(f"create or replace table {name} ({columns})")
            names = [column.split()[0] for column in columns.split(", ")]
            rows = [[row.get(one) for one in names] for row in task["make"][name]]
            con.executemany(f"insert into {name} values ({', '.join('?' * len(names))})", rows)
            con.execute(f"copy (from {name}) to '{task['folder']}/{name}.parquet'")
    if "sql" in task:
        cursor = con.execute(task["sql"])
        names = [one[0] for one in cursor.description]
        print(json.dumps([{n: v for n, v in zip(names, row) if not n.startswith("order_")} for row in cursor.fetchall()]))
"#;

test_cases! { duckdb_gives_the_answers_of_papaver_in_the_same_order, ask: seed_19 19, seed_20 20, seed_21 21 }

fn ask(seed: u64) {
    if !has_duckdb() {
        return;
    }
    let n_traces = std::env::var("PAPAVER_SQL_TRACES").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let mut random = Random(seed);
    let (mut tasks, mut expected, mut folders) = (String::new(), Vec::new(), Vec::new());
    for _ in 0..n_traces {
        let folder = folder();
        let (events, calls) = trace(&mut random);
        let lines: String = events.iter().map(|event| format!("{event}\n")).collect();
        let text = folder.path().join("trace.jsonl");
        fs::write(&text, lines).unwrap();
        let rules = folder.path().join("rules.pl");
        fs::write(&rules, RULES).unwrap();
        let full = |event: &Value| {
            let mut row = event.clone();
            row["trace"] = json!("t");
            row["proc"] = json!(format!("{}/{}", event["name"].as_str().unwrap(), event["arity"]));
            if let Some(word) = event["w"].as_str().map(str::to_string) {
                row["w"] = Value::Null;
                row["w_text"] = json!(word);
            }
            row
        };
        let rows: Vec<Value> = events.iter().map(full).collect();
        let make = json!({
            "folder": folder.path(), "make": {"events": rows, "calls": calls},
            "columns": {
                "events": "trace VARCHAR, chrono BIGINT, call BIGINT, depth BIGINT, port VARCHAR, name VARCHAR, \
                           proc VARCHAR, arity BIGINT, v BIGINT, w BIGINT, w_text VARCHAR",
                "calls": "trace VARCHAR, call BIGINT, parent BIGINT, enter BIGINT, leave BIGINT, depth BIGINT, \
                          name VARCHAR, arity BIGINT, tree_first BIGINT, tree_last BIGINT",
            },
        });
        tasks += &format!("{make}\n");
        for number in 0..48 {
            let (goal, on) = match number % 4 {
                3 => (derived_goal(&mut random), random.of(&["--on=steps", "--on=failures"])),
                _ => (goal(&mut random), "--dialect=duckdb"),
            };
            let mut command = papaver();
            command.args(["query", "-q", "--to=json", &goal, "-l"]).args([&rules, &text]);
            command.args(Some(on).filter(|on| on.starts_with("--on")));
            let output = command.output().unwrap();
            let answers = String::from_utf8(output.stdout.clone()).unwrap();
            let answer = |line: &str| serde_json::from_str::<Value>(line).unwrap();
            let answers: Vec<Value> = answers.lines().map(answer).collect();
            assert!(output.status.code().is_some_and(|code| code < 2), "{goal}: {:?}", output);
            let query = stdout(sql(&goal, folder.path()).arg("-l").arg(&rules).arg(on), 0);
            tasks += &format!("{}\n", json!({"sql": query}));
            expected.push((goal, answers));
        }
        folders.push(folder);
    }
    let mut python = assert_cmd::Command::new("python3");
    let found = stdout(python.args(["-c", RUNNER]).write_stdin(tasks), 0);
    let found: Vec<Vec<Value>> = found.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(found.len(), expected.len());
    for ((goal, answers), rows) in expected.iter().zip(&found) {
        let plain = |answer: &Value| {
            let mut bindings = answer["bindings"].clone();
            let object = bindings.as_object_mut().unwrap();
            object.retain(|_, value| !value.is_object());
            let event = &answer["event"]["chrono"];
            if object.is_empty() {
                return if event.is_null() { json!({"answer": true}) } else { json!({"chrono": event}) };
            }
            bindings
        };
        let answers: Vec<Value> = answers.iter().map(plain).collect();
        assert_eq!(&answers, rows, "{goal}");
    }
    assert!(expected.iter().filter(|(_, answers)| !answers.is_empty()).count() > expected.len() / 4);
}

#[test]
fn rules_are_put_in_place_of_their_calls() {
    let folder = folder();
    let rules = folder.path().join("rules.pl");
    let text = "slow(C) :- event([call=C, v > 3]).\nslow(C) :- event([call=C, port=fail]).\nloop(C) :- loop(C).\n\
                bad(C) :-\n    event([call=C]),\n    assertz(seen(C)).\n";
    fs::write(&rules, text).unwrap();
    let found = stdout(sql("slow(X)", folder.path()).arg("-l").arg(&rules), 0);
    let expected = "SELECT * FROM (\n\
                    SELECT e1.call AS \"X\", 0 AS order_0, e1.chrono AS order_1 FROM events AS e1 WHERE e1.call IS NOT NULL \
                    AND e1.v > 3\nUNION ALL\n\
                    SELECT e2.call AS \"X\", 1 AS order_0, e2.chrono AS order_1 FROM events AS e2 WHERE e2.call IS NOT NULL \
                    AND e2.port = 'fail'\n)\nORDER BY order_0, order_1\n";
    assert!(found.ends_with(expected), "{found}");
    for (goal, place) in [
        ("loop(1)", "sql:1:1: error: no clause ends the recursion of `loop/1`"),
        ("bad(C)", "rules.pl:6:5: error: `assertz/1` is not compiled to SQL"),
    ] {
        let message = stderr(sql(goal, folder.path()).arg("-l").arg(&rules), 2);
        assert!(message.contains(place), "{goal}: {message}");
    }
}

#[test]
fn the_goals_of_a_derived_trace_are_put_in_place_of_its_events() {
    let folder = folder();
    let rules = folder.path().join("rules.pl");
    let text = ":- derived_trace(ends, [port=P, call=C, kind=K, origin=X],\n                 \
                ( event([port=P, call=C, chrono=X]), ( once(event([call=C, v=K])) -> true ; P == fail ) )).\n\
                :- derived_trace(ends, [name=N, origin=X], event([depth=1, name=N, chrono=X])).\n";
    fs::write(&rules, text).unwrap();
    let asked = |goal: &str, status| {
        let mut command = sql(goal, folder.path());
        command.arg("-l").arg(&rules).args(["--on", "ends"]);
        if status == 0 { stdout(&mut command, 0) } else { stderr(&mut command, 2) }
    };
    let found = asked("event([kind > 2, port=P])", 0);
    let start = found.find("SELECT ROW_NUMBER").expect("numbers of events");
    let expected = "SELECT ROW_NUMBER() OVER (ORDER BY origin, order_0, order_1) AS chrono, \"port\", \"call\", \"kind\", \
         \"origin\", \"name\" FROM (\n\
         SELECT e1.port AS \"port\", e1.call AS \"call\", o3.\"v1\" AS \"kind\", e1.chrono AS \"origin\", CAST(NULL AS VARCHAR) \
         AS \"name\", 0 AS order_0, e1.chrono AS order_1 FROM events AS e1 CROSS JOIN LATERAL (SELECT e2.v AS \"v1\", \
         CAST(NULL AS BIGINT) AS chrono_, e2.chrono AS order_0 FROM events AS e2 WHERE e2.call IS NOT NULL AND e2.call = \
         e1.call AND e2.v IS NOT NULL\nORDER BY order_0\nLIMIT 1) AS o3 WHERE";
    assert!(found[start..].starts_with(expected), "{found}");
    let expected = "SELECT e1.port AS \"P\", e1.chrono AS order_0 FROM events AS e1 WHERE e1.kind > 2 AND e1.port IS NOT NULL\n\
                    ORDER BY order_0\n";
    assert!(found.ends_with(expected), "{found}");
    for (goal, place) in [
        ("event([call=3])", "sql:1:13: error: constraints on `call` are not compiled to SQL"),
        ("call_end(C, E)", "sql:1:1: error: the calls of a derived trace have no SQL unless each event"),
        ("parent(C, P)", "sql:1:1: error: which calls are around others in a derived trace has no SQL"),
        ("event([depth=D])", "sql:1:8: error: variables for `depth` are not compiled to SQL"),
    ] {
        let message = asked(goal, 2);
        assert!(message.contains(place), "{goal}: {message}");
    }
}

#[test]
fn a_rule_that_calls_itself_has_tables_of_its_calls_and_answers() {
    let folder = folder();
    let rules = folder.path().join("rules.pl");
    let text = "above(C, A) :- parent(C, A).\nabove(C, A) :- parent(C, B), above(B, A).\n";
    fs::write(&rules, text).unwrap();
    let found = stdout(sql("event([depth=3, call=C]), above(C, A)", folder.path()).arg("-l").arg(&rules), 0);
    let found = found.replace(&*rules.to_string_lossy(), "rules.pl");
    let expected = "     \
        loop1_start AS (SELECT DISTINCT CAST(e1.call AS BIGINT) AS s0 FROM events AS e1 WHERE e1.depth = 3 AND e1.call IS \
        NOT NULL),\n     \
        loop1 AS (SELECT s0, s0 AS a0, CAST([] AS BIGINT[]) AS path, 0 AS level, [s0] AS made FROM loop1_start\n      \
        UNION ALL SELECT d2.s0, CAST(c4.parent AS BIGINT) AS a0, d2.path || CAST([1, c4.enter] AS BIGINT[]) AS path, CASE \
        WHEN list_contains(d2.made, CAST(c4.parent AS BIGINT)) THEN error('rules.pl:2:30: `above/2` calls itself with the same arguments, so \
        that it does not end') WHEN d2.level >= 10000 THEN error('rules.pl:2:30: more than 10000 calls of `above/2` are in \
        each other') ELSE d2.level + 1 END AS level, d2.made || [CAST(c4.parent AS BIGINT)] AS made FROM loop1 AS d2 CROSS JOIN calls AS c4 \
        WHERE c4.call = d2.a0 AND c4.parent IS NOT NULL),\n     \
        loop1_answers AS (SELECT d2.s0, d2.path || CAST([0, c3.enter] AS BIGINT[]) AS path, CAST(c3.parent AS BIGINT) AS o0 \
        FROM loop1 AS d2 CROSS JOIN calls AS c3 WHERE c3.call = d2.a0 AND c3.parent IS NOT NULL)\n\
        SELECT e1.call AS \"C\", r5.o0 AS \"A\", e1.chrono AS order_0, r5.path AS order_1 FROM events AS e1 CROSS JOIN \
        loop1_answers AS r5 WHERE e1.depth = 3 AND e1.call IS NOT NULL AND r5.s0 = e1.call\n\
        ORDER BY order_0, order_1\n";
    assert!(found.starts_with("WITH RECURSIVE events AS (") && found.ends_with(expected), "{found}");
}

#[test]
fn recursion_without_sql_is_an_error_at_its_place() {
    let folder = folder();
    let rules = folder.path().join("rules.pl");
    let text = "two(C, A) :- parent(C, A).\n\
                two(C, A) :- two(C, B), two(B, A).\n\
                twice(C, A) :- parent(C, A).\n\
                twice(C, A) :- parent(C, B), twice(B, D), twice(D, A).\n\
                none(C) :- parent(C, B), \\+ none(B).\n\
                none(C) :- call_start(C, _).\n\
                left(C, A) :- parent(C, A).\n\
                left(C, A) :- left(_, B), parent(B, A).\n\
                mixed(C, x) :- parent(C, _).\n\
                mixed(C, A) :- call_start(C, A).\n\
                mixed(C, A) :- parent(C, B), mixed(B, A).\n\
                list(C, f(A)) :- parent(C, A).\n\
                list(C, A) :- parent(C, B), list(B, A).\n\
                open(C, _) :- parent(C, _).\n\
                open(C, A) :- parent(C, B), open(B, A).\n\
                inner(C, A) :- parent(C, B), two_up(B, D), inner(D, A).\n\
                inner(C, C).\n\
                two_up(C, C).\n\
                two_up(C, A) :- parent(C, B), two_up(B, A).\n\
                many(C) :- (a ; b), (a ; b), (a ; b), (a ; b), (a ; b), (a ; b), (a ; b), many(C).\n\
                many(C) :- call_start(C, _).\n\
                a.\n\
                b.\n";
    fs::write(&rules, text).unwrap();
    for (goal, place) in [
        ("twice(2, A)", "rules.pl:4:43: error: `twice/2` calls itself here beside another such call"),
        ("none(2)", "rules.pl:5:29: error: `none/1` calls itself here beside another such call or within another goal"),
        ("left(_, A)", "rules.pl:8:15: error: `left/2` calls itself with the same arguments, so that it does not end"),
        ("mixed(2, A)", "sql:1:1: error: values of different kinds are arguments in the clauses of `mixed/2`"),
        ("list(2, A)", "error: a compound term in the head of a rule is not compiled to SQL"),
        ("open(2, A)", "sql:1:1: error: no value, or a list, is an argument in an answer of `open/2`"),
        ("inner(2, A)", "rules.pl:16:44: error: `inner/2` calls itself here beside another recursive rule"),
        ("many(2)", "error: the rule has too many alternatives for SQL"),
        ("event([call=C]), two(f(C), 1)", "sql:1:22: error: expected an integer, an atom, a string or a variable"),
    ] {
        let message = stderr(sql(goal, folder.path()).arg("-l").arg(&rules), 2);
        assert!(message.contains(place), "{goal}: {message}");
    }
}

#[test]
fn answers_about_several_traces_name_them() {
    let folder = folder();
    let mut about = description();
    let mut other = about["traces"][0].clone();
    other["trace"] = json!("it's u");
    other["event_files"] = json!(["u.parquet"]);
    about["traces"].as_array_mut().unwrap().push(other);
    let of_lake = |about: &Value| fs::write(folder.path().join("papaver.json"), about.to_string()).unwrap();
    of_lake(&about);
    let found = stdout(&mut sql("event([depth=3, call=C])", folder.path()), 0);
    let top = folder.path().display();
    let one = |file: &str, trace: &str| {
        format!(
            "WITH events AS (SELECT * FROM read_parquet(['{top}/{file}'], hive_partitioning = false, union_by_name = true) \
             WHERE trace = '{trace}')\nSELECT e1.call AS \"C\", e1.chrono AS order_0 FROM events AS e1 WHERE e1.depth = 3 AND \
             e1.call IS NOT NULL\nORDER BY order_0\n"
        )
    };
    let expected = format!(
        "SELECT 't' AS trace, *, 0 AS order_trace FROM (\n{})\nUNION ALL\n\
         SELECT 'it''s u' AS trace, *, 1 AS order_trace FROM (\n{})\nORDER BY order_trace, order_0\n",
        one("events.parquet", "t"),
        one("u.parquet", "it''s u"),
    );
    assert_eq!(found, expected);
    about["traces"][1]["attributes"][7]["columns"][0]["kind"] = json!("text");
    of_lake(&about);
    let kinds = stderr(&mut sql("event([v=V])", folder.path()), 2);
    assert!(kinds.contains("the answers about the trace `it's u` have values of other kinds"), "{kinds}");
    about["traces"][1]["attributes"].as_array_mut().unwrap().remove(7);
    of_lake(&about);
    let lacks = stderr(&mut sql("event([v=V])", folder.path()), 2);
    assert!(lacks.contains("sql:1:8: error: the trace has no attribute `v`"), "{lacks}");
    assert!(lacks.contains("the trace is `it's u`"), "{lacks}");
}

#[test]
fn what_answers_each_part_of_a_goal_is_told() {
    let (folder, trace) =
        file("t.jsonl", "{\"port\": \"call\", \"name\": \"p\", \"args\": [1], \"goal_path\": [\"c1\"]}\n");
    let lake = folder.path().join("lake");
    stdout(papaver().args(["export", "-q"]).arg(&trace).arg("-o").arg(&lake), 0);
    let explained = |goal: &str| stdout(sql(goal, &lake).arg("--explain"), 0);
    let whole = "the engine answers the goal\n  engine           1:1    event([port=call, chrono=C])\n  engine           1:31   \
                 C > 1\n";
    assert_eq!(explained("event([port=call, chrono=C]), C > 1"), whole);
    let parts = "papaver answers the goal on the events that the engine finds (sql:1:24: constraints on `args` are not \
                 compiled to SQL)\n  engine           1:8    port=call\n  engine, papaver  1:19   args=[1|_]\n  papaver          \
                 1:31   goal_path=[c1]\n  papaver          1:49   X = f(1)\n";
    assert_eq!(explained("event([port=call, args=[1|_], goal_path=[c1]]), X = f(1)"), parts);
    let refused = stderr(sql("event([port=call]), assertz(a)", &lake).arg("--explain"), 2);
    assert!(refused.contains("sql:1:21: error: `assertz/1` is not compiled to SQL"), "{refused}");
}
