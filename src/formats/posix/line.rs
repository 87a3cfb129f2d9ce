//! A line of an event: taken apart at once if it is written in the usual order, else by a JSON parser.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::formats::lines::text::json_fault;

/// An event as its line has it.
#[derive(Debug, PartialEq)]
pub struct Record<'l> {
    /// Nanoseconds.
    pub time: Option<i64>,
    pub id: i64,
    pub pid: Option<i64>,
    pub tid: Option<i64>,
    pub addr: Option<&'l str>,
    pub trunc: Truncation<'l>,
    pub data: Data<'l>,
    /// Size of the data before they were truncated.
    pub wanted: Option<i64>,
    /// Everything else.
    pub others: Vec<(&'l str, &'l Value)>,
}

/// Whether data were truncated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truncation<'l> {
    Absent,
    None,
    Record,
    Read,
    Unknown(&'l str),
}

/// What an event brought along.
#[derive(Debug, PartialEq)]
pub enum Data<'l> {
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
    pub fn word(self) -> Option<&'l str> {
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
pub fn object(text: &str) -> Result<Map<String, Value>, String> {
    serde_json::from_str(text).map_err(|error| json_fault(text, &error))
}

/// `3127.265358327` in nanoseconds; at most nine digits stand behind the point.
pub fn time(text: &str) -> Option<i64> {
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if seconds.is_empty() || fraction.len() > 9 || !is_number(seconds) || !is_number(fraction) {
        return None;
    }
    let nanoseconds = fraction.bytes().fold(0, |value, byte| value * 10 + i64::from(byte - b'0'));
    let scale = 10_i64.pow(9 - fraction.len() as u32);
    seconds.parse::<i64>().ok()?.checked_mul(1_000_000_000)?.checked_add(nanoseconds * scale)
}

/// A line written in the usual order without blanks and escapes; none for any other.
///
/// ```text
/// {"t":"3176.141179806","id":33,"pid":24220,"tid":4,"addr":"0x55d0","trunc":"POSIX_TRACE_NOT_TRUNCATED","data":"03000000"}
/// ```
pub fn quick(text: &str) -> Option<Record<'_>> {
    let mut scan = Scan(text);
    scan.skip("{\"t\":\"")?;
    let time = Some(time(scan.string()?)?);
    let id = scan.number(",\"id\":")?;
    let pid = scan.number(",\"pid\":");
    let tid = scan.number(",\"tid\":");
    let addr = scan.string_behind(",\"addr\":\"")?;
    let trunc = scan.string_behind(",\"trunc\":\"")?;
    let data = scan.data()?;
    let wanted = scan.number(",\"wanted\":");
    let trunc = trunc.map_or(Truncation::Absent, Truncation::of);
    let is_whole = scan.0 == "}" && !matches!(trunc, Truncation::Unknown(_));
    is_whole.then(|| Record { time, id, pid, tid, addr, trunc, data, wanted, others: Vec::new() })
}

/// What is left of a line.
struct Scan<'l>(&'l str);

impl<'l> Scan<'l> {
    fn skip(&mut self, prefix: &str) -> Option<()> {
        self.0 = self.0.strip_prefix(prefix)?;
        Some(())
    }

    /// The string up to the next quote, which is left too.
    fn string(&mut self) -> Option<&'l str> {
        let end = memchr::memchr2(b'"', b'\\', self.0.as_bytes())?;
        let (string, rest) = self.0.split_at(end);
        self.0 = rest.strip_prefix('"')?;
        Some(string)
    }

    /// The string behind `key`, which need not be there.
    fn string_behind(&mut self, key: &str) -> Option<Option<&'l str>> {
        match self.skip(key) {
            Some(()) => self.string().map(Some),
            None => Some(None),
        }
    }

    /// The number behind `key`; nothing is passed over if it is not there.
    fn number(&mut self, key: &str) -> Option<i64> {
        let rest = self.0.strip_prefix(key)?;
        let mut value = 0_i64;
        let mut end = 0;
        while let Some(byte @ b'0'..=b'9') = rest.as_bytes().get(end) {
            value = value.checked_mul(10)?.checked_add(i64::from(byte - b'0'))?;
            end += 1;
        }
        if end == 0 || end == rest.len() {
            return None;
        }
        self.0 = &rest[end..];
        Some(value)
    }

    fn data(&mut self) -> Option<Data<'l>> {
        if let Some(number) = self.number(",\"data\":") {
            return Some(Data::Integer(number));
        }
        match self.skip(",\"data\":\"") {
            Some(()) => self.string().map(Data::Hex),
            None => Some(Data::Absent),
        }
    }
}

impl<'l> Record<'l> {
    /// The event that an object is, and what is wrong with it; an error if it is none.
    pub fn of(object: &'l Map<String, Value>) -> Result<(Record<'l>, Vec<String>), String> {
        let id = object.get("id").and_then(Value::as_i64).ok_or("expected an integer for `id`")?;
        let mut record = Record {
            time: None,
            id,
            pid: None,
            tid: None,
            addr: None,
            trunc: Truncation::Absent,
            data: Data::Absent,
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
                    Value::String(hex) => Data::Hex(hex),
                    Value::Number(number) => Data::Integer(number.as_i64().ok_or("an integer")?),
                    other => Data::Object(other),
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

    #[test]
    fn the_quick_way_gives_what_the_parser_gives() {
        let lines = [
            r#"{"t":"3.5","id":33,"pid":24,"tid":4,"addr":"0x5","trunc":"POSIX_TRACE_NOT_TRUNCATED","data":"03"}"#,
            r#"{"t":"3.5","id":4,"pid":0,"tid":0,"addr":"0x0","trunc":"POSIX_TRACE_NOT_TRUNCATED"}"#,
            r#"{"t":"3.5","id":3,"pid":0,"tid":0,"addr":"0x0","trunc":"POSIX_TRACE_NOT_TRUNCATED","data":1}"#,
            r#"{"t":"3.5","id":3,"trunc":"POSIX_TRACE_TRUNCATED_RECORD","data":"ab","wanted":37}"#,
        ];
        for line in lines {
            let object = object(line).unwrap();
            assert_eq!(quick(line), Some(Record::of(&object).unwrap().0), "{line}");
        }
    }

    #[test]
    fn what_is_unusual_is_left_to_the_parser() {
        for line in [
            r#"{"t": "3.5", "id": 33}"#,
            r#"{"t":"3.5","id":33,"addr":"\u0030"}"#,
            r#"{"t":"3.5","id":33,"more":1}"#,
            r#"{"t":"3.5","id":33,"data":{"event_filter":[]}}"#,
            r#"{"t":"3.5","id":33"#,
        ] {
            assert_eq!(quick(line), None, "{line}");
        }
    }
}
