//! Storage of one column: codes, integers, texts and lists; in memory, lazy, or in the blocks of a saved trace.

pub(super) mod code_blocks;
pub(super) mod code_column;
pub(super) mod codes;
pub(super) mod dictionary;
pub(super) mod extra_column;
pub(super) mod int_column;
pub(super) mod intervals;
pub(super) mod key_order;
pub(super) mod lazy;
pub(super) mod list_column;
pub(super) mod packed;
pub(super) mod paths;
pub(super) mod places;
pub(super) mod postings;
pub(super) mod scale;
pub(super) mod text_blocks;
pub(super) mod text_column;
pub(super) mod whole_column;
