//! libFuzzer's entry to `papaver::fuzz::cache_reader`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| papaver::fuzz::cache_reader(data));
