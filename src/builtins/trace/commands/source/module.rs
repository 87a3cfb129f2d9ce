//! A Mercury source for coverage: its declarations, and the calls in its clauses with their lines.

use crate::syntax::diagnostic::{Diagnostic, LineIndex, Source};
use crate::term::{Span, Tree};

use super::calls::{WrittenCall, calls};
use super::declarations::{Declaration, DeclaredProcedure, declaration};
use super::files::SourceFile;
use super::items::places;
use super::mercury;

/// The contents of a source.
#[derive(Default)]
pub(crate) struct Module {
    /// The path of the file, relative to the folder of `--source-dir`.
    pub(crate) file: String,
    /// The modules that it imports or includes.
    pub(crate) imports: Vec<String>,
    /// The procedures, each with the module that declares it.
    pub(crate) procedures: Vec<(String, DeclaredProcedure)>,
    pub(crate) calls: Vec<LocatedCall>,
    /// The items that could not be read; their calls are missing.
    pub(crate) unread: Vec<Diagnostic>,
    /// The modules that are open at the current item, innermost last.
    open: Vec<String>,
}

/// A call with its location.
pub(crate) struct LocatedCall {
    pub(crate) call: WrittenCall,
    /// The module that contains it.
    pub(crate) from: String,
    pub(crate) line: usize,
    /// The first line of the goal that contains it.
    pub(crate) goal_line: usize,
}

/// Reads a source; if it declares no module, its module has the name of the file.
pub(crate) fn module(file: &SourceFile) -> Module {
    let name = file.name.trim_end_matches(".m").replace(['/', '\\'], ".");
    let mut module = Module { file: file.name.clone(), open: vec![name], ..Module::default() };
    let lines = LineIndex::new(&file.text);
    for place in places(&file.text) {
        let text = &file.text[place.clone()];
        if is_left_out(text) {
            continue;
        }
        match mercury::read(text) {
            Ok(tree) => module.take(text, &tree, |at| lines.line_column(&file.text, place.start as u32 + at).0),
            Err(error) => {
                let at = |offset: u32| place.start as u32 + offset;
                let span = Span { start: at(error.span.start), end: at(error.span.end) };
                let source = Source::new(file.name.clone(), file.text.clone());
                let message = format!("the calls of this clause are not known: {}", error.message);
                module.unread.push(Diagnostic::warning(&source, span, message));
            }
        }
    }
    module
}

/// Whether an item is a declaration that is irrelevant for calls (foreign code, a type); such an item need not be
/// readable.
fn is_left_out(text: &str) -> bool {
    let Some(declaration) = text.strip_prefix(":-") else { return false };
    let declaration = declaration.trim_start();
    let word = declaration.split(|c: char| !c.is_ascii_lowercase() && c != '_').next().unwrap_or("");
    !DECLARATIONS.contains(&word)
}

const DECLARATIONS: &[&str] = &[
    "module",
    "end_module",
    "import_module",
    "use_module",
    "include_module",
    "pred",
    "func",
    "mode",
    "some",
    "all",
    "impure",
    "semipure",
];

impl Module {
    fn take(&mut self, text: &str, tree: &Tree, line: impl Fn(u32) -> usize) {
        if tree.functor(tree.root()).is_some_and(|(name, arity)| (name.as_str(), arity) == (":-", 1)) {
            return self.declare(declaration(tree, tree.args(tree.root())[0]));
        }
        let from = self.open.last().cloned().unwrap_or_default();
        self.calls.extend(calls(text, tree).into_iter().map(|call| LocatedCall {
            from: from.clone(),
            line: line(call.at),
            goal_line: line(call.goal_at),
            call,
        }));
    }

    fn declare(&mut self, declaration: Option<Declaration>) {
        match declaration {
            None => {}
            Some(Declaration::Module(name)) if self.open.len() == 1 && self.procedures.is_empty() => {
                self.open = vec![name];
            }
            Some(Declaration::Module(name)) => {
                let outer = self.open.last().map_or("", String::as_str);
                let full = if name.contains('.') { name } else { format!("{outer}.{name}") };
                self.open.push(full);
            }
            Some(Declaration::EndModule) if self.open.len() > 1 => {
                self.open.pop();
            }
            Some(Declaration::EndModule) => {}
            Some(Declaration::Imports(names)) => self.imports.extend(names),
            Some(Declaration::Procedure(procedure)) => {
                let module = self.open.last().cloned().unwrap_or_default();
                self.procedures.push((module, procedure));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Module {
        module(&SourceFile { name: "a.m".to_owned(), text: text.to_owned() })
    }

    #[test]
    fn nested_modules_declare_their_own() {
        let source = ":- module a.\n:- pred p is det.\n:- module b.\n:- pred q is det.\nq :- p.\n:- end_module b.\n\
                      :- func f(int) = int.\np :- a.b.q.\n";
        let found = read(source);
        let names: Vec<_> = found.procedures.iter().map(|(module, it)| format!("{module}.{}", it.name)).collect();
        assert_eq!(names, ["a.p", "a.b.q", "a.f"]);
        let from: Vec<_> = found.calls.iter().map(|it| (it.from.as_str(), it.call.name.as_str(), it.line)).collect();
        assert_eq!(from, [("a.b", "p", 5), ("a", "q", 8)]);
    }

    proptest::proptest! {
        #[test]
        fn no_source_breaks_the_reader(text in "(:- |pred |mode |module |\\(|\\)|\\[|\\]|\\{|\\}|!|\\.|, |p|X|é|É\\(|`|'|\"|1u8|some|all |-->|->|;|if |then |else |= |:|\\. |\n){0,40}") {
            let found = read(&text);
            proptest::prop_assert!(found.calls.iter().all(|call| call.line > 0));
        }
    }

    #[test]
    fn a_deep_source_is_read_without_recursion() {
        let deep = format!("p :- {}q{}.", "(a, not (b ; ".repeat(20_000), "))".repeat(20_000));
        assert_eq!(read(&deep).calls.len(), 40_001);
        let unbalanced = format!("p :- some {}.", "[".repeat(100_000));
        assert_eq!(read(&unbalanced).unread.len(), 1);
    }
}
