//! The event at the cursor.

use crate::engine::World;
use crate::trace::EventId;

/// The event at the cursor; none before the first event, with a reason.
pub(crate) fn current_event(world: &mut World) -> Option<EventId> {
    let event = world.desk.current_event();
    if event.is_none() {
        fail(world, "there is no current event: the cursor stands before the first event".into());
    }
    event
}

/// Records why a move failed.
pub(crate) fn fail(world: &mut World, words: String) {
    world.remarks.fail(words);
}
