//! How many random cases the tests try, and from which seed.

use proptest::test_runner::{Config, RngSeed};

/// The number of cases, of which there are `n` in a usual run: the variable `PAPAVER_CASES` multiplies it.
pub(crate) fn n_cases(n: u32) -> u32 {
    let times = std::env::var("PAPAVER_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    n.saturating_mul(times)
}

/// So many cases of a property. The seed is printed, which a failing test shows: `PROPTEST_RNG_SEED` repeats the run.
pub(crate) fn cases(n: u32) -> Config {
    let config = Config { cases: n_cases(n), failure_persistence: None, ..Config::default() };
    let seed = match config.rng_seed {
        RngSeed::Fixed(seed) => seed,
        RngSeed::Random => getrandom::u64().expect("the system has random numbers"),
    };
    println!("PROPTEST_RNG_SEED={seed}");
    Config { rng_seed: RngSeed::Fixed(seed), ..config }
}
