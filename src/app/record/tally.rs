//! Counts of what was recorded.

use memchr::memmem;

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
    /// Whether the last line of the recorder has come.
    pub(super) has_trailer: bool,
}

impl Tally {
    /// Counts a line.
    pub(super) fn line(&mut self, line: &[u8]) {
        if line.starts_with(b"{\"papaver\"") {
            self.has_trailer |= memmem::find(line, b"\"trailer\"").is_some();
            return;
        }
        self.n_events += 1;
        match port(line) {
            Some(b"call") => self.n_calls += 1,
            Some(b"exception") => self.n_exceptions += 1,
            Some(b"fail") => self.n_fails += 1,
            Some(_) => {}
            // a system call, in the text of strace
            None => self.n_exceptions += u64::from(memmem::find(line, b") = -1 E").is_some()),
        }
    }
}

/// The port that a line of JSON states.
fn port(line: &[u8]) -> Option<&[u8]> {
    let at = memmem::find(line, b"\"port\"")? + b"\"port\"".len();
    let value = line[at..].trim_ascii_start().strip_prefix(b":")?.trim_ascii_start().strip_prefix(b"\"")?;
    Some(&value[..memchr::memchr(b'"', value)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_by_port() {
        let mut tally = Tally::default();
        for line in [
            r#"{"papaver":1,"port":"header"}"#,
            r#"{"port":"call","name":"f"}"#,
            r#"{"name":"f", "port": "exception"}"#,
            r#"{"port":"fail"}"#,
            r#"12 openat(AT_FDCWD, "x", O_RDONLY) = -1 ENOENT (No such file or directory) <0.000008>"#,
            r#"{"papaver":1,"port":"trailer"}"#,
        ] {
            tally.line(line.as_bytes());
        }
        assert_eq!((tally.n_events, tally.n_calls, tally.n_exceptions, tally.n_fails), (4, 1, 2, 1));
        assert!(tally.has_trailer);
    }
}
