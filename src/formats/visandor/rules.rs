//! What each kind of event does, and the rules V5 to V16 that it must keep.

use super::agents::Agent;
use super::events::{CurrentEvent, VisandorReader};
use super::nodes::{LatestFork, TaskState};
use super::ports::EventKind;
use super::tables::NO_BOX;

impl VisandorReader<'_> {
    /// Takes an event into account; gives the number of what it happens to, as [`EventSubjects`](super::tables::EventSubjects) keeps it.
    #[inline]
    pub(crate) fn event(&mut self, kind: EventKind, now: &CurrentEvent) -> u32 {
        match kind {
            EventKind::Fork | EventKind::MakePublic => self.fork(kind, now),
            EventKind::Join => self.join(now),
            EventKind::StartGoal | EventKind::StartBranch => self.start(kind, now),
            EventKind::FinishGoal => self.finish_goal(now),
            _ => self.rare_event(kind, now),
        }
    }

    #[inline(never)]
    fn rare_event(&mut self, kind: EventKind, now: &CurrentEvent) -> u32 {
        match kind {
            EventKind::StartTime => self.start_time(now),
            EventKind::StopTime => self.stop_time(now),
            EventKind::AgentBusy => self.agent_busy(now),
            EventKind::AgentIdle => {
                let busy = self.agent(now).busy.take();
                self.in_box(busy, now)
            }
            EventKind::ResumeBranch => self.resume(now),
            EventKind::SuccBranch | EventKind::FailBranch => self.leave_branch(now, TaskState::Ended),
            EventKind::SuspendBranch => self.leave_branch(now, TaskState::Suspended),
            EventKind::CuttingBranch | EventKind::LeafCut => self.of_task(self.known_task(now), now),
            EventKind::StartBusy => self.start_busy(now),
            EventKind::StopBusy => self.stop_busy(now),
            _ => self.of_nothing(now),
        }
    }

    /// The number of an event of a box that lies in no other.
    fn in_box(&mut self, call: Option<u32>, now: &CurrentEvent) -> u32 {
        self.boxes.keep_k(self.event, now.k);
        call.unwrap_or(NO_BOX)
    }

    /// The number of an event that happens to nothing known.
    fn of_nothing(&mut self, now: &CurrentEvent) -> u32 {
        self.in_box(None, now)
    }

    /// The number of an event of a task.
    #[inline]
    fn of_task(&mut self, task: Option<u32>, now: &CurrentEvent) -> u32 {
        match task {
            Some(task) => task + 1,
            None => self.of_nothing(now),
        }
    }

    fn start_time(&mut self, now: &CurrentEvent) -> u32 {
        let call = self.new_call();
        self.whole = Some(call);
        self.in_box(Some(call), now)
    }

    fn stop_time(&mut self, now: &CurrentEvent) -> u32 {
        self.check_ends();
        self.in_box(self.whole, now)
    }

    fn agent_busy(&mut self, now: &CurrentEvent) -> u32 {
        let call = self.new_call();
        self.agent(now).busy = Some(call);
        self.in_box(Some(call), now)
    }

    /// The agent of the event.
    #[inline]
    fn agent(&mut self, now: &CurrentEvent) -> &mut Agent {
        &mut self.agents.all[now.agent as usize]
    }

    /// The innermost task of the agent of the event.
    #[inline]
    fn innermost(&mut self, now: &CurrentEvent) -> Option<u32> {
        self.agents.all[now.agent as usize].innermost(now.agent, &self.nodes)
    }

    fn fork(&mut self, kind: EventKind, now: &CurrentEvent) -> u32 {
        if now.k < 1 {
            self.fault("V2", |_| format!("a fork of {} tasks", now.k));
        }
        if self.nodes.fork(now.place).is_some_and(|fork| self.nodes.is_open(fork)) {
            self.fault("V6", |run| format!("node `{}` is open already", run.written(now)));
        }
        let father = self.innermost(now);
        let call = self.new_call();
        let is_public = kind == EventKind::MakePublic;
        let fork = LatestFork::new(now.k, now.agent, is_public);
        let node = self.nodes.add_fork(now.place, fork, (call, self.event), father);
        if let Some(father) = father.filter(|_| is_public) {
            self.leave(father, TaskState::Published);
        }
        node + 1
    }

    fn join(&mut self, now: &CurrentEvent) -> u32 {
        let Some(fork) = self.nodes.fork_mut(now.place) else {
            self.fault("V9", |run| format!("no FORK of node `{}` comes before this JOIN", run.written(now)));
            return self.of_nothing(now);
        };
        let before = *fork;
        fork.is_joined = true;
        let n_left = before.n_tasks.saturating_sub(before.n_finished);
        if before.is_joined {
            self.fault("V9", |run| format!("node `{}` is joined a second time", run.written(now)));
        } else if n_left > 0 {
            let tasks = if n_left == 1 { "task" } else { "tasks" };
            self.fault("V9", |run| {
                format!("node `{}` is joined before its last {n_left} {tasks} finished", run.written(now))
            });
        }
        if before.agent != now.agent {
            let agent = self.agents.all[before.agent as usize].number;
            self.fault("V9", |run| format!("node `{}` was forked by agent {agent}", run.written(now)));
        }
        if now.k != before.n_tasks {
            self.boxes.keep_k(self.event, now.k);
        }
        before.node + 1
    }

    fn start(&mut self, kind: EventKind, now: &CurrentEvent) -> u32 {
        let Some(fork) = self.nodes.fork(now.place) else {
            self.fault("V6", |run| format!("node `{}` is not open", run.written(now)));
            return self.of_nothing(now);
        };
        let is_closed = fork.is_joined || fork.is_public != (kind == EventKind::StartBranch);
        let (n_tasks, before) = (fork.n_tasks, self.nodes.task(fork, now.k));
        if is_closed {
            self.fault("V6", |run| format!("node `{}` is not open", run.written(now)));
        }
        if !(0..n_tasks).contains(&now.k) {
            self.fault("V6", |run| format!("task {} of node `{}`, which has {n_tasks}", now.k, run.written(now)));
        }
        if before.is_some() {
            self.fault("V6", |run| format!("task {} of node `{}` is started again", now.k, run.written(now)));
        }
        let call = self.new_call();
        let task = self.nodes.add_task(now.place, now.k, call, now.agent);
        if let Some(task) = task {
            self.agent(now).enter(task);
            self.boxes.n_goals += u32::from(kind == EventKind::StartGoal);
        }
        self.of_task(task, now)
    }

    /// Lets a task that runs do so no longer; its slaves must have gone.
    #[inline]
    fn leave(&mut self, task: u32, state: TaskState) {
        self.nodes.leave(task, state);
        if !self.teams.is_empty() {
            self.leave_team(task);
        }
    }

    fn leave_team(&mut self, task: u32) {
        if let Some(n_slaves) = self.teams.remove(&task) {
            let slaves = if n_slaves == 1 { "slave works" } else { "slaves work" };
            let name = self.nodes.name(task);
            self.fault("V12", |_| format!("{n_slaves} {slaves} still in the team of branch {name}"));
        }
    }

    /// The task that an event names.
    #[inline]
    fn known_task(&self, now: &CurrentEvent) -> Option<u32> {
        self.nodes.task(self.nodes.fork(now.place)?, now.k)
    }

    fn resume(&mut self, now: &CurrentEvent) -> u32 {
        let task = self.known_task(now);
        match task.filter(|task| self.nodes.task_at(*task).state == TaskState::Suspended) {
            Some(task) => {
                self.nodes.run(task, now.agent);
                self.agent(now).enter(task);
            }
            None => self.fault("V11", |run| format!("{} is not suspended", run.named("branch", now))),
        }
        self.of_task(task, now)
    }

    fn finish_goal(&mut self, now: &CurrentEvent) -> u32 {
        let Some(task) = self.known_task(now) else {
            self.fault("V7", |run| format!("{} was not started", run.named("task", now)));
            return self.of_nothing(now);
        };
        let (state, agent) = (self.nodes.task_at(task).state, self.nodes.task_at(task).agent);
        if state != TaskState::Running {
            self.fault("V7", |run| format!("{} is finished already", run.named("task", now)));
            return task + 1;
        }
        if agent != now.agent {
            let agent = self.agents.all[agent as usize].number;
            self.fault("V7", |run| format!("{} was started by agent {agent}", run.named("task", now)));
        } else if self.innermost(now) != Some(task) {
            self.fault("V8", |run| format!("{} is not the innermost open one of its agent", run.named("task", now)));
        }
        self.leave(task, TaskState::Ended);
        if let Some(fork) = self.nodes.fork_mut(now.place) {
            fork.n_finished += 1;
        }
        task + 1
    }

    fn leave_branch(&mut self, now: &CurrentEvent, state: TaskState) -> u32 {
        let Some(task) = self.known_task(now) else {
            self.fault("V10", |run| format!("{} was not started", run.named("branch", now)));
            return self.of_nothing(now);
        };
        let left = self.nodes.task_at(task);
        if left.state == TaskState::Running && left.agent == now.agent {
            self.leave(task, state);
        } else {
            let agent = self.agent(now).number;
            self.fault("V10", |run| format!("{} does not run on agent {agent}", run.named("branch", now)));
        }
        task + 1
    }

    fn start_busy(&mut self, now: &CurrentEvent) -> u32 {
        let task = self.known_task(now);
        if !task.is_some_and(|task| self.nodes.task_at(task).state == TaskState::Running) {
            self.fault("V12", |run| format!("{} does not run", run.named("branch", now)));
        }
        if let Some(task) = task {
            let call = self.new_call();
            if self.slaves.insert((task, now.agent), call).is_some() {
                let agent = self.agent(now).number;
                self.fault("V12", |_| format!("agent {agent} works in the team already"));
            } else {
                *self.teams.entry(task).or_default() += 1;
            }
            self.boxes.slaves.push((self.event, call));
        }
        self.of_task(task, now)
    }

    fn stop_busy(&mut self, now: &CurrentEvent) -> u32 {
        let task = self.known_task(now);
        let call = task.and_then(|task| self.slaves.remove(&(task, now.agent)));
        match (task, call) {
            (Some(task), Some(call)) => {
                self.leave_slave(task);
                self.boxes.slaves.push((self.event, call));
            }
            _ => {
                let agent = self.agent(now).number;
                self.fault("V12", |run| format!("agent {agent} does not work for {}", run.named("branch", now)));
            }
        }
        self.of_task(task, now)
    }

    fn leave_slave(&mut self, task: u32) {
        if let Some(n_slaves) = self.teams.get_mut(&task) {
            *n_slaves -= 1;
            if *n_slaves == 0 {
                self.teams.remove(&task);
            }
        }
    }
}
