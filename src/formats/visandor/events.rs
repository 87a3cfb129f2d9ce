//! What each kind of event does, and the rules that it must keep.

use std::fmt::Write;

use super::kinds::Kind;
use super::line::Numbers;
use super::nodes::{State, Task};
use super::run::Run;
use crate::trace::{AttributeId, EventRow, Field, ListField, PathId, ProcRow, TraceBuilder};

/// What an event has beside its numbers.
#[derive(Clone, Debug, Default)]
pub struct Row {
    call: Option<i64>,
    depth: Option<i64>,
    path: Option<PathId>,
    inst: Option<usize>,
    branch: Option<i64>,
    tasks: Option<i64>,
    father: Option<i64>,
    thief: Option<bool>,
    wait: Option<i64>,
}

impl Row {
    /// The values of the attributes in [`NAMES`].
    fn fields<'n>(&self, numbers: &Numbers<'n>) -> [Option<Field<'n>>; 10] {
        let int = |value: Option<i64>| value.map(Field::Int);
        let truth = |value| Field::Atom(if value { "true" } else { "false" });
        [
            Some(Field::Int(numbers.time)),
            Some(Field::Int(numbers.agent)),
            Some(Field::Atom(numbers.wam.text)),
            Some(Field::Atom(numbers.node.text)),
            self.inst.map(|inst| Field::Int(inst as i64)),
            int(self.branch),
            int(self.tasks),
            int(self.father),
            self.thief.map(truth),
            int(self.wait),
        ]
    }
}

/// The attributes of the format, and room for texts.
pub struct Columns {
    ids: [Option<AttributeId>; 10],
    args: String,
    root: PathId,
}

const NAMES: [&str; 10] = ["time", "agent", "wam", "node", "inst", "branch", "tasks", "father", "thief", "wait"];

impl Columns {
    /// Declares the attributes.
    pub fn new(builder: &mut TraceBuilder) -> Columns {
        let ids = NAMES.map(|name| builder.standing_attribute(name));
        Columns { ids, args: String::new(), root: builder.path(&[]) }
    }

    /// Hands an event to the builder.
    pub fn push(&mut self, builder: &mut TraceBuilder, kind: Kind, numbers: &Numbers<'_>, row: &Row, line: u64) {
        self.args.clear();
        let written = match row.inst {
            Some(inst) => write!(self.args, "n{inst}, {}", numbers.k),
            None => write!(self.args, "'{}', {}", numbers.node.text, numbers.k),
        };
        written.expect("writing to a string cannot fail");
        let mut extra = [(AttributeId::CHRONO, Field::Int(0)); 10];
        let mut n_extra = 0;
        for (id, field) in self.ids.iter().zip(row.fields(numbers)) {
            if let (Some(id), Some(field)) = (id, field) {
                extra[n_extra] = (*id, field);
                n_extra += 1;
            }
        }
        let (port, name) = kind.names();
        builder.push(&EventRow {
            call: row.call,
            depth: row.depth,
            port: Some(port),
            proc: ProcRow { name: Some(name), arity: Some(2), ..ProcRow::default() },
            goal_path: if row.inst.is_some() { row.path } else { Some(self.root) },
            args: ListField::Text(&self.args),
            extra: &extra[..n_extra],
            source_line: line,
            ..EventRow::default()
        });
    }
}

impl Run<'_> {
    /// Takes an event into account.
    pub fn event(&mut self, kind: Kind, numbers: &Numbers<'_>) -> Row {
        match kind {
            Kind::StartTime => self.start_time(),
            Kind::StopTime => self.stop_time(),
            Kind::AgentBusy => self.agent_busy(numbers),
            Kind::AgentIdle => self.agent_idle(numbers),
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

    fn agent_busy(&mut self, numbers: &Numbers<'_>) -> Row {
        let call = self.new_call();
        if let Some(agent) = self.agents.get_mut(&numbers.agent) {
            agent.busy = Some(call);
        }
        boxed(Some(call))
    }

    fn agent_idle(&mut self, numbers: &Numbers<'_>) -> Row {
        boxed(self.agents.get_mut(&numbers.agent).and_then(|agent| agent.busy.take()))
    }

    /// The innermost task of the agent of an event.
    fn innermost(&mut self, numbers: &Numbers<'_>) -> Option<usize> {
        self.agents.get_mut(&numbers.agent)?.innermost(numbers.agent, &self.nodes)
    }

    fn fork(&mut self, kind: Kind, numbers: &Numbers<'_>) -> Row {
        if numbers.k < 1 {
            self.fault("V2", format!("a fork of {} tasks", numbers.k));
        }
        if self.nodes.find(numbers.node.value).is_some_and(|node| self.is_open(node)) {
            self.fault("V6", format!("node `{}` is open already", numbers.node.text));
        }
        let father = self.innermost(numbers);
        let call = self.new_call();
        let node = self.nodes.add_fork(kind, numbers, call, father);
        if let Some(father) = father.filter(|_| kind == Kind::MakePublic) {
            self.leave(father, State::Published);
        }
        self.fork_row(node)
    }

    /// Whether an and-fork waits for its tasks, or a branch of an or-fork runs.
    fn is_open(&self, node: usize) -> bool {
        let node = &self.nodes.nodes[node];
        !node.is_joined && (node.n_running > 0 || !node.is_public)
    }

    fn join(&mut self, numbers: &Numbers<'_>) -> Row {
        let Some(index) = self.nodes.find(numbers.node.value) else {
            self.fault("V9", format!("no FORK of node `{}` comes before this JOIN", numbers.node.text));
            return Row::default();
        };
        let node = &mut self.nodes.nodes[index];
        let (was_joined, n_left, agent) = (node.is_joined, node.n_tasks.saturating_sub(node.n_finished), node.agent);
        node.is_joined = true;
        if was_joined {
            self.fault("V9", format!("node `{}` is joined a second time", numbers.node.text));
        } else if n_left > 0 {
            let tasks = if n_left == 1 { "task" } else { "tasks" };
            self.fault(
                "V9",
                format!("node `{}` is joined before its last {n_left} {tasks} finished", numbers.node.text),
            );
        }
        if agent != numbers.agent {
            self.fault("V9", format!("node `{}` was forked by agent {agent}", numbers.node.text));
        }
        self.fork_row(index)
    }

    fn start(&mut self, kind: Kind, numbers: &Numbers<'_>) -> Row {
        let Some(index) = self.nodes.find(numbers.node.value) else {
            self.fault("V6", format!("node `{}` is not open", numbers.node.text));
            return Row::default();
        };
        let node = &self.nodes.nodes[index];
        let (n_tasks, forker, forked) = (node.n_tasks, node.agent, node.time);
        if node.is_joined || node.is_public != (kind == Kind::StartBranch) {
            self.fault("V6", format!("node `{}` is not open", numbers.node.text));
        }
        if !(0..n_tasks).contains(&numbers.k) {
            self.fault("V6", format!("task {} of node `{}`, which has {n_tasks}", numbers.k, numbers.node.text));
        }
        if self.nodes.task(index, numbers.k).is_some() {
            self.fault("V6", format!("task {} of node `{}` is started again", numbers.k, numbers.node.text));
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
        if let Some(agent) = self.agents.get_mut(&numbers.agent) {
            agent.enter(task);
        }
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
        self.nodes.task(self.nodes.find(numbers.node.value)?, numbers.k)
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
        } else if self.innermost(numbers) != Some(task) {
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
            branch: Some(found.k),
            tasks: Some(node.n_tasks),
            father: Some(node.call),
            ..Row::default()
        }
    }

    fn fork_row(&self, index: usize) -> Row {
        let node = &self.nodes.nodes[index];
        let father = node.father.map(|task| &self.nodes.tasks[task]);
        Row {
            call: Some(node.call),
            depth: Some(node.depth),
            path: father.map_or(Some(self.columns.root), |father| father.path),
            inst: Some(index + 1),
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
    format!("{what} {} of node `{}`", numbers.k, numbers.node.text)
}
