//! The kinds of mail, with the subjects and bodies used where a project brings none.

/// A kind of mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Invite,
    Confirmation,
    Recovery,
    EmailChange,
    MagicLink,
    Reauthentication,
    PasswordChanged,
    EmailChanged,
    PhoneChanged,
    IdentityLinked,
    IdentityUnlinked,
    FactorEnrolled,
    FactorUnenrolled,
}

/// Every kind; `kind as usize` is its place.
pub(crate) const KINDS: [Kind; 13] = [
    Kind::Invite,
    Kind::Confirmation,
    Kind::Recovery,
    Kind::EmailChange,
    Kind::MagicLink,
    Kind::Reauthentication,
    Kind::PasswordChanged,
    Kind::EmailChanged,
    Kind::PhoneChanged,
    Kind::IdentityLinked,
    Kind::IdentityUnlinked,
    Kind::FactorEnrolled,
    Kind::FactorUnenrolled,
];

impl Kind {
    /// How variables such as `GOTRUE_MAILER_SUBJECTS_<…>` spell the kind.
    pub(crate) fn variable(self) -> &'static str {
        match self {
            Self::Invite => "INVITE",
            Self::Confirmation => "CONFIRMATION",
            Self::Recovery => "RECOVERY",
            Self::EmailChange => "EMAIL_CHANGE",
            Self::MagicLink => "MAGIC_LINK",
            Self::Reauthentication => "REAUTHENTICATION",
            Self::PasswordChanged => "PASSWORD_CHANGED_NOTIFICATION",
            Self::EmailChanged => "EMAIL_CHANGED_NOTIFICATION",
            Self::PhoneChanged => "PHONE_CHANGED_NOTIFICATION",
            Self::IdentityLinked => "IDENTITY_LINKED_NOTIFICATION",
            Self::IdentityUnlinked => "IDENTITY_UNLINKED_NOTIFICATION",
            Self::FactorEnrolled => "MFA_FACTOR_ENROLLED_NOTIFICATION",
            Self::FactorUnenrolled => "MFA_FACTOR_UNENROLLED_NOTIFICATION",
        }
    }

    /// What replaces `$messageType` in configured headers.
    pub(crate) fn message_type(self) -> String {
        match self {
            // Upstream: the one name that is not the template's.
            Self::Reauthentication => "reauthenticate".to_owned(),
            other => other.variable().to_ascii_lowercase(),
        }
    }

    /// The variable that switches a security notice on; other kinds have none.
    pub(crate) fn switch(self) -> Option<&'static str> {
        match self {
            Self::Invite
            | Self::Confirmation
            | Self::Recovery
            | Self::EmailChange
            | Self::MagicLink
            | Self::Reauthentication => None,
            Self::PasswordChanged => Some("GOTRUE_MAILER_NOTIFICATIONS_PASSWORD_CHANGED_ENABLED"),
            Self::EmailChanged => Some("GOTRUE_MAILER_NOTIFICATIONS_EMAIL_CHANGED_ENABLED"),
            Self::PhoneChanged => Some("GOTRUE_MAILER_NOTIFICATIONS_PHONE_CHANGED_ENABLED"),
            Self::IdentityLinked => Some("GOTRUE_MAILER_NOTIFICATIONS_IDENTITY_LINKED_ENABLED"),
            Self::IdentityUnlinked => Some("GOTRUE_MAILER_NOTIFICATIONS_IDENTITY_UNLINKED_ENABLED"),
            Self::FactorEnrolled => Some("GOTRUE_MAILER_NOTIFICATIONS_MFA_FACTOR_ENROLLED_ENABLED"),
            Self::FactorUnenrolled => {
                Some("GOTRUE_MAILER_NOTIFICATIONS_MFA_FACTOR_UNENROLLED_ENABLED")
            }
        }
    }

    /// The subject template used without one of the project's own.
    pub(crate) fn subject(self) -> &'static str {
        match self {
            Self::Invite => "You've been invited",
            Self::Confirmation => "Confirm your email address",
            Self::Recovery => "Reset your password",
            Self::EmailChange => "Confirm your new email address",
            Self::MagicLink => "Your sign-in link",
            Self::Reauthentication => "{{ .Token }} is your verification code",
            Self::PasswordChanged => "Your password was changed",
            Self::EmailChanged => "Your email address was changed",
            Self::PhoneChanged => "Your phone number was changed",
            Self::IdentityLinked => "A new sign-in method was linked to your account",
            Self::IdentityUnlinked => "A sign-in method was removed from your account",
            Self::FactorEnrolled => "A new verification method was added to your account",
            Self::FactorUnenrolled => "A verification method was removed from your account",
        }
    }

    /// The body template used without one of the project's own.
    pub(crate) fn body(self) -> &'static str {
        match self {
            Self::Invite => INVITE,
            Self::Confirmation => CONFIRMATION,
            Self::Recovery => RECOVERY,
            Self::EmailChange => EMAIL_CHANGE,
            Self::MagicLink => MAGIC_LINK,
            Self::Reauthentication => REAUTHENTICATION,
            Self::PasswordChanged => PASSWORD_CHANGED,
            Self::EmailChanged => EMAIL_CHANGED,
            Self::PhoneChanged => PHONE_CHANGED,
            Self::IdentityLinked => IDENTITY_LINKED,
            Self::IdentityUnlinked => IDENTITY_UNLINKED,
            Self::FactorEnrolled => FACTOR_ENROLLED,
            Self::FactorUnenrolled => FACTOR_UNENROLLED,
        }
    }
}

const INVITE: &str = r#"<p>Hello,</p>
<p>an account at {{ .SiteURL }} is waiting for you. Open this link to accept the invitation:</p>
<p><a href="{{ .ConfirmationURL }}">Accept the invitation</a></p>
<p>Or enter this code: <strong>{{ .Token }}</strong></p>
<p>Not expecting this? Then there is nothing to do.</p>
"#;

const CONFIRMATION: &str = r#"<p>Welcome!</p>
<p>Please confirm that {{ .Email }} is yours to complete your account at {{ .SiteURL }}:</p>
<p><a href="{{ .ConfirmationURL }}">Confirm my address</a></p>
<p>Or enter this code: <strong>{{ .Token }}</strong></p>
<p>If you did not sign up, ignore this mail and no account will be opened.</p>
"#;

const RECOVERY: &str = r#"<p>Hello,</p>
<p>somebody asked for a new password for {{ .Email }} at {{ .SiteURL }}. If it was you:</p>
<p><a href="{{ .ConfirmationURL }}">Choose a new password</a></p>
<p>Or enter this code: <strong>{{ .Token }}</strong></p>
<p>If it was not you, ignore this mail. Your password stays as it is.</p>
"#;

const EMAIL_CHANGE: &str = r#"<p>Hello,</p>
<p>your account at {{ .SiteURL }} is about to move{{ if .Email }} from {{ .Email }}{{ end }} to {{ .NewEmail }}. Please confirm from {{ .SendingTo }}:</p>
<p><a href="{{ .ConfirmationURL }}">Confirm the change</a></p>
<p>Or enter this code: <strong>{{ .Token }}</strong></p>
<p>If you did not ask for this, do not confirm and nothing changes.</p>
"#;

const MAGIC_LINK: &str = r#"<p>Hello,</p>
<p>this link signs you in to {{ .SiteURL }}. It works once:</p>
<p><a href="{{ .ConfirmationURL }}">Sign in</a></p>
<p>Or enter this code: <strong>{{ .Token }}</strong></p>
<p>If you did not ask to sign in, ignore this mail.</p>
"#;

const REAUTHENTICATION: &str = r"<p>Hello,</p>
<p>enter this code at {{ .SiteURL }} to prove that it is you: <strong>{{ .Token }}</strong></p>
<p>Never pass it on. If you did not ask for it, change your password.</p>
";

const PASSWORD_CHANGED: &str = r"<p>Hello,</p>
<p>the password of {{ .Email }} at {{ .SiteURL }} has just been changed.</p>
<p>Was it not you? Reset your password at once.</p>
";

const EMAIL_CHANGED: &str = r"<p>Hello,</p>
<p>your account at {{ .SiteURL }} now belongs to {{ .Email }} instead of {{ .OldEmail }}.</p>
<p>Was it not you? Please get in touch with the people behind {{ .SiteURL }}.</p>
";

const PHONE_CHANGED: &str = r"<p>Hello,</p>
<p>the phone number of {{ .Email }} at {{ .SiteURL }} is now {{ .Phone }} instead of {{ .OldPhone }}.</p>
<p>Was it not you? Please get in touch with the people behind {{ .SiteURL }}.</p>
";

const IDENTITY_LINKED: &str = r"<p>Hello,</p>
<p>{{ .Email }} can now also sign in to {{ .SiteURL }} with {{ .Provider }}.</p>
<p>Was it not you? Remove it in your account and change your password.</p>
";

const IDENTITY_UNLINKED: &str = r"<p>Hello,</p>
<p>{{ .Provider }} no longer signs {{ .Email }} in to {{ .SiteURL }}.</p>
<p>Was it not you? Please change your password.</p>
";

const FACTOR_ENROLLED: &str = r"<p>Hello,</p>
<p>signing in to {{ .SiteURL }} as {{ .Email }} now asks for a second step: {{ .FactorType }}.</p>
<p>Was it not you? Please change your password.</p>
";

const FACTOR_UNENROLLED: &str = r"<p>Hello,</p>
<p>signing in to {{ .SiteURL }} as {{ .Email }} no longer asks for this second step: {{ .FactorType }}.</p>
<p>Was it not you? Please change your password.</p>
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::template::Template;

    #[test]
    fn built_in_templates_are_valid() {
        for kind in KINDS {
            Template::parse(kind.subject()).unwrap();
            Template::parse(kind.body()).unwrap();
        }
    }

    #[test]
    fn kinds_stand_at_their_place() {
        for (place, kind) in KINDS.into_iter().enumerate() {
            assert_eq!(kind as usize, place);
        }
    }
}
