//! Proof trees and graphs of procedures as text, DOT and SVG, written to the output of goals.

use indexmap::IndexSet;
use std::fmt;

use crate::builtins::arguments::{atom, list};
use crate::builtins::io::write::written;
use crate::builtins::record::det;
use crate::builtins::trace::errors::trace;
use crate::engine::error::{instantiation_error, type_error};
use crate::engine::{Builtin, Cell, Stop, Term, World};
use crate::output::{Arrow, OutlineNode, parents, write_dot, write_outline, write_svg};
use crate::term::atoms;
use crate::term::print::{Spacing, Style};
use crate::trace::TimeUnit;

/// The records.
pub(crate) const TABLE: &[Builtin] = &[
    det(
        "print_tree(+Tree) is det",
        "Writes a proof tree, one line per call, each below the call that made it.",
        "proof_tree(2, Tree), print_tree(Tree)",
        "Tree = proof(2, data([1, 2, 3, 4, 5]), [])",
        print_tree,
    ),
    det(
        "print_dot(+Picture) is det",
        "Writes a proof tree, or a list of arc(From, To) and arc(From, To, Label), in the language of Graphviz.",
        "print_dot([arc(a/0, b/1), arc(b/1, b/1, 3)])",
        "true",
        print_dot,
    ),
    det(
        "$columns(-N) is det",
        "N is the width of pictures in characters: that of the terminal at the prompt.",
        "'$columns'(N)",
        "N = 80",
        columns,
    ),
    det(
        "$counts_nanoseconds(+Attribute) is semidet",
        "The values of an attribute are times in nanoseconds.",
        "'$counts_nanoseconds'(time)",
        "false",
        counts_nanoseconds,
    ),
    det(
        "print_svg(+Tree) is det",
        "Writes a proof tree as an SVG picture.",
        "print_svg(proof(1, p(a), [proof(2, q(a), [])]))",
        "true",
        print_svg,
    ),
];

fn columns(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let columns = world.store.int(i64::try_from(world.settings.columns).unwrap_or(i64::MAX));
    Ok(world.store.unify(args[0], columns))
}

fn counts_nanoseconds(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let (trace, name) = (trace(world)?, atom(&world.store, args[0])?);
    let unit = trace.schema().find(name.as_str()).and_then(|id| trace.schema().unit(id));
    Ok(unit == Some(TimeUnit::Nanoseconds))
}

fn print_tree(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let nodes = outline(world, args[0])?;
    print(world, |text| write_outline(text, &nodes))
}

fn print_svg(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let nodes = outline(world, args[0])?;
    print(world, |text| write_svg(text, &nodes))
}

fn print_dot(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let (nodes, arrows) = match world.store.functor(args[0]) {
        Some((name, 3)) if name.as_str() == "proof" => of_tree(&outline(world, args[0])?),
        _ => graph(world, args[0])?,
    };
    print(world, |text| write_dot(text, &nodes, &arrows))
}

fn print(world: &mut World, write: impl FnOnce(&mut PicturePrinter<'_>) -> fmt::Result) -> Result<bool, Stop> {
    let mut printer = PicturePrinter { world, text: String::new(), stop: None };
    if write(&mut printer).is_ok() {
        printer.pass_on()?;
    }
    printer.stop.map_or(Ok(true), Err)
}

/// Writes to the output of goals, a piece at a time: a picture may be much longer than its tree, as deep nodes are
/// indented.
struct PicturePrinter<'w> {
    world: &'w mut World,
    text: String,
    stop: Option<Stop>,
}

/// Bytes of a piece; interrupts and limits are polled after each.
const PIECE: usize = 1 << 16;

impl PicturePrinter<'_> {
    fn pass_on(&mut self) -> Result<(), Stop> {
        self.world.output.write_str(&self.text)?;
        self.text.clear();
        self.world.store.watch.check()?;
        self.world.check_room(self.world.output.bytes_captured())
    }
}

impl fmt::Write for PicturePrinter<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text.push_str(text);
        if self.text.len() < PIECE {
            return Ok(());
        }
        self.pass_on().map_err(|stop| {
            self.stop = Some(stop);
            fmt::Error
        })
    }
}

/// The memory of a node besides its label, here and on the stack (estimated).
const NODE_BYTES: usize = 128;

/// The nodes of `proof(Call, Goal, Children)`, each before its children; an error if memory does not suffice, as a term
/// with shared parts may have very many.
fn outline(world: &World, tree: Cell) -> Result<Vec<OutlineNode>, Stop> {
    if !world.store.is_acyclic(tree) {
        return Err(type_error(&world.store, "acyclic_term", tree));
    }
    let (mut nodes, mut bytes) = (Vec::new(), 0);
    let mut waiting = vec![(tree, 0)];
    while let Some((cell, depth)) = waiting.pop() {
        world.store.watch.check()?;
        let [_, goal, children] = proof_parts(world, cell)?;
        let label = label(world, goal)?;
        bytes += NODE_BYTES + label.len();
        world.check_room(bytes + waiting.len() * size_of::<(Cell, usize)>())?;
        nodes.push(OutlineNode { depth, label });
        waiting.extend(list(&world.store, children)?.into_iter().rev().map(|child| (child, depth + 1)));
    }
    Ok(nodes)
}

fn proof_parts(world: &World, cell: Cell) -> Result<[Cell; 3], Stop> {
    match world.store.look(cell) {
        Term::Compound(compound) if compound.name.as_str() == "proof" => match world.store.args(compound) {
            &[call, goal, children] => Ok([call, goal, children]),
            _ => Err(type_error(&world.store, "proof_tree", cell)),
        },
        Term::Var(_) => Err(instantiation_error()),
        _ => Err(type_error(&world.store, "proof_tree", cell)),
    }
}

/// The label of a goal in a tree: `p(1)`, or `f(1) = 2` for a function and its result.
fn label(world: &World, goal: Cell) -> Result<String, Stop> {
    match world.store.look(goal) {
        Term::Compound(compound) if compound.name == atoms::EQUALS && compound.arity == 2 => {
            let [called, result] = [0, 1].map(|index| term(world, world.store.arg(compound, index)));
            Ok(format!("{} = {}", called?, result?))
        }
        _ => term(world, goal),
    }
}

fn term(world: &World, term: Cell) -> Result<String, Stop> {
    let style = Style { quoted: true, number_vars: true, spacing: Spacing::NextArgument, ..Style::default() };
    written(world, term, &style)
}

fn of_tree(nodes: &[OutlineNode]) -> (Vec<String>, Vec<Arrow>) {
    let arrow = |(to, from): (usize, Option<usize>)| from.map(|from| Arrow { from, to, label: None });
    let arrows = parents(nodes).into_iter().enumerate().filter_map(arrow).collect();
    (nodes.iter().map(|node| node.label.clone()).collect(), arrows)
}

/// The nodes and arrows of a list of arcs.
fn graph(world: &World, arcs: Cell) -> Result<(Vec<String>, Vec<Arrow>), Stop> {
    let mut nodes: IndexSet<String> = IndexSet::new();
    let (mut arrows, mut bytes) = (Vec::new(), 0);
    for arc in list(&world.store, arcs)? {
        world.store.watch.check()?;
        let (from, to, note) = arc_parts(world, arc)?;
        let (from, to) = (label(world, from)?, label(world, to)?);
        bytes += NODE_BYTES + from.len() + to.len();
        world.check_room(bytes)?;
        let (from, to) = (nodes.insert_full(from).0, nodes.insert_full(to).0);
        arrows.push(Arrow { from, to, label: note.map(|note| label(world, note)).transpose()? });
    }
    Ok((nodes.into_iter().collect(), arrows))
}

fn arc_parts(world: &World, arc: Cell) -> Result<(Cell, Cell, Option<Cell>), Stop> {
    match world.store.look(arc) {
        Term::Compound(compound) if compound.name.as_str() == "arc" => match *world.store.args(compound) {
            [from, to] => Ok((from, to, None)),
            [from, to, note] => Ok((from, to, Some(note))),
            _ => Err(type_error(&world.store, "arc", arc)),
        },
        Term::Var(_) => Err(instantiation_error()),
        _ => Err(type_error(&world.store, "arc", arc)),
    }
}
