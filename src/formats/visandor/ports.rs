//! The kinds of event: their codes, and their procedures and ports.

use crate::trace::{PortRecord, PortRole, Traced};

/// Which kind of parallelism an event or a file is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parallelism {
    And,
    Or,
    Both,
}

macro_rules! kinds {
    ($($kind:ident = $code:literal $side:ident $name:literal $spelling:literal $role:ident $proc:literal $doc:literal;)*) => {
        /// A kind of event.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum EventKind { $($kind,)* }

        impl EventKind {
            /// How many kinds there are.
            pub(crate) const COUNT: usize = [$(EventKind::$kind,)*].len();

            /// The kind with that code.
            pub(crate) fn of(code: i64) -> Option<EventKind> {
                match code { $($code => Some(EventKind::$kind),)* _ => None }
            }

            /// Name of its port, and of that which it happens to.
            pub(crate) fn names(self) -> (&'static str, &'static str) {
                match self { $(EventKind::$kind => ($name, $proc),)* }
            }

            /// The kind of parallelism that has it.
            pub(crate) fn side(self) -> Parallelism {
                match self { $(EventKind::$kind => Parallelism::$side,)* }
            }
        }

        /// The ports of the format.
        pub(crate) const PORTS: &[PortRecord] = &[$(PortRecord {
            name: $name, spellings: &[$spelling], role: PortRole::$role, traced: Traced::Yes, doc: $doc,
        },)*];
    };
}

kinds! {
    Fork = 1 And "fork" "FORK" Opens "fork" "an and-parallel conjunction starts its goals";
    StartGoal = 2 And "start_goal" "START_GOAL" Opens "goal" "an agent starts a goal of a fork";
    FinishGoal = 3 And "finish_goal" "FINISH_GOAL" Closes "goal" "a goal ends";
    Join = 4 And "join" "JOIN" Closes "fork" "all goals of a fork have ended, and its father goes on";
    StartTime = 5 Both "start_time" "START_TIME" Opens "trace" "the trace starts";
    StopTime = 6 Both "stop_time" "STOP_TIME" Closes "trace" "the trace ends";
    AgentBusy = 7 Both "agent_busy" "AGENT_BUSY" Opens "agent" "an agent has found work";
    AgentIdle = 8 Both "agent_idle" "AGENT_IDLE" Closes "agent" "an agent looks for work";
    CreateWam = 9 Both "create_wam" "CREATE_WAM" Inside "agent" "an abstract machine is created";
    CreateAgent = 10 Both "create_agent" "CREATE_AGENT" Inside "agent" "an agent is created";
    MakePublic = 20 Or "make_public" "MAKE_PUBLIC" Alone "fork" "a choice point is published, so that others can take its branches";
    StartBranch = 21 Or "start_branch" "START_BRANCH" Opens "branch" "an agent starts a branch";
    SuccBranch = 22 Or "succ_branch" "SUCC_BRANCH" Closes "branch" "a branch succeeds";
    FailBranch = 23 Or "fail_branch" "FAIL_BRANCH" Closes "branch" "a branch fails";
    SuspendBranch = 24 Or "suspend_branch" "SUSPEND_BRANCH" Closes "branch" "a branch is put aside";
    ResumeBranch = 25 Or "resume_branch" "RESUME_BRANCH" Reopens "branch" "a branch that was put aside goes on";
    CuttingBranch = 26 Or "cutting_branch" "CUTTING_BRANCH" Inside "branch" "a branch cuts others";
    LeafCut = 27 Or "leaf_cut" "LEAF_CUT" Inside "branch" "a branch without choice points below it cuts";
    StartBusy = 33 Or "start_busy" "START_BUSY" Opens "slave" "a slave joins the team that works for a branch";
    StopBusy = 34 Or "stop_busy" "STOP_BUSY" Closes "slave" "a slave leaves the team";
}
