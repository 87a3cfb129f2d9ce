//! Terms: their types, order, construction, arithmetic and lists.

pub(crate) mod arithmetic;
pub(crate) mod attributed;
pub(crate) mod compare;
pub(crate) mod construct;
pub(crate) mod lists;
pub(crate) mod order;
pub(crate) mod sort;
pub(crate) mod types;
