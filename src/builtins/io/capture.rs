//! Captures the output of goals, for the library's `with_output_to/2`.

use crate::builtins::arguments::count;
use crate::builtins::record::{det, with};
use crate::engine::{Builtin, Cell, Effect, Stop, World};

/// The records.
pub(crate) const TABLE: &[Builtin] = &[
    det(
        "$capture_begin(-Depth) is det",
        "Begins to keep what is written.",
        "'$capture_begin'(D), '$capture_end'(D, T)",
        "D = 0, T = \"\"",
        capture_begin,
    ),
    with(
        Effect::Watches,
        det(
            "$capture_end(+Depth, -Text) is det",
            "Ends the keeping that began at Depth, and gives the text.",
            "'$capture_begin'(D), write(a), '$capture_end'(D, T)",
            "D = 0, T = \"a\"",
            capture_end,
        ),
    ),
];

fn capture_begin(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let depth = world.output.begin_capture();
    let depth = world.store.int(depth as i64);
    Ok(world.store.unify(args[0], depth))
}

fn capture_end(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let depth = count(&world.store, args[0])?;
    let text = world.output.end_captures(depth).unwrap_or_default();
    let text = world.store.string(&text);
    Ok(world.store.unify(args[1], text))
}
