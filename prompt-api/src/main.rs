//! The prompt API as a process of its own.

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

use platform::clock::Clock;
use platform::env::{Reader, Vars};
use platform::http::{HttpConfig, ServeOptions};
use platform::mail::NoMailer;
use platform::service::{House, run_alone};
use platform::telemetry::traces::TracesConfig;
use platform::telemetry::{LogFormat, init_logs};
use prompt_api::{AloneConfig, Config, SERVICE, plan};

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
    let alone = AloneConfig::from_env(&env);
    let http = HttpConfig::from_env(&env);
    let traces = TracesConfig::from_env(&env);
    init_logs(LogFormat::Json, "info");
    vars.warn_of_empty();
    env.finish()?;
    let verifier = alone.verifier(Clock::system())?;
    let urls = SERVICE.roles.iter().copied();
    let urls = urls.map(|role| (role, alone.database_url.expose().clone()));
    let mailer = Arc::new(NoMailer);
    let house = House::new(urls.collect(), verifier, Clock::system(), mailer)?;
    let options = ServeOptions {
        host: alone.host,
        port: alone.port,
        workers: alone.workers,
        http,
        traces,
    };
    run_alone(&SERVICE, plan(config), &house, options).await
}
