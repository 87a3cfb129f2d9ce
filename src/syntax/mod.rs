//! Floor 1: from text to terms, and messages about texts.
//!
//! The lexer makes tokens, the generated parser matches brackets and splits arguments and elements, and the resolver
//! applies the operator table.

pub mod diagnostic;
pub mod lexer;
pub mod tokens;

mod error;
mod literal;
mod parser;
mod reader;
mod resolve;
mod term_text;
mod variables;

pub use error::SyntaxError;
pub use literal::Number;
pub use reader::{DoubleQuotes, ReadFlags, ReadTerm, Reader, parse_number, read_goal};
pub use term_text::is_term;

#[cfg(test)]
mod tests;
