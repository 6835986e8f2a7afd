//! Everything about mail that can be configured, under upstream's names.

use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use platform::env::{Reader, Secret};
use platform::mail::{MailError, Mailer, SmtpMailer};

use super::kind::{KINDS, Kind};

/// What a project sets for one kind of mail.
#[derive(Debug, Clone, Default)]
pub(crate) struct KindConfig {
    /// `GOTRUE_MAILER_SUBJECTS_<KIND>`: subject template.
    pub(crate) subject: Option<String>,
    /// `GOTRUE_MAILER_TEMPLATES_<KIND>`: where the body template is: an `http` URL, a `file` URL
    /// or a path at the site.
    pub(crate) body: Option<String>,
    /// `GOTRUE_MAILER_NOTIFICATIONS_<KIND>_ENABLED` (default false): security notices only.
    pub(crate) enabled: bool,
}

/// The paths links lead to, below the external host.
#[derive(Debug, Clone)]
pub(crate) struct LinkPaths {
    /// `GOTRUE_MAILER_URLPATHS_INVITE` (default `/verify`).
    pub(crate) invite: String,
    /// `GOTRUE_MAILER_URLPATHS_CONFIRMATION` (default `/verify`).
    pub(crate) confirmation: String,
    /// `GOTRUE_MAILER_URLPATHS_RECOVERY` (default `/verify`), for magic links, too.
    pub(crate) recovery: String,
    /// `GOTRUE_MAILER_URLPATHS_EMAIL_CHANGE` (default `/verify`).
    pub(crate) email_change: String,
}

/// The mail server and the sender.
#[derive(Debug, Clone)]
pub(crate) struct Smtp {
    /// `GOTRUE_SMTP_HOST`: without it mails are dropped.
    pub(crate) host: String,
    /// `GOTRUE_SMTP_PORT` (default 587).
    pub(crate) port: u16,
    /// `GOTRUE_SMTP_USER` (default none): login name at the mail server.
    pub(crate) user: String,
    /// `GOTRUE_SMTP_PASS` (default none): its password.
    pub(crate) password: Secret<String>,
    /// `GOTRUE_SMTP_ADMIN_EMAIL`: the sender's address.
    pub(crate) sender: String,
    /// `GOTRUE_SMTP_SENDER_NAME` (default none): name shown beside the sender's address.
    pub(crate) sender_name: String,
    /// `GOTRUE_SMTP_HEADERS`: a JSON object of lists; `$messageType` stands for the kind.
    pub(crate) headers: Vec<(String, String)>,
    /// `GOTRUE_SMTP_MAX_CONVERSATIONS` (default 16): mails handed to the mail server at once.
    pub(crate) max_conversations: usize,
    /// `GOTRUE_SMTP_MAX_FREQUENCY` (default 1m): least time between two mails of a kind to one
    /// user.
    pub(crate) max_frequency: SignedDuration,
}

/// All mail settings.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a variable of its own"
)]
pub(crate) struct MailConfig {
    /// `GOTRUE_MAILER_AUTOCONFIRM` (default false): addresses count as confirmed at once.
    pub(crate) autoconfirm: bool,
    /// `GOTRUE_MAILER_SECURE_EMAIL_CHANGE_ENABLED` (default true): both addresses must confirm.
    pub(crate) secure_email_change: bool,
    /// `GOTRUE_MAILER_OTP_EXP` (default 86400): lifetime of codes and links, seconds.
    pub(crate) otp_lifetime: SignedDuration,
    /// `GOTRUE_MAILER_OTP_LENGTH` (default 6, up to 10): digits of a code.
    pub(crate) otp_length: u32,
    /// `GOTRUE_MAILER_EMAIL_BACKGROUND_SENDING` (default false): answer before the mail is out.
    pub(crate) background: bool,
    /// `GOTRUE_MAILER_EMAIL_VALIDATION_EXTENDED` (default false): refuse addresses that are
    /// known not to exist.
    pub(crate) extended_validation: bool,
    /// `GOTRUE_MAILER_TEMPLATE_MAX_SIZE` (default 1000000): most bytes of a template; a
    /// larger one is not used.
    pub(crate) template_max_size: usize,
    /// `GOTRUE_MAILER_TEMPLATE_MAX_AGE` (default 10m): how long a fetched template is kept.
    pub(crate) template_max_age: SignedDuration,
    /// `GOTRUE_MAILER_TEMPLATE_RETRY_INTERVAL` (default 10s): least time between two attempts
    /// to load one again.
    pub(crate) template_retry: SignedDuration,
    /// `GOTRUE_EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES`: if set, nobody else gets mail.
    pub(crate) authorized: Vec<String>,
    pub(crate) paths: LinkPaths,
    pub(crate) smtp: Smtp,
    kinds: Vec<KindConfig>,
}

impl MailConfig {
    /// What carries mails: the mail server that is configured, if one is.
    pub(crate) fn mailer(&self, own_host: &str) -> Result<Option<Arc<dyn Mailer>>, MailError> {
        let smtp = &self.smtp;
        if smtp.host.is_empty() {
            return Ok(None);
        }
        let mailer = SmtpMailer::new(&platform::mail::SmtpConfig {
            host: smtp.host.clone(),
            port: smtp.port,
            user: smtp.user.clone(),
            password: smtp.password.clone(),
            helo: own_host.to_owned(),
        })?;
        Ok(Some(Arc::new(mailer)))
    }

    /// Reads all settings.
    pub(crate) fn from_env(env: &Reader<'_>) -> Self {
        let autoconfirm = env.bool("GOTRUE_MAILER_AUTOCONFIRM", false);
        // It concerns sign-in through other providers, which are not built yet.
        let unverified = "GOTRUE_MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS";
        if env.bool(unverified, false) && autoconfirm {
            env.problem(
                unverified,
                "cannot be combined with GOTRUE_MAILER_AUTOCONFIRM",
            );
        }
        for name in [
            "GOTRUE_MAILER_EMAIL_VALIDATION_SERVICE_URL",
            "GOTRUE_MAILER_EMAIL_VALIDATION_BLOCKED_MX",
        ] {
            if env.string(name).is_some_and(|value| !value.is_empty()) {
                env.problem(name, "is not built yet; remove it to start");
            }
        }
        Self {
            autoconfirm,
            secure_email_change: env.bool("GOTRUE_MAILER_SECURE_EMAIL_CHANGE_ENABLED", true),
            otp_lifetime: signed(lifetime(env)),
            otp_length: env.number_within("GOTRUE_MAILER_OTP_LENGTH", 6, &(6..=10)),
            background: env.bool("GOTRUE_MAILER_EMAIL_BACKGROUND_SENDING", false),
            extended_validation: env.bool("GOTRUE_MAILER_EMAIL_VALIDATION_EXTENDED", false),
            template_max_size: env.number("GOTRUE_MAILER_TEMPLATE_MAX_SIZE", 1_000_000),
            template_max_age: age(
                env,
                "GOTRUE_MAILER_TEMPLATE_MAX_AGE",
                Duration::from_mins(10),
            ),
            template_retry: age(
                env,
                "GOTRUE_MAILER_TEMPLATE_RETRY_INTERVAL",
                Duration::from_secs(10),
            ),
            authorized: env.list("GOTRUE_EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES"),
            paths: LinkPaths {
                invite: path(env, Kind::Invite),
                confirmation: path(env, Kind::Confirmation),
                recovery: path(env, Kind::Recovery),
                email_change: path(env, Kind::EmailChange),
            },
            smtp: smtp(env),
            kinds: KINDS.iter().map(|kind| kind_config(env, *kind)).collect(),
        }
    }

    /// What is set for one kind.
    pub(crate) fn kind(&self, kind: Kind) -> &KindConfig {
        &self.kinds[kind as usize]
    }
}

fn kind_config(env: &Reader<'_>, kind: Kind) -> KindConfig {
    let name = kind.variable();
    KindConfig {
        subject: env.string(&format!("GOTRUE_MAILER_SUBJECTS_{name}")),
        body: env.string(&format!("GOTRUE_MAILER_TEMPLATES_{name}")),
        enabled: kind.switch().is_some_and(|switch| env.bool(&switch, false)),
    }
}

fn path(env: &Reader<'_>, kind: Kind) -> String {
    let name = format!("GOTRUE_MAILER_URLPATHS_{}", kind.variable());
    let path = env.string(&name).unwrap_or_else(|| "/verify".to_owned());
    if crate::redirect::address::Address::parse(&path).is_none() {
        env.problem(&name, "must be a path or URL");
    }
    path
}

/// Zero stands for the default, as upstream has it.
fn lifetime(env: &Reader<'_>) -> Duration {
    let set = env.seconds("GOTRUE_MAILER_OTP_EXP", 86_400);
    if set.is_zero() {
        Duration::from_hours(24)
    } else {
        set
    }
}

fn age(env: &Reader<'_>, name: &str, default: Duration) -> SignedDuration {
    signed(env.duration(name, default))
}

fn signed(duration: Duration) -> SignedDuration {
    SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX)
}

fn smtp(env: &Reader<'_>) -> Smtp {
    let frequency = env.duration("GOTRUE_SMTP_MAX_FREQUENCY", Duration::ZERO);
    let frequency = if frequency.is_zero() {
        Duration::from_mins(1)
    } else {
        frequency
    };
    Smtp {
        host: env.string_or("GOTRUE_SMTP_HOST", ""),
        port: smtp_port(env),
        user: env.string_or("GOTRUE_SMTP_USER", ""),
        password: env
            .secret("GOTRUE_SMTP_PASS")
            .unwrap_or_else(|| Secret::new(String::new())),
        sender: env.string_or("GOTRUE_SMTP_ADMIN_EMAIL", ""),
        sender_name: env.string_or("GOTRUE_SMTP_SENDER_NAME", ""),
        headers: headers(env),
        max_conversations: env.number("GOTRUE_SMTP_MAX_CONVERSATIONS", 16).max(1),
        max_frequency: signed(frequency),
    }
}

fn smtp_port(env: &Reader<'_>) -> u16 {
    let name = "GOTRUE_SMTP_PORT";
    let port = env.number(name, 587);
    if port == 0 {
        env.problem(name, "must be the port of a mail server, and 0 is none");
    }
    port
}

fn headers(env: &Reader<'_>) -> Vec<(String, String)> {
    const NAME: &str = "GOTRUE_SMTP_HEADERS";
    let Some(json) = env.string(NAME) else {
        return Vec::new();
    };
    let parsed: Result<std::collections::BTreeMap<String, Vec<String>>, _> =
        serde_json::from_str(&json);
    let Ok(parsed) = parsed else {
        env.problem(NAME, "must be a JSON object of lists of strings");
        return Vec::new();
    };
    let pairs = parsed
        .into_iter()
        .filter(|(name, _)| !name.is_empty())
        .flat_map(|(name, values)| values.into_iter().map(move |value| (name.clone(), value)));
    pairs.filter(|(_, value)| !value.is_empty()).collect()
}
