//! Read-ahead: all cores parse chunks of lines, and the results are handed over in the order of the input.

use std::sync::Mutex;

use super::{Attached, Chunk, Lines};
use crate::trace::threads::{Turns, lock, n_cores, on_threads};

/// More threads than this only wait for each other.
const MAX_THREADS: usize = 8;

/// The number of threads that read a long file.
pub(crate) fn n_readers() -> usize {
    n_cores().min(MAX_THREADS)
}

/// The number of threads for `lines`: one if everything is in the first chunk.
pub(crate) fn n_threads(lines: &mut Lines) -> usize {
    lines.fill_to(lines.chunk_bytes + 1);
    match lines.ends_within(lines.chunk_bytes) {
        true => 1,
        false => n_readers(),
    }
}

/// Reads all of `lines`, chunk by chunk.
///
/// `parse` reads the text of a chunk independently of the text before it, into a result that its thread reuses. `take` gets the
/// chunks and their results in the order of the input.
pub(crate) fn read<R: Default>(
    lines: &mut Lines,
    attached: Option<Attached>,
    parse: impl Fn(&[u8], &mut R) + Sync,
    take: impl FnMut(&Chunk, &mut R) + Send,
) {
    let n_threads = n_threads(lines);
    let next = |spent| lines.next_chunk(attached, spent);
    read_parts(n_threads, next, |chunk: &Chunk, result: &mut R| parse(chunk.text(), result), take);
}

/// Reads the parts of an input that `next` gives until it gives none. It gets the buffer of a part that was taken, to
/// reuse.
///
/// `parse` reads a part independently of those before it, and `take` gets the results in the order of the input.
pub(crate) fn read_parts<P: Into<Vec<u8>>, R: Default>(
    n_threads: usize,
    next: impl FnMut(Vec<u8>) -> Option<P> + Send,
    parse: impl Fn(&P, &mut R) + Sync,
    take: impl FnMut(&P, &mut R) + Send,
) {
    let (parts, turns) = (Mutex::new((next, 0)), Turns::new(take));
    let next = |spent| {
        let (next, n_given) = &mut *lock(&parts);
        let part = next(spent)?;
        *n_given += 1;
        Some((*n_given - 1, part))
    };
    on_threads(n_threads, || {
        let _guard = turns.panic_guard();
        let (mut result, mut spent) = (R::default(), Vec::new());
        while let Some((index, part)) = next(spent) {
            parse(&part, &mut result);
            turns.take(index, |take| take(&part, &mut result));
            spent = part.into();
        }
    });
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::formats::lines::line_end;

    /// The lines of a text that is read in chunks of about `chunk_bytes` bytes, each with the number of lines before it.
    fn lines(text: &str, chunk_bytes: usize) -> Vec<(usize, String)> {
        let mut lines = Lines::new(Box::new(Cursor::new(text.as_bytes().to_vec())));
        lines.chunk_bytes = chunk_bytes;
        let mut all = Vec::new();
        let parse = |text: &[u8], result: &mut Vec<String>| {
            result.clear();
            let mut rest = text;
            while let Some((end, next)) = line_end(rest, 0) {
                result.push(String::from_utf8_lossy(&rest[..end]).into_owned());
                rest = &rest[next..];
            }
        };
        read(&mut lines, None, parse, |_, result| result.drain(..).for_each(|line| all.push((all.len(), line))));
        all
    }

    #[test]
    fn results_of_threads_are_taken_in_the_order_of_the_input() {
        let text: String = (0..20_000).map(|number| format!("{number}\n")).collect();
        let expected: Vec<(usize, String)> = (0..20_000).map(|number| (number, number.to_string())).collect();
        for chunk_bytes in [1, 7, 1000, 1 << 19] {
            assert_eq!(lines(&text, chunk_bytes), expected, "in chunks of {chunk_bytes} bytes");
        }
    }
}
