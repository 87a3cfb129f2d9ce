//! Blocks of 64 bytes as bit masks, the first byte in the lowest bit: quotes, brackets, and what is inside of texts.

use wide::u8x16;

/// Bytes that are compared at once.
pub(super) const BLOCK: usize = 64;

/// Where some bytes stand in a block.
pub(super) struct BlockMasks {
    quotes: u64,
    backslashes: u64,
    /// `{` and `[`.
    pub(super) opens: u64,
    /// `}` and `]`.
    pub(super) closes: u64,
    pub(super) newlines: u64,
}

impl BlockMasks {
    /// The masks of the block at `at`; zeros follow the last byte of the text.
    #[inline]
    pub(super) fn at(text: &[u8], at: usize) -> BlockMasks {
        let rest = text.get(at..).unwrap_or_default();
        match rest.first_chunk::<BLOCK>() {
            Some(block) => BlockMasks::of(block),
            None => BlockMasks::of_last(rest),
        }
    }

    #[cold]
    fn of_last(rest: &[u8]) -> BlockMasks {
        let mut block = [0; BLOCK];
        block[..rest.len()].copy_from_slice(rest);
        BlockMasks::of(&block)
    }

    #[inline]
    fn of(block: &[u8; BLOCK]) -> BlockMasks {
        let mut masks = BlockMasks { quotes: 0, backslashes: 0, opens: 0, closes: 0, newlines: 0 };
        for (index, part) in block.chunks_exact(16).enumerate() {
            let bytes = u8x16::new(part.try_into().expect("a part has 16 bytes"));
            // `[` and `{`, `]` and `}` differ in one bit
            let folded = bytes | u8x16::splat(0x20);
            let bits =
                |bytes: u8x16, byte: u8| u64::from(bytes.simd_eq(u8x16::splat(byte)).to_bitmask()) << (16 * index);
            masks.quotes |= bits(bytes, b'"');
            masks.backslashes |= bits(bytes, b'\\');
            masks.opens |= bits(folded, b'{');
            masks.closes |= bits(folded, b'}');
            masks.newlines |= bits(bytes, b'\n');
        }
        masks
    }
}

/// Bytes of a text in quotes that are compared at once: most texts are short.
const PART: usize = 16;

/// The offset of the first byte from `from` on that ends a text in quotes, begins an escape, or is a control character; the
/// length of the text if there is none.
#[inline]
pub(super) fn plain_end(text: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(part) = text.get(at..).and_then(|rest| rest.first_chunk::<PART>()) {
        let specials = specials(*part);
        if specials != 0 {
            return at + specials.trailing_zeros() as usize;
        }
        at += PART;
    }
    last_plain_end(text, at)
}

/// As `plain_end`, where less than a part is left; zeros, which are control characters, follow the last byte.
#[inline(never)]
fn last_plain_end(text: &[u8], at: usize) -> usize {
    let (rest, mut part) = (text.get(at..).unwrap_or_default(), [0; PART]);
    part[..rest.len()].copy_from_slice(rest);
    text.len().min(at + specials(part).trailing_zeros() as usize)
}

/// The bytes that are not plain in a text in quotes.
#[inline(always)]
fn specials(part: [u8; PART]) -> u32 {
    let bytes = u8x16::new(part);
    let is = |byte: u8| bytes.simd_eq(u8x16::splat(byte));
    let is_control = bytes.min(u8x16::splat(0x1F)).simd_eq(bytes);
    (is(b'"') | is(b'\\') | is_control).to_bitmask()
}

/// What one block says about the bytes of the next one.
#[derive(Clone, Copy, Default)]
pub(super) struct TextState {
    /// All ones inside of a text.
    inside: u64,
    /// 1 if a backslash stands before the block that is not escaped itself.
    escaped: u64,
}

impl TextState {
    /// The bytes of the next block that are in texts, opening quotes included.
    #[inline]
    pub(super) fn texts(&mut self, masks: &BlockMasks) -> u64 {
        let quotes = masks.quotes & !self.escapes(masks.backslashes);
        let inside = prefix_xor(quotes) ^ self.inside;
        self.inside = ((inside as i64) >> 63) as u64;
        inside
    }

    /// The bytes that follow a backslash which is not escaped itself.
    #[inline]
    fn escapes(&mut self, backslashes: u64) -> u64 {
        const EVEN: u64 = 0x5555_5555_5555_5555;
        if backslashes == 0 {
            return std::mem::take(&mut self.escaped);
        }
        let backslashes = backslashes & !self.escaped;
        let follow = backslashes << 1 | self.escaped;
        // a carry runs through each sequence of backslashes that begins at an odd place
        let odd_starts = backslashes & !EVEN & !follow;
        let (even_ends, carries) = odd_starts.overflowing_add(backslashes);
        self.escaped = u64::from(carries);
        (EVEN ^ (even_ends << 1)) & follow
    }
}

/// For each bit whether the number of ones up to it is odd.
#[inline]
fn prefix_xor(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes of a text that are inside of quotes, one by one.
    fn texts_one_by_one(text: &[u8]) -> Vec<bool> {
        let (mut is_inside, mut is_escaped) = (false, false);
        let inside = text.iter().map(|byte| {
            let escaped = std::mem::replace(&mut is_escaped, false);
            is_escaped = *byte == b'\\' && !escaped;
            is_inside ^= *byte == b'"' && !escaped;
            is_inside
        });
        inside.collect()
    }

    #[test]
    fn texts_are_those_that_a_walk_finds() {
        let mut seed = 1u64;
        for _ in 0..2000 {
            let text: Vec<u8> = (0..200)
                .map(|_| {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    b"\"\\a{}\\\\\\"[(seed >> 33) as usize % 8]
                })
                .collect();
            let mut state = TextState::default();
            let found = (0..text.len()).step_by(BLOCK).flat_map(|at| {
                let inside = state.texts(&BlockMasks::at(&text, at));
                (0..BLOCK).map(move |bit| inside >> bit & 1 == 1)
            });
            let found: Vec<bool> = found.take(text.len()).collect();
            assert_eq!(found, texts_one_by_one(&text), "{}", String::from_utf8_lossy(&text));
        }
    }

    #[test]
    fn the_first_special_byte_is_found_at_every_place() {
        for special in (0..0x20).chain([b'"', b'\\']) {
            for (before, after) in (0..40).flat_map(|before| [0, 1, 15, 16, 40].map(|after| (before, after))) {
                let mut text = vec![b'a'; before + 1 + after];
                text[before] = special;
                assert_eq!(plain_end(&text, 0), before, "{special} before {after} bytes");
                assert_eq!(plain_end(&text, before + 1), text.len());
            }
        }
        for plain in 0x20..=u8::MAX {
            let is_plain = !matches!(plain, b'"' | b'\\');
            assert_eq!(plain_end(&[plain; 37], 3), if is_plain { 37 } else { 3 });
        }
        assert_eq!((plain_end(b"", 0), plain_end(b"abc", 3)), (0, 3));
    }

    #[test]
    fn brackets_and_line_ends_are_found_to_the_last_byte() {
        let text = [b"x".repeat(60), b"{]\n[}".to_vec()].concat();
        let (first, last) = (BlockMasks::at(&text, 0), BlockMasks::at(&text, 64));
        assert_eq!((first.opens >> 60, first.closes >> 60, first.newlines >> 60), (0b1001, 0b0010, 0b0100));
        assert_eq!((last.opens, last.closes, last.newlines), (0, 1, 0));
    }
}
