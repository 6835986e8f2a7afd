//! `gotrue`: the service as a process of its own.
//!
//! Without a command it migrates the database and serves; `migrate` and `serve` do one of the
//! two.

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

use gotrue::{AloneConfig, Config, SERVICE, plan};
use platform::clock::Clock;
use platform::env::{Reader, Vars};
use platform::http::{HttpConfig, ServeOptions};
use platform::mail::NoMailer;
use platform::pg::{Database, DatabaseConfig, DbError};
use platform::service::{House, run_alone};
use platform::telemetry::traces::TracesConfig;
use platform::telemetry::{LogFormat, init_logs};

#[actix_web::main]
async fn main() -> ExitCode {
    init_logs(LogFormat::Json, "info");
    match run(std::env::args().nth(1).as_deref()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(error = &*error as &dyn Error, "gotrue stopped");
            ExitCode::FAILURE
        }
    }
}

async fn run(command: Option<&str>) -> Result<(), Box<dyn Error>> {
    let (migrates, serves) = match command {
        None => (true, true),
        Some("migrate") => (true, false),
        Some("serve") => (false, true),
        Some(other) => {
            return Err(format!("unknown command {other:?}; try migrate or serve").into());
        }
    };
    let vars = Vars::process();
    vars.warn_of_empty();
    let env = Reader::new(&vars);
    let config = Config::from_env(&env);
    let alone = AloneConfig::from_env(&env);
    let http = HttpConfig::from_env(&env);
    let traces = TracesConfig::from_env(&env);
    let verifier = config.verifier(Clock::system());
    let database = config.database(&alone.database_url);
    let plan = plan(config, &env);
    env.finish()?;
    if migrates {
        migrate(database).await?;
    }
    if !serves {
        return Ok(());
    }
    let urls = SERVICE.roles.iter().copied();
    let urls = urls.map(|role| (role, alone.database_url.expose().clone()));
    let house = House::new(
        urls.collect(),
        verifier?,
        Clock::system(),
        Arc::new(NoMailer),
    )?;
    let options = ServeOptions {
        host: alone.host,
        port: alone.port,
        workers: std::thread::available_parallelism()?.get(),
        http,
        traces,
    };
    run_alone(&SERVICE, plan, &house, options).await
}

/// Brings the schema up to date as whoever the service logs in as.
async fn migrate(database: DatabaseConfig) -> Result<(), DbError> {
    let database = Database::new(&database.for_migrations())?;
    let mut client = database.client().await?;
    for migrations in SERVICE.migrations {
        migrations.run(&mut client).await?;
    }
    drop(client);
    database.close();
    Ok(())
}
