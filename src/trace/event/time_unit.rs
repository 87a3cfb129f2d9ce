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
}
