//! Semaphores: their incarnations, and how often each may be passed.

use crate::term::hash::HashMap;
use crate::trace::EventId;

/// The semaphores of a trace.
#[derive(Default)]
pub(crate) struct Semaphores {
    now: HashMap<(i64, u64), Semaphore>,
    /// Incarnations so far of each id.
    n_incarnations: HashMap<u64, i64>,
    /// The events that created incarnations, and the initial values of these, if they are known.
    pub(crate) created: Vec<(EventId, Option<i64>)>,
}

/// The incarnation of a semaphore that there is now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Semaphore {
    /// Number of the incarnation among all of the id.
    pub(crate) inc: i64,
    /// How often it may still be passed; none if that is not known.
    pub(crate) left: Option<i64>,
    /// Its place among those that were created, if it was seen.
    created: Option<usize>,
}

impl Semaphores {
    /// Begins an incarnation with an event; it cannot be passed before it is initialised.
    pub(crate) fn create(&mut self, key: (i64, u64), event: EventId) {
        let inc = self.next(key.1);
        self.now.insert(key, Semaphore { inc, left: Some(0), created: Some(self.created.len()) });
        self.created.push((event, Some(0)));
    }

    /// Sets the initial value of a semaphore; none if the trace does not have it.
    pub(crate) fn initialise(&mut self, key: (i64, u64), value: Option<i64>) {
        let semaphore = self.at(key);
        semaphore.left = value;
        if let Some(created) = semaphore.created {
            self.created[created].1 = value;
        }
    }

    fn next(&mut self, id: u64) -> i64 {
        let inc = self.n_incarnations.entry(id).or_default();
        *inc += 1;
        *inc
    }

    /// The semaphore; one whose creation was not seen has an unknown value.
    pub(crate) fn at(&mut self, key: (i64, u64)) -> &mut Semaphore {
        if !self.now.contains_key(&key) {
            let inc = self.next(key.1);
            self.now.insert(key, Semaphore { inc, left: None, created: None });
        }
        self.now.get_mut(&key).expect("it is there or was just put there")
    }
}

impl Semaphore {
    /// Lets it be passed `n` times more.
    pub(crate) fn add(&mut self, n: i64) {
        self.left = self.left.and_then(|left| left.checked_add(n));
    }

    /// Passes it; says whether that was possible.
    pub(crate) fn pass(&mut self) -> bool {
        match self.left {
            Some(0) => return false,
            Some(left) => self.left = Some(left - 1),
            None => {}
        }
        true
    }
}
