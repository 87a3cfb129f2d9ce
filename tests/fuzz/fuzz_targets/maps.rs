//! libFuzzer's entry to `papaver::fuzz::maps`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| papaver::fuzz::maps(data));
