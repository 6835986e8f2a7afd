//! `POST /token` with passwords and codes.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::app::{PASSWORD, Reply, Session, TestApp};

const GRANT: &str = "/token?grant_type=password";

#[tokio::test]
async fn a_password_signs_in() {
    let app = TestApp::spawn().await;
    let first = app.sign_up("a@example.com").await;
    app.wait(5);
    let body = json!({ "email": "A@example.COM", "password": PASSWORD });
    let reply = app
        .request(Method::POST, GRANT)
        .header("user-agent", "tests/1")
        .header("x-forwarded-for", "10.0.0.1, 203.0.113.9")
        .json(&body)
        .send()
        .await;
    let session = Session::of(&reply);
    let answer = reply.json();
    assert_eq!(answer["token_type"], "bearer");
    assert_eq!(answer["expires_in"], 3600);
    assert_eq!(answer["expires_at"], session.claims()["exp"]);
    assert_eq!(session.user["id"], first.user["id"]);
    assert_ne!(
        session.user["last_sign_in_at"],
        first.user["last_sign_in_at"]
    );
    assert_ne!(session.claims()["session_id"], first.claims()["session_id"]);
    let id: Uuid = session.claims()["session_id"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let row = &app
        .query(
            "select user_agent, host(ip), aal::text from auth.sessions where id = $1",
            &[&id],
        )
        .await[0];
    let found: (&str, &str, &str) = (row.get(0), row.get(1), row.get(2));
    assert_eq!(found, ("tests/1", "203.0.113.9", "aal1"));
}

#[tokio::test]
async fn wrong_credentials_are_refused_alike() {
    let app = TestApp::spawn().await;
    app.sign_up("a@example.com").await;
    for body in [
        json!({ "email": "a@example.com", "password": "wrong" }),
        json!({ "email": "a@example.com" }),
        json!({ "email": "nobody@example.com", "password": PASSWORD }),
        json!({ "phone": "+1 000", "password": PASSWORD }),
    ] {
        let reply = app.post(GRANT, body).await;
        reply.refused(400, "invalid_credentials", "Invalid login credentials");
    }
    app.query("update auth.users set encrypted_password = ''", &[])
        .await;
    let reply = app
        .post(GRANT, json!({ "email": "a@example.com", "password": "" }))
        .await;
    reply.refused(400, "invalid_credentials", "Invalid login credentials");
}

#[tokio::test]
async fn incomplete_requests_are_explained() {
    let app = TestApp::spawn().await;
    app.post(GRANT, json!({ "email": "a", "phone": "1" }))
        .await
        .refused(
            400,
            "validation_failed",
            "Only an email address or phone number should be provided on login.",
        );
    app.post(GRANT, json!({}))
        .await
        .refused(400, "validation_failed", "missing email or phone");
    for grant in ["", "?grant_type=", "?grant_type=authorization_code"] {
        app.post(&format!("/token{grant}"), json!({}))
            .await
            .refused(400, "invalid_credentials", "unsupported_grant_type");
    }
}

#[tokio::test]
async fn bans_and_missing_confirmations_are_named() {
    let app = TestApp::spawn().await;
    app.sign_up("a@example.com").await;
    let body = json!({ "email": "a@example.com", "password": PASSWORD });
    app.query("update auth.users set email_confirmed_at = null", &[])
        .await;
    app.post(GRANT, body.clone())
        .await
        .refused(400, "email_not_confirmed", "Email not confirmed");
    app.query(
        "update auth.users set banned_until = now() + interval '1 hour'",
        &[],
    )
    .await;
    app.post(GRANT, body)
        .await
        .refused(400, "user_banned", "User is banned");
}

#[tokio::test]
async fn a_password_that_became_too_weak_still_signs_in() {
    let app = TestApp::spawn_with(&[("GOTRUE_PASSWORD_MIN_LENGTH", "20")]).await;
    let strong = json!({ "email": "a@example.com", "password": "x".repeat(20) });
    app.post("/signup", strong).await.ok();
    let short = bcrypt::hash(PASSWORD, 4).unwrap();
    app.query("update auth.users set encrypted_password = $1", &[&short])
        .await;
    let body = json!({ "email": "a@example.com", "password": PASSWORD });
    let answer = app.post(GRANT, body).await.ok();
    assert_eq!(
        answer["weak_password"],
        json!({ "message": "Password should be at least 20 characters.", "reasons": ["length"] })
    );
}

#[tokio::test]
async fn the_audience_header_selects_among_users() {
    let app = TestApp::spawn().await;
    let body = json!({ "email": "a@example.com", "password": PASSWORD });
    let other = app
        .request(Method::POST, "/signup")
        .header("x-jwt-aud", "elsewhere")
        .json(&body)
        .send()
        .await;
    let session = Session::of(&other);
    assert_eq!(session.claims()["aud"], "elsewhere");
    app.post(GRANT, body)
        .await
        .refused(400, "invalid_credentials", "Invalid login credentials");
    app.as_user(&session.access_token, Method::GET, "/user")
        .send()
        .await
        .ok();
    let mismatched = app
        .as_user(&session.access_token, Method::GET, "/user")
        .header("x-jwt-aud", "authenticated")
        .send()
        .await;
    mismatched.refused(
        400,
        "validation_failed",
        "Token audience doesn't match request audience",
    );
}

#[tokio::test]
async fn hashes_from_elsewhere_sign_in() {
    let app = TestApp::spawn().await;
    app.sign_up("a@example.com").await;
    let body = json!({ "email": "a@example.com", "password": PASSWORD });
    for (hash, status) in [
        (
            "$argon2id$v=19$m=64,t=3,p=2$d2lsZGZpcmUtc2FsdA$NqyOfrwr2lkHp6T/kQ9tzwwrZxrmYdXHbllqpEgCKVk",
            200,
        ),
        ("$argon2id$v=19$m=64,t=3,p=2$d2lsZGZpcmUtc2FsdA$AAAA", 400),
        ("$argon2id$nonsense", 400),
        (
            "$2a$04$G.1dVDjmDsWdAKFfYNawWTJ5YnlY0N55lY53DswxJJTjki.JVK92C",
            200,
        ),
        (
            "$2$04$G.1dVDjmDsWdAKFfYNawWOJ5YnlY0N55lY53DswxJJTjki.JVK92C",
            200,
        ),
        ("nonsense", 400),
    ] {
        app.query("update auth.users set encrypted_password = $1", &[&hash])
            .await;
        let reply = app.post(GRANT, body.clone()).await;
        assert_eq!(reply.status, status, "{hash}");
    }
}

/// A flow as a mail route leaves it; the code is its id's text.
async fn flow(app: &TestApp, user_id: Option<Uuid>, method: &str, challenge: &str) -> String {
    let id = Uuid::new_v4();
    let now = app.clock.now();
    app.query(
        "insert into auth.flow_state (id, user_id, auth_code, code_challenge_method,
           code_challenge, provider_type, provider_access_token, provider_refresh_token,
           created_at, updated_at, authentication_method)
         values ($1, $2, $1::uuid::text, 's256', $3, 'email', 'theirs', '', $4, $4, $5)",
        &[&id, &user_id, &challenge, &now, &method],
    )
    .await;
    id.to_string()
}

async fn exchange(app: &TestApp, code: &str, verifier: &str) -> Reply {
    let body = json!({ "auth_code": code, "code_verifier": verifier });
    app.post("/token?grant_type=pkce", body).await
}

#[tokio::test]
async fn a_code_is_exchanged_once() {
    let app = TestApp::spawn().await;
    let user_id = app.sign_up("a@example.com").await.user_id();
    let verifier = "v".repeat(43);
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&verifier));
    let code = flow(&app, Some(user_id), "email/signup", &challenge).await;
    exchange(&app, &code, "wrong").await.refused(
        400,
        "bad_code_verifier",
        "code challenge does not match previously saved code verifier",
    );
    let reply = exchange(&app, &code, &verifier).await;
    let session = Session::of(&reply);
    assert_eq!(session.claims()["amr"][0]["method"], "email/signup");
    assert_eq!(reply.json()["provider_token"], "theirs");
    assert!(reply.json().get("provider_refresh_token").is_none());
    let missing = "invalid flow state, no valid flow state found";
    exchange(&app, &code, &verifier)
        .await
        .refused(404, "flow_state_not_found", missing);
    let unbound = flow(&app, None, "oauth", &challenge).await;
    exchange(&app, &unbound, &verifier)
        .await
        .refused(404, "flow_state_not_found", missing);
}

#[tokio::test]
async fn codes_expire_and_must_be_complete() {
    let app = TestApp::spawn().await;
    let user_id = app.sign_up("a@example.com").await.user_id();
    let verifier = "v".repeat(43);
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&verifier));
    let code = flow(&app, Some(user_id), "recovery", &challenge).await;
    app.wait(301);
    exchange(&app, &code, &verifier).await.refused(
        422,
        "flow_state_expired",
        "invalid flow state, flow state has expired",
    );
    exchange(&app, "", &verifier).await.refused(
        400,
        "validation_failed",
        "invalid request: both auth code and code verifier should be non-empty",
    );
}

#[tokio::test]
async fn two_exchanges_of_one_code_make_one_session() {
    let app = TestApp::spawn().await;
    let user_id = app.sign_up("a@example.com").await.user_id();
    let verifier = "v".repeat(43);
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&verifier));
    let code = flow(&app, Some(user_id), "magiclink", &challenge).await;
    let attempts = (0..8).map(|_| exchange(&app, &code, &verifier));
    let replies: Vec<Value> = futures_util::future::join_all(attempts)
        .await
        .iter()
        .map(Reply::json)
        .collect();
    let granted = replies
        .iter()
        .filter(|body| body["access_token"].is_string())
        .count();
    assert_eq!(granted, 1, "{replies:?}");
}
