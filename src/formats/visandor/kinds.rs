//! The kinds of event: their codes, ports, and what they happen to.

use crate::trace::{PortRecord, PortRole, Traced};

/// What an event of a kind happens to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// The whole trace or an agent.
    Other,
    Fork,
    Task,
    /// An agent that works for a branch.
    Slave,
}

impl About {
    /// That of events of a procedure with that name.
    const fn of(name: &str) -> About {
        match name.as_bytes() {
            b"fork" => About::Fork,
            b"goal" | b"branch" => About::Task,
            b"slave" => About::Slave,
            _ => About::Other,
        }
    }
}

/// Which kind of parallelism an event or a file is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    And,
    Or,
    Both,
}

macro_rules! kinds {
    ($($kind:ident = $code:literal $side:ident $name:literal $spelling:literal $role:ident $proc:literal;)*) => {
        /// A kind of event.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind { $($kind,)* }

        impl Kind {
            /// How many kinds there are.
            pub const COUNT: usize = [$(Kind::$kind,)*].len();

            /// The kind with that code.
            pub fn of(code: i64) -> Option<Kind> {
                match code { $($code => Some(Kind::$kind),)* _ => None }
            }

            /// Name of its port, and of that which it happens to.
            pub fn names(self) -> (&'static str, &'static str) {
                match self { $(Kind::$kind => ($name, $proc),)* }
            }

            /// What it happens to.
            #[inline]
            pub fn about(self) -> About {
                const ABOUT: [About; Kind::COUNT] = [$(About::of($proc),)*];
                ABOUT[self as usize]
            }

            /// The kind of parallelism that has it.
            pub fn side(self) -> Side {
                match self { $(Kind::$kind => Side::$side,)* }
            }
        }

        /// The ports of the format.
        pub const PORTS: &[PortRecord] = &[$(PortRecord {
            name: $name, spellings: &[$spelling], role: PortRole::$role, traced: Traced::Yes,
        },)*];
    };
}

kinds! {
    Fork = 1 And "fork" "FORK" Opens "fork";
    StartGoal = 2 And "start_goal" "START_GOAL" Opens "goal";
    FinishGoal = 3 And "finish_goal" "FINISH_GOAL" Closes "goal";
    Join = 4 And "join" "JOIN" Closes "fork";
    StartTime = 5 Both "start_time" "START_TIME" Opens "trace";
    StopTime = 6 Both "stop_time" "STOP_TIME" Closes "trace";
    AgentBusy = 7 Both "agent_busy" "AGENT_BUSY" Opens "agent";
    AgentIdle = 8 Both "agent_idle" "AGENT_IDLE" Closes "agent";
    CreateWam = 9 Both "create_wam" "CREATE_WAM" Inside "agent";
    CreateAgent = 10 Both "create_agent" "CREATE_AGENT" Inside "agent";
    MakePublic = 20 Or "make_public" "MAKE_PUBLIC" Alone "fork";
    StartBranch = 21 Or "start_branch" "START_BRANCH" Opens "branch";
    SuccBranch = 22 Or "succ_branch" "SUCC_BRANCH" Closes "branch";
    FailBranch = 23 Or "fail_branch" "FAIL_BRANCH" Closes "branch";
    SuspendBranch = 24 Or "suspend_branch" "SUSPEND_BRANCH" Closes "branch";
    ResumeBranch = 25 Or "resume_branch" "RESUME_BRANCH" Reopens "branch";
    CuttingBranch = 26 Or "cutting_branch" "CUTTING_BRANCH" Inside "branch";
    LeafCut = 27 Or "leaf_cut" "LEAF_CUT" Inside "branch";
    StartBusy = 33 Or "start_busy" "START_BUSY" Opens "slave";
    StopBusy = 34 Or "stop_busy" "STOP_BUSY" Closes "slave";
}
