//! `[auth]` as the environment gotrue reads, key by key what the Supabase CLI passes to its
//! container (`apps/cli-go/internal/start/start.go`, defaults of `pkg/config/templates/config.toml`),
//! so that `gotrue::Config::from_env` stays the only place that understands these settings.

mod email;
mod features;
mod hooks;
mod providers;
mod sms;
mod variables;

use std::path::Path;

use super::reader::Reader;
use providers::Provider;
pub use variables::Var;
use variables::Variables;

/// Keys and secrets the project brings itself; whatever is absent has a default elsewhere.
#[derive(Debug, Clone, Default)]
pub struct AuthKeys {
    /// `auth.jwt_secret`.
    pub jwt_secret: Option<String>,
    /// `auth.anon_key`.
    pub anon_key: Option<String>,
    /// `auth.service_role_key`.
    pub service_role_key: Option<String>,
    /// `auth.publishable_key`.
    pub publishable_key: Option<String>,
    /// `auth.secret_key`.
    pub secret_key: Option<String>,
    /// The content of the file `auth.signing_keys_path` names: a JSON array of private JWKs.
    pub signing_keys_json: Option<String>,
}

/// What only the running stack knows and gotrue must be told.
#[derive(Debug, Clone, Copy)]
pub struct GotrueContext<'a> {
    /// Where clients reach the API, such as `http://127.0.0.1:54321`.
    pub api_url: &'a str,
    /// The HS256 secret.
    pub jwt_secret: &'a str,
    /// Private JWKs, a JSON array.
    pub jwt_keys_json: &'a str,
}

/// `[auth]`, read.
#[derive(Debug, Default)]
pub(super) struct Auth {
    pub(super) keys: AuthKeys,
    external_url: Option<String>,
    jwt_issuer: Option<String>,
    providers: Vec<Provider>,
    vars: Vec<Var>,
}

/// How a key's value becomes the variable's value.
#[derive(Clone, Copy)]
enum Kind {
    Switch(bool),
    /// The variable says the opposite of the key.
    Negated(bool),
    Number(u32),
    Duration(&'static str),
}

/// Keys that map to one variable each.
const PLAIN: &[(&str, Kind, &str)] = &[
    (
        "auth.enable_signup",
        Kind::Negated(true),
        "GOTRUE_DISABLE_SIGNUP",
    ),
    ("auth.jwt_expiry", Kind::Number(3600), "GOTRUE_JWT_EXP"),
    (
        "auth.enable_anonymous_sign_ins",
        Kind::Switch(false),
        "GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED",
    ),
    (
        "auth.minimum_password_length",
        Kind::Number(6),
        "GOTRUE_PASSWORD_MIN_LENGTH",
    ),
    (
        "auth.enable_refresh_token_rotation",
        Kind::Switch(true),
        "GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED",
    ),
    (
        "auth.refresh_token_reuse_interval",
        Kind::Number(10),
        "GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL",
    ),
    (
        "auth.enable_manual_linking",
        Kind::Switch(false),
        "GOTRUE_SECURITY_MANUAL_LINKING_ENABLED",
    ),
    (
        "auth.email.double_confirm_changes",
        Kind::Switch(true),
        "GOTRUE_MAILER_SECURE_EMAIL_CHANGE_ENABLED",
    ),
    (
        "auth.email.enable_confirmations",
        Kind::Negated(false),
        "GOTRUE_MAILER_AUTOCONFIRM",
    ),
    (
        "auth.email.otp_length",
        Kind::Number(6),
        "GOTRUE_MAILER_OTP_LENGTH",
    ),
    (
        "auth.email.otp_expiry",
        Kind::Number(3600),
        "GOTRUE_MAILER_OTP_EXP",
    ),
    (
        "auth.email.max_frequency",
        Kind::Duration("1s"),
        "GOTRUE_SMTP_MAX_FREQUENCY",
    ),
    (
        "auth.email.secure_password_change",
        Kind::Switch(false),
        "GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION",
    ),
    (
        "auth.email.require_current_password",
        Kind::Switch(false),
        "GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD",
    ),
    (
        "auth.mfa.totp.enroll_enabled",
        Kind::Switch(false),
        "GOTRUE_MFA_TOTP_ENROLL_ENABLED",
    ),
    (
        "auth.mfa.totp.verify_enabled",
        Kind::Switch(false),
        "GOTRUE_MFA_TOTP_VERIFY_ENABLED",
    ),
    (
        "auth.mfa.phone.enroll_enabled",
        Kind::Switch(false),
        "GOTRUE_MFA_PHONE_ENROLL_ENABLED",
    ),
    (
        "auth.mfa.phone.verify_enabled",
        Kind::Switch(false),
        "GOTRUE_MFA_PHONE_VERIFY_ENABLED",
    ),
    (
        "auth.mfa.web_authn.enroll_enabled",
        Kind::Switch(false),
        "GOTRUE_MFA_WEB_AUTHN_ENROLL_ENABLED",
    ),
    (
        "auth.mfa.web_authn.verify_enabled",
        Kind::Switch(false),
        "GOTRUE_MFA_WEB_AUTHN_VERIFY_ENABLED",
    ),
    (
        "auth.mfa.max_enrolled_factors",
        Kind::Number(10),
        "GOTRUE_MFA_MAX_ENROLLED_FACTORS",
    ),
    (
        "auth.rate_limit.anonymous_users",
        Kind::Number(30),
        "GOTRUE_RATE_LIMIT_ANONYMOUS_USERS",
    ),
    (
        "auth.rate_limit.token_refresh",
        Kind::Number(150),
        "GOTRUE_RATE_LIMIT_TOKEN_REFRESH",
    ),
    (
        "auth.rate_limit.sign_in_sign_ups",
        Kind::Number(30),
        "GOTRUE_RATE_LIMIT_OTP",
    ),
    (
        "auth.rate_limit.token_verifications",
        Kind::Number(30),
        "GOTRUE_RATE_LIMIT_VERIFY",
    ),
    (
        "auth.rate_limit.sms_sent",
        Kind::Number(30),
        "GOTRUE_RATE_LIMIT_SMS_SENT",
    ),
    (
        "auth.rate_limit.web3",
        Kind::Number(30),
        "GOTRUE_RATE_LIMIT_WEB3",
    ),
    (
        "auth.web3.solana.enabled",
        Kind::Switch(false),
        "GOTRUE_EXTERNAL_WEB3_SOLANA_ENABLED",
    ),
    (
        "auth.web3.ethereum.enabled",
        Kind::Switch(false),
        "GOTRUE_EXTERNAL_WEB3_ETHEREUM_ENABLED",
    ),
];

/// Variables the CLI sets to a constant.
const CONSTANT: &[(&str, &str)] = &[
    ("GOTRUE_DB_DRIVER", "postgres"),
    ("GOTRUE_JWT_ADMIN_ROLES", "service_role"),
    ("GOTRUE_JWT_AUD", "authenticated"),
    ("GOTRUE_JWT_DEFAULT_GROUP_NAME", "authenticated"),
    ("GOTRUE_JWT_VALID_METHODS", "HS256,RS256,ES256"),
    ("GOTRUE_MAILER_TEMPLATE_RELOADING_ENABLED", "true"),
];

/// Reads `[auth]`; `supabase_dir` is what relative paths start from.
pub(super) fn read(reader: &Reader<'_>, supabase_dir: &Path) -> Auth {
    // Read although nothing is switched off by it: auth is the heart of this stack.
    if !reader.bool("auth.enabled", true) {
        reader.warn(
            reader.line("auth.enabled"),
            "auth.enabled = false has no effect",
        );
    }
    let mut vars = Variables::new(reader);
    for (name, value) in CONSTANT {
        vars.set_constant(*name, *value);
    }
    for row in PLAIN {
        plain(row, &mut vars);
    }
    site(&mut vars);
    let key = "auth.password_requirements";
    let required = password_characters(reader);
    vars.set(key, "GOTRUE_PASSWORD_REQUIRED_CHARACTERS", required);
    email::read(supabase_dir, &mut vars);
    sms::read(&mut vars);
    hooks::read(&mut vars);
    features::sessions(&mut vars);
    features::captcha(&mut vars);
    features::passkeys(&mut vars);
    features::oauth_server(&mut vars);
    features::third_party(reader);
    features::check_factors(reader);
    Auth {
        keys: keys(reader, supabase_dir),
        external_url: reader.text("auth.external_url"),
        jwt_issuer: reader.text("auth.jwt_issuer"),
        providers: providers::read(reader),
        vars: vars.list,
    }
}

impl Auth {
    /// The whole environment of gotrue.
    pub(super) fn gotrue_vars(&self, context: &GotrueContext<'_>) -> Vec<Var> {
        let base = format!("{}/auth/v1", context.api_url.trim_end_matches('/'));
        let external = self.external_url.clone().unwrap_or(base);
        let issuer = self.jwt_issuer.clone().unwrap_or_else(|| external.clone());
        let verify = format!("{}/verify", external.trim_end_matches('/'));
        let mut vars = self.vars.clone();
        let mut set = |name: &str, value: String| {
            vars.push(Var {
                name: name.to_owned(),
                value,
                origin: None,
            });
        };
        set("API_EXTERNAL_URL", external);
        set("GOTRUE_JWT_SECRET", context.jwt_secret.to_owned());
        set("GOTRUE_JWT_KEYS", context.jwt_keys_json.to_owned());
        set("GOTRUE_JWT_ISSUER", issuer.clone());
        for mail in ["INVITE", "CONFIRMATION", "RECOVERY", "EMAIL_CHANGE"] {
            set(&format!("GOTRUE_MAILER_URLPATHS_{mail}"), verify.clone());
        }
        for provider in &self.providers {
            vars.extend(provider.vars(&issuer));
        }
        vars
    }
}

fn plain((path, kind, name): &(&str, Kind, &str), vars: &mut Variables<'_>) {
    let reader = vars.reader;
    let value = match *kind {
        Kind::Switch(default) => reader.bool(path, default).to_string(),
        Kind::Negated(default) => (!reader.bool(path, default)).to_string(),
        Kind::Number(default) => reader.number(path, default).to_string(),
        Kind::Duration(default) => reader.duration(path, default),
    };
    vars.set(path, *name, value);
}

fn site(vars: &mut Variables<'_>) {
    let reader = vars.reader;
    let site_url = reader.text_or("auth.site_url", "http://127.0.0.1:3000");
    if site_url.is_empty() {
        reader.problem(
            reader.line("auth.site_url"),
            "auth.site_url must not be empty",
        );
    }
    let allowed = reader.list("auth.additional_redirect_urls", &["https://127.0.0.1:3000"]);
    vars.set("auth.site_url", "GOTRUE_SITE_URL", site_url);
    let key = "auth.additional_redirect_urls";
    vars.set(key, "GOTRUE_URI_ALLOW_LIST", allowed.join(","));
}

/// The character classes behind a named password rule (`pkg/api/types.gen.go`).
fn password_characters(reader: &Reader<'_>) -> String {
    const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
    const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const DIGITS: &str = "0123456789";
    // A colon separates classes, hence the escaped one among the symbols.
    const SYMBOLS: &str = r#"!@#$%^&*()_+-=[]{};'\\:"|<>?,./`~"#;
    let path = "auth.password_requirements";
    match reader.text_or(path, "").as_str() {
        "" => String::new(),
        "letters_digits" => format!("{LOWER}{UPPER}:{DIGITS}"),
        "lower_upper_letters_digits" => format!("{LOWER}:{UPPER}:{DIGITS}"),
        "lower_upper_letters_digits_symbols" => format!("{LOWER}:{UPPER}:{DIGITS}:{SYMBOLS}"),
        other => {
            let message = format!(
                "{path} must be empty, letters_digits, lower_upper_letters_digits or \
                 lower_upper_letters_digits_symbols, not {other:?}"
            );
            reader.problem(reader.line(path), &message);
            String::new()
        }
    }
}

fn keys(reader: &Reader<'_>, supabase_dir: &Path) -> AuthKeys {
    let jwt_secret = reader.text("auth.jwt_secret");
    if jwt_secret.as_ref().is_some_and(|secret| secret.len() < 16) {
        let message = "auth.jwt_secret must have at least 16 characters";
        reader.problem(reader.line("auth.jwt_secret"), message);
    }
    let path = "auth.signing_keys_path";
    let signing_keys_json = reader.text(path).and_then(|file| {
        let file = supabase_dir.join(file);
        std::fs::read_to_string(&file)
            .map_err(|error| {
                let message = format!("{path}: {} cannot be read: {error}", file.display());
                reader.problem(reader.line(path), &message);
            })
            .ok()
    });
    AuthKeys {
        jwt_secret,
        anon_key: reader.text("auth.anon_key"),
        service_role_key: reader.text("auth.service_role_key"),
        publishable_key: reader.text("auth.publishable_key"),
        secret_key: reader.text("auth.secret_key"),
        signing_keys_json,
    }
}
