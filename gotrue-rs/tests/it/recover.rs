//! `POST /recover`.

use serde_json::json;

use crate::app::{PASSWORD, Session, TestApp};
use crate::letter::{code, confirming_with, in_fragment, link, token};
use crate::support::{CHALLENGE, VERIFIER};

#[tokio::test]
async fn recovery_mails_a_link_and_a_code_that_sign_in() {
    let app = TestApp::spawn().await;
    app.sign_up("ada@example.com").await;
    let reply = app
        .post("/recover", json!({ "email": "Ada@Example.com" }))
        .await;
    assert_eq!(reply.ok(), json!({}));
    let mail = app.last_mail();
    assert_eq!(mail.to, "ada@example.com");
    assert_eq!(mail.subject, "Reset your password");
    assert_eq!(
        link(&mail),
        format!(
            "http://127.0.0.1:54321/verify?token={}&type=recovery&redirect_to=http://127.0.0.1:8080",
            token(&mail)
        )
    );
    assert_eq!(token(&mail).len(), 56);
    let body = json!({ "type": "recovery", "email": "ada@example.com", "token": code(&mail) });
    let session = Session::of(&app.post("/verify", body).await);
    assert_eq!(session.claims()["amr"][0]["method"], "otp");
}

#[tokio::test]
async fn an_unknown_address_gets_the_same_answer_and_no_mail() {
    let app = TestApp::spawn().await;
    app.sign_up("ada@example.com").await;
    let known = app
        .post("/recover", json!({ "email": "ada@example.com" }))
        .await;
    let unknown = app
        .post("/recover", json!({ "email": "eve@example.com" }))
        .await;
    assert_eq!((known.status, &known.body), (unknown.status, &unknown.body));
    assert_eq!(app.mails().len(), 1);
}

#[tokio::test]
async fn requests_that_make_no_sense_are_refused() {
    let app = TestApp::spawn().await;
    let invalid = "validation_failed";
    for (body, text) in [
        (json!({}), "Password recovery requires an email"),
        (
            json!({ "email": "x" }),
            "Unable to validate email address: invalid format",
        ),
        (
            json!({ "email": "a@example.com", "code_challenge": CHALLENGE }),
            "PKCE flow requires code_challenge_method and code_challenge",
        ),
        (
            json!({ "email": "a@example.com", "code_challenge": "x", "code_challenge_method": "s256" }),
            "code challenge has to be between 43 and 128 characters",
        ),
    ] {
        app.post("/recover", body).await.refused(400, invalid, text);
    }
    let reply = app
        .request(reqwest::Method::POST, "/recover")
        .body("{")
        .send()
        .await;
    reply.refused_as(400, "bad_json");
}

#[tokio::test]
async fn without_the_email_provider_there_is_no_recovery() {
    let app = TestApp::spawn_with(&[("GOTRUE_EXTERNAL_EMAIL_ENABLED", "false")]).await;
    let reply = app
        .post("/recover", json!({ "email": "ada@example.com" }))
        .await;
    reply.refused(400, "email_provider_disabled", "Email logins are disabled");
}

#[tokio::test]
async fn mails_to_one_user_keep_a_distance() {
    let app = TestApp::spawn().await;
    app.sign_up("ada@example.com").await;
    let ask = async || {
        app.post("/recover", json!({ "email": "ada@example.com" }))
            .await
    };
    ask().await.ok();
    app.wait(20);
    ask().await.refused(
        429,
        "over_email_send_rate_limit",
        "For security purposes, you can only request this after 40 seconds.",
    );
    app.wait(40);
    ask().await.ok();
    assert_eq!(app.mails().len(), 2);
}

#[tokio::test]
async fn a_mail_that_fails_leaves_nothing_behind() {
    let app = TestApp::spawn().await;
    let before = app.sign_up("ada@example.com").await;
    let events = app
        .count("select count(*) from auth.audit_log_entries")
        .await;
    app.break_mail(true);
    let reply = app
        .post("/recover", json!({ "email": "ada@example.com" }))
        .await;
    assert_eq!(reply.status, 500);
    assert_eq!(reply.json()["msg"], "Error sending recovery email");
    assert_eq!(
        app.count("select count(*) from auth.one_time_tokens").await,
        0
    );
    assert_eq!(
        app.count("select count(*) from auth.audit_log_entries")
            .await,
        events
    );
    let sql = "select count(*) from auth.users where id = $1 and recovery_token = '' and recovery_sent_at is null";
    let rows = app.query(sql, &[&before.user_id()]).await;
    assert_eq!(rows[0].get::<_, i64>(0), 1);
    app.break_mail(false);
    app.wait(61);
    app.post("/recover", json!({ "email": "ada@example.com" }))
        .await
        .ok();
}

#[tokio::test]
async fn with_pkce_the_link_hands_out_a_code_for_the_verifier() {
    let app = TestApp::spawn().await;
    app.sign_up("ada@example.com").await;
    let body = json!({
        "email": "ada@example.com", "code_challenge": CHALLENGE, "code_challenge_method": "s256",
    });
    app.post("/recover", body).await.ok();
    assert!(token(&app.last_mail()).starts_with("pkce_"));
    let reply = app.open(&link(&app.last_mail())).await;
    assert_eq!(reply.status, 303);
    let location = reply.header("location").unwrap();
    let (page, code) = location.split_once("?code=").unwrap();
    assert_eq!(page, "http://127.0.0.1:8080");
    let body = json!({ "auth_code": code, "code_verifier": VERIFIER });
    let session = Session::of(&app.post("/token?grant_type=pkce", body).await);
    assert_eq!(session.claims()["amr"][0]["method"], "recovery");
}

#[tokio::test]
async fn an_unknown_challenge_method_is_refused() {
    let app = TestApp::spawn().await;
    app.sign_up("ada@example.com").await;
    let body = json!({
        "email": "ada@example.com", "code_challenge": CHALLENGE, "code_challenge_method": "md5",
    });
    let reply = app.post("/recover", body).await;
    let text = "code_challenge_method must be s256 or plain";
    reply.refused(400, "validation_failed", text);
    assert!(app.mails().is_empty());
}

#[tokio::test]
async fn recovery_confirms_an_address_by_the_way() {
    let app = TestApp::spawn_with(&confirming_with(&[])).await;
    let body = json!({ "email": "ada@example.com", "password": PASSWORD });
    app.post("/signup", body).await.ok();
    app.post("/recover", json!({ "email": "ada@example.com" }))
        .await
        .ok();
    let reply = app.open(&link(&app.last_mail())).await;
    let location = reply.header("location").unwrap();
    assert_eq!(in_fragment(location, "type"), "recovery");
    let token = in_fragment(location, "access_token");
    let request = app.as_user(&token, reqwest::Method::PUT, "/user");
    let body = json!({ "password": PASSWORD });
    request.json(&body).send().await.ok();
    app.sign_in("ada@example.com").await;
}
