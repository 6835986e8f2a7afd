//! Mail: what is sent, and the ways to send it.

use std::time::Duration;

use async_trait::async_trait;
use lettre::address::Envelope;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, SinglePart};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::{Address, AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::env::Secret;

/// How long one conversation with the mail server may take.
const SMTP_TIMEOUT: Duration = Duration::from_secs(10);

/// One mail with one HTML part, as upstream sends them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Mail {
    /// Display name of the sender; may be empty.
    pub from_name: String,
    /// Address of the sender.
    pub from: String,
    /// Address of the recipient.
    pub to: String,
    /// Subject, plain text.
    pub subject: String,
    /// Body.
    pub html: String,
    /// Further headers, such as `X-Message-Type`.
    pub headers: Vec<(String, String)>,
}

/// Why a mail was not sent. The text is for logs.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// An address or header is not one.
    #[error("mail is not valid: {0}")]
    Invalid(String),
    /// The server did not take it.
    #[error("mail server: {0}")]
    Transport(#[from] lettre::transport::smtp::Error),
    /// It could not be filed.
    #[error("mailbox: {0}")]
    Io(#[from] std::io::Error),
}

impl MailError {
    /// Whether the same mail may well be taken after a while: the server could not be reached, hung
    /// up in the middle, or said itself to come again.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Invalid(_) | Self::Io(_) => false,
            Self::Transport(error) => {
                !(error.is_permanent() || error.is_client() || error.is_tls())
            }
        }
    }
}

impl Mail {
    /// The mail as an RFC 5322 message; control characters in headers are refused.
    pub fn to_message(&self) -> Result<Message, MailError> {
        let (from, to) = (address(&self.from)?, recipient(&self.to)?);
        let name = (!self.from_name.is_empty()).then(|| self.from_name.clone());
        // Said, because the library would read the recipient from the header again, by its own rules.
        let envelope = Envelope::new(Some(from.clone()), vec![to.clone()])
            .map_err(|error| MailError::Invalid(error.to_string()))?;
        let id = format!("<{}@{}>", Uuid::new_v4(), from.domain());
        let mut builder = Message::builder()
            .envelope(envelope)
            .from(Mailbox::new(name, from))
            .raw_header(HeaderValue::new(
                HeaderName::new_from_ascii_str("To"),
                to.to_string(),
            ))
            .subject(self.subject.as_str())
            .message_id(Some(id));
        for (name, value) in &self.headers {
            let name = HeaderName::new_from_ascii(name.clone())
                .map_err(|_| MailError::Invalid(format!("header name {name:?}")))?;
            if value.contains(['\r', '\n', '\0']) {
                return Err(MailError::Invalid(
                    "header value with control characters".to_owned(),
                ));
            }
            builder = builder.raw_header(HeaderValue::new(name, value.clone()));
        }
        builder
            .singlepart(SinglePart::html(self.html.clone()))
            .map_err(|error| MailError::Invalid(error.to_string()))
    }
}

fn address(text: &str) -> Result<Address, MailError> {
    let parsed = text.parse();
    parsed.map_err(|_| MailError::Invalid("address".to_owned()))
}

/// An address, also with dots where none may be: some providers gave such names out.
fn recipient(text: &str) -> Result<Address, MailError> {
    address(text).or_else(|error| match text.rsplit_once('@') {
        Some((local, host))
            if local.bytes().all(is_of_a_name) && address(&format!("a@{host}")).is_ok() =>
        {
            Ok(Address::new_dangerous(local, host))
        }
        _ => Err(error),
    })
}

/// What the name in front of the `@` of an address is made of: what needs no quotes, and dots.
pub fn is_of_a_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&byte)
}

/// Something that takes mail: a mail server, the development mailbox, a test's list.
#[async_trait]
pub trait Mailer: Send + Sync {
    /// Takes responsibility for `mail`; an error means it will not arrive.
    async fn send(&self, mail: &Mail) -> Result<(), MailError>;
}

/// Where there is no mail server, every mail is dropped, as upstream does.
pub struct NoMailer;

#[async_trait]
impl Mailer for NoMailer {
    async fn send(&self, _mail: &Mail) -> Result<(), MailError> {
        Ok(())
    }
}

/// Where the mail server is.
#[derive(Clone, Debug)]
pub struct SmtpConfig {
    /// Host name.
    pub host: String,
    /// Port; 465 speaks TLS from the start, others upgrade: if the server offers it, or in any
    /// case before a password is sent to another machine.
    pub port: u16,
    /// Login name; empty for none.
    pub user: String,
    /// Password.
    pub password: Secret<String>,
    /// What to greet the server with: our own host name.
    pub helo: String,
}

/// Sends through an SMTP server, keeping connections open between mails.
pub struct SmtpMailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
}

impl SmtpMailer {
    /// Prepares a connection pool; nothing is contacted yet.
    pub fn new(config: &SmtpConfig) -> Result<Self, MailError> {
        let tls = TlsParameters::new(config.host.clone())?;
        // As Go's net/smtp: a password does not leave this machine in the clear, whatever
        // somebody in between makes the server seem to offer.
        let may_stay_plain = config.user.is_empty()
            || matches!(config.host.as_str(), "localhost" | "127.0.0.1" | "::1");
        let tls = match config.port {
            465 => Tls::Wrapper(tls),
            _ if may_stay_plain => Tls::Opportunistic(tls),
            _ => Tls::Required(tls),
        };
        let mut builder =
            AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(config.host.as_str())
                .port(config.port)
                .tls(tls)
                .timeout(Some(SMTP_TIMEOUT));
        if !config.helo.is_empty() {
            builder = builder.hello_name(ClientId::Domain(config.helo.clone()));
        }
        if !config.user.is_empty() {
            let password = config.password.expose().clone();
            builder = builder.credentials(Credentials::new(config.user.clone(), password));
        }
        Ok(Self {
            transport: builder.build(),
        })
    }
}

#[async_trait]
impl Mailer for SmtpMailer {
    async fn send(&self, mail: &Mail) -> Result<(), MailError> {
        self.transport.send(mail.to_message()?).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail(subject: &str, headers: &[(&str, &str)]) -> Mail {
        Mail {
            from_name: "Wildfire".to_owned(),
            from: "noreply@example.com".to_owned(),
            to: "ada@example.com".to_owned(),
            subject: subject.to_owned(),
            html: "<p>Hi</p>".to_owned(),
            headers: headers
                .iter()
                .map(|(n, v)| ((*n).to_owned(), (*v).to_owned()))
                .collect(),
        }
    }

    #[test]
    fn message_carries_all_parts() {
        let message = mail("Grüße", &[("X-Message-Type", "recovery")])
            .to_message()
            .unwrap();
        let text = String::from_utf8(message.formatted()).unwrap();
        for part in [
            "From: Wildfire <noreply@example.com>",
            "X-Message-Type: recovery",
            "text/html",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        // What this machine is called is no address, in a container least of all.
        let mut lines = text.lines();
        let id = lines.find(|line| line.starts_with("Message-ID: <"));
        assert!(id.unwrap().ends_with("@example.com>"), "{text}");
    }

    #[test]
    fn headers_cannot_be_injected() {
        let injected = mail("Hi\r\nBcc: eve@example.com", &[]).to_message();
        let raw =
            injected.map(|message| String::from_utf8_lossy(&message.formatted()).into_owned());
        assert!(raw.is_err() || !raw.unwrap().contains("\r\nBcc:"));
        assert!(
            mail("Hi", &[("X-A", "b\r\nBcc: eve@example.com")])
                .to_message()
                .is_err()
        );
    }
}
