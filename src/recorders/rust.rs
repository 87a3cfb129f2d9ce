//! The recorder of Rust programs: a layer for the crate `tracing`, which a program has in itself.

use super::{Recorder, RecorderFile};

/// The row of the recorder.
pub(super) const RECORDER: Recorder = Recorder {
    kind: "rust",
    doc: "the spans and events of Rust programs, by a layer for `tracing`",
    page: "rust",
    files: &[RecorderFile { name: "papaver_layer.rs", text: include_str!("tracing_layer.rs") }],
    programs: &[],
    endings: &[],
    format: "jsonl",
    question: "event([port=exception, name=Name, exception=Why])",
    overview: None,
    needs: "the layer in the program",
    limits: &[],
    kept_outside: None,
    start: |_| {
        Err("a Rust program has its recorder in itself: `papaver recorder rust` prints it, `papaver help rust` says how to use it"
            .to_string())
    },
};
