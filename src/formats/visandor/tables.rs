//! What each event happened to, and what follows from that when it is asked for: calls, depths and most attributes.

use super::nodes::{ForkInstance, Task};
use super::ports::{EventKind, KindTarget};
use crate::formats::lines::text_list::TextList;
use crate::trace::{AttributeId, EventId, Field, KnownColumns, LazyValues};

/// The number of an event that happened to nothing known.
pub(crate) const NO_BOX: u32 = 0;

/// What is kept of the events when they are read.
#[derive(Debug, Default)]
pub(crate) struct EventSubjects {
    /// By event: number of the fork or task + 1, or of the box that is neither, or [`NO_BOX`]. Which it is, its kind says.
    pub(crate) codes: Vec<u32>,
    /// The boxes of slaves, by their events.
    pub(crate) slaves: Vec<(EventId, u32)>,
    /// Numbers of tasks that stand on the lines of events and do not follow from what these happened to.
    ks: Vec<(EventId, i64)>,
    /// How many goals were started.
    pub(crate) n_goals: u32,
    /// How many boxes there are.
    pub(crate) n_calls: u32,
    /// All forks.
    pub(crate) nodes: Vec<ForkInstance>,
    /// All tasks.
    pub(crate) tasks: Vec<Task>,
}

impl EventSubjects {
    /// Gives back the room that was kept for more.
    pub(crate) fn shrink(&mut self) {
        self.codes.shrink_to_fit();
        self.slaves.shrink_to_fit();
        self.ks.shrink_to_fit();
        self.nodes.shrink_to_fit();
        self.tasks.shrink_to_fit();
    }

    /// Keeps the number of tasks, or of a task, that stands on the line of an event.
    pub(crate) fn keep_k(&mut self, event: EventId, k: i64) {
        self.ks.push((event, k));
    }
}

/// What an event happened to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Subject {
    Nothing,
    /// A box of neither a fork nor a task.
    Box(u32),
    Fork(u32),
    Task(u32),
    /// A task for which an agent works, and the box of that.
    Slave(u32, Option<u32>),
}

/// What a trace keeps for its lazy columns.
pub(crate) struct SubjectTables {
    pub(crate) boxes: EventSubjects,
    /// The kinds of events by their keys.
    pub(crate) kinds: Vec<EventKind>,
    /// The ids of nodes.
    pub(crate) spellings: TextList,
    pub(crate) time: AttributeId,
    pub(crate) agent: AttributeId,
    pub(crate) node: AttributeId,
}

impl SubjectTables {
    /// Bytes that they take.
    pub(crate) fn bytes(&self) -> usize {
        let EventSubjects { codes, slaves, ks, nodes, tasks, .. } = &self.boxes;
        let rare = slaves.capacity() * size_of::<(EventId, u32)>() + ks.capacity() * size_of::<(EventId, i64)>();
        let tables = nodes.capacity() * size_of::<ForkInstance>() + tasks.capacity() * size_of::<Task>();
        codes.capacity() * size_of::<u32>() + rare + tables + self.spellings.bytes()
    }

    /// Calls `found` with each event, its kind, and what it happened to.
    #[inline]
    pub(crate) fn each(&self, events: &KnownColumns, mut found: impl FnMut(EventId, EventKind, Subject)) {
        let mut slaves = self.boxes.slaves.iter().copied().peekable();
        for (event, code) in events.events().zip(&self.boxes.codes) {
            let kind = self.kinds[events.key(event).index()];
            let subject = match (code.checked_sub(1), kind.about()) {
                (None, _) => Subject::Nothing,
                (Some(_), KindTarget::Other) => Subject::Box(*code),
                (Some(node), KindTarget::Fork) => Subject::Fork(node),
                (Some(task), KindTarget::Task) => Subject::Task(task),
                (Some(task), KindTarget::Slave) => {
                    Subject::Slave(task, slaves.next_if(|(slave, _)| *slave == event).map(|(_, call)| call))
                }
            };
            found(event, kind, subject);
        }
    }

    /// The same, with the number of tasks or of a task that an event has as an argument.
    pub(crate) fn each_with_k(&self, events: &KnownColumns, mut found: impl FnMut(EventId, Subject, i64)) {
        let mut ks = self.boxes.ks.iter().copied().peekable();
        self.each(events, |event, _, subject| {
            let kept = ks.next_if(|(kept, _)| *kept == event).map(|(_, k)| k);
            let known = || self.branch(subject).or_else(|| self.n_tasks(subject));
            found(event, subject, kept.or_else(known).unwrap_or_default());
        });
    }

    fn node(&self, node: u32) -> &ForkInstance {
        &self.boxes.nodes[node as usize]
    }

    fn task(&self, task: u32) -> &Task {
        &self.boxes.tasks[task as usize]
    }

    /// The box of an event.
    #[inline]
    pub(crate) fn call(&self, subject: Subject) -> Option<i64> {
        match subject {
            Subject::Nothing => None,
            Subject::Box(call) => Some(i64::from(call)),
            Subject::Fork(node) => Some(i64::from(self.node(node).call)),
            Subject::Task(task) => Some(i64::from(self.task(task).call)),
            Subject::Slave(_, call) => call.map(i64::from),
        }
    }

    /// The depth of an event.
    #[inline]
    pub(crate) fn depth(&self, subject: Subject) -> Option<i64> {
        match subject {
            Subject::Nothing => None,
            Subject::Box(_) => Some(1),
            Subject::Fork(node) => Some(i64::from(self.node(node).depth)),
            Subject::Task(task) | Subject::Slave(task, _) => Some(i64::from(self.node(self.task(task).node).depth) + 1),
        }
    }

    /// The fork of an event.
    #[inline]
    pub(crate) fn fork(&self, subject: Subject) -> Option<u32> {
        match subject {
            Subject::Nothing | Subject::Box(_) => None,
            Subject::Fork(node) => Some(node),
            Subject::Task(task) | Subject::Slave(task, _) => Some(self.task(task).node),
        }
    }

    /// Number of tasks of the fork of an event.
    #[inline]
    pub(crate) fn n_tasks(&self, subject: Subject) -> Option<i64> {
        self.fork(subject).map(|node| self.node(node).n_tasks)
    }

    /// Number of the task of an event in its fork.
    #[inline]
    pub(crate) fn branch(&self, subject: Subject) -> Option<i64> {
        match subject {
            Subject::Task(task) | Subject::Slave(task, _) => Some(self.task(task).k),
            _ => None,
        }
    }

    /// The box around that of an event.
    #[inline]
    pub(crate) fn father(&self, subject: Subject) -> Option<i64> {
        match subject {
            Subject::Nothing | Subject::Box(_) => None,
            Subject::Fork(node) => self.node(node).father().map(|task| i64::from(self.task(task).call)),
            Subject::Task(task) => Some(i64::from(self.node(self.task(task).node).call)),
            Subject::Slave(task, _) => Some(i64::from(self.task(task).call)),
        }
    }

    /// The event that made the fork of a task that an event starts.
    #[inline]
    fn forked(&self, kind: EventKind, subject: Subject) -> Option<EventId> {
        match (kind, subject) {
            (EventKind::StartGoal | EventKind::StartBranch, Subject::Task(task)) => {
                Some(self.node(self.task(task).node).event)
            }
            _ => None,
        }
    }

    /// Time since the fork of a task that an event starts.
    #[inline]
    pub(crate) fn wait(
        &self,
        events: &KnownColumns,
        (event, kind, subject): (EventId, EventKind, Subject),
    ) -> Option<i64> {
        let forked = self.forked(kind, subject)?;
        Some(events.int(self.time, event)?.saturating_sub(events.int(self.time, forked)?))
    }

    /// Whether goals were started by another agent than the one that made the fork.
    pub(crate) fn fill_thieves(&self, events: &KnownColumns, column: &mut LazyValues) {
        let truths = [false, true].map(|value| Field::Known(column.value(Field::Bool(value))));
        self.each(events, |event, kind, subject| {
            if let Some(forked) = self.forked(kind, subject).filter(|_| kind == EventKind::StartGoal) {
                let is_thief = events.int(self.agent, event) != events.int(self.agent, forked);
                column.set(event, truths[usize::from(is_thief)]);
            }
        });
    }
}
