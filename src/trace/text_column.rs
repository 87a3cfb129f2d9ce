//! Distinct texts: in memory, or in the blocks of a saved trace.

use std::sync::Arc;

use super::dictionary::Texts;
use super::saved::TextBlocks;

/// Distinct texts, numbered from 0.
#[derive(Clone, Debug)]
pub(super) enum TextColumn {
    /// All in memory.
    Made(Texts),
    /// Each block is read when one of its texts is asked for.
    Saved(Arc<TextBlocks>),
}

impl From<Texts> for TextColumn {
    fn from(texts: Texts) -> TextColumn {
        TextColumn::Made(texts)
    }
}

impl Default for TextColumn {
    fn default() -> TextColumn {
        TextColumn::Made(Texts::default())
    }
}

impl TextColumn {
    pub(super) fn len(&self) -> usize {
        match self {
            TextColumn::Made(texts) => texts.len(),
            TextColumn::Saved(blocks) => blocks.len(),
        }
    }

    pub(super) fn at(&self, code: u32) -> &str {
        match self {
            TextColumn::Made(texts) => texts.at(code),
            TextColumn::Saved(blocks) => blocks.at(code),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len() as u32).map(|code| self.at(code))
    }

    /// Bytes that they take, as far as they are in memory.
    pub(super) fn bytes(&self) -> usize {
        match self {
            TextColumn::Made(texts) => texts.bytes(),
            TextColumn::Saved(blocks) => blocks.bytes(),
        }
    }
}
