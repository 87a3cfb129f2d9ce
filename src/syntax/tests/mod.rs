//! Tests of reading and printing together.

mod errors;
mod golden;
mod properties;
