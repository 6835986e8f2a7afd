//! The prompt API as a process of its own.

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

use platform::clock::Clock;
use platform::env::{Reader, Vars};
use platform::http::{HttpConfig, ServeOptions};
use platform::mail::NoMailer;
use platform::pg::DatabaseUrls;
use platform::service::program::{self, Command, unless_stopped};
use platform::service::{House, run_alone};
use platform::telemetry::traces::TracesConfig;
use prompt_api::{AloneConfig, Config, SERVICE, migrate, plan};

const HELP: &str = "\
The prompt platform's API: prompts, their versions, and compiling them.

Usage: prompt-api [COMMAND]

Commands:
  (none)     bring the database up to date, if it is said how, then serve
  migrate    bring the database up to date
  serve      serve
  help       print this (also --help)
  version    print the version (also --version)

Everything is set by environment variables. It needs:
  DATABASE_URL        postgres://authenticator:PASSWORD@HOST:5432/DATABASE
  JWT_SECRET          what tokens are signed with, the same for every service; or JWT_KEYS
To bring the database up to date it needs besides:
  PROMPT_API_ADMIN_DATABASE_URL
                      the same database, as an administrator; roles and the schema auth are there
                      already, as `wildfire migrate` makes them

Many set besides:
  PROMPT_API_PORT     where it listens (8080)
  METRICS_TOKEN       what opens /metrics

All variables: docs/configuration.md. A database that is not up yet is waited for.
";

#[actix_web::main]
async fn main() -> ExitCode {
    program::main("prompt-api", HELP, run).await
}

async fn run(command: Command) -> Result<(), Box<dyn Error>> {
    let vars = Vars::process();
    vars.warn_of_empty();
    let env = Reader::new(&vars);
    let config = Config::from_env(&env);
    let alone = AloneConfig::from_env(&env, command);
    let http = HttpConfig::from_env(&env);
    let traces = TracesConfig::from_env(&env);
    env.finish()?;
    let urls: DatabaseUrls = SERVICE.logins().map(|role| alone.url_of(role)).collect();
    if let Some(admin) = alone
        .admin_url
        .as_ref()
        .filter(|_| command != Command::Serve)
    {
        match unless_stopped(migrate(admin, &urls)).await? {
            Some(applied) => tracing::info!(applied = ?applied?, "the database is up to date"),
            None => return Ok(()),
        }
    }
    if command == Command::Migrate {
        return Ok(());
    }
    let verifier = alone.verifier(Clock::system())?;
    let house = House::new(urls, verifier, Clock::system(), Arc::new(NoMailer))?;
    let options = ServeOptions {
        host: alone.host,
        port: alone.port,
        workers: alone.workers,
        http,
        traces,
    };
    run_alone(&SERVICE, plan(config), &house, options).await
}
