//! Property tests that look further with every run and can be run again as they were.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

/// A seed drawn anew for every run and printed, which shows where a test fails. `PROPTEST_RNG_SEED` sets
/// it; what a run finds becomes a vector or a test of its own, so that it is tried for ever.
#[expect(clippy::print_stdout, reason = "shown where a test fails")]
pub fn seed() -> u64 {
    let seed = match Config::default().rng_seed {
        RngSeed::Fixed(seed) => seed,
        RngSeed::Random => rand::random(),
    };
    println!("PROPTEST_RNG_SEED={seed}");
    seed
}

/// Cases from a [`seed`]; `PROPTEST_CASES` sets how many are tried.
pub fn properties() -> Config {
    many(1)
}

/// So many times as many cases, for what is quick to try.
#[expect(clippy::print_stdout, reason = "shown where a test fails")]
pub fn many(times: u32) -> Config {
    let usual = Config::default();
    println!("PROPTEST_CASES={}", usual.cases);
    Config {
        failure_persistence: None,
        cases: usual.cases * times,
        rng_seed: RngSeed::Fixed(seed()),
        ..usual
    }
}

/// Texts made of pieces that mean something to a parser, and now and then of anything.
pub fn made_of(pieces: &'static [&'static str]) -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(pieces).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}
