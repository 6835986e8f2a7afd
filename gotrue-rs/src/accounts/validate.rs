//! What may be an address, a phone number or a message channel.
//!
//! Mirrors upstream's `internal/api/mail.go`, `phone.go` and `sms_provider`.

use platform::mail::is_of_a_name;

use crate::config::SmsConfig;
use crate::refusal::Refusal;

const LONGEST_EMAIL: usize = 255;

/// Longest name in front of the `@`: no mail server has to take more.
// Upstream: knows no bound here.
const LONGEST_LOCAL: usize = 64;

/// The address in lower case.
pub(crate) fn email(address: &str) -> Result<String, Refusal> {
    if address.is_empty() {
        return Err(Refusal::invalid("An email address is required"));
    }
    if address.len() > LONGEST_EMAIL {
        return Err(Refusal::invalid("An email address is too long"));
    }
    let parts = address.split_once('@');
    let valid = parts.is_some_and(|(local, host)| {
        (1..=LONGEST_LOCAL).contains(&local.len())
            && local.bytes().all(is_of_a_name)
            && host.split('.').all(is_label)
    });
    if !valid {
        return Err(Refusal::invalid(
            "Unable to validate email address: invalid format",
        ));
    }
    Ok(address.to_lowercase())
}

fn is_label(label: &str) -> bool {
    (1..=63).contains(&label.len())
        && label
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// The number without a leading plus and without blanks.
pub(crate) fn format_phone(number: &str) -> String {
    number.strip_prefix('+').unwrap_or(number).replace(' ', "")
}

/// The number as it is stored.
pub(crate) fn phone(number: &str) -> Result<String, Refusal> {
    let number = format_phone(number);
    let digits = number.as_bytes();
    let valid = (2..=15).contains(&digits.len())
        && digits[0] != b'0'
        && digits.iter().all(u8::is_ascii_digit);
    if valid {
        Ok(number)
    } else {
        Err(Refusal::invalid(
            "Invalid phone number format (E.164 required)",
        ))
    }
}

/// Checks by what way a message may go to a phone.
pub(crate) fn channel(sms: &SmsConfig, channel: &str) -> Result<(), Refusal> {
    let valid = match channel {
        "sms" => true,
        "whatsapp" => matches!(sms.provider.as_str(), "twilio" | "twilio_verify"),
        _ => false,
    };
    if valid {
        return Ok(());
    }
    Err(Refusal::invalid(
        "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported \
         if Twilio or Twilio Verify is used as the provider.",
    ))
}

#[cfg(test)]
mod tests {
    use platform_test::properties::{made_of, properties};
    use proptest::prelude::*;

    use super::{LONGEST_EMAIL, email, phone};

    #[test]
    fn addresses_are_checked_and_lowered() {
        assert_eq!(email("A.b+c@Example.COM").unwrap(), "a.b+c@example.com");
        assert!(email("a@b").is_ok());
        for bad in [
            "a", "@b", "a@", "a b@c", "a@-b", "a@b-", "a@b..c", "a@b\0", "a@b@c", "ü@b",
        ] {
            assert!(email(bad).is_err(), "{bad}");
        }
        assert!(email(&format!("a@{}", "b".repeat(64))).is_err());
        assert!(email(&format!("{}@b", "a".repeat(65))).is_err());
        let longest = format!("{}@b{}", "a".repeat(64), ".cd".repeat(63));
        assert_eq!(longest.len(), LONGEST_EMAIL);
        assert!(email(&longest).is_ok());
        assert!(email(&format!("{longest}e")).is_err());
    }

    #[test]
    fn numbers_lose_plus_and_blanks() {
        assert_eq!(phone("+1 234 567").unwrap(), "1234567");
        for bad in ["", "+", "0123", "12345678901234567", "12a4", "++123", "1"] {
            assert!(phone(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #![proptest_config(properties())]

        #[test]
        fn an_address_that_is_taken_is_one_and_stays_what_it_is(
            text in made_of(&["a", "@", ".", "-", "example.com", "+", "'", " ", "\0", "Ä"]),
        ) {
            if let Ok(address) = email(&text) {
                prop_assert_eq!(address.matches('@').count(), 1);
                prop_assert!(address.bytes().all(|byte| byte.is_ascii_graphic()));
                prop_assert_eq!(&email(&address).unwrap(), &address);
                let mail = platform::mail::Mail {
                    from_name: String::new(),
                    from: "from@example.com".to_owned(),
                    to: address,
                    subject: String::new(),
                    html: String::new(),
                    headers: Vec::new(),
                };
                let message = mail.to_message();
                prop_assert!(message.is_ok(), "{}", mail.to);
                let sent = String::from_utf8(message.unwrap().formatted()).unwrap();
                prop_assert!(sent.contains(&format!("To: {}\r\n", mail.to)), "{sent}");
            }
        }

        #[test]
        fn a_number_that_is_taken_is_one_and_stays_what_it_is(text in "[+ ]{0,2}[0-9 x]{0,18}") {
            if let Ok(number) = phone(&text) {
                prop_assert!(number.bytes().all(|byte| byte.is_ascii_digit()));
                prop_assert!(number.len() <= 15 && !number.starts_with('0'));
                prop_assert_eq!(phone(&number).unwrap(), number);
            }
        }
    }
}
