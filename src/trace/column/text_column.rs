//! Distinct texts: in memory, or in the blocks of a saved trace.

use std::sync::Arc;

use super::dictionary::Texts;
use super::lazy::Lazy;
use super::text_blocks::TextBlocks;

/// Distinct texts, numbered from 0.
#[derive(Clone, Debug)]
pub(crate) enum TextColumn {
    /// All in memory.
    Made(Arc<Texts>),
    /// Each block is read at first use.
    Saved(Arc<TextBlocks>),
    /// All are computed at first use.
    Lazy(Lazy<Texts>),
}

impl From<Texts> for TextColumn {
    fn from(texts: Texts) -> TextColumn {
        TextColumn::Made(Arc::new(texts))
    }
}

impl Default for TextColumn {
    fn default() -> TextColumn {
        TextColumn::Made(Arc::default())
    }
}

impl TextColumn {
    pub(crate) fn len(&self) -> usize {
        match self {
            TextColumn::Made(texts) => texts.len(),
            TextColumn::Saved(blocks) => blocks.len(),
            TextColumn::Lazy(texts) => texts.len(),
        }
    }

    pub(crate) fn at(&self, code: u32) -> &str {
        match self {
            TextColumn::Made(texts) => texts.at(code),
            TextColumn::Saved(blocks) => blocks.at(code),
            TextColumn::Lazy(texts) => texts.at(code),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len() as u32).map(|code| self.at(code))
    }

    /// Bytes of memory that they take so far.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            TextColumn::Made(texts) => texts.bytes(),
            TextColumn::Saved(blocks) => blocks.bytes(),
            TextColumn::Lazy(texts) => texts.made().map_or(0, Texts::bytes),
        }
    }
}
