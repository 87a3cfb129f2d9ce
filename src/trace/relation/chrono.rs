//! Numbers of events: the printed numbers if they strictly increase, otherwise the rank. Dense numbers take no memory.

use crate::trace::column::code_column::Ints;
use crate::trace::column::int_column::IntColumn;
use crate::trace::event::EventId;

/// The number of each event.
#[derive(Clone, Debug)]
pub(crate) enum Chronos {
    /// The first number; the others follow without gaps.
    Dense(i64),
    /// Strictly increasing numbers with gaps.
    Sparse(Ints),
}

impl Chronos {
    pub(crate) fn at(&self, event: EventId) -> i64 {
        match self {
            Chronos::Dense(first) => first + i64::from(event),
            Chronos::Sparse(numbers) => numbers.at(event as usize).unwrap_or(0),
        }
    }

    /// The first of `n_events` events whose number is at least `chrono`; `n_events` if there is none.
    #[inline]
    pub(crate) fn lower_bound(&self, chrono: i64, n_events: EventId) -> EventId {
        match self {
            Chronos::Dense(first) => {
                let row = chrono.saturating_sub(*first).clamp(0, i64::from(n_events));
                u32::try_from(row).unwrap_or(n_events)
            }
            Chronos::Sparse(_) => {
                let (mut low, mut high) = (0, n_events);
                while low < high {
                    let middle = low + (high - low) / 2;
                    match self.at(middle) < chrono {
                        true => low = middle + 1,
                        false => high = middle,
                    }
                }
                low
            }
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Chronos::Dense(_) => 0,
            Chronos::Sparse(numbers) => numbers.bytes(),
        }
    }
}

/// Builder of the numbers.
#[derive(Default)]
pub(crate) struct ChronoBuilder {
    state: NumberingState,
    last: Option<i64>,
    last_line: u64,
}

#[derive(Default)]
enum NumberingState {
    #[default]
    Empty,
    Dense(i64),
    Sparse(IntColumn),
    /// No event yet.
    Unnumbered,
    /// Some numbers were missing, or they did not increase: events are numbered by rank.
    Rank,
}

impl ChronoBuilder {
    /// Adds the printed number of the next event; gives what is wrong with it, if anything.
    #[inline]
    pub(crate) fn push(&mut self, event: EventId, chrono: Option<i64>, line: u64) -> Option<String> {
        match (chrono, &self.state) {
            (None, NumberingState::Unnumbered) => None,
            _ => self.push_any(event, chrono, line),
        }
    }

    fn push_any(&mut self, event: EventId, chrono: Option<i64>, line: u64) -> Option<String> {
        let chrono = chrono.filter(|number| *number != i64::MIN && *number < i64::MAX - i64::from(EventId::MAX));
        let last = std::mem::replace(&mut self.last, chrono);
        let last_line = std::mem::replace(&mut self.last_line, line);
        let Some(chrono) = chrono else {
            let lost = matches!(self.state, NumberingState::Dense(_) | NumberingState::Sparse(_));
            self.state = match self.state {
                NumberingState::Empty | NumberingState::Unnumbered => NumberingState::Unnumbered,
                _ => NumberingState::Rank,
            };
            return lost.then(|| "event without a number: events are numbered by rank".to_string());
        };
        if let NumberingState::Unnumbered = self.state {
            self.state = NumberingState::Rank;
            return Some(format!("number {chrono} after events without one: events are numbered by rank"));
        }
        if let Some(last) = last.filter(|last| *last >= chrono) {
            self.state = NumberingState::Rank;
            return Some(disorder(chrono, last, last_line));
        }
        match &mut self.state {
            NumberingState::Empty => self.state = NumberingState::Dense(chrono),
            NumberingState::Dense(first) if *first + i64::from(event) != chrono => {
                let mut numbers = IntColumn::default();
                (0..event).for_each(|row| numbers.set(row as usize, *first + i64::from(row)));
                numbers.set(event as usize, chrono);
                self.state = NumberingState::Sparse(numbers);
            }
            NumberingState::Sparse(numbers) => numbers.set(event as usize, chrono),
            NumberingState::Dense(_) | NumberingState::Rank | NumberingState::Unnumbered => {}
        }
        None
    }

    /// Whether there are events, but none has a number.
    pub(crate) fn has_none(&self) -> bool {
        matches!(self.state, NumberingState::Unnumbered)
    }

    /// Adds the numbers of the next events if they are consecutive; gives whether they are.
    pub(crate) fn append_dense(&mut self, event: EventId, chronos: &[i64], last_line: u64) -> bool {
        let NumberingState::Dense(first) = self.state else { return false };
        let next = first + i64::from(event);
        // the differences are combined with `or` instead of compared one by one, so that the loop vectorizes
        let gaps = (next..).zip(chronos).fold(0, |gaps, (expected, chrono)| gaps | (expected ^ chrono));
        let Some(last) = chronos.last().filter(|_| gaps == 0) else { return false };
        if *last >= i64::MAX - i64::from(EventId::MAX) {
            return false;
        }
        (self.last, self.last_line) = (Some(*last), last_line);
        true
    }

    pub(crate) fn finish(self) -> Chronos {
        match self.state {
            NumberingState::Empty | NumberingState::Rank | NumberingState::Unnumbered => Chronos::Dense(1),
            NumberingState::Dense(first) => Chronos::Dense(first),
            NumberingState::Sparse(mut numbers) => {
                numbers.finish(numbers.len());
                Chronos::Sparse(numbers.into())
            }
        }
    }
}

fn disorder(chrono: i64, last: i64, last_line: u64) -> String {
    let place = if last_line > 0 { format!(" (line {last_line})") } else { String::new() };
    match chrono == last {
        true => format!("number {chrono} twice, also on the event before{place}: events are numbered by rank"),
        false => format!("number {chrono} after {last}{place}: events are numbered by rank"),
    }
}
