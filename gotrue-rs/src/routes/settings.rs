//! `GET /settings`: which ways of signing in are open. Mirrors `internal/api/settings.go`.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use platform::http::mount::{Mount, get};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::config::{ExternalConfig, PROVIDERS};
use crate::extract::Anybody;
use crate::json;
use crate::routes::resource;
use crate::state::State;

#[derive(serde::Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "the wire format")]
struct SettingsBody<'a> {
    external: Providers<'a>,
    disable_signup: bool,
    mailer_autoconfirm: bool,
    phone_autoconfirm: bool,
    sms_provider: &'a str,
    saml_enabled: bool,
    saml_private_key_next_configured: bool,
    passkeys_enabled: bool,
}

struct Providers<'a>(&'a ExternalConfig);

impl Serialize for Providers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let external = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("anonymous_users", &external.anonymous_users)?;
        for name in PROVIDERS {
            map.serialize_entry(name, &false)?;
        }
        map.serialize_entry("email", &external.email)?;
        map.serialize_entry("phone", &external.phone)?;
        map.serialize_entry("zoom", &false)?;
        map.end()
    }
}

pub(super) fn configure(cfg: &mut Mount<'_>) {
    resource::<Anybody, _>(cfg, &["/settings"], || [get(get_settings)]);
}

/// Public.
async fn get_settings(state: web::Data<State>) -> HttpResponse {
    let config = &state.config;
    json::respond(
        StatusCode::OK,
        &SettingsBody {
            external: Providers(&config.external),
            disable_signup: config.disable_signup,
            mailer_autoconfirm: config.mail.autoconfirm,
            phone_autoconfirm: config.sms.autoconfirm,
            sms_provider: &config.sms.provider,
            saml_enabled: false,
            // Upstream: says true as long as SAML is off.
            saml_private_key_next_configured: true,
            passkeys_enabled: false,
        },
    )
}
