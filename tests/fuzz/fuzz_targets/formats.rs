//! libFuzzer's entry to `papaver::fuzz::formats`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| papaver::fuzz::formats(data));
