//! The boxes of one thread: those that are open, and those that may be entered again.

use std::collections::hash_map::Entry;
use std::num::NonZeroU32;

use crate::term::hash::HashMap;

/// A box that may still have events.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LiveBox {
    /// Its number among all boxes of the trace.
    pub(crate) call: u32,
    /// Number of ancestors + 1.
    pub(crate) depth: u32,
    /// The level or depth that the tracer prints.
    pub(crate) level: Option<PrintedNumber>,
    pub(crate) proc: ProcCode,
    /// The greatest printed number of this box and those that were called before.
    pub(crate) most: u32,
    key: GroupKey,
    /// The event that opened it, and its last one.
    start: u32,
    pub(crate) last: u32,
    parent: Option<BoxIndex>,
    /// The box of its group that was called before it.
    before: Option<BoxIndex>,
    /// Where the goal of its call begins in the texts.
    goal: usize,
    /// Whether it has ended silently.
    is_dead: bool,
}

impl LiveBox {
    /// The number that the tracer prints, or the level.
    pub(crate) fn number(&self) -> Option<PrintedNumber> {
        self.key.number
    }
}

/// A number in an event line, plus one: so that an optional one takes no more memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PrintedNumber(NonZeroU32);

impl PrintedNumber {
    /// The number; none if no tracer would print it, because it is too large.
    pub(crate) fn new(number: i64) -> Option<PrintedNumber> {
        let number = u32::try_from(number).ok()?.checked_add(1)?;
        NonZeroU32::new(number).map(PrintedNumber)
    }

    pub(crate) fn get(self) -> u32 {
        self.0.get() - 1
    }
}

/// The place of a box among the live ones, plus one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BoxIndex(NonZeroU32);

impl BoxIndex {
    fn new(index: usize) -> Option<BoxIndex> {
        u32::try_from(index + 1).ok().and_then(NonZeroU32::new).map(BoxIndex)
    }

    fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// A procedure: codes of its name and arity, and of its name alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProcCode {
    pub(crate) name_and_arity: u32,
    pub(crate) name: u32,
}

/// What the boxes of a group have in common: the printed number, or the level and the procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct GroupKey {
    pub(crate) number: Option<PrintedNumber>,
    pub(crate) name_and_arity: u32,
}

/// The boxes of a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxGroup {
    /// The newest of them, which may be dead.
    pub(crate) newest: BoxIndex,
    /// How many are not dead.
    pub(crate) n_live: u32,
}

/// The boxes of one thread.
#[derive(Default)]
pub(crate) struct LiveBoxes {
    /// In the order of their calls.
    all: Vec<LiveBox>,
    /// The open ones, each the parent of the next.
    stack: Vec<BoxIndex>,
    groups: HashMap<GroupKey, BoxGroup>,
    /// The goals of all, one after the other.
    goals: String,
    /// Hashes of the goals at the last events of all, if a redo shows these goals.
    last_goals: Vec<u64>,
}

impl LiveBoxes {
    pub(crate) fn get(&self, index: BoxIndex) -> &LiveBox {
        &self.all[index.index()]
    }

    pub(crate) fn group(&self, key: GroupKey) -> Option<BoxGroup> {
        self.groups.get(&key).copied()
    }

    /// The live boxes of a group, the newest first.
    pub(crate) fn of_group(&self, group: BoxGroup) -> impl Iterator<Item = BoxIndex> {
        let chain = std::iter::successors(Some(group.newest), |index| self.get(*index).before);
        chain.filter(|index| !self.get(*index).is_dead)
    }

    /// The goal with which a box was called.
    pub(crate) fn goal(&self, index: BoxIndex) -> &str {
        let end = self.all.get(index.index() + 1).map_or(self.goals.len(), |next| next.goal);
        &self.goals[self.get(index).goal..end]
    }

    /// The hash of the goal at the last event of a box, if it is kept.
    pub(crate) fn last_goal(&self, index: BoxIndex) -> Option<u64> {
        self.last_goals.get(index.index()).copied()
    }

    /// Keeps the hash of the goal at an event of a box.
    pub(crate) fn keep_last_goal(&mut self, index: BoxIndex, hash: u64) {
        if self.last_goals.len() <= index.index() {
            self.last_goals.resize(self.all.len(), hash);
        }
        self.last_goals[index.index()] = hash;
    }

    /// Whether the box at a place is still the one with this call, and not dead.
    pub(crate) fn is_live(&self, index: BoxIndex, call: u32) -> bool {
        self.all.get(index.index()).is_some_and(|live| live.call == call && !live.is_dead)
    }

    /// The number of the call that encloses a box.
    pub(crate) fn parent(&self, index: BoxIndex) -> Option<u32> {
        self.get(index).parent.map(|parent| self.get(parent).call)
    }

    pub(crate) fn newest(&self) -> Option<BoxIndex> {
        self.all.len().checked_sub(1).and_then(BoxIndex::new)
    }

    pub(crate) fn oldest(&self) -> Option<BoxIndex> {
        BoxIndex::new(0).filter(|_| !self.all.is_empty())
    }

    pub(crate) fn innermost(&self) -> Option<BoxIndex> {
        self.stack.last().copied()
    }

    /// The open boxes, the outermost first.
    pub(crate) fn stack(&self) -> &[BoxIndex] {
        &self.stack
    }

    /// The number of open boxes whose level is less than `level`.
    pub(crate) fn n_open_above(&self, level: Option<PrintedNumber>) -> usize {
        match level {
            Some(_) => self.stack.partition_point(|index| self.get(*index).level < level),
            None => self.stack.len(),
        }
    }

    pub(crate) fn is_open(&self, index: BoxIndex) -> bool {
        self.stack.get(self.get(index).depth as usize - 1) == Some(&index)
    }

    /// Opens a box inside the innermost open one; none if there are too many.
    pub(crate) fn open(
        &mut self,
        (key, proc, level): (GroupKey, ProcCode, Option<PrintedNumber>),
        (call, start): (u32, u32),
        goal: &str,
    ) -> Option<BoxIndex> {
        let index = BoxIndex::new(self.all.len())?;
        let before = match self.groups.entry(key) {
            Entry::Vacant(group) => {
                group.insert(BoxGroup { newest: index, n_live: 1 });
                None
            }
            Entry::Occupied(mut group) => {
                let group = group.get_mut();
                group.n_live += 1;
                Some(std::mem::replace(&mut group.newest, index))
            }
        };
        let (depth, parent) = (self.stack.len() as u32 + 1, self.innermost());
        let most = self.all.last().map_or(0, |last| last.most).max(key.number.map_or(0, PrintedNumber::get));
        let text = self.goals.len();
        self.goals.push_str(goal);
        let last = start;
        let is_dead = false;
        self.all.push(LiveBox {
            call,
            depth,
            level,
            proc,
            most,
            key,
            start,
            last,
            parent,
            before,
            goal: text,
            is_dead,
        });
        self.stack.push(index);
        Some(index)
    }

    /// Notes an event of a box.
    pub(crate) fn touch(&mut self, index: BoxIndex, event: u32) {
        self.all[index.index()].last = event;
    }

    /// Closes open boxes until `n_open` are left; they may be entered again.
    pub(crate) fn close_to(&mut self, n_open: usize) {
        self.stack.truncate(n_open);
    }

    /// Closes the boxes inside an open one.
    pub(crate) fn close_inside(&mut self, index: BoxIndex) {
        self.close_to(self.get(index).depth as usize);
    }

    /// Closes open boxes until `n_open` are left; they have ended silently, and are dead.
    pub(crate) fn end_to(&mut self, n_open: usize) {
        while self.stack.len() > n_open {
            let Some(index) = self.stack.pop() else { return };
            self.kill(index);
        }
    }

    fn kill(&mut self, index: BoxIndex) {
        let dead = &mut self.all[index.index()];
        let was_dead = std::mem::replace(&mut dead.is_dead, true);
        if let Some(group) = self.groups.get_mut(&dead.key).filter(|_| !was_dead) {
            group.n_live -= 1;
        }
    }

    /// Removes a box and all that were called after it.
    pub(crate) fn remove_from(&mut self, index: BoxIndex) {
        while self.newest().is_some_and(|newest| newest >= index) {
            self.remove_newest();
        }
    }

    /// Removes the boxes that were called after the last event of a box.
    pub(crate) fn remove_after_last_event(&mut self, index: BoxIndex) {
        let last = self.get(index).last;
        while self.newest().is_some_and(|newest| newest > index && self.get(newest).start > last) {
            self.remove_newest();
        }
    }

    /// Removes the box that was called last.
    pub(crate) fn remove_newest(&mut self) {
        let Some(newest) = self.newest() else { return };
        self.kill(newest);
        let Some(removed) = self.all.pop() else { return };
        self.goals.truncate(removed.goal);
        self.last_goals.truncate(self.all.len());
        match removed.before {
            Some(before) => self.groups.get_mut(&removed.key).into_iter().for_each(|group| group.newest = before),
            None => drop(self.groups.remove(&removed.key)),
        }
        // parents are called before their children
        if self.innermost() == Some(newest) {
            self.stack.pop();
        }
    }

    /// Opens a box and its ancestors again, and closes all others.
    pub(crate) fn open_again(&mut self, index: BoxIndex) {
        let (mut chain, mut next) = (Vec::new(), Some(index));
        while let Some(ancestor) = next.filter(|ancestor| !self.is_open(*ancestor)) {
            chain.push(ancestor);
            next = self.get(ancestor).parent;
        }
        self.stack.truncate(self.get(index).depth as usize - chain.len());
        self.stack.extend(chain.into_iter().rev());
    }
}
