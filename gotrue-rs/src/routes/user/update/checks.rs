//! What keeps an account from being changed.

use super::UpdateBody;
use crate::call::Call;
use crate::caller::{Caller, is_recent};
use crate::db;
use crate::db::one_time_tokens::TokenType;
use crate::error::{Error, ErrorCode};
use crate::otp;
use crate::state::State;

/// A change about to be made.
pub(super) struct Update<'a> {
    pub(super) state: &'a State,
    pub(super) call: &'a Call,
    pub(super) caller: &'a Caller,
    pub(super) body: &'a UpdateBody,
}

impl Update<'_> {
    /// Everything but the password.
    pub(super) async fn check(&self) -> Result<(), Error> {
        self.check_rights()?;
        self.check_duplicates().await
    }

    fn check_rights(&self) -> Result<(), Error> {
        let (user, body) = (&self.caller.user, self.body);
        let jwt = &self.state.config.jwt;
        let is_admin = user.aud == jwt.aud && user.role == jwt.admin_group_name;
        if body.app_metadata.is_some() && !is_admin {
            return Err(Error::forbidden(
                ErrorCode::NotAdmin,
                "Updating app_metadata requires admin privileges",
            ));
        }
        let sets_password = body.new_password().is_some();
        let changes_identifier = body.changes_email(user) || body.changes_phone(user);
        let is_aal2 = self
            .caller
            .session
            .as_ref()
            .is_some_and(db::sessions::Session::is_aal2);
        if user.has_mfa() && !is_aal2 && (sets_password || changes_identifier) {
            return Err(Error::unauthorized(
                ErrorCode::InsufficientAal,
                "AAL2 session is required to update email or password when MFA is enabled.",
            ));
        }
        if user.is_anonymous && sets_password && body.email.is_empty() && body.phone.is_empty() {
            return Err(Error::unprocessable(
                ErrorCode::ValidationFailed,
                "Updating password of an anonymous user without an email or phone is not allowed",
            ));
        }
        if user.is_sso_user && (sets_password || changes_identifier || !body.nonce.is_empty()) {
            return Err(Error::unprocessable(
                ErrorCode::UserSsoManaged,
                "Updating email, phone, password of a SSO account only possible via SSO",
            ));
        }
        Ok(())
    }

    async fn check_duplicates(&self) -> Result<(), Error> {
        let (user, body) = (&self.caller.user, self.body);
        let config = &self.state.config;
        let aud = self.call.audience(config, Some(self.caller.claims()));
        if body.changes_email(user) {
            let client = self.state.client().await?;
            let own = &config.own_domain_providers;
            let other =
                db::users::duplicate_of_email(&client, &body.email, &aud, Some(user.id), own)
                    .await
                    .map_err(Error::saying("Database error checking email"))?;
            if other.is_some() {
                return Err(Error::unprocessable(
                    ErrorCode::EmailExists,
                    "A user with this email address has already been registered",
                ));
            }
        }
        if body.changes_phone(user) {
            let client = self.state.client().await?;
            let other = db::users::by_phone(&client, &body.phone, &aud)
                .await
                .map_err(Error::saying("Database error checking phone"))?;
            if other.is_some() {
                return Err(Error::unprocessable(
                    ErrorCode::PhoneExists,
                    "A user with this phone number has already been registered",
                ));
            }
        }
        Ok(())
    }

    /// Checks that the password may be set, and hashes it: `None` removes the password.
    pub(super) async fn check_password(&self) -> Result<Option<String>, Error> {
        if self.body.password.is_none() {
            return Ok(None);
        }
        self.check_reauthentication().await?;
        let Some(password) = self.body.new_password() else {
            return Ok(None);
        };
        let user = &self.caller.user;
        if let Some(hash) = user
            .encrypted_password
            .as_deref()
            .filter(|hash| !hash.is_empty())
        {
            self.check_current_password(hash).await?;
            if self.matches(password, hash).await? {
                return Err(Error::unprocessable(
                    ErrorCode::SamePassword,
                    "New password should be different from the old password.",
                ));
            }
        }
        let origin = self.state.limits.origin(self.call);
        let hash = self.state.passwords.hash(&origin, password).await?;
        Ok(Some(hash))
    }

    /// A session that is not fresh has to prove that its user is still there.
    async fn check_reauthentication(&self) -> Result<(), Error> {
        let now = self.state.clock.now();
        let session = self.caller.session.as_ref();
        if !self.state.config.security.require_reauthentication
            || session.is_some_and(|session| is_recent(session, now))
        {
            return Ok(());
        }
        let nonce = self.body.nonce.as_str();
        if nonce.is_empty() {
            return Err(Error::bad_request(
                ErrorCode::ReauthenticationNeeded,
                "Password update requires reauthentication",
            ));
        }
        let user = &self.caller.user;
        let config = &self.state.config;
        let invalid =
            |text: &'static str| Error::unprocessable(ErrorCode::ReauthenticationNotValid, text);
        let expired = || invalid("Nonce has expired or is invalid");
        let sent_at = user.reauthentication_sent_at.ok_or_else(expired)?;
        if user.reauthentication_token.is_empty() {
            return Err(expired());
        }
        let sms_life = jiff::SignedDuration::try_from(config.sms.otp_exp).unwrap_or_default();
        let (address, life) = match (user.email.as_str(), user.phone.as_str()) {
            ("", "") => {
                return Err(invalid(
                    "Reauthentication requires an email or a phone number",
                ));
            }
            ("", phone) => (phone, sms_life),
            (email, _) => (email, config.mail.otp_lifetime),
        };
        let client = self.state.client().await?;
        let kinds = [TokenType::Reauthentication];
        let open = db::code_tries::count(&client, address, &kinds, otp::MOST_TRIES, now).await?;
        let stored = &user.reauthentication_token;
        let matches = *stored == self.state.codes.hash(address, nonce)
            && open.contains(&db::code_tries::of_token(stored));
        if !matches || otp::is_expired(sent_at, life, now) {
            return Err(expired());
        }
        db::users::confirm_reauthentication(&client, &mut user.clone(), now)
            .await
            .map_err(Error::saying("Error during reauthentication"))
    }

    async fn matches(&self, password: &str, hash: &str) -> Result<bool, Error> {
        let origin = self.state.limits.origin(self.call);
        let passwords = &self.state.passwords;
        let user_id = self.caller.user.id;
        passwords.verify(&origin, password, hash, user_id).await
    }

    /// Outside of a recovery, setting a password may take knowing the old one.
    async fn check_current_password(&self, hash: &str) -> Result<(), Error> {
        let session = self.caller.session.as_ref();
        if !self.state.config.security.require_current_password
            || session.is_some_and(db::sessions::Session::is_recovery)
        {
            return Ok(());
        }
        let text = "Current password required when setting new password.";
        let current = self.body.current_password.as_deref().unwrap_or_default();
        if current.is_empty() {
            return Err(Error::bad_request(ErrorCode::CurrentPasswordRequired, text));
        }
        if !self.matches(current, hash).await? {
            return Err(Error::bad_request(ErrorCode::CurrentPasswordInvalid, text));
        }
        Ok(())
    }
}
