//! Refresh tokens of version 2: a counter in the session, signed with the session's key.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::SignedDuration;
use platform::pg::Executor;

use super::{Attempt, Refresh, Tokens, refused};
use crate::audit::{Action, Entry};
use crate::db;
use crate::db::sessions::Session;
use crate::db::users::User;
use crate::refusal::RefreshRefusal;
use crate::sessions::issue::counter_header;
use crate::sessions::refresh_token::{self, CounterToken};
use crate::sessions::validity;

/// The key of a session that has tokens of version 2.
pub(in crate::sessions) fn key(session: &Session) -> Option<Vec<u8>> {
    session.refresh_token_counter?;
    URL_SAFE_NO_PAD
        .decode(session.refresh_token_hmac_key.as_deref()?)
        .ok()
}

/// Refreshes by a counter.
pub(super) async fn refresh(
    refresh: &Refresh<'_>,
    db: &impl Executor,
    user: &User,
    token: &CounterToken,
    session: &Session,
) -> Attempt {
    let (Some(current), Some(key)) = (session.refresh_token_counter, key(session)) else {
        return Err(refused(RefreshRefusal::Unknown));
    };
    let behind = current.saturating_sub(token.counter);
    if behind < 0 {
        return Err(refused(RefreshRefusal::Foreign));
    }
    let mut headers = Vec::new();
    let counter = if behind == 0 {
        headers.push(("sb-auth-refresh-token-reuse", "false".to_owned()));
        current + 1
    } else {
        let causes = reuse_causes(refresh, session, behind);
        if causes.is_empty() {
            return refuse_reuse(refresh, db, session).await;
        }
        headers.push(("sb-auth-refresh-token-reuse-cause", causes.join(",")));
        current
    };
    let access = refresh.sign(user, session)?;
    let entries = refresh.stored(vec![Entry::new(user, Action::TokenRefreshed)]);
    let by = refresh.used(&entries);
    if !db::refresh_tokens::advance(db, session, counter, by).await? {
        return Ok(None);
    }
    headers.push(counter_header(counter));
    let tokens = Tokens {
        access,
        refresh: refresh_token::encode(session.id, counter, &key),
        headers,
    };
    Ok(Some(refresh.done(user.clone(), session, tokens)))
}

/// Why a spent token is honoured all the same; the current one is handed out again.
fn reuse_causes(refresh: &Refresh<'_>, session: &Session, behind: i64) -> Vec<&'static str> {
    let security = &refresh.state.config.security;
    let since = refresh
        .now
        .duration_since(validity::last_refreshed(session, None));
    let since = SignedDuration::from_nanos_i128(since.as_nanos().abs());
    let mut causes = Vec::new();
    if since < security.reuse_interval {
        causes.push("concurrent-refresh");
    }
    if behind == 1 {
        causes.push("fail-to-save");
    }
    if security.allow_reuse {
        causes.push("always-allow");
    }
    causes
}

/// Ends the session, if that is how reuse is to be answered.
async fn refuse_reuse(refresh: &Refresh<'_>, db: &impl Executor, session: &Session) -> Attempt {
    let rotation = refresh.state.config.security.rotation;
    if !db::refresh_tokens::end_session(db, session, rotation).await? {
        return Ok(None);
    }
    let error = refused(RefreshRefusal::Used);
    Err(if rotation {
        error.with_header("sb-auth-refresh-token-rotated", "true")
    } else {
        error
    })
}
