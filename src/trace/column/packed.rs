//! How the numbers of a column are stored in the blocks of a saved trace.

use super::codes::Codes;
use crate::trace::file::packing::Coding;
use crate::trace::file::saved_file::Section;

/// A code of the width of its column.
pub(crate) trait PackedCode: Copy + Send {
    /// Converts a number that is known to fit.
    fn of(number: u32) -> Self;
}

impl PackedCode for u8 {
    fn of(number: u32) -> u8 {
        number as u8
    }
}

impl PackedCode for u16 {
    fn of(number: u32) -> u16 {
        number as u16
    }
}

impl PackedCode for u32 {
    fn of(number: u32) -> u32 {
        number
    }
}

/// Sets codes to numbers that are known to fit.
pub(crate) fn set<T: PackedCode>(codes: &mut [T], numbers: &[u32]) {
    codes.iter_mut().zip(numbers).for_each(|(code, number)| *code = T::of(*number));
}

/// The width of a column's numbers in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    U8,
    U16,
    U32,
    /// Integers as they are, with a special value for absent ones.
    Wide,
}

impl Width {
    pub(crate) fn of(codes: &Codes) -> Width {
        match codes {
            Codes::U8(_) => Width::U8,
            Codes::U16(_) => Width::U16,
            Codes::U32(_) => Width::U32,
        }
    }

    /// The width with this number.
    pub(crate) fn numbered(number: u64) -> Option<Width> {
        [Width::U8, Width::U16, Width::U32, Width::Wide].into_iter().find(|width| *width as u64 == number)
    }

    pub(crate) fn greatest(self) -> u32 {
        match self {
            Width::U8 => u32::from(u8::MAX),
            Width::U16 => u32::from(u16::MAX),
            Width::U32 | Width::Wide => u32::MAX,
        }
    }

    /// Bytes of a number.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Width::U8 => 1,
            Width::U16 => 2,
            Width::U32 => 4,
            Width::Wide => 8,
        }
    }

    pub(crate) fn zeros(self, length: usize) -> Codes {
        match self {
            Width::U8 => Codes::U8(vec![0; length]),
            Width::U16 => Codes::U16(vec![0; length]),
            Width::U32 | Width::Wide => Codes::U32(vec![0; length]),
        }
    }
}

/// The order in which the numbers of a column are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoredOrder {
    /// In the order of the events, or of the other things that the numbers belong to.
    Rows,
    /// Key by key.
    Keys,
}

/// A section of numbers and how to read it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packed {
    pub(crate) section: Section,
    pub(crate) width: Width,
    pub(crate) coding: Coding,
    /// The maximum of the numbers.
    pub(crate) greatest: u32,
    /// Whether no number is 0.
    pub(crate) is_full: bool,
}

impl Packed {
    pub(crate) fn n_values(&self) -> usize {
        self.section.n_values as usize
    }
}
