//! `[auth.external.*]`: sign-in with somebody else's account.

use super::Reader;
use super::variables::Var;

/// Every provider the CLI's template lists, and the names it still accepts.
const KNOWN: &[&str] = &[
    "apple",
    "azure",
    "bitbucket",
    "discord",
    "facebook",
    "figma",
    "fly",
    "github",
    "gitlab",
    "google",
    "kakao",
    "keycloak",
    "linkedin_oidc",
    "notion",
    "slack_oidc",
    "snapchat",
    "spotify",
    "twitch",
    "twitter",
    "vercel_marketplace",
    "workos",
    "x",
    "zoom",
];

/// One provider's settings.
#[derive(Debug)]
pub(super) struct Provider {
    name: String,
    origin: Option<String>,
    client_id: String,
    secret: String,
    url: Option<String>,
    redirect_uri: Option<String>,
    skip_nonce_check: bool,
    email_optional: bool,
}

pub(super) fn read(reader: &Reader<'_>) -> Vec<Provider> {
    let mut names = reader.names("auth.external");
    for name in KNOWN {
        if !names.iter().any(|known| known == name) {
            names.push((*name).to_owned());
        }
    }
    names
        .iter()
        .filter_map(|name| provider(reader, name))
        .collect()
}

/// A provider that the file names, or that the environment switches on.
fn provider(reader: &Reader<'_>, name: &str) -> Option<Provider> {
    let section = format!("auth.external.{name}");
    let path = |key: &str| format!("{section}.{key}");
    reader.accept(&section, &["client_id", "secret", "url", "redirect_uri"]);
    let skip_nonce_check = reader.bool(&path("skip_nonce_check"), false);
    let email_optional = reader.bool(&path("email_optional"), false);
    if !reader.bool(&path("enabled"), false) {
        return None;
    }
    if !KNOWN.contains(&name) {
        let message = match name {
            "linkedin" | "slack" => format!("{section} was replaced by {section}_oidc"),
            _ => format!("{section} is not a provider this build knows; it is ignored"),
        };
        reader.warn(reader.line(&section), &message);
        return None;
    }
    let client_id = reader.required(&section, &path("client_id"));
    // These two also sign in with an id token, for which no secret is needed.
    let secret = if matches!(name, "apple" | "google") {
        reader.text(&path("secret"))
    } else {
        reader.required(&section, &path("secret"))
    };
    Some(Provider {
        name: name.to_uppercase(),
        origin: reader.origin(&section),
        client_id: client_id.unwrap_or_default(),
        secret: secret.unwrap_or_default(),
        url: reader.text(&path("url")),
        redirect_uri: reader.text(&path("redirect_uri")),
        skip_nonce_check,
        email_optional,
    })
}

impl Provider {
    /// The provider's variables; the callback is the issuer's unless the project says otherwise.
    pub(super) fn vars(&self, issuer: &str) -> Vec<Var> {
        let mut vars = Vec::new();
        let mut set = |key: &str, value: String| {
            vars.push(Var {
                name: format!("GOTRUE_EXTERNAL_{}_{key}", self.name),
                value,
                origin: self.origin.clone(),
            });
        };
        set("ENABLED", "true".to_owned());
        set("CLIENT_ID", self.client_id.clone());
        set("SECRET", self.secret.clone());
        set("SKIP_NONCE_CHECK", self.skip_nonce_check.to_string());
        set("EMAIL_OPTIONAL", self.email_optional.to_string());
        let callback = || format!("{issuer}/callback");
        set(
            "REDIRECT_URI",
            self.redirect_uri.clone().unwrap_or_else(callback),
        );
        if let Some(url) = &self.url {
            set("URL", url.clone());
        }
        vars
    }
}
