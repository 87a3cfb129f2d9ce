//! Formatted output: format/1,2,3 with its directives, and printf/1,2 with those of C.

mod columns;
mod directive;
mod number;
mod percent;

use super::arguments::{TextKind, Unit, list, text};
use super::record::det;
use super::write::Sink;
use crate::engine::error::{domain_error, format_error, instantiation_error};
use crate::engine::{Builtin, Cell, ListEnd, Stop, Term, World};
use columns::Columns;

/// The records.
pub const TABLE: &[Builtin] = &[
    det(
        "format(+Format) is det",
        "Writes a text with directives that need no arguments.",
        "format(\"~`-t~5|~n\")",
        "true",
        format_1,
    ),
    det(
        "format(+Format, +Arguments) is det",
        "Writes a text; ~w ~q ~p ~a ~d ~D ~e ~f ~g ~s ~c ~r ~i take arguments, ~n ~~ ~t ~| ~+ do not.",
        "format(\"~w has ~d~n\", [queen, 3])",
        "true",
        format_2,
    ),
    det(
        "format(+Sink, +Format, +Arguments) is det",
        "As format/2, to user_output, user_error, or into atom(A), string(S), codes(L), chars(L).",
        "format(atom(A), \"~w-~a\", [1, b])",
        "A = '1-b'",
        format_3,
    ),
    det("printf(+Format) is det", "Writes a text with %n and %%.", "printf(\"100%%%n\")", "true", printf_1),
    det(
        "printf(+Format, +Arguments) is det",
        "As C: %d %s %f %e %g %c %x %o, and %w %q %p %a for terms.",
        "printf(\"%w is %d%n\", [x, 3])",
        "true",
        printf_2,
    ),
    det(
        "sprintf(-String, +Format, +Arguments) is det",
        "The string that printf/2 would write.",
        "sprintf(S, \"%03d|%-3s|\", [7, a])",
        "S = \"007|a  |\"",
        sprintf,
    ),
];

fn format_1(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    format_2(world, &[args[0], Cell::NIL])
}

fn format_2(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let column = world.output.column();
    let text = formatted(world, column, args[0], args[1])?;
    Sink::Output.write(world, &text)
}

fn format_3(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let Term::Compound(target) = world.store.look(args[0]) else {
        let sink = Sink::of(world, args[0])?;
        let column = if sink == Sink::Output { world.output.column() } else { 0 };
        let text = formatted(world, column, args[1], args[2])?;
        return sink.write(world, &text);
    };
    let (kind, value) = (target.name.as_str(), world.store.arg(target, 0));
    if target.arity != 1 || !matches!(kind, "atom" | "string" | "codes" | "chars") {
        return Err(domain_error(&world.store, "output_sink", args[0]));
    }
    let text = formatted(world, 0, args[1], args[2])?;
    let made = match kind {
        "atom" => TextKind::Atom.make(&mut world.store, &text),
        "string" => TextKind::String.make(&mut world.store, &text),
        "codes" => Unit::Code.list(&mut world.store, &text),
        _ => Unit::Char.list(&mut world.store, &text),
    };
    Ok(world.store.unify(value, made))
}

/// What a format and its arguments give if the line so far reaches to `column`.
fn formatted(world: &World, column: usize, format: Cell, arguments: Cell) -> Result<String, Stop> {
    let format = text(&world.store, format, "format")?;
    directive::expand(world, &format, Arguments::new(world, arguments)?, Columns::new(column))
}

fn printf_1(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    printf_2(world, &[args[0], Cell::NIL])
}

fn printf_2(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let text = percent_formatted(world, args[0], args[1])?;
    Sink::Output.write(world, &text)
}

fn sprintf(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let text = percent_formatted(world, args[1], args[2])?;
    let text = world.store.string(&text);
    Ok(world.store.unify(args[0], text))
}

fn percent_formatted(world: &World, format: Cell, arguments: Cell) -> Result<String, Stop> {
    let format = text(&world.store, format, "format")?;
    percent::expand(world, &format, Arguments::new(world, arguments)?)
}

/// The arguments that directives have not yet taken.
struct Arguments {
    items: std::vec::IntoIter<Cell>,
}

impl Arguments {
    /// The elements of a list; anything else is the only argument.
    fn new(world: &World, arguments: Cell) -> Result<Arguments, Stop> {
        let items = match world.store.walk_list(arguments).end {
            ListEnd::Nil => list(&world.store, arguments)?,
            ListEnd::Partial(tail) if tail != world.store.deref(arguments) => return Err(instantiation_error()),
            _ => vec![arguments],
        };
        Ok(Arguments { items: items.into_iter() })
    }

    fn next(&mut self) -> Result<Cell, Stop> {
        self.items.next().ok_or_else(|| format_error("not enough arguments"))
    }

    /// All must have been taken.
    fn finish(&self) -> Result<(), Stop> {
        if self.items.len() > 0 { Err(format_error("too many arguments")) } else { Ok(()) }
    }
}
