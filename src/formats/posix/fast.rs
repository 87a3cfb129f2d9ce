//! The lines of a chunk: those of events in the usual order taken apart, the others only found.
//!
//! ```text
//! {"t":"3176.141179806","id":33,"pid":24220,"tid":4,"addr":"0x55d0","trunc":"POSIX_TRACE_NOT_TRUNCATED","data":"03000000"}
//! ```

use std::ops::Range;

use super::line::Truncation;
use super::scan::Scan;
use crate::formats::lines::line_end;
use crate::formats::lines::swar;
use crate::trace::Span;

/// An event on a line in the usual order.
#[derive(Clone, Copy, Debug)]
pub struct Plain {
    /// Nanoseconds.
    pub time: i64,
    pub id: i64,
    pub pid: i64,
    pub tid: i64,
    /// Place of the address among those of the chunk.
    pub addr: u32,
    pub trunc: Status,
    /// The data in the bytes of the chunk, if there are any.
    pub data: Option<Data>,
    /// Size of the data before they were truncated.
    pub wanted: Option<u32>,
    /// Where the line begins.
    pub start: u32,
    /// Number of the line in the chunk, from 0.
    pub line: u32,
}

/// Whether data were truncated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    None,
    Record,
    Read,
}

impl Status {
    /// The same as lines in any order have it.
    pub const fn truncation(self) -> Truncation<'static> {
        match self {
            Status::None => Truncation::None,
            Status::Record => Truncation::Record,
            Status::Read => Truncation::Read,
        }
    }
}

/// Where data stand.
#[derive(Clone, Copy, Debug)]
pub struct Data {
    pub start: u32,
    pub length: u16,
}

/// A line in another order, or of something else than an event.
#[derive(Clone, Debug)]
pub struct Odd {
    /// How many plain events come before.
    pub n_before: usize,
    /// The line in the text of the chunk, without its end.
    pub text: Range<usize>,
    /// Its number in the chunk, from 0.
    pub line: u64,
}

/// What was read of a chunk.
#[derive(Default)]
pub struct Batch {
    pub events: Vec<Plain>,
    /// The lines that are neither plain nor blank.
    pub odd: Vec<Odd>,
    /// The data of the plain events, one behind the other.
    pub bytes: Vec<u8>,
    /// Where the addresses stand in the text; the same may be there more than once.
    pub addrs: Vec<Span>,
    /// How many lines the chunk has.
    pub n_lines: u64,
    /// The addresses that came last, by some of their digits.
    recent: Vec<([u64; WORDS], u32)>,
}

/// An address has at most eight times as many bytes.
const WORDS: usize = 3;

/// Addresses that are looked for among those before.
const RECENT: usize = 256;

/// More data than this are left to the general way.
const MOST_DATA: usize = 1 << 12;

impl Batch {
    /// Reads all lines of a chunk, which is short enough for its places to be numbers of 32 bits, as lines are.
    pub fn read(&mut self, text: &[u8]) {
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
        self.odd.clear();
        self.bytes.clear();
        self.addrs.clear();
        self.n_lines = 0;
        self.recent.clear();
        self.recent.resize(RECENT, ([0; WORDS], 0));
    }

    /// Leaves a line to the general way; gives where the next one begins.
    #[cold]
    fn leave(&mut self, text: &[u8], start: usize) -> usize {
        let (end, next) = line_end(text, start).unwrap_or((text.len(), text.len()));
        if !text[start..end].trim_ascii().is_empty() {
            self.odd.push(Odd { n_before: self.events.len(), text: start..end, line: self.n_lines });
        }
        next
    }

    /// Takes the line at `start` apart, if it is one in the usual order; gives where the next one begins.
    fn event(&mut self, text: &[u8], start: usize) -> Option<usize> {
        let mut scan = Scan { text, at: start };
        scan.skip(b"{\"t\":\"")?;
        let time = scan.time()?;
        scan.skip(b"\",\"id\":")?;
        let id = scan.number()?;
        scan.skip(b",\"pid\":")?;
        let pid = scan.number()?;
        scan.skip(b",\"tid\":")?;
        let tid = scan.number()?;
        scan.skip(b",\"addr\":\"")?;
        let addr = self.addr(&mut scan)?;
        scan.skip(b"\",\"trunc\":\"POSIX_TRACE_")?;
        let trunc = scan.status()?;
        let bytes_before = self.bytes.len();
        let rest = self.data_and_end(&mut scan);
        let Some((data, wanted)) = rest else {
            self.bytes.truncate(bytes_before);
            return None;
        };
        let line = self.n_lines as u32;
        self.events.push(Plain { time, id, pid, tid, addr, trunc, data, wanted, start: start as u32, line });
        Some(scan.at)
    }

    /// The place of an address of few plain bytes.
    fn addr(&mut self, scan: &mut Scan<'_>) -> Option<u32> {
        let start = scan.at;
        let mut words = [0; WORDS];
        let mut place = 0;
        for word in &mut words {
            let next = swar::load(scan.text, scan.at)?;
            let length = swar::before_byte(next, b'"');
            *word = swar::first_bytes(next, length, b'"');
            if !swar::is_plain(*word) {
                return None;
            }
            place ^= (*word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            scan.at += length;
            if length < 8 {
                return Some(self.place_of(words, (place >> 56) as usize, start..scan.at));
            }
        }
        None
    }

    #[inline]
    fn place_of(&mut self, words: [u64; WORDS], index: usize, span: Range<usize>) -> u32 {
        let recent = &mut self.recent[index];
        if recent.0 != words {
            *recent = (words, self.addrs.len() as u32);
            self.addrs.push(Span { start: span.start as u32, length: span.len() as u32 });
        }
        recent.1
    }

    /// What stands behind the truncation, up to the end of the line.
    fn data_and_end(&mut self, scan: &mut Scan<'_>) -> Option<(Option<Data>, Option<u32>)> {
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

    /// Data in hexadecimal, up to the quote behind them.
    fn data(&mut self, scan: &mut Scan<'_>) -> Option<Data> {
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
        is_short.then_some(Data { start: start as u32, length: (n_digits / 2) as u16 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::posix::line::{Record, quick};

    /// The plain event on the first of two lines, as other lines are read.
    fn plain(line: &str) -> Option<(Record<'_>, Vec<u8>)> {
        let mut batch = Batch::default();
        batch.read([line, "\n{\"end\":true,\"events\":1}\n"].concat().as_bytes());
        let [event] = *batch.events.as_slice() else { return None };
        let mut record = quick(line)?;
        record.time = Some(event.time);
        record.id = event.id;
        (record.pid, record.tid) = (Some(event.pid), Some(event.tid));
        record.addr = batch.addrs[event.addr as usize].of(line.as_bytes());
        record.trunc = event.trunc.truncation();
        record.wanted = event.wanted.map(i64::from);
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
        for (line, is_plain) in lines.into_iter().zip([true, false, true, true]) {
            let read = plain(line);
            assert_eq!(read.is_some(), is_plain, "{line}");
            assert!(read.is_none_or(|(record, _)| Some(record) == quick(line)), "{line}");
        }
        let bytes = plain(lines[3]).map(|(_, bytes)| bytes);
        assert_eq!(bytes.map(|bytes| (bytes.len(), bytes[15])), Some((16, 0xFF)));
    }

    #[test]
    fn what_is_unusual_is_left() {
        let usual = r#"{"t":"3.500000001","id":33,"pid":24,"tid":4,"addr":"0x5","trunc":"POSIX_TRACE_NOT_TRUNCATED","data":"03"}"#;
        assert!(plain(usual).is_some());
        for (from, to) in [
            ("\"id\"", " \"id\""),
            ("0x5", "0x\\u0035"),
            ("0x5", "0x\u{e9}"),
            ("0x5", "0x5555555555555555555555555"),
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
            assert!(plain(&usual.replace(from, to)).is_none(), "{to}");
        }
    }

    #[test]
    fn blank_lines_are_counted_but_not_kept() {
        let mut batch = Batch::default();
        batch.read(b"\n  \r\n{}\r\n\nx");
        assert_eq!((batch.n_lines, batch.events.len()), (5, 0));
        assert_eq!(
            batch.odd.iter().map(|odd| (odd.line, odd.text.clone())).collect::<Vec<_>>(),
            [(2, 5..7), (4, 10..11)]
        );
    }
}
