"""A bare pass of JSON scanners over a file: a small program in Rust with the crates simd-json and sonic-rs, built on demand."""
import os, subprocess

MANIFEST = """[package]
name = "scan"
version = "0.1.0"
edition = "2024"

[dependencies]
simd-json = "0.19"
sonic-rs = "0.5"

[profile.release]
lto = "fat"
codegen-units = 1
"""

# `tape` and `values` parse every number and unescape every string; `skip` checks the grammar only
PROGRAM = """
use sonic_rs::{LazyValue, Value, from_slice};

fn main() {
    let [mode, path] = <[String; 2]>::try_from(std::env::args().skip(1).collect::<Vec<_>>()).expect("MODE FILE");
    let mut bytes = std::fs::read(path).expect("a file");
    let first = bytes.split(|&byte| byte == b'\\n').next().unwrap_or_default();
    let documents: Vec<&mut [u8]> = match from_slice::<LazyValue>(first).is_ok() {
        true => bytes.split_mut(|&byte| byte == b'\\n').filter(|line| !line.is_empty()).collect(),
        false => vec![&mut bytes[..]],
    };
    let pass = match mode.as_str() {
        "tape" => |document: &mut [u8]| simd_json::to_tape(document).expect("JSON").0.len(),
        "values" => |document: &mut [u8]| from_slice::<Value>(document).map(|_| 1).expect("JSON"),
        _ => |document: &mut [u8]| from_slice::<LazyValue>(document).expect("JSON").as_raw_str().len(),
    };
    println!("{}", documents.into_iter().map(pass).sum::<usize>());
}
"""

# the name of a pass, and its mode
PASSES = {"simd-json": "tape", "sonic-rs": "values", "sonic-rs, skipping": "skip"}


def build(folder):
    """Builds the program for this machine's processor in the folder, if it is not there; its path."""
    program = os.path.join(folder, "target/release/scan")
    if not os.path.exists(program):
        os.makedirs(os.path.join(folder, "src"), exist_ok=True)
        for name, text in (("Cargo.toml", MANIFEST), ("src/main.rs", PROGRAM)):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=folder, check=True,
                       env=dict(os.environ, RUSTFLAGS="-C target-cpu=native", CARGO_TARGET_DIR=os.path.join(folder, "target")))
    return program
