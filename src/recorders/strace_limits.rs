//! The limits that strace does not know: papaver keeps them, as the lines of strace pass on their way to the file.

use std::collections::VecDeque;

use super::Limits;
use super::process_depths::ProcessDepths;
use super::strace_values::without_values;
use crate::formats::strace::line::{LineBody, LineHead, is_open, number};
use crate::term::hash::{HashMap, HashSet};

/// The limits, and what they have left out.
#[derive(Debug)]
pub(crate) struct StraceLimits {
    depth: Option<u64>,
    depths: ProcessDepths,
    sample: Option<u64>,
    no_args: bool,
    /// How often each system call was called.
    n_calls: HashMap<Vec<u8>, u64>,
    /// The processes inside a call that is left out.
    inside: HashSet<i64>,
    /// Lines that wait until the depth of the process of the first one is known.
    held: VecDeque<Vec<u8>>,
    n_deep: u64,
    n_not_sampled: u64,
}

/// The most lines that wait.
const MOST_HELD: usize = 10_000;

impl StraceLimits {
    /// What papaver keeps of these limits; none if strace keeps all.
    pub(super) fn of(limits: &Limits) -> Option<StraceLimits> {
        let is_needed = limits.depth.is_some() || limits.sample.is_some() || limits.no_args;
        is_needed.then(|| StraceLimits {
            depth: limits.depth,
            depths: ProcessDepths::default(),
            sample: limits.sample,
            no_args: limits.no_args,
            n_calls: HashMap::default(),
            inside: HashSet::default(),
            held: VecDeque::new(),
            n_deep: 0,
            n_not_sampled: 0,
        })
    }

    /// Takes the next line, with its end; returns the lines to write now.
    pub(crate) fn take(&mut self, line: &[u8]) -> Vec<Vec<u8>> {
        if self.depth.is_none() {
            return self.at_depth(line, 1).into_iter().collect();
        }
        self.depths.see(line);
        self.held.push_back(line.to_vec());
        let mut kept = Vec::new();
        while let Some(first) = self.held.front() {
            let known = self.depths.of_line(first);
            let least = || (self.held.len() > MOST_HELD).then(|| self.depths.least());
            let Some(depth) = known.or_else(least) else { break };
            let Some(first) = self.held.pop_front() else { break };
            kept.extend(self.at_depth(&first, depth));
        }
        kept
    }

    /// The lines that wait at the end of the recording.
    pub(crate) fn rest(&mut self) -> Vec<Vec<u8>> {
        let held = std::mem::take(&mut self.held);
        let least = self.depths.least();
        let depth = |line: &[u8]| self.depths.of_line(line).unwrap_or(least);
        let lines: Vec<(u64, Vec<u8>)> = held.into_iter().map(|line| (depth(&line), line)).collect();
        lines.into_iter().filter_map(|(depth, line)| self.at_depth(&line, depth)).collect()
    }

    /// How many calls each limit left out; none of `no_args`, which leaves out values.
    pub(crate) fn left_out(&self) -> Vec<(&'static str, Option<u64>)> {
        let counts = [("depth", self.n_deep), ("sample", self.n_not_sampled)];
        let counts = counts.into_iter().filter(|(_, count)| *count > 0).map(|(limit, count)| (limit, Some(count)));
        counts.chain(self.no_args.then_some(("no_args", None))).collect()
    }

    /// What remains of a line of a process at this depth.
    fn at_depth(&mut self, line: &[u8], depth: u64) -> Option<Vec<u8>> {
        let text = line.trim_ascii_end();
        let head = LineHead::of(text);
        let body = LineBody::of(&text[head.length..]);
        if self.depth.is_some_and(|most| depth > most) {
            self.n_deep += u64::from(matches!(body, LineBody::Call { .. }));
            return None;
        }
        if self.sample.is_some_and(|each| !self.is_sampled(each, head.pid.unwrap_or(0), body, is_open(text))) {
            return None;
        }
        Some(if self.no_args { without_values(text) } else { line.to_vec() })
    }

    /// Whether a line is of a call that is recorded, or of none.
    fn is_sampled(&mut self, each: u64, pid: i64, body: LineBody<'_>, is_open: bool) -> bool {
        match body {
            LineBody::Call { name, .. } => {
                let n_calls = self.n_calls.entry(name.to_vec()).or_default();
                *n_calls += 1;
                let is_sampled = (*n_calls - 1).is_multiple_of(each);
                self.n_not_sampled += u64::from(!is_sampled);
                if is_sampled || !is_open {
                    self.inside.remove(&pid);
                } else {
                    self.inside.insert(pid);
                }
                is_sampled
            }
            LineBody::Resumed { .. } => {
                let is_sampled = !self.inside.contains(&pid);
                if !is_open {
                    self.inside.remove(&pid);
                }
                is_sampled
            }
            LineBody::Exited { .. } | LineBody::Killed { .. } => {
                self.inside.remove(&pid);
                true
            }
            // a thread goes on with its execve under the number of its process
            LineBody::Superseded { pid: by } => {
                self.inside.remove(&pid);
                if number(by).is_some_and(|by| self.inside.remove(&by)) {
                    self.inside.insert(pid);
                }
                true
            }
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines that remain, and what was left out.
    fn kept(limits: Limits, lines: &str) -> (String, Vec<(&'static str, Option<u64>)>) {
        let mut limits = StraceLimits::of(&limits).expect("there is a limit");
        let mut kept: Vec<Vec<u8>> =
            lines.split_inclusive('\n').flat_map(|line| limits.take(line.as_bytes())).collect();
        kept.extend(limits.rest());
        (String::from_utf8(kept.concat()).unwrap(), limits.left_out())
    }

    #[test]
    fn the_first_of_so_many_calls_of_each_name_is_kept_with_its_end() {
        let lines = "7 1.0 read(3, \"a\", 1) = 1\n7 1.1 close(3) = 0\n7 1.2 read(3,  <unfinished ...>\n\
            8 1.3 read(3,  <unfinished ...>\n7 1.4 --- SIGCHLD {si_signo=SIGCHLD} ---\n7 1.5 <... read resumed>\"\", 1) = 0\n\
            8 1.6 <... read resumed>\"\", 1) = 0\n8 1.7 +++ exited with 0 +++\n";
        let expected = "7 1.0 read(3, \"a\", 1) = 1\n7 1.1 close(3) = 0\n8 1.3 read(3,  <unfinished ...>\n\
            7 1.4 --- SIGCHLD {si_signo=SIGCHLD} ---\n8 1.6 <... read resumed>\"\", 1) = 0\n8 1.7 +++ exited with 0 +++\n";
        let limits = Limits { sample: Some(2), ..Limits::default() };
        assert_eq!(kept(limits, lines), (expected.to_string(), vec![("sample", Some(1))]));
    }

    #[test]
    fn a_thread_goes_on_under_the_number_of_its_process() {
        let lines = "7 1.0 execve(\"/a\") = 0\n8 1.1 execve(\"/b\" <unfinished ...>\n\
            7 1.2 +++ superseded by execve in pid 8 +++\n7 1.3 <... execve resumed>) = 0\n";
        let expected = "7 1.0 execve(\"/a\") = 0\n7 1.2 +++ superseded by execve in pid 8 +++\n";
        let limits = Limits { sample: Some(2), ..Limits::default() };
        assert_eq!(kept(limits, lines).0, expected);
    }

    #[test]
    fn lines_wait_until_it_is_known_how_deep_their_process_is() {
        // 9 is a child of 7 or of 8
        let lines = "7 1.0 fork() = 8\n7 1.1 fork( <unfinished ...>\n8 1.2 fork( <unfinished ...>\n9 1.3 getpid() = 9\n\
            8 1.4 <... fork resumed>) = 9\n7 1.5 <... fork resumed>) = 10\n10 1.6 getpid() = 10\n";
        let expected: String = lines.split_inclusive('\n').filter(|line| !line.contains("getpid() = 9")).collect();
        let limits = Limits { depth: Some(2), ..Limits::default() };
        assert_eq!(kept(limits, lines), (expected, vec![("depth", Some(1))]));
    }

    #[test]
    fn what_nobody_knows_at_the_end_is_kept() {
        let lines =
            "7 1.0 fork() = 8\n7 1.1 fork( <unfinished ...>\n8 1.2 fork( <unfinished ...>\n9 1.3 getpid() = 9\n";
        let limits = Limits { depth: Some(2), ..Limits::default() };
        assert_eq!(kept(limits, lines), (lines.to_string(), vec![]));
    }
}
