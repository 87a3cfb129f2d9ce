//! Units of times.

/// What the integers of a column of times count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TimeUnit {
    #[default]
    Nanoseconds,
    Microseconds,
    Milliseconds,
    Seconds,
    Minutes,
}

impl TimeUnit {
    /// The unit with this name: `ns`, `us`, `ms`, `s` or `m`, also `min`.
    pub(crate) fn named(name: &str) -> Option<TimeUnit> {
        Some(match name {
            "ns" => TimeUnit::Nanoseconds,
            "us" => TimeUnit::Microseconds,
            "ms" => TimeUnit::Milliseconds,
            "s" => TimeUnit::Seconds,
            "m" | "min" => TimeUnit::Minutes,
            _ => return None,
        })
    }

    /// Whether a word that is no unit means one: `hours`, `millis`.
    pub(crate) fn is_meant_by(word: &str) -> bool {
        const BEGINNINGS: [&str; 7] = ["day", "hour", "minute", "sec", "milli", "micro", "nano"];
        BEGINNINGS.iter().any(|beginning| word.starts_with(beginning))
            || ["d", "h", "hrs", "mins", "msec", "usec", "nsec"].contains(&word)
    }

    /// How many nanoseconds it has.
    pub(crate) const fn nanoseconds(self) -> i64 {
        match self {
            TimeUnit::Nanoseconds => 1,
            TimeUnit::Microseconds => 1_000,
            TimeUnit::Milliseconds => 1_000_000,
            TimeUnit::Seconds => 1_000_000_000,
            TimeUnit::Minutes => 60_000_000_000,
        }
    }

    /// That number of the unit as goals write it, in the greatest unit that it reaches: `ms(1.5)`.
    pub(crate) fn text(self, number: i64) -> String {
        let time = i128::from(number) * i128::from(self.nanoseconds());
        let units = [("s", 9), ("ms", 6), ("us", 3)];
        let reached = units.into_iter().find(|(_, digits)| time.abs() >= 10_i128.pow(*digits));
        let (name, digits) = reached.unwrap_or(("ns", 0));
        let size = 10_i128.pow(digits);
        let rest = format!("{:0width$}", time.abs() % size, width = digits as usize);
        let text = format!("{}.{rest}", time / size);
        format!("{name}({})", text.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact_in_the_unit_that_suits_them() {
        for (number, unit, text) in [
            (0, TimeUnit::Nanoseconds, "ns(0)"),
            (999, TimeUnit::Nanoseconds, "ns(999)"),
            (1_000, TimeUnit::Nanoseconds, "us(1)"),
            (-1_500_000, TimeUnit::Nanoseconds, "ms(-1.5)"),
            (20, TimeUnit::Milliseconds, "ms(20)"),
            (90, TimeUnit::Minutes, "s(5400)"),
            (1_790_000_000_000_001_000, TimeUnit::Nanoseconds, "s(1790000000.000001)"),
            (i64::MIN, TimeUnit::Minutes, "s(-553402322211286548480)"),
        ] {
            assert_eq!(unit.text(number), text);
        }
    }
}
