//! The kinds of mail, with the subjects and bodies used where a project brings none.

macro_rules! kinds {
    ($($kind:ident = $variable:literal, $subject:literal, $body:literal;)+) => {
        /// A kind of mail.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Kind {
            $($kind,)+
        }

        /// Every kind; `kind as usize` is its place.
        pub(crate) const KINDS: [Kind; 13] = [$(Kind::$kind,)+];

        impl Kind {
            /// How variables such as `GOTRUE_MAILER_SUBJECTS_<…>` spell the kind.
            pub(crate) fn variable(self) -> &'static str {
                match self { $(Self::$kind => $variable,)+ }
            }

            /// The subject template used without one of the project's own.
            pub(crate) fn subject(self) -> &'static str {
                match self { $(Self::$kind => $subject,)+ }
            }

            /// The body template used without one of the project's own.
            pub(crate) fn body(self) -> &'static str {
                match self { $(Self::$kind => $body,)+ }
            }
        }
    };
}

impl Kind {
    /// What replaces `$messageType` in configured headers.
    pub(crate) fn message_type(self) -> String {
        match self {
            // Upstream: the one name that is not the template's.
            Self::Reauthentication => "reauthenticate".to_owned(),
            other => other.variable().to_ascii_lowercase(),
        }
    }

    /// The variable that switches a security notice on; other kinds have none.
    pub(crate) fn switch(self) -> Option<String> {
        let notice = self.variable().strip_suffix("_NOTIFICATION")?;
        Some(format!("GOTRUE_MAILER_NOTIFICATIONS_{notice}_ENABLED"))
    }
}

kinds! {
    Invite = "INVITE", "You've been invited",
r#"<p>Hello,</p>
<p>an account at {{ .SiteURL }} is waiting for you. Open this link to accept the invitation:</p>
<p><a href="{{ .ConfirmationURL }}">Accept the invitation</a></p>
<p>Or enter this code: <strong>{{ .Token }}</strong></p>
<p>Not expecting this? Then there is nothing to do.</p>
"#;

    Confirmation = "CONFIRMATION", "Confirm your email address",
r#"<p>Welcome!</p>
<p>Please confirm that {{ .Email }} is yours to complete your account at {{ .SiteURL }}:</p>
<p><a href="{{ .ConfirmationURL }}">Confirm my address</a></p>
<p>Or enter this code: <strong>{{ .Token }}</strong></p>
<p>If you did not sign up, ignore this mail and no account will be opened.</p>
"#;

    Recovery = "RECOVERY", "Reset your password",
r#"<p>Hello,</p>
<p>somebody asked for a new password for {{ .Email }} at {{ .SiteURL }}. If it was you:</p>
<p><a href="{{ .ConfirmationURL }}">Choose a new password</a></p>
<p>Or enter this code: <strong>{{ .Token }}</strong></p>
<p>If it was not you, ignore this mail. Your password stays as it is.</p>
"#;

    EmailChange = "EMAIL_CHANGE", "Confirm your new email address",
r#"<p>Hello,</p>
<p>your account at {{ .SiteURL }} is about to move{{ if .Email }} from {{ .Email }}{{ end }} to {{ .NewEmail }}. Please confirm from {{ .SendingTo }}:</p>
<p><a href="{{ .ConfirmationURL }}">Confirm the change</a></p>
<p>Or enter this code: <strong>{{ .Token }}</strong></p>
<p>If you did not ask for this, do not confirm and nothing changes.</p>
"#;

    MagicLink = "MAGIC_LINK", "Your sign-in link",
r#"<p>Hello,</p>
<p>this link signs you in to {{ .SiteURL }}. It works once:</p>
<p><a href="{{ .ConfirmationURL }}">Sign in</a></p>
<p>Or enter this code: <strong>{{ .Token }}</strong></p>
<p>If you did not ask to sign in, ignore this mail.</p>
"#;

    Reauthentication = "REAUTHENTICATION", "{{ .Token }} is your verification code",
r"<p>Hello,</p>
<p>enter this code at {{ .SiteURL }} to prove that it is you: <strong>{{ .Token }}</strong></p>
<p>Never pass it on. If you did not ask for it, change your password.</p>
";

    PasswordChanged = "PASSWORD_CHANGED_NOTIFICATION", "Your password was changed",
r"<p>Hello,</p>
<p>the password of {{ .Email }} at {{ .SiteURL }} has just been changed.</p>
<p>Was it not you? Reset your password at once.</p>
";

    EmailChanged = "EMAIL_CHANGED_NOTIFICATION", "Your email address was changed",
r"<p>Hello,</p>
<p>your account at {{ .SiteURL }} now belongs to {{ .Email }} instead of {{ .OldEmail }}.</p>
<p>Was it not you? Please get in touch with the people behind {{ .SiteURL }}.</p>
";

    PhoneChanged = "PHONE_CHANGED_NOTIFICATION", "Your phone number was changed",
r"<p>Hello,</p>
<p>the phone number of {{ .Email }} at {{ .SiteURL }} is now {{ .Phone }} instead of {{ .OldPhone }}.</p>
<p>Was it not you? Please get in touch with the people behind {{ .SiteURL }}.</p>
";

    IdentityLinked = "IDENTITY_LINKED_NOTIFICATION", "A new sign-in method was linked to your account",
r"<p>Hello,</p>
<p>{{ .Email }} can now also sign in to {{ .SiteURL }} with {{ .Provider }}.</p>
<p>Was it not you? Remove it in your account and change your password.</p>
";

    IdentityUnlinked = "IDENTITY_UNLINKED_NOTIFICATION", "A sign-in method was removed from your account",
r"<p>Hello,</p>
<p>{{ .Provider }} no longer signs {{ .Email }} in to {{ .SiteURL }}.</p>
<p>Was it not you? Please change your password.</p>
";

    FactorEnrolled = "MFA_FACTOR_ENROLLED_NOTIFICATION", "A new verification method was added to your account",
r"<p>Hello,</p>
<p>signing in to {{ .SiteURL }} as {{ .Email }} now asks for a second step: {{ .FactorType }}.</p>
<p>Was it not you? Please change your password.</p>
";

    FactorUnenrolled = "MFA_FACTOR_UNENROLLED_NOTIFICATION", "A verification method was removed from your account",
r"<p>Hello,</p>
<p>signing in to {{ .SiteURL }} as {{ .Email }} no longer asks for this second step: {{ .FactorType }}.</p>
<p>Was it not you? Please change your password.</p>
";
}

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
}
