//! Semaphores: their incarnations, and how often each may be passed.

use crate::term::hash::HashMap;
use crate::trace::EventId;

/// The semaphores of a trace, by machine and id.
#[derive(Default)]
pub(crate) struct Semaphores {
    now: HashMap<(i64, u32), Semaphore>,
    /// Incarnations so far of each id.
    n_incarnations: HashMap<u32, i64>,
    /// The events that created incarnations, and the initial values of these, if they are known.
    pub(crate) created: Vec<(EventId, Option<i64>)>,
}

/// The incarnation of a semaphore that there is now.
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
    pub(crate) fn create(&mut self, key: (i64, u32), event: EventId) {
        self.now.remove(&key);
        let created = Some(self.created.len());
        self.created.push((event, None));
        self.at(key).created = created;
        self.initialise(key, Some(0));
    }

    /// Sets the initial value of a semaphore; none if the trace does not have it.
    pub(crate) fn initialise(&mut self, key: (i64, u32), value: Option<i64>) {
        let semaphore = self.at(key);
        semaphore.left = value;
        if let Some(created) = semaphore.created {
            self.created[created].1 = value;
        }
    }

    /// The semaphore; one whose creation was not seen has an unknown value.
    pub(crate) fn at(&mut self, key: (i64, u32)) -> &mut Semaphore {
        self.now.entry(key).or_insert_with(|| {
            let inc = self.n_incarnations.entry(key.1).or_default();
            *inc += 1;
            Semaphore { inc: *inc, left: None, created: None }
        })
    }
}
