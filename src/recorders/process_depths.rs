//! How deep the processes of a program are: 1 is the program itself, 2 what it starts. A thread is as deep as its process.

use crate::formats::strace::line::{LineBody, LineHead, ReturnValue, is_open};
use crate::formats::strace::result_of;
use crate::term::hash::HashMap;

/// The system calls that make processes.
pub(super) const FORKS: [&str; 4] = ["clone", "clone3", "fork", "vfork"];

/// What is known of the processes from the calls that make them.
#[derive(Debug, Default)]
pub(super) struct ProcessDepths {
    depths: HashMap<i64, u64>,
    /// The processes inside a call that makes one.
    forking: HashMap<i64, Fork>,
}

/// A call that makes a process.
#[derive(Debug)]
struct Fork {
    /// The depth of the new process.
    depth: u64,
    /// The new process, if its lines have come before the call returned.
    child: Option<i64>,
}

impl ProcessDepths {
    /// Takes the next line of the trace.
    pub(super) fn see(&mut self, line: &[u8]) {
        let text = line.trim_ascii_end();
        let head = LineHead::of(text);
        let pid = head.pid.unwrap_or(0);
        if self.depths.is_empty() {
            self.depths.insert(pid, 1);
        }
        self.place(pid);
        match LineBody::of(&text[head.length..]) {
            LineBody::Call { name, rest } if FORKS.iter().any(|fork| fork.as_bytes() == name) => {
                let is_thread = memchr::memmem::find(rest, b"CLONE_THREAD").is_some();
                let depth = self.depths.get(&pid).map_or(1, |depth| depth + u64::from(!is_thread));
                self.forking.insert(pid, Fork { depth, child: None });
                if !is_open(text) {
                    self.born(pid, rest);
                }
            }
            LineBody::Resumed { rest, .. } if !is_open(text) => self.born(pid, rest),
            LineBody::Exited { .. } | LineBody::Killed { .. } => {
                self.forking.remove(&pid);
            }
            _ => {}
        }
    }

    /// The depth of the process of a line, if it is known.
    pub(super) fn of_line(&self, line: &[u8]) -> Option<u64> {
        self.depths.get(&LineHead::of(line).pid.unwrap_or(0)).copied()
    }

    /// The least depth of a process whose parent is not known.
    pub(super) fn least(&self) -> u64 {
        self.forking.values().map(|fork| fork.depth).min().unwrap_or(1)
    }

    /// Notes the child that a call returned, if it makes processes.
    fn born(&mut self, parent: i64, rest: &[u8]) {
        let Some(fork) = self.forking.remove(&parent) else { return };
        if let Some(ReturnValue::Int(child @ 1..)) = result_of(rest) {
            self.depths.insert(child, fork.depth);
        }
    }

    /// Finds out how deep a new process is, before the call that made it returns: all that are inside of such a call
    /// make processes of this depth, or there is only one.
    fn place(&mut self, pid: i64) {
        if self.depths.contains_key(&pid) {
            return;
        }
        let mut parents: Vec<&mut Fork> = self.forking.values_mut().filter(|fork| fork.child.is_none()).collect();
        let depth = parents.first().map_or(1, |fork| fork.depth);
        if parents.iter().all(|fork| fork.depth == depth) {
            if let [parent] = parents.as_mut_slice() {
                parent.child = Some(pid);
            }
            self.depths.insert(pid, depth);
        }
    }
}
