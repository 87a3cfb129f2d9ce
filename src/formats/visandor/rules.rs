//! What each kind of event does, and the rules V5 to V16 that it must keep.

use super::agents::Agent;
use super::events::{BoxPlace, CurrentEvent, VisandorReader};
use super::nodes::{Fork, TaskState};
use super::ports::EventKind;

impl VisandorReader<'_> {
    /// Takes an event into account; gives its place.
    pub(super) fn place(&mut self, now: &CurrentEvent<'_>) -> BoxPlace {
        match now.kind {
            EventKind::Fork | EventKind::MakePublic => self.fork(now),
            EventKind::Join => self.join(now),
            EventKind::StartGoal | EventKind::StartBranch => self.start(now),
            EventKind::FinishGoal => self.finish_goal(now),
            EventKind::SuccBranch | EventKind::FailBranch => self.leave_branch(now, TaskState::Ended),
            EventKind::SuspendBranch => self.leave_branch(now, TaskState::Suspended),
            EventKind::ResumeBranch => self.resume(now),
            EventKind::CuttingBranch | EventKind::LeafCut => self.of_task(self.known_task(now)),
            EventKind::StartBusy => self.start_busy(now),
            EventKind::StopBusy => self.stop_busy(now),
            EventKind::StartTime => {
                self.whole = Some(self.new_call());
                BoxPlace::alone(self.whole)
            }
            EventKind::StopTime => {
                self.check_ends();
                BoxPlace::alone(self.whole)
            }
            EventKind::AgentBusy => {
                let call = Some(self.new_call());
                self.agent(now).busy = call;
                BoxPlace::alone(call)
            }
            EventKind::AgentIdle => BoxPlace::alone(self.agent(now).busy.take()),
            EventKind::CreateWam | EventKind::CreateAgent => BoxPlace::default(),
        }
    }

    /// The place of the events of a fork.
    fn of_fork(&self, number: u32) -> BoxPlace {
        let Fork { call, depth, father, .. } = *self.nodes.fork(number);
        BoxPlace { call: Some(call), depth: Some(depth), fork: Some(number), branch: None, father }
    }

    /// The place of the events of a task.
    fn of_task(&self, task: Option<u32>) -> BoxPlace {
        let Some(task) = task.map(|task| *self.nodes.task(task)) else { return BoxPlace::default() };
        let BoxPlace { call, depth, fork, .. } = self.of_fork(task.fork);
        BoxPlace {
            call: Some(task.call),
            depth: depth.map(|depth| depth + 1),
            fork,
            branch: Some(task.k),
            father: call,
        }
    }

    /// The place of the events of a slave that works for a task.
    fn of_slave(&self, task: Option<u32>, call: Option<u32>) -> BoxPlace {
        let of_task = self.of_task(task);
        BoxPlace { call, father: of_task.call, ..of_task }
    }

    /// The agent of the event.
    fn agent(&mut self, now: &CurrentEvent<'_>) -> &mut Agent {
        &mut self.agents.all[now.agent as usize]
    }

    /// The innermost task of the agent of the event.
    fn innermost(&mut self, now: &CurrentEvent<'_>) -> Option<u32> {
        self.agents.all[now.agent as usize].innermost(now.agent, &self.nodes)
    }

    fn fork(&mut self, now: &CurrentEvent<'_>) -> BoxPlace {
        if now.k < 1 {
            self.fault("V2", format_args!("a fork of {} tasks", now.k));
        }
        if self.nodes.latest(now.node).is_some_and(|fork| self.nodes.fork(fork).is_open()) {
            self.fault("V6", format_args!("node `{}` is open already", now.written));
        }
        let father = self.innermost(now);
        let call = self.new_call();
        let fork = self.nodes.add_fork(now, call, father);
        if let Some(father) = father.filter(|_| now.kind == EventKind::MakePublic) {
            self.leave(father, TaskState::Published);
        }
        self.of_fork(fork)
    }

    fn join(&mut self, now: &CurrentEvent<'_>) -> BoxPlace {
        let node = now.written;
        let Some(fork) = self.nodes.latest(now.node) else {
            self.fault("V9", format_args!("no FORK of node `{node}` comes before this JOIN"));
            return BoxPlace::default();
        };
        let before = *self.nodes.fork(fork);
        self.nodes.fork_mut(fork).is_joined = true;
        let n_left = before.n_tasks.saturating_sub(before.n_finished.into());
        if before.is_joined {
            self.fault("V9", format_args!("node `{node}` is joined a second time"));
        } else if n_left > 0 {
            let tasks = if n_left == 1 { "task" } else { "tasks" };
            self.fault("V9", format_args!("node `{node}` is joined before its last {n_left} {tasks} finished"));
        }
        if before.agent != now.agent {
            let agent = self.agents.all[before.agent as usize].number;
            self.fault("V9", format_args!("node `{node}` was forked by agent {agent}"));
        }
        self.of_fork(fork)
    }

    fn start(&mut self, now: &CurrentEvent<'_>) -> BoxPlace {
        let (node, k) = (now.written, now.k);
        let Some(number) = self.nodes.latest(now.node) else {
            self.fault("V6", format_args!("node `{node}` is not open"));
            return BoxPlace::default();
        };
        let Fork { n_tasks, is_joined, is_public, .. } = *self.nodes.fork(number);
        if is_joined || is_public != (now.kind == EventKind::StartBranch) {
            self.fault("V6", format_args!("node `{node}` is not open"));
        }
        if !(0..n_tasks).contains(&k) {
            self.fault("V6", format_args!("task {k} of node `{node}`, which has {n_tasks}"));
        }
        if self.nodes.task_of(number, k).is_some() {
            self.fault("V6", format_args!("task {k} of node `{node}` is started again"));
        }
        let call = self.new_call();
        let task = self.nodes.add_task(number, k, call, now.agent);
        self.agent(now).enter(task);
        self.of_task(Some(task))
    }

    /// Lets a task that runs do so no longer; its slaves must have gone.
    fn leave(&mut self, task: u32, state: TaskState) {
        self.nodes.leave(task, state);
        let n_slaves = std::mem::take(&mut self.nodes.task_mut(task).n_slaves);
        if n_slaves > 0 {
            let slaves = if n_slaves == 1 { "slave works" } else { "slaves work" };
            let name = self.nodes.name(task);
            self.fault("V12", format_args!("{n_slaves} {slaves} still in the team of branch {name}"));
        }
    }

    /// The task that an event names.
    fn known_task(&self, now: &CurrentEvent<'_>) -> Option<u32> {
        self.nodes.task_of(self.nodes.latest(now.node)?, now.k)
    }

    fn resume(&mut self, now: &CurrentEvent<'_>) -> BoxPlace {
        let task = self.known_task(now);
        match task.filter(|task| self.nodes.task(*task).state == TaskState::Suspended) {
            Some(task) => {
                self.nodes.run(task, now.agent);
                self.agent(now).enter(task);
            }
            None => self.fault("V11", format_args!("{} is not suspended", now.named("branch"))),
        }
        self.of_task(task)
    }

    fn finish_goal(&mut self, now: &CurrentEvent<'_>) -> BoxPlace {
        let Some(task) = self.known_task(now) else {
            self.fault("V7", format_args!("{} was not started", now.named("task")));
            return BoxPlace::default();
        };
        let found = *self.nodes.task(task);
        if found.state != TaskState::Running {
            self.fault("V7", format_args!("{} is finished already", now.named("task")));
            return self.of_task(Some(task));
        }
        if found.agent != now.agent {
            let agent = self.agents.all[found.agent as usize].number;
            self.fault("V7", format_args!("{} was started by agent {agent}", now.named("task")));
        } else if self.innermost(now) != Some(task) {
            self.fault("V8", format_args!("{} is not the innermost open one of its agent", now.named("task")));
        }
        self.leave(task, TaskState::Ended);
        self.nodes.fork_mut(found.fork).n_finished += 1;
        self.of_task(Some(task))
    }

    fn leave_branch(&mut self, now: &CurrentEvent<'_>, state: TaskState) -> BoxPlace {
        let task = self.known_task(now);
        match task.map(|task| (task, *self.nodes.task(task))) {
            Some((task, left)) if left.state == TaskState::Running && left.agent == now.agent => {
                self.leave(task, state);
            }
            Some(_) => {
                let branch = now.named("branch");
                self.fault("V10", format_args!("{branch} does not run on agent {}", now.agent_number));
            }
            None => self.fault("V10", format_args!("{} was not started", now.named("branch"))),
        }
        self.of_task(task)
    }

    fn start_busy(&mut self, now: &CurrentEvent<'_>) -> BoxPlace {
        let task = self.known_task(now);
        if !task.is_some_and(|task| self.nodes.task(task).state == TaskState::Running) {
            self.fault("V12", format_args!("{} does not run", now.named("branch")));
        }
        let call = task.map(|task| {
            let call = self.new_call();
            if self.slaves.insert((task, now.agent), call).is_some() {
                self.fault("V12", format_args!("agent {} works in the team already", now.agent_number));
            } else {
                self.nodes.task_mut(task).n_slaves += 1;
            }
            call
        });
        self.of_slave(task, call)
    }

    fn stop_busy(&mut self, now: &CurrentEvent<'_>) -> BoxPlace {
        let task = self.known_task(now);
        let call = task.and_then(|task| self.slaves.remove(&(task, now.agent)));
        match task.filter(|_| call.is_some()) {
            Some(task) => {
                let team = &mut self.nodes.task_mut(task).n_slaves;
                *team = team.saturating_sub(1);
            }
            None => {
                let branch = now.named("branch");
                self.fault("V12", format_args!("agent {} does not work for {branch}", now.agent_number));
            }
        }
        self.of_slave(task, call)
    }
}
