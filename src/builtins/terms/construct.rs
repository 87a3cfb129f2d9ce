//! Taking terms apart and building them.

use crate::builtins::arguments::{atom, check_elements, count, is_var, list, list_or_partial, small_integer};
use crate::builtins::record::{at_most_one, det, each, iso, nondet, pure, where_attributed};
use crate::engine::error::{domain_error, instantiation_error, representation_error, type_error};
use crate::engine::{Builtin, Cell, Compound, ListEnd, Solutions, Stop, Store, Term, World};
use crate::term::{Atom, atoms};

/// The records.
pub(crate) const TABLE: &[Builtin] = &pure([
    iso(det(
        "functor(?Term, ?Name, ?Arity) is det",
        "Name and number of arguments of a term, or a term of fresh variables made from them.",
        "functor(T, f, 2)",
        "T = f(_, _)",
        functor,
    )),
    iso(nondet("arg(?N, +Term, ?Arg) is nondet", "Argument N, counted from 1.", "arg(2, f(a, b), X)", "X = b", arg)),
    iso(det(
        "=..(?Term, ?List) is det",
        "The list of the name and the arguments of a term, or the term made from it.",
        "f(a, b) =.. L",
        "L = [f, a, b]",
        univ,
    )),
    where_attributed(
        "$copy_attributed",
        iso(det(
            "copy_term(@Term, -Copy) is det",
            "A copy with fresh variables.",
            "copy_term(f(X, Y, X), C)",
            "C = f(A, B, A)",
            copy_term,
        )),
    ),
    iso(det(
        "term_variables(@Term, -Variables) is det",
        "The distinct variables of a term, in the order of their first place.",
        "term_variables(f(X, g(Y), X), L)",
        "L = [X, Y]",
        term_variables,
    )),
    det(
        "numbervars(?Term, +Start, -End) is det",
        "Binds the variables of a term to '$VAR'(Start), '$VAR'(Start + 1), ...; End is the next number.",
        "numbervars(f(_, _), 0, E)",
        "E = 2",
        numbervars,
    ),
    det(
        "numbervars(?Term, +Start, -End, +Options) is det",
        "As numbervars/3; with singletons(true), a variable that occurs once becomes '$VAR'('_').",
        "numbervars(f(X, Y, X), 0, E, [singletons(true)])",
        "X = '$VAR'(0), Y = '$VAR'('_'), E = 1",
        numbervars_4,
    ),
    det("numbervars(?Term) is det", "As numbervars(Term, 0, _).", "numbervars(f(X))", "X = '$VAR'(0)", numbervars_1),
    det(
        "compound_name_arity(?Term, ?Name, ?Arity) is det",
        "As functor/3, for compounds only.",
        "compound_name_arity(f(a), N, A)",
        "N = f, A = 1",
        compound_name_arity,
    ),
    det(
        "compound_name_arguments(?Term, ?Name, ?Arguments) is det",
        "Name and list of arguments of a compound.",
        "compound_name_arguments(T, f, [a])",
        "T = f(a)",
        compound_name_arguments,
    ),
    det(
        "is_most_general_term(@Term) is semidet",
        "Whether the term is an atom, or a compound or list of distinct variables.",
        "is_most_general_term(f(_, _))",
        "true",
        is_most_general_term,
    ),
    det(
        "setarg(+N, +Term, +Value) is semidet",
        "Changes argument N of a compound in place; the change is undone on backtracking.",
        "T = f(a, b), setarg(1, T, c)",
        "T = f(c, b)",
        setarg,
    ),
    det(
        "nb_setarg(+N, +Term, +Value) is semidet",
        "Makes a copy of Value argument N of a compound; backtracking does not undo it.",
        "T = n(0), nb_setarg(1, T, f(a))",
        "T = n(f(a))",
        nb_setarg,
    ),
    det(
        "term_singletons(@Term, -Variables) is det",
        "The variables that occur once only.",
        "term_singletons(f(X, Y, X), L)",
        "L = [Y]",
        term_singletons,
    ),
]);

fn functor(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let (name, arity) = match world.store.look(args[0]) {
        Term::Var(_) => {
            let term = built(world, args[1], args[2])?;
            return Ok(world.store.unify(args[0], term));
        }
        Term::Compound(compound) if compound.arity == 0 => {
            return Err(domain_error(&world.store, "compound_non_zero_arity", args[0]));
        }
        Term::Compound(compound) => (Cell::atom(compound.name), compound.arity),
        _ => (args[0], 0),
    };
    unify_name_and_arity(world, args, name, arity)
}

fn unify_name_and_arity(world: &mut World, args: &[Cell], name: Cell, arity: usize) -> Result<bool, Stop> {
    let arity = world.store.int(arity as i64);
    Ok(world.store.unify(args[1], name) && world.store.unify(args[2], arity))
}

/// The most general term of a name and an arity.
fn built(world: &mut World, name: Cell, arity: Cell) -> Result<Cell, Stop> {
    if is_var(&world.store, name) {
        return Err(instantiation_error());
    }
    if let Term::Compound(_) = world.store.look(name) {
        return Err(type_error(&world.store, "atomic", name));
    }
    let arity_value = small_integer(&world.store, arity)?;
    match world.store.look(name) {
        _ if arity_value == 0 => Ok(name),
        _ if arity_value < 0 => Err(domain_error(&world.store, "not_less_than_zero", arity)),
        Term::Atom(atom) => {
            let arity = checked_arity(arity_value as usize)?;
            Ok(world.store.fresh_compound(atom, arity))
        }
        _ => Err(type_error(&world.store, "callable", name)),
    }
}

/// A compound's header holds an arity of 28 bits.
fn checked_arity(arity: usize) -> Result<usize, Stop> {
    check_elements(arity)?;
    Ok(arity)
}

fn arg(world: &mut World, args: &[Cell]) -> Solutions {
    let (place, term, value) = (args[0], args[1], args[2]);
    let compound = match world.store.look(term) {
        Term::Compound(compound) => compound,
        Term::Var(_) => return Err(instantiation_error()),
        _ => return Err(type_error(&world.store, "compound", term)),
    };
    if is_var(&world.store, place) {
        return each(0..compound.arity, move |world, i| {
            let (arg, number) = (world.store.arg(compound, i), world.store.int(i as i64 + 1));
            world.store.unify(value, arg) && world.store.unify(place, number)
        });
    }
    let n = small_integer(&world.store, place)?;
    if n < 0 {
        return Err(domain_error(&world.store, "not_less_than_zero", place));
    }
    if n == 0 || n as u64 > compound.arity as u64 {
        return Ok(None);
    }
    let found = world.store.arg(compound, n as usize - 1);
    at_most_one(world.store.unify(value, found))
}

fn univ(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let parts = match world.store.look(args[0]) {
        Term::Var(_) => {
            let term = from_list(world, args[1])?;
            return Ok(world.store.unify(args[0], term));
        }
        Term::Compound(compound) if compound.arity == 0 => {
            return Err(domain_error(&world.store, "compound_non_zero_arity", args[0]));
        }
        Term::Compound(compound) => {
            let mut parts = vec![Cell::atom(compound.name)];
            parts.extend_from_slice(world.store.args(compound));
            parts
        }
        _ => vec![args[0]],
    };
    list_or_partial(&world.store, args[1])?;
    let parts = world.store.list(&parts);
    Ok(world.store.unify(args[1], parts))
}

/// The term whose name and arguments a list gives.
fn from_list(world: &mut World, parts: Cell) -> Result<Cell, Stop> {
    let items = list(&world.store, parts)?;
    let Some((&name, args)) = items.split_first() else {
        return Err(domain_error(&world.store, "non_empty_list", parts));
    };
    match world.store.look(name) {
        Term::Var(_) => Err(instantiation_error()),
        Term::Compound(_) if args.is_empty() => Err(type_error(&world.store, "atomic", name)),
        _ if args.is_empty() => Ok(name),
        Term::Atom(atom) => {
            checked_arity(args.len())?;
            Ok(world.store.compound(atom, args))
        }
        _ => Err(type_error(&world.store, "atom", name)),
    }
}

fn copy_term(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let copy = world.store.copy(args[0]);
    Ok(world.store.unify(args[1], copy))
}

fn term_variables(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    list_or_partial(&world.store, args[1])?;
    let variables = world.store.variables(args[0]);
    let variables = world.store.list(&variables);
    Ok(world.store.unify(args[1], variables))
}

fn numbervars(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    number_variables(world, args, Singletons::Counted)
}

fn numbervars_1(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let (zero, end) = (world.store.int(0), world.store.new_var());
    numbervars(world, &[args[0], zero, end])
}

fn numbervars_4(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let mut singletons = Singletons::Counted;
    for option in list(&world.store, args[3])? {
        singletons = singletons_option(&world.store, option)?.unwrap_or(singletons);
    }
    number_variables(world, args, singletons)
}

/// The term that `numbervars/3` gives to a variable that occurs once.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Singletons {
    /// `'$VAR'(N)`, as of any other.
    Counted,
    /// `'$VAR'('_')`.
    Blank,
}

/// The value of `singletons(Boolean)`; other options are ignored.
fn singletons_option(store: &Store, option: Cell) -> Result<Option<Singletons>, Stop> {
    let Term::Compound(compound) = store.look(option) else {
        return Err(domain_error(store, "numbervars_option", option));
    };
    if compound.name.as_str() != "singletons" || compound.arity != 1 {
        return Ok(None);
    }
    match store.look(store.arg(compound, 0)) {
        Term::Atom(atoms::TRUE) => Ok(Some(Singletons::Blank)),
        Term::Atom(atoms::FALSE) => Ok(Some(Singletons::Counted)),
        Term::Var(_) => Err(instantiation_error()),
        _ => Err(type_error(store, "bool", store.arg(compound, 0))),
    }
}

/// `numbervars(Term, Start, End)`.
fn number_variables(world: &mut World, args: &[Cell], singletons: Singletons) -> Result<bool, Stop> {
    let mut next = small_integer(&world.store, args[1])?;
    for (at, (variable, occurrences)) in world.store.variables_by_occurrence(args[0]).into_iter().enumerate() {
        world.store.watch.check_at(at + 1)?;
        let name = match singletons {
            Singletons::Blank if occurrences == 1 => Cell::atom(Atom::new("_")),
            _ => {
                let number = world.store.int(next);
                next = next.checked_add(1).ok_or_else(|| representation_error("integer"))?;
                number
            }
        };
        let name = world.store.compound(atoms::DOLLAR_VAR, &[name]);
        world.store.unify(variable, name);
    }
    let end = world.store.int(next);
    Ok(world.store.unify(args[2], end))
}

fn compound_name_arity(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    check_compound(world, args)?;
    if is_var(&world.store, args[0]) && matches!(world.store.look(args[2]), Term::Int(0)) {
        return unify_with_empty(world, args);
    }
    match world.store.look(args[0]) {
        Term::Compound(compound) => unify_name_and_arity(world, args, Cell::atom(compound.name), compound.arity),
        _ => functor(world, args),
    }
}

/// Unifies the first argument with `Name()`.
fn unify_with_empty(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let name = atom(&world.store, args[1])?;
    let empty = world.store.empty_compound(name);
    Ok(world.store.unify(args[0], empty))
}

/// An error if the first argument is neither a compound nor a variable.
fn check_compound(world: &World, args: &[Cell]) -> Result<(), Stop> {
    match world.store.look(args[0]) {
        Term::Var(_) | Term::Compound(_) => Ok(()),
        _ => Err(type_error(&world.store, "compound", args[0])),
    }
}

fn compound_name_arguments(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    check_compound(world, args)?;
    if is_var(&world.store, args[0]) && matches!(world.store.look(args[2]), Term::Atom(atoms::NIL)) {
        return unify_with_empty(world, args);
    }
    let Term::Compound(compound) = world.store.look(args[0]) else {
        let parts = world.store.cons(args[1], args[2]);
        return univ(world, &[args[0], parts]);
    };
    let parts = world.store.args(compound).to_vec();
    let parts = world.store.list(&parts);
    Ok(world.store.unify(args[1], Cell::atom(compound.name)) && world.store.unify(args[2], parts))
}

fn setarg(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let Some((compound, index)) = argument_place(&world.store, args)? else { return Ok(false) };
    let value = world.store.deref(args[2]);
    world.store.replace_arg(compound, index, value);
    Ok(true)
}

fn nb_setarg(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let Some((compound, index)) = argument_place(&world.store, args)? else { return Ok(false) };
    world.store.replace_arg_for_good(compound, index, args[2]);
    Ok(true)
}

/// The compound to change, and the index of the argument, from 0; none if it has no such argument.
fn argument_place(store: &Store, args: &[Cell]) -> Result<Option<(Compound, usize)>, Stop> {
    let place = count(store, args[0])?;
    let compound = match store.look(args[1]) {
        Term::Compound(compound) => compound,
        Term::Var(_) => return Err(instantiation_error()),
        _ => return Err(type_error(store, "compound", args[1])),
    };
    Ok((1..=compound.arity).contains(&place).then(|| (compound, place - 1)))
}

fn is_most_general_term(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let walk = world.store.walk_list(args[0]);
    let parts = match (walk.end, world.store.look(args[0])) {
        (ListEnd::Nil, _) => walk.items,
        (_, Term::Compound(compound)) if compound.name != atoms::DOT || compound.arity != 2 => {
            world.store.args(compound).to_vec()
        }
        (_, term) => return Ok(matches!(term, Term::Atom(_))),
    };
    let all_free = parts.iter().all(|&part| is_var(&world.store, part));
    let n_parts = parts.len();
    let whole = world.store.list(&parts);
    Ok(all_free && world.store.variables(whole).len() == n_parts)
}

fn term_singletons(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let variables = world.store.variables_by_occurrence(args[0]).into_iter();
    let singles: Vec<Cell> = variables.filter(|&(_, n)| n == 1).map(|(variable, _)| variable).collect();
    let singles = world.store.list(&singles);
    Ok(world.store.unify(args[1], singles))
}
