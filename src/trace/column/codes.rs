//! Columns: one number for each event, as narrow as the values allow.

/// Codes of a dictionary, or any small numbers, in the fewest bytes.
#[derive(Clone, Debug)]
pub(crate) enum Codes {
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
}

impl Default for Codes {
    fn default() -> Codes {
        Codes::U8(Vec::new())
    }
}

impl Codes {
    /// Sets the code of `row`, which must not precede a row that was set; skipped rows get 0.
    #[inline]
    pub(crate) fn set(&mut self, row: usize, code: u32) {
        match self {
            Codes::U8(codes) if codes.len() == row && code <= u32::from(u8::MAX) => codes.push(code as u8),
            Codes::U16(codes) if codes.len() == row && code <= u32::from(u16::MAX) => codes.push(code as u16),
            Codes::U32(codes) if codes.len() == row => codes.push(code),
            _ => self.pad_and_push(row, code),
        }
    }

    fn pad_and_push(&mut self, row: usize, code: u32) {
        self.pad(row);
        self.push(code);
    }

    #[inline]
    pub(crate) fn push(&mut self, code: u32) {
        match self {
            Codes::U8(codes) => match u8::try_from(code) {
                Ok(code) => codes.push(code),
                Err(_) => self.widen_and_push(code),
            },
            Codes::U16(codes) => match u16::try_from(code) {
                Ok(code) => codes.push(code),
                Err(_) => self.widen_and_push(code),
            },
            Codes::U32(codes) => codes.push(code),
        }
    }

    /// Adds codes, none of them with a bit above the highest bit of `greatest`.
    pub(crate) fn extend(&mut self, codes: impl Iterator<Item = u32>, greatest: u32) {
        if greatest > self.greatest() {
            self.widen(greatest);
        }
        self.make_room(codes.size_hint().0);
        match self {
            Codes::U8(narrow) => narrow.extend(codes.map(|code| code as u8)),
            Codes::U16(narrow) => narrow.extend(codes.map(|code| code as u16)),
            Codes::U32(same) => same.extend(codes),
        }
    }

    /// Adds codes, each after a number that has all its bits, unless one of these numbers does not fit in 32 bits; whether
    /// all do.
    pub(crate) fn extend_if_fit(&mut self, codes: impl Iterator<Item = (u64, u64)> + Clone) -> bool {
        let (n_before, mut all_bits) = (self.len(), 0);
        self.make_room(codes.size_hint().0);
        let again = codes.clone();
        let codes = codes.map(|(bits, code)| {
            all_bits |= bits;
            code
        });
        match self {
            Codes::U8(narrow) => narrow.extend(codes.map(|code| code as u8)),
            Codes::U16(narrow) => narrow.extend(codes.map(|code| code as u16)),
            Codes::U32(same) => same.extend(codes.map(|code| code as u32)),
        }
        if all_bits <= u64::from(self.greatest()) {
            return true;
        }
        self.truncate(n_before);
        let Ok(all_bits) = u32::try_from(all_bits) else { return false };
        self.extend(again.map(|(_, code)| code as u32), all_bits);
        true
    }

    /// Makes room for more codes.
    pub(crate) fn make_room(&mut self, n_more: usize) {
        match self {
            Codes::U8(codes) => make_room(codes, n_more),
            Codes::U16(codes) => make_room(codes, n_more),
            Codes::U32(codes) => make_room(codes, n_more),
        }
    }

    fn truncate(&mut self, rows: usize) {
        match self {
            Codes::U8(codes) => codes.truncate(rows),
            Codes::U16(codes) => codes.truncate(rows),
            Codes::U32(codes) => codes.truncate(rows),
        }
    }

    /// Sets the codes of rows in rising order, none before a row that was set; skipped rows get 0.
    pub(crate) fn scatter(&mut self, codes: impl DoubleEndedIterator<Item = (usize, u32)> + Clone) {
        let Some((last, _)) = codes.clone().next_back() else { return };
        let bits = codes.clone().fold(0, |bits, (_, code)| bits | code);
        if bits > self.greatest() {
            self.widen(bits);
        }
        self.pad(last + 1);
        match self {
            Codes::U8(narrow) => codes.for_each(|(row, code)| narrow[row] = code as u8),
            Codes::U16(narrow) => codes.for_each(|(row, code)| narrow[row] = code as u16),
            Codes::U32(same) => codes.for_each(|(row, code)| same[row] = code),
        }
    }

    #[cold]
    #[inline(never)]
    fn widen_and_push(&mut self, code: u32) {
        self.widen(code);
        self.push(code);
    }

    /// Widens the column so that it can hold `code`.
    fn widen(&mut self, code: u32) {
        *self = match self {
            Codes::U8(codes) if code <= u32::from(u16::MAX) => {
                Codes::U16(codes.iter().map(|c| u16::from(*c)).collect())
            }
            Codes::U8(codes) => Codes::U32(codes.iter().map(|c| u32::from(*c)).collect()),
            Codes::U16(codes) => Codes::U32(codes.iter().map(|c| u32::from(*c)).collect()),
            Codes::U32(_) => return,
        };
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self {
            Codes::U8(codes) => codes.len(),
            Codes::U16(codes) => codes.len(),
            Codes::U32(codes) => codes.len(),
        }
    }

    /// The code of a row; 0 after the last one.
    #[inline]
    pub(crate) fn at(&self, row: usize) -> u32 {
        match self {
            Codes::U8(codes) => codes.get(row).map_or(0, |code| u32::from(*code)),
            Codes::U16(codes) => codes.get(row).map_or(0, |code| u32::from(*code)),
            Codes::U32(codes) => codes.get(row).copied().unwrap_or(0),
        }
    }

    /// The greatest code that the current width can hold.
    pub(crate) fn greatest(&self) -> u32 {
        match self {
            Codes::U8(_) => u32::from(u8::MAX),
            Codes::U16(_) => u32::from(u16::MAX),
            Codes::U32(_) => u32::MAX,
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + Clone {
        (0..self.len()).map(|row| self.at(row))
    }

    /// Adds the codes of some rows, all within the column, to `numbers`.
    pub(crate) fn copy_to(&self, rows: std::ops::Range<usize>, numbers: &mut Vec<u32>) {
        self.map_to(rows, numbers, |code| code);
    }

    /// Adds what a function makes of the codes of some rows, all within the column, to `values`.
    pub(crate) fn map_to<T>(&self, rows: std::ops::Range<usize>, values: &mut Vec<T>, make: impl Fn(u32) -> T) {
        match self {
            Codes::U8(codes) => values.extend(codes[rows].iter().map(|code| make(u32::from(*code)))),
            Codes::U16(codes) => values.extend(codes[rows].iter().map(|code| make(u32::from(*code)))),
            Codes::U32(codes) => values.extend(codes[rows].iter().map(|code| make(*code))),
        }
    }

    /// Pads with 0 to `rows`.
    pub(crate) fn pad(&mut self, rows: usize) {
        self.make_room(rows.saturating_sub(self.len()));
        match self {
            Codes::U8(codes) => codes.resize(rows.max(codes.len()), 0),
            Codes::U16(codes) => codes.resize(rows.max(codes.len()), 0),
            Codes::U32(codes) => codes.resize(rows.max(codes.len()), 0),
        }
    }

    /// Completes a column that was filled row by row: pads it to `rows`, unless it has no value at all.
    pub(crate) fn finish(&mut self, rows: usize) {
        if self.len() > 0 {
            self.pad(rows);
        }
        self.shrink();
    }

    fn shrink(&mut self) {
        match self {
            Codes::U8(codes) => codes.shrink_to_fit(),
            Codes::U16(codes) => codes.shrink_to_fit(),
            Codes::U32(codes) => codes.shrink_to_fit(),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Codes::U8(codes) => codes.capacity(),
            Codes::U16(codes) => codes.capacity() * 2,
            Codes::U32(codes) => codes.capacity() * 4,
        }
    }
}

/// A column with so many values grows by a quarter at a time.
const LARGE: usize = 1 << 20;

/// Makes room for more values. A vector that doubles takes up to twice the memory that it needs, and a large column does
/// not grow often.
pub(crate) fn make_room<T>(column: &mut Vec<T>, n_more: usize) {
    if column.len() >= LARGE && column.capacity() - column.len() < n_more {
        column.reserve_exact(n_more.max(column.len() / 4));
    }
}

/// Numbers that mostly rise by one from row to row, such as line numbers of a file: only the other rows are stored.
#[derive(Clone, Debug, Default)]
pub(crate) struct Runs {
    starts: Vec<(u32, u64)>,
    next: u64,
}

impl Runs {
    /// Builds the numbers from the rows, in rising order, whose number does not continue the previous one.
    pub(crate) fn from_starts(starts: Vec<(u32, u64)>) -> Runs {
        Runs { starts, next: 0 }
    }

    /// The rows whose number does not continue the previous one, with their numbers.
    pub(crate) fn starts(&self) -> &[(u32, u64)] {
        &self.starts
    }

    pub(crate) fn push(&mut self, row: u32, value: u64) {
        if self.starts.is_empty() || value != self.next {
            self.starts.push((row, value));
        }
        self.next = value.wrapping_add(1);
    }

    /// Adds consecutive numbers for `n_rows` rows.
    pub(crate) fn push_run(&mut self, row: u32, value: u64, n_rows: u32) {
        self.push(row, value);
        self.next = value.wrapping_add(u64::from(n_rows));
    }

    pub(crate) fn at(&self, row: u32) -> u64 {
        let after = self.starts.partition_point(|(start, _)| *start <= row);
        let Some((start, value)) = after.checked_sub(1).map(|index| self.starts[index]) else { return 0 };
        value.wrapping_add(u64::from(row - start))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.starts.capacity() * 16
    }
}
