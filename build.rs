//! Generates the parser of the query language from `grammar/query.lalrpop`, the index of the library and the lists of the
//! pages of formats and recorders and of the scripts of `view`.

use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() {
    generate_parser();
    index_library();
    list_pages("formats", "FORMATS", "The pages of the formats; each lies beside the reader of its format.");
    list_scripts();
    list_pages("recorders", "RECORDERS", "The pages of the recorders; each lies beside the file of its recorder.");
}

fn generate_parser() {
    lalrpop::Configuration::new()
        .set_in_dir("grammar")
        .set_out_dir(out_folder())
        .emit_rerun_directives(true)
        .process()
        .expect("grammar/query.lalrpop is a valid grammar");
}

fn out_folder() -> PathBuf {
    std::env::var("OUT_DIR").expect("cargo sets OUT_DIR for build scripts").into()
}

/// Writes the list of the library's files by name, each with its text and the places of its predicates, so that clauses
/// are read when they are called. A place is `("append", 3, 214, 268, "pure")`: the name, the number of arguments, the
/// first byte and the end, and what the line `%@` of the comment says.
fn index_library() {
    println!("cargo::rerun-if-changed=src/library");
    let top = std::env::current_dir().expect("cargo runs build scripts in the folder of the package");
    let folder = std::fs::read_dir(top.join("src/library")).expect("the library is a folder");
    let paths = folder.map(|file| file.expect("a folder can be listed").path());
    let mut files: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|ending| ending == "pl")).collect();
    files.sort();
    let index: String = files.iter().map(|file| index_file(file)).collect();
    std::fs::write(out_folder().join("library.rs"), format!("&[\n{index}]\n")).expect("OUT_DIR can be written to");
}

/// Writes a module for rustdoc and a row of `LIST` for each page that lies beside the code of a folder:
/// `formats/NAME.md` or `formats/NAME/NAME.md`.
fn list_pages(folder: &str, list: &str, doc: &str) {
    println!("cargo::rerun-if-changed=src/{folder}");
    let (mut modules, mut rows) = (String::new(), String::new());
    for page in pages_in(folder) {
        let name = page.file_stem().expect("a file has a name").to_string_lossy();
        let text = format!("include_str!({page:?})");
        writeln!(modules, "#[doc = {text}]\npub mod {name} {{}}").expect("a string takes all text");
        writeln!(rows, "    Page {{ name: {name:?}, aliases: &[], doc: \"\", text: {text} }},")
            .expect("a string takes all text");
    }
    let table = format!("{modules}/// {doc}\npub(crate) const {list}: &[Page] = &[\n{rows}];\n");
    std::fs::write(out_folder().join(format!("{folder}_pages.rs")), table).expect("OUT_DIR can be written to");
}

/// Writes the list of the scripts of the page of `view`: `dom.js` is the first, `main.js` the last.
fn list_scripts() {
    println!("cargo::rerun-if-changed=src/view/page");
    let top =
        std::env::current_dir().expect("cargo runs build scripts in the folder of the package").join("src/view/page");
    let scripts = |folder: PathBuf| {
        let entries = std::fs::read_dir(folder).expect("the page is a folder");
        let paths = entries.map(|file| file.expect("a folder can be listed").path());
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "js")).collect::<Vec<_>>()
    };
    let mut all = [scripts(top.clone()), scripts(top.join("pictures"))].concat();
    all.sort_by_key(|path| (path.ends_with("main.js"), !path.ends_with("dom.js"), path.clone()));
    let rows: String = all.iter().map(|path| format!("    include_str!({path:?}),\n")).collect();
    std::fs::write(out_folder().join("view_scripts.rs"), format!("&[\n{rows}]\n")).expect("OUT_DIR can be written to");
}

/// The pages beside the code of a folder, by name.
fn pages_in(folder: &str) -> Vec<PathBuf> {
    let top = std::env::current_dir().expect("cargo runs build scripts in the folder of the package");
    let entries = std::fs::read_dir(top.join("src").join(folder)).expect("it is a folder");
    let page_of = |path: PathBuf| match path.file_name().filter(|_| path.is_dir()) {
        Some(name) => path.join(name).with_extension("md"),
        None => path,
    };
    let paths = entries.map(|file| page_of(file.expect("a folder can be listed").path()));
    let is_page = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "md") && path.is_file();
    let mut pages: Vec<PathBuf> = paths.filter(is_page).collect();
    pages.sort();
    pages
}

fn index_file(file: &Path) -> String {
    let text = std::fs::read_to_string(file).expect("the library is text");
    let mut rows = String::new();
    for Predicate { name, arity, start, end, tags } in predicates(&text) {
        write!(rows, "({name:?}, {arity}, {start}, {end}, {tags:?}), ").expect("a string takes all text");
    }
    let name = file.file_name().expect("a file has a name").to_string_lossy();
    format!("    LibraryFile {{ name: {name:?}, text: include_str!({file:?}), predicates: &[{rows}] }},\n")
}

/// A predicate whose clauses stand together.
struct Predicate {
    name: String,
    arity: usize,
    start: usize,
    end: usize,
    tags: String,
}

/// The predicates of a library file, whose clauses begin where lines do, with a name and no operator; other lines of
/// clauses are indented.
fn predicates(text: &str) -> Vec<Predicate> {
    let mut found: Vec<Predicate> = Vec::new();
    let (mut start, mut tags) = (0, String::new());
    for line in text.split_inclusive('\n') {
        let end = start + line.trim_end().len();
        if !line.starts_with(['%', ' ', '\n']) {
            let (name, arity) = head(&text[start..]);
            match found.last_mut() {
                Some(last) if last.name == name && last.arity == arity => {}
                _ => found.push(Predicate { name, arity, start, end, tags: std::mem::take(&mut tags) }),
            }
        }
        if let Some(tag) = line.strip_prefix("%@ ") {
            tags = tag.trim_end().trim_end_matches('.').to_string();
        }
        if let (false, Some(last)) = (line.trim_start().is_empty() || line.starts_with('%'), found.last_mut()) {
            last.end = end;
        }
        start += line.len();
    }
    found
}

/// The name that a clause begins with, and the number of arguments in the brackets behind it.
fn head(clause: &str) -> (String, usize) {
    let (name, rest) = match clause.strip_prefix('\'') {
        Some(quoted) => quoted.split_once('\'').expect("a quoted name has two quotes"),
        None => clause.split_at(clause.find(|c: char| !(c.is_alphanumeric() || "_$".contains(c))).unwrap_or(0)),
    };
    assert!(!name.is_empty(), "expected the name of a predicate, found `{}`", clause.lines().next().unwrap_or(""));
    (name.to_string(), rest.strip_prefix('(').map_or(0, count_arguments))
}

/// One more than there are commas up to the bracket that closes, but for those in brackets and quotes.
fn count_arguments(text: &str) -> usize {
    let (mut depth, mut commas, mut quote) = (0, 0, None);
    for c in text.chars() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')') if depth == 0 => break,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, ',') if depth == 0 => commas += 1,
            (None, _) => {}
        }
    }
    commas + 1
}
