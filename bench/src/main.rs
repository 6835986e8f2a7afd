//! `cargo x bench`: starts the release binary on an empty data folder, measures each scenario and
//! prints it beside the limit that the same machine reached in the same run.
//!
//! Absolute figures of a shared machine mean little; the ratios are what to compare.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line tool"
)]

mod chaos;
mod http;
mod limits;
mod load;
mod report;
mod scenarios;
mod server;

use std::process::ExitCode;

use report::Row;
use server::{Server, Settings};

/// Anything that can go wrong; the text is for the person at the terminal.
type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match wanted.split_first() {
        Some((first, scenarios)) if first == "chaos" => chaos::run(scenarios).await,
        _ => run(&wanted).await,
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("bench: {failure}");
            ExitCode::FAILURE
        }
    }
}

async fn run(wanted: &[String]) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let mut rows = vec![Row::size("binary size", server::binary_bytes()?, 60 << 20)];
    let settings = Settings::development(folder.path());
    let cold = Server::start(settings.clone()).await?;
    rows.push(Row::time(
        "cold start",
        cold.started_in,
        "initdb, bootstrap, migrations: < 3 s",
    ));
    cold.stop().await?;
    let mut server = Server::start(settings).await?;
    rows.push(Row::time("warm start", server.started_in, "< 1 s"));
    rows.push(Row::size(
        "resident memory, idle",
        server.resident_bytes()?,
        50 << 20,
    ));
    let scenarios = scenarios::Scenarios::prepare(&server).await?;
    for name in scenarios::NAMES {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            eprintln!("measuring {name} …");
            rows.extend(scenarios.run(name, &server).await?);
        }
    }
    rows.push(Row::size(
        "resident memory, after load",
        server.resident_bytes()?,
        100 << 20,
    ));
    rows.push(Row::time(
        "start after kill -9",
        server.kill_and_start().await?,
        "nothing lost",
    ));
    scenarios.check_nothing_lost(&server).await?;
    server.stop().await?;
    println!("{}", report::table(&rows));
    Ok(())
}
