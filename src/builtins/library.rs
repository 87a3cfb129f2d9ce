//! The library files, and the making of a machine that knows them.

use crate::engine::{Database, Machine, Namespace, Output, ScriptEvent, World};
use crate::syntax::diagnostic::Source;

macro_rules! library {
    ($($name:literal,)*) => {
        /// Name and text of each file of the library, in the order of reading.
        pub const FILES: &[(&str, &str)] = &[$(($name, include_str!(concat!("../library/", $name))),)*];
    };
}

library! {
    "control.pl",
    "consult.pl",
    "errors.pl",
    "integers.pl",
    "lists.pl",
    "sets.pl",
    "ordsets.pl",
    "pairs.pl",
    "assoc.pl",
    "hashtables.pl",
    "options.pl",
    "strings.pl",
    "terms.pl",
    "apply.pl",
    "lambda.pl",
    "solutions.pl",
    "aggregate.pl",
    "sequences.pl",
    "cleanup.pl",
    "limits.pl",
    "tabling.pl",
    "dcg.pl",
    "trace.pl",
}

/// A machine with all predicates and the library, whose goals write to `output`.
pub fn machine(output: Output) -> Machine {
    let mut world = World::new(output);
    world.database = Database::new(super::tables());
    for (name, text) in FILES {
        world.open_script(Source::new(*name, *text), Namespace::Library, None);
        let event = world.next_script_event();
        debug_assert_eq!(event, ScriptEvent::End, "the library has clauses only");
        world.close_script();
    }
    let faults: Vec<String> = world.diagnostics.iter().map(|diagnostic| diagnostic.to_string()).collect();
    debug_assert!(faults.is_empty(), "{}", faults.join(""));
    Machine::new(world)
}
