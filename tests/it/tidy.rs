//! The house rules as tests: floors and rooms, forbidden words, who may use what, records, dependencies.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

use crate::support::{papaver, stdout};

/// The floors of `src/lib.rs`: a file imports from its own floor and from those below it.
const FLOORS: &[(&str, u8)] = &[
    ("term", 0),
    ("manual", 0),
    ("spill", 0),
    ("trace", 1),
    ("syntax", 1),
    ("formats", 2),
    ("output", 2),
    ("recorders", 2),
    ("engine", 3),
    ("builtins", 4),
    ("library", 4),
    ("session", 5),
    ("sql", 5),
    ("view", 5),
    ("app", 6),
    ("fuzz", 6),
];

/// The rooms of folders that have an order inside, the lowest first: a file imports from its own room and from those
/// before it. A room is a folder or a file.
const ROOMS: &[(&str, &[&str])] = &[
    ("engine", &["heap", "arith", "code", "state", "compile", "program", "run"]),
    (
        "builtins",
        &["record", "arguments", "terms", "texts", "io", "program", "control", "trace", "catalogue", "plan", "help"],
    ),
    (
        "builtins/trace",
        &["errors", "cursor", "values", "constraints", "commands", "queries", "columns", "assertions", "relations"],
    ),
    ("trace", &["threads", "event", "file", "column", "relation", "build", "saved", "search", "analysis", "property"]),
    (
        "formats",
        &[
            "mapping",
            "times",
            "lines",
            "json",
            "mercury",
            "derived",
            "not_terms",
            "checks",
            "drawing",
            "testing",
            "chrome",
            "spans",
            "jaeger",
            "itf",
            "jsonl",
            "maps",
            "lttng",
            "mdb",
            "monpoly",
            "morphine",
            "mpd",
            "otlp",
            "posix",
            "prolog",
            "seqtrace",
            "strace",
            "visandor",
            "zipkin",
            "exported",
            "loading",
            "testing",
            "cut_tests",
            "every_reader_tests",
        ],
    ),
];

/// The contents of the top folder, except hidden files and build results.
const TOP: &[&str] = &[
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "build.rs",
    "examples",
    "grammar",
    "rustfmt.toml",
    "src",
    "tests",
];

/// Crates that touch the terminal, the command line or signals.
const TERMINAL_CRATES: &[&str] =
    &["anstream", "anstyle", "clap", "clap_complete", "clap_mangen", "indicatif", "nix", "rustyline", "signal_hook"];

struct SourceFile {
    /// From the top folder, with `/`.
    path: String,
    text: String,
}

impl SourceFile {
    /// Its lines, numbered from 1, without those that are only a comment.
    fn code_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let numbered = self.text.lines().enumerate().map(|(index, line)| (index + 1, line));
        numbered.filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    /// The folder or file under `src` that it belongs to.
    fn room(&self) -> &str {
        let under = self.path.strip_prefix("src/").unwrap_or_default();
        under.split(['/', '.']).next().unwrap_or_default()
    }
}

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files with one of the endings, in the order of their paths.
fn files(endings: &[&str]) -> Vec<SourceFile> {
    let mut open: Vec<PathBuf> =
        ["src", "tests", "examples", "grammar", "build.rs"].map(|name| top().join(name)).into();
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("the tree can be read");
            open.extend(entries.map(|entry| entry.expect("the tree can be read").path()));
        } else if path.extension().is_some_and(|ending| endings.iter().any(|one| ending == *one)) {
            let text = fs::read_to_string(&path).expect("sources are UTF-8");
            let path = path.strip_prefix(top()).expect("all files lie under the top");
            found.push(SourceFile { path: path.to_string_lossy().replace('\\', "/"), text });
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

fn rust_files() -> Vec<SourceFile> {
    files(&["rs"])
}

/// The lines of code under `src` that `pattern` finds in files that `applies` chooses, as `path:line: text`.
fn lines_with(pattern: &str, applies: impl Fn(&SourceFile) -> bool) -> Vec<String> {
    let pattern = Regex::new(pattern).expect("the patterns of this file are right");
    let mut found = Vec::new();
    for file in rust_files().iter().filter(|file| file.path.starts_with("src/") && applies(file)) {
        let lines = file.code_lines().filter(|(_, line)| pattern.is_match(line));
        found.extend(lines.map(|(number, line)| format!("{}:{number}: {}", file.path, line.trim())));
    }
    found
}

fn assert_none(found: Vec<String>, why: &str) {
    assert!(found.is_empty(), "{why}:\n{}", found.join("\n"));
}

fn floor_of(room: &str) -> Option<u8> {
    FLOORS.iter().find(|(name, _)| *name == room).map(|(_, floor)| *floor)
}

/// The paths that begin with `crate` or `super` in some code, a group such as `crate::{syntax::Reader, term}` as one
/// path for each of its members.
fn paths(code: &str) -> Vec<String> {
    let start = Regex::new(r"\b(?:crate|super)::[\w:]*").expect("a right pattern");
    let mut found = Vec::new();
    for path in start.find_iter(code) {
        let rest = &code[path.end()..];
        match path.as_str().strip_suffix("::") {
            Some(before) if rest.starts_with('{') => found.extend(members(before, rest)),
            _ => found.push(path.as_str().trim_end_matches("::").to_string()),
        }
    }
    found
}

/// The paths of the group in braces with which `rest` begins, each with what stands before the brace.
fn members(before: &str, rest: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let mut path = before.to_string();
    for part in rest.split_inclusive(['{', '}', ',']) {
        let (name, end) = part.split_at(part.len() - 1);
        let name = name.trim().trim_end_matches("::");
        let whole = if name.is_empty() { path.clone() } else { format!("{path}::{name}") };
        if end == "{" {
            open.push(std::mem::replace(&mut path, whole));
            continue;
        }
        found.extend((!name.is_empty()).then_some(whole));
        if end == "}" {
            path = open.pop().unwrap_or_default();
        }
        if open.is_empty() {
            break;
        }
    }
    found
}

/// The rooms of `src` that a file imports.
fn imports(file: &SourceFile) -> BTreeSet<String> {
    let code: Vec<&str> = file.code_lines().map(|(_, line)| line).collect();
    let paths = paths(&code.join("\n"));
    let inside = paths.iter().filter_map(|path| path.strip_prefix("crate::"));
    inside.map(|path| path.split("::").next().unwrap_or_default().to_string()).collect()
}

#[test]
fn lower_floors_import_no_higher_ones() {
    let mut wrong = Vec::new();
    for file in rust_files() {
        let Some(own) = floor_of(file.room()) else { continue };
        let higher = imports(&file).into_iter().filter(|room| floor_of(room).is_some_and(|floor| floor > own));
        wrong.extend(higher.map(|room| format!("{} (floor {own}) imports {room}", file.path)));
    }
    assert_none(wrong, "imports from a higher floor");
}

/// The formats, each of which has a page beside its reader.
fn formats() -> BTreeSet<String> {
    let pages = files(&["md"]).into_iter().filter(|file| file.path.starts_with("src/formats/"));
    let name = |page: SourceFile| Path::new(&page.path).file_stem().map(|name| name.to_string_lossy().into_owned());
    pages.filter_map(name).collect()
}

/// The formats in which traces are written, as `convert --help` lists them.
fn targets() -> BTreeSet<String> {
    let help = stdout(papaver().args(["convert", "--help"]), 0);
    let values = Regex::new(r"--to <FORMAT>[^\[]*\[possible values: ([^\]]*)\]").expect("a right pattern");
    let found = values.captures(&help).expect("`--to` lists its values");
    found[1].split(',').map(|name| name.trim().to_string()).collect()
}

#[test]
fn formats_and_targets_are_seen() {
    assert!(formats().len() > 5 && targets().len() > 3, "{:?}, {:?}", formats(), targets());
    assert!(formats().intersection(&targets()).count() > 1, "{:?}, {:?}", formats(), targets());
}

/// The path of a file's module, such as `engine::run::step`.
fn module_of(path: &str) -> String {
    let under = path.trim_start_matches("src/").trim_end_matches(".rs").trim_end_matches("/mod");
    under.replace('/', "::")
}

/// An imported path from the top of the crate.
fn absolute(path: &str, module: &str) -> String {
    let mut around: Vec<&str> = module.split("::").collect();
    let mut rest = path;
    while let Some(after) = rest.strip_prefix("super::") {
        around.pop();
        rest = after;
    }
    match path.strip_prefix("crate::") {
        Some(inside) => inside.to_string(),
        None => around.into_iter().chain([rest]).collect::<Vec<_>>().join("::"),
    }
}

/// The names that a folder re-exports by `pub use`, each with the room from which it comes.
fn passed_on(door: &SourceFile) -> Vec<(String, String)> {
    let lines = Regex::new(r"pub(?:\([\w ]+\))? use (\w+)((?:::\w+)*::)?([^;]*);").expect("a right pattern");
    let names = Regex::new(r"\w+").expect("a right pattern");
    let mut found = Vec::new();
    for line in lines.captures_iter(&door.text) {
        let items = names.find_iter(line.get(3).map_or("", |items| items.as_str()));
        found.extend(items.map(|item| (item.as_str().to_string(), line[1].to_string())));
    }
    found
}

/// The imports of the files of a folder from rooms after their own.
fn imports_from_later_rooms(folder: &str, rooms: &[&str], files: &[SourceFile]) -> Vec<String> {
    let within = format!("{}::", folder.replace('/', "::"));
    let door = files.iter().find(|file| file.path == format!("src/{folder}/mod.rs"));
    let passed_on = door.map(passed_on).unwrap_or_default();
    let room = |path: &str| {
        let name = path.strip_prefix(&within)?.split("::").next()?;
        let from = passed_on.iter().find(|(item, _)| item == name).map_or(name, |(_, room)| room);
        rooms.iter().position(|room| *room == from)
    };
    let mut wrong = Vec::new();
    for file in files.iter().filter(|file| !(file.path.ends_with("tests.rs") || file.path.contains("/tests/"))) {
        let module = module_of(&file.path);
        let Some(own) = room(&module) else { continue };
        for path in paths(&code_before_tests(file)) {
            let path = absolute(&path, &module);
            if room(&path).is_some_and(|other| other > own) {
                wrong.push(format!("{} imports {path}", file.path));
            }
        }
    }
    wrong
}

#[test]
fn rooms_import_no_later_ones() {
    let files = rust_files();
    let wrong = ROOMS.iter().flat_map(|(folder, rooms)| imports_from_later_rooms(folder, rooms, &files));
    assert_none(wrong.collect(), "imports from a later room");
}

#[test]
fn every_file_of_a_folder_with_rooms_is_in_one() {
    let mut without = Vec::new();
    for (folder, rooms) in ROOMS {
        let entries = fs::read_dir(top().join("src").join(folder)).expect("the folders exist");
        let paths = entries.map(|entry| entry.expect("src can be read").path());
        let names = paths.map(|path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned());
        without
            .extend(names.filter(|name| !["mod", "tests", "testing"].contains(&&**name) && !rooms.contains(&&**name)));
    }
    assert_none(without, "files and folders that stand in no room");
}

#[test]
fn imports_from_later_rooms_are_seen() {
    let file = |path: &str, text: &str| SourceFile { path: path.to_string(), text: text.to_string() };
    let files = [
        file("src/f/mod.rs", "mod high;\nmod low;\npub use high::{High, Top};\npub use low::Low;\n"),
        file("src/f/high/mod.rs", "use crate::f::{Low, low::{self, x}};\n"),
        file("src/f/low/a.rs", "use super::b::c;\nuse super::super::high::x;\nuse crate::{f::{High, Low}, g};\n"),
        file(
            "src/f/low/b.rs",
            "use crate::f::high::y::*;\nfn f() -> crate::f::high::X {}\n#[cfg(test)]\nmod tests { use crate::f::Top; }\n",
        ),
    ];
    let found = imports_from_later_rooms("f", &["low", "high"], &files);
    let of = |file: &str, path: &str| format!("src/f/low/{file}.rs imports f::{path}");
    assert_eq!(found, [of("a", "high::x"), of("a", "High"), of("b", "high::y"), of("b", "high::X")]);
}

/// Only its own folder and the table of formats know a format by name: its record holds what others must know of it,
/// and shared code of formats has rooms of its own. A format in which traces are also written is known to `output`, and
/// as a target.
#[test]
fn no_format_is_known_by_name_outside_its_folder() {
    let mut found = Vec::new();
    let (formats, targets) = (formats(), targets());
    for format in &formats {
        let is_target = targets.contains(format);
        let pattern =
            if is_target { format!(r"\b{format}::") } else { format!(r#""{format}"|\b{format}::|::{format}\b"#) };
        found.extend(lines_with(&pattern, |file| {
            let own = format!("src/formats/{format}");
            let is_reader = file.path == format!("{own}.rs") || file.path.starts_with(&format!("{own}/"));
            let is_test = file.path.ends_with("tests.rs") || file.path.contains("/tests/") || file.room() == "fuzz";
            // a recorder has the name of the program that records
            let is_recorder = file.room() == "recorders";
            !(is_reader || is_test || is_recorder || is_target && file.room() == "output")
        }));
    }
    found.retain(|line| !line.starts_with("src/formats/mod.rs") || !line.contains("::FORMAT"));
    found.retain(|line| !is_in_tests(line));
    assert_none(found, "a format is known by name outside of its folder");
}

/// Whether a line found as `path:line: text` lies in the tests at the end of its file.
fn is_in_tests(found: &str) -> bool {
    let mut parts = found.split(':');
    let (Some(path), Some(Ok(number))) = (parts.next(), parts.next().map(str::parse::<usize>)) else { return false };
    let text = fs::read_to_string(top().join(path)).expect("sources are UTF-8");
    text.lines().take(number).any(|line| line.starts_with("#[cfg(test)]"))
}

#[test]
fn grouped_imports_are_seen() {
    let text = "use crate::{\n    app::{x, y},\n    term,\n};\nuse crate::session::z;\n// crate::trace\n".to_string();
    let file = SourceFile { path: "src/trace/x.rs".to_string(), text };
    let rooms: Vec<String> = imports(&file).into_iter().filter(|room| !room.is_empty()).collect();
    assert_eq!(rooms, ["app", "session", "term"]);
}

#[test]
fn every_room_has_a_floor() {
    let entries = fs::read_dir(top().join("src")).expect("src can be read");
    let rooms = entries.map(|entry| entry.expect("src can be read").path()).filter(|path| path.is_dir());
    let names = rooms.map(|path| path.file_name().unwrap_or_default().to_string_lossy().into_owned());
    assert_none(names.filter(|name| floor_of(name).is_none()).collect(), "folders of src without a floor");
}

#[test]
fn every_file_says_what_lives_in_it() {
    let begins = |file: &SourceFile| match file.path.rsplit('.').next() {
        Some("rs") => file.text.starts_with("//! "),
        Some("lalrpop") => file.text.starts_with("// "),
        _ => file.text.starts_with("% ") || file.text.starts_with("/* "),
    };
    let silent = files(&["rs", "pl", "lalrpop"]).into_iter().filter(|file| !begins(file)).map(|file| file.path);
    assert_none(silent.collect(), "files whose first line does not say what lives there");
}

#[test]
fn no_marker_is_left_over() {
    let markers = Regex::new(r"\b(TODO|FIXME|XXX|HACK)\b|\b(dbg|todo|unimplemented)!").expect("a right pattern");
    let mut left = Vec::new();
    for file in files(&["rs", "pl", "lalrpop"]).iter().filter(|file| !file.path.ends_with("/tidy.rs")) {
        let lines = file.text.lines().enumerate().filter(|(_, line)| markers.is_match(line));
        left.extend(lines.map(|(index, line)| format!("{}:{}: {line}", file.path, index + 1)));
    }
    assert_none(left, "left-over markers");
}

#[test]
fn only_the_application_prints_exits_and_knows_a_terminal() {
    let is_outside = |file: &SourceFile| !matches!(file.room(), "app" | "main");
    // random tests show their seeds
    let may_not_print = |file: &SourceFile| is_outside(file) && file.path != "src/term/cases.rs";
    assert_none(lines_with(r"\be?print(ln)?!", may_not_print), "printing outside of app");
    assert_none(lines_with(r"\bprocess::(exit|abort)\b", is_outside), "ending the program outside of app");
    let crates = format!(r"\b({})::", TERMINAL_CRATES.join("|"));
    let is_beyond = |file: &SourceFile| is_outside(file) && file.path != "src/spill/disk.rs";
    assert_none(lines_with(&crates, is_beyond), "crates of the terminal and of the system outside of app");
}

#[test]
fn only_one_file_spreads_work_over_threads() {
    let is_outside = |file: &SourceFile| file.path != "src/trace/threads.rs";
    let pattern = r"\bthread::scope\b|\bspawn_scoped\b|\bavailable_parallelism\b";
    assert_none(lines_with(pattern, is_outside), "threads that share work, outside of trace/threads.rs");
}

#[test]
fn only_one_file_chooses_the_hasher() {
    let is_outside = |file: &SourceFile| {
        // the tracing layer is a file for other programs
        !["src/term/hash.rs", "src/engine/code/index.rs", "src/recorders/tracing_layer.rs"].contains(&&*file.path)
            && !file.path.contains("tests")
            && file.room() != "fuzz"
    };
    let pattern = r"\bfoldhash\b|\bcollections::(\{.*)?Hash(Map|Set)\b";
    let found = lines_with(pattern, is_outside).into_iter().filter(|line| !is_in_tests(line));
    assert_none(found.collect(), "hashers outside of term/hash.rs");
}

#[test]
fn only_one_file_knows_the_generated_parser() {
    let is_outside = |file: &SourceFile| file.path != "src/syntax/parser.rs";
    assert_none(lines_with(r"\blalrpop", is_outside), "the generated parser outside of syntax/parser.rs");
}

/// Files of the engine and the session with words that are also names of predicates, and what the words mean there.
const WORDS_ALLOWED: &[(&str, &[&str], &str)] = &[
    ("src/engine/state/flags.rs", &["atom", "error", "fail", "false", "string", "true"], "values of Prolog flags"),
    ("src/engine/program/script.rs", &["atom"], "a value of the flag double_quotes"),
    ("src/engine/run/limit.rs", &["depth", "time"], "kinds of limits, arguments of '$limit_begin'/3"),
];

/// Names and numbers of arguments of all predicates that come with papaver, as the manual lists them.
fn predicates() -> BTreeSet<(String, usize)> {
    let manual = stdout(papaver().args(["man", "predicates"]), 0);
    let heading = Regex::new(r"(?m)^    ([^\s(]+)(\(.*\))? is [a-z]+$").expect("a right pattern");
    let count = |arguments: &str| arguments.matches(", ").count() + 1;
    let predicate =
        |found: regex::Captures| (found[1].to_string(), found.get(2).map_or(0, |list| count(list.as_str())));
    heading.captures_iter(&manual).map(predicate).collect()
}

/// The code of a file before its tests, without comments.
fn code_before_tests(file: &SourceFile) -> String {
    let lines = file.code_lines().map(|(_, line)| line).take_while(|line| !line.contains("#[cfg(test)]"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The names of predicates in arrays, in pairs of a name and a number, and in the patterns of a match.
fn listed_predicates(code: &str, known: &BTreeSet<(String, usize)>) -> Vec<String> {
    let pattern = |text| Regex::new(text).expect("a right pattern");
    let [array, pair, arm, name] = [
        r#"\[\s*"[^"]*"(?:\s*,\s*"[^"]*")*\s*,?\s*\]"#,
        r#"\(\s*"([^"]*)"\s*,\s*([0-9]+)"#,
        r#""[^"]*"(?:\s*\|\s*"[^"]*")*\s*(?:if [^=]*)?=>"#,
        r#""([^"]*)""#,
    ]
    .map(pattern);
    let named = |name: &str| name.replace("\\\\", "\\");
    let is_name = |name: &String| known.iter().any(|(known, _)| known == name);
    let lists = array.find_iter(code).chain(arm.find_iter(code));
    let names =
        lists.flat_map(|list| name.captures_iter(list.as_str()).map(|found| named(&found[1])).collect::<Vec<_>>());
    let pairs = pair.captures_iter(code).map(|found| (named(&found[1]), found[2].parse().unwrap_or(usize::MAX)));
    let paired = pairs.filter(|pair| known.contains(pair)).map(|(name, _)| name);
    names.filter(is_name).chain(paired).collect()
}

#[test]
fn lists_of_predicates_are_seen() {
    let known = predicates();
    let code =
        r#"const A: &[(&str, usize)] = &[("\\=", 2), ("append", 7)]; ["nl", "none"]; match n { "once" | "fget" => 1 }"#;
    assert_eq!(listed_predicates(code, &known), ["nl", "fget", "\\="]);
}

#[test]
fn engine_and_session_hold_no_names_of_predicates() {
    let known = predicates();
    let mut found = Vec::new();
    let rooms = rust_files().into_iter().filter(|file| ["engine", "session"].contains(&file.room()));
    for file in rooms.filter(|file| !file.path.contains("tests")) {
        let names = listed_predicates(&code_before_tests(&file), &known);
        let is_allowed = |name: &String| WORDS_ALLOWED.iter().any(|row| row.0 == file.path && row.1.contains(&&**name));
        found.extend(names.into_iter().filter(|name| !is_allowed(name)).map(|name| format!("{}: {name}", file.path)));
    }
    assert_none(found, "what a predicate does is said by its record, not by lists of names");
}

#[test]
fn only_the_allocator_is_unsafe() {
    let elsewhere = |file: &SourceFile| file.path != "src/spill/allocator.rs";
    assert_none(lines_with(r"\bunsafe\s*(\{|fn|impl)|allow\(unsafe_code", elsewhere), "unsafe code");
    let manifest = fs::read_to_string(top().join("Cargo.toml")).expect("Cargo.toml can be read");
    assert!(manifest.contains("unsafe_code = \"deny\""), "Cargo.toml must deny unsafe code");
}

#[test]
fn the_top_folder_holds_what_it_should() {
    let entries = fs::read_dir(top()).expect("the top folder can be read");
    let names = entries.map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned());
    let visible: BTreeSet<String> = names.filter(|name| !name.starts_with('.') && name != "target").collect();
    assert_eq!(visible, TOP.iter().map(|name| name.to_string()).collect());
    for hidden in [".gitignore", ".ci/run"] {
        assert!(top().join(hidden).is_file(), "{hidden} is missing");
    }
}

/// The names under `[dependencies]` and similar headings.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut is_inside = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_inside = line.contains("dependencies]");
        } else if let (true, Some((name, _))) = (is_inside, line.split_once('=')) {
            names.push(name.trim().to_string());
        }
    }
    names
}

#[test]
fn every_dependency_is_used() {
    let manifest = fs::read_to_string(top().join("Cargo.toml")).expect("Cargo.toml can be read");
    let names = dependencies(&manifest);
    assert!(names.len() > 10, "found only {names:?}");
    let files = rust_files();
    let code: Vec<&str> = files
        .iter()
        .filter(|file| !file.path.ends_with("/tidy.rs"))
        .flat_map(|file| file.code_lines().map(|(_, line)| line))
        .collect();
    let code = code.join("\n");
    let is_unused = |name: &String| {
        let used = Regex::new(&format!(r"\b{}(::|!|;)", name.replace('-', "_"))).expect("names are no patterns");
        !used.is_match(&code)
    };
    assert_none(names.into_iter().filter(is_unused).collect(), "dependencies that nothing uses");
}
