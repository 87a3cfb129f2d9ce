//! Goal paths: the steps from the start of a procedure to the goal of an event.

use std::borrow::Cow;

use crate::formats::lines::text;
use crate::trace::{ArgTexts, PathId, TraceBuilder};

/// The characters that end a step; a quoted step is taken as a whole.
const STEP_ENDS: &[char] = &[';'];
const NO_STEP_END: &[char] = &[];

/// The number of the path whose steps are written `s1, c2, t` or `s1;c2;t;`.
pub(crate) fn goal_path(written: &str, builder: &mut TraceBuilder) -> PathId {
    let steps = ArgTexts::new(written).iter();
    let steps =
        steps.flat_map(|step| if step.starts_with('\'') { step.split(NO_STEP_END) } else { step.split(STEP_ENDS) });
    let steps = steps.map(str::trim).filter(|step| !step.is_empty());
    let names: Vec<Cow<'_, str>> = steps.map(|step| text::name(step.as_bytes())).collect();
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    builder.path(&names)
}
