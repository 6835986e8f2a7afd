//! Who gets past the bearer check.

use base64::Engine as _;
use platform_test::tokens;
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::app::TestApp;

fn b64(text: &str) -> String {
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(text)
}

/// A token with these parts, signed with `secret`.
fn hs256(header: &Value, claims: &Value, secret: &[u8]) -> String {
    let message = format!("{}.{}", b64(&header.to_string()), b64(&claims.to_string()));
    let key = aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA256, secret);
    let tag = aws_lc_rs::hmac::sign(&key, message.as_bytes());
    let tag = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(tag);
    format!("{message}.{tag}")
}

const NOT_VERIFIED: &str = "invalid JWT: unable to parse or verify signature, ";

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a table")]
async fn forged_tokens_are_refused() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("a@example.com").await;
    let genuine = session.claims();
    let parts: Vec<_> = session.access_token.split('.').collect();
    let secret = platform::api_keys::DEMO_JWT_SECRET.as_bytes();
    let public_key = app.get("/.well-known/jwks.json").await.body;
    let past = json!({ "sub": genuine["sub"], "exp": 1 });
    let none = json!({ "alg": "none", "typ": "JWT" });
    let hs = json!({ "alg": "HS256", "typ": "JWT" });
    let hs_with_kid = json!({ "alg": "HS256", "typ": "JWT", "kid": "test-key" });
    let rs = json!({ "alg": "RS256", "typ": "JWT" });
    let es_unknown = json!({ "alg": "ES256", "typ": "JWT", "kid": "unknown" });
    let mut admin = genuine.clone();
    admin["role"] = "service_role".into();
    let signature = "token signature is invalid: ";
    let malformed = "token is malformed: ";
    let table = [
        (
            "alg none",
            format!("{}.{}.", b64(&none.to_string()), parts[1]),
            "token signature is invalid: signing method none is invalid",
        ),
        (
            "public key as secret",
            hs256(&hs, &genuine, public_key.as_bytes()),
            "token signature is invalid: signature is invalid",
        ),
        (
            "public key as secret, with kid",
            hs256(&hs_with_kid, &genuine, public_key.as_bytes()),
            signature,
        ),
        (
            "wrong secret",
            hs256(&hs, &genuine, b"guess"),
            "token signature is invalid: signature is invalid",
        ),
        (
            "method not accepted",
            hs256(&rs, &genuine, secret),
            "token signature is invalid: signing method RS256 is invalid",
        ),
        (
            "unknown kid",
            hs256(&es_unknown, &genuine, secret),
            "token is unverifiable: error while executing keyfunc: unrecognized JWT kid unknown for algorithm ES256",
        ),
        (
            "expired",
            hs256(&hs, &past, secret),
            "token has invalid claims: token is expired",
        ),
        (
            "changed claims",
            format!("{}.{}.{}", parts[0], b64(&admin.to_string()), parts[2]),
            signature,
        ),
        (
            "no signature",
            format!("{}.{}.", parts[0], parts[1]),
            signature,
        ),
        (
            "two parts",
            format!("{}.{}", parts[0], parts[1]),
            "token is malformed: token contains an invalid number of segments",
        ),
        (
            "garbage",
            "garbage".to_owned(),
            "token is malformed: token contains an invalid number of segments",
        ),
        ("not base64", "a!.b!.c!".to_owned(), malformed),
        (
            "not JSON",
            format!("{}.{}.x", b64("no"), b64("no")),
            malformed,
        ),
    ];
    for (name, token, reason) in table {
        let reply = app.as_user(&token, Method::GET, "/user").send().await;
        assert_eq!(reply.status, 403, "{name}: {}", reply.body);
        let body = reply.json();
        assert_eq!(body["error_code"], "bad_jwt", "{name}");
        let text = body["msg"].as_str().unwrap();
        assert!(
            text.starts_with(&format!("{NOT_VERIFIED}{reason}")),
            "{name}: {text}"
        );
    }
}

#[tokio::test]
async fn an_hs256_token_with_an_unknown_kid_is_checked_against_the_secret() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("a@example.com").await;
    let header = json!({ "alg": "HS256", "typ": "JWT", "kid": "from somewhere else" });
    let secret = platform::api_keys::DEMO_JWT_SECRET.as_bytes();
    let token = hs256(&header, &session.claims(), secret);
    app.as_user(&token, Method::GET, "/user").send().await.ok();
}

#[tokio::test]
async fn a_bearer_token_is_needed() {
    let app = TestApp::spawn().await;
    let text = "This endpoint requires a valid Bearer token";
    for header in [
        "",
        "Bearer",
        "Bearer ",
        "Basic abc",
        "Bearer a b",
        "Bearer  a",
    ] {
        let reply = app
            .request(Method::GET, "/user")
            .header("authorization", header)
            .send()
            .await;
        reply.refused(401, "no_authorization", text);
    }
    app.get("/user")
        .await
        .refused(401, "no_authorization", text);
}

#[tokio::test]
async fn claims_must_name_an_existing_user_and_session() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("a@example.com").await;
    let id = session.user_id().to_string();
    let get = async |token: String| app.as_user(&token, Method::GET, "/user").send().await;
    let with = |claims: Value| tokens::access_token_with(&id, &claims);
    get(with(json!({ "sub": null }))).await.refused(
        403,
        "bad_jwt",
        "invalid claim: missing sub claim",
    );
    get(with(json!({ "sub": "me" }))).await.refused(
        400,
        "bad_jwt",
        "invalid claim: sub claim must be a UUID",
    );
    get(with(json!({ "sub": Uuid::new_v4() }))).await.refused(
        403,
        "user_not_found",
        "User from sub claim in JWT does not exist",
    );
    get(with(json!({ "session_id": "x" }))).await.refused(
        403,
        "bad_jwt",
        "invalid claim: session_id claim must be a UUID",
    );
    get(with(json!({ "session_id": Uuid::new_v4() })))
        .await
        .refused(
            403,
            "session_not_found",
            "Session from session_id claim in JWT does not exist",
        );
    get(with(json!({ "session_id": Uuid::nil() }))).await.ok();
    get(with(json!({ "session_id": null }))).await.ok();
}

#[tokio::test]
async fn banned_users_are_refused_while_the_ban_lasts() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("a@example.com").await;
    let until = app.clock.now() + jiff::SignedDuration::from_secs(60);
    app.query("update auth.users set banned_until = $1", &[&until])
        .await;
    let get = async || {
        app.as_user(&session.access_token, Method::GET, "/user")
            .send()
            .await
    };
    get().await.refused(403, "user_banned", "User is banned");
    app.refresh(&session.refresh_token).await.refused(
        400,
        "user_banned",
        "Invalid Refresh Token: User Banned",
    );
    app.wait(61);
    get().await.ok();
}

#[tokio::test]
async fn without_a_token_no_body_is_waited_for() {
    let app = TestApp::spawn().await;
    for path in ["/admin/oauth", "/admin/oauth/clients"] {
        let request = format!("POST {path} HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n");
        let answer = app.raw(&request, false).await;
        assert!(answer.starts_with("HTTP/1.1 401 "), "{path}: {answer}");
    }
}
