//! Amounts with units: times and sizes on the command line.

use std::time::Duration;

/// The value of `--memory-limit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemoryLimit {
    /// At most this many bytes.
    Bytes(u64),
    /// No limit.
    Unlimited,
}

/// A time: seconds, or a number with `ms`, `s`, `m` or `h`.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let seconds = match unit {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("expected a time like `10`, `500ms` or `2m`, found `{text}`")),
    };
    let number: f64 = number.parse().map_err(|_| format!("expected a time like `10` or `500ms`, found `{text}`"))?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| format!("`{text}` is too long a time"))
}

/// Nanoseconds in the unit that suits them: `19.58 ms`.
pub(crate) fn duration(nanoseconds: i64) -> String {
    let units = [("s", 1_000_000_000), ("ms", 1_000_000), ("µs", 1000)];
    match units.into_iter().find(|(_, size)| nanoseconds.unsigned_abs() >= *size) {
        Some((unit, size)) => format!("{:.2} {unit}", nanoseconds as f64 / size as f64),
        None => format!("{nanoseconds} ns"),
    }
}

/// A size: bytes, or a number with `K`, `M`, `G` or `T` (powers of 1024), or `none`.
pub(crate) fn memory(text: &str) -> Result<MemoryLimit, String> {
    if text == "none" {
        return Ok(MemoryLimit::Unlimited);
    }
    let wrong = || format!("expected a size like `512M`, `2G` or `none`, found `{text}`");
    let (number, unit) = split(text);
    let shift = match unit.trim_end_matches(['B', 'b']).trim_end_matches('i') {
        "" => 0,
        "K" | "k" => 10,
        "M" | "m" => 20,
        "G" | "g" => 30,
        "T" | "t" => 40,
        _ => return Err(wrong()),
    };
    let number: u64 = number.parse().map_err(|_| wrong())?;
    number.checked_mul(1 << shift).map(MemoryLimit::Bytes).ok_or_else(wrong)
}

fn split(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(time("10"), Ok(Duration::from_secs(10)));
        assert_eq!(time("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(time("1.5m"), Ok(Duration::from_secs(90)));
        assert!(time("soon").is_err());
        assert!(time("5 days").is_err());
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(memory("512M"), Ok(MemoryLimit::Bytes(512 << 20)));
        assert_eq!(memory("2GiB"), Ok(MemoryLimit::Bytes(2 << 30)));
        assert_eq!(memory("none"), Ok(MemoryLimit::Unlimited));
        assert!(memory("99999999T").is_err());
        assert!(memory("much").is_err());
    }
}
