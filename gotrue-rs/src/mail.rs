//! Mail: templates, links, limits, and what is stored for a mail that went out.

pub(crate) mod config;
pub(crate) mod kind;
pub(crate) mod links;

mod address_check;
mod issued;
mod notices;
mod permit;
mod post;
mod send;
mod template;
mod templates;
mod variables;

pub(crate) use issued::Issued;
pub(crate) use notices::{Notice, notify};
pub(crate) use post::Post;
pub(crate) use send::{
    send_confirmation, send_email_change, send_invite, send_magic_link, send_reauthentication,
    send_recovery,
};
pub(crate) use variables::external_address;

use std::sync::Arc;

use async_trait::async_trait;
use platform::mail::{Mail, MailError, Mailer, SmtpConfig, SmtpMailer};

use config::MailConfig;

/// The mail server that is configured; without one every mail is dropped, as upstream does.
pub(crate) fn smtp_mailer(
    config: &MailConfig,
    own_host: &str,
) -> Result<Arc<dyn Mailer>, MailError> {
    if config.smtp.host.is_empty() {
        return Ok(Arc::new(NoMailer));
    }
    let mailer = SmtpMailer::new(&SmtpConfig {
        host: config.smtp.host.clone(),
        port: config.smtp.port,
        user: config.smtp.user.clone(),
        password: config.smtp.password.clone(),
        helo: own_host.to_owned(),
    })?;
    Ok(Arc::new(mailer))
}

/// Takes every mail and sends none.
struct NoMailer;

#[async_trait]
impl Mailer for NoMailer {
    async fn send(&self, _mail: &Mail) -> Result<(), MailError> {
        Ok(())
    }
}
