//! Texts: atoms, strings, characters, bytes and numbers as texts.

pub(crate) mod bytes;
pub(crate) mod characters;
pub(crate) mod concat;
pub(crate) mod conversion;
pub(crate) mod lines;
pub(crate) mod numbers;
pub(crate) mod substring;
pub(crate) mod text_list;
