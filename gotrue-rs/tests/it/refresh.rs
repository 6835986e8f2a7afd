//! `POST /token?grant_type=refresh_token`, with both kinds of tokens.

use futures_util::future::join_all;
use serde_json::Value;
use uuid::Uuid;

use crate::app::{Reply, Session, TestApp};

const V2: (&str, &str) = ("GOTRUE_SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION", "2");

fn already_used(reply: &Reply) {
    reply.refused(
        400,
        "refresh_token_already_used",
        "Invalid Refresh Token: Already Used",
    );
}

async fn refreshed(app: &TestApp, token: &str) -> Session {
    Session::of(&app.refresh(token).await)
}

#[tokio::test]
async fn a_refresh_rotates_the_token_and_keeps_the_session() {
    let app = TestApp::spawn().await;
    let first = app.sign_up("a@example.com").await;
    app.wait(10);
    let reply = app.refresh(&first.refresh_token).await;
    let second = Session::of(&reply);
    assert_ne!(first.refresh_token, second.refresh_token);
    assert_eq!(first.claims()["session_id"], second.claims()["session_id"]);
    assert_eq!(first.claims()["amr"], second.claims()["amr"]);
    assert_eq!(
        second.claims()["iat"],
        first.claims()["iat"].as_i64().unwrap() + 10
    );
    assert_eq!(reply.header("sb-auth-refresh-token-reuse"), Some("false"));
    assert_eq!(
        reply.header("sb-auth-refresh-token-prefix"),
        Some(&second.refresh_token[..5])
    );
    let row = &app
        .query(
            "select (select parent from auth.refresh_tokens where not revoked),
               (select count(*) from auth.refresh_tokens where revoked),
               (select count(*) from auth.audit_log_entries
                where payload ->> 'action' in ('token_refreshed', 'token_revoked')),
               (select refreshed_at is not null from auth.sessions)",
            &[],
        )
        .await[0];
    assert_eq!(row.get::<_, &str>(0), first.refresh_token);
    assert_eq!((row.get::<_, i64>(1), row.get::<_, i64>(2)), (1, 2));
    assert!(row.get::<_, bool>(3));
    let at = |session: &Session| session.user["last_sign_in_at"].as_str().unwrap()[..19].to_owned();
    assert_eq!(at(&first), at(&second));
}

#[tokio::test]
async fn the_parent_of_the_active_token_yields_the_active_token() {
    let app = TestApp::spawn().await;
    let first = app.sign_up("a@example.com").await;
    let second = refreshed(&app, &first.refresh_token).await;
    app.wait(86_400);
    let again = app.refresh(&first.refresh_token).await;
    assert_eq!(Session::of(&again).refresh_token, second.refresh_token);
    assert_eq!(again.header("sb-auth-refresh-token-reuse"), None);
    assert_eq!(
        app.count("select count(*) from auth.refresh_tokens").await,
        2
    );
}

#[tokio::test]
async fn an_older_token_revokes_the_family_and_the_revocation_stays() {
    let app = TestApp::spawn().await;
    let first = app.sign_up("a@example.com").await;
    let second = refreshed(&app, &first.refresh_token).await;
    let third = refreshed(&app, &second.refresh_token).await;
    app.wait(1);
    already_used(&app.refresh(&first.refresh_token).await);
    let left = "select count(*) from auth.refresh_tokens where not revoked";
    assert_eq!(app.count(left).await, 0);
    assert_eq!(app.count("select count(*) from auth.sessions").await, 1);
    app.wait(1);
    already_used(&app.refresh(&third.refresh_token).await);
}

#[tokio::test]
async fn without_rotation_reuse_is_refused_and_nothing_revoked() {
    let rotation = [("GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED", "false")];
    let app = TestApp::spawn_with(&rotation).await;
    let first = app.sign_up("a@example.com").await;
    let second = refreshed(&app, &first.refresh_token).await;
    let third = refreshed(&app, &second.refresh_token).await;
    app.wait(1);
    already_used(&app.refresh(&first.refresh_token).await);
    refreshed(&app, &third.refresh_token).await;
}

#[tokio::test]
async fn the_reuse_interval_lets_an_older_token_pass() {
    let interval = [("GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL", "10")];
    let app = TestApp::spawn_with(&interval).await;
    let first = app.sign_up("a@example.com").await;
    let second = refreshed(&app, &first.refresh_token).await;
    refreshed(&app, &second.refresh_token).await;
    app.wait(9);
    refreshed(&app, &first.refresh_token).await;
}

#[tokio::test]
async fn concurrent_refreshes_agree_on_one_token() {
    for settings in [&[][..], &[V2][..]] {
        let app = TestApp::spawn_with(settings).await;
        let first = app.sign_up("a@example.com").await;
        let replies = join_all((0..20).map(|_| app.refresh(&first.refresh_token))).await;
        let mut tokens: Vec<_> = replies
            .iter()
            .map(|reply| Session::of(reply).refresh_token)
            .collect();
        tokens.sort();
        tokens.dedup();
        assert_eq!(tokens.len(), 1, "{settings:?}");
        let active = "select count(*) from auth.refresh_tokens where not revoked";
        assert!(app.count(active).await <= 1);
    }
}

#[tokio::test]
async fn a_refresh_gives_up_on_rows_that_stay_locked() {
    let app = TestApp::spawn().await;
    let first = app.sign_up("a@example.com").await;
    let mut holder = app.superuser().await;
    let tx = holder.begin();
    tx.batch("select id from auth.sessions for update")
        .await
        .unwrap();
    app.refresh(&first.refresh_token).await.refused(
        409,
        "conflict",
        "Too many concurrent token refresh requests on the same session or refresh token",
    );
    tx.rollback().await.unwrap();
    refreshed(&app, &first.refresh_token).await;
}

#[tokio::test]
async fn bad_tokens_are_told_apart() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("a@example.com").await;
    for token in [
        "",
        "short",
        "UPPERCASE123",
        "quoted'token",
        "not a token of any version",
    ] {
        app.refresh(token)
            .await
            .refused(400, "validation_failed", "Refresh token is not valid");
    }
    app.refresh("aaaaaaaaaaaa").await.refused(
        400,
        "refresh_token_not_found",
        "Invalid Refresh Token: Refresh Token Not Found",
    );
    app.query("update auth.refresh_tokens set session_id = null", &[])
        .await;
    let orphan = app.refresh(&session.refresh_token).await;
    orphan.refused(
        400,
        "session_not_found",
        "Invalid Refresh Token: No Valid Session Found",
    );
    assert!(orphan.header("sb-auth-user-id").is_some());
    assert_eq!(
        app.count("select count(*) from auth.refresh_tokens").await,
        0
    );
}

#[tokio::test]
async fn sessions_end_by_timebox_and_inactivity() {
    for (name, text) in [
        (
            "GOTRUE_SESSIONS_TIMEBOX",
            "Invalid Refresh Token: Session Expired",
        ),
        (
            "GOTRUE_SESSIONS_INACTIVITY_TIMEOUT",
            "Invalid Refresh Token: Session Expired (Inactivity)",
        ),
    ] {
        let app = TestApp::spawn_with(&[(name, "1m")]).await;
        let session = app.sign_up("a@example.com").await;
        let session = refreshed(&app, &session.refresh_token).await;
        app.wait(61);
        app.refresh(&session.refresh_token)
            .await
            .refused(400, "session_expired", text);
    }
}

#[tokio::test]
async fn only_the_newest_session_is_refreshed_where_one_is_allowed() {
    let app = TestApp::spawn_with(&[("GOTRUE_SESSIONS_SINGLE_PER_USER", "true")]).await;
    let old = app.sign_up("a@example.com").await;
    app.wait(10);
    let new = app.sign_in("a@example.com").await;
    app.refresh(&old.refresh_token).await.refused(
        400,
        "session_expired",
        "Invalid Refresh Token: Session Expired (Revoked by Newer Login)",
    );
    refreshed(&app, &new.refresh_token).await;
}

#[tokio::test]
async fn counters_rotate_without_rows() {
    let app = TestApp::spawn_with(&[V2]).await;
    let reply = app.post("/signup", serde_json::json!({})).await;
    assert_eq!(reply.header("sb-auth-refresh-token-counter"), Some("0"));
    let first = Session::of(&reply);
    let reply = app.refresh(&first.refresh_token).await;
    assert_eq!(reply.header("sb-auth-refresh-token-counter"), Some("1"));
    assert_eq!(reply.header("sb-auth-refresh-token-reuse"), Some("false"));
    let second = Session::of(&reply);
    let again = app.refresh(&first.refresh_token).await;
    assert_eq!(Session::of(&again).refresh_token, second.refresh_token);
    assert_eq!(
        again.header("sb-auth-refresh-token-reuse-cause"),
        Some("fail-to-save")
    );
    assert_eq!(
        app.count("select count(*) from auth.refresh_tokens").await,
        0
    );
}

#[tokio::test]
async fn an_older_counter_ends_the_session() {
    let app = TestApp::spawn_with(&[V2]).await;
    let first = app.sign_up("a@example.com").await;
    let second = refreshed(&app, &first.refresh_token).await;
    refreshed(&app, &second.refresh_token).await;
    app.wait(1);
    let reply = app.refresh(&first.refresh_token).await;
    already_used(&reply);
    assert_eq!(reply.header("sb-auth-refresh-token-rotated"), Some("true"));
    assert_eq!(app.count("select count(*) from auth.sessions").await, 0);
}

#[tokio::test]
async fn counters_of_another_session_or_key_are_unknown() {
    let app = TestApp::spawn_with(&[V2]).await;
    let session = app.sign_up("a@example.com").await;
    let key = "select refresh_token_hmac_key from auth.sessions";
    let known: String = app.query(key, &[]).await[0].get(0);
    app.query(
        "update auth.sessions set refresh_token_hmac_key = repeat('A', 43)",
        &[],
    )
    .await;
    let unknown = "Invalid Refresh Token: Refresh Token Not Found";
    app.refresh(&session.refresh_token)
        .await
        .refused(400, "refresh_token_not_found", unknown);
    let sql = "update auth.sessions set refresh_token_hmac_key = $1, refresh_token_counter = -1";
    app.query(sql, &[&known]).await;
    app.refresh(&session.refresh_token).await.refused(
        400,
        "validation_failed",
        "Invalid Refresh Token: Not Issued By This Server",
    );
}

#[tokio::test]
async fn a_session_with_rows_is_upgraded_to_counters() {
    let upgrade = ("GOTRUE_SECURITY_REFRESH_TOKEN_UPGRADE_PERCENTAGE", "100");
    let app = TestApp::spawn_with(&[V2, upgrade]).await;
    let session = app.sign_up("a@example.com").await;
    let id: Uuid = session.claims()["session_id"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    app.query(
        "update auth.sessions set refresh_token_hmac_key = null, refresh_token_counter = null",
        &[],
    )
    .await;
    app.query(
        "insert into auth.refresh_tokens (instance_id, token, user_id, session_id, revoked,
           parent, created_at, updated_at)
         values ('00000000-0000-0000-0000-000000000000', 'abcdefghijkl', $2, $1, false, '',
           now(), now())",
        &[&id, &session.user_id().to_string()],
    )
    .await;
    let reply = app.refresh("abcdefghijkl").await;
    let upgraded = Session::of(&reply);
    assert!(upgraded.refresh_token.len() > 40);
    assert_eq!(reply.header("sb-auth-refresh-token-counter"), Some("0"));
    let active = "select count(*) from auth.refresh_tokens where not revoked";
    assert_eq!(app.count(active).await, 0);
    let next: Value = app.refresh(&upgraded.refresh_token).await.ok();
    assert!(next["refresh_token"].is_string());
}
