//! Refresh tokens of version 1: every refresh spends one row and adds another.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use platform::keys;
use platform::pg::Executor;

use super::counters;
use super::{Attempt, Refresh, Tokens, refused};
use crate::audit::{Action, Entry};
use crate::config::RefreshTokens;
use crate::db;
use crate::db::identities::micros;
use crate::db::refresh_tokens::{RefreshToken, Rotation};
use crate::db::sessions::Session;
use crate::db::users::User;
use crate::refusal::RefreshRefusal;
use crate::sessions::issue::{counter_header, prefix_header};
use crate::sessions::refresh_token;

/// Refreshes by a row.
pub(super) async fn refresh(
    refresh: &Refresh<'_>,
    db: &impl Executor,
    user: &User,
    token: &RefreshToken,
    session: &Session,
) -> Attempt {
    if token.revoked {
        // The parent of the active token comes from a client that never got the answer to its
        // refresh: it is given the active token again, however late it asks.
        let active = token.active.as_ref();
        if active.is_some_and(|active| active.parent == token.token) {
            return hand_out_again(refresh, db, user, token, session).await;
        }
        let security = &refresh.state.config.security;
        let usable_until = token.updated_at.checked_add(security.reuse_interval);
        if usable_until.is_ok_and(|until| refresh.now > until) {
            let known = db::refresh_tokens::revoke_family(
                db,
                token,
                session,
                security.rotation,
                refresh.now,
            );
            return if known.await? {
                Err(refused(RefreshRefusal::Used))
            } else {
                Ok(None)
            };
        }
    }
    rotate(refresh, db, user, token, session).await
}

async fn hand_out_again(
    refresh: &Refresh<'_>,
    db: &impl Executor,
    user: &User,
    token: &RefreshToken,
    session: &Session,
) -> Attempt {
    let Some(active) = &token.active else {
        return Ok(None);
    };
    let access = refresh.sign(user, session)?;
    let entries = refresh.stored(vec![Entry::new(user, Action::TokenRefreshed)]);
    let rotation = Rotation {
        child: None,
        child_revoked: false,
        hmac_key: None,
        counter: None,
    };
    let by = refresh.used(&entries);
    if !db::refresh_tokens::rotate(db, token, session, &rotation, by).await? {
        return Ok(None);
    }
    let tokens = Tokens {
        access,
        refresh: active.token.clone(),
        headers: vec![prefix_header(&active.token)],
    };
    Ok(Some(refresh.done(user.clone(), session, tokens)))
}

async fn rotate(
    refresh: &Refresh<'_>,
    db: &impl Executor,
    user: &User,
    token: &RefreshToken,
    session: &Session,
) -> Attempt {
    let mut user = user.clone();
    user.updated_at = micros(refresh.now);
    let access = refresh.sign(&user, session)?;
    let child = refresh_token::random();
    let upgrade = Upgrade::of(refresh, session);
    let entries = refresh.stored(vec![
        Entry::new(&user, Action::TokenRefreshed),
        Entry::new(&user, Action::TokenRevoked),
    ]);
    let rotation = Rotation {
        child: Some(&child),
        child_revoked: upgrade.is_some(),
        hmac_key: upgrade
            .as_ref()
            .and_then(|upgrade| upgrade.new_key.as_deref()),
        counter: upgrade.as_ref().map(|upgrade| upgrade.counter),
    };
    let by = refresh.used(&entries);
    if !db::refresh_tokens::rotate(db, token, session, &rotation, by).await? {
        return Ok(None);
    }
    let mut headers = vec![("sb-auth-refresh-token-reuse", "false".to_owned())];
    let issued = match upgrade {
        None => child,
        Some(upgrade) => {
            headers.push(counter_header(upgrade.counter));
            upgrade.token
        }
    };
    headers.push(prefix_header(&issued));
    let tokens = Tokens {
        access,
        refresh: issued,
        headers,
    };
    Ok(Some(refresh.done(user, session, tokens)))
}

/// The change of a session to tokens of version 2.
struct Upgrade {
    token: String,
    counter: i64,
    new_key: Option<String>,
}

impl Upgrade {
    /// The upgrade of this session, if it is among those to be changed.
    fn of(refresh: &Refresh<'_>, session: &Session) -> Option<Self> {
        let share = match refresh.state.config.security.refresh_tokens {
            RefreshTokens::Rows => 0,
            RefreshTokens::Counters { upgrade_percentage } => upgrade_percentage,
        };
        // Upstream: picks sessions by Go's random generator, seeded with the same checksum.
        if crc32(session.id.as_bytes()) % 100 >= share {
            return None;
        }
        if let (Some(key), Some(counter)) = (counters::key(session), session.refresh_token_counter)
        {
            let counter = counter + 1;
            let token = refresh_token::encode(session.id, counter, &key);
            return Some(Self {
                token,
                counter,
                new_key: None,
            });
        }
        let key = keys::random::<32>();
        let token = refresh_token::encode(session.id, 0, &key);
        Some(Self {
            token,
            counter: 0,
            new_key: Some(URL_SAFE_NO_PAD.encode(key)),
        })
    }
}

/// CRC-32 as in zip files.
fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 {
                (sum >> 1) ^ 0xedb8_8320
            } else {
                sum >> 1
            };
        }
    }
    !sum
}

#[cfg(test)]
mod tests {
    #[test]
    fn crc32_matches_the_reference() {
        assert_eq!(super::crc32(b"123456789"), 0xcbf4_3926);
    }
}
