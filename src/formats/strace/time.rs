//! The times of lines, which state the time of the day, the time since 1970, or the time since the line before.

use super::line::TimeStamp;

/// What earlier lines say about the time of the next one.
#[derive(Debug, Default)]
pub(crate) struct LineClock {
    last_of_day: Option<i64>,
    n_days: i64,
    sum: i64,
    /// The time of the last line that has one.
    pub(crate) last: Option<i64>,
    /// From when times count, `day` or `start`, unless it is 1970.
    pub(crate) origin: Option<&'static str>,
}

const DAY: i64 = 86_400 * 1_000_000_000;

impl LineClock {
    /// The time of the next line in nanoseconds.
    ///
    /// Times of the day are since the first midnight; one that is more than 12 hours before the last is of the next day.
    #[inline]
    pub(crate) fn time(&mut self, stamp: TimeStamp) -> Option<i64> {
        match stamp {
            TimeStamp::Absent => None,
            TimeStamp::Epoch(time) => Some(time),
            TimeStamp::OfDay(time) => Some(self.of_day(time)),
            TimeStamp::Since(time) => {
                self.origin = Some("start");
                self.sum = self.sum.saturating_add(time);
                Some(self.sum)
            }
        }
    }

    fn of_day(&mut self, time: i64) -> i64 {
        if self.last_of_day.is_some_and(|last| time < last - DAY / 2) {
            self.n_days += 1;
        }
        self.last_of_day = Some(time);
        self.origin = Some("day");
        self.n_days.saturating_mul(DAY).saturating_add(time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_day_that_drops_far_is_of_the_next_day() {
        let mut clock = LineClock::default();
        let mut time = |hours: i64| clock.time(TimeStamp::OfDay(hours * 3600 * 1_000_000_000));
        assert_eq!([time(23), time(22), time(1)].map(Option::unwrap_or_default), [23, 22, 25].map(|h| h * DAY / 24));
    }

    #[test]
    fn times_since_the_line_before_are_added() {
        let mut clock = LineClock::default();
        let times = [5, 0, 7].map(|time| clock.time(TimeStamp::Since(time)));
        assert_eq!(times, [Some(5), Some(5), Some(12)]);
        assert_eq!(clock.time(TimeStamp::Absent), None);
    }
}
