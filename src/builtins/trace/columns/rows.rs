//! Rows of values, a column for each slot.

/// Rows of values: a column for each slot that has one.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) n_rows: usize,
    pub(super) columns: Vec<Vec<i64>>,
}
