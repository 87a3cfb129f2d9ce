//! Guests: scripts whose definitions count for one goal only, such as monitors. When they are unloaded, the earlier
//! definitions count again.

use super::database::{Database, Definition};
use super::world::World;
use crate::engine::code::PredId;

/// A script that is unloaded after a goal.
#[derive(Debug)]
pub(crate) struct Guest {
    /// The number of its text.
    owner: u32,
    aside: Vec<SetAside>,
}

/// The definition that a guest has replaced.
#[derive(Debug)]
struct SetAside {
    pred: PredId,
    definition: Definition,
    script: Option<u32>,
    is_discontiguous: bool,
    is_multifile: bool,
}

impl World {
    /// Makes the script that has just been opened a guest.
    pub(crate) fn receive_guest(&mut self) {
        let owner = self.scripts.owner();
        self.scripts.guests.extend(owner.map(|owner| Guest { owner, aside: Vec::new() }));
    }

    /// Saves the definition of a predicate if a guest being loaded is about to replace it for the first time.
    pub(crate) fn make_way(&mut self, pred: PredId) {
        let (Some(owner), Some(guest)) = (self.scripts.owner(), self.scripts.guests.last_mut()) else {
            return;
        };
        if guest.owner != owner || guest.aside.iter().any(|before| before.pred == pred) {
            return;
        }
        guest.aside.push(self.database.set_aside(pred));
    }

    /// Unloads all guests but the first `n`.
    pub(crate) fn dismiss_guests(&mut self, n: usize) {
        while self.scripts.guests.len() > n
            && let Some(guest) = self.scripts.guests.pop()
        {
            guest.aside.into_iter().for_each(|before| self.database.put_back(before));
            self.tables.outdate();
        }
    }
}

impl Database {
    /// Removes all clauses from a predicate and returns the old definition.
    fn set_aside(&mut self, pred: PredId) -> SetAside {
        let known = self.pred_mut(pred);
        let definition = std::mem::replace(&mut known.definition, Definition::Undefined);
        let (script, is_discontiguous) = (known.script, known.is_discontiguous);
        let before = SetAside { pred, definition, script, is_discontiguous, is_multifile: known.is_multifile };
        self.forget(pred);
        let known = self.pred_mut(pred);
        (known.is_discontiguous, known.is_multifile) = (false, false);
        before
    }

    fn put_back(&mut self, before: SetAside) {
        let pred = self.pred_mut(before.pred);
        (pred.definition, pred.script) = (before.definition, before.script);
        (pred.is_discontiguous, pred.is_multifile) = (before.is_discontiguous, before.is_multifile);
    }
}
