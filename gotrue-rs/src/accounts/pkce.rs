//! Proof key for code exchange. Mirrors upstream's `internal/api/pkce.go` and
//! `internal/security/pkce.go`.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use platform::keys;
use platform::pg::Executor;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::db::flow_states::{self, NewFlow};
use crate::error::Error;
use crate::otp::Flow;
use crate::refusal::Refusal;
use crate::sessions::AuthMethod;

/// A challenge as the client sent it; both parts are empty where it sent none.
#[derive(Debug, Clone, Default)]
pub(crate) struct Challenge {
    pub(crate) method: String,
    pub(crate) challenge: String,
}

impl Challenge {
    /// Checks that the challenge is complete and well-formed.
    pub(crate) fn validate(&self) -> Result<(), Refusal> {
        let refuse = |text: &'static str| Err(Refusal::invalid(text));
        if self.challenge.is_empty() != self.method.is_empty() {
            return refuse("PKCE flow requires code_challenge_method and code_challenge");
        }
        if self.challenge.is_empty() {
            return Ok(());
        }
        // Upstream: a server error, and only where there is an account.
        self.stored_method()?;
        if !(43..=128).contains(&self.challenge.len()) {
            return refuse("code challenge has to be between 43 and 128 characters");
        }
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._~-".contains(&byte);
        if !self.challenge.bytes().all(allowed) {
            return refuse(
                "code challenge can only contain alphanumeric characters, hyphens, periods, \
                 underscores and tildes",
            );
        }
        Ok(())
    }

    /// The flow the client asked for.
    pub(crate) fn flow(&self) -> Flow {
        Flow::of_challenge(&self.challenge)
    }

    /// Whether the client asked for PKCE.
    pub(crate) fn is_pkce(&self) -> bool {
        !self.challenge.is_empty()
    }

    /// The method as it is stored.
    pub(crate) fn stored_method(&self) -> Result<&'static str, Refusal> {
        match self.method.to_lowercase().as_str() {
            "s256" => Ok("s256"),
            "plain" => Ok("plain"),
            _ => Err(Refusal::invalid(
                "code_challenge_method must be s256 or plain",
            )),
        }
    }
}

/// Remembers the challenge of a PKCE flow until the mail comes back; without a challenge there
/// is nothing to remember.
pub(crate) async fn start(
    db: &impl Executor,
    user_id: Uuid,
    method: AuthMethod,
    challenge: &Challenge,
    now: Timestamp,
) -> Result<(), Error> {
    if !challenge.is_pkce() {
        return Ok(());
    }
    let flow = NewFlow {
        user_id,
        method: method.as_str(),
        code_challenge: &challenge.challenge,
        code_challenge_method: challenge.stored_method()?,
    };
    Ok(flow_states::insert(db, &flow, now).await?)
}

/// Checks a verifier against a stored challenge.
pub(crate) fn verify(challenge: &str, method: &str, verifier: &str) -> Result<(), Refusal> {
    let derived = match method {
        "s256" => URL_SAFE_NO_PAD.encode(Sha256::digest(verifier)),
        "plain" => verifier.to_owned(),
        _ => return Err(Refusal::Verifier("code challenge method not supported")),
    };
    if !keys::same(derived.as_bytes(), challenge.as_bytes()) {
        let text = "code challenge does not match previously saved code verifier";
        return Err(Refusal::Verifier(text));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Challenge, verify};

    #[test]
    fn the_example_of_rfc_7636_verifies() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
        assert!(verify(challenge, "s256", verifier).is_ok());
        assert!(verify(challenge, "s256", "something else").is_err());
        assert!(verify(verifier, "plain", verifier).is_ok());
    }

    #[test]
    fn challenges_are_checked() {
        let check = |method: &str, challenge: String| {
            Challenge {
                method: method.to_owned(),
                challenge,
            }
            .validate()
            .is_ok()
        };
        assert!(check("", String::new()));
        assert!(!check("s256", String::new()));
        assert!(!check("", "a".repeat(43)));
        assert!(!check("s256", "a".repeat(42)));
        assert!(!check("s256", "a".repeat(129)));
        assert!(!check("s256", format!("{}!", "a".repeat(43))));
        assert!(check("S256", "a".repeat(43)));
        assert!(check("plain", "a".repeat(43)));
        assert!(!check("whatever", "a".repeat(43)));
    }
}
