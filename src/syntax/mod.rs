//! Floor 1: from text to terms. Tokens, the door to the generated parser, operators, and messages about texts.

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
