//! `cargo x record-auth`: asks upstream's auth service again what `gotrue-rs/tests/corpus` asks.

use crate::step::{Failure, Outcome, Program};

const USAGE: &str = "cargo x record-auth <settings>=<url>…

Writes what supabase/auth answers into gotrue-rs/tests/corpus: `git diff` shows what changed. One
server is needed for each of the settings to be recorded, with the variables that
gotrue-rs/tests/corpus/settings.json has under `common` and under the name of the settings, without a
mail server, and with a database that nobody else uses: all its users are deleted.

  cargo x record-auth confirmed=http://127.0.0.1:9999";

pub(crate) fn run(args: &[String]) -> Outcome {
    let is_pair = |arg: &String| arg.split_once("=http").is_some();
    if args.is_empty() || !args.iter().all(is_pair) {
        return Err(Failure::new(USAGE));
    }
    // One after the other: each scenario begins by deleting all users.
    let words = "test --package gotrue-rs --locked --test it corpus:: -- --test-threads=1";
    let words: Vec<&str> = words.split(' ').collect();
    Program::new("cargo", &words)
        .env("WILDFIRE_RECORD_AUTH", &args.join(","))
        .run("recording upstream's answers")
}
