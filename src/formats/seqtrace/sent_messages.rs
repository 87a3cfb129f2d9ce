//! The messages that were sent last: a received one is nearly always among them and needs no second scan.

use super::rows::{MessageId, NameId, RowId};
use crate::formats::lines::text_list::TextList;

/// How many are held; a power of two.
const N_SLOTS: usize = 1 << 12;

/// Messages by sender and serial; of several in one slot the last.
#[derive(Debug, Default)]
pub(crate) struct SentMessages {
    slots: Vec<SentSlot>,
}

#[derive(Clone, Copy, Debug)]
struct SentSlot {
    cur: u64,
    from: NameId,
    sent: SentMessage,
}

/// A message that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SentMessage {
    pub(crate) message: MessageId,
    /// The send.
    pub(crate) row: RowId,
    /// How many line ends are in the message.
    pub(crate) n_lines: u32,
}

/// What no event has.
const FREE: SentSlot =
    SentSlot { cur: u64::MAX, from: NameId::MAX, sent: SentMessage { message: 0, row: 0, n_lines: 0 } };

impl SentMessages {
    /// Holds a message that was sent.
    #[inline]
    pub(crate) fn hold(&mut self, from: NameId, cur: u64, sent: SentMessage) {
        if self.slots.is_empty() {
            self.slots = vec![FREE; N_SLOTS];
        }
        self.slots[place(from, cur)] = SentSlot { cur, from, sent };
    }

    /// The message that was sent with a serial and its length, if `rest` begins with it and a bracket, a line end or nothing
    /// follows.
    #[inline]
    pub(crate) fn find(
        &self,
        from: NameId,
        cur: u64,
        rest: &[u8],
        messages: &TextList,
    ) -> Option<(SentMessage, usize)> {
        let slot = self.slots.get(place(from, cur)).filter(|slot| slot.from == from && slot.cur == cur)?;
        let written = messages.at(slot.sent.message);
        // before these a term ends in the same place everywhere, but a string may continue on another line
        let ends = match rest.get(written.len()) {
            None | Some(b'}') => true,
            Some(b'\n') => !written.ends_with(b"\""),
            Some(_) => false,
        };
        (ends && rest.starts_with(written)).then_some((slot.sent, written.len()))
    }

    pub(crate) fn clear(&mut self) {
        self.slots.fill(FREE);
    }
}

fn place(from: NameId, cur: u64) -> usize {
    (from as usize).wrapping_mul(0x9E37_79B1).wrapping_add(cur as usize) & (N_SLOTS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_message_of_the_same_serial_is_found() {
        let (mut recent, mut messages) = (SentMessages::default(), TextList::default());
        assert_eq!(recent.find(0, 0, b"}", &messages), None);
        let hold = |recent: &mut SentMessages, messages: &mut TextList, from, written: &str| {
            let message = messages.push(written.as_bytes());
            recent.hold(from, 7, SentMessage { message, row: 10 + message, n_lines: 0 });
        };
        let find = |recent: &SentMessages, messages: &TextList, from, cur, rest: &str| {
            recent.find(from, cur, rest.as_bytes(), messages).map(|(sent, length)| (sent.message, sent.row, length))
        };
        hold(&mut recent, &mut messages, 3, "{a,1}");
        for after in ["},9}.", "", "\n"] {
            assert_eq!(find(&recent, &messages, 3, 7, &format!("{{a,1}}{after}")), Some((0, 10, 5)));
        }
        for (from, cur, rest) in [(3, 8, "{a,1}}"), (4, 7, "{a,1}}"), (3, 7, "{a,1} }"), (3, 7, "{a,2}}"), (3, 7, "{a")]
        {
            assert_eq!(find(&recent, &messages, from, cur, rest), None, "{from} {cur} {rest}");
        }
        hold(&mut recent, &mut messages, 4, "\"string\"");
        assert_eq!(find(&recent, &messages, 4, 7, "\"string\"\n"), None);
        hold(&mut recent, &mut messages, 3, "12");
        assert_eq!(find(&recent, &messages, 3, 7, "123}"), None);
        assert_eq!(find(&recent, &messages, 3, 7, "12}"), Some((2, 12, 2)));
        recent.clear();
        assert_eq!(find(&recent, &messages, 3, 7, "12}"), None);
    }
}
