//! Parameters of the event lines and of the moves: each is a predicate, and `set_parameter/2` and its relatives in the
//! library take any.

use crate::builtins::arguments::{atom, is_var, list, small_integer, text};
use crate::builtins::record::{det, each, nondet};
use crate::builtins::trace::constraints::reader::ProcParts;
use crate::builtins::trace::errors::{trace, wrong_constraint};
use crate::builtins::trace::values::attributes;
use crate::engine::error::{domain_error, existence_error, with_message};
use crate::engine::{AnswerLayout, Builtin, Cell, Solutions, Stop, Store, World};
use crate::output::{ArgumentStyle, Display, DisplayPart, ExtentLimit, HiddenArgument, Indent, TermExtent};
use crate::term::Atom;
use crate::trace::{AttributeId, AttributeType, Constraint, FormOp, Proc, Traced, nearest};

/// The records.
pub(crate) const TABLE: &[Builtin] = &[
    nondet(
        "attribute_display(?Chrono, ?Call, ?Port, ?Depth, ?Det, ?ProcType, ?DeclModule, ?DefModule, ?Name, ?Arity, ?ModeNumber, ?Args, ?LocalVars, ?Types, ?GoalPath, ?LineNumber) is semidet",
        "Parameter: which parts event lines show, each on or off. With all arguments given it is set.",
        "attribute_display(on, on, on, on, D, _, _, _, _, _, _, _, _, _, _, _)",
        "D = off",
        |world, args| parameter(world, args, &ATTRIBUTE_DISPLAY),
    ),
    nondet(
        "arguments_display(?Style) is semidet",
        "Parameter: whether arguments are shown as list_display and term_display say (normal) or as they are (simple).",
        "arguments_display(S)",
        "S = normal",
        |world, args| parameter(world, args, &ARGUMENTS_DISPLAY),
    ),
    nondet(
        "answer_display(?How) is semidet",
        "Parameter: whether the prompt shows the answers of a goal one by one (single), or, if there are several, as a table (table), in which times have units and long values are cut.",
        "answer_display(table), answer_display(How)",
        "How = table",
        |world, args| parameter(world, args, &ANSWER_DISPLAY),
    ),
    nondet(
        "list_display(?How, ?N) is semidet",
        "Parameter: whether event lines show lists whole (normal), nested N deep (nest), or their first N elements (truncate).",
        "list_display(truncate, 2), list_display(H, N)",
        "H = truncate, N = 2",
        |world, args| parameter(world, args, &LIST_DISPLAY),
    ),
    nondet(
        "term_display(?How, ?N) is semidet",
        "Parameter: whether event lines show terms whole (normal), nested N deep (nest), or their first N arguments (truncate).",
        "term_display(H, N)",
        "H = normal, N = 0",
        |world, args| parameter(world, args, &TERM_DISPLAY),
    ),
    nondet(
        "text_display(?How, ?N) is semidet",
        "Parameter: whether event lines show texts whole (normal), or their first N characters (truncate, as in traces of spans at first).",
        "text_display(H, N)",
        "H = normal, N = 0",
        |world, args| parameter(world, args, &TEXT_DISPLAY),
    ),
    nondet(
        "arg_display(?How, ?N) is semidet",
        "Parameter: whether event lines show all arguments (normal), or the first N (truncate, as in traces of spans at first).",
        "arg_display(truncate, 1), arg_display(H, N)",
        "H = truncate, N = 1",
        |world, args| parameter(world, args, &ARG_DISPLAY),
    ),
    nondet(
        "arg_undisplay(?Proc, ?Number) is nondet",
        "Parameter: arguments that event lines show as `...`. With both arguments given one is added; set_default/1 forgets all.",
        "arg_undisplay(queen/2, 1), arg_undisplay(P, N)",
        "P = queen/2, N = 1",
        |world, args| parameter(world, args, &ARG_UNDISPLAY),
    ),
    nondet(
        "indent_display(?OnOff, ?Text, ?Depth) is semidet",
        "Parameter: whether event lines are indented, by which text, and from which depth on.",
        "indent_display(O, T, D)",
        "O = on, T = ' ', D = 1",
        |world, args| parameter(world, args, &INDENT_DISPLAY),
    ),
    nondet(
        "indent_display_limit(?N) is semidet",
        "Parameter: event lines are indented N times at most.",
        "indent_display_limit(N)",
        "N = 30",
        |world, args| parameter(world, args, &INDENT_DISPLAY_LIMIT),
    ),
    nondet(
        "traced_ports(?Ports) is semidet",
        "Parameter: the ports at which next, step and prev stop.",
        "traced_ports([exit]), det_next, current(chrono=C)",
        "C = 3",
        |world, args| parameter(world, args, &TRACED_PORTS),
    ),
    nondet(
        "collect_arg(?YesNo) is semidet",
        "Parameter of Morphine's monitors, which got no arguments unless it was yes. Here monitors get arguments whenever they ask for them.",
        "collect_arg(X)",
        "X = yes",
        |world, args| parameter(world, args, &COLLECT_ARG),
    ),
    det(
        "$set_parameter(+Name, +Values) is det",
        "Sets a parameter of papaver; Values is the list of its arguments.",
        "'$set_parameter'(list_display, [nest, 1]), list_display(H, N)",
        "H = nest, N = 1",
        set_parameter,
    ),
    nondet(
        "$get_parameter(?Name, ?Values) is nondet",
        "Values is the list of the arguments of a parameter of papaver.",
        "'$get_parameter'(indent_display_limit, L)",
        "L = [30]",
        get_parameter,
    ),
    det(
        "$set_default(+Name) is det",
        "Gives a parameter of papaver the value that it had at first.",
        "indent_display_limit(3), '$set_default'(indent_display_limit), indent_display_limit(N)",
        "N = 30",
        set_default,
    ),
    det(
        "indent(+OnOff) is det",
        "Turns indentation on or off; it starts at the depth of the current event.",
        "goto_np(14), indent(on), indent_display(O, _, D)",
        "O = on, D = 5",
        indent,
    ),
    det(
        "absolute_indent(+Depth) is det",
        "Turns indentation on; it starts at Depth.",
        "absolute_indent(3), indent_display(O, _, D)",
        "O = on, D = 3",
        absolute_indent,
    ),
];

/// A parameter.
struct Parameter {
    name: &'static str,
    arity: usize,
    /// The lists of its arguments: one, or any number for some parameters.
    values: fn(&mut World) -> Result<Vec<Vec<Cell>>, Stop>,
    set: fn(&mut World, &[Cell]) -> Result<(), Stop>,
    reset: fn(&mut World),
}

const PARAMETERS: &[&Parameter] = &[
    &ATTRIBUTE_DISPLAY,
    &ARGUMENTS_DISPLAY,
    &ANSWER_DISPLAY,
    &LIST_DISPLAY,
    &TERM_DISPLAY,
    &TEXT_DISPLAY,
    &ARG_DISPLAY,
    &ARG_UNDISPLAY,
    &INDENT_DISPLAY,
    &INDENT_DISPLAY_LIMIT,
    &TRACED_PORTS,
    &COLLECT_ARG,
];

const ATTRIBUTE_DISPLAY: Parameter = Parameter {
    name: "attribute_display",
    arity: 16,
    values: |world| {
        Ok(vec![DisplayPart::ALL.iter().map(|(part, _)| on_or_off(world.desk.display.shows(*part))).collect()])
    },
    set: |world, args| {
        let mut shown = [false; 16];
        for (shown, arg) in shown.iter_mut().zip(args) {
            *shown = is_on(&world.store, *arg)?;
        }
        world.desk.display.set_shown(shown);
        Ok(())
    },
    reset: |world| {
        let default = Display::default();
        world.desk.display.set_shown(DisplayPart::ALL.map(|(part, _)| default.shows(part)));
        world.desk.display.toggled.clear();
    },
};

const ARGUMENTS_DISPLAY: Parameter = Parameter {
    name: "arguments_display",
    arity: 1,
    values: |world| Ok(vec![vec![name_in(&ARGUMENT_STYLES, world.desk.display.arguments)]]),
    set: |world, args| {
        world.desk.display.arguments = named_in(&world.store, &ARGUMENT_STYLES, args[0])?;
        Ok(())
    },
    reset: |world| world.desk.display.arguments = ArgumentStyle::default(),
};

const ANSWER_DISPLAY: Parameter = Parameter {
    name: "answer_display",
    arity: 1,
    values: |world| Ok(vec![vec![name_in(&ANSWER_LAYOUTS, world.desk.answer_layout)]]),
    set: |world, args| {
        world.desk.answer_layout = named_in(&world.store, &ANSWER_LAYOUTS, args[0])?;
        Ok(())
    },
    reset: |world| world.desk.answer_layout = AnswerLayout::default(),
};

const LIST_DISPLAY: Parameter = Parameter {
    name: "list_display",
    arity: 2,
    values: |world| Ok(vec![limit_values(&mut world.store, world.desk.display.lists)]),
    set: |world, args| {
        world.desk.display.lists = limit(&world.store, args)?;
        Ok(())
    },
    reset: |world| world.desk.display.lists = ExtentLimit::default(),
};

const TERM_DISPLAY: Parameter = Parameter {
    name: "term_display",
    arity: 2,
    values: |world| Ok(vec![limit_values(&mut world.store, world.desk.display.terms)]),
    set: |world, args| {
        world.desk.display.terms = limit(&world.store, args)?;
        Ok(())
    },
    reset: |world| world.desk.display.terms = ExtentLimit::default(),
};

const TEXT_DISPLAY: Parameter = Parameter {
    name: "text_display",
    arity: 2,
    values: |world| {
        let limit = world.desk.display.texts_of(world.desk.trace().map(|trace| &**trace));
        Ok(vec![limit_values(&mut world.store, limit)])
    },
    set: |world, args| {
        world.desk.display.texts = Some(limit_by_number(&world.store, args)?);
        Ok(())
    },
    reset: |world| world.desk.display.texts = None,
};

const ARG_DISPLAY: Parameter = Parameter {
    name: "arg_display",
    arity: 2,
    values: |world| {
        let limit = world.desk.display.n_args_of(world.desk.trace().map(|trace| &**trace));
        Ok(vec![limit_values(&mut world.store, limit)])
    },
    set: |world, args| {
        world.desk.display.n_args = Some(limit_by_number(&world.store, args)?);
        Ok(())
    },
    reset: |world| world.desk.display.n_args = None,
};

const ARG_UNDISPLAY: Parameter = Parameter {
    name: "arg_undisplay",
    arity: 2,
    values: |world| {
        let World { desk, store, .. } = world;
        let values = |hidden: &HiddenArgument| {
            let number = i64::try_from(hidden.number).unwrap_or(i64::MAX);
            vec![attributes::proc(store, &hidden.proc), store.int(number)]
        };
        Ok(desk.display.hidden.iter().map(values).collect())
    },
    set: |world, args| {
        let number = positive(&world.store, args[1])?;
        let hidden = HiddenArgument { proc: proc(&world.store, args[0])?, number };
        if !world.desk.display.hidden.contains(&hidden) {
            world.desk.display.hidden.push(hidden);
        }
        Ok(())
    },
    reset: |world| world.desk.display.hidden.clear(),
};

const INDENT_DISPLAY: Parameter = Parameter {
    name: "indent_display",
    arity: 3,
    values: |world| {
        let indent = &world.desk.display.indent;
        let text = Cell::atom(Atom::new(&indent.string));
        let start = world.desk.trace().map_or(indent.start, |trace| indent.start_in(trace));
        Ok(vec![vec![on_or_off(indent.is_on), text, world.store.int(start)]])
    },
    set: |world, args| {
        let store = &world.store;
        let (is_on, start) = (is_on(store, args[0])?, small_integer(store, args[2])?);
        let string = text(store, args[1], "atomic")?.into_owned();
        world.desk.display.indent = Indent { is_on, string, start, limit: world.desk.display.indent.limit };
        Ok(())
    },
    reset: |world| world.desk.display.indent = Indent { limit: world.desk.display.indent.limit, ..Indent::default() },
};

const INDENT_DISPLAY_LIMIT: Parameter = Parameter {
    name: "indent_display_limit",
    arity: 1,
    values: |world| Ok(vec![vec![world.store.int(world.desk.display.indent.limit)]]),
    set: |world, args| {
        world.desk.display.indent.limit = small_integer(&world.store, args[0])?;
        Ok(())
    },
    reset: |world| world.desk.display.indent.limit = Indent::default().limit,
};

const TRACED_PORTS: Parameter = Parameter {
    name: "traced_ports",
    arity: 1,
    values: |world| {
        let ports = match &world.desk.traced_ports {
            Some(ports) => ports.clone(),
            None => default_ports(world)?,
        };
        let ports: Vec<Cell> = ports.into_iter().map(Cell::atom).collect();
        Ok(vec![vec![world.store.list(&ports)]])
    },
    set: |world, args| {
        let spellings = list(&world.store, args[0])?;
        let ports: Result<Vec<Atom>, Stop> = spellings.into_iter().map(|spelling| port(world, spelling)).collect();
        world.desk.traced_ports = Some(ports?);
        Ok(())
    },
    reset: |world| world.desk.traced_ports = None,
};

/// Monitors look up an argument when they read it, so there is nothing to turn on.
const COLLECT_ARG: Parameter = Parameter {
    name: "collect_arg",
    arity: 1,
    values: |_| Ok(vec![vec![Cell::atom(Atom::new("yes"))]]),
    set: |world, args| named_in(&world.store, &[((), "yes"), ((), "no")], args[0]),
    reset: |_| {},
};

/// A parameter as a predicate: sets the parameter if all arguments are bound, otherwise unifies them with its values.
fn parameter(world: &mut World, args: &[Cell], parameter: &Parameter) -> Solutions {
    if !args.iter().any(|arg| is_var(&world.store, *arg)) {
        (parameter.set)(world, args)?;
        return each(std::iter::once(()), |_, ()| true);
    }
    let (n_rows, args) = ((parameter.values)(world)?.len(), args.to_vec());
    let values_of = parameter.values;
    each(0..n_rows, move |world, index| {
        let values = row(world, values_of, index);
        args.iter().zip(values).all(|(arg, value)| world.store.unify(*arg, value))
    })
}

/// One of the lists of values, built for each answer anew, since backtracking removes terms built earlier.
fn row(world: &mut World, values: fn(&mut World) -> Result<Vec<Vec<Cell>>, Stop>, index: usize) -> Vec<Cell> {
    let rows = values(world).unwrap_or_default();
    rows.into_iter().nth(index).unwrap_or_default()
}

/// The parameter that a term names.
fn named(world: &World, name: Cell) -> Result<&'static Parameter, Stop> {
    let word = atom(&world.store, name)?;
    let found = PARAMETERS.iter().find(|parameter| parameter.name == word.as_str());
    found.copied().ok_or_else(|| {
        let near = nearest(word.as_str(), PARAMETERS.iter().map(|parameter| parameter.name));
        let near = near.map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default();
        let error = existence_error(&world.store, "parameter", name);
        with_message(error, &format!("expected a parameter, found `{}`{near}", word.as_str()))
    })
}

fn set_parameter(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let parameter = named(world, args[0])?;
    let values = list(&world.store, args[1])?;
    if values.len() != parameter.arity {
        let error = domain_error(&world.store, "parameter_values", args[1]);
        let counted = if parameter.arity == 1 { "1 value".into() } else { format!("{} values", parameter.arity) };
        return Err(with_message(error, &format!("expected a list of {counted} for `{}`", parameter.name)));
    }
    (parameter.set)(world, &values).map(|()| true)
}

fn get_parameter(world: &mut World, args: &[Cell]) -> Solutions {
    let chosen = match is_var(&world.store, args[0]) {
        true => PARAMETERS.to_vec(),
        false => vec![named(world, args[0])?],
    };
    let mut rows = Vec::new();
    for parameter in chosen {
        let n_rows = (parameter.values)(world)?.len();
        rows.extend((0..n_rows).map(|index| (parameter, index)));
    }
    let [name, values] = [args[0], args[1]];
    each(rows.into_iter(), move |world, (parameter, index)| {
        let found = row(world, parameter.values, index);
        let list = world.store.list(&found);
        world.store.unify(name, Cell::atom(Atom::new(parameter.name))) && world.store.unify(values, list)
    })
}

fn set_default(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let parameter = named(world, args[0])?;
    (parameter.reset)(world);
    Ok(true)
}

fn indent(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    world.desk.display.indent.is_on = is_on(&world.store, args[0])?;
    let event = world.desk.current_event();
    let depth = event.and_then(|event| world.desk.trace().and_then(|trace| trace.depth(event)));
    world.desk.display.indent.start = depth.unwrap_or(1);
    Ok(true)
}

fn absolute_indent(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    world.desk.display.indent.start = small_integer(&world.store, args[0])?;
    world.desk.display.indent.is_on = true;
    Ok(true)
}

const ANSWER_LAYOUTS: [(AnswerLayout, &str); 2] = [(AnswerLayout::Single, "single"), (AnswerLayout::Table, "table")];

const ARGUMENT_STYLES: [(ArgumentStyle, &str); 2] =
    [(ArgumentStyle::Normal, "normal"), (ArgumentStyle::Simple, "simple")];

fn on_or_off(is_on: bool) -> Cell {
    Cell::atom(Atom::new(if is_on { "on" } else { "off" }))
}

fn is_on(store: &Store, cell: Cell) -> Result<bool, Stop> {
    named_in(store, &[(true, "on"), (false, "off")], cell)
}

fn name_in<T: PartialEq>(names: &[(T, &str)], value: T) -> Cell {
    let row = names.iter().find(|(other, _)| *other == value);
    row.map_or(Cell::NIL, |(_, name)| Cell::atom(Atom::new(name)))
}

/// The value with that name; the error for an unknown name lists the known ones.
fn named_in<T: Copy>(store: &Store, names: &[(T, &str)], cell: Cell) -> Result<T, Stop> {
    let name = atom(store, cell)?;
    let row = names.iter().find(|(_, known)| *known == name.as_str());
    row.map(|(value, _)| *value).ok_or_else(|| {
        let known: Vec<String> = names.iter().map(|(_, known)| format!("`{known}`")).collect();
        let error = domain_error(store, "parameter_value", cell);
        with_message(error, &format!("expected {}, found `{}`", known.join(" or "), name.as_str()))
    })
}

fn limit_values(store: &mut Store, limit: ExtentLimit) -> Vec<Cell> {
    vec![name_in(&TermExtent::NAMES, limit.extent), store.int(i64::try_from(limit.number).unwrap_or(i64::MAX))]
}

fn limit(store: &Store, args: &[Cell]) -> Result<ExtentLimit, Stop> {
    limit_named(store, &TermExtent::NAMES, args)
}

/// As [`limit`], for what is not nested.
fn limit_by_number(store: &Store, args: &[Cell]) -> Result<ExtentLimit, Stop> {
    let [whole, _, first] = TermExtent::NAMES;
    limit_named(store, &[whole, first], args)
}

fn limit_named(store: &Store, names: &[(TermExtent, &str)], args: &[Cell]) -> Result<ExtentLimit, Stop> {
    let extent = named_in(store, names, args[0])?;
    let number = small_integer(store, args[1])?;
    let number = usize::try_from(number).map_err(|_| domain_error(store, "not_less_than_zero", args[1]))?;
    Ok(ExtentLimit { extent, number })
}

fn positive(store: &Store, cell: Cell) -> Result<usize, Stop> {
    let number = usize::try_from(small_integer(store, cell)?).ok().filter(|number| *number > 0);
    number.ok_or_else(|| domain_error(store, "argument_number", cell))
}

/// `[ProcType->][Module:]Name[/Arity][-Mode]`
fn proc(store: &Store, pattern: Cell) -> Result<Proc, Stop> {
    let Some(ProcParts { parts: [proc_type, module, name, arity, mode] }) = ProcParts::of(store, pattern) else {
        return Ok(Proc { name: Some(atom(store, pattern)?), ..Proc::default() });
    };
    let name_of = |part: Option<Cell>| part.map(|part| atom(store, part)).transpose();
    let number = |part: Option<Cell>| part.map(|part| small_integer(store, part)).transpose();
    Ok(Proc {
        proc_type: name_of(proc_type)?,
        decl_module: name_of(module)?,
        def_module: None,
        name: name_of(name)?,
        arity: number(arity)?,
        mode_number: number(mode)?,
    })
}

/// The port with that spelling in the trace's format.
fn port(world: &World, spelling: Cell) -> Result<Atom, Stop> {
    let trace = trace(world)?;
    let name = atom(&world.store, spelling)?;
    let checked = Constraint::new(&trace, AttributeId::PORT, &[FormOp::Atom(name)]);
    checked.map_err(|error| wrong_constraint(&world.store, AttributeType::Port, spelling, &error))?;
    Ok(trace.origin().ports.find(name.as_str()).map_or(name, |record| Atom::new(record.name)))
}

/// The ports that the format declares, and those of the trace that it does not know.
fn default_ports(world: &World) -> Result<Vec<Atom>, Stop> {
    let trace = trace(world)?;
    let records = trace.origin().ports.records();
    let mut ports: Vec<Atom> =
        records.iter().filter(|record| record.traced == Traced::Yes).map(|record| Atom::new(record.name)).collect();
    let others = trace.ports().map(|(_, name)| name);
    ports.extend(others.filter(|name| !records.iter().any(|record| record.name == name.as_str())));
    Ok(ports)
}
