//! Packing: blocks of numbers or texts in few bytes.
//!
//! The numbers of a block are packed in groups of [`GROUP`]: the least number, the number of bits of the differences to
//! it, and the differences.

use bitpacking::{BitPacker, BitPacker4x};

use super::bytes::{Decoder, Encoder};

/// Numbers of a block.
pub(crate) const BLOCK: usize = 8192;

/// Numbers that share a width.
const GROUP: usize = BitPacker4x::BLOCK_LEN;

/// The numbers that are packed in place of the original ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    /// The original numbers.
    Plain,
    /// The difference to the previous number; differences near 0 are small, whether positive or negative.
    Steps,
    /// The difference to the previous number, for numbers that only rise.
    Rises,
    /// The distance below the greatest number so far; 0 for a new greatest number, which is one more.
    News,
}

impl Coding {
    /// The coding with that number.
    pub(crate) fn numbered(number: u64) -> Option<Coding> {
        let all = [Coding::Plain, Coding::Steps, Coding::Rises, Coding::News];
        all.into_iter().find(|coding| *coding as u64 == number)
    }

    /// The numbers to pack for a block; `before` is what [`Coding::after`] gave for the previous block, 0 at first.
    fn encode(self, before: u32, numbers: &[u32], into: &mut Vec<u32>) {
        into.clear();
        let mut last = before;
        match self {
            Coding::Plain => into.extend_from_slice(numbers),
            Coding::Steps | Coding::Rises => {
                let steps = numbers.iter().map(|number| number.wrapping_sub(std::mem::replace(&mut last, *number)));
                match self {
                    Coding::Steps => into.extend(steps.map(|step| step << 1 ^ ((step as i32) >> 31) as u32)),
                    _ => into.extend(steps),
                }
            }
            Coding::News => into.extend(numbers.iter().map(|number| match last.wrapping_add(1) == *number {
                true => {
                    last = *number;
                    0
                }
                false => last.wrapping_sub(*number).wrapping_add(1),
            })),
        }
    }

    /// Restores the original numbers in place.
    fn decode(self, before: u32, numbers: &mut [u32]) {
        let mut last = before;
        match self {
            Coding::Plain => {}
            Coding::Steps => numbers.iter_mut().for_each(|number| {
                last = last.wrapping_add(*number >> 1 ^ (*number & 1).wrapping_neg());
                *number = last;
            }),
            Coding::Rises => numbers.iter_mut().for_each(|number| {
                last = last.wrapping_add(*number);
                *number = last;
            }),
            Coding::News => numbers.iter_mut().for_each(|number| {
                let is_new = u32::from(*number == 0);
                last = last.wrapping_add(is_new);
                *number = last.wrapping_sub(number.wrapping_sub(1 - is_new));
            }),
        }
    }

    /// The state with which the next block begins.
    pub(crate) fn after(self, before: u32, numbers: &[u32]) -> u32 {
        match self {
            Coding::Plain => 0,
            Coding::Steps | Coding::Rises => numbers.last().copied().unwrap_or(before),
            Coding::News => {
                numbers.iter().fold(before, |last, number| if last.wrapping_add(1) == *number { *number } else { last })
            }
        }
    }
}

/// The bytes of a block; `before` is what [`Coding::after`] gave for the previous block.
pub(crate) fn pack(coding: Coding, before: u32, numbers: &[u32]) -> Vec<u8> {
    let unit = BitPacker4x::new();
    let mut out = Encoder::default();
    let mut coded = Vec::with_capacity(numbers.len());
    out.number(u64::from(before));
    coding.encode(before, numbers, &mut coded);
    for group in coded.chunks(GROUP) {
        let least = group.iter().copied().min().unwrap_or(0);
        let mut above = [0; GROUP];
        above.iter_mut().zip(group).for_each(|(above, number)| *above = number - least);
        let width = unit.num_bits(&above);
        out.number(u64::from(least));
        out.number(u64::from(width));
        let mut packed = [0; GROUP * 4];
        let length = unit.compress(&above, &mut packed, width);
        out.bytes.extend_from_slice(&packed[..length]);
    }
    out.bytes
}

/// The `n_numbers` of a block; none if the bytes are not a packed block.
pub(crate) fn unpack(coding: Coding, block: &[u8], n_numbers: usize, numbers: &mut Vec<u32>) -> Option<()> {
    let unit = BitPacker4x::new();
    let mut reader = Decoder::new(block);
    let before = reader.word()?;
    numbers.clear();
    numbers.resize(n_numbers.checked_next_multiple_of(GROUP).filter(|_| n_numbers <= BLOCK)?, 0);
    for group in numbers.chunks_exact_mut(GROUP) {
        let least = reader.word()?;
        let width = u8::try_from(reader.number()?).ok().filter(|width| *width <= 32)?;
        let packed = reader.bytes(usize::from(width) * GROUP / 8)?;
        unit.decompress(packed, group, width);
        group.iter_mut().for_each(|number| *number = number.wrapping_add(least));
    }
    numbers.truncate(n_numbers);
    coding.decode(before, numbers);
    reader.is_at_end().then_some(())
}

/// Compressed bytes, after the number of the original ones.
pub(crate) fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut out = Encoder::default();
    out.number(bytes.len() as u64);
    out.bytes.extend_from_slice(&lz4_flex::block::compress(bytes));
    out.bytes
}

/// A compressed byte stands for at most this many.
const MOST_GROWTH: usize = 256;

/// The original bytes; none if the bytes are not compressed ones.
pub(crate) fn decompress(block: &[u8]) -> Option<Vec<u8>> {
    let mut reader = Decoder::new(block);
    let length = usize::try_from(reader.number()?).ok()?;
    if length / MOST_GROWTH > block.len() {
        return None;
    }
    let bytes = lz4_flex::block::decompress(reader.rest(), length).ok()?;
    (bytes.len() == length).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(coding: Coding, numbers: &[u32]) {
        let mut before = 0;
        let mut back = Vec::new();
        let mut unpacked = Vec::new();
        for block in numbers.chunks(BLOCK) {
            let packed = pack(coding, before, block);
            before = coding.after(before, block);
            unpack(coding, &packed, block.len(), &mut unpacked).expect("it was packed just now");
            back.extend_from_slice(&unpacked);
        }
        assert_eq!(back, numbers, "{coding:?}");
    }

    #[test]
    fn packed_numbers_round_trip() {
        let many: Vec<u32> = (0..20_000_u32).map(|n| n.wrapping_mul(2_654_435_761) >> (n % 32)).collect();
        let news: Vec<u32> = (0..20_000).map(|n| if n % 3 == 0 { n / 3 + 1 } else { n / 4 }).collect();
        for coding in [Coding::Plain, Coding::Steps, Coding::Rises, Coding::News] {
            for numbers in [&many[..], &news, &[], &[u32::MAX, 0, u32::MAX, 1], &[0; 129]] {
                round_trip(coding, numbers);
            }
        }
    }

    #[test]
    fn malformed_bytes_do_not_unpack() {
        let mut numbers = Vec::new();
        assert_eq!(unpack(Coding::Plain, &[], 1, &mut numbers), None);
        assert_eq!(unpack(Coding::Plain, &[0, 0, 33, 1, 1], 1, &mut numbers), None);
        assert_eq!(unpack(Coding::Plain, &[0, 0, 0, 7], 1, &mut numbers), None, "a byte too many");
        assert_eq!(decompress(&[0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 1]), None, "more than can be in it");
        assert_eq!(decompress(&compress(b"abcabcabcabcabcabc")).as_deref(), Some(&b"abcabcabcabcabcabc"[..]));
    }
}
