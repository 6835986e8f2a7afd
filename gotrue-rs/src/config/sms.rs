//! Sign-in by phone.

use std::time::Duration;

use platform::env::Reader;

/// Phone settings.
#[derive(Debug)]
pub(crate) struct SmsConfig {
    /// `GOTRUE_SMS_PROVIDER` (default none): who sends text messages; only shown in `/settings` so far.
    pub(crate) provider: String,
    /// `GOTRUE_SMS_AUTOCONFIRM` (default false): numbers count as confirmed.
    pub(crate) autoconfirm: bool,
    /// `GOTRUE_SMS_OTP_EXP` (default 60), seconds.
    pub(crate) otp_exp: Duration,
    /// `GOTRUE_SMS_MAX_FREQUENCY` (default 1m).
    pub(crate) max_frequency: Duration,
    /// `GOTRUE_SMS_TEST_OTP`: numbers that always get this code and no message.
    pub(crate) test_otp: Vec<(String, String)>,
    /// `GOTRUE_SMS_TEST_OTP_VALID_UNTIL` (default: no end): until when test codes count, RFC 3339.
    pub(crate) test_otp_valid_until: Option<jiff::Timestamp>,
}

impl SmsConfig {
    pub(super) fn from_env(env: &Reader<'_>) -> Self {
        let minute = Duration::from_mins(1);
        let phone = "GOTRUE_EXTERNAL_PHONE_ENABLED";
        if env.bool(phone, false) {
            let message = "lets numbers with a test code in, and no others: sending text messages is not \
                           part of this build yet";
            env.remark(phone, message);
        }
        let or = |value: Duration, default: Duration| if value.is_zero() { default } else { value };
        Self {
            provider: env.string_or("GOTRUE_SMS_PROVIDER", ""),
            autoconfirm: env.bool("GOTRUE_SMS_AUTOCONFIRM", false),
            otp_exp: or(env.seconds("GOTRUE_SMS_OTP_EXP", 60), minute),
            max_frequency: or(env.duration("GOTRUE_SMS_MAX_FREQUENCY", minute), minute),
            test_otp: env
                .map("GOTRUE_SMS_TEST_OTP")
                .into_iter()
                .map(|(phone, code)| (phone.trim_start_matches('+').replace(' ', ""), code))
                .collect(),
            test_otp_valid_until: test_otp_end(env),
        }
    }

    /// The fixed code of a test number.
    pub(crate) fn test_code(&self, phone: &str, now: jiff::Timestamp) -> Option<&str> {
        if self.test_otp_valid_until.is_some_and(|until| now >= until) {
            return None;
        }
        let code = self.test_otp.iter().find(|(number, _)| number == phone);
        code.map(|(_, code)| code.as_str())
    }
}

fn test_otp_end(env: &Reader<'_>) -> Option<jiff::Timestamp> {
    let name = "GOTRUE_SMS_TEST_OTP_VALID_UNTIL";
    let text = env.string(name)?;
    let parsed = text.parse().ok();
    if parsed.is_none() {
        env.problem(name, "must be a time such as 2030-01-01T00:00:00Z");
    }
    parsed
}
