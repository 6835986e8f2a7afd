//! How a user authenticated. Mirrors upstream's `internal/models/factor.go`.

/// An authentication method, as tokens list it under `amr`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AuthMethod {
    Oauth,
    Password,
    Otp,
    Totp,
    Recovery,
    Invite,
    SsoSaml,
    MagicLink,
    EmailSignup,
    EmailChange,
    MfaPhone,
    MfaWebauthn,
    Web3,
    Anonymous,
    OauthProvider,
    Passkey,
}

impl AuthMethod {
    /// The method's name in tokens and in the database.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Oauth => "oauth",
            Self::Password => "password",
            Self::Otp => "otp",
            Self::Totp => "totp",
            Self::Recovery => "recovery",
            Self::Invite => "invite",
            Self::SsoSaml => "sso/saml",
            Self::MagicLink => "magiclink",
            Self::EmailSignup => "email/signup",
            Self::EmailChange => "email_change",
            Self::MfaPhone => "mfa/phone",
            Self::MfaWebauthn => "mfa/webauthn",
            Self::Web3 => "web3",
            Self::Anonymous => "anonymous",
            Self::OauthProvider => "oauth_provider/authorization_code",
            Self::Passkey => "passkey",
        }
    }

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
        Some(match name {
            name if name.ends_with("signup") => Self::EmailSignup,
            "oauth" => Self::Oauth,
            "password" => Self::Password,
            "otp" => Self::Otp,
            "totp" => Self::Totp,
            "recovery" => Self::Recovery,
            "invite" => Self::Invite,
            "sso/saml" => Self::SsoSaml,
            "magiclink" => Self::MagicLink,
            "email_change" => Self::EmailChange,
            "mfa/phone" => Self::MfaPhone,
            "mfa/webauthn" => Self::MfaWebauthn,
            "web3" => Self::Web3,
            "oauth_provider/authorization_code" => Self::OauthProvider,
            "passkey" => Self::Passkey,
            _ => return None,
        })
    }
}
