//! `auth.users`. Mirrors upstream's `internal/models/user.go`.

mod write;

use jiff::Timestamp;
use platform::pg::{DbError, Executor, FromRow, Json, Row, Tx, column};
use serde::Serialize;
use uuid::Uuid;

use super::factors::Factor;
use super::identities::Identity;
use crate::json::Document;

pub(crate) use write::*;

/// A user, in the order and spelling clients receive.
///
/// Upstream leaves texts that are null in the database empty.
#[derive(Debug, Clone, Default, Serialize)]
#[expect(clippy::struct_field_names, reason = "the names of the wire format")]
pub(crate) struct User {
    pub(crate) id: Uuid,
    pub(crate) aud: String,
    pub(crate) role: String,
    pub(crate) email: String,
    #[serde(skip)]
    pub(crate) is_sso_user: bool,
    #[serde(skip)]
    pub(crate) encrypted_password: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) email_confirmed_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) invited_at: Option<Timestamp>,
    pub(crate) phone: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) phone_confirmed_at: Option<Timestamp>,
    #[serde(skip)]
    pub(crate) confirmation_token: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) confirmation_sent_at: Option<Timestamp>,
    /// Generated: the earlier of the two confirmations, as of the last read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) confirmed_at: Option<Timestamp>,
    #[serde(skip)]
    pub(crate) recovery_token: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) recovery_sent_at: Option<Timestamp>,
    #[serde(skip)]
    pub(crate) email_change_token_current: String,
    #[serde(skip)]
    pub(crate) email_change_token_new: String,
    #[serde(rename = "new_email", skip_serializing_if = "String::is_empty")]
    pub(crate) email_change: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) email_change_sent_at: Option<Timestamp>,
    #[serde(skip)]
    pub(crate) email_change_confirm_status: i16,
    #[serde(skip)]
    pub(crate) phone_change_token: String,
    #[serde(rename = "new_phone", skip_serializing_if = "String::is_empty")]
    pub(crate) phone_change: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) phone_change_sent_at: Option<Timestamp>,
    #[serde(skip)]
    pub(crate) reauthentication_token: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reauthentication_sent_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_sign_in_at: Option<Timestamp>,
    pub(crate) app_metadata: Document,
    pub(crate) user_metadata: Document,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) factors: Vec<Factor>,
    /// `None` (JSON null) when they were not read.
    pub(crate) identities: Option<Vec<Identity>>,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) banned_until: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deleted_at: Option<Timestamp>,
    pub(crate) is_anonymous: bool,
}

impl User {
    /// Whether the email address is confirmed.
    pub(crate) fn is_confirmed(&self) -> bool {
        self.email_confirmed_at.is_some()
    }

    /// Whether the phone number is confirmed.
    pub(crate) fn is_phone_confirmed(&self) -> bool {
        self.phone_confirmed_at.is_some()
    }

    /// Whether nobody has proved to own the account.
    pub(crate) fn is_unproved(&self) -> bool {
        !self.is_confirmed() && !self.is_phone_confirmed()
    }

    /// Whether signing in is forbidden at this time.
    pub(crate) fn is_banned(&self, now: Timestamp) -> bool {
        self.banned_until.is_some_and(|until| now < until)
    }

    /// Whether a password is set.
    pub(crate) fn has_password(&self) -> bool {
        self.encrypted_password
            .as_deref()
            .is_some_and(|hash| !hash.is_empty())
    }

    /// Whether a second factor is verified, so that `aal2` can be reached.
    pub(crate) fn has_mfa(&self) -> bool {
        self.factors.iter().any(Factor::is_verified)
    }

    /// The identities, or none if they were not read.
    pub(crate) fn identities(&self) -> &[Identity] {
        self.identities.as_deref().unwrap_or_default()
    }
}

/// The columns of the user `u`, without relations.
macro_rules! user_columns {
    () => {
        "u.id, u.aud, u.role, u.email, u.is_sso_user, u.encrypted_password, u.email_confirmed_at,
  u.invited_at, u.phone, u.phone_confirmed_at, u.confirmation_token, u.confirmation_sent_at,
  u.confirmed_at, u.recovery_token, u.recovery_sent_at, u.email_change_token_current,
  u.email_change_token_new, u.email_change, u.email_change_sent_at,
  u.email_change_confirm_status, u.phone_change_token, u.phone_change, u.phone_change_sent_at,
  u.reauthentication_token, u.reauthentication_sent_at, u.last_sign_in_at,
  u.raw_app_meta_data, u.raw_user_meta_data, u.created_at, u.updated_at, u.banned_until,
  u.deleted_at, u.is_anonymous"
    };
}

/// The columns of the user `u` and its relations, each as a JSON array.
macro_rules! user_with_relations {
    () => {
        concat!(
            $crate::db::users::user_columns!(),
            ",\n  ",
            $crate::db::identities::identities_of_user!(),
            ",\n  ",
            $crate::db::factors::factors_of_user!()
        )
    };
}

pub(crate) use {user_columns, user_with_relations};

impl FromRow for User {
    /// Reads [`user_columns!`]; relations are added by [`with_relations`].
    fn from_row(row: &Row) -> Result<Self, DbError> {
        let text = |name: &str| -> Result<String, DbError> {
            Ok(column::<Option<String>>(row, name)?.unwrap_or_default())
        };
        let time = |name: &str| column::<Option<Timestamp>>(row, name);
        let document = |name: &str| -> Result<Document, DbError> {
            Ok(column::<Option<Document>>(row, name)?.unwrap_or_default())
        };
        Ok(Self {
            id: column(row, "id")?,
            aud: text("aud")?,
            role: text("role")?,
            email: text("email")?,
            is_sso_user: column(row, "is_sso_user")?,
            encrypted_password: column(row, "encrypted_password")?,
            email_confirmed_at: time("email_confirmed_at")?,
            invited_at: time("invited_at")?,
            phone: text("phone")?,
            phone_confirmed_at: time("phone_confirmed_at")?,
            confirmation_token: text("confirmation_token")?,
            confirmation_sent_at: time("confirmation_sent_at")?,
            confirmed_at: time("confirmed_at")?,
            recovery_token: text("recovery_token")?,
            recovery_sent_at: time("recovery_sent_at")?,
            email_change_token_current: text("email_change_token_current")?,
            email_change_token_new: text("email_change_token_new")?,
            email_change: text("email_change")?,
            email_change_sent_at: time("email_change_sent_at")?,
            email_change_confirm_status: column::<Option<i16>>(row, "email_change_confirm_status")?
                .unwrap_or_default(),
            phone_change_token: text("phone_change_token")?,
            phone_change: text("phone_change")?,
            phone_change_sent_at: time("phone_change_sent_at")?,
            reauthentication_token: text("reauthentication_token")?,
            reauthentication_sent_at: time("reauthentication_sent_at")?,
            last_sign_in_at: time("last_sign_in_at")?,
            app_metadata: document("raw_app_meta_data")?,
            user_metadata: document("raw_user_meta_data")?,
            factors: Vec::new(),
            identities: None,
            created_at: time("created_at")?.unwrap_or_default(),
            updated_at: time("updated_at")?.unwrap_or_default(),
            banned_until: time("banned_until")?,
            deleted_at: time("deleted_at")?,
            is_anonymous: column(row, "is_anonymous")?,
        })
    }
}

/// Reads [`user_with_relations!`].
pub(crate) fn with_relations(row: &Row) -> Result<User, DbError> {
    let mut user = User::from_row(row)?;
    user.identities = Some(column::<Json<Vec<Identity>>>(row, "identities")?.0);
    user.factors = column::<Json<Vec<Factor>>>(row, "factors")?.0;
    Ok(user)
}

fn optional(row: Option<&Row>) -> Result<Option<User>, DbError> {
    row.map(with_relations).transpose()
}

const BY_ID: &str = concat!(
    "-- auth.users.by_id
select ",
    user_with_relations!(),
    "
from auth.users as u
where u.instance_id = '00000000-0000-0000-0000-000000000000' and u.id = $1"
);

/// The user with this id, in whatever audience.
pub(crate) async fn by_id(db: &impl Executor, id: Uuid) -> Result<Option<User>, DbError> {
    optional(db.query_opt(BY_ID, &[&id]).await?.as_ref())
}

/// The user with this id, kept from being changed by others until the transaction ends: an
/// earlier read may be out of date.
pub(crate) async fn hold(tx: &Tx<'_>, id: Uuid) -> Result<Option<User>, DbError> {
    // Two statements, because only the second one's snapshot is sure to be younger than the lock.
    lock(tx, id).await?;
    by_id(tx, id).await
}

const BY_EMAIL: &str = concat!(
    "-- auth.users.by_email
select ",
    user_with_relations!(),
    "
from auth.users as u
where u.instance_id = '00000000-0000-0000-0000-000000000000'
  and lower(u.email) = $1 and u.aud = $2 and u.is_sso_user = false
limit 1"
);

/// The user with this address in an audience; single sign-on users do not count.
pub(crate) async fn by_email(
    db: &impl Executor,
    email: &str,
    aud: &str,
) -> Result<Option<User>, DbError> {
    optional(
        db.query_opt(BY_EMAIL, &[&email.to_lowercase(), &aud])
            .await?
            .as_ref(),
    )
}

const BY_PHONE: &str = concat!(
    "-- auth.users.by_phone
select ",
    user_with_relations!(),
    "
from auth.users as u
where u.instance_id = '00000000-0000-0000-0000-000000000000'
  and u.phone = $1 and u.aud = $2 and u.is_sso_user = false
limit 1"
);

/// The user with this phone number in an audience.
pub(crate) async fn by_phone(
    db: &impl Executor,
    phone: &str,
    aud: &str,
) -> Result<Option<User>, DbError> {
    optional(db.query_opt(BY_PHONE, &[&phone, &aud]).await?.as_ref())
}

const DUPLICATE_OF_EMAIL: &str = concat!(
    "-- auth.users.duplicate_of_email
with found as (
  select i.user_id as id, 1 as rank
  from auth.identities as i
  join auth.users as o on o.id = i.user_id
  where i.email = $1 and i.provider not like 'sso:%' and i.provider <> 'phone'
    and i.provider <> all ($4)
    and i.user_id is distinct from $3 and o.aud = $2
  union all
  select o.id, 2
  from auth.users as o
  where o.instance_id = '00000000-0000-0000-0000-000000000000'
    and lower(o.email) = $1 and o.aud = $2 and o.is_sso_user = false
  order by rank
  limit 1
)
select ",
    user_with_relations!(),
    "
from found
join auth.users as u on u.id = found.id"
);

/// Whose address this is already: through an identity of the default linking domain (other
/// than the current user's), else through the users table.
///
/// Upstream: also believes the identity of a phone, whose `email` is whatever its owner wrote
/// into the metadata of the sign-up, so that anybody could occupy the addresses of others.
pub(crate) async fn duplicate_of_email(
    db: &impl Executor,
    email: &str,
    aud: &str,
    current: Option<Uuid>,
    own_domain_providers: &[String],
) -> Result<Option<User>, DbError> {
    let email = email.to_lowercase();
    let params: platform::pg::Params<'_> = &[&email, &aud, &current, &own_domain_providers];
    optional(db.query_opt(DUPLICATE_OF_EMAIL, params).await?.as_ref())
}
