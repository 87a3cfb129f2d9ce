//! Semaphores: their incarnations, and how often each may be passed.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// The semaphores of a trace.
#[derive(Default)]
pub struct Semaphores {
    now: HashMap<(i64, u64), Semaphore, RandomState>,
    /// Incarnations so far of each id.
    n_incarnations: HashMap<u64, i64, RandomState>,
}

/// The incarnation of a semaphore that there is now.
#[derive(Clone, Copy, Debug)]
pub struct Semaphore {
    /// Number of the incarnation among all of the id.
    pub inc: i64,
    /// How often it may still be passed; none if that is not known.
    pub left: Option<i64>,
}

impl Semaphores {
    /// Begins an incarnation, which cannot be passed before it is initialised.
    pub fn create(&mut self, key: (i64, u64)) -> i64 {
        let inc = self.next(key.1);
        self.now.insert(key, Semaphore { inc, left: Some(0) });
        inc
    }

    fn next(&mut self, id: u64) -> i64 {
        let inc = self.n_incarnations.entry(id).or_default();
        *inc += 1;
        *inc
    }

    /// The semaphore; one whose creation was not seen has an unknown value.
    pub fn at(&mut self, key: (i64, u64)) -> &mut Semaphore {
        if !self.now.contains_key(&key) {
            let inc = self.next(key.1);
            self.now.insert(key, Semaphore { inc, left: None });
        }
        self.now.get_mut(&key).expect("it is there or was just put there")
    }
}

impl Semaphore {
    /// Lets it be passed so many times more.
    pub fn add(&mut self, n: i64) {
        self.left = self.left.and_then(|left| left.checked_add(n));
    }

    /// Passes it; says whether that was possible.
    pub fn pass(&mut self) -> bool {
        match self.left {
            Some(0) => return false,
            Some(left) => self.left = Some(left - 1),
            None => {}
        }
        true
    }
}
