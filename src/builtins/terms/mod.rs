//! Terms: their types, order, construction, arithmetic and lists.

pub mod arithmetic;
pub mod attributed;
pub mod compare;
pub mod construct;
pub mod lists;
pub mod order;
pub mod sort;
pub mod types;
