//! The relation of events: its columns together, the index of calls, and what follows from them.

pub(super) mod args_column;
pub(super) mod argument_values;
pub(super) mod call_costs;
pub(super) mod calls;
pub(super) mod causality;
pub(super) mod chrono;
pub(super) mod derived;
pub(super) mod hash_groups;
pub(super) mod lasso;
pub(super) mod rising;
pub(super) mod rows;
pub(super) mod selection;
pub(super) mod source_places;
pub(super) mod spans;
pub(super) mod store;
pub(super) mod value_index;
