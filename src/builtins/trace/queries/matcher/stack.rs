//! A stack of fixed capacity, so that matching a text allocates nothing.

use super::operations::{MatchVerdict, WalkResult};

/// At most `N` values.
pub(super) struct Stack<T, const N: usize> {
    values: [T; N],
    depth: usize,
}

impl<T: Copy, const N: usize> Stack<T, N> {
    /// An empty stack; free places hold `filler`.
    pub(super) fn new(filler: T) -> Stack<T, N> {
        Stack { values: [filler; N], depth: 0 }
    }

    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// Adds a value; if the stack is full, the verdict is unknown.
    pub(super) fn push(&mut self, value: T) -> WalkResult<()> {
        *self.values.get_mut(self.depth).ok_or(MatchVerdict::Unknown)? = value;
        self.depth += 1;
        Ok(())
    }

    pub(super) fn last(&mut self) -> Option<&mut T> {
        self.values[..self.depth].last_mut()
    }

    pub(super) fn pop(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}
