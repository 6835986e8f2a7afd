//! `gotrue`: the service as a process of its own.
//!
//! Without a command it migrates the database and serves; `migrate` and `serve` do one of the
//! two.

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

use actix_web::web;
use async_trait::async_trait;
use gotrue::{Config, Deps, State, configure, migrations, own_migrations};
use platform::clock::Clock;
use platform::env::{Reader, Vars};
use platform::http::{HttpConfig, ServeOptions, run_until_stopped};
use platform::mail::{Mail, MailError, Mailer};
use platform::memory;
use platform::pg::Database;
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
    let config = Config::load(&vars)?;
    let env = Reader::new(&vars);
    let http = HttpConfig::from_env(&env);
    env.finish()?;
    let settings = config.database();
    if migrates {
        let mut unlimited = settings.clone();
        unlimited.statement_timeout = None;
        let database = Database::new(&unlimited)?;
        let mut client = database.client().await?;
        migrations().run(&mut client).await?;
        own_migrations().run(&mut client).await?;
        drop(client);
        database.close();
    }
    if serves {
        serve(config, Database::new(&settings)?, http).await?;
    }
    Ok(())
}

async fn serve(config: Config, database: Database, http: HttpConfig) -> Result<(), Box<dyn Error>> {
    memory::give_back_regularly();
    let host = config.listen.host.as_str();
    let options = ServeOptions {
        host: if host.is_empty() { "0.0.0.0" } else { host }.to_owned(),
        port: config.listen.port,
        workers: std::thread::available_parallelism()?.get(),
        http,
    };
    let mailer = config.smtp_mailer()?.unwrap_or_else(|| Arc::new(NoMailer));
    let deps = Deps {
        database,
        mailer,
        clock: Clock::system(),
    };
    let state = web::Data::new(State::new(config, deps)?);
    actix_web::rt::spawn(state.get_ref().clone().tend_outbox());
    run_until_stopped(options, move |service| configure(service, &state)).await?;
    Ok(())
}

/// Without a mail server every mail is dropped, as upstream does.
struct NoMailer;

#[async_trait]
impl Mailer for NoMailer {
    async fn send(&self, _mail: &Mail) -> Result<(), MailError> {
        Ok(())
    }
}
