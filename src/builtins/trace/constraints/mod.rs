//! Lists of constraints: reading and compiling them.

pub mod argument_test;
pub mod forms;
pub mod list;
pub mod reader;
pub mod shape;
