//! What a reader of Erlang terms expects, and what it skips.

/// What stands where a term or a part of one was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TermFault {
    /// The place in the text; its end if the text is only the beginning of a term.
    pub(crate) at: usize,
    /// What was expected there.
    pub(crate) expected: &'static str,
}

pub(crate) type TermResult<T> = Result<T, TermFault>;

/// The place after blanks, line ends and comments.
#[inline]
pub(crate) fn skip_layout(text: &[u8], mut at: usize) -> usize {
    while let Some(byte) = text.get(at) {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C => at += 1,
            b'%' => at = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |length| at + length),
            _ => break,
        }
    }
    at
}
