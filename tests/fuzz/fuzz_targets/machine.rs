//! libFuzzer's entry to `papaver::fuzz::machine`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| papaver::fuzz::machine(data));
