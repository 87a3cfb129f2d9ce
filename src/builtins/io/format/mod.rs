//! Formatted output: format/1,2,3 with its directives, and printf/1,2 with those of C.

mod arguments;
mod columns;
mod directive;
mod number;
mod percent;

use columns::Columns;

use crate::builtins::arguments::{TextKind, Unit, text};
use crate::builtins::record::det;
use crate::engine::error::domain_error;
use crate::engine::{Builtin, Cell, Stop, Store, Term, World};
use crate::term::atoms;

use self::arguments::DirectiveArguments;
use super::write::Sink;

/// The records.
pub(crate) const TABLE: &[Builtin] = &[
    det(
        "$format(+Format, +Arguments) is det",
        "Writes a text; the goals of ~@ are replaced by the texts that they write.",
        "'$format'(\"~w~@\", [a, \"b\"])",
        "true",
        format_2,
    ),
    det(
        "$format(+Sink, +Format, +Arguments) is det",
        "As $format/2, to user_output, user_error, or into atom(A), string(S), codes(L), chars(L), codes(L, T), chars(L, T).",
        "'$format'(atom(A), \"~w-~a\", [1, b])",
        "A = '1-b'",
        format_3,
    ),
    det(
        "$format_goals(+Format, +Arguments, -Arguments1, -Goals) is semidet",
        "Format has ~@; Goals is the list of `Goal-Text` for them, and Arguments1 has each Text in the place of the Goal.",
        "'$format_goals'(\"~w~@\", [a, g], Arguments, Goals)",
        "Arguments = [a, A], Goals = [g-A]",
        format_goals,
    ),
    det(
        "normalize_space(+Sink, +Text) is det",
        "Writes the words of a text with one blank between them; Sink is as in format/3.",
        "normalize_space(atom(A), \"  an  event\\n \")",
        "A = 'an event'",
        normalize_space,
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

fn format_2(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let column = world.output.column();
    let text = formatted(world, column, args[0], args[1])?;
    Sink::Output.write(world, &text)
}

fn format_3(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    put_into(world, args[0], |world, column| formatted(world, column, args[1], args[2]))
}

/// Writes the result of `text` for the current column to a stream, or makes a term of it.
fn put_into(
    world: &mut World,
    sink: Cell,
    text: impl FnOnce(&World, usize) -> Result<String, Stop>,
) -> Result<bool, Stop> {
    let Term::Compound(target) = world.store.look(sink) else {
        let sink = Sink::of(world, sink)?;
        let column = if sink == Sink::Output { world.output.column() } else { 0 };
        let text = text(world, column)?;
        return sink.write(world, &text);
    };
    let make: fn(&mut Store, &str, Cell) -> Cell = match (target.name.as_str(), target.arity) {
        ("atom", 1) => |store, text, _| TextKind::Atom.make(store, text),
        ("string", 1) => |store, text, _| TextKind::String.make(store, text),
        ("codes", 1 | 2) => |store, text, tail| Unit::Code.list_with_tail(store, text, tail),
        ("chars", 1 | 2) => |store, text, tail| Unit::Char.list_with_tail(store, text, tail),
        _ => return Err(domain_error(&world.store, "output_sink", sink)),
    };
    let text = text(world, 0)?;
    let tail = if target.arity == 2 { world.store.arg(target, 1) } else { Cell::NIL };
    let made = make(&mut world.store, &text, tail);
    let value = world.store.arg(target, 0);
    Ok(world.store.unify(value, made))
}

fn normalize_space(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    put_into(world, args[0], |world, _| {
        let text = text(&world.store, args[1], "text")?;
        Ok(text.split_whitespace().collect::<Vec<_>>().join(" "))
    })
}

fn format_goals(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let format = text(&world.store, args[0], "format")?;
    if !format.contains("~@") {
        return Ok(false);
    }
    let places = directive::goal_places(&format);
    let mut arguments: Vec<Cell> = DirectiveArguments::new(world, args[1])?.items.collect();
    let mut goals = Vec::new();
    for place in places {
        let text = world.store.new_var();
        let Some(argument) = arguments.get_mut(place) else { break };
        let goal = std::mem::replace(argument, text);
        goals.push(world.store.compound(atoms::MINUS, &[goal, text]));
    }
    let (arguments, goals) = (world.store.list(&arguments), world.store.list(&goals));
    Ok(world.store.unify(args[2], arguments) && world.store.unify(args[3], goals))
}

/// The text of a format and its arguments if the line so far reaches to `column`.
fn formatted(world: &World, column: usize, format: Cell, arguments: Cell) -> Result<String, Stop> {
    let format = text(&world.store, format, "format")?;
    directive::expand(world, &format, DirectiveArguments::new(world, arguments)?, Columns::new(column))
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
    percent::expand(world, &format, DirectiveArguments::new(world, arguments)?)
}
