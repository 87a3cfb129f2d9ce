//! Texts: atoms, strings, characters, bytes and numbers as texts.

pub mod bytes;
pub mod characters;
pub mod concat;
pub mod conversion;
pub mod lines;
pub mod numbers;
pub mod substring;
pub mod text_list;
