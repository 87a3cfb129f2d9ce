//! Files that stay open: the blocks of a saved trace, and texts that are read when they are needed.

pub(super) mod bytes;
pub(super) mod memory;
pub(super) mod packing;
pub(super) mod saved_file;
pub(super) mod text_file;
