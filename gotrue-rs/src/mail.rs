//! Mail: templates, links, limits, and what is stored for a mail that went out.

pub(crate) mod config;
pub(crate) mod kind;
pub(crate) mod links;

mod address_check;
mod letter;
mod notices;
mod outbox;
mod permit;
mod post;
mod purpose;
mod seal;
mod template;
mod templates;
mod tokens;
mod variables;

pub(crate) use letter::{Letter, reserve};
pub(crate) use notices::{Notice, notify};
pub(crate) use outbox::{Posted, forget_unsettled, send_left_over};
pub(crate) use permit::{Asker, admit, authorize, is_too_soon};
pub(crate) use post::{Post, PostError};
pub(crate) use purpose::Purpose;
pub(crate) use tokens::MailTokens;
pub(crate) use variables::external_address;

use std::sync::Arc;

use platform::clock::Clock;
use platform::http::HttpClient;
use platform::jwt::KeyError;
use platform::mail::Mailer;

use post::Patience;
use seal::Sealer;
use templates::Templates;

use crate::config::Config;

/// What the key of the outbox is derived for.
const OUTBOX_KEY: &str = "wildfire mail outbox";

/// The post office of a configuration.
pub(crate) fn post_office(
    config: &Config,
    mailer: Arc<dyn Mailer>,
    web: HttpClient,
    clock: Clock,
) -> Result<Post, KeyError> {
    let key = config.jwt.derive_key(OUTBOX_KEY)?;
    let sealer = Sealer::new(&key).map_err(|_| KeyError::Refused)?;
    let templates = Templates::new(&config.mail, config.redirects.site_url(), web, clock);
    let patience = Patience::within(config.max_request_duration);
    Ok(Post::new(&config.mail, templates, mailer, sealer, patience))
}
