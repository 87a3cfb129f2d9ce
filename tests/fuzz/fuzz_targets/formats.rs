//! libFuzzer's door to `bodies::in_format`, for each format.
#![no_main]

#[path = "../bodies.rs"]
#[allow(dead_code)]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    papaver::formats::FORMATS.iter().for_each(|format| bodies::in_format(format, data));
});
