//! `[auth.hook.*]`: functions of the database or of a web server that auth asks on its way.

use super::{Reader, Variables};

const HOOKS: [&str; 7] = [
    "mfa_verification_attempt",
    "password_verification_attempt",
    "custom_access_token",
    "send_sms",
    "send_email",
    "before_user_created",
    "after_user_created",
];

pub(super) fn read(vars: &mut Variables<'_>) {
    let reader = vars.reader;
    for hook in HOOKS {
        let section = format!("auth.hook.{hook}");
        reader.accept(&section, &["uri", "secrets"]);
        if !reader.bool(&format!("{section}.enabled"), false) {
            continue;
        }
        let uri = reader.text_or(&format!("{section}.uri"), "");
        let secrets = reader.text_or(&format!("{section}.secrets"), "");
        check(reader, &section, &uri, &secrets);
        let message = format!(
            "{section} is NOT RUN: this build has no hooks yet, so whatever it would refuse or add is not \
             refused and not added. In production it keeps Wildfire from starting."
        );
        reader.warn(reader.line(&section), &message);
        let prefix = format!("GOTRUE_HOOK_{}", hook.to_uppercase());
        vars.set(&section, format!("{prefix}_ENABLED"), "true");
        vars.set(&format!("{section}.uri"), format!("{prefix}_URI"), uri);
        vars.set(
            &format!("{section}.secrets"),
            format!("{prefix}_SECRETS"),
            secrets,
        );
    }
}

/// The CLI's checks (`pkg/config/config.go`, `hookConfig.validate`).
fn check(reader: &Reader<'_>, section: &str, uri: &str, secrets: &str) {
    let scheme = uri
        .split_once(':')
        .map(|(scheme, _)| scheme.to_ascii_lowercase());
    let message = match scheme.as_deref() {
        Some("http" | "https") if secrets.is_empty() => format!("{section}.secrets is required"),
        Some("http" | "https") if !secrets.split('|').all(is_secret) => format!(
            "{section}.secrets must be written as \"v1,whsec_<base64>\" with at least 32 characters"
        ),
        Some("pg-functions") if !secrets.is_empty() => {
            format!("{section}.secrets is not used with a pg-functions URI; remove it")
        }
        Some("http" | "https" | "pg-functions") => return,
        _ => format!("{section}.uri must be an HTTP, HTTPS or pg-functions URI"),
    };
    reader.problem(reader.line(section), &message);
}

fn is_secret(secret: &str) -> bool {
    let base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    secret
        .strip_prefix("v1,whsec_")
        .is_some_and(|key| key.len() >= 32 && key.chars().all(base64))
}
