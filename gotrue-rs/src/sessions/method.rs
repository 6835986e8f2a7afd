//! How a user authenticated. Mirrors upstream's `internal/models/factor.go`.

use crate::named::{Named as _, named};

named! {
    /// An authentication method, as tokens and the database list it under `amr`.
    pub(crate) enum AuthMethod {
        Oauth = "oauth",
        Password = "password",
        Otp = "otp",
        Totp = "totp",
        Recovery = "recovery",
        Invite = "invite",
        SsoSaml = "sso/saml",
        MagicLink = "magiclink",
        EmailSignup = "email/signup",
        EmailChange = "email_change",
        MfaPhone = "mfa/phone",
        MfaWebauthn = "mfa/webauthn",
        Web3 = "web3",
        Anonymous = "anonymous",
        OauthProvider = "oauth_provider/authorization_code",
        Passkey = "passkey",
    }
}

impl AuthMethod {
    /// The method by which a factor of this type is used.
    pub(crate) fn of_factor(factor_type: &str) -> Self {
        match factor_type {
            "phone" => Self::MfaPhone,
            "webauthn" => Self::MfaWebauthn,
            _ => Self::Totp,
        }
    }

    /// Reads a stored method; whatever ends in "signup" is a sign-up by mail.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        if name.ends_with("signup") {
            return Some(Self::EmailSignup);
        }
        Self::named(name).filter(|method| *method != Self::Anonymous)
    }
}
