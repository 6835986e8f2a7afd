//! Which passwords are good enough. Mirrors upstream's `internal/api/password.go`.

use crate::config::PasswordConfig;
use crate::error::Error;
use crate::refusal::Refusal;

/// bcrypt reads no more of a password, in bytes.
const LONGEST: usize = 72;

/// Checks a password against the policy.
pub(crate) fn check(policy: &PasswordConfig, password: &str) -> Result<(), Error> {
    if password.len() > LONGEST {
        return Err(Refusal::invalid("Password cannot be longer than 72 characters").into());
    }
    let mut reasons = Vec::new();
    let mut messages = Vec::new();
    if password.len() < policy.min_length {
        reasons.push("length");
        messages.push(format!(
            "Password should be at least {} characters.",
            policy.min_length
        ));
    }
    let sets = &policy.required_characters;
    if sets
        .iter()
        .any(|set| !set.is_empty() && !password.contains(|c| set.contains(c)))
    {
        reasons.push("characters");
        messages.push(format!(
            "Password should contain at least one character of each: {}.",
            sets.join(", ")
        ));
    }
    if reasons.is_empty() {
        return Ok(());
    }
    Err(Error::WeakPassword {
        message: messages.join(" "),
        reasons,
    })
}
