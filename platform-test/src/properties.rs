//! Property tests that look further with every run and can be run again as they were.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

/// Draws a seed and prints it, which shows where a test fails. `PROPTEST_RNG_SEED` sets it and
/// `PROPTEST_CASES` how many cases are tried.
#[expect(clippy::print_stdout, reason = "shown where a test fails")]
pub fn properties() -> Config {
    let config = Config {
        failure_persistence: None,
        ..Config::default()
    };
    let seed = match config.rng_seed {
        RngSeed::Fixed(seed) => seed,
        RngSeed::Random => rand::random(),
    };
    println!("PROPTEST_RNG_SEED={seed} PROPTEST_CASES={}", config.cases);
    Config {
        rng_seed: RngSeed::Fixed(seed),
        ..config
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
