//! `PUT /admin/users/{user_id}`.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use jiff::Timestamp;
use platform::pg::Tx;

use super::params::{AdminUserBody, ban};
use super::{in_one_sentence, load, unknown};
use crate::accounts::change::record;
use crate::accounts::identity::verified_email;
use crate::accounts::{metadata, policy, validate};
use crate::audit::{Action, Entry};
use crate::call::Call;
use crate::caller::Admin;
use crate::db;
use crate::db::user_changes::{self, AdminChange, Ban};
use crate::db::users::User;
use crate::error::Error;
use crate::extract::Serving;
use crate::json::{self, Document};
use crate::routes::admin::new_account::{add_identity, identity_data};
use crate::state::State;

/// For admins: what is given is set at once, without mails or confirmations.
pub(super) async fn update_user(
    state: Serving,
    admin: Admin,
    call: Call,
    id: web::Path<String>,
) -> Result<HttpResponse, Error> {
    let known = load(&state, &id).await?;
    let mut body: AdminUserBody = call.json()?;
    if !body.email.is_empty() {
        body.email = validate::email(&body.email)?;
    }
    if !body.phone.is_empty() {
        body.phone = validate::phone(&body.phone)?;
    }
    let now = state.clock.now();
    let ban = ban(&body.ban_duration, now)?;
    let mut password_hash = None;
    if let Some(password) = &body.password {
        policy::check(&state.config.password, password)?;
        password_hash = Some(
            state
                .passwords
                .hash(&state.limits.origin(&call), password)
                .await?,
        );
    }
    let change = Change {
        state: &state,
        admin: &admin,
        body: &body,
        password_hash,
        ban,
        now,
    };
    let user = state
        .db
        .transaction("update_user", async |tx| {
            let user = db::users::hold(tx, known.id).await?;
            change.store(tx, user.ok_or_else(unknown)?).await
        })
        .await
        .map_err(|error| in_one_sentence(error, "Error updating user"))?;
    Ok(json::respond(StatusCode::OK, &user))
}

struct Change<'a> {
    state: &'a State,
    admin: &'a Admin,
    body: &'a AdminUserBody,
    password_hash: Option<String>,
    ban: Ban,
    now: Timestamp,
}

impl Change<'_> {
    async fn store(&self, tx: &Tx<'_>, mut user: User) -> Result<User, Error> {
        let now = self.now;
        let sets_first_password = self.password_hash.is_some() && !user.has_password();
        self.role_and_ban(tx, &mut user).await?;
        if self.body.email_confirm {
            db::users::confirm_email(tx, &mut user, now).await?;
        }
        if self.body.phone_confirm {
            db::users::confirm_phone(tx, &mut user, now).await?;
        }
        if let Some(hash) = &self.password_hash {
            db::users::set_password(tx, &mut user, Some(hash), None, now).await?;
        }
        if !self.body.email.is_empty() {
            self.put_identity(tx, &mut user, "email").await?;
            user.email.clone_from(&self.body.email);
            user_changes::set_email(tx, user.id, &user.email, now).await?;
        }
        if !self.body.phone.is_empty() {
            self.put_identity(tx, &mut user, "phone").await?;
            user.phone.clone_from(&self.body.phone);
            user_changes::set_phone(tx, user.id, &user.phone, now).await?;
        }
        if sets_first_password {
            self.ensure_email_identity(tx, &mut user).await?;
        }
        let changes = metadata::Changes {
            own: self.body.user_metadata.as_ref(),
            app: self.body.app_metadata.as_ref(),
        };
        metadata::merge(tx, &mut user, changes, now).await?;
        record(self.state, tx, &self.event(&user)).await?;
        Ok(user)
    }

    async fn role_and_ban(&self, tx: &Tx<'_>, user: &mut User) -> Result<(), Error> {
        let role = Some(self.body.role.trim()).filter(|_| !self.body.role.is_empty());
        let change = AdminChange {
            role,
            ban: self.ban,
        };
        if let Some(role) = role {
            role.clone_into(&mut user.role);
        }
        user.banned_until = self.ban.end(user.banned_until);
        if role.is_some() || self.ban != Ban::Unchanged {
            user_changes::apply(tx, user.id, &change, self.now).await?;
            user.updated_at = db::identities::micros(self.now);
        }
        Ok(())
    }

    /// Notes an address or number in the identity by which the user signs in with it.
    ///
    /// Upstream: the answer shows identities that existed as they were before.
    async fn put_identity(
        &self,
        tx: &Tx<'_>,
        user: &mut User,
        provider: &str,
    ) -> Result<(), Error> {
        let own = user.id.to_string();
        let (address, confirmed) = if provider == "email" {
            (self.body.email.as_str(), self.body.email_confirm)
        } else {
            (self.body.phone.as_str(), self.body.phone_confirm)
        };
        if let Some(identity) = db::identities::by_provider(tx, &own, provider).await? {
            let news = Document::default()
                .with(provider, address)
                .with(&format!("{provider}_verified"), confirmed);
            db::identities::merge_data(tx, identity.id, &news, self.now).await?;
        } else {
            let data = identity_data(user.id, provider, address, confirmed);
            let identity = add_identity(self.state, tx, user.id, provider, data).await?;
            user.identities.get_or_insert_default().push(identity);
        }
        if user.is_anonymous && confirmed {
            db::users::become_permanent(tx, user, self.now).await?;
        }
        Ok(())
    }

    /// Where a project wants it, a first password makes the confirmed address an identity.
    async fn ensure_email_identity(&self, tx: &Tx<'_>, user: &mut User) -> Result<(), Error> {
        let wanted = self.state.config.identity_on_password_set
            && !user.is_sso_user
            && !user.is_anonymous
            && !user.email.is_empty()
            && user.is_confirmed();
        let known = db::identities::of_user(tx, user.id).await?;
        if !wanted || known.iter().any(|identity| identity.provider == "email") {
            return Ok(());
        }
        let data = verified_email(user.id, &user.email);
        let identity = add_identity(self.state, tx, user.id, "email", data).await?;
        user.identities.get_or_insert_default().push(identity);
        db::users::refresh_providers(tx, user, self.now).await?;
        Ok(())
    }

    fn event(&self, user: &User) -> Entry {
        Entry::new(&self.admin.actor(), Action::UserModified)
            .trait_("user_id", user.id.to_string())
            .trait_("user_email", user.email.as_str())
            .trait_("user_phone", user.phone.as_str())
    }
}
