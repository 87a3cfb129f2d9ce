//! Counts of what was recorded.

use std::sync::LazyLock;

use memchr::memmem::Finder;

/// What the lines of a recording are.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Lines that are events.
    pub(super) n_events: u64,
    /// Those that open a box.
    pub(super) n_calls: u64,
    /// Those of exceptions, or of system calls that failed.
    pub(super) n_exceptions: u64,
    /// Those of failures.
    pub(super) n_fails: u64,
    /// Lines that came when there were enough.
    pub(super) n_cut: u64,
    /// Whether the lines are not JSON, but text with a system call in each.
    pub(super) is_text: bool,
    /// Values in such a text that were cut.
    pub(super) n_texts: u64,
}

impl Tally {
    /// Counts an event.
    pub(super) fn line(&mut self, line: &[u8]) {
        self.n_events += 1;
        if line.first() != Some(&b'{') {
            return self.text(line);
        }
        match port(line) {
            Some(b"call") => self.n_calls += 1,
            Some(b"exception") => self.n_exceptions += 1,
            Some(b"fail") => self.n_fails += 1,
            _ => {}
        }
    }

    /// Counts a line of strace: `12 1795364652.276138 read(3, "\177ELF"..., 832) = 832 <0.000009>`.
    fn text(&mut self, line: &[u8]) {
        self.is_text = true;
        let has = |part: &Finder<'_>| part.find(line).is_some();
        let is_call = memchr::memchr(b'(', line).is_some() && !has(&RESUMED) && !has(&ENDED) && !has(&SIGNAL);
        self.n_calls += u64::from(is_call);
        self.n_exceptions += u64::from(has(&FAILED));
        self.n_texts += CUT.find_iter(line).count() as u64;
    }
}

/// What lines of strace hold that are no calls, or failed ones, or have a text that was cut.
static RESUMED: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("resumed>"));
static ENDED: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(" +++ "));
static SIGNAL: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(" --- "));
static FAILED: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(") = -1 E"));
static CUT: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("\"..."));
static PORT: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("\"port\""));

/// The port that a line of JSON states.
fn port(line: &[u8]) -> Option<&[u8]> {
    let at = PORT.find(line)? + PORT.needle().len();
    let value = line[at..].trim_ascii_start().strip_prefix(b":")?.trim_ascii_start().strip_prefix(b"\"")?;
    Some(&value[..memchr::memchr(b'"', value)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(lines: &[&str]) -> Tally {
        let mut tally = Tally::default();
        lines.iter().for_each(|line| tally.line(line.as_bytes()));
        tally
    }

    #[test]
    fn events_are_counted_by_port() {
        let tally = tally(&[
            r#"{"port":"call","name":"f"}"#,
            r#"{"name":"f", "port": "exception"}"#,
            r#"{"port":"fail"}"#,
            r#"{"name":"note"}"#,
        ]);
        assert_eq!((tally.n_events, tally.n_calls, tally.n_exceptions, tally.n_fails), (4, 1, 1, 1));
        assert!(!tally.is_text);
    }

    #[test]
    fn system_calls_are_counted_once() {
        let tally = tally(&[
            r#"12 1.0 openat(AT_FDCWD, "x", O_RDONLY) = -1 ENOENT (No such file or directory) <0.000008>"#,
            r#"12 1.1 wait4(-1,  <unfinished ...>"#,
            r#"13 1.2 read(3, "\177ELF"..., 832) = 832 <0.000009>"#,
            r#"13 1.3 +++ exited with 0 +++"#,
            r#"12 1.4 <... wait4 resumed>[{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL) = 13 <0.1>"#,
            r#"12 1.5 --- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED} ---"#,
        ]);
        assert_eq!((tally.n_calls, tally.n_exceptions, tally.n_texts), (3, 1, 1));
        assert!(tally.is_text);
    }
}
