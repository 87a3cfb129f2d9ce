//! What each kind of event does, and the rules that it must keep.

use super::agents::Agent;
use super::columns::Row;
use super::kinds::Kind;
use super::line::Numbers;
use super::nodes::{State, Task};
use super::run::Run;

impl Run<'_> {
    /// Takes an event into account.
    pub fn event(&mut self, kind: Kind, numbers: &Numbers<'_>) -> Row {
        match kind {
            Kind::StartTime => self.start_time(),
            Kind::StopTime => self.stop_time(),
            Kind::AgentBusy => self.agent_busy(),
            Kind::AgentIdle => boxed(self.agent().busy.take()),
            Kind::CreateWam | Kind::CreateAgent => Row::default(),
            Kind::Fork | Kind::MakePublic => self.fork(kind, numbers),
            Kind::Join => self.join(numbers),
            Kind::StartGoal | Kind::StartBranch => self.start(kind, numbers),
            Kind::ResumeBranch => self.resume(numbers),
            Kind::FinishGoal => self.finish_goal(numbers),
            Kind::SuccBranch | Kind::FailBranch => self.leave_branch(numbers, State::Ended),
            Kind::SuspendBranch => self.leave_branch(numbers, State::Suspended),
            Kind::CuttingBranch | Kind::LeafCut => {
                self.known_task(numbers).map_or(Row::default(), |task| self.row(task))
            }
            Kind::StartBusy => self.start_busy(numbers),
            Kind::StopBusy => self.stop_busy(numbers),
        }
    }

    fn start_time(&mut self) -> Row {
        let call = self.new_call();
        self.whole = Some(call);
        boxed(Some(call))
    }

    fn stop_time(&mut self) -> Row {
        self.check_suspended();
        boxed(self.whole)
    }

    fn agent_busy(&mut self) -> Row {
        let call = self.new_call();
        self.agent().busy = Some(call);
        boxed(Some(call))
    }

    /// The agent of the event.
    fn agent(&mut self) -> &mut Agent {
        &mut self.agents.all[self.agent]
    }

    /// The innermost task of the agent of the event.
    fn innermost(&mut self) -> Option<usize> {
        self.agents.all[self.agent].innermost(&self.nodes)
    }

    /// The latest fork with the id in the event.
    fn node(&self) -> Option<usize> {
        self.nodes.ids[self.id].node
    }

    fn fork(&mut self, kind: Kind, numbers: &Numbers<'_>) -> Row {
        if numbers.k < 1 {
            self.fault("V2", format!("a fork of {} tasks", numbers.k));
        }
        if self.node().is_some_and(|node| self.is_open(node)) {
            self.fault("V6", format!("node `{}` is open already", numbers.node.written()));
        }
        let father = self.innermost();
        let call = self.new_call();
        let node = self.nodes.add_fork(kind, (self.id, numbers), call, father, self.builder);
        if let Some(father) = father.filter(|_| kind == Kind::MakePublic) {
            self.leave(father, State::Published);
        }
        self.fork_row(node, numbers.k)
    }

    /// Whether an and-fork waits for its tasks, or a branch of an or-fork runs.
    fn is_open(&self, node: usize) -> bool {
        let node = &self.nodes.nodes[node];
        !node.is_joined && (node.n_running > 0 || !node.is_public)
    }

    fn join(&mut self, numbers: &Numbers<'_>) -> Row {
        let Some(index) = self.node() else {
            self.fault("V9", format!("no FORK of node `{}` comes before this JOIN", numbers.node.written()));
            return Row::default();
        };
        let node = &mut self.nodes.nodes[index];
        let (was_joined, n_left, agent) = (node.is_joined, node.n_tasks.saturating_sub(node.n_finished), node.agent);
        node.is_joined = true;
        if was_joined {
            self.fault("V9", format!("node `{}` is joined a second time", numbers.node.written()));
        } else if n_left > 0 {
            let tasks = if n_left == 1 { "task" } else { "tasks" };
            self.fault(
                "V9",
                format!("node `{}` is joined before its last {n_left} {tasks} finished", numbers.node.written()),
            );
        }
        if agent != numbers.agent {
            self.fault("V9", format!("node `{}` was forked by agent {agent}", numbers.node.written()));
        }
        self.fork_row(index, numbers.k)
    }

    fn start(&mut self, kind: Kind, numbers: &Numbers<'_>) -> Row {
        let Some(index) = self.node() else {
            self.fault("V6", format!("node `{}` is not open", numbers.node.written()));
            return Row::default();
        };
        let node = &self.nodes.nodes[index];
        let (n_tasks, forker, forked) = (node.n_tasks, node.agent, node.time);
        if node.is_joined || node.is_public != (kind == Kind::StartBranch) {
            self.fault("V6", format!("node `{}` is not open", numbers.node.written()));
        }
        if !(0..n_tasks).contains(&numbers.k) {
            self.fault("V6", format!("task {} of node `{}`, which has {n_tasks}", numbers.k, numbers.node.written()));
        }
        if self.nodes.task(index, numbers.k).is_some() {
            self.fault("V6", format!("task {} of node `{}` is started again", numbers.k, numbers.node.written()));
        }
        let call = self.new_call();
        let task = self.nodes.add_task(index, numbers.k, call, numbers.agent, self.builder);
        self.enter(task, numbers);
        let thief = (kind == Kind::StartGoal).then_some(forker != numbers.agent);
        Row { thief, wait: Some(numbers.time.saturating_sub(forked)), ..self.row(task) }
    }

    fn enter(&mut self, task: usize, numbers: &Numbers<'_>) {
        let entered = &mut self.nodes.tasks[task];
        (entered.state, entered.agent) = (State::Running, numbers.agent);
        self.nodes.nodes[entered.node].n_running += 1;
        self.agent().enter(task);
    }

    /// Lets a task that runs do so no longer; its slaves must have gone.
    fn leave(&mut self, task: usize, state: State) {
        let left = &mut self.nodes.tasks[task];
        left.state = state;
        self.nodes.nodes[left.node].n_running -= 1;
        let n_slaves = std::mem::take(&mut left.n_slaves);
        if n_slaves > 0 {
            let slaves = if n_slaves == 1 { "slave works" } else { "slaves work" };
            let message = format!("{n_slaves} {slaves} still in the team of branch {}", self.nodes.name(task));
            self.fault("V12", message);
        }
    }

    /// The task that an event names.
    fn known_task(&self, numbers: &Numbers<'_>) -> Option<usize> {
        self.nodes.task(self.node()?, numbers.k)
    }

    fn resume(&mut self, numbers: &Numbers<'_>) -> Row {
        let task = self.known_task(numbers);
        let Some(task) = task.filter(|task| self.nodes.tasks[*task].state == State::Suspended) else {
            self.fault("V11", format!("{} is not suspended", named("branch", numbers)));
            return task.map_or(Row::default(), |task| self.row(task));
        };
        self.enter(task, numbers);
        self.row(task)
    }

    fn finish_goal(&mut self, numbers: &Numbers<'_>) -> Row {
        let Some(task) = self.known_task(numbers) else {
            self.fault("V7", format!("{} was not started", named("task", numbers)));
            return Row::default();
        };
        let Task { state, agent, .. } = self.nodes.tasks[task];
        if state != State::Running {
            self.fault("V7", format!("{} is finished already", named("task", numbers)));
            return self.row(task);
        }
        if agent != numbers.agent {
            self.fault("V7", format!("{} was started by agent {agent}", named("task", numbers)));
        } else if self.innermost() != Some(task) {
            self.fault("V8", format!("{} is not the innermost open one of its agent", named("task", numbers)));
        }
        self.leave(task, State::Ended);
        let node = self.nodes.tasks[task].node;
        self.nodes.nodes[node].n_finished += 1;
        self.row(task)
    }

    fn leave_branch(&mut self, numbers: &Numbers<'_>, state: State) -> Row {
        let Some(task) = self.known_task(numbers) else {
            self.fault("V10", format!("{} was not started", named("branch", numbers)));
            return Row::default();
        };
        let left = &self.nodes.tasks[task];
        if left.state == State::Running && left.agent == numbers.agent {
            self.leave(task, state);
        } else {
            self.fault("V10", format!("{} does not run on agent {}", named("branch", numbers), numbers.agent));
        }
        self.row(task)
    }

    fn start_busy(&mut self, numbers: &Numbers<'_>) -> Row {
        let task = self.known_task(numbers);
        if !task.is_some_and(|task| self.nodes.tasks[task].state == State::Running) {
            self.fault("V12", format!("{} does not run", named("branch", numbers)));
        }
        let Some(task) = task else { return Row::default() };
        let call = self.new_call();
        if self.slaves.insert((task, numbers.agent), call).is_some() {
            self.fault("V12", format!("agent {} works in the team already", numbers.agent));
        } else {
            self.nodes.tasks[task].n_slaves += 1;
        }
        self.slave_row(task, Some(call))
    }

    fn stop_busy(&mut self, numbers: &Numbers<'_>) -> Row {
        let task = self.known_task(numbers);
        let call = task.and_then(|task| self.slaves.remove(&(task, numbers.agent)));
        if call.is_none() {
            self.fault("V12", format!("agent {} does not work for {}", numbers.agent, named("branch", numbers)));
        }
        let Some(task) = task else { return Row::default() };
        let n_slaves = &mut self.nodes.tasks[task].n_slaves;
        *n_slaves = n_slaves.saturating_sub(usize::from(call.is_some()));
        self.slave_row(task, call)
    }

    /// A slave's box lies in that of the branch for which it works.
    fn slave_row(&self, task: usize, call: Option<i64>) -> Row {
        let row = self.row(task);
        Row { call, father: row.call, ..row }
    }

    fn row(&self, task: usize) -> Row {
        let found = &self.nodes.tasks[task];
        let node = self.nodes.node_of(task);
        Row {
            call: Some(found.call),
            depth: Some(node.depth + 1),
            path: found.path,
            inst: Some(found.node + 1),
            args: Some(found.args),
            branch: Some(found.k),
            tasks: Some(node.n_tasks),
            father: Some(node.call),
            ..Row::default()
        }
    }

    fn fork_row(&mut self, index: usize, k: i64) -> Row {
        let args = self.nodes.args(index, k, self.builder);
        let node = &self.nodes.nodes[index];
        let father = node.father.map(|task| &self.nodes.tasks[task]);
        Row {
            call: Some(node.call),
            depth: Some(node.depth),
            path: father.map_or(Some(self.columns.root), |father| father.path),
            inst: Some(index + 1),
            args: Some(args),
            tasks: Some(node.n_tasks),
            father: father.map(|father| father.call),
            ..Row::default()
        }
    }
}

/// An event of a box that lies in no other.
fn boxed(call: Option<i64>) -> Row {
    Row { call, depth: call.map(|_| 1), ..Row::default() }
}

/// `task 1 of node \`6FFDEBE1\``
fn named(what: &str, numbers: &Numbers<'_>) -> String {
    format!("{what} {} of node `{}`", numbers.k, numbers.node.written())
}
