//! libFuzzer's entry to `papaver::fuzz::format` for `mpd`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| papaver::fuzz::format("mpd", data));
