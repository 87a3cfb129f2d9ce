//! The columns of the format. Arguments and goal paths follow from the others, and are made when they are first asked for.

use super::ports::EventKind;
use crate::formats::lines::text::push_decimal;
use crate::term::hash::HashMap;
use crate::trace::{AttributeId, EventId, KeyId, KnownColumns, LazyLists, LazyPaths, ListField, PathId, TraceBuilder};

attributes! {
    standing_attribute:
    time "time" "time of the event, in the units of the file";
    agent "agent" "number of the agent (worker) at whose event this is";
    wam "wam" "id of the abstract machine, as printed";
    node "node" "id of the fork or choice point, as printed; ids are used again, see inst";
    inst "inst" "number of the fork or choice point among all, from 1";
    branch "branch" "number of the goal or branch in its node";
    tasks "tasks" "how many goals or branches the node has";
    father "father" "number of the call that encloses the call of the event";
    thief "thief" "whether the goal was started by another agent than the one that made the fork, at its start";
    wait "wait" "time from the fork to the start of the goal, at that start";
}

/// Procedures and ports, by the kinds of event.
pub(super) type KindKeys = [Option<KeyId>; EventKind::COUNT];

/// Tasks below more forks than this have no path.
const MOST_LEVELS: u32 = 256;

impl AttributeIds {
    /// The arguments: `[n3, k]` for fork 3, and `['6FFDEBE1', k]` where no fork is known. `ks` has those numbers that are not
    /// in the columns.
    pub(super) fn fill_args(&self, ks: &[(EventId, i64)], events: &KnownColumns, column: &mut LazyLists) {
        let (mut ks, mut text) = (ks.iter().peekable(), String::new());
        for event in events.events() {
            text.clear();
            match events.int(self.inst, event) {
                Some(inst) => {
                    text.push('n');
                    push_decimal(&mut text, inst);
                }
                None => text.extend(["'", events.at(self.node, event).characters().unwrap_or_default(), "'"]),
            }
            text.push_str(", ");
            let kept = ks.next_if(|(kept, _)| *kept == event).map(|(_, k)| *k);
            let known = || events.int(self.branch, event).or_else(|| events.int(self.tasks, event));
            push_decimal(&mut text, kept.or_else(known).unwrap_or_default());
            column.set(event, ListField::Text(&text));
        }
    }

    /// The paths: a box has that of its father, and a task `n3.1` after it.
    pub(super) fn fill_paths(&self, keys: &KindKeys, events: &KnownColumns, column: &mut LazyPaths) {
        // by box, each with the number of its steps; at 0 that of events without a box
        let mut paths: Vec<Option<(PathId, u32)>> = vec![Some((column.path(&[]), 0))];
        let mut of_tasks = HashMap::default();
        let starts = [EventKind::StartGoal, EventKind::StartBranch].map(|kind| keys[kind as usize]);
        for event in events.events() {
            let int = |id| events.int(id, event).unwrap_or_default();
            let call = events.call(event).unwrap_or_default() as usize;
            let known = paths.get(call).copied().filter(|_| call > 0);
            let path = known.unwrap_or_else(|| {
                let around = paths.get(int(self.father) as usize).copied().flatten();
                let task = (int(self.inst), int(self.branch));
                let longer = |(path, n_steps)| {
                    let step = || column.longer_path(path, &format!("n{}.{}", task.0, task.1));
                    (*of_tasks.entry(task).or_insert_with(step), n_steps + 1)
                };
                match starts.contains(&Some(events.key(event))) && call > 0 {
                    true => around.filter(|(_, n_steps)| *n_steps < MOST_LEVELS).map(longer),
                    false => around,
                }
            });
            paths.extend((call == paths.len()).then_some(path));
            path.into_iter().for_each(|(path, _)| column.set(event, path));
        }
    }
}
