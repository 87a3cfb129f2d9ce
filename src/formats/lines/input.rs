//! The input of a trace: a file or standard input, with gzip and zstd unpacked.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Error, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;
use thiserror::Error as ThisError;
use zstd::Decoder as ZstdDecoder;

use crate::trace::SAVED_MAGIC;

/// A defect of packed data; the text before it is good.
#[derive(Debug, ThisError)]
pub(crate) enum Damage {
    /// A gzip or zstd file that is truncated or changed.
    #[error("the packed data is damaged: {0}")]
    Broken(String),
    /// A small file that unpacks to an enormous one.
    #[error("the packed data grows more than {}-fold: reading stops after {} MiB", Limited::RATIO, Limited::FREE >> 20)]
    Bomb,
}

impl From<Damage> for Error {
    fn from(damage: Damage) -> Error {
        Error::new(ErrorKind::InvalidData, damage)
    }
}

/// The input of a trace.
pub(crate) struct TraceInput {
    /// The first bytes, unless they are packed: enough to recognise a saved trace, and all bytes of a small file.
    pub(crate) first: Vec<u8>,
    /// The bytes after these, unpacked; none if there are no more.
    pub(crate) rest: Option<Box<dyn Read + Send>>,
    /// Whether they were packed.
    pub(crate) is_packed: bool,
    /// The file, if it holds the same bytes at the same offsets.
    pub(crate) file: Option<File>,
    /// The size of the file, if known; packed data become larger.
    pub(crate) size: Option<u64>,
}

/// The most bytes of a file that are read at once at its beginning.
const FIRST: u64 = 1 << 18;

/// The bytes of the file at `path`, or of standard input for `-`, unpacked. `n_read` counts the bytes that are read.
///
/// A regular file is read up to its present size, so that a growing file has an end.
pub(crate) fn open(path: &Path, n_read: Option<Arc<AtomicU64>>) -> io::Result<TraceInput> {
    let n_read = n_read.unwrap_or_default();
    if path == Path::new("-") {
        return begin(Counted { source: io::stdin(), n_read });
    }
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return begin(Counted { source: file, n_read });
    }
    let size = metadata.len();
    let first = first_bytes(&mut Counted { source: &file, n_read: Arc::clone(&n_read) }, size.min(FIRST))?;
    let rest = if size > FIRST { Some(file.try_clone()?.take(size - FIRST)) } else { None };
    let input = unpack(first, rest, n_read)?;
    let file = Some(file).filter(|_| !input.is_packed);
    Ok(TraceInput { file, size: Some(size), ..input })
}

/// Bytes that were read already, unpacked.
pub(crate) fn of_bytes(bytes: Vec<u8>) -> io::Result<TraceInput> {
    let n_read = Arc::new(AtomicU64::new(bytes.len() as u64));
    unpack(bytes, None::<io::Empty>, n_read)
}

/// Whether bytes begin as packed ones do; for zstd, with a frame or a skippable frame (RFC 8878, 3.1).
pub(crate) fn is_packed(first: &[u8]) -> bool {
    is_gzip(first) || matches!(first, [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..])
}

fn is_gzip(first: &[u8]) -> bool {
    first.starts_with(&[0x1F, 0x8B])
}

/// Reads as many bytes as show whether they are packed, or a saved trace.
fn begin(mut source: Counted<impl Read + Send + 'static>) -> io::Result<TraceInput> {
    let first = first_bytes(&mut source, SAVED_MAGIC.len() as u64)?;
    unpack(first, Some(source.source), source.n_read)
}

/// The first bytes of an input; all of them if they are fewer than `n_bytes`.
fn first_bytes(source: &mut impl Read, n_bytes: u64) -> io::Result<Vec<u8>> {
    let (mut first, mut n_read) = (vec![0; n_bytes as usize], 0);
    while n_read < first.len() {
        match source.read(&mut first[n_read..]) {
            Ok(0) => break,
            Ok(n_more) => n_read += n_more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    first.truncate(n_read);
    Ok(first)
}

/// The input of `first` and then `rest`, unpacked if the first bytes say that they are packed.
fn unpack(first: Vec<u8>, rest: Option<impl Read + Send + 'static>, n_read: Arc<AtomicU64>) -> io::Result<TraceInput> {
    let n_packed = Arc::clone(&n_read);
    let rest = rest.map(|source| Box::new(Counted { source, n_read }) as Box<dyn Read + Send>);
    if !is_packed(&first) {
        return Ok(TraceInput { first, rest, is_packed: false, file: None, size: None });
    }
    let is_gzip = is_gzip(&first);
    let buffered = BufReader::new(Cursor::new(first).chain(rest.unwrap_or_else(|| Box::new(io::empty()))));
    let unpacked: Box<dyn Read + Send> =
        if is_gzip { Box::new(MultiGzDecoder::new(buffered)) } else { Box::new(ZstdDecoder::with_buffer(buffered)?) };
    let rest: Box<dyn Read + Send> = Box::new(Limited { unpacked, n_packed, n_unpacked: 0 });
    Ok(TraceInput { first: Vec::new(), rest: Some(rest), is_packed: true, file: None, size: None })
}

/// Counts the bytes that are read.
struct Counted<R> {
    source: R,
    n_read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n_read = self.source.read(buffer)?;
        self.n_read.fetch_add(n_read as u64, Ordering::Relaxed);
        Ok(n_read)
    }
}

/// Stops when the unpacked text is out of proportion, and classifies unpacking errors.
struct Limited {
    unpacked: Box<dyn Read + Send>,
    n_packed: Arc<AtomicU64>,
    n_unpacked: u64,
}

impl Limited {
    /// Unpacked bytes for each packed one at most; event lines seldom exceed 50.
    const RATIO: u64 = 250;
    /// Unpacked bytes that are always allowed.
    const FREE: u64 = 1 << 29;
}

impl Read for Limited {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.n_unpacked > Limited::FREE && self.n_unpacked / Limited::RATIO > self.n_packed.load(Ordering::Relaxed) {
            return Err(Damage::Bomb.into());
        }
        let n_read = self.unpacked.read(buffer).map_err(damage_unless_unreadable)?;
        self.n_unpacked += n_read as u64;
        Ok(n_read)
    }
}

/// An error of the system is kept; any other is a defect of the data.
fn damage_unless_unreadable(error: Error) -> Error {
    if error.raw_os_error().is_some() || error.kind() == ErrorKind::Interrupted {
        return error;
    }
    Damage::Broken(error.to_string()).into()
}

/// Reads some bytes of a file from an offset on; none at its end.
#[cfg(unix)]
pub(crate) fn read_some_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, offset)
}

/// Reads some bytes of a file from an offset on; none at its end.
#[cfg(windows)]
pub(crate) fn read_some_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, bytes, offset)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).expect("memory takes everything");
        encoder.finish().expect("memory takes everything")
    }

    fn zstd_frame(text: &[u8]) -> Vec<u8> {
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).expect("there is memory");
        encoder.include_checksum(true).expect("the library knows checksums");
        encoder.write_all(text).expect("memory takes everything");
        encoder.finish().expect("memory takes everything")
    }

    /// The text before the end or an error, and the error.
    fn unpacked(packed: Vec<u8>) -> (Vec<u8>, Option<String>) {
        let TraceInput { first: mut text, rest, .. } = of_bytes(packed).expect("there is memory");
        let error = rest.and_then(|mut rest| rest.read_to_end(&mut text).err());
        (text, error.map(|error| error.to_string()))
    }

    #[test]
    fn plain_gzip_and_zstd_give_the_same_text_in_one_member_or_several() {
        let text = b"  1: 1 [1] call main []\n".repeat(100);
        assert_eq!(unpacked(text.clone()), (text.clone(), None));
        for pack in [gzip, zstd_frame] {
            assert_eq!(unpacked(pack(&text)), (text.clone(), None));
            let twice = [pack(&text), pack(&text)].concat();
            assert_eq!(unpacked(twice), ([text.clone(), text.clone()].concat(), None));
        }
        let skippable = [&[0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 9, 9, 9], &zstd_frame(&text)[..]].concat();
        assert_eq!(unpacked(skippable), (text.clone(), None));
        assert_eq!(unpacked(b"ab".to_vec()), (b"ab".to_vec(), None));
    }

    #[test]
    fn truncated_or_changed_packed_data_are_damage_after_the_good_text() {
        let text: Vec<u8> =
            (0..20_000u32).flat_map(|number| format!("line {}\n", number * 7919 % 10_007).into_bytes()).collect();
        for pack in [gzip, zstd_frame] {
            let whole = pack(&text);
            let (before, error) = unpacked(whole[..whole.len() - 9].to_vec());
            assert!(text.starts_with(&before));
            assert!(error.expect("the end is missing").starts_with("the packed data is damaged"));
            let mut changed = whole.clone();
            let near_end = changed.len() - 2;
            changed[near_end] ^= 1;
            assert!(unpacked(changed).1.is_some(), "a wrong checksum or length is seen");
        }
    }

    #[test]
    fn a_small_file_of_a_gigabyte_of_zeros_is_given_up() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        io::copy(&mut io::repeat(0).take(Limited::FREE + (1 << 26)), &mut encoder).expect("memory takes everything");
        let packed = encoder.finish().expect("memory takes everything");
        let mut unpacked = of_bytes(packed).expect("there is memory").rest.expect("it is packed");
        let error = io::copy(&mut unpacked, &mut io::sink()).expect_err("a bomb");
        assert!(error.to_string().contains("250-fold"), "{error}");
    }
}
