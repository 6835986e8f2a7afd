//! `auth.identities`. Mirrors upstream's `internal/models/identity.go`.

use jiff::Timestamp;
use platform::pg::{DbError, Executor, FromRow, Row, column};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::json::Document;

/// One way a user can prove who they are.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the names of the wire format")]
pub(crate) struct Identity {
    /// The row's key.
    #[serde(rename = "identity_id")]
    pub(crate) id: Uuid,
    /// The user's id at the provider.
    #[serde(rename = "id")]
    pub(crate) provider_id: String,
    pub(crate) user_id: Uuid,
    #[serde(default, skip_serializing_if = "no_data")]
    pub(crate) identity_data: Document,
    pub(crate) provider: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_sign_in_at: Option<Timestamp>,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    /// A generated column: the address in `identity_data`, in lower case.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) email: String,
}

fn no_data(data: &Document) -> bool {
    data.is_empty()
}

impl Identity {
    /// A new identity, not stored yet.
    pub(crate) fn new(user_id: Uuid, provider: &str, data: Document, now: Timestamp) -> Self {
        let email = data.text("email").unwrap_or_default().to_owned();
        let mut identity_data = data;
        if !email.is_empty() {
            identity_data.insert("email".to_owned(), email.to_lowercase().into());
        }
        Self {
            id: Uuid::new_v4(),
            provider_id: identity_data.text("sub").unwrap_or_default().to_owned(),
            user_id,
            identity_data,
            provider: provider.to_owned(),
            last_sign_in_at: Some(now),
            created_at: micros(now),
            updated_at: micros(now),
            email,
        }
    }

    /// Whether the provider vouches for the address.
    pub(crate) fn is_email_verified(&self) -> bool {
        self.identity_data
            .get("email_verified")
            .and_then(serde_json::Value::as_bool)
            == Some(true)
    }
}

/// A time as the database will return it.
pub(crate) fn micros(at: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(at.as_microsecond()).unwrap_or(at)
}

/// The identities of the user `u` as one JSON array, for a select list.
macro_rules! identities_of_user {
    () => {
        "(select coalesce(json_agg(json_build_object(
    'identity_id', i.id, 'id', i.provider_id, 'user_id', i.user_id,
    'identity_data', i.identity_data, 'provider', i.provider,
    'last_sign_in_at', i.last_sign_in_at, 'created_at', coalesce(i.created_at, 'epoch'),
    'updated_at', coalesce(i.updated_at, 'epoch'), 'email', coalesce(i.email, '')
  ) order by i.created_at, i.id), '[]')
  from auth.identities as i where i.user_id = u.id) as identities"
    };
}

pub(crate) use identities_of_user;

const INSERT: &str = "-- auth.identities.insert
insert into auth.identities
  (id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
values ($1, $2, $3, $4, $5, $6, $7, $8)";

/// Stores a new identity.
pub(crate) async fn insert(db: &impl Executor, identity: &Identity) -> Result<(), DbError> {
    db.run(
        INSERT,
        &[
            &identity.id,
            &identity.provider_id,
            &identity.user_id,
            &identity.identity_data,
            &identity.provider,
            &identity.last_sign_in_at,
            &identity.created_at,
            &identity.updated_at,
        ],
    )
    .await
}

const MERGE_DATA: &str = concat!(
    "-- auth.identities.merge_data
update auth.identities
set identity_data = ",
    crate::db::merged!("identity_data", "$2"),
    ", updated_at = $3
where id = $1"
);

/// Lays news over what is known about an identity.
pub(crate) async fn merge_data(
    db: &impl Executor,
    id: Uuid,
    news: &Document,
    now: Timestamp,
) -> Result<(), DbError> {
    db.run(MERGE_DATA, &[&id, news, &now]).await
}

const DELETE: &str = "-- auth.identities.delete
delete from auth.identities where id = $1";

/// Removes an identity.
pub(crate) async fn delete(db: &impl Executor, id: Uuid) -> Result<(), DbError> {
    db.run(DELETE, &[&id]).await
}

const DELETE_OTHERS: &str = "-- auth.identities.delete_others
delete from auth.identities where user_id = $1 and id <> $2";

/// Removes all identities of a user but one.
pub(crate) async fn delete_others(
    db: &impl Executor,
    user_id: Uuid,
    kept: Uuid,
) -> Result<(), DbError> {
    db.run(DELETE_OTHERS, &[&user_id, &kept]).await
}

macro_rules! identity_columns {
    () => {
        "i.id, i.provider_id, i.user_id, i.identity_data, i.provider, i.last_sign_in_at,
  i.created_at, i.updated_at, i.email"
    };
}

impl FromRow for Identity {
    fn from_row(row: &Row) -> Result<Self, DbError> {
        let time = |name: &str| column::<Option<Timestamp>>(row, name);
        Ok(Self {
            id: column(row, "id")?,
            provider_id: column(row, "provider_id")?,
            user_id: column(row, "user_id")?,
            identity_data: column(row, "identity_data")?,
            provider: column(row, "provider")?,
            last_sign_in_at: time("last_sign_in_at")?,
            created_at: time("created_at")?.unwrap_or_default(),
            updated_at: time("updated_at")?.unwrap_or_default(),
            email: column::<Option<String>>(row, "email")?.unwrap_or_default(),
        })
    }
}

const OF_USER: &str = concat!(
    "-- auth.identities.of_user
select ",
    identity_columns!(),
    "
from auth.identities as i
where i.user_id = $1
order by i.created_at, i.id"
);

/// The identities of a user, oldest first.
pub(crate) async fn of_user(db: &impl Executor, user_id: Uuid) -> Result<Vec<Identity>, DbError> {
    db.query(OF_USER, &[&user_id])
        .await?
        .iter()
        .map(Identity::from_row)
        .collect()
}

const BY_PROVIDER: &str = concat!(
    "-- auth.identities.by_provider
select ",
    identity_columns!(),
    "
from auth.identities as i
where i.provider_id = $1 and i.provider = $2"
);

/// The identity with this id at a provider.
pub(crate) async fn by_provider(
    db: &impl Executor,
    provider_id: &str,
    provider: &str,
) -> Result<Option<Identity>, DbError> {
    let row = db
        .query_opt(BY_PROVIDER, &[&provider_id, &provider])
        .await?;
    row.as_ref().map(Identity::from_row).transpose()
}
