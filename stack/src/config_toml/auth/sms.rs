//! `[auth.sms]` and the phone factor: one provider at most, in the CLI's order of preference.

use super::{Reader, Variables};

/// The section, which is also the name gotrue knows the provider by, and key to variable.
type ProviderRow = (&'static str, &'static [(&'static str, &'static str)]);

const PROVIDERS: &[ProviderRow] = &[
    (
        "twilio",
        &[
            ("account_sid", "GOTRUE_SMS_TWILIO_ACCOUNT_SID"),
            ("auth_token", "GOTRUE_SMS_TWILIO_AUTH_TOKEN"),
            (
                "message_service_sid",
                "GOTRUE_SMS_TWILIO_MESSAGE_SERVICE_SID",
            ),
        ],
    ),
    (
        "twilio_verify",
        &[
            ("account_sid", "GOTRUE_SMS_TWILIO_VERIFY_ACCOUNT_SID"),
            ("auth_token", "GOTRUE_SMS_TWILIO_VERIFY_AUTH_TOKEN"),
            (
                "message_service_sid",
                "GOTRUE_SMS_TWILIO_VERIFY_MESSAGE_SERVICE_SID",
            ),
        ],
    ),
    (
        "messagebird",
        &[
            ("access_key", "GOTRUE_SMS_MESSAGEBIRD_ACCESS_KEY"),
            ("originator", "GOTRUE_SMS_MESSAGEBIRD_ORIGINATOR"),
        ],
    ),
    (
        "textlocal",
        &[
            ("api_key", "GOTRUE_SMS_TEXTLOCAL_API_KEY"),
            ("sender", "GOTRUE_SMS_TEXTLOCAL_SENDER"),
        ],
    ),
    (
        "vonage",
        &[
            ("api_key", "GOTRUE_SMS_VONAGE_API_KEY"),
            ("api_secret", "GOTRUE_SMS_VONAGE_API_SECRET"),
            ("from", "GOTRUE_SMS_VONAGE_FROM"),
        ],
    ),
];

const DEFAULT_TEMPLATE: &str = "Your code is {{ .Code }}";

pub(super) fn read(vars: &mut Variables<'_>) {
    let reader = vars.reader;
    let enabled = reader.bool("auth.sms.enable_signup", false);
    let enabled = reader.bool("auth.sms.enabled", enabled);
    let confirm = reader.bool("auth.sms.enable_confirmations", false);
    vars.set(
        "auth.sms.enable_signup",
        "GOTRUE_EXTERNAL_PHONE_ENABLED",
        enabled.to_string(),
    );
    vars.set(
        "auth.sms.enable_confirmations",
        "GOTRUE_SMS_AUTOCONFIRM",
        (!confirm).to_string(),
    );
    let frequency = reader.duration("auth.sms.max_frequency", "5s");
    vars.set(
        "auth.sms.max_frequency",
        "GOTRUE_SMS_MAX_FREQUENCY",
        frequency,
    );
    vars.set_constant("GOTRUE_SMS_OTP_EXP", "6000");
    vars.set_constant("GOTRUE_SMS_OTP_LENGTH", "6");
    let template = reader.text_or("auth.sms.template", DEFAULT_TEMPLATE);
    vars.set("auth.sms.template", "GOTRUE_SMS_TEMPLATE", template);
    vars.set(
        "auth.sms.test_otp",
        "GOTRUE_SMS_TEST_OTP",
        test_codes(reader),
    );
    phone_factor(vars);
    provider(vars);
}

/// `[auth.sms.test_otp]` as `number:code,number:code`.
fn test_codes(reader: &Reader<'_>) -> String {
    let section = "auth.sms.test_otp";
    let pairs = reader.names(section).into_iter().filter_map(|number| {
        reader
            .text(&format!("{section}.{number}"))
            .map(|code| format!("{number}:{code}"))
    });
    pairs.collect::<Vec<_>>().join(",")
}

fn phone_factor(vars: &mut Variables<'_>) {
    let reader = vars.reader;
    let section = "auth.mfa.phone";
    let length: u32 = reader.number(&format!("{section}.otp_length"), 6);
    let template = reader.text_or(&format!("{section}.template"), DEFAULT_TEMPLATE);
    let frequency = reader.duration(&format!("{section}.max_frequency"), "5s");
    let switched = ["enroll_enabled", "verify_enabled"];
    if switched
        .iter()
        .any(|key| reader.bool(&format!("{section}.{key}"), false))
    {
        let key = |key| format!("{section}.{key}");
        vars.set(&key("template"), "GOTRUE_MFA_PHONE_TEMPLATE", template);
        vars.set(
            &key("otp_length"),
            "GOTRUE_MFA_PHONE_OTP_LENGTH",
            length.to_string(),
        );
        vars.set(
            &key("max_frequency"),
            "GOTRUE_MFA_PHONE_MAX_FREQUENCY",
            frequency,
        );
    }
}

fn provider(vars: &mut Variables<'_>) {
    let reader = vars.reader;
    let mut chosen = None;
    for (name, keys) in PROVIDERS {
        let section = format!("auth.sms.{name}");
        let names: Vec<&str> = keys.iter().map(|(key, _)| *key).collect();
        reader.accept(&section, &names);
        if reader.bool(&format!("{section}.enabled"), false) && chosen.is_none() {
            chosen = Some((name, keys));
        }
    }
    let Some((name, keys)) = chosen else { return };
    let section = format!("auth.sms.{name}");
    vars.set(&section, "GOTRUE_SMS_PROVIDER", *name);
    for (key, variable) in *keys {
        let path = format!("{section}.{key}");
        if let Some(value) = reader.required(&section, &path) {
            vars.set(&path, *variable, value);
        }
    }
}
