//! Goal paths that are written as one text.

use crate::formats::json::value::Json;
use crate::formats::mercury;
use crate::trace::{PathId, TraceBuilder};

/// A goal path: an array of steps, or its text.
pub(crate) fn goal_path(value: &Json<'_>, builder: &mut TraceBuilder) -> Option<PathId> {
    if let Some(text) = value.text() {
        return Some(mercury::goal_path(text.trim_start_matches('[').trim_end_matches(']'), builder));
    }
    let elements = value.elements()?;
    let steps: Option<Vec<&str>> = elements.iter().map(Json::text).collect();
    Some(builder.path(&steps?))
}
