//! All SQL of this service: one module per table, each owning its row type.
//!
//! Statements are constants, so that every connection prepares each of them once.

pub(crate) mod admin_accounts;
pub(crate) mod audit;
pub(crate) mod audit_search;
pub(crate) mod callers;
pub(crate) mod code_data;
pub(crate) mod code_tries;
pub(crate) mod factors;
pub(crate) mod flow_states;
pub(crate) mod identities;
pub(crate) mod mail_outbox;
pub(crate) mod mfa;
pub(crate) mod migrations;
pub(crate) mod one_time_tokens;
pub(crate) mod phone_codes;
pub(crate) mod refresh_tokens;
pub(crate) mod sessions;
pub(crate) mod user_changes;
pub(crate) mod user_list;
pub(crate) mod users;

use uuid::Uuid;

/// The instance every row belongs to; the column is a relic of a multi-tenant past.
pub(crate) const INSTANCE: Uuid = Uuid::nil();

/// Empty texts are stored as null where the schema has unique indexes over them.
pub(crate) fn filled(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

/// The document in a column with the changes in a parameter laid over it: `null` removes a key,
/// anything else replaces it, keys the changes do not name stay as they are in the row.
macro_rules! merged {
    ($column:literal, $changes:literal) => {
        concat!(
            "(case jsonb_typeof(",
            $column,
            ") when 'object' then ",
            $column,
            " else '{}' end
    - array(select key from jsonb_each(",
            $changes,
            "::jsonb) where value = 'null'))
    || (select coalesce(jsonb_object_agg(key, value), '{}')
      from jsonb_each(",
            $changes,
            "::jsonb) where value <> 'null')"
        )
    };
}

pub(crate) use merged;
