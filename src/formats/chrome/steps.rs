//! Numbers of records, such as their lines, most of which follow the one before at the same distance.

use super::log::RecordIdx;

/// A number for each record.
#[derive(Debug, Default)]
pub(super) struct SteadyNumbers {
    runs: Vec<Run>,
    length: RecordIdx,
}

/// Records whose numbers rise by the same step.
#[derive(Debug)]
struct Run {
    first: RecordIdx,
    start: u32,
    step: u32,
}

impl SteadyNumbers {
    /// Adds the number of the next record.
    #[inline]
    pub(super) fn push(&mut self, number: u32) {
        let length = self.length;
        self.length += 1;
        if let Some(run) = self.runs.last_mut() {
            if length - run.first == 1 && number >= run.start {
                run.step = number - run.start;
                return;
            }
            if run.at(length) == Some(number) {
                return;
            }
        }
        self.runs.push(Run { first: length, start: number, step: 0 });
    }

    /// The number of a record.
    pub(super) fn at(&self, idx: RecordIdx) -> u32 {
        let after = self.runs.partition_point(|run| run.first <= idx);
        let run = after.checked_sub(1).map(|run| &self.runs[run]);
        run.and_then(|run| run.at(idx)).unwrap_or(0)
    }

    /// The size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.runs.capacity() * size_of::<Run>()
    }
}

impl Run {
    #[inline]
    fn at(&self, idx: RecordIdx) -> Option<u32> {
        self.step.checked_mul(idx - self.first)?.checked_add(self.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_kept_whatever_their_steps() {
        for numbers in [
            vec![],
            vec![7],
            vec![1, 1, 1],
            vec![1, 2, 3, 5, 6, 9, 12, 15, 15],
            vec![5, 3, 4, u32::MAX, u32::MAX, 0, u32::MAX],
        ] {
            let mut kept = SteadyNumbers::default();
            numbers.iter().for_each(|number| kept.push(*number));
            let back: Vec<u32> = (0..numbers.len() as RecordIdx).map(|idx| kept.at(idx)).collect();
            assert_eq!(back, numbers);
        }
        let mut lines = SteadyNumbers::default();
        (0..1000).for_each(|idx| lines.push(3 + 10 * idx));
        assert_eq!(lines.runs.len(), 1);
    }
}
