//! The prompt API as a process of its own.

use std::error::Error;
use std::process::ExitCode;

use actix_web::web;
use platform::clock::Clock;
use platform::env::{Reader, Vars};
use platform::http::{HttpConfig, ServeOptions, run_until_stopped};
use platform::memory;
use platform::telemetry::{LogFormat, init_logs};
use prompt_api::{Config, State, configure};

#[actix_web::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(%error, "prompt-api stopped");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    let vars = Vars::process();
    let env = Reader::new(&vars);
    let config = Config::from_env(&env);
    let http = HttpConfig::from_env(&env);
    init_logs(LogFormat::Json, "info");
    vars.warn_of_empty();
    memory::give_back_regularly();
    env.finish()?;
    let options = ServeOptions {
        host: config.host.clone(),
        port: config.port,
        workers: config.workers,
        http,
    };
    let state = web::Data::new(State::new(&config, Clock::system())?);
    state.spawn_background();
    let shared = state.clone();
    run_until_stopped(options, move |service| configure(service, &shared)).await?;
    state.flush().await;
    Ok(())
}
