//! How many random cases the tests try.

use proptest::test_runner::Config;

/// The number of cases, of which there are `n` in a usual run: the variable `PAPAVER_CASES` multiplies it.
pub(crate) fn n_cases(n: u32) -> u32 {
    let times = std::env::var("PAPAVER_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    n.saturating_mul(times)
}

/// So many cases of a property. A failure shows its seed, with which `PROPTEST_RNG_SEED` repeats it.
pub(crate) fn cases(n: u32) -> Config {
    Config { cases: n_cases(n), failure_persistence: None, ..Config::default() }
}
