//! Reading and writing: terms, streams, `format/2`, and questions to the user.

pub(crate) mod capture;
pub(crate) mod format;
pub(crate) mod questions;
pub(crate) mod read;
pub(crate) mod streams;
pub(crate) mod term_text;
pub(crate) mod write;
