//! What happened to whom, for the audit log.
//!
//! Mirrors upstream's `internal/models/audit_log_entry.go`: one JSON payload per event, in the
//! table and as a log line.

use serde_json::Value;
use uuid::Uuid;

use crate::db::users::User;
use crate::json::Document;

macro_rules! actions {
    ($($name:ident = $wire:literal in $group:literal,)+) => {
        /// An event worth remembering.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Action {
            $($name,)+
        }

        impl Action {
            fn as_str(self) -> &'static str {
                match self { $(Self::$name => $wire,)+ }
            }

            fn log_type(self) -> &'static str {
                match self { $(Self::$name => $group,)+ }
            }
        }
    };
}

actions! {
    Login = "login" in "account",
    Logout = "logout" in "account",
    UserSignedUp = "user_signedup" in "team",
    UserInvited = "user_invited" in "team",
    UserDeleted = "user_deleted" in "team",
    TokenRevoked = "token_revoked" in "token",
    TokenRefreshed = "token_refreshed" in "token",
    UserModified = "user_modified" in "user",
    UserRecoveryRequested = "user_recovery_requested" in "user",
    UserReauthenticateRequested = "user_reauthenticate_requested" in "user",
    UserConfirmationRequested = "user_confirmation_requested" in "user",
    UserRepeatedSignup = "user_repeated_signup" in "user",
    UserUpdatedPassword = "user_updated_password" in "user",
    IdentityUnlinked = "identity_unlinked" in "user",
    FactorInProgress = "factor_in_progress" in "factor",
    FactorUnenrolled = "factor_unenrolled" in "factor",
    ChallengeCreated = "challenge_created" in "factor",
    VerificationAttempted = "verification_attempted" in "factor",
    FactorDeleted = "factor_deleted" in "factor",
    FactorUpdated = "factor_updated" in "factor",
}

/// One event.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) id: Uuid,
    pub(crate) payload: Document,
    /// Filled for factor, identity and passkey events only.
    pub(crate) ip_address: String,
}

impl Entry {
    /// `actor` did `action`.
    pub(crate) fn new(actor: &User, action: Action) -> Self {
        let username = if actor.phone.is_empty() {
            &actor.email
        } else {
            &actor.phone
        };
        let mut payload = Document::default()
            .with("actor_id", actor.id.to_string())
            .with("actor_via_sso", actor.is_sso_user)
            .with("actor_username", username.as_str())
            .with("action", action.as_str())
            .with("log_type", action.log_type());
        if let Some(name) = actor.user_metadata.get("full_name") {
            payload.insert("actor_name".to_owned(), name.clone());
        }
        Self {
            id: Uuid::new_v4(),
            payload,
            ip_address: String::new(),
        }
    }

    /// Adds a detail of the event.
    #[must_use]
    pub(crate) fn trait_(mut self, name: &str, value: impl Into<Value>) -> Self {
        let traits = self
            .payload
            .entry("traits")
            .or_insert_with(|| Value::Object(<_>::default()));
        if let Value::Object(traits) = traits {
            traits.insert(name.to_owned(), value.into());
        }
        self
    }

    /// Notes where the request came from.
    #[must_use]
    pub(crate) fn seen_from(mut self, ip: Option<&str>) -> Self {
        ip.unwrap_or_default().clone_into(&mut self.ip_address);
        self
    }

    /// Writes the event to the log; names and addresses stay in the table.
    pub(crate) fn log(&self) {
        tracing::info!(
            audit.id = %self.id,
            audit.action = self.payload.text("action"),
            audit.log_type = self.payload.text("log_type"),
            user.id = self.payload.text("actor_id"),
            "audit_event"
        );
    }
}
