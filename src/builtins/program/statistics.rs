//! Resources used by a session, and `halt`. These predicates are the only clocks of the language.

use std::time::Duration;

use crate::builtins::arguments::small_integer;
use crate::builtins::record::{det, each, iso, nondet};
use crate::engine::error::{domain_error, type_error};
use crate::engine::{Builtin, Cell, Solutions, Stop, Store, Term, World};
use crate::term::Atom;

/// The records.
pub(crate) const TABLE: &[Builtin] = &[
    nondet(
        "statistics(?Key, -Value) is nondet",
        "Times and sizes: walltime_ns, cputime_ns, cputime, process_cputime, runtime, walltime, inferences, heap_bytes, atom_bytes.",
        "statistics(inferences, N), N >= 0",
        "true",
        statistics,
    ),
    iso(det("halt is det", "Ends the program with status 0.", "fail, halt", "false", halt_0)),
    iso(det(
        "halt(+Status) is det",
        "Ends the program with a status from 0 to 255; any other is an error, status 2.",
        "halt(a)",
        "error: type_error(integer, a)",
        halt,
    )),
];

/// A function that finds the value of a key.
type StatisticsFunction = fn(&mut World) -> Cell;

const KEYS: &[(&str, StatisticsFunction)] = &[
    ("walltime_ns", |world| nanoseconds(&mut world.store, world.started.elapsed())),
    ("cputime_ns", |world| nanoseconds(&mut world.store, cpu_time())),
    ("cputime", |world| world.store.float(cpu_time().as_secs_f64())),
    ("process_cputime", |world| world.store.float(cpu_time().as_secs_f64())),
    ("runtime", |world| milliseconds(&mut world.store, cpu_time())),
    ("process_runtime", |world| milliseconds(&mut world.store, cpu_time())),
    ("walltime", |world| milliseconds(&mut world.store, world.started.elapsed())),
    ("real_time", |world| milliseconds(&mut world.store, world.started.elapsed())),
    ("inferences", |world| world.store.int(i64::try_from(world.inferences).unwrap_or(i64::MAX))),
    ("heap_bytes", |world| world.store.int(world.store.bytes() as i64)),
    ("atom_bytes", |world| world.store.int(Atom::bytes_interned() as i64)),
];

fn cpu_time() -> Duration {
    cpu_time::ProcessTime::try_now().map_or(Duration::ZERO, |time| time.as_duration())
}

fn nanoseconds(store: &mut Store, time: Duration) -> Cell {
    store.int(i64::try_from(time.as_nanos()).unwrap_or(i64::MAX))
}

/// `[SinceStart, SinceLast]`, the traditional Prolog form; here both are since the start.
fn milliseconds(store: &mut Store, time: Duration) -> Cell {
    let time = store.int(i64::try_from(time.as_millis()).unwrap_or(i64::MAX));
    store.list(&[time, time])
}

fn statistics(world: &mut World, args: &[Cell]) -> Solutions {
    let (key, value) = (args[0], args[1]);
    let wanted = match world.store.look(key) {
        Term::Var(_) => None,
        Term::Atom(name) if KEYS.iter().any(|(known, _)| *known == name.as_str()) => Some(name),
        Term::Atom(_) => return Err(domain_error(&world.store, "statistics_key", key)),
        _ => return Err(type_error(&world.store, "atom", key)),
    };
    let rules = KEYS.iter().filter(move |(name, _)| wanted.is_none_or(|wanted| wanted.as_str() == *name));
    each(rules, move |world, (name, rule)| {
        let present = rule(world);
        world.store.unify(key, Cell::atom(Atom::new(name))) && world.store.unify(value, present)
    })
}

fn halt_0(_: &mut World, _: &[Cell]) -> Result<bool, Stop> {
    Err(Stop::Halt(0))
}

fn halt(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let status = small_integer(&world.store, args[0])?;
    Err(Stop::Halt(i32::try_from(status).unwrap_or(i32::MAX)))
}
