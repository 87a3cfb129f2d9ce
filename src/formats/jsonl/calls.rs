//! Numbers of calls: integers as stated, numbers for texts, and numbers for boxes that state none.

use crate::term::hash::HashMap;

/// The numbers of calls. A stated number is kept unless another call was given it before.
#[derive(Default)]
pub(crate) struct CallNumbering {
    texts: HashMap<Box<str>, i64>,
    /// Numbers that were given, as stretches from the first to the last one, in rising order.
    given: Vec<(i64, i64)>,
    /// The numbers that replace stated integers that were given before.
    moved: HashMap<i64, i64>,
    greatest: i64,
}

impl CallNumbering {
    /// The number that stands for a text.
    pub(crate) fn of_text(&mut self, text: &str) -> i64 {
        if let Some(number) = self.texts.get(text) {
            return *number;
        }
        let number = self.fresh();
        self.texts.insert(text.into(), number);
        number
    }

    /// The number that stands for an integer: itself, if no other call has it.
    pub(crate) fn of_integer(&mut self, number: i64) -> i64 {
        self.greatest = self.greatest.max(number);
        if !self.is_given(number) {
            return number;
        }
        if let Some(moved) = self.moved.get(&number) {
            return *moved;
        }
        let moved = self.fresh();
        self.moved.insert(number, moved);
        moved
    }

    /// A number that no call has.
    pub(crate) fn fresh(&mut self) -> i64 {
        let number = self.greatest.saturating_add(1);
        self.greatest = number;
        match self.given.last_mut() {
            Some((_, last)) if *last + 1 >= number => *last = number,
            _ => self.given.push((number, number)),
        }
        number
    }

    fn is_given(&self, number: i64) -> bool {
        let after = self.given.partition_point(|(first, _)| *first <= number);
        after.checked_sub(1).is_some_and(|stretch| number <= self.given[stretch].1)
    }
}

/// What is kept of each call: in a row as long as each new number is the one after the last new one.
#[derive(Default)]
pub(crate) struct ByCall<T> {
    first: i64,
    row: Vec<T>,
    others: HashMap<i64, T>,
}

impl<T> ByCall<T> {
    /// What is kept of a call, if it is known.
    pub(crate) fn get(&self, call: Option<i64>) -> Option<&T> {
        let call = call?;
        match self.index(call) {
            Some(index) => self.row.get(index),
            None => self.others.get(&call),
        }
    }

    /// Keeps something of a new call.
    pub(crate) fn insert(&mut self, call: i64, value: T) {
        if self.row.is_empty() {
            self.first = call;
        }
        match call.checked_sub(self.first).and_then(|index| usize::try_from(index).ok()) {
            Some(index) if index == self.row.len() && !self.others.contains_key(&call) => self.row.push(value),
            _ => {
                self.others.insert(call, value);
            }
        }
    }

    /// Changes what is kept of a call.
    pub(crate) fn change(&mut self, call: i64, change: impl FnOnce(&mut T)) {
        let value = match self.index(call) {
            Some(index) => self.row.get_mut(index),
            None => self.others.get_mut(&call),
        };
        if let Some(value) = value {
            change(value);
        }
    }

    fn index(&self, call: i64) -> Option<usize> {
        let index = usize::try_from(call.checked_sub(self.first)?).ok()?;
        (index < self.row.len()).then_some(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stated_numbers_and_given_numbers_never_meet() {
        let mut numbers = CallNumbering::default();
        assert_eq!([numbers.of_text("a"), numbers.of_text("b"), numbers.of_text("a")], [1, 2, 1]);
        assert_eq!([numbers.of_integer(7), numbers.fresh(), numbers.of_integer(7)], [7, 8, 7]);
        let moved = numbers.of_integer(2);
        assert!(moved > 8 && numbers.of_integer(2) == moved);
        assert_eq!(numbers.of_integer(5), 5);
    }

    #[test]
    fn every_call_is_found_however_they_are_numbered() {
        let mut kept = ByCall::default();
        let calls = [5, 6, 9, 7, 8, 9_000_000_000, -3, 10];
        calls.iter().for_each(|call| kept.insert(*call, *call));
        kept.change(9, |value| *value += 1);
        assert!(calls.iter().all(|call| kept.get(Some(*call)) == Some(&(call + i64::from(*call == 9)))));
        assert_eq!(kept.get(Some(11)), None);
    }
}
