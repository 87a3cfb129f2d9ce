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
        match self {
            Codes::U8(narrow) => narrow.extend(codes.map(|code| code as u8)),
            Codes::U16(narrow) => narrow.extend(codes.map(|code| code as u16)),
            Codes::U32(same) => same.extend(codes),
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
        match self {
            Codes::U8(codes) => numbers.extend(codes[rows].iter().map(|code| u32::from(*code))),
            Codes::U16(codes) => numbers.extend(codes[rows].iter().map(|code| u32::from(*code))),
            Codes::U32(codes) => numbers.extend_from_slice(&codes[rows]),
        }
    }

    /// Pads with 0 to `rows`.
    pub(crate) fn pad(&mut self, rows: usize) {
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

/// Integers, some of them absent; rows after the last one are absent.
#[derive(Clone, Debug)]
pub(crate) enum IntColumn {
    /// Value + 1, and 0 for an absent one.
    Small(Codes),
    /// The value itself, and [`ABSENT`] for an absent one.
    Wide(Vec<i64>),
}

/// Marks an absent value in a wide column, so a column cannot store `i64::MIN` as a value.
pub(crate) const ABSENT: i64 = i64::MIN;

impl Default for IntColumn {
    fn default() -> IntColumn {
        IntColumn::Small(Codes::default())
    }
}

impl IntColumn {
    /// Sets the value of `row`, which must not precede a row that was set.
    #[inline]
    pub(crate) fn set(&mut self, row: usize, value: i64) {
        match self {
            IntColumn::Small(codes) if (0..i64::from(u32::MAX)).contains(&value) => codes.set(row, value as u32 + 1),
            _ => self.set_wide(row, value),
        }
    }

    fn set_wide(&mut self, row: usize, value: i64) {
        if let IntColumn::Small(codes) = self {
            let rows = 0..codes.len();
            *self = IntColumn::Wide(rows.map(|row| small(codes.at(row)).unwrap_or(ABSENT)).collect());
        }
        if let IntColumn::Wide(values) = self {
            values.resize(row, ABSENT);
            values.push(value);
        }
    }

    /// Sets the values of the rows from `row` on, [`ABSENT`] for a row without one. No later row may be set already.
    pub(crate) fn extend(&mut self, row: usize, values: &[i64]) {
        // the bits of all values and codes are combined, so that the loop vectorizes
        let bits = values.iter().fold(0, |bits, value| bits | value | value.wrapping_add(1));
        match (&mut *self, u32::try_from(bits)) {
            (IntColumn::Small(codes), Ok(bits)) => {
                codes.pad(row);
                codes.extend(values.iter().map(|value| (value + 1) as u32), bits);
            }
            (IntColumn::Small(_), Err(_)) => self.extend_with_gaps(row, values),
            (IntColumn::Wide(wide), _) => {
                wide.resize(row, ABSENT);
                wide.extend_from_slice(values);
            }
        }
    }

    /// The same for values some of which are absent, or not small.
    fn extend_with_gaps(&mut self, row: usize, values: &[i64]) {
        let n_rows = values.iter().rposition(|value| *value != ABSENT).map_or(0, |last| last + 1);
        let values = &values[..n_rows];
        let bits = |value: &i64| if *value == ABSENT { 0 } else { value | value.wrapping_add(1) };
        let all_bits = values.iter().fold(0, |all, value| all | bits(value));
        match (&mut *self, u32::try_from(all_bits)) {
            (_, Ok(0)) => {}
            (IntColumn::Small(codes), Ok(all_bits)) => {
                codes.pad(row);
                let code = |value: &i64| if *value == ABSENT { 0 } else { (value + 1) as u32 };
                codes.extend(values.iter().map(code), all_bits);
            }
            _ => (row..)
                .zip(values)
                .filter(|(_, value)| **value != ABSENT)
                .for_each(|(row, value)| self.set(row, *value)),
        }
    }

    #[inline]
    pub(crate) fn at(&self, row: usize) -> Option<i64> {
        match self {
            IntColumn::Small(codes) => small(codes.at(row)),
            IntColumn::Wide(values) => values.get(row).copied().filter(|value| *value != ABSENT),
        }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self {
            IntColumn::Small(codes) => codes.len(),
            IntColumn::Wide(values) => values.len(),
        }
    }

    /// Completes a column that was filled row by row: pads it to `rows`, unless it has no value at all.
    pub(crate) fn finish(&mut self, rows: usize) {
        match self {
            IntColumn::Small(codes) => codes.finish(rows),
            IntColumn::Wide(values) => {
                values.resize(rows.max(values.len()), ABSENT);
                values.shrink_to_fit();
            }
        }
    }
}

#[inline]
fn small(code: u32) -> Option<i64> {
    code.checked_sub(1).map(i64::from)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_added_together_are_those_that_are_set_one_by_one() {
        let small = i64::from(u32::MAX) - 1;
        let parts: [&[i64]; 8] = [
            &[ABSENT, 3, ABSENT, 300, ABSENT],
            &[ABSENT, ABSENT],
            &[],
            &[70_000, 0, ABSENT],
            &[small, ABSENT, 1],
            &[1, 2, 3],
            &[ABSENT, -1, 5, ABSENT],
            &[small + 1, ABSENT, i64::MAX],
        ];
        for n_parts in 0..=parts.len() {
            let (mut together, mut one_by_one, mut row) = (IntColumn::default(), IntColumn::default(), 0);
            for part in &parts[..n_parts] {
                together.extend(row, part);
                let present = (row..).zip(*part).filter(|(_, value)| **value != ABSENT);
                present.for_each(|(row, value)| one_by_one.set(row, *value));
                row += part.len();
            }
            let values = |column: &IntColumn| (0..row + 1).map(|row| column.at(row)).collect::<Vec<_>>();
            assert_eq!(values(&together), values(&one_by_one), "{n_parts} parts");
        }
    }
}
