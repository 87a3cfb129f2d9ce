//! Type tests.

use crate::builtins::arguments::is_var;
use crate::builtins::record::{computes, det, iso, pure};
use crate::engine::{Builtin, Cell, Computation, ListEnd, Stop, Term, World};

/// The records.
pub(crate) const TABLE: &[Builtin] = &pure([
    iso(det("var(@Term) is semidet", "Whether the term is an unbound variable.", "var(_)", "true", var)),
    iso(det("nonvar(@Term) is semidet", "Whether the term is not an unbound variable.", "nonvar(a)", "true", nonvar)),
    iso(det("atom(@Term) is semidet", "Whether the term is an atom.", "atom([])", "true", atom)),
    iso(det("number(@Term) is semidet", "Whether the term is an integer or a float.", "number(2.5)", "true", number)),
    iso(det("integer(@Term) is semidet", "Whether the term is an integer.", "integer(2.0)", "false", integer)),
    iso(det("float(@Term) is semidet", "Whether the term is a float.", "float(2.0)", "true", float)),
    iso(det(
        "atomic(@Term) is semidet",
        "Whether the term is an atom, a number or a string.",
        "atomic(\"a\")",
        "true",
        atomic,
    )),
    iso(det("compound(@Term) is semidet", "Whether the term has arguments.", "compound(f(x))", "true", compound)),
    iso(det(
        "callable(@Term) is semidet",
        "Whether the term is an atom or has arguments.",
        "callable(3)",
        "false",
        callable,
    )),
    det("string(@Term) is semidet", "Whether the term is a string.", "string(\"a\")", "true", string),
    det(
        "blob(@Term, -Type) is semidet",
        "Whether the term is a symbol: `Type` is `text`.",
        "blob(a, T)",
        "T = text",
        blob,
    ),
    computes(
        Computation::IsList,
        det(
            "is_list(@Term) is semidet",
            "Whether the term is a list that ends in `[]`.",
            "is_list([a|_])",
            "false",
            is_list,
        ),
    ),
    iso(det("ground(@Term) is semidet", "Whether no variable occurs in the term.", "ground(f(_))", "false", ground)),
    iso(det(
        "acyclic_term(@Term) is semidet",
        "Whether the term does not contain itself.",
        "acyclic_term(f(_))",
        "true",
        acyclic_term,
    )),
    det(
        "cyclic_term(@Term) is semidet",
        "Whether the term contains itself.",
        "cyclic_term(f(_))",
        "false",
        cyclic_term,
    ),
]);

macro_rules! tests {
    ($($name:ident = ($pattern:pat);)*) => {
        $(fn $name(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
            Ok(matches!(world.store.look(args[0]), $pattern))
        })*
    };
}

tests! {
    var = (Term::Var(_));
    atom = (Term::Atom(_));
    number = (Term::Int(_) | Term::BigInt(_) | Term::Float(_));
    integer = (Term::Int(_) | Term::BigInt(_));
    float = (Term::Float(_));
    compound = (Term::Compound(_));
    callable = (Term::Atom(_) | Term::Compound(_));
    string = (Term::Str(_));
}

fn nonvar(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    Ok(!is_var(&world.store, args[0]))
}

fn atomic(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    Ok(!matches!(world.store.look(args[0]), Term::Var(_) | Term::Compound(_)))
}

fn blob(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let text = Cell::atom(crate::term::Atom::new("text"));
    Ok(atom(world, args)? && world.store.unify(args[1], text))
}

fn is_list(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    Ok(world.store.walk_list(args[0]).end == ListEnd::Nil)
}

fn ground(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    Ok(world.store.is_ground(args[0]))
}

fn acyclic_term(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    Ok(world.store.is_acyclic(args[0]))
}

fn cyclic_term(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    Ok(!world.store.is_acyclic(args[0]))
}
