//! The disk for temporary files.

#[cfg(not(target_os = "linux"))]
pub(super) fn room() -> u64 {
    0
}

#[cfg(target_os = "linux")]
pub(super) use linux::{new_file, reserve, room};

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::io;
    use std::path::{Path, PathBuf};

    use nix::fcntl::posix_fallocate;
    use nix::sys::statfs::{FsType, TMPFS_MAGIC, statfs};

    /// The file system of the kernel that is in memory and has no limit.
    const RAMFS_MAGIC: FsType = FsType(0x8584_58F6);

    /// A file without a name that has so many bytes, all 0; none if there is no room for it.
    pub(crate) fn new_file(n_bytes: usize) -> Option<File> {
        let file = tempfile::tempfile_in(folder()?).ok()?;
        reserve(&file, n_bytes).ok()?;
        Some(file)
    }

    /// Makes a file so long that the disk has room for all of it: a write to a mapped file on a full disk ends the process.
    pub(crate) fn reserve(file: &File, n_bytes: usize) -> io::Result<()> {
        let length = i64::try_from(n_bytes).map_err(io::Error::other)?;
        posix_fallocate(file, 0, length).map_err(io::Error::from)
    }

    /// Free bytes.
    pub(crate) fn room() -> u64 {
        let system = folder().and_then(|folder| statfs(&folder).ok());
        system.map_or(0, |system| system.blocks_available().saturating_mul(system.block_size().unsigned_abs()))
    }

    /// The folder for temporary files; none if it is in memory.
    fn folder() -> Option<PathBuf> {
        let chosen = std::env::var_os("TMPDIR").filter(|path| !path.is_empty()).map(PathBuf::from);
        let folders = chosen.map_or_else(|| vec![PathBuf::from("/var/tmp"), PathBuf::from("/tmp")], |path| vec![path]);
        folders.into_iter().find(|folder| is_on_disk(folder))
    }

    fn is_on_disk(folder: &Path) -> bool {
        let is_in_memory = |kind: FsType| kind == TMPFS_MAGIC || kind == RAMFS_MAGIC;
        statfs(folder).is_ok_and(|system| !is_in_memory(system.filesystem_type()))
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_file_has_its_bytes_on_the_disk() {
            let n_bytes = 1 << 20;
            let file = new_file(n_bytes).expect("the disk has room");
            assert_eq!(file.metadata().expect("it is open").len(), n_bytes as u64);
            assert!(room() > 0);
            assert!(new_file(1 << 60).is_none());
        }
    }
}
