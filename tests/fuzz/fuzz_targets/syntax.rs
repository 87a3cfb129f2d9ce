//! libFuzzer's entry to `papaver::fuzz::syntax`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| papaver::fuzz::syntax(data));
