//! The stack of calls at an event, a line for each level, as Morphine prints it.

use std::fmt::{Result, Write};

use crate::term::Atom;
use crate::term::letters::atom_text;
use crate::trace::{AttributeId, CallId, EventId, Proc, Trace, Value};

/// Writes an empty line, then a line for the call of the event and for each call around it, innermost first.
///
/// What the trace does not state is omitted; a trace without call numbers has no stack.
///
/// ```text
/// Level 0: (chrono=2, call=2, depth=2) pred queens:data/1-0 (det)
/// ```
pub(crate) fn write_stack(out: &mut impl Write, trace: &Trace, event: EventId) -> Result {
    out.write_char('\n')?;
    let Some(call) = trace.call(event) else { return Ok(()) };
    for (level, call) in std::iter::once(call).chain(trace.ancestors(call)).enumerate() {
        write_level(out, trace, level, call)?;
    }
    Ok(())
}

fn write_level(out: &mut impl Write, trace: &Trace, level: usize, call: CallId) -> Result {
    let first = trace.call_first(call);
    write!(out, "Level {level}: (chrono={}, call={}", trace.chrono(first), trace.call_number(call))?;
    if let Some(depth) = trace.depth(first) {
        write!(out, ", depth={depth}")?;
    }
    out.write_str(") ")?;
    if let Some(id) = trace.proc_of(first) {
        write_proc(out, trace.proc(id))?;
    }
    if let Value::Atom(det) = trace.value(first, AttributeId::DET) {
        write!(out, "({}) ", stack_det(det.as_str()))?;
    }
    out.write_char('\n')
}

/// `pred queens:data/1-0 `
fn write_proc(out: &mut impl Write, proc: &Proc) -> Result {
    match proc.proc_type.map(Atom::as_str) {
        Some("predicate") => out.write_str("pred ")?,
        Some("function") => out.write_str("func ")?,
        Some(other) => write!(out, "{other} ")?,
        None => {}
    }
    if let Some(module) = proc.decl_module {
        write!(out, "{}:", atom_text(module.as_str()))?;
    }
    out.write_str(&proc.name.map_or("-".into(), |name| atom_text(name.as_str())))?;
    if let Some(arity) = proc.arity {
        write!(out, "/{arity}")?;
    }
    if let Some(mode) = proc.mode_number {
        write!(out, "-{mode}")?;
    }
    out.write_char(' ')
}

/// A determinism as Mercury's debugger and therefore the stack names it: `multi` for `multidet`.
pub(crate) fn stack_det(det: &str) -> &str {
    match det {
        "multidet" => "multi",
        "cc_multidet" => "cc_multi",
        other => other,
    }
}
