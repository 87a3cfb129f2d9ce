//! Reading and writing: terms, streams, `format/2`, and questions to the user.

pub mod capture;
pub mod format;
pub mod questions;
pub mod read;
pub mod streams;
pub mod term_text;
pub mod write;
