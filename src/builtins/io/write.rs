//! Writing terms to the current output, or to standard error.

use num_bigint::Sign;
use num_traits::ToPrimitive;
use std::fmt;
use std::io::Write as _;

use crate::builtins::arguments::{atom, character, check_elements, is_var, list, small_integer, text};
use crate::builtins::record::{det, iso, with};
use crate::engine::arith::{Number, evaluate};
use crate::engine::error::{domain_error, existence_error, instantiation_error};
use crate::engine::{Builtin, Cell, Effect, Stop, Term, World};
use crate::term::atoms;
use crate::term::float::FloatFormat;
use crate::term::hash::HashMap;
use crate::term::letters::is_name_part;
use crate::term::print::{self, ListNotation, Spacing, Style, letter_name};

/// The records.
pub(crate) const TABLE: &[Builtin] = &[
    with(
        Effect::Writes,
        iso(det(
            "write(@Term) is det",
            "Writes a term with operators and without quotes.",
            "write('A'+b)",
            "true",
            write,
        )),
    ),
    with(
        Effect::Writes,
        det("print(@Term) is det", "Writes a term with operators and quotes.", "print('A')", "true", writeq),
    ),
    with(
        Effect::Writes,
        iso(det("writeq(@Term) is det", "Writes a term with operators and quotes.", "writeq('A')", "true", writeq)),
    ),
    with(
        Effect::Writes,
        iso(det(
            "write_canonical(@Term) is det",
            "Writes a term with quotes and without operators.",
            "write_canonical(1+2)",
            "true",
            write_canonical,
        )),
    ),
    iso(det(
        "write_term(@Term, +Options) is det",
        "Writes a term as options say: quoted, ignore_ops, numbervars, max_depth, priority, spacing, variable_names, portray_clause (variables are A, B, _), float_format (a directive such as ~3f), brace_terms, character_escapes, fullstop, nl.",
        "write_term('A', [quoted(true)])",
        "true",
        write_term,
    )),
    with(
        Effect::Writes,
        det("writeln(@Term) is det", "Writes a term as write/1, and ends the line.", "writeln(a)", "true", writeln),
    ),
    with(Effect::Writes, iso(det("nl is det", "Ends the line.", "nl", "true", nl))),
    with(Effect::Writes, det("tab(+N) is det", "Writes N blanks.", "tab(1+1)", "true", tab)),
    with(Effect::Writes, iso(det("put_char(+Char) is det", "Writes a character.", "put_char(a)", "true", put_char))),
    iso(det(
        "flush_output is det",
        "Makes sure that all that was written can be seen.",
        "flush_output",
        "true",
        flush_output,
    )),
    iso(det(
        "write(+Stream, @Term) is det",
        "As write/1, to user_output or user_error.",
        "write(user_output, a)",
        "true",
        write_to,
    )),
    iso(det(
        "writeq(+Stream, @Term) is det",
        "As writeq/1, to user_output or user_error.",
        "writeq(user_output, a)",
        "true",
        writeq_to,
    )),
    det(
        "print(+Stream, @Term) is det",
        "As print/1, to user_output or user_error.",
        "print(user_output, a)",
        "true",
        writeq_to,
    ),
    iso(det(
        "write_canonical(+Stream, @Term) is det",
        "As write_canonical/1, to user_output or user_error.",
        "write_canonical(user_output, a)",
        "true",
        write_canonical_to,
    )),
    iso(det(
        "write_term(+Stream, @Term, +Options) is det",
        "As write_term/2, to user_output or user_error.",
        "write_term(user_output, a, [])",
        "true",
        write_term_to,
    )),
    det(
        "writeln(+Stream, @Term) is det",
        "As writeln/1, to user_output or user_error.",
        "writeln(user_output, a)",
        "true",
        writeln_to,
    ),
    iso(det("nl(+Stream) is det", "Ends the line of user_output or user_error.", "nl(user_output)", "true", nl_to)),
    det(
        "tab(+Stream, +N) is det",
        "Writes N blanks to user_output or user_error.",
        "tab(user_output, 1)",
        "true",
        tab_to,
    ),
    iso(det(
        "put_char(+Stream, +Char) is det",
        "Writes a character to user_output or user_error.",
        "put_char(user_output, a)",
        "true",
        put_char_to,
    )),
    iso(det("flush_output(+Stream) is det", "As flush_output/0.", "flush_output(user_output)", "true", flush_output)),
];

/// Where text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sink {
    /// The current output.
    Output,
    /// Standard error.
    Error,
}

impl Sink {
    /// The sink that a stream's alias names.
    pub(crate) fn of(world: &World, stream: Cell) -> Result<Sink, Stop> {
        match world.store.look(stream) {
            Term::Var(_) => Err(instantiation_error()),
            Term::Atom(name) => match name.as_str() {
                "user_output" | "current_output" => Ok(Sink::Output),
                "user_error" => Ok(Sink::Error),
                _ => Err(existence_error(&world.store, "stream", stream)),
            },
            _ => Err(domain_error(&world.store, "stream_or_alias", stream)),
        }
    }

    /// Writes `text`.
    pub(crate) fn write(self, world: &mut World, text: &str) -> Result<bool, Stop> {
        match self {
            Sink::Output => world.output.write_str(text)?,
            Sink::Error if world.settings.is_ahead => return Err(Stop::Interrupt),
            Sink::Error => {
                // readers of both streams see them in the order of writing; who closes one may read the other
                let _ = world.output.flush();
                let _ = std::io::stderr().write_all(text.as_bytes());
            }
        }
        Ok(true)
    }
}

/// The text of a term in a style; a cyclic term is cut. Polls interrupts and limits meanwhile.
pub(crate) fn written(world: &World, term: Cell, style: &Style) -> Result<String, Stop> {
    let is_simple = !matches!(world.store.look(term), Term::Compound(_));
    if is_simple || world.store.is_acyclic(term) {
        return watched(world, term, style);
    }
    let cut = Style { max_depth: Some(style.max_depth.unwrap_or(10)), max_terms: Some(1000), ..*style };
    watched(world, term, &cut)
}

fn watched(world: &World, term: Cell, style: &Style) -> Result<String, Stop> {
    let mut text = Watched { world, text: String::new(), next_look: LOOK_EVERY, stop: None };
    match print::write(&mut text, &world.store, term, &world.operators, style) {
        Ok(()) => Ok(text.text),
        Err(_) => Err(text.stop.expect("only a stop ends the writing of a string")),
    }
}

/// A text that stops growing at an interrupt or a limit: the text of a term with shared parts may be much larger than
/// the term.
struct Watched<'w> {
    world: &'w World,
    text: String,
    next_look: usize,
    stop: Option<Stop>,
}

/// Bytes between two polls.
const LOOK_EVERY: usize = 1 << 16;

impl fmt::Write for Watched<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.text.len() > self.next_look {
            self.next_look = self.text.len() + LOOK_EVERY;
            let room = self.world.store.watch.check().and_then(|()| self.world.check_room(2 * self.text.len()));
            if let Err(stop) = room {
                self.stop = Some(stop);
                return Err(fmt::Error);
            }
        }
        self.text.push_str(text);
        Ok(())
    }
}

/// The style of `write/1`.
pub(crate) fn plain() -> Style<'static> {
    Style { number_vars: true, ..Style::default() }
}

fn put(world: &mut World, sink: Sink, term: Cell, style: &Style) -> Result<bool, Stop> {
    let text = written(world, term, style)?;
    sink.write(world, &text)
}

fn write(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    put(world, Sink::Output, args[0], &plain())
}

fn writeq(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    put(world, Sink::Output, args[0], &Style::writeq())
}

fn write_canonical(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    put_canonical(world, Sink::Output, args[0])
}

fn put_canonical(world: &mut World, sink: Sink, term: Cell) -> Result<bool, Stop> {
    let text = canonical(world, term)?;
    sink.write(world, &text)
}

/// The text of a term by write_canonical.
pub(crate) fn canonical(world: &World, term: Cell) -> Result<String, Stop> {
    written(world, term, &Style { names: Some(&letters(world, term)), ..Style::canonical() })
}

/// Names for the variables of a term: `_` for a variable that occurs once, `A`, `B`, ... for others.
fn letters(world: &World, term: Cell) -> HashMap<u64, String> {
    let mut letters = (0..).map(letter_name);
    let mut name = |occurrences| match occurrences {
        1 => "_".to_owned(),
        _ => letters.next().unwrap_or_default(),
    };
    let variables = world.store.variables_by_occurrence(term);
    variables.into_iter().map(|(variable, n)| (variable.index() as u64, name(n))).collect()
}

fn writeln(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    write(world, args)?;
    nl(world, &[])
}

fn nl(world: &mut World, _: &[Cell]) -> Result<bool, Stop> {
    Sink::Output.write(world, "\n")
}

fn write_to(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let sink = Sink::of(world, args[0])?;
    put(world, sink, args[1], &plain())
}

fn writeq_to(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let sink = Sink::of(world, args[0])?;
    put(world, sink, args[1], &Style::writeq())
}

fn write_canonical_to(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let sink = Sink::of(world, args[0])?;
    put_canonical(world, sink, args[1])
}

fn writeln_to(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    write_to(world, args)?;
    nl_to(world, args)
}

fn nl_to(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    Sink::of(world, args[0])?.write(world, "\n")
}

fn tab(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    blanks(world, Sink::Output, args[0])
}

fn tab_to(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let sink = Sink::of(world, args[0])?;
    blanks(world, sink, args[1])
}

fn blanks(world: &mut World, sink: Sink, n: Cell) -> Result<bool, Stop> {
    let n = match evaluate(&world.store, n)? {
        Number::Int(n) => usize::try_from(n).unwrap_or(0),
        Number::Big(n) => n.to_usize().unwrap_or(if n.sign() == Sign::Minus { 0 } else { usize::MAX }),
        value @ Number::Float(_) => return Err(value.type_error("integer")),
    };
    check_elements(n)?;
    sink.write(world, &" ".repeat(n))
}

fn put_char(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let character = character(&world.store, args[0])?;
    Sink::Output.write(world, character.encode_utf8(&mut [0; 4]))
}

fn put_char_to(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let sink = Sink::of(world, args[0])?;
    let character = character(&world.store, args[1])?;
    sink.write(world, character.encode_utf8(&mut [0; 4]))
}

fn flush_output(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    args.iter().try_for_each(|&stream| Sink::of(world, stream).map(drop))?;
    world.output.flush()?;
    Ok(true)
}

fn write_term(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    write_with_options(world, Sink::Output, args[0], args[1])
}

fn write_term_to(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let sink = Sink::of(world, args[0])?;
    write_with_options(world, sink, args[1], args[2])
}

fn write_with_options(world: &mut World, sink: Sink, term: Cell, options: Cell) -> Result<bool, Stop> {
    let text = written_as(world, term, options, Style::default())?;
    sink.write(world, &text)
}

/// The text of a term with the options of `write_term/2`; `style` gives the defaults.
pub(crate) fn written_as(world: &World, term: Cell, options: Cell, style: Style<'static>) -> Result<String, Stop> {
    let mut chosen = WriteOptions { style, ..WriteOptions::default() };
    for option in list(&world.store, options)? {
        chosen.take(world, option)?;
    }
    if chosen.names_letters {
        let letters = letters(world, term);
        chosen.names = letters.into_iter().chain(chosen.names).collect();
    }
    let style = Style { names: Some(&chosen.names), ..chosen.style };
    let mut text = written(world, term, &style)?;
    text.push_str(chosen.ending);
    text.push_str(chosen.newline);
    Ok(text)
}

/// The values of the options of `write_term/2`.
#[derive(Default)]
struct WriteOptions {
    style: Style<'static>,
    names: HashMap<u64, String>,
    ending: &'static str,
    newline: &'static str,
    /// Whether variables without a name are written as by `listing/1`.
    names_letters: bool,
}

impl WriteOptions {
    fn take(&mut self, world: &World, option: Cell) -> Result<(), Stop> {
        let store = &world.store;
        let Term::Compound(compound) = store.look(option) else {
            return Err(if is_var(store, option) {
                instantiation_error()
            } else {
                domain_error(store, "write_option", option)
            });
        };
        let value = store.arg(compound, 0);
        match (compound.name.as_str(), compound.arity) {
            ("quoted", 1) => self.style.quoted = switch(world, option, value)?,
            ("ignore_ops", 1) => self.style.ignore_ops = switch(world, option, value)?,
            ("numbervars", 1) => self.style.number_vars = switch(world, option, value)?,
            ("dotlists" | "no_lists", 1) if switch(world, option, value)? => self.style.lists = ListNotation::Dots,
            ("fullstop", 1) if switch(world, option, value)? => self.ending = ".",
            ("nl", 1) if switch(world, option, value)? => self.newline = "\n",
            ("max_depth", 1) => {
                let depth = small_integer(store, value)?;
                self.style.max_depth = usize::try_from(depth).ok().filter(|&depth| depth > 0);
            }
            ("spacing", 1) => self.style.spacing = spacing(world, option, value)?,
            ("priority", 1) => self.style.priority = Some(priority(world, option, value)?),
            ("variable_names", 1) => self.name_variables(world, option, value)?,
            ("brace_terms", 1) => self.style.braces = Some(switch(world, option, value)?),
            ("character_escapes", 1) => self.style.raw = !switch(world, option, value)?,
            ("float_format", 1) => self.style.floats = float_format(world, option, value)?,
            ("portray_clause", 1) => self.names_letters = switch(world, option, value)?,
            ("dotlists" | "no_lists" | "fullstop" | "nl" | "portray" | "portrayed" | "cycles" | "partial", 1) => {}
            ("attributes" | "blobs" | "module" | "quote_non_ascii" | "character_escapes_unicode", 1) => {}
            _ => return Err(domain_error(store, "write_option", option)),
        }
        Ok(())
    }

    /// `['X'=Variable, ...]`; of two names of a variable the first counts.
    fn name_variables(&mut self, world: &World, option: Cell, pairs: Cell) -> Result<(), Stop> {
        let store = &world.store;
        for pair in list(store, pairs)? {
            let (name, variable) = match store.look(pair) {
                Term::Compound(pair) if pair.name == atoms::EQUALS && pair.arity == 2 => {
                    (store.arg(pair, 0), store.arg(pair, 1))
                }
                Term::Var(_) => return Err(instantiation_error()),
                _ => return Err(domain_error(store, "write_option", option)),
            };
            let name = variable_name(world, name)?;
            if let Term::Var(variable) = store.look(variable) {
                self.names.entry(variable.index() as u64).or_insert(name);
            }
        }
        Ok(())
    }
}

/// The name of a variable: a text that reads as a variable.
fn variable_name(world: &World, name: Cell) -> Result<String, Stop> {
    let text = atom(&world.store, name)?.as_str().to_owned();
    let begins = text.starts_with(|first: char| first.is_uppercase() || first == '_');
    if begins && text.chars().all(is_name_part) {
        Ok(text)
    } else {
        Err(domain_error(&world.store, "variable_name", name))
    }
}

/// The value of the option `spacing`.
fn spacing(world: &World, option: Cell, value: Cell) -> Result<Spacing, Stop> {
    match atom(&world.store, value)?.as_str() {
        "standard" => Ok(Spacing::Dense),
        "next_argument" => Ok(Spacing::NextArgument),
        _ => Err(domain_error(&world.store, "write_option", option)),
    }
}

/// The value of the option `float_format`: a directive of format/2, or an empty text for the shortest texts.
fn float_format(world: &World, option: Cell, value: Cell) -> Result<Option<FloatFormat>, Stop> {
    let directive = text(&world.store, value, "text")?;
    if directive.is_empty() || directive == "~15g|" {
        return Ok(None);
    }
    let format = FloatFormat::from_text(&directive);
    format.map(Some).ok_or_else(|| domain_error(&world.store, "write_option", option))
}

/// The value of an option that is a priority.
fn priority(world: &World, option: Cell, value: Cell) -> Result<u16, Stop> {
    let number = small_integer(&world.store, value)?;
    let priority = u16::try_from(number).ok().filter(|priority| *priority <= 1200);
    priority.ok_or_else(|| domain_error(&world.store, "write_option", option))
}

/// The value of an option that is `true` or `false`.
fn switch(world: &World, option: Cell, value: Cell) -> Result<bool, Stop> {
    match world.store.look(value) {
        Term::Atom(atoms::TRUE) => Ok(true),
        Term::Atom(atoms::FALSE) => Ok(false),
        Term::Var(_) => Err(instantiation_error()),
        _ => Err(domain_error(&world.store, "write_option", option)),
    }
}
