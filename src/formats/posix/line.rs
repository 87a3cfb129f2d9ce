//! The grammar of an event line: a JSON object with the fields of an event.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::formats::lines::text::json_fault;

/// An event as its line has it.
#[derive(Debug, PartialEq)]
pub(crate) struct EventRecord<'l> {
    /// Nanoseconds.
    pub(crate) time: Option<i64>,
    pub(crate) id: i64,
    pub(crate) pid: Option<i64>,
    pub(crate) tid: Option<i64>,
    pub(crate) addr: Option<&'l str>,
    pub(crate) trunc: Truncation<'l>,
    pub(crate) data: EventData<'l>,
    /// Size of the data before they were truncated.
    pub(crate) wanted: Option<i64>,
    /// Everything else.
    pub(crate) others: Vec<(&'l str, &'l Value)>,
}

/// Whether data were truncated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truncation<'l> {
    Absent,
    None,
    Record,
    Read,
    Unknown(&'l str),
}

/// The data of an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum EventData<'l> {
    Absent,
    Hex(&'l str),
    Integer(i64),
    Object(&'l Value),
}

impl<'l> Truncation<'l> {
    fn of(word: &'l str) -> Truncation<'l> {
        match word {
            "POSIX_TRACE_NOT_TRUNCATED" => Truncation::None,
            "POSIX_TRACE_TRUNCATED_RECORD" => Truncation::Record,
            "POSIX_TRACE_TRUNCATED_READ" => Truncation::Read,
            other => Truncation::Unknown(other),
        }
    }

    /// The value of the attribute `trunc`.
    pub(crate) fn word(self) -> Option<&'l str> {
        match self {
            Truncation::Absent => None,
            Truncation::None => Some("none"),
            Truncation::Record => Some("record"),
            Truncation::Read => Some("read"),
            Truncation::Unknown(word) => Some(word),
        }
    }
}

/// The object on a line.
pub(crate) fn object(text: &str) -> Result<Map<String, Value>, String> {
    serde_json::from_str(text).map_err(|error| json_fault(text, &error))
}

/// `3127.265358327` in nanoseconds; the point has at most nine digits after it.
pub(crate) fn time(text: &str) -> Option<i64> {
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if seconds.is_empty() || fraction.len() > 9 || !is_number(seconds) || !is_number(fraction) {
        return None;
    }
    let nanoseconds = fraction.bytes().fold(0, |value, byte| value * 10 + i64::from(byte - b'0'));
    let scale = 10_i64.pow(9 - fraction.len() as u32);
    seconds.parse::<i64>().ok()?.checked_mul(1_000_000_000)?.checked_add(nanoseconds * scale)
}

impl<'l> EventRecord<'l> {
    /// The event that an object is, and what is wrong with it; an error if it is none.
    pub(crate) fn of(object: &'l Map<String, Value>) -> Result<(EventRecord<'l>, Vec<String>), String> {
        let id = object.get("id").and_then(Value::as_i64).ok_or("expected an integer for `id`")?;
        let mut record = EventRecord {
            time: None,
            id,
            pid: None,
            tid: None,
            addr: None,
            trunc: Truncation::Absent,
            data: EventData::Absent,
            wanted: None,
            others: Vec::new(),
        };
        let mut faults = Vec::new();
        if !object.contains_key("t") {
            faults.push("the event has no time `t`".to_string());
        }
        for (key, value) in object.iter().filter(|(key, value)| *key != "id" && !value.is_null()) {
            if let Err(expected) = record.set(key, value) {
                let found: Cow<'_, str> = value.to_string().chars().take(40).collect();
                faults.push(format!("expected {expected} for `{key}`, found `{found}`"));
            }
        }
        Ok((record, faults))
    }

    fn set(&mut self, key: &'l str, value: &'l Value) -> Result<(), &'static str> {
        match key {
            "t" => self.time = Some(value.as_str().and_then(time).ok_or("a string of seconds and nanoseconds")?),
            "pid" => self.pid = Some(value.as_i64().ok_or("an integer")?),
            "tid" => self.tid = Some(value.as_i64().ok_or("an integer")?),
            "wanted" => self.wanted = Some(value.as_i64().ok_or("an integer")?),
            "addr" => self.addr = Some(value.as_str().ok_or("a string")?),
            "trunc" => {
                self.trunc = value.as_str().map(Truncation::of).ok_or("a string")?;
                if matches!(self.trunc, Truncation::Unknown(_)) {
                    return Err("a truncation status");
                }
            }
            "data" => {
                self.data = match value {
                    Value::String(hex) => EventData::Hex(hex),
                    Value::Number(number) => EventData::Integer(number.as_i64().ok_or("an integer")?),
                    other => EventData::Object(other),
                }
            }
            _ => self.others.push((key, value)),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact() {
        assert_eq!(time("3127.265358327"), Some(3_127_265_358_327));
        assert_eq!((time("1.5"), time("7")), (Some(1_500_000_000), Some(7_000_000_000)));
        for wrong in ["", ".5", "-1.0", "1.0000000001", "1e3", "9223372036854775807.1"] {
            assert_eq!(time(wrong), None, "{wrong}");
        }
    }
}
