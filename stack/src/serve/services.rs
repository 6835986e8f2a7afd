//! The services of this process: their states, built once, and where they are mounted.

use std::sync::Arc;

use actix_web::web::{self, Data, ServiceConfig};
use platform::clock::Clock;
use platform::env::{EnvError, Reader, Vars};
use platform::mail::{MailError, Mailer};
use platform::pg::{Database, DbError};

use super::operations::{self, Operations};
use crate::mailbox::{MailboxMailer, Store};

/// Why a service did not start.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// Settings that are wrong, all at once.
    #[error(transparent)]
    Settings(#[from] EnvError),
    /// The connection to the database is not described well.
    #[error("database: {0}")]
    Database(#[from] DbError),
    /// The mail server is not described well.
    #[error("mail: {0}")]
    Mail(#[from] MailError),
    /// The signing keys cannot be used.
    #[error("signing keys: {0}")]
    Keys(#[from] platform::jwt::KeyError),
    /// The prompt API.
    #[error("prompt API: {0}")]
    Prompts(#[from] prompt_api::StartError),
}

/// The states of all services; cloning shares them.
#[derive(Clone)]
pub(super) struct Services {
    auth: Data<gotrue::State>,
    prompts: Prompts,
}

/// The prompt platform, or what answers in its stead.
#[derive(Clone)]
enum Prompts {
    On(Data<prompt_api::State>),
    Off(Data<Operations>),
}

impl Services {
    /// Refuses what [`Self::start`] would, as far as that is known without a database.
    pub(super) fn check(vars: &Vars, clock: &Clock) -> Result<(), ServiceError> {
        let (auth, prompts) = configs(vars)?;
        auth.smtp_mailer()?;
        // Reads the keys, which all services share.
        prompt_api::State::new(&prompts, clock.clone())?;
        Ok(())
    }

    /// Builds every state; connections are opened as they are needed.
    pub(super) fn start(
        vars: &Vars,
        has_prompts: bool,
        mailbox: Arc<Store>,
        clock: &Clock,
    ) -> Result<Self, ServiceError> {
        let (auth_config, prompts_config) = configs(vars)?;
        let database = Database::new(&auth_config.database())?;
        let mailer = mailer(&auth_config, mailbox)?;
        let prompts = if has_prompts {
            let state = prompt_api::State::new(&prompts_config, clock.clone())?;
            state.spawn_background();
            Prompts::On(Data::new(state))
        } else {
            Prompts::Off(Data::new(Operations {
                database: database.clone(),
                metrics_token: prompts_config.metrics_token,
            }))
        };
        let deps = gotrue::Deps {
            database,
            mailer,
            clock: clock.clone(),
        };
        let auth = gotrue::State::new(auth_config, deps)?;
        tokio::spawn(auth.clone().tend_outbox());
        Ok(Self {
            auth: Data::new(auth),
            prompts,
        })
    }

    /// Mounts the services.
    pub(super) fn configure(&self, config: &mut ServiceConfig) {
        let auth = web::scope("/auth/v1").configure(|scope| gotrue::configure(scope, &self.auth));
        config.service(auth);
        match &self.prompts {
            Prompts::On(state) => prompt_api::configure(config, state),
            Prompts::Off(operations) => operations::configure(config, operations),
        }
    }

    /// Writes down what is held in memory.
    pub(super) async fn flush(&self) {
        if let Prompts::On(state) = &self.prompts {
            state.flush().await;
        }
    }
}

/// The settings of all services, with every problem at once.
fn configs(vars: &Vars) -> Result<(gotrue::Config, prompt_api::Config), EnvError> {
    let reader = Reader::new(vars);
    let configs = (
        gotrue::Config::from_env(&reader),
        prompt_api::Config::from_env(&reader),
    );
    reader.finish()?;
    Ok(configs)
}

/// The mail server of the settings, or the mailbox.
fn mailer(config: &gotrue::Config, mailbox: Arc<Store>) -> Result<Arc<dyn Mailer>, ServiceError> {
    match config.smtp_mailer()? {
        Some(smtp) => Ok(smtp),
        None => Ok(Arc::new(MailboxMailer::new(mailbox))),
    }
}
