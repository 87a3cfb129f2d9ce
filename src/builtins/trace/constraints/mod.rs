//! Lists of constraints: reading and compiling them.

pub(crate) mod argument_test;
pub(crate) mod arguments;
pub(crate) mod forms;
pub(crate) mod identities;
pub(crate) mod list;
pub(crate) mod literal;
pub(crate) mod reader;
pub(crate) mod shape;
pub(crate) mod wrong;
