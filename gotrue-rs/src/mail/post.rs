//! Renders a mail and hands it to whoever delivers it.

use std::sync::Arc;

use platform::clock::Clock;
use platform::mail::{Mail, MailError, Mailer};

use super::address_check;
use super::config::MailConfig;
use super::kind::Kind;
use super::template::{TemplateError, Value};
use super::templates::Templates;

/// The sender where none is configured; a mail server would refuse it, a mailbox does not care.
const NO_SENDER: &str = "noreply@localhost";

/// Why a mail did not go out.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PostError {
    #[error("address is known not to exist")]
    Address,
    #[error("template: {0}")]
    Template(#[from] TemplateError),
    #[error(transparent)]
    Mailer(#[from] MailError),
}

/// The post office of the service. Cloning shares it.
#[derive(Clone)]
pub(crate) struct Post(Arc<Office>);

struct Office {
    config: MailConfig,
    templates: Templates,
    mailer: Arc<dyn Mailer>,
}

impl Post {
    /// A post office that delivers through `mailer`.
    pub(crate) fn new(
        config: &MailConfig,
        site_url: &str,
        mailer: Arc<dyn Mailer>,
        clock: Clock,
    ) -> Self {
        let templates = Templates::new(config, site_url, clock);
        Self(Arc::new(Office {
            config: config.clone(),
            templates,
            mailer,
        }))
    }

    /// Sends one mail; `Ok` means that somebody took responsibility for it.
    pub(crate) async fn deliver(
        &self,
        kind: Kind,
        to: &str,
        data: &Value,
    ) -> Result<(), PostError> {
        let office = &self.0;
        if office.config.extended_validation && !address_check::may_exist(to) {
            return Err(PostError::Address);
        }
        let templates = office.templates.get(kind).await;
        let mail = office.compose(
            kind,
            to,
            templates.subject.render(data)?,
            templates.body.render(data)?,
        );
        let mailer = Arc::clone(&office.mailer);
        if office.config.background {
            tokio::spawn(async move {
                if let Err(error) = mailer.send(&mail).await {
                    tracing::error!(mail.kind = kind.variable(), %error, "mail not sent");
                }
            });
            return Ok(());
        }
        Ok(mailer.send(&mail).await?)
    }
}

impl Office {
    fn compose(&self, kind: Kind, to: &str, subject: String, html: String) -> Mail {
        let smtp = &self.config.smtp;
        let message_type = kind.message_type();
        let headers = smtp
            .headers
            .iter()
            .map(|(name, value)| (name.clone(), value.replace("$messageType", &message_type)))
            .collect();
        let from = if smtp.sender.is_empty() {
            NO_SENDER
        } else {
            &smtp.sender
        };
        Mail {
            from_name: smtp.sender_name.clone(),
            from: from.to_owned(),
            to: to.to_owned(),
            subject,
            html,
            headers,
        }
    }
}
