//! Columns of integers: codes of a scale where that is possible, or else whole integers.

use super::codes::{Codes, make_room};
use super::scale::Scale;

/// Integers, some of them absent; rows after the last one are absent.
#[derive(Clone, Debug)]
pub(crate) enum IntColumn {
    /// Codes of the values on a scale, and 0 for an absent one.
    Coded(Codes, Scale),
    /// The value itself, and [`ABSENT`] for an absent one.
    Wide(Vec<i64>),
}

/// Marks an absent value in a wide column, so a column cannot store `i64::MIN` as a value.
pub(crate) const ABSENT: i64 = i64::MIN;

impl Default for IntColumn {
    fn default() -> IntColumn {
        IntColumn::Coded(Codes::default(), Scale::NATURAL)
    }
}

impl IntColumn {
    /// Sets the value of `row`, which must not precede a row that was set.
    #[inline]
    pub(crate) fn set(&mut self, row: usize, value: i64) {
        match self {
            IntColumn::Coded(codes, scale) => match scale.code(value) {
                Some(code) => codes.set(row, code),
                None => self.set_off_scale(row, value),
            },
            IntColumn::Wide(_) => self.set_wide(row, value),
        }
    }

    #[cold]
    fn set_off_scale(&mut self, row: usize, value: i64) {
        self.rescale(&[value]);
        match self {
            IntColumn::Coded(codes, scale) => codes.set(row, scale.code(value).unwrap_or_default()),
            IntColumn::Wide(_) => self.set_wide(row, value),
        }
    }

    /// Makes room for the values of more rows.
    pub(crate) fn make_room(&mut self, n_more: usize) {
        match self {
            IntColumn::Coded(codes, _) => codes.make_room(n_more),
            IntColumn::Wide(values) => make_room(values, n_more),
        }
    }

    fn set_wide(&mut self, row: usize, value: i64) {
        if let IntColumn::Wide(values) = self {
            values.resize(row, ABSENT);
            values.push(value);
        }
    }

    /// Sets the values of the rows from `row` on, [`ABSENT`] for a row without one. No later row may be set already.
    pub(crate) fn extend(&mut self, row: usize, values: &[i64]) {
        let n_rows = values.iter().rposition(|value| *value != ABSENT).map_or(0, |last| last + 1);
        let values = &values[..n_rows];
        if values.is_empty() || self.extend_coded(row, values) {
            return;
        }
        if matches!(self, IntColumn::Coded(..)) {
            self.rescale(values);
        }
        match self {
            IntColumn::Coded(..) => {
                self.extend_coded(row, values);
            }
            IntColumn::Wide(wide) => {
                make_room(wide, (row + values.len()).saturating_sub(wide.len()));
                wide.resize(row, ABSENT);
                wide.extend_from_slice(values);
            }
        }
    }

    /// The same, if all values are on the scale of the column; whether they are.
    fn extend_coded(&mut self, row: usize, values: &[i64]) -> bool {
        let IntColumn::Coded(codes, scale) = self else { return false };
        let scale = *scale;
        codes.pad(row);
        match scale {
            // a value and its code are natural numbers if no bit is set that no code has, so that the loop vectorizes
            Scale::NATURAL => codes.extend_if_fit(values.iter().map(|value| match *value {
                ABSENT => (0, 0),
                value => ((value | value.wrapping_add(1)) as u64, value.wrapping_add(1) as u64),
            })),
            _ => codes.extend_if_fit(values.iter().map(|value| match *value {
                ABSENT => (0, 0),
                value => {
                    let code = scale.wide_code(value);
                    (code, code)
                }
            })),
        }
    }

    /// Finds a scale for the values of the column and more of them; without one, the column becomes wide.
    fn rescale(&mut self, more: &[i64]) {
        let known = (0..self.len()).filter_map(|row| self.at(row));
        let more = more.iter().copied().filter(|value| *value != ABSENT);
        let rows = 0..self.len();
        *self = match Scale::of(known.chain(more)) {
            Some(scale) => {
                let code = |row| self.at(row).and_then(|value| scale.code(value)).unwrap_or_default();
                let mut codes = Codes::default();
                rows.for_each(|row| codes.push(code(row)));
                IntColumn::Coded(codes, scale)
            }
            None => IntColumn::Wide(rows.map(|row| self.at(row).unwrap_or(ABSENT)).collect()),
        };
    }

    #[inline]
    pub(crate) fn at(&self, row: usize) -> Option<i64> {
        match self {
            IntColumn::Coded(codes, scale) => scale.value(codes.at(row)),
            IntColumn::Wide(values) => values.get(row).copied().filter(|value| *value != ABSENT),
        }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self {
            IntColumn::Coded(codes, _) => codes.len(),
            IntColumn::Wide(values) => values.len(),
        }
    }

    /// Bytes of memory that it takes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            IntColumn::Coded(codes, _) => codes.bytes(),
            IntColumn::Wide(values) => values.capacity() * 8,
        }
    }

    /// Completes a column that was filled row by row: pads it to `rows`, unless it has no value at all.
    pub(crate) fn finish(&mut self, rows: usize) {
        match self {
            IntColumn::Coded(codes, _) => codes.finish(rows),
            IntColumn::Wide(values) => {
                values.resize(rows.max(values.len()), ABSENT);
                values.shrink_to_fit();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The column of parts that are added together, or value by value.
    fn column(parts: &[&[i64]], are_together: bool) -> IntColumn {
        let (mut column, mut row) = (IntColumn::default(), 0);
        for part in parts {
            match are_together {
                true => column.extend(row, part),
                false => {
                    let present = (row..).zip(*part).filter(|(_, value)| **value != ABSENT);
                    present.for_each(|(row, value)| column.set(row, *value));
                }
            }
            row += part.len();
        }
        column
    }

    fn assert_holds(column: &IntColumn, parts: &[&[i64]]) {
        let values = parts.concat();
        let expected: Vec<Option<i64>> =
            values.iter().map(|value| Some(*value).filter(|value| *value != ABSENT)).collect();
        let found: Vec<Option<i64>> = (0..values.len()).map(|row| column.at(row)).collect();
        assert_eq!(found, expected);
        assert_eq!(column.at(values.len()), None);
    }

    #[test]
    fn values_that_are_added_together_and_one_by_one_are_those_of_the_column() {
        let small = i64::from(u32::MAX) - 1;
        let parts: [&[i64]; 10] = [
            &[ABSENT, 3, ABSENT, 300, ABSENT],
            &[ABSENT, ABSENT],
            &[],
            &[70_000, 0, ABSENT],
            &[-1, -300, 5],
            &[small, ABSENT, 1],
            &[1, 2, 3],
            &[ABSENT, -1, 5, ABSENT],
            &[small + 1, ABSENT, i64::MAX],
            &[i64::MIN + 1, 0],
        ];
        for from in 0..parts.len() {
            for to in from..=parts.len() {
                let parts = &parts[from..to];
                [true, false].into_iter().for_each(|are_together| assert_holds(&column(parts, are_together), parts));
            }
        }
    }

    #[test]
    fn times_and_returned_values_are_stored_in_few_bytes() {
        let start = 1_795_364_651_664_734_000;
        let times: Vec<i64> = (0..5000).map(|step| start + 1000 * (step * 77 - step % 7 * 500)).collect();
        let later: Vec<i64> = times.iter().map(|time| time - 3_000_000).collect();
        let nanoseconds: Vec<i64> = times.iter().map(|time| time + 137).collect();
        let returned = vec![-1, 0, 832, ABSENT, 7, -1];
        for parts in [vec![&*times, &*later], vec![&*times, &*nanoseconds, &*later], vec![&*returned, &*returned]] {
            for are_together in [true, false] {
                let column = column(&parts, are_together);
                assert!(matches!(column, IntColumn::Coded(..)), "{parts:?}");
                assert_holds(&column, &parts);
            }
        }
    }

    #[test]
    fn values_that_fall_again_and_again_are_coded_anew_only_sometimes() {
        let falling: Vec<i64> = (0..200_000).map(|step| -step * 7).collect();
        assert_holds(&column(&[&falling], false), &[&falling]);
        let low: Vec<i64> = (0..200_000).map(|step| i64::from(u32::MAX) * 3 - step).collect();
        let parts: [&[i64]; 2] = [&[i64::from(u32::MAX) * 3 + 5, i64::from(u32::MAX) * 4 - 9], &low];
        assert_holds(&column(&parts, false), &parts);
        let last: Vec<i64> = (1..=200_000).rev().map(|step| i64::MIN + step).collect();
        assert_holds(&column(&[&last], false), &[&last]);
    }
}
