//! `papaver view`: pages and pictures as files, and the server to which any program of this machine may talk.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::golden::{self, Golden};
use crate::support::{data, file, papaver, program, stderr, stdout};

const QUEENS: &str = "examples/queens/queens.trace";
const RULES: &str = "examples/queens/rules.pl";

/// The pictures of README.md, and the arguments of `view` that make them.
const PICTURES: &[(&str, &[&str])] = &[
    ("examples/queens/timeline.svg", &[QUEENS, "--check", RULES]),
    ("examples/philosophers/timeline.svg", &["examples/philosophers/philos_deadlock.trc"]),
];

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Whether a file is a picture that `view` makes.
pub fn is_picture(path: &Path) -> bool {
    PICTURES.iter().any(|(picture, _)| path == top().join(picture))
}

/// The file that `view` writes.
fn written(arguments: &[&str], ending: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("view.{ending}"));
    papaver().current_dir(top()).arg("view").args(arguments).arg("-o").arg(&path).assert().success().stdout("");
    std::fs::read_to_string(path).unwrap()
}

/// The data of a page.
fn page_data(page: &str) -> Value {
    let (_, rest) = page.split_once(r#"<script type="application/json" id="data">"#).expect("the page has data");
    let (json, _) = rest.split_once("</script>").expect("the data has an end");
    assert!(!json.contains(['<', '>', '&', '\u{2028}', '\u{2029}']));
    serde_json::from_str(json).expect("the data is JSON")
}

#[test]
fn pictures_of_the_readme_are_what_the_command_makes() {
    let goldens = PICTURES
        .iter()
        .map(|(picture, arguments)| Golden { path: top().join(picture), text: written(arguments, "svg") });
    golden::assert_all(goldens);
}

#[test]
fn a_page_holds_the_whole_of_a_small_trace_in_200_kilobytes() {
    let page = written(&[QUEENS], "html");
    assert!(page.len() < 200_000, "{}", page.len());
    let data = page_data(&page);
    assert_eq!(data["served"], false);
    assert_eq!(data["traces"][0]["events"], 698);
    assert_eq!(data["traces"][0]["rows"][0]["events"], 698);
    let tiles = data["tiles"].as_array().unwrap();
    assert_eq!(tiles.len(), 1);
    assert_eq!(tiles[0]["columns"], 0);
    // 146 calls and 95 redos begin slices, and the 217 events inside boxes are instants
    let slices = tiles[0]["rows"].as_array().unwrap().iter().map(|lane| lane["boxes"].as_array().unwrap().len());
    assert_eq!(slices.sum::<usize>(), 146 + 95 + 57 + 52 + 95 + 12);
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let arguments = [QUEENS, "-g", "event([port=exit, name=queen])", "--check", RULES];
    assert_eq!(written(&arguments, "html"), written(&arguments, "html"));
}

#[test]
fn a_page_allows_itself_nothing_but_its_own_script_and_style() {
    let page = written(&[QUEENS], "html");
    let policy = page.split_once("Content-Security-Policy\" content=\"").unwrap().1.split_once('"').unwrap().0;
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
    assert!(!policy.contains("connect-src") && !policy.contains("unsafe"), "{policy}");
    assert!(!page.contains("src=\"http") && !page.contains("@import"));
}

#[test]
fn verdicts_come_with_their_witnesses_violated_ones_first() {
    let data = page_data(&written(&[QUEENS, "--check", RULES], "html"));
    let verdicts = data["verdicts"].as_array().unwrap();
    let states: Vec<&str> = verdicts.iter().map(|verdict| verdict["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["violated", "holds", "holds"]);
    assert_eq!(verdicts[0]["where"], "examples/queens/rules.pl:17:1");
    assert!(verdicts[0]["rule"].as_str().unwrap().starts_with("check('qdelete never looks into an empty list')"));
    let witness = &verdicts[0]["witnesses"][0];
    assert_eq!(witness["event"], 54);
    // the event of row 53 lies at depth 9
    assert_eq!(witness["place"], serde_json::json!([0, 8, 53, null]));
    let event = &data["events"]["0:54"];
    assert!(event["line"].as_str().unwrap().contains("qdelete(-, [], -)"));
    assert_eq!(event["args"][1]["text"], "[]");
    assert_eq!(event["stack"].as_array().unwrap().len(), 8);
}

#[test]
fn the_report_of_a_check_is_the_same_page_and_the_run_goes_on_as_without_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.html");
    let plain = stdout(papaver().current_dir(top()).args(["check", RULES, QUEENS]), 1);
    let with_report = stdout(papaver().current_dir(top()).args(["check", RULES, QUEENS, "--report"]).arg(&path), 1);
    assert_eq!(plain, with_report);
    let data = page_data(&std::fs::read_to_string(&path).unwrap());
    assert_eq!(data["verdicts"][0]["state"], "violated");
    assert_eq!(data["title"], "queens.trace: rules.pl");
}

#[test]
fn answers_of_goals_are_layers_with_their_events() {
    let goal = "event([port=exit, name=queen, depth=D])";
    let data = page_data(&written(&[QUEENS, "-g", goal, "-g", "member(X, [a, f(\"b\")])"], "html"));
    let layer = &data["layers"][0];
    assert_eq!(layer["columns"], serde_json::json!(["D"]));
    assert_eq!(layer["rows"][0]["cells"], serde_json::json!(["2"]));
    assert_eq!(layer["rows"][0]["events"][0][1], 673);
    assert_eq!(data["layers"][1]["rows"][1]["cells"], serde_json::json!(["f(\"b\")"]));
    assert_eq!(data["events"]["0:673"]["stack"].as_array().unwrap().len(), 1);
}

#[test]
fn a_wrong_goal_and_a_wrong_file_are_errors_with_their_places() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("view.html");
    let error =
        stderr(papaver().current_dir(top()).args(["view", QUEENS, "-g", "event([port=exti])", "-o"]).arg(&path), 2);
    assert!(error.contains("exti"), "{error}");
    let error = stderr(papaver().current_dir(top()).args(["view", QUEENS, "-g", "f(", "-o"]).arg(&path), 2);
    assert!(error.contains("goal:1:3"), "{error}");
    let error = stderr(papaver().args(["view", &data("queens.trace"), "-o", "view.txt"]), 2);
    assert!(error.contains("`.html` or `.svg`"), "{error}");
}

#[test]
fn names_of_strangers_stay_texts() {
    let hostile = "</script><script>alert(1)</script>\u{2028}<!--";
    let line = serde_json::json!({ "call": 1, "port": "call", "name": hostile, "args": [hostile] });
    let (_folder, path) = file("hostile.jsonl", &format!("{line}\n"));
    let page = written(&[path.to_str().unwrap()], "html");
    assert_eq!(page.matches("alert(1)").count(), page.matches("\\u003cscript\\u003ealert(1)").count());
    let data = page_data(&page);
    assert!(data["tiles"][0]["names"][0].as_str().unwrap().contains("</script>"));
    let picture = written(&[path.to_str().unwrap()], "svg");
    assert!(!picture.contains("<script"), "{picture}");
}

#[test]
fn every_format_has_a_page_and_a_picture() {
    for sample in [
        "examples/parallel/ciao_qsort_3agents.ev",
        "examples/seqtrace/relay.raw",
        "examples/spans/books.jsonl",
        "examples/chrome/shop.json",
        "examples/strace/restart.strace",
        "examples/itf/tokens_mbt.itf.json",
        "examples/tracer/session.txt",
    ] {
        let data = page_data(&written(&[sample], "html"));
        assert!(data["traces"][0]["events"].as_u64().unwrap() > 0, "{sample}");
        assert!(written(&[sample], "svg").ends_with("</svg>\n"), "{sample}");
    }
}

/// A server, ended with the test.
struct Served {
    child: Child,
    host: String,
    base: String,
}

impl Served {
    fn start(arguments: &[&str]) -> Served {
        let mut command = program();
        command.current_dir(top()).arg("view").args(arguments).arg("--no-open");
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
        let rest = address.trim().strip_prefix("http://").expect("an address is printed");
        let (host, path) = rest.split_once('/').unwrap();
        assert!(host.starts_with("127.0.0.1:"), "{host}");
        Served { child, host: host.to_string(), base: format!("/{path}") }
    }

    /// The status and the body of the answer to a request.
    fn raw(&self, method: &str, path: &str, host: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let length = body.len();
        write!(stream, "{method} {path} HTTP/1.0\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n{body}").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8(answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        (status, answer.split_once("\r\n\r\n").unwrap().1.to_string())
    }

    fn get(&self, path: &str) -> (u16, String) {
        self.raw("GET", &format!("{}{path}", self.base), &self.host, "")
    }

    fn json(&self, path: &str) -> Value {
        let (status, body) = self.get(path);
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap_or_else(|_| panic!("{path}: {body}"))
    }

    fn post(&self, path: &str, body: &str) -> (u16, Value) {
        let (status, body) = self.raw("POST", &format!("{}{path}", self.base), &self.host, body);
        (status, serde_json::from_str(&body).unwrap())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn only_who_knows_the_secret_and_the_name_of_the_server_is_answered() {
    let served = Served::start(&[QUEENS]);
    assert!(served.base.len() >= 32, "{}", served.base);
    let (status, page) = served.get("");
    assert_eq!(status, 200);
    assert!(page.starts_with("<!doctype html>") && page.contains("connect-src 'self'"));
    assert_eq!(page_data(&page)["base"], served.base);
    for path in ["/", "/tile", "/0123456789abcdef0123456789abcdef/", "/../", "/favicon.ico"] {
        assert_eq!(served.raw("GET", path, &served.host, "").0, 403, "{path}");
    }
    for host in ["evil.example", "127.0.0.1", "localhost", ""] {
        assert_eq!(served.raw("GET", &served.base, host, "").0, 403, "{host}");
    }
    let local = served.host.replace("127.0.0.1", "localhost");
    assert_eq!(served.raw("GET", &served.base, &local, "").0, 200);
    for path in ["../../etc/passwd", "%2e%2e/Cargo.toml", "queens.trace", "tile/.."] {
        assert_eq!(served.get(path).0, 404, "{path}");
    }
    let (status, _) = served.raw("DELETE", &format!("{}tile", served.base), &served.host, "");
    assert_eq!(status, 405);
    assert_eq!(served.raw("GET", &format!("{}goal", served.base), &served.host, "").0, 405);
}

#[test]
fn tiles_events_searches_and_pictures_are_served() {
    let served = Served::start(&[QUEENS, "--source-dir", "tests/data/sources"]);
    let tile = served.json("tile?trace=0&axis=number&from=0&to=698&columns=100&rows=0-63");
    let lanes = tile["rows"].as_array().unwrap();
    assert!(lanes.iter().all(|lane| lane["boxes"].as_array().unwrap().len() <= 101));
    let counts = lanes.iter().flat_map(|lane| lane["boxes"].as_array().unwrap()).map(|one| one[2].as_u64().unwrap());
    assert_eq!(counts.sum::<u64>(), 146 + 95 + 57 + 52 + 95 + 12);
    let event = served.json("event?trace=0&number=673");
    assert!(event["line"].as_str().unwrap().contains("exit queen([1, 2, 3, 4, 5], [1, 3, 5, 2, 4])"));
    assert_eq!(event["stack"][0]["number"], 1);
    assert!(event["stack"][0]["line"].as_str().unwrap().contains("main"));
    assert_eq!(served.json("search?trace=0&q=print_list&after=0&direction=1")["number"], 675);
    assert_eq!(served.json("search?trace=0&q=nothing+of+that")["none"], true);
    assert_eq!(served.json("search?trace=0&q=673")["place"][2], 672);
    assert_eq!(served.json("arrows?trace=0&axis=number&from=0&to=698")["more"], 0);
    assert_eq!(served.json("picture?kind=durations&trace=0")["kind"], "durations");
    let words = served.json("complete?text=event(%5Bport=exi");
    assert_eq!(words["candidates"][0]["text"], "exit");
    assert_eq!(words["start"], 12);
    for (path, status) in [
        ("tile?trace=7", 404),
        ("tile?axis=time", 400),
        ("tile?from=NaN", 400),
        ("tile?rows=a-b", 400),
        ("event?number=99999", 404),
        ("event?number=x", 400),
        ("picture?kind=none", 404),
    ] {
        let (found, body) = served.get(path);
        assert_eq!(found, status, "{path}: {body}");
        assert!(serde_json::from_str::<Value>(&body).unwrap()["error"].is_string(), "{path}: {body}");
    }
}

#[test]
fn goals_are_answered_with_the_errors_of_the_prompt_and_can_be_stopped_while_tiles_are_served() {
    let served = Served::start(&[QUEENS, "--time-limit", "30"]);
    let (status, layer) = served.post("goal", r#"{"goal": "event([port=exit, name=queen]), write(seen)", "trace": 0}"#);
    assert_eq!((status, &layer["rows"][0]["events"][0][1]), (200, &Value::from(673)));
    assert_eq!(layer["note"], "seen");
    let error = |goal: &str| {
        let body = serde_json::json!({ "goal": goal, "trace": 0 }).to_string();
        served.post("goal", &body).1["error"].as_str().unwrap_or_default().to_string()
    };
    assert!(error("evnt([])").contains("did you mean `event/1`?"));
    assert!(error("f(").contains("goal:1:3"));
    assert!(error("halt").contains("halt"));
    assert!(error("consult('/etc/passwd')").contains("permission"), "{}", error("consult('/etc/passwd')"));
    assert_eq!(served.post("goal", "no json").0, 400);
    assert_eq!(served.post("goal", r#"{"goal": "true", "trace": 9}"#).0, 404);
    let stopped = std::thread::scope(|scope| {
        let running = scope.spawn(|| {
            loop {
                let reply = served.post("goal", r#"{"goal": "repeat, fail", "trace": 0}"#);
                if reply.0 != 409 {
                    return reply;
                }
            }
        });
        while served.post("goal", r#"{"goal": "true", "trace": 0}"#).0 != 409 {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        assert_eq!(served.json("tile?trace=0&columns=10")["trace"], 0);
        assert_eq!(served.post("stop", "").0, 200);
        running.join().unwrap()
    });
    assert_eq!(stopped.0, 200);
    assert!(!stopped.1["error"].as_str().unwrap().is_empty(), "{stopped:?}");
    assert_eq!(served.post("goal", r#"{"goal": "true", "trace": 0}"#).1["rows"].as_array().unwrap().len(), 1);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_server() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    let mut served = Served::start(&[QUEENS]);
    kill(Pid::from_raw(served.child.id() as i32), Signal::SIGINT).unwrap();
    assert_eq!(served.child.wait().unwrap().code(), Some(130));
}

#[test]
fn a_file_of_a_trace_of_nothing_is_a_page_too() {
    let (_folder, path): (_, PathBuf) = file("empty.jsonl", "");
    let outcome =
        papaver().args(["view", path.to_str().unwrap(), "-o"]).arg(path.with_extension("html")).output().unwrap();
    assert!(outcome.status.code().is_some_and(|code| code == 0 || code == 2));
}
