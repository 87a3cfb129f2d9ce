//! libFuzzer's entry to `papaver::fuzz::format` for `lttng`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| papaver::fuzz::format("lttng", data));
