//! Smaller sections of `[auth]`: session limits, captcha, passkeys, the OAuth server, and what of
//! them is not built.

use super::{Reader, Variables};

pub(super) fn sessions(vars: &mut Variables<'_>) {
    let reader = vars.reader;
    let settings = [
        ("auth.sessions.timebox", "GOTRUE_SESSIONS_TIMEBOX"),
        (
            "auth.sessions.inactivity_timeout",
            "GOTRUE_SESSIONS_INACTIVITY_TIMEOUT",
        ),
    ];
    for (path, name) in settings {
        let limit = reader.duration(path, "0");
        if limit.bytes().any(|byte| matches!(byte, b'1'..=b'9')) {
            vars.set(path, name, limit);
        }
    }
}

pub(super) fn captcha(vars: &mut Variables<'_>) {
    let reader = vars.reader;
    reader.accept("auth.captcha", &["provider", "secret"]);
    if !reader.bool("auth.captcha.enabled", false) {
        return;
    }
    let provider = reader.text("auth.captcha.provider");
    let secret = reader.text("auth.captcha.secret");
    let line = reader.line("auth.captcha");
    if !matches!(provider.as_deref(), Some("hcaptcha" | "turnstile")) {
        reader.problem(line, "auth.captcha.provider must be hcaptcha or turnstile");
    }
    if secret.is_none() {
        reader.problem(line, "auth.captcha needs a secret");
    }
    let mut set = |key: &str, name: &str, value: String| {
        vars.set(key, format!("GOTRUE_SECURITY_CAPTCHA_{name}"), value);
    };
    set("auth.captcha", "ENABLED", "true".to_owned());
    set(
        "auth.captcha.provider",
        "PROVIDER",
        provider.unwrap_or_default(),
    );
    set("auth.captcha.secret", "SECRET", secret.unwrap_or_default());
}

pub(super) fn passkeys(vars: &mut Variables<'_>) {
    let reader = vars.reader;
    let enabled = reader.bool("auth.passkey.enabled", false);
    let rp_id = reader.text_or("auth.webauthn.rp_id", "");
    let name = reader.text_or("auth.webauthn.rp_display_name", "");
    let origins = reader.list("auth.webauthn.rp_origins", &[]);
    if enabled && (rp_id.is_empty() || origins.is_empty()) {
        let message = "auth.passkey needs rp_id and rp_origins in [auth.webauthn]";
        reader.problem(reader.line("auth.passkey.enabled"), message);
    }
    vars.set(
        "auth.passkey.enabled",
        "GOTRUE_PASSKEY_ENABLED",
        enabled.to_string(),
    );
    if reader.has("auth.webauthn") {
        vars.set("auth.webauthn.rp_id", "GOTRUE_WEBAUTHN_RP_ID", rp_id);
        vars.set(
            "auth.webauthn.rp_display_name",
            "GOTRUE_WEBAUTHN_RP_DISPLAY_NAME",
            name,
        );
        vars.set(
            "auth.webauthn.rp_origins",
            "GOTRUE_WEBAUTHN_RP_ORIGINS",
            origins.join(","),
        );
    }
}

pub(super) fn oauth_server(vars: &mut Variables<'_>) {
    let reader = vars.reader;
    let section = "auth.oauth_server";
    let path = reader.text_or(
        &format!("{section}.authorization_url_path"),
        "/oauth/consent",
    );
    let dynamic = reader.bool(&format!("{section}.allow_dynamic_registration"), false);
    if reader.bool(&format!("{section}.enabled"), false) {
        let mut set = |name: &str, value: String| {
            vars.set(section, format!("GOTRUE_OAUTH_SERVER_{name}"), value);
        };
        set("ENABLED", "true".to_owned());
        set("AUTHORIZATION_PATH", path);
        set("ALLOW_DYNAMIC_REGISTRATION", dynamic.to_string());
    }
}

pub(super) fn third_party(reader: &Reader<'_>) {
    for name in ["firebase", "auth0", "aws_cognito", "clerk", "workos"] {
        let section = format!("auth.third_party.{name}");
        reader.accept_all(&section);
        if reader.bool(&format!("{section}.enabled"), false) {
            let message = format!("{section} is not part of this build yet and has no effect");
            reader.warn(reader.line(&section), &message);
        }
    }
}

pub(super) fn check_factors(reader: &Reader<'_>) {
    for factor in ["totp", "phone", "web_authn"] {
        let section = format!("auth.mfa.{factor}");
        let enroll = reader.bool(&format!("{section}.enroll_enabled"), false);
        if enroll && !reader.bool(&format!("{section}.verify_enabled"), false) {
            let message = format!("{section}.enroll_enabled requires verify_enabled");
            reader.problem(reader.line(&section), &message);
        }
    }
}
