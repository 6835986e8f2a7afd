//! `gotrue`: the service as a process of its own.

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use gotrue::{AloneConfig, Config, SERVICE, plan};
use platform::clock::Clock;
use platform::env::{Reader, Vars};
use platform::http::{HttpConfig, ServeOptions};
use platform::mail::NoMailer;
use platform::pg::{DatabaseConfig, reach};
use platform::service::program::{self, Command, unless_stopped};
use platform::service::{House, run_alone};
use platform::telemetry::traces::TracesConfig;

const HELP: &str = "\
Accounts and sessions: a drop-in for Supabase's auth service.

Usage: gotrue [COMMAND]

Commands:
  (none)     bring the database up to date, then serve
  migrate    bring the database up to date
  serve      serve
  help       print this (also --help)
  version    print the version (also --version)

Everything is set by environment variables, named as upstream names them. It needs:
  GOTRUE_DB_DRIVER    postgres
  DATABASE_URL        postgres://supabase_auth_admin:PASSWORD@HOST:5432/DATABASE, as the role that the
                      schema auth belongs to
  API_EXTERNAL_URL    its own public address, such as https://example.com/auth/v1
  GOTRUE_SITE_URL     where links in mails lead, such as https://example.com
  GOTRUE_JWT_SECRET   what tokens are signed with, the same for every service

Many set besides:
  PORT                where it listens (8081)
  GOTRUE_SMTP_HOST, GOTRUE_SMTP_ADMIN_EMAIL, ...
                      the mail server; without one no mail is sent

All variables: docs/configuration.md. A database that is not up yet is waited for.
";

#[actix_web::main]
async fn main() -> ExitCode {
    program::main("gotrue", HELP, run).await
}

async fn run(command: Command) -> Result<(), Box<dyn Error>> {
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
    if command != Command::Serve {
        match unless_stopped(migrate(database)).await? {
            Some(migrated) => migrated?,
            None => return Ok(()),
        }
    }
    if command == Command::Migrate {
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
async fn migrate(database: DatabaseConfig) -> Result<(), Box<dyn Error>> {
    let reached = reach(&database.for_migrations(), Duration::MAX).await;
    let (database, mut client) = reached.map_err(|error| format!("DATABASE_URL: {error}"))?;
    for migrations in SERVICE.migrations {
        let applied = migrations.run(&mut client).await?;
        tracing::info!(
            part = migrations.scope,
            ?applied,
            "the database is up to date"
        );
    }
    drop(client);
    database.close();
    Ok(())
}
