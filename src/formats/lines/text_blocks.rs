//! Many texts that are kept for lazy columns: in blocks, so that they need not be moved when there are more.

/// Texts, one after the other.
#[derive(Debug, Default)]
pub(crate) struct TextBlocks {
    blocks: Vec<Vec<u8>>,
}

/// The place of a text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockSpan {
    pub(crate) block: u32,
    pub(crate) start: u32,
    pub(crate) length: u32,
}

/// Bytes of a block, unless one text is longer.
const BLOCK: usize = 1 << 18;

impl TextBlocks {
    /// Adds a text that is given in parts; returns its place.
    pub(crate) fn add_parts(&mut self, parts: &[&[u8]]) -> BlockSpan {
        let (span, block) = self.room(parts.iter().map(|part| part.len()).sum());
        parts.iter().for_each(|part| block.extend_from_slice(part));
        span
    }

    /// The place of a text that is added next, and the block with room for it.
    #[inline]
    fn room(&mut self, length: usize) -> (BlockSpan, &mut Vec<u8>) {
        let has_room = self.blocks.last().is_some_and(|block| block.capacity() - block.len() >= length);
        if !has_room {
            self.blocks.push(Vec::with_capacity(BLOCK.max(length)));
        }
        let index = self.blocks.len() - 1;
        let block = &mut self.blocks[index];
        (BlockSpan { block: index as u32, start: block.len() as u32, length: length as u32 }, block)
    }

    /// The text at a place; empty if there is none.
    pub(crate) fn at(&self, span: BlockSpan) -> &[u8] {
        let start = span.start as usize;
        let block = self.blocks.get(span.block as usize);
        block.and_then(|block| block.get(start..start + span.length as usize)).unwrap_or_default()
    }

    /// Frees spare capacity.
    pub(crate) fn shrink(&mut self) {
        self.blocks.last_mut().into_iter().for_each(Vec::shrink_to_fit);
    }

    /// Bytes of memory in use.
    pub(crate) fn n_bytes(&self) -> usize {
        self.blocks.iter().map(Vec::capacity).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_where_they_are_whatever_their_length() {
        let mut texts = TextBlocks::default();
        let long = vec![b'x'; BLOCK + 7];
        let added: Vec<&[u8]> = vec![b"a", &long, b"", b"bc", &long[..BLOCK - 1], b"d"];
        let mut add = |(index, text): (usize, &&[u8])| match index % 2 {
            0 => texts.add_parts(&[text]),
            _ => texts.add_parts(&[&text[..text.len() / 2], &text[text.len() / 2..]]),
        };
        let spans: Vec<BlockSpan> = added.iter().enumerate().map(&mut add).collect();
        assert!(spans.iter().zip(&added).all(|(span, text)| texts.at(*span) == *text));
        texts.shrink();
        assert_eq!(texts.at(spans[3]), b"bc");
        assert_eq!(texts.at(BlockSpan { block: 9, start: 0, length: 1 }), b"");
    }
}
