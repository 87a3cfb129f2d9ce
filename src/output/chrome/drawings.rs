//! The drawing of a trace: that of its format, or of the format that it was converted from.

use crate::formats::drawing::{Draw, Drawing};
use crate::formats::{FORMATS, Format};
use crate::trace::{PortSet, Trace};

/// How a trace is drawn, and the ports of the format with that drawing.
pub(crate) fn drawing_of(trace: &Trace) -> (&'static Drawing, PortSet) {
    let ports = trace.origin().ports;
    match Format::named(trace.origin().format).unwrap_or(&Format::PLAIN).drawing {
        Draw::Always(drawing) => (drawing, ports),
        Draw::ByAttributes { timed, timeless } => {
            let default = if has(trace, "time") { timed } else { timeless };
            converted_from(trace).unwrap_or((default, ports))
        }
    }
}

/// Whether the times of a trace are nanoseconds, rather than another unit or numbers of events.
pub(crate) fn counts_nanoseconds(trace: &Trace) -> bool {
    drawing_of(trace).0.time.is_some_and(|(name, units)| units == 1000 && has(trace, name))
}

/// The drawing and the ports of the format whose attributes a trace has.
fn converted_from(trace: &Trace) -> Option<(&'static Drawing, PortSet)> {
    let is_known =
        |drawing: &Drawing| !drawing.known_by.is_empty() && drawing.known_by.iter().all(|name| has(trace, name));
    FORMATS.iter().find_map(|format| match format.drawing {
        Draw::Always(drawing) if is_known(drawing) => Some((drawing, format.ports)),
        _ => None,
    })
}

fn has(trace: &Trace, name: &str) -> bool {
    trace.schema().find(name).is_some_and(|id| trace.schema().has(id))
}
