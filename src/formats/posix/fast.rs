//! Fast lines: events with their keys in the usual order are read with [`Scan`], other lines are left to [`line`](super::line).
//!
//! Loading is 9.5 times faster than with the JSON parser alone: 0.047 instead of 0.449 seconds of processor time for 282,684
//! events in 40 MB, measured with `query 'trace_info(events, N)'` on the trace of `tests/bench/readers.py`.
//!
//! ```text
//! {"t":"3176.141179806","id":33,"pid":24220,"tid":4,"addr":"0x55d0","trunc":"POSIX_TRACE_NOT_TRUNCATED","data":"03000000"}
//! ```

use std::ops::Range;

use super::line::Truncation;
use crate::formats::lines::interner::{BytesInterner, ShortText};
use crate::formats::lines::scan::Scan;
use crate::formats::lines::{line_end, swar};

/// An event on a line in the usual order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UsualEvent {
    /// Nanoseconds.
    pub(crate) time: i64,
    pub(crate) id: i64,
    pub(crate) pid: i64,
    pub(crate) tid: i64,
    /// Number of the address among those of the chunk.
    pub(crate) addr: u32,
    /// `None`, `Record` or `Read`.
    pub(crate) trunc: Truncation<'static>,
    /// The data in the bytes of the chunk, if there are any.
    pub(crate) data: Option<DataSpan>,
    /// Size of the data before they were truncated.
    pub(crate) wanted: Option<u32>,
    /// Where the line begins.
    pub(crate) start: u32,
    /// Number of the line in the chunk, from 0.
    pub(crate) line: u32,
}

/// The bytes of an event among those of the chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DataSpan {
    pub(crate) start: u32,
    pub(crate) length: u16,
}

/// A line with its keys in another order, or one that is not an event.
#[derive(Clone, Debug)]
pub(crate) struct UnusualLine {
    /// The number of fast events before it.
    pub(crate) n_before: usize,
    /// The line in the text of the chunk, without its line end.
    pub(crate) text: Range<usize>,
    /// The number of the line in the chunk, from 0.
    pub(crate) line: u64,
}

/// The lines of a chunk.
#[derive(Default)]
pub(crate) struct FastEvents {
    pub(crate) events: Vec<UsualEvent>,
    /// The lines that are neither fast nor blank.
    pub(crate) others: Vec<UnusualLine>,
    /// The data of the fast events, concatenated.
    pub(crate) bytes: Vec<u8>,
    pub(crate) addrs: BytesInterner,
    /// The number of lines in the chunk.
    pub(crate) n_lines: u64,
}

/// Events with more bytes of data are left to the full parser.
const MOST_DATA: usize = 1 << 12;

impl FastEvents {
    /// Reads all lines of a chunk, whose offsets fit in 32 bits.
    pub(crate) fn read(&mut self, text: &[u8]) {
        self.clear();
        let mut start = 0;
        while start < text.len() {
            start = match self.event(text, start) {
                Some(next) => next,
                None => self.leave(text, start),
            };
            self.n_lines += 1;
        }
    }

    fn clear(&mut self) {
        self.events.clear();
        self.others.clear();
        self.bytes.clear();
        self.addrs.clear();
        self.n_lines = 0;
    }

    /// Leaves a line to the full parser; returns where the next one begins.
    #[cold]
    fn leave(&mut self, text: &[u8], start: usize) -> usize {
        let (end, next) = line_end(text, start).unwrap_or((text.len(), text.len()));
        if !text[start..end].trim_ascii().is_empty() {
            self.others.push(UnusualLine { n_before: self.events.len(), text: start..end, line: self.n_lines });
        }
        next
    }

    /// Reads the line at `start`, if its keys are in the usual order; returns where the next one begins.
    fn event(&mut self, text: &[u8], start: usize) -> Option<usize> {
        let mut scan = Scan { text, at: start };
        scan.skip(b"{\"t\":\"")?;
        let time = nanoseconds(&mut scan)?;
        scan.skip(b"\",\"id\":")?;
        let id = scan.number()?;
        scan.skip(b",\"pid\":")?;
        let pid = scan.number()?;
        scan.skip(b",\"tid\":")?;
        let tid = scan.number()?;
        scan.skip(b",\"addr\":\"")?;
        let addr = self.addr(&mut scan)?;
        scan.skip(b"\",\"trunc\":\"POSIX_TRACE_")?;
        let trunc = status(&mut scan)?;
        let bytes_before = self.bytes.len();
        let rest = self.data_and_end(&mut scan);
        let Some((data, wanted)) = rest else {
            self.bytes.truncate(bytes_before);
            return None;
        };
        let line = self.n_lines as u32;
        self.events.push(UsualEvent { time, id, pid, tid, addr, trunc, data, wanted, start: start as u32, line });
        Some(scan.at)
    }

    /// The number of an address without escapes.
    #[inline]
    fn addr(&mut self, scan: &mut Scan<'_>) -> Option<u32> {
        if let Some((written, end)) = ShortText::before(b'"', scan.text, scan.at)
            && let Some(addr) = self.addrs.find_short(written, 0)
        {
            scan.at = end;
            return Some(addr);
        }
        self.other_addr(scan)
    }

    /// The number of an address that is long or occurs for the first time.
    #[inline(never)]
    fn other_addr(&mut self, scan: &mut Scan<'_>) -> Option<u32> {
        let rest = scan.text.get(scan.at..)?;
        let written = &rest[..memchr::memchr(b'"', rest)?];
        let is_plain = written.iter().all(|byte| matches!(byte, b' '..=b'~') && *byte != b'\\');
        scan.at += written.len();
        is_plain.then(|| self.addrs.find_any(written, 0).unwrap_or_else(|| self.addrs.add(written, 0)))
    }

    /// The rest of a line after the truncation.
    fn data_and_end(&mut self, scan: &mut Scan<'_>) -> Option<(Option<DataSpan>, Option<u32>)> {
        let mut data = None;
        if scan.skip(b",\"data\":\"").is_some() {
            data = Some(self.data(scan)?);
            scan.skip(b"\"")?;
        }
        let wanted = match scan.skip(b",\"wanted\":") {
            Some(()) => Some(u32::try_from(scan.number()?).ok()?),
            None => None,
        };
        scan.skip(b"}")?;
        scan.line_end()?;
        Some((data, wanted))
    }

    /// Data in hexadecimal, up to the closing quote.
    fn data(&mut self, scan: &mut Scan<'_>) -> Option<DataSpan> {
        let start = self.bytes.len();
        let mut n_digits = 0;
        loop {
            let (bytes, length) = swar::hex(swar::load(scan.text, scan.at)?);
            self.bytes.extend_from_slice(&bytes);
            scan.at += length;
            n_digits += length;
            if length < 8 {
                break;
            }
        }
        self.bytes.truncate(start + n_digits / 2);
        let is_short = n_digits <= 2 * MOST_DATA && n_digits % 2 == 0;
        is_short.then_some(DataSpan { start: start as u32, length: (n_digits / 2) as u16 })
    }
}

/// Seconds with nine digits after the point, in nanoseconds.
#[inline]
fn nanoseconds(scan: &mut Scan<'_>) -> Option<i64> {
    let seconds = scan.number()?;
    scan.skip(b".")?;
    let (fraction, length) = swar::decimal(scan.word());
    let last = scan.text.get(scan.at + 8).filter(|last| length == 8 && last.is_ascii_digit())?;
    scan.at += 9;
    seconds.checked_mul(1_000_000_000)?.checked_add(fraction as i64 * 10 + i64::from(last - b'0'))
}

/// Whether data were truncated, after `POSIX_TRACE_` and with the quote at the end.
#[inline]
fn status(scan: &mut Scan<'_>) -> Option<Truncation<'static>> {
    if scan.skip(b"NOT_TRUNCATED\"").is_some() {
        return Some(Truncation::None);
    }
    let is_record = scan.skip(b"TRUNCATED_RECORD\"").map(|()| Truncation::Record);
    is_record.or_else(|| scan.skip(b"TRUNCATED_READ\"").map(|()| Truncation::Read))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::posix::data;
    use crate::formats::posix::line::{EventData, EventRecord, object};

    /// The fast event on the first of two lines as a record of the full parser, with its data apart.
    fn fast<'l>(line: &str, full: &EventRecord<'l>) -> Option<(EventRecord<'l>, Vec<u8>)> {
        let mut batch = FastEvents::default();
        batch.read([line, "\n{\"end\":true,\"events\":1}\n"].concat().as_bytes());
        let [event] = *batch.events.as_slice() else { return None };
        let record = EventRecord {
            time: Some(event.time),
            id: event.id,
            pid: Some(event.pid),
            tid: Some(event.tid),
            addr: full.addr.filter(|addr| *addr == batch.addrs.text(event.addr)),
            trunc: event.trunc,
            data: full.data,
            wanted: event.wanted.map(i64::from),
            others: Vec::new(),
        };
        Some((record, batch.bytes))
    }

    #[test]
    fn lines_in_the_usual_order_are_read_as_others_are() {
        let lines = [
            r#"{"t":"3.500000001","id":33,"pid":24,"tid":4,"addr":"0x5","trunc":"POSIX_TRACE_NOT_TRUNCATED","data":"03"}"#,
            r#"{"t":"12345678901.5","id":33,"pid":24,"tid":4,"addr":"0x5","trunc":"POSIX_TRACE_NOT_TRUNCATED"}"#,
            r#"{"t":"1700000000.000000000","id":4,"pid":123456789,"tid":140737353951808,"addr":"0x55d004599d56","trunc":"POSIX_TRACE_TRUNCATED_READ"}"#,
            r#"{"t":"3.000000010","id":9,"pid":0,"tid":0,"addr":"0xffffffff00000000","trunc":"POSIX_TRACE_TRUNCATED_RECORD","data":"00112233445566778899aabbccddeeff","wanted":37}"#,
        ];
        for (line, is_fast) in lines.into_iter().zip([true, false, true, true]) {
            let object = object(line).expect("each line is an object");
            let (full, _) = EventRecord::of(&object).expect("each line is an event");
            let read = fast(line, &full);
            assert_eq!(read.is_some(), is_fast, "{line}");
            assert!(read.as_ref().is_none_or(|(record, _)| *record == full), "{line}");
            let bytes = |hex| data::bytes(hex).map(|bytes| bytes.to_vec());
            let expected = if let EventData::Hex(hex) = full.data { bytes(hex) } else { Some(Vec::new()) };
            assert!(read.is_none_or(|(_, bytes)| Some(bytes) == expected), "{line}");
        }
    }

    #[test]
    fn unusual_lines_are_left_to_the_full_parser() {
        let usual = r#"{"t":"3.500000001","id":33,"pid":24,"tid":4,"addr":"0x5","trunc":"POSIX_TRACE_NOT_TRUNCATED","data":"03"}"#;
        let is_fast = |line: &str| {
            let mut batch = FastEvents::default();
            batch.read([line, "\n{\"end\":true,\"events\":1}\n"].concat().as_bytes());
            !batch.events.is_empty()
        };
        assert!(is_fast(usual));
        for (from, to) in [
            ("\"id\"", " \"id\""),
            ("0x5", "0x\\u0035"),
            ("0x5", "0x\u{e9}"),
            ("03", "3"),
            ("03", "0A"),
            ("NOT_TRUNCATED", "TRUNCATED"),
            ("\"tid\":4,", ""),
            ("24", "-24"),
            ("24", "99999999999999999999"),
            ("}", ",\"text\":\"\"}"),
            ("}", "} "),
            ("}", ""),
        ] {
            assert!(!is_fast(&usual.replace(from, to)), "{to}");
        }
    }

    #[test]
    fn blank_lines_are_counted_but_not_kept() {
        let mut batch = FastEvents::default();
        batch.read(b"\n  \r\n{}\r\n\nx");
        assert_eq!((batch.n_lines, batch.events.len()), (5, 0));
        assert_eq!(
            batch.others.iter().map(|other| (other.line, other.text.clone())).collect::<Vec<_>>(),
            [(2, 5..7), (4, 10..11)]
        );
    }
}
