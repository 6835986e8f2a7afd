//! `POST /admin/users`.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use jiff::Timestamp;
use platform::pg::Tx;
use uuid::Uuid;

use super::in_one_sentence;
use super::params::{AdminUserBody, ban};
use crate::accounts::change::record;
use crate::accounts::{metadata, password, validate};
use crate::audit::{Action, Entry};
use crate::call::Call;
use crate::caller::Admin;
use crate::db;
use crate::db::identities::micros;
use crate::db::user_changes::{self, AdminChange, Ban};
use crate::db::users::User;
use crate::error::{EMAIL_EXISTS, Error, ErrorCode};
use crate::extract::Serving;
use crate::json::{self, Document};
use crate::routes::admin::new_account::{add_identity, identity_data};
use crate::state::State;

/// What bcrypt reads of a password, in bytes.
const LONGEST_PASSWORD: usize = 72;

fn invalid(text: &'static str) -> Error {
    Error::invalid(text)
}

/// For admins: no mail is sent and the password policy does not apply.
pub(super) async fn create_user(
    state: Serving,
    admin: Admin,
    call: Call,
) -> Result<HttpResponse, Error> {
    let mut body: AdminUserBody = call.json()?;
    let aud = match body.aud.as_str() {
        "" => call.audience(&state.config, Some(admin.claims())),
        aud => aud.to_owned(),
    };
    metadata::check_new(body.user_metadata.as_ref())?;
    let providers = check_addresses(&state, &mut body, &aud).await?;
    let password_hash = password_hash(&state, &call, &body).await?;
    let id = id(&body.id)?;
    let now = state.clock.now();
    let ban = ban(&body.ban_duration, now)?;
    let user = User {
        id,
        aud,
        email: body.email.clone(),
        phone: body.phone.clone(),
        encrypted_password: Some(password_hash),
        app_metadata: Document::default()
            .with("provider", providers[0])
            .with("providers", providers.clone()),
        user_metadata: body.user_metadata.clone().unwrap_or_default(),
        identities: Some(Vec::new()),
        created_at: micros(now),
        updated_at: micros(now),
        ..User::default()
    };
    let new = New {
        state: &state,
        admin: &admin,
        body: &body,
        ban,
        now,
    };
    let user = state
        .db
        .transaction("create_user", async |tx| new.store(tx, user.clone()).await)
        .await
        .map_err(|error| in_one_sentence(error, "Database error creating new user"))
        .map_err(Error::or_taken)?;
    Ok(json::respond(StatusCode::OK, &user))
}

/// The providers of the user, once its address and number are known to be free.
async fn check_addresses(
    state: &State,
    body: &mut AdminUserBody,
    aud: &str,
) -> Result<Vec<&'static str>, Error> {
    if body.email.is_empty() && body.phone.is_empty() {
        return Err(invalid(
            "Cannot create a user without either an email or phone",
        ));
    }
    let mut providers = Vec::new();
    let client = state.client().await?;
    if !body.email.is_empty() {
        body.email = validate::email(&body.email)?;
        let own = &state.config.own_domain_providers;
        let taken = db::users::duplicate_of_email(&client, &body.email, aud, None, own)
            .await
            .map_err(Error::saying("Database error checking email"))?;
        if taken.is_some() {
            return Err(Error::unprocessable(ErrorCode::EmailExists, EMAIL_EXISTS));
        }
        providers.push("email");
    }
    if !body.phone.is_empty() {
        body.phone = validate::phone(&body.phone)?;
        let taken = db::users::by_phone(&client, &body.phone, aud)
            .await
            .map_err(Error::saying("Database error checking phone"))?;
        if taken.is_some() {
            return Err(Error::unprocessable(
                ErrorCode::PhoneExists,
                "Phone number already registered by another user",
            ));
        }
        providers.push("phone");
    }
    Ok(providers)
}

async fn password_hash(state: &State, call: &Call, body: &AdminUserBody) -> Result<String, Error> {
    if body.password.is_some() && !body.password_hash.is_empty() {
        return Err(invalid(
            "Only a password or a password hash should be provided",
        ));
    }
    if !body.password_hash.is_empty() {
        if password::is_usable(&body.password_hash) {
            return Ok(body.password_hash.clone());
        }
        return Err(Error::internal("Error creating user")
            .with_source("the password hash cannot be checked"));
    }
    match body.password.as_deref().unwrap_or_default() {
        // Upstream: hashes a random password.
        "" => Ok(String::new()),
        password if password.len() > LONGEST_PASSWORD => {
            // Upstream: panics, and its recoverer answers so.
            Err(Error::status(
                StatusCode::INTERNAL_SERVER_ERROR,
                None,
                "Internal Server Error",
            ))
        }
        password => {
            let origin = state.limits.origin(call);
            state.passwords.hash(&origin, password).await
        }
    }
}

fn id(text: &str) -> Result<Uuid, Error> {
    if text.is_empty() {
        return Ok(Uuid::new_v4());
    }
    let id = Uuid::parse_str(text).map_err(|_| invalid("ID must conform to the uuid v4 format"))?;
    if id.is_nil() {
        return Err(invalid("ID cannot be a nil uuid"));
    }
    Ok(id)
}

struct New<'a> {
    state: &'a State,
    admin: &'a Admin,
    body: &'a AdminUserBody,
    ban: Ban,
    now: Timestamp,
}

impl New<'_> {
    async fn store(&self, tx: &Tx<'_>, mut user: User) -> Result<User, Error> {
        let role = match self.body.role.as_str() {
            "" => &self.state.config.jwt.default_group_name,
            role => role,
        };
        user.role = role.trim().to_owned();
        user.banned_until = self.ban.end(None);
        db::users::insert(tx, &user, self.now).await?;
        for (provider, address) in [("email", &self.body.email), ("phone", &self.body.phone)] {
            if !address.is_empty() {
                let data = identity_data(user.id, provider, address, false);
                let identity = add_identity(self.state, tx, user.id, provider, data).await?;
                user.identities.get_or_insert_default().push(identity);
            }
        }
        record(self.state, tx, &self.event(&user)).await?;
        let changes = metadata::Changes {
            app: self.body.app_metadata.as_ref(),
            own: None,
        };
        metadata::merge(tx, &mut user, changes, self.now).await?;
        if !self.body.email_confirm && !self.body.phone_confirm {
            db::admin_accounts::insert(tx, user.id).await?;
        }
        if self.body.email_confirm {
            db::users::confirm_email(tx, &mut user, self.now).await?;
        }
        if self.body.phone_confirm {
            db::users::confirm_phone(tx, &mut user, self.now).await?;
        }
        if self.ban != Ban::Unchanged {
            let change = AdminChange {
                ban: self.ban,
                ..AdminChange::default()
            };
            user_changes::apply(tx, user.id, &change, self.now).await?;
        }
        Ok(user)
    }

    fn event(&self, user: &User) -> Entry {
        let provider = user
            .app_metadata
            .text("provider")
            .unwrap_or_default()
            .to_owned();
        Entry::new(&self.admin.actor(), Action::UserSignedUp)
            .trait_("user_id", user.id.to_string())
            .trait_("user_email", user.email.as_str())
            .trait_("user_phone", user.phone.as_str())
            .trait_("provider", provider)
    }
}
