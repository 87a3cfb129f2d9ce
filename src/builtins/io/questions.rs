//! Questions to the user: lines of standard input, and the file in which answers are kept.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use crate::builtins::arguments::text;
use crate::builtins::record::det;
use crate::engine::error::permission_error;
use crate::engine::{Builtin, Cell, Namespace, Prompts, Stop, World, folder_of};
use crate::syntax::diagnostic::Source;
use crate::syntax::{ReadTerm, Reader, SyntaxError};
use crate::term::hash::HashMap;
use crate::term::print::{Style, to_string};
use crate::term::{Atom, Node, NodeId, Span, Tree, atoms};

/// The records.
pub(crate) const TABLE: &[Builtin] = &[
    det(
        "$ask_line(+Prompt, -Line) is det",
        "The next line of standard input as a string, or end_of_file; only a person sees the prompt.",
        "'$ask_line'('name? ', L)",
        "L = end_of_file",
        ask_line,
    ),
    det(
        "$open_answers is semidet",
        "Begins to read the file that the option `--answers` names, if there is one.",
        "'$open_answers'",
        "false",
        open_answers,
    ),
    det(
        "$read_answers(-Answers) is det",
        "The list of Goal-Answer, the last one first, of the facts in the script that has just been opened; it is closed.",
        "true",
        "true",
        read_answers,
    ),
    det(
        "$prepare_answers is det",
        "Makes sure that the file that the option `--answers` names can be added to, and begins a new line there.",
        "'$prepare_answers'",
        "true",
        prepare_answers,
    ),
    det(
        "$append_answer(+Line) is det",
        "Adds a line to the file that the option `--answers` names.",
        "'$append_answer'(\"\")",
        "true",
        append_answer,
    ),
    det(
        "$drop_answer(+Line) is det",
        "Takes the last line away from the file that the option `--answers` names, if it is this one.",
        "'$drop_answer'(\"\")",
        "true",
        drop_answer,
    ),
    det(
        "$reason(+Text) is det",
        "Tells why the goal fails, if it does.",
        "'$reason'(\"some questions were skipped\")",
        "true",
        reason,
    ),
];

fn ask_line(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let prompt = text(&world.store, args[0], "atom")?.into_owned();
    let cell = match ask(world, &prompt)? {
        Some(line) => world.store.string(&line),
        None => Cell::atom(Atom::new("end_of_file")),
    };
    Ok(world.store.unify(args[1], cell))
}

/// The next line of standard input, none at its end; at a terminal `prompt` is shown after the output so far.
pub(crate) fn ask(world: &mut World, prompt: &str) -> Result<Option<String>, Stop> {
    let is_person = world.input.prompts == Prompts::Shown;
    let question = question(world, if is_person { prompt } else { "" })?;
    let line = world.input.line(&question);
    if is_person {
        world.output.line_was_ended();
    }
    world.store.watch.check()?;
    line.map_err(|error| match error.kind() {
        io::ErrorKind::Interrupted => Stop::Interrupt,
        _ => permission_error(&world.store, "input", "stream", Cell::atom(Atom::new("user_input"))),
    })
}

/// The text before the line that a person types: the unfinished line of the output, then `prompt`. It is written here
/// unless the line reader shows it itself: an interrupt in response to a question on the screen must reach the waiting
/// reader.
pub(crate) fn question(world: &mut World, prompt: &str) -> Result<String, Stop> {
    let is_shown = world.input.shows_questions();
    let written = if is_shown { prompt.rfind('\n').map_or(0, |end| end + 1) } else { prompt.len() };
    world.output.write_str(&prompt[..written])?;
    world.output.flush()?;
    world.store.watch.check()?;
    Ok(format!("{}{}", world.output.line(), &prompt[written..]))
}

fn open_answers(world: &mut World, _: &[Cell]) -> Result<bool, Stop> {
    let Some(path) = world.settings.answers_file.clone().filter(|path| path.exists()) else { return Ok(false) };
    let name = path.display().to_string();
    let Ok(bytes) = std::fs::read(&path) else {
        return Err(permission_error(&world.store, "open", "source_sink", Cell::atom(Atom::new(&name))));
    };
    let contents = String::from_utf8_lossy(&bytes).into_owned();
    world.open_script(Source::new(name, contents), Namespace::User, folder_of(&path));
    Ok(true)
}

fn read_answers(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let Some(source) = world.scripts.source().cloned() else { return Ok(false) };
    world.close_script();
    let mut answers = kept_answers(world, &source)?;
    answers.reverse();
    let answers = world.store.list(&answers);
    Ok(world.store.unify(args[0], answers))
}

/// `Goal-Answer` for each fact in a text. The text is only read, never called, and must contain nothing else.
fn kept_answers(world: &mut World, source: &Source) -> Result<Vec<Cell>, Stop> {
    let flags = world.read_flags();
    let mut reader = Reader::new(&source.text);
    let mut known: HashMap<String, (String, Span)> = HashMap::default();
    let mut answers = Vec::new();
    loop {
        world.store.watch.check()?;
        let read = reader.read(&world.operators, &flags).map_err(|error| unreadable(source, error))?;
        let Some(read) = read else { return Ok(answers) };
        let (goal, answer) = answer_parts(world, &read).map_err(|error| refusal(source, error))?;
        let key = to_string(&read.tree, goal, &world.operators, &Style::canonical());
        let (before, span) = known.entry(key).or_insert_with(|| (answer.clone(), read.span));
        if *before != answer {
            let (line, _) = source.line_column(span.start);
            let message = format!("the answer `{answer}` contradicts `{before}` in line {line}");
            return Err(refusal(source, SyntaxError::new("contradiction", message, read.span)));
        }
        let mut tree = read.tree;
        let arguments = tree.args(tree.root()).to_vec();
        tree.push_compound(atoms::MINUS, &arguments, Span::default());
        answers.push(world.store.load(&tree).0);
    }
}

/// The parts of `debug_answer(Goal, Answer)`.
fn answer_parts(world: &World, read: &ReadTerm) -> Result<(NodeId, String), SyntaxError> {
    let tree = &read.tree;
    let wrong = |id: NodeId, expected: &str| {
        let style = Style { max_terms: Some(20), ..Style::writeq() };
        let found = to_string(tree, id, &world.operators, &style);
        SyntaxError::new("debug_answer_expected", format!("expected {expected}, found `{found}`"), read.span)
    };
    let is_fact = tree.functor(tree.root()) == Some((Atom::new("debug_answer"), 2));
    let &[goal, answer] = tree.args(tree.root()) else {
        return Err(wrong(tree.root(), "`debug_answer(Goal, Answer)`"));
    };
    if !is_fact {
        return Err(wrong(tree.root(), "`debug_answer(Goal, Answer)`"));
    }
    if tree.functor(goal).is_none() {
        return Err(wrong(goal, "a goal"));
    }
    match tree.functor(answer) {
        Some((name, 0)) if ["yes", "no", "inadmissible"].contains(&name.as_str()) => {
            Ok((goal, name.as_str().to_owned()))
        }
        _ => Err(wrong(answer, "`yes`, `no` or `inadmissible`")),
    }
}

fn unreadable(source: &Source, error: SyntaxError) -> Stop {
    let message = format!("{}; answers are facts `debug_answer(Goal, Answer)`", error.message);
    refusal(source, SyntaxError { message, ..error })
}

/// `error(syntax_error(Name), context(_, Place, Message))`
fn refusal(source: &Source, error: SyntaxError) -> Stop {
    let mut tree = Tree::new();
    let at = Span::default();
    let name = tree.push(Node::Atom(Atom::new(error.name)), at);
    let formal = tree.push_compound(Atom::new("syntax_error"), &[name], at);
    let indicator = tree.push(Node::Var(0), at);
    let place = tree.push(Node::Atom(Atom::new(&source.place(error.span.start))), at);
    let message = tree.push(Node::Str(error.message.as_str().into()), at);
    let context = tree.push_compound(atoms::CONTEXT, &[indicator, place, message], at);
    tree.push_compound(atoms::ERROR, &[formal, context], at);
    Stop::Throw(Box::new(tree))
}

fn prepare_answers(world: &mut World, _: &[Cell]) -> Result<bool, Stop> {
    let Some(path) = &world.settings.answers_file else { return Ok(true) };
    let is_unfinished = std::fs::read(path).is_ok_and(|bytes| bytes.last().is_some_and(|last| *last != b'\n'));
    add(world, if is_unfinished { "\n" } else { "" })
}

fn append_answer(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let line = text(&world.store, args[0], "text")?.into_owned();
    add(world, &line)
}

fn drop_answer(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let line = text(&world.store, args[0], "text")?.into_owned();
    let Some(path) = &world.settings.answers_file else { return Ok(true) };
    let shorten = || -> io::Result<()> {
        let bytes = std::fs::read(path)?;
        match bytes.strip_suffix(line.as_bytes()) {
            Some(rest) => OpenOptions::new().write(true).open(path)?.set_len(rest.len() as u64),
            None => Ok(()),
        }
    };
    shorten().map(|()| true).map_err(|_| unwritable(world, path))
}

/// Appends a text to the file of the option `--answers`.
fn add(world: &World, text: &str) -> Result<bool, Stop> {
    let Some(path) = &world.settings.answers_file else { return Ok(true) };
    let opened = OpenOptions::new().create(true).append(true).open(path);
    match opened.and_then(|mut file| file.write_all(text.as_bytes())) {
        Ok(()) => Ok(true),
        Err(_) => Err(unwritable(world, path)),
    }
}

fn unwritable(world: &World, path: &Path) -> Stop {
    let name = Cell::atom(Atom::new(&path.display().to_string()));
    permission_error(&world.store, "modify", "source_sink", name)
}

fn reason(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let words = text(&world.store, args[0], "text")?.into_owned();
    world.remarks.fail(words);
    Ok(true)
}
