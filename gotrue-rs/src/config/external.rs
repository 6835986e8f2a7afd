//! Which ways of signing in are open.

use std::time::Duration;

use platform::env::Reader;

/// The providers in the order `GET /settings` lists them, with their variable names.
const PROVIDERS: [(&str, &str); 22] = [
    ("apple", "APPLE"),
    ("azure", "AZURE"),
    ("bitbucket", "BITBUCKET"),
    ("discord", "DISCORD"),
    ("facebook", "FACEBOOK"),
    ("snapchat", "SNAPCHAT"),
    ("figma", "FIGMA"),
    ("fly", "FLY"),
    ("github", "GITHUB"),
    ("gitlab", "GITLAB"),
    ("google", "GOOGLE"),
    ("keycloak", "KEYCLOAK"),
    ("kakao", "KAKAO"),
    ("linkedin", "LINKEDIN"),
    ("linkedin_oidc", "LINKEDIN_OIDC"),
    ("notion", "NOTION"),
    ("spotify", "SPOTIFY"),
    ("slack", "SLACK"),
    ("slack_oidc", "SLACK_OIDC"),
    ("workos", "WORKOS"),
    ("twitch", "TWITCH"),
    ("twitter", "TWITTER"),
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
    /// `GOTRUE_EXTERNAL_ZOOM_ENABLED` (default false).
    pub(crate) zoom: bool,
    /// `GOTRUE_EXTERNAL_<PROVIDER>_ENABLED` (default false), in the order of the settings.
    pub(crate) providers: Vec<(&'static str, bool)>,
    /// `GOTRUE_EXTERNAL_FLOW_STATE_EXPIRY_DURATION` (at least 300s): life of a PKCE code.
    pub(crate) flow_state_expiry: Duration,
    /// `GOTRUE_PASSKEY_ENABLED` (default false).
    pub(crate) passkeys: bool,
    /// `GOTRUE_OAUTH_SERVER_ENABLED` (default false).
    pub(crate) oauth_server: bool,
    /// `GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION` (default false).
    pub(crate) dynamic_registration: bool,
}

impl ExternalConfig {
    pub(super) fn from_env(env: &Reader<'_>) -> Self {
        let minimum = Duration::from_mins(5);
        let flag = |name: &str| env.bool(name, false);
        Self {
            email: env.bool("GOTRUE_EXTERNAL_EMAIL_ENABLED", true),
            magic_link: env.bool("GOTRUE_EXTERNAL_EMAIL_MAGIC_LINK_ENABLED", true),
            phone: flag("GOTRUE_EXTERNAL_PHONE_ENABLED"),
            anonymous_users: flag("GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED"),
            zoom: flag("GOTRUE_EXTERNAL_ZOOM_ENABLED"),
            providers: PROVIDERS
                .iter()
                .map(|(name, key)| (*name, flag(&format!("GOTRUE_EXTERNAL_{key}_ENABLED"))))
                .collect(),
            flow_state_expiry: env
                .duration("GOTRUE_EXTERNAL_FLOW_STATE_EXPIRY_DURATION", minimum)
                .max(minimum),
            passkeys: flag("GOTRUE_PASSKEY_ENABLED"),
            oauth_server: flag("GOTRUE_OAUTH_SERVER_ENABLED"),
            dynamic_registration: flag("GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION"),
        }
    }
}
