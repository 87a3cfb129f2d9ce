//! Calls: the index from calls to their events, and from each box to its parent.

use crate::term::hash::HashMap;
use crate::trace::column::code_column::{CodeColumn, Ints};
use crate::trace::column::codes::Codes;
use crate::trace::column::int_column::IntColumn;
use crate::trace::column::intervals::Intervals;
use crate::trace::column::lazy::Lazy;
use crate::trace::column::postings::PostingsLists;
use crate::trace::event::EventId;

/// Number of a call within the index: calls are numbered from 0 in the order of their first events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct CallId(pub(crate) u32);

impl CallId {
    /// Index of this call among all calls of the trace, from 0.
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Marks a call without a parent.
pub(crate) const NO_PARENT: u32 = u32::MAX;

/// All calls of a trace.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls {
    /// The number of calls.
    pub(crate) n_calls: usize,
    /// Call id + 1 of each event, 0 for none.
    pub(crate) codes: CodeColumn,
    /// Printed number of each call.
    pub(crate) numbers: Ints,
    /// Call ids in the order of their numbers, if the ids are not in that order already.
    pub(crate) by_number: Lazy<Option<Vec<u32>>>,
    /// First and last event of each call.
    pub(crate) edges: Lazy<Vec<(EventId, EventId)>>,
    /// Events of each call.
    pub(crate) events: Lazy<PostingsLists>,
    pub(crate) parents: Lazy<Vec<u32>>,
    pub(crate) children: Lazy<PostingsLists>,
}

impl Calls {
    pub(crate) fn len(&self) -> usize {
        self.n_calls
    }

    pub(crate) fn number(&self, call: CallId) -> i64 {
        self.numbers.at(call.index()).unwrap_or(ABSENT_NUMBER)
    }

    /// Position, in the order of numbers, of the first call whose number is at least `number`.
    pub(crate) fn lower_bound(&self, number: i64) -> usize {
        let mut size = self.len();
        let mut low = 0;
        while size > 0 {
            let half = size / 2;
            match self.number(self.at(low + half)) < number {
                true => (low, size) = (low + half + 1, size - half - 1),
                false => size = half,
            }
        }
        low
    }

    /// The call at `position` in the order of numbers.
    pub(crate) fn at(&self, position: usize) -> CallId {
        match &*self.by_number {
            Some(order) => CallId(order[position]),
            None => CallId(position as u32),
        }
    }

    pub(crate) fn find(&self, number: i64) -> Option<CallId> {
        if let Some(call) = self.find_dense(number) {
            return Some(call);
        }
        let position = self.lower_bound(number);
        (position < self.len()).then(|| self.at(position)).filter(|call| self.number(*call) == number)
    }

    /// The call with that number, if the call numbers up to it are consecutive.
    fn find_dense(&self, number: i64) -> Option<CallId> {
        let first = self.numbers.at(0)?;
        let call = CallId(u32::try_from(number.checked_sub(first)?).ok()?);
        (call.index() < self.len() && self.number(call) == number).then_some(call)
    }

    /// Half-open ranges of positions of the calls whose numbers are in the set.
    pub(crate) fn positions(&self, numbers: &Intervals) -> Vec<(usize, usize)> {
        let end = |high: &i64| high.checked_add(1).map_or(self.len(), |next| self.lower_bound(next));
        numbers.as_slice().iter().map(|(low, high)| (self.lower_bound(*low), end(high))).collect()
    }

    /// Takes the parents from the column of parents that the events report.
    pub(crate) fn take_parents(&mut self, reported: &Ints) {
        let (calls, reported) = (self.clone(), reported.clone());
        let (n_calls, parents) = (self.n_calls, Lazy::new(move || calls.reported_parents(&reported)));
        self.parents = parents.clone();
        self.children = Lazy::new(move || PostingsLists::new(n_calls, parents.iter().copied()));
    }

    /// The parents that the first events of the calls report. A parent must have begun earlier.
    fn reported_parents(&self, reported: &Ints) -> Vec<u32> {
        let parent = |call: usize| {
            let number = reported.at(self.edges[call].0 as usize)?;
            self.find(number).filter(|parent| parent.index() < call)
        };
        (0..self.n_calls).map(|call| parent(call).map_or(NO_PARENT, |CallId(parent)| parent)).collect()
    }

    /// The number of the parent of each event's call, where the event or the first one of the call reports it.
    pub(crate) fn parents_at_events(&self, reported: &Ints) -> IntColumn {
        let mut parents = IntColumn::default();
        for row in 0..self.codes.len() {
            let first = || Some(self.edges[self.codes.at(row).checked_sub(1)? as usize].0 as usize);
            if let Some(parent) = reported.at(row).or_else(|| reported.at(first()?)) {
                parents.set(row, parent);
            }
        }
        parents.finish(self.codes.len());
        parents
    }

    pub(crate) fn events(&self, call: CallId) -> &[EventId] {
        self.events.of(call.index())
    }

    pub(crate) fn bytes(&self) -> usize {
        let order = self.by_number.made().and_then(Option::as_ref).map_or(0, |order| order.capacity() * 4);
        self.codes.bytes()
            + self.numbers.bytes()
            + order
            + self.edges.made().map_or(0, |edges| edges.capacity() * 8)
            + self.events.made().map_or(0, PostingsLists::bytes)
            + self.parents.made().map_or(0, |parents| parents.capacity() * 4)
            + self.children.made().map_or(0, PostingsLists::bytes)
    }
}

/// Every call has a number; this value could only appear if the index were wrong.
const ABSENT_NUMBER: i64 = i64::MIN;

pub(crate) fn permutation(numbers: &Ints) -> Option<Vec<u32>> {
    let n_calls = u32::try_from(numbers.len()).expect("there are no more calls than events");
    let number = |id: &u32| numbers.at(*id as usize);
    if (0..n_calls).map(|id| number(&id)).is_sorted() {
        return None;
    }
    let mut order: Vec<u32> = (0..n_calls).collect();
    order.sort_by_key(number);
    Some(order)
}

/// Builder of the index of calls.
#[derive(Default)]
pub(crate) struct CallBuilder {
    /// Call id + 1 of each event, 0 for none.
    codes: Codes,
    ids: CallNumberIds,
    numbers: IntColumn,
    scratch: Vec<u32>,
}

impl CallBuilder {
    pub(crate) fn push(&mut self, event: EventId, number: i64) -> CallId {
        let id = self.id(number);
        self.codes.set(event as usize, id + 1);
        CallId(id)
    }

    /// Adds events with the numbers of their calls; `i64::MIN` means no call.
    pub(crate) fn append(&mut self, first: EventId, numbers: &[i64]) {
        let mut codes = std::mem::take(&mut self.scratch);
        codes.clear();
        self.numbers.make_room(numbers.len());
        let code = |number: &i64| if *number == i64::MIN { 0 } else { self.id(*number) + 1 };
        codes.extend(numbers.iter().map(code));
        self.codes.pad(first as usize);
        self.codes.extend(codes.iter().copied(), codes.iter().fold(0, |bits, code| bits | code));
        self.scratch = codes;
    }

    /// The id of a call.
    #[inline]
    fn id(&mut self, number: i64) -> u32 {
        let id = self.ids.id(number);
        if id as usize == self.numbers.len() {
            self.numbers.set(id as usize, number);
        }
        id
    }

    /// The call of an event that was added.
    pub(crate) fn call(&self, event: EventId) -> Option<CallId> {
        self.codes.at(event as usize).checked_sub(1).map(CallId)
    }

    /// The calls of the events, and the numbers of the calls.
    pub(crate) fn finish(mut self, rows: usize) -> (Codes, Ints) {
        self.codes.finish(rows);
        self.numbers.finish(self.numbers.len());
        (self.codes, self.numbers.into())
    }
}

/// Ids of call numbers. Nothing is stored while each new number follows the previous new one.
enum CallNumberIds {
    Dense {
        first: i64,
        n_calls: u32,
    },
    /// Hashed with a random key, because the numbers come from hostile traces.
    Any(HashMap<i64, u32>),
}

impl Default for CallNumberIds {
    fn default() -> CallNumberIds {
        CallNumberIds::Dense { first: 0, n_calls: 0 }
    }
}

impl CallNumberIds {
    /// The id of a call number; a new number gets the next id.
    #[inline]
    fn id(&mut self, number: i64) -> u32 {
        if let CallNumberIds::Dense { first, n_calls } = self
            && let Some(id) = number.checked_sub(*first).and_then(|id| u32::try_from(id).ok())
            && id <= *n_calls
            && *n_calls > 0
        {
            *n_calls = (*n_calls).max(id + 1);
            return id;
        }
        self.new_id(number)
    }

    /// As `id`, for the first number and for one that does not follow the previous ones.
    fn new_id(&mut self, number: i64) -> u32 {
        match self {
            CallNumberIds::Any(ids) => {
                let next = ids.len() as u32;
                *ids.entry(number).or_insert(next)
            }
            CallNumberIds::Dense { n_calls: 0, .. } => {
                *self = CallNumberIds::Dense { first: number, n_calls: 1 };
                0
            }
            CallNumberIds::Dense { first, n_calls } => {
                let first = *first;
                *self = CallNumberIds::Any((0..*n_calls).map(|id| (first + i64::from(id), id)).collect());
                self.new_id(number)
            }
        }
    }
}
