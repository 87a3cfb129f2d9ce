//! Generates the parser of the query language from `grammar/query.lalrpop`.

fn main() {
    lalrpop::Configuration::new()
        .set_in_dir("grammar")
        .set_out_dir(std::env::var("OUT_DIR").expect("cargo sets OUT_DIR for build scripts"))
        .emit_rerun_directives(true)
        .process()
        .expect("grammar/query.lalrpop is a valid grammar");
}
