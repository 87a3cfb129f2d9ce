//! The messages that were sent last: one that is received is nearly always among them, and need not be taken apart again.

use super::log::{MessageId, Messages, NameId};

/// How many are held; a power of two.
const N_SLOTS: usize = 1 << 10;

/// Messages by their senders and serials; of several that would stand in one place the last.
#[derive(Debug, Default)]
pub struct Recent {
    slots: Vec<Slot>,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    cur: u64,
    from: NameId,
    message: MessageId,
}

/// What no event has.
const FREE: Slot = Slot { cur: u64::MAX, from: NameId::MAX, message: 0 };

impl Recent {
    /// Holds a message that was sent.
    #[inline]
    pub fn hold(&mut self, from: NameId, cur: u64, message: MessageId) {
        if self.slots.is_empty() {
            self.slots = vec![FREE; N_SLOTS];
        }
        self.slots[place(from, cur)] = Slot { cur, from, message };
    }

    /// The message that was sent with a serial, if that is what `rest` begins with, a bracket, a line
    /// end or nothing behind it; and its length.
    #[inline]
    pub fn find(&self, from: NameId, cur: u64, rest: &[u8], messages: &Messages) -> Option<(MessageId, usize)> {
        let slot = self.slots.get(place(from, cur)).filter(|slot| slot.from == from && slot.cur == cur)?;
        let written = messages.at(slot.message);
        // with these behind it a term ends in the same place everywhere, but a string may go on in another line
        let ends = match rest.get(written.len()) {
            None | Some(b'}') => true,
            Some(b'\n') => !written.ends_with(b"\""),
            Some(_) => false,
        };
        (ends && rest.starts_with(written)).then_some((slot.message, written.len()))
    }

    pub fn clear(&mut self) {
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
        let (mut recent, mut messages) = (Recent::default(), Messages::default());
        assert_eq!(recent.find(0, 0, b"}", &messages), None);
        recent.hold(3, 7, messages.push(b"{a,1}"));
        let find = |recent: &Recent, messages: &Messages, from, cur, rest: &str| {
            recent.find(from, cur, rest.as_bytes(), messages)
        };
        assert_eq!(find(&recent, &messages, 3, 7, "{a,1}},9}."), Some((0, 5)));
        assert_eq!(find(&recent, &messages, 3, 7, "{a,1}"), Some((0, 5)));
        for (from, cur, rest) in [(3, 8, "{a,1}}"), (4, 7, "{a,1}}"), (3, 7, "{a,1} }"), (3, 7, "{a,2}}"), (3, 7, "{a")]
        {
            assert_eq!(find(&recent, &messages, from, cur, rest), None, "{from} {cur} {rest}");
        }
        assert_eq!(find(&recent, &messages, 3, 7, "{a,1}\n"), Some((0, 5)));
        recent.hold(4, 7, messages.push(b"\"string\""));
        assert_eq!(find(&recent, &messages, 4, 7, "\"string\"\n"), None);
        recent.hold(3, 7, messages.push(b"12"));
        assert_eq!(find(&recent, &messages, 3, 7, "123}"), None);
        assert_eq!(find(&recent, &messages, 3, 7, "12}"), Some((2, 2)));
        recent.clear();
        assert_eq!(find(&recent, &messages, 3, 7, "12}"), None);
    }
}
