//! `auth.mfa_factors`, read along with its user. Mirrors upstream's `internal/models/factor.go`.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

/// A second factor as clients see it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the names of the wire format")]
pub(crate) struct Factor {
    pub(crate) id: Uuid,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    pub(crate) status: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) friendly_name: String,
    pub(crate) factor_type: String,
    pub(crate) phone: String,
    pub(crate) last_challenged_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) web_authn_aaguid: Option<Uuid>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_webauthn_challenge_data: Option<Value>,
}

impl Factor {
    /// Whether the user has proved to hold it.
    pub(crate) fn is_verified(&self) -> bool {
        self.status == "verified"
    }
}

/// The factors of the user `u` as one JSON array, for a select list.
macro_rules! factors_of_user {
    () => {
        "(select coalesce(json_agg(json_build_object(
    'id', f.id, 'created_at', f.created_at, 'updated_at', f.updated_at, 'status', f.status,
    'friendly_name', coalesce(f.friendly_name, ''), 'factor_type', f.factor_type,
    'phone', coalesce(f.phone, ''), 'last_challenged_at', f.last_challenged_at,
    'web_authn_aaguid', f.web_authn_aaguid,
    'last_webauthn_challenge_data', f.last_webauthn_challenge_data
  ) order by f.created_at, f.id), '[]')
  from auth.mfa_factors as f where f.user_id = u.id) as factors"
    };
}

pub(crate) use factors_of_user;
