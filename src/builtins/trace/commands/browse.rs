//! `browse/1`: navigates in a term with commands from standard input.

use crate::builtins::arguments::atomic_text;
use crate::builtins::io::questions::ask;
use crate::builtins::record::det;
use crate::builtins::trace::cursor::current_event;
use crate::builtins::trace::errors::trace;
use crate::builtins::trace::values::attributes::{attribute_value, part};
use crate::builtins::trace::values::live_variables::live_vars;
use crate::engine::error::{existence_error, instantiation_error, type_error, with_message};
use crate::engine::{Builtin, Cell, EventPart, Stop, Store, Term, World};
use crate::output::{TermLayout, TermView};
use crate::term::{Atom, NodeId, Tree, atoms};
use crate::trace::AttributeId;

/// The records.
pub(crate) const TABLE: &[Builtin] = &[
    det(
        "browse(+What) is semidet",
        "Shows a live variable of the current event (its name, or the number of an argument) or a term in parts; commands are read from standard input, and `help` lists them.",
        "goto_np(673), browse(2)",
        "true",
        browse,
    ),
    det(
        "browse is semidet",
        "As browse/1, for what was called at the current event with all its arguments.",
        "goto_np(673), browse",
        "true",
        browse_event,
    ),
];

const HELP: &str = "\
ls [PATH]            shows the term here, or the part that PATH leads to
print [PATH], p      shows it in one line
cd [PATH], ^PATH     goes to a part; without a path back to the whole
pwd                  tells the path to here
set                  tells the settings
set depth|size|width|lines N, set format flat|pretty|verbose
< N                  the same as set depth N
help, h, ?           this help
quit, q              leaves
A path is numbers of arguments, as 2/1 or ^2^1; `..` goes up, and / begins at the whole.
The second part of a list is what follows its first element.
";

fn browse(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let term = match world.store.look(args[0]) {
        Term::Var(_) => return Err(instantiation_error()),
        Term::Compound(_) => args[0],
        _ => match live_variable(world, args[0])? {
            Some(value) => value,
            None => return Ok(false),
        },
    };
    walk(world, term)
}

/// The value of the live variable with a name or number; an error if there is no such variable.
fn live_variable(world: &mut World, id: Cell) -> Result<Option<Cell>, Stop> {
    let trace = trace(world)?;
    let Some(event) = current_event(world) else { return Ok(None) };
    let live = live_vars(&mut world.store, &trace, event);
    let store = &world.store;
    let found = match store.look(id) {
        Term::Int(number) => match part(&mut world.store, &trace, event, argument(number)) {
            Some(value) if !matches!(world.store.look(value), Term::Atom(atoms::MINUS)) => return Ok(Some(value)),
            _ => None,
        },
        _ => {
            let wanted = atomic_text(store, id).ok_or_else(|| type_error(store, "variable_name", id))?;
            let all = live.arguments.iter().chain(&live.others);
            all.filter_map(|live| named(store, *live)).find(|(name, _)| *name == *wanted).map(|(_, value)| value)
        }
    };
    found.map(Some).ok_or_else(|| no_variable(&world.store, id, live.arguments.iter().chain(&live.others)))
}

fn argument(number: i64) -> EventPart {
    EventPart::Argument(usize::try_from(number).ok().filter(|number| *number > 0).unwrap_or(usize::MAX))
}

/// Name and value of `live_var(Name, Value, Type)`.
fn named(store: &Store, live: Cell) -> Option<(String, Cell)> {
    let Term::Compound(compound) = store.look(live) else { return None };
    let name = atomic_text(store, store.arg(compound, 0))?.into_owned();
    Some((name, store.arg(compound, 1)))
}

fn no_variable<'c>(store: &Store, id: Cell, live: impl Iterator<Item = &'c Cell>) -> Stop {
    let names: Vec<String> = live.filter_map(|live| named(store, *live)).map(|(name, _)| format!("`{name}`")).collect();
    let known = if names.is_empty() { "none is".to_owned() } else { format!("live are {}", names.join(", ")) };
    let wanted = atomic_text(store, id).unwrap_or_default();
    with_message(existence_error(store, "live_variable", id), &format!("`{wanted}` is not live here: {known}"))
}

fn browse_event(world: &mut World, _: &[Cell]) -> Result<bool, Stop> {
    let trace = trace(world)?;
    let Some(event) = current_event(world) else { return Ok(false) };
    let name = trace.proc_of(event).and_then(|id| trace.proc(id).name).unwrap_or(Atom::new("event"));
    let arguments = attribute_value(&mut world.store, &trace, event, AttributeId::ARGS);
    let arguments = arguments.map(|list| world.store.walk_list(list).items).unwrap_or_default();
    let term = match arguments.is_empty() {
        true => Cell::atom(name),
        false => world.store.compound(name, &arguments),
    };
    walk(world, term)
}

/// Obeys commands until `quit` or the end of the input.
fn walk(world: &mut World, term: Cell) -> Result<bool, Stop> {
    if !world.store.is_acyclic(term) {
        return Err(type_error(&world.store, "acyclic_term", term));
    }
    let mut walker = Browser { tree: world.store.save(term), path: Vec::new(), view: world.desk.term_view };
    loop {
        world.store.watch.check()?;
        let Some(line) = ask(world, "browser> ")? else { break };
        match walker.obey(line.trim()) {
            Reply::Text(text) => world.output.write_str(&text)?,
            Reply::Quit => break,
        }
    }
    world.desk.term_view = walker.view;
    Ok(true)
}

/// The result of a command.
enum Reply {
    Text(String),
    Quit,
}

/// The state of the browser: the current part of a term, and how terms are shown.
struct Browser {
    tree: Tree,
    /// The parts from the root to the current one, with their numbers.
    path: Vec<(usize, NodeId)>,
    view: TermView,
}

impl Browser {
    fn obey(&mut self, line: &str) -> Reply {
        let end = line.find(|c: char| c.is_whitespace() || "^/.<".contains(c)).unwrap_or(line.len());
        let (word, rest) = line.split_at(end);
        let rest = rest.trim();
        Reply::Text(match word {
            "quit" | "q" => return Reply::Quit,
            "help" | "h" => HELP.to_owned(),
            "" => match rest.chars().next() {
                None => String::new(),
                Some('<') => self.set("depth", rest[1..].trim()),
                Some(_) => self.go(rest),
            },
            "?" => HELP.to_owned(),
            "ls" => self.show(rest, self.view),
            "print" | "p" => self.show(rest, TermView { layout: TermLayout::Flat, ..self.view }),
            "cd" => self.go(if rest.is_empty() { "/" } else { rest }),
            "pwd" => self.place(),
            "set" if rest.is_empty() => self.settings(),
            "set" => match rest.split_once(char::is_whitespace) {
                Some((name, value)) => self.set(name, value.trim()),
                None => self.set(rest, ""),
            },
            "depth" | "size" | "width" | "lines" | "format" => self.set(word, rest),
            _ => format!("no command `{word}`; `help` lists them all\n"),
        })
    }

    fn here(path: &[(usize, NodeId)], tree: &Tree) -> NodeId {
        path.last().map_or(tree.root(), |(_, id)| *id)
    }

    /// The parts to which a path leads from the current one, or why there are none.
    fn follow(&self, steps: &str) -> Result<Vec<(usize, NodeId)>, String> {
        let mut path = if steps.starts_with('/') { Vec::new() } else { self.path.clone() };
        for step in steps.split(['/', '^']).map(str::trim).filter(|step| !step.is_empty()) {
            if step == ".." {
                path.pop();
                continue;
            }
            let id = Browser::here(&path, &self.tree);
            let arity = self.tree.functor(id).map_or(0, |(_, arity)| arity);
            match step.parse::<usize>() {
                Ok(number) if (1..=arity).contains(&number) => path.push((number, self.tree.args(id)[number - 1])),
                Ok(number) => return Err(format!("there is no part {number}: the term has {arity}\n")),
                Err(_) => return Err(format!("expected a path such as `2/1`, found `{step}`\n")),
            }
        }
        Ok(path)
    }

    fn show(&self, steps: &str, view: TermView) -> String {
        match self.follow(steps) {
            Ok(path) => view.show(&self.tree, Browser::here(&path, &self.tree)),
            Err(reason) => reason,
        }
    }

    fn go(&mut self, steps: &str) -> String {
        match self.follow(steps) {
            Ok(path) => {
                self.path = path;
                String::new()
            }
            Err(reason) => reason,
        }
    }

    fn place(&self) -> String {
        let steps: String = self.path.iter().map(|(number, _)| format!("/{number}")).collect();
        format!("{}\n", if steps.is_empty() { "/" } else { &steps })
    }

    fn settings(&self) -> String {
        let TermView { depth, size, width, lines, layout } = self.view;
        format!("depth {depth}\nsize {size}\nwidth {width}\nlines {lines}\nformat {}\n", layout.name())
    }

    fn set(&mut self, name: &str, value: &str) -> String {
        let number = match name {
            "depth" => &mut self.view.depth,
            "size" => &mut self.view.size,
            "width" => &mut self.view.width,
            "lines" => &mut self.view.lines,
            "format" => return self.set_layout(value),
            _ => return format!("expected depth, size, width, lines or format, found `{name}`\n"),
        };
        match value.parse() {
            Ok(value) => {
                *number = value;
                String::new()
            }
            Err(_) => format!("expected a number for {name}, found `{value}`\n"),
        }
    }

    fn set_layout(&mut self, name: &str) -> String {
        match TermLayout::NAMES.iter().find(|(_, known)| *known == name) {
            Some((layout, _)) => {
                self.view.layout = *layout;
                String::new()
            }
            None => format!("expected flat, pretty or verbose, found `{name}`\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{ReadFlags, read_goal};
    use crate::term::ops::OpTable;

    fn replies(term: &str, commands: &[&str]) -> String {
        let read = read_goal(term, &OpTable::standard(), &ReadFlags::default()).expect("a term");
        let mut walker = Browser { tree: read.tree, path: Vec::new(), view: TermView::default() };
        let mut text = String::new();
        for command in commands {
            match walker.obey(command) {
                Reply::Text(reply) => text.push_str(&reply),
                Reply::Quit => text.push_str("bye\n"),
            }
        }
        text
    }

    #[test]
    fn paths_lead_down_and_up() {
        let list = "[1, 2, 3, 4, 5]";
        assert_eq!(
            replies(list, &["p", "^2^1", "p", "cd ..", "p", "cd /", "pwd"]),
            "[1, 2, 3, 4, 5]\n2\n[2, 3, 4, 5]\n/\n"
        );
        assert_eq!(
            replies("f(g(a, b))", &["cd 1/2", "pwd", "ls", "cd", "ls 1", "cd ..", "pwd"]),
            "/1/2\nb\ng(a, b)\n/\n"
        );
        assert_eq!(
            replies("f(a)", &["cd 2", "cd x", "ls 1/1"]),
            "there is no part 2: the term has 1\nexpected a path such as `2/1`, found `x`\nthere is no part 1: the term has 0\n"
        );
    }

    #[test]
    fn settings_are_told_and_changed() {
        let printed = replies(
            "f(g(h(x)))",
            &["p", "< 9", "p", "set depth 1", "ls", "set format verbose", "depth 2", "ls", "set"],
        );
        let expected = "f(g(h/1))\nf(g(h(x)))\nf/1\nf\n1-g/1\ndepth 2\nsize 10\nwidth 80\nlines 25\nformat verbose\n";
        assert_eq!(printed, expected);
        let wrong = replies("a", &["set depht 3", "set depth x", "set format wide", "fly", "quit"]);
        let expected = "expected depth, size, width, lines or format, found `depht`\nexpected a number for depth, found `x`\n\
                        expected flat, pretty or verbose, found `wide`\nno command `fly`; `help` lists them all\nbye\n";
        assert_eq!(wrong, expected);
    }
}
