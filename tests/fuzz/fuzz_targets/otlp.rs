//! libFuzzer's entry to `papaver::fuzz::format` for `otlp`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| papaver::fuzz::format("otlp", data));
