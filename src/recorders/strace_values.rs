//! Lines of strace without the values in them.

use crate::formats::strace::line::{LineBody, LineHead, resuming, split_duration, value};
use crate::formats::strace::result_text;

/// A line without arguments, paths of results, and structures of signals; the number that a call returned and the name
/// of its error stay. A line of which nothing is known stays as it is, and a call without a readable result gets `?`.
pub(super) fn without_values(line: &[u8]) -> Vec<u8> {
    let head = LineHead::of(line);
    let (mut short, body) = (line[..head.length].to_vec(), &line[head.length..]);
    match LineBody::of(body) {
        LineBody::Call { name, rest } => {
            let (_, after) = resuming(rest).unwrap_or((b"", rest));
            short.extend([name, b"(", &rest[..rest.len() - after.len()]].concat());
            short.extend(end_of_call(after));
        }
        LineBody::Resumed { name, rest } => {
            short.extend([b"<... ", name, b" resumed>"].concat());
            short.extend(end_of_call(rest));
        }
        LineBody::Signal { name, .. } => short.extend([b"--- ", name, b" {} ---"].concat()),
        _ => short.extend(body),
    }
    short.push(b'\n');
    short
}

/// The texts with which a call ends that has no result here.
const OPEN: [&[u8]; 2] = [b" <unfinished ...>", b" <detached ...>"];

/// `) = 3 <0.000008>` for the end of `"x", O_RDONLY) = 3</tmp/x> <0.000008>`.
fn end_of_call(rest: &[u8]) -> Vec<u8> {
    if let Some(open) = OPEN.into_iter().find(|open| rest.ends_with(open.trim_ascii_start())) {
        return open.to_vec();
    }
    let short = || {
        let text = result_text(rest)?;
        let (result, _) = split_duration(text);
        let (number, details) = result.split_at(value(result)?.1);
        let is_error = details.strip_prefix(b" E").and_then(<[u8]>::first).is_some_and(u8::is_ascii_uppercase);
        let details = if is_error { details } else { &[] };
        Some([b") = ", number, details, &text[result.len()..]].concat())
    };
    short().unwrap_or_else(|| b") = ?".to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_errors_stay() {
        for (line, expected) in [
            ("7 1.0 openat(AT_FDCWD</a>, \"x\", 0) = 3</a/x> <0.000008>", "7 1.0 openat() = 3 <0.000008>"),
            (
                "7 1.0 open(\"x\") = -1 ENOENT (No such file) <0.000008>",
                "7 1.0 open() = -1 ENOENT (No such file) <0.000008>",
            ),
            ("7 1.0 fcntl(3</x>, F_GETFL) = 0x8000 (flags O_RDONLY|O_LARGEFILE) <0.1>", "7 1.0 fcntl() = 0x8000 <0.1>"),
            ("7 1.0 read(3</x>,  <unfinished ...>", "7 1.0 read( <unfinished ...>"),
            ("7 1.0 <... read resumed>\"a) = 2\", 9) = 7 <0.1>", "7 1.0 <... read resumed>) = 7 <0.1>"),
            ("7 1.0 <... clone3 resumed> => {parent_tid=[8]}, 88) = 8 <0.1>", "7 1.0 <... clone3 resumed>) = 8 <0.1>"),
            (
                "7 1.0 read(0, 0x7, 1) = ? ERESTARTSYS (To be restarted) <0.1>",
                "7 1.0 read() = ? ERESTARTSYS (To be restarted) <0.1>",
            ),
            (
                "7 1.0 restart_syscall(<... resuming interrupted poll ...>) = 1 <0.1>",
                "7 1.0 restart_syscall(<... resuming interrupted poll ...>) = 1 <0.1>",
            ),
            ("7 1.0 exit_group(0)   = ?", "7 1.0 exit_group() = ?"),
            ("7 1.0 --- SIGCHLD {si_signo=SIGCHLD, si_pid=9} ---", "7 1.0 --- SIGCHLD {} ---"),
            ("7 1.0 +++ exited with 0 +++", "7 1.0 +++ exited with 0 +++"),
        ] {
            assert_eq!(String::from_utf8(without_values(line.as_bytes())).unwrap(), format!("{expected}\n"));
        }
    }
}
