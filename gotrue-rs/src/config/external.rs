//! Which ways of signing in are open.

use std::time::Duration;

use platform::env::Reader;

/// The providers in the order `GET /settings` lists them. None is built in yet.
pub(crate) const PROVIDERS: [&str; 22] = [
    "apple",
    "azure",
    "bitbucket",
    "discord",
    "facebook",
    "snapchat",
    "figma",
    "fly",
    "github",
    "gitlab",
    "google",
    "keycloak",
    "kakao",
    "linkedin",
    "linkedin_oidc",
    "notion",
    "spotify",
    "slack",
    "slack_oidc",
    "workos",
    "twitch",
    "twitter",
];

/// Further switches of features that are not built; they stay off, and the log says so.
const OTHERS: [&str; 4] = [
    "GOTRUE_EXTERNAL_ZOOM_ENABLED",
    "GOTRUE_PASSKEY_ENABLED",
    "GOTRUE_OAUTH_SERVER_ENABLED",
    "GOTRUE_EXPERIMENTAL_SCIM_ENABLED",
];

/// Sign-in methods.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a variable of its own"
)]
pub(crate) struct ExternalConfig {
    /// `GOTRUE_EXTERNAL_EMAIL_ENABLED` (default true).
    pub(crate) email: bool,
    /// `GOTRUE_EXTERNAL_EMAIL_MAGIC_LINK_ENABLED` (default true).
    pub(crate) magic_link: bool,
    /// `GOTRUE_EXTERNAL_PHONE_ENABLED` (default false).
    pub(crate) phone: bool,
    /// `GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED` (default false).
    pub(crate) anonymous_users: bool,
    /// `GOTRUE_EXTERNAL_FLOW_STATE_EXPIRY_DURATION` (at least 300s): life of a PKCE code.
    pub(crate) flow_state_expiry: Duration,
}

impl ExternalConfig {
    pub(super) fn from_env(env: &Reader<'_>) -> Self {
        let minimum = Duration::from_mins(5);
        let flag = |name: &str| env.bool(name, false);
        let providers =
            PROVIDERS.map(|name| format!("GOTRUE_EXTERNAL_{}_ENABLED", name.to_uppercase()));
        for name in providers.iter().map(String::as_str).chain(OTHERS) {
            if flag(name) {
                env.remark(name, "is not part of this build yet: it stays off");
            }
        }
        Self {
            email: env.bool("GOTRUE_EXTERNAL_EMAIL_ENABLED", true),
            magic_link: env.bool("GOTRUE_EXTERNAL_EMAIL_MAGIC_LINK_ENABLED", true),
            phone: flag("GOTRUE_EXTERNAL_PHONE_ENABLED"),
            anonymous_users: flag("GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED"),
            flow_state_expiry: env
                .duration("GOTRUE_EXTERNAL_FLOW_STATE_EXPIRY_DURATION", minimum)
                .max(minimum),
        }
    }

    /// Whether there is a provider of this name at all.
    pub(crate) fn knows(provider: &str) -> bool {
        PROVIDERS.contains(&provider) || provider == "zoom"
    }
}
