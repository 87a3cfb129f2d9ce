//! Generates the parser of the query language from `grammar/query.lalrpop`, and says whether this build has tail calls.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(papaver_tail_calls)");
    if has_tail_calls() {
        println!("cargo::rustc-cfg=papaver_tail_calls");
    }
    generate_parser();
}

/// An optimised build turns a call that is the last thing a function does into a jump on these processors; the machine
/// relies on it where it is so, and returns to a loop after each instruction elsewhere.
fn has_tail_calls() -> bool {
    let variable = |name| std::env::var(name).expect("cargo sets it for build scripts");
    variable("OPT_LEVEL") != "0" && ["x86_64", "aarch64"].contains(&variable("CARGO_CFG_TARGET_ARCH").as_str())
}

fn generate_parser() {
    lalrpop::Configuration::new()
        .set_in_dir("grammar")
        .set_out_dir(std::env::var("OUT_DIR").expect("cargo sets OUT_DIR for build scripts"))
        .emit_rerun_directives(true)
        .process()
        .expect("grammar/query.lalrpop is a valid grammar");
}
