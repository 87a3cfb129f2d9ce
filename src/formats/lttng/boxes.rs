//! Boxes: an event `n_entry` opens one and `n_exit` closes it, if both names occur in the trace; so do `syscall_entry_n` and
//! `syscall_exit_n` of the kernel, and `sys_n` and `exit_syscall` of its tracers before 2.6. Boxes of a thread need not nest,
//! so that one may end while another one, which began later, is open.

use crate::term::hash::HashMap;

/// What an event does to the boxes of its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoxEffect {
    Opens(StemId),
    Closes(StemId),
    Nothing,
}

/// Number of the common part of two names.
pub(super) type StemId = u32;

/// The endings of names that belong together.
const ENDINGS: &[(&str, &str)] =
    &[("_entry", "_exit"), ("_enter", "_exit"), ("_begin", "_end"), ("_start", "_end"), ("_start", "_stop")];

/// The beginnings of names of system calls that belong together, and whether the second one is the whole name.
const SYSCALLS: &[(&str, &str, bool)] = &[
    ("syscall_entry_", "syscall_exit_", false),
    ("compat_syscall_entry_", "compat_syscall_exit_", false),
    ("sys_", "exit_syscall", true),
    ("compat_sys_", "exit_syscall", true),
];

/// What the name of an event that opens a box says of the one that closes it.
struct Partner<'n> {
    /// What both have in common.
    stem: &'n str,
    /// The name of the one that closes it.
    closing: String,
    /// The names under which they are shown, if these are not their own.
    shown: [Option<&'n str>; 2],
}

fn partners(name: &str) -> impl Iterator<Item = Partner<'_>> {
    let syscalls = SYSCALLS.iter().filter_map(move |(opening, closing, is_whole)| {
        let call = name.strip_prefix(opening)?;
        Some(match is_whole {
            true => Partner { stem: closing, closing: (*closing).to_owned(), shown: [Some(call), None] },
            false => Partner { stem: call, closing: format!("{closing}{call}"), shown: [Some(call); 2] },
        })
    });
    let others = ENDINGS.iter().filter_map(move |(opening, closing)| {
        let stem = name.strip_suffix(opening)?;
        Some(Partner { stem, closing: format!("{stem}{closing}"), shown: [None; 2] })
    });
    syscalls.chain(others)
}

/// What the events with each of these names do, and the name under which they are shown: that of a system call as `strace`
/// prints it.
pub(super) fn effects<'n>(names: &[&'n str]) -> Vec<(BoxEffect, &'n str)> {
    let places: HashMap<&str, usize> = names.iter().enumerate().map(|(place, name)| (*name, place)).collect();
    let mut stems: HashMap<&str, StemId> = HashMap::default();
    let mut effects: Vec<(BoxEffect, &str)> = names.iter().map(|name| (BoxEffect::Nothing, *name)).collect();
    for (place, name) in names.iter().enumerate() {
        for Partner { stem, closing, shown } in partners(name) {
            let Some(partner) = places.get(closing.as_str()) else { continue };
            let number = stems.len() as StemId;
            let id = *stems.entry(stem).or_insert(number);
            for (place, effect, shown) in
                [(place, BoxEffect::Opens(id), shown[0]), (*partner, BoxEffect::Closes(id), shown[1])]
            {
                if effects[place].0 == BoxEffect::Nothing {
                    effects[place] = (effect, shown.unwrap_or(names[place]));
                }
            }
        }
    }
    effects
}

/// Where an event is among the boxes of its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BoxPlace {
    pub(super) call: Option<i64>,
    pub(super) depth: usize,
    /// Whether the event closes a box that no event opened.
    pub(super) has_no_entry: bool,
}

/// The open boxes of a thread.
#[derive(Debug, Default)]
pub(super) struct ThreadBoxes {
    /// In the order of opening; those in the middle may be closed, the last one is open.
    boxes: Vec<ThreadBox>,
    /// Sums of open boxes, as in a Fenwick tree: how many are open up to a place.
    sums: Vec<usize>,
    /// By stem, the places of its open boxes.
    by_stem: HashMap<StemId, Vec<usize>>,
}

#[derive(Clone, Copy, Debug)]
struct ThreadBox {
    call: i64,
    is_open: bool,
}

impl ThreadBoxes {
    /// Takes an event; `n_calls` counts the calls of all threads.
    pub(super) fn take(&mut self, effect: BoxEffect, n_calls: &mut i64) -> BoxPlace {
        let n_boxes = self.boxes.len();
        let (call, depth, has_no_entry) = match effect {
            BoxEffect::Nothing => (self.boxes.last().map(|last| last.call), self.n_open(n_boxes), false),
            BoxEffect::Opens(stem) => {
                *n_calls += 1;
                self.by_stem.entry(stem).or_default().push(n_boxes);
                self.push(*n_calls);
                (Some(*n_calls), self.n_open(n_boxes + 1), false)
            }
            BoxEffect::Closes(stem) => match self.by_stem.get_mut(&stem).and_then(Vec::pop) {
                Some(place) => {
                    let (call, depth) = (self.boxes[place].call, self.n_open(place + 1));
                    self.close(place);
                    (Some(call), depth, false)
                }
                None => {
                    *n_calls += 1;
                    (Some(*n_calls), self.n_open(n_boxes) + 1, true)
                }
            },
        };
        BoxPlace { call, depth, has_no_entry }
    }

    /// How many of the first boxes are open.
    fn n_open(&self, n_boxes: usize) -> usize {
        let (mut at, mut sum) = (n_boxes, 0);
        while at > 0 {
            sum += self.sums[at - 1];
            at &= at - 1;
        }
        sum
    }

    fn push(&mut self, call: i64) {
        let at = self.boxes.len() + 1;
        let below = self.n_open(at - 1) - self.n_open(at & (at - 1));
        self.boxes.push(ThreadBox { call, is_open: true });
        self.sums.push(below + 1);
    }

    fn close(&mut self, place: usize) {
        self.boxes[place].is_open = false;
        let mut at = place + 1;
        while at <= self.sums.len() {
            self.sums[at - 1] -= 1;
            at += at & at.wrapping_neg();
        }
        while self.boxes.last().is_some_and(|last| !last.is_open) {
            self.boxes.pop();
            self.sums.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_have_a_partner_open_and_close() {
        use BoxEffect::{Closes, Nothing, Opens};
        let names = ["a:x_entry", "a:x_exit", "a:y_start", "a:y_stop", "a:y_end", "a:z_begin", "a:tick"];
        let expected = [Opens(0), Closes(0), Opens(1), Closes(1), Closes(1), Nothing, Nothing];
        assert!(effects(&names).into_iter().eq(expected.into_iter().zip(names)));
    }

    #[test]
    fn system_calls_have_their_own_names() {
        use BoxEffect::{Closes, Nothing, Opens};
        let names = ["syscall_entry_read", "syscall_exit_read", "syscall_entry_brk"];
        assert_eq!(effects(&names), [(Opens(0), "read"), (Closes(0), "read"), (Nothing, "syscall_entry_brk")]);
        let before_2_6 = ["sys_read", "exit_syscall", "sys_brk"];
        assert_eq!(effects(&before_2_6), [(Opens(0), "read"), (Closes(0), "exit_syscall"), (Opens(0), "brk")]);
        let others = ["sys_tick_entry", "sys_tick_exit"];
        assert_eq!(effects(&others), [(Opens(0), "sys_tick_entry"), (Closes(0), "sys_tick_exit")]);
    }

    #[test]
    fn boxes_may_end_in_any_order() {
        let (mut boxes, mut n_calls) = (ThreadBoxes::default(), 0);
        let mut take = |effect| {
            let place = boxes.take(effect, &mut n_calls);
            (place.call, place.depth, place.has_no_entry)
        };
        use BoxEffect::{Closes, Nothing, Opens};
        assert_eq!(take(Nothing), (None, 0, false));
        assert_eq!(take(Opens(0)), (Some(1), 1, false));
        assert_eq!(take(Opens(1)), (Some(2), 2, false));
        assert_eq!(take(Opens(0)), (Some(3), 3, false));
        assert_eq!(take(Closes(1)), (Some(2), 2, false));
        assert_eq!(take(Nothing), (Some(3), 2, false));
        assert_eq!(take(Closes(0)), (Some(3), 2, false));
        assert_eq!(take(Closes(1)), (Some(4), 2, true));
        assert_eq!(take(Closes(0)), (Some(1), 1, false));
        assert_eq!(take(Nothing), (None, 0, false));
    }
}
