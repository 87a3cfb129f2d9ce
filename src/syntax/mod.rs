//! Floor 1: from text to terms, and messages about texts.
//!
//! The lexer makes tokens, the generated parser matches brackets and splits arguments and elements, and the resolver
//! applies the operator table.

pub(crate) mod diagnostic;
pub(crate) mod lexer;
pub(crate) mod tokens;

mod error;
mod literal;
mod parser;
mod reader;
mod resolve;
mod term_text;
mod variables;

pub(crate) use error::SyntaxError;
pub(crate) use literal::NumberLiteral;
pub(crate) use reader::{DoubleQuotes, ReadFlags, ReadTerm, Reader, parse_number, read_goal};
pub(crate) use term_text::is_term;

#[cfg(test)]
mod tests;
