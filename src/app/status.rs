//! Exit statuses.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// There was an answer; all checks hold.
    Yes,
    /// There was no answer; a check is violated.
    No,
    /// Usage, syntax, unreadable trace, uncaught exception, limit.
    Error,
    /// By Ctrl-C.
    Interrupted,
    /// By `halt(N)`.
    Halted(i32),
    /// With the exit status of a program that was recorded.
    Program(u8),
    /// The reader of standard output has closed it, as `head` does; this is not an error.
    Closed,
}

impl Status {
    /// The exit status for the shell; a number out of its range is an error.
    pub(crate) fn code(self) -> u8 {
        match self {
            Status::Yes | Status::Closed => 0,
            Status::No => 1,
            Status::Error => 2,
            Status::Interrupted => 130,
            Status::Program(status) => status,
            Status::Halted(number) => u8::try_from(number).unwrap_or(Status::Error.code()),
        }
    }

    /// The status of two parts of a command together: the graver one; a `halt` or an interrupt wins, since it ends
    /// everything.
    pub(crate) fn and(self, other: Status) -> Status {
        if other.rank() > self.rank() { other } else { self }
    }

    /// Whether the program must end now.
    pub(crate) fn is_end(self) -> bool {
        matches!(self, Status::Interrupted | Status::Halted(_) | Status::Closed)
    }

    fn rank(self) -> u8 {
        match self {
            Status::Yes => 0,
            Status::No => 1,
            Status::Error => 2,
            Status::Closed => 3,
            Status::Halted(_) | Status::Program(_) => 4,
            Status::Interrupted => 5,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_outweighs_a_violation() {
        assert_eq!(Status::No.and(Status::Error), Status::Error);
        assert_eq!(Status::Error.and(Status::Yes), Status::Error);
    }

    #[test]
    fn halt_keeps_its_number_if_the_shell_can_see_it() {
        assert_eq!(Status::Halted(7).code(), 7);
        assert_eq!(Status::Halted(255).code(), 255);
        assert_eq!(Status::Halted(256).code(), 2);
        assert_eq!(Status::Halted(-1).code(), 2);
    }
}
