//! The messages that were sent last, as the log has them: one that is received is nearly always among them, and need not
//! be taken apart again.

use std::ops::Range;

use super::log::NameId;

/// How many are held; a power of two.
const N_SLOTS: usize = 1 << 10;
/// Longer ones are not held.
const LONGEST: usize = 1 << 12;

/// Messages by their senders and serials; of several that would stand in one place the last.
#[derive(Debug, Default)]
pub struct Recent {
    slots: Vec<Slot>,
}

#[derive(Clone, Debug, Default)]
struct Slot {
    from: NameId,
    cur: u64,
    /// The message as the log has it; empty if there is none.
    written: Vec<u8>,
    /// Where it is among the texts of the log.
    message: Range<usize>,
}

impl Recent {
    /// Holds a message that was sent.
    pub fn hold(&mut self, from: NameId, cur: u64, written: &[u8], message: Range<usize>) {
        if written.len() > LONGEST {
            return;
        }
        if self.slots.is_empty() {
            self.slots = vec![Slot::default(); N_SLOTS];
        }
        let slot = &mut self.slots[place(from, cur)];
        (slot.from, slot.cur, slot.message) = (from, cur, message);
        slot.written.clear();
        slot.written.extend_from_slice(written);
    }

    /// The message that was sent with a serial, if that is what `rest` begins with, a bracket behind it or nothing: where
    /// it is among the texts of the log, and its length in this text.
    pub fn find(&self, from: NameId, cur: u64, rest: &[u8]) -> Option<(Range<usize>, usize)> {
        let slot = self.slots.get(place(from, cur)).filter(|slot| slot.from == from && slot.cur == cur)?;
        let behind = rest.strip_prefix(slot.written.as_slice()).filter(|_| !slot.written.is_empty())?;
        // with these behind it a term ends in the same place everywhere
        let ends = matches!(behind.first(), None | Some(b'}'));
        ends.then(|| (slot.message.clone(), slot.written.len()))
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
        let mut recent = Recent::default();
        assert_eq!(recent.find(0, 0, b"}"), None);
        recent.hold(3, 7, b"{a,1}", 20..25);
        assert_eq!(recent.find(3, 7, b"{a,1}},9}."), Some((20..25, 5)));
        assert_eq!(recent.find(3, 7, b"{a,1}"), Some((20..25, 5)));
        for (from, cur, rest) in [(3, 8, "{a,1}}"), (4, 7, "{a,1}}"), (3, 7, "{a,1} }"), (3, 7, "{a,2}}"), (3, 7, "{a")]
        {
            assert_eq!(recent.find(from, cur, rest.as_bytes()), None, "{from} {cur} {rest}");
        }
        recent.hold(3, 7, b"12", 30..32);
        assert_eq!(recent.find(3, 7, b"123}"), None);
        recent.hold(3, 7, &[b'1'; LONGEST + 1], 40..50);
        assert_eq!(recent.find(3, 7, b"12}"), Some((30..32, 2)));
    }
}
