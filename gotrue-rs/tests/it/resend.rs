//! `POST /resend`.

use reqwest::Method;
use serde_json::json;

use crate::app::{PASSWORD, Session, TestApp};
use crate::letter::{CONFIRMING, code};

async fn signed_up(app: &TestApp) {
    let body = json!({ "email": "ada@example.com", "password": PASSWORD });
    app.post("/signup", body).await.ok();
}

#[tokio::test]
async fn a_pending_confirmation_is_sent_again_with_another_code() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    signed_up(&app).await;
    let first = code(&app.last_mail());
    app.wait(61);
    let body = json!({ "type": "signup", "email": "ada@example.com" });
    assert_eq!(app.post("/resend", body).await.ok(), json!({}));
    assert_eq!(app.mails().len(), 2);
    let verify =
        |code: &str| json!({ "type": "signup", "email": "ada@example.com", "token": code });
    let second = code(&app.last_mail());
    if first != second {
        let reply = app.post("/verify", verify(&first)).await;
        reply.refused(403, "otp_expired", "Token has expired or is invalid");
    }
    Session::of(&app.post("/verify", verify(&second)).await);
}

#[tokio::test]
async fn who_waits_for_nothing_shows_nowhere() {
    let app = TestApp::spawn_with(&[("GOTRUE_SMS_TEST_OTP", "1234567890:123456")]).await;
    app.sign_up("ada@example.com").await;
    let sent = json!({ "message_id": "test-otp" });
    for (body, answer) in [
        (
            json!({ "type": "signup", "email": "ada@example.com" }),
            json!({}),
        ),
        (
            json!({ "type": "signup", "email": "eve@example.com" }),
            json!({}),
        ),
        (
            json!({ "type": "email_change", "email": "ada@example.com" }),
            json!({}),
        ),
        (
            json!({ "type": "sms", "phone": "1234567890" }),
            sent.clone(),
        ),
        (
            json!({ "type": "phone_change", "phone": "1234567890" }),
            sent,
        ),
    ] {
        assert_eq!(app.post("/resend", body).await.ok(), answer);
    }
    assert!(app.mails().is_empty());
}

#[tokio::test]
async fn without_a_message_provider_nothing_tells_who_waits_for_a_message() {
    let app = TestApp::spawn().await;
    // Without a provider the account is there all the same, and waits.
    let reply = app.post("/otp", json!({ "phone": "1234567890" })).await;
    assert_eq!(reply.status, 500);
    for kind in ["sms", "phone_change"] {
        for phone in ["1234567890", "1234567891", "1234567891"] {
            let body = json!({ "type": kind, "phone": phone });
            let reply = app.post("/resend", body).await;
            assert_eq!(reply.ok(), json!({}), "{kind} {phone}");
        }
    }
}

#[tokio::test]
async fn a_pending_change_is_found_by_the_current_address() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    signed_up(&app).await;
    let body =
        json!({ "type": "signup", "email": "ada@example.com", "token": code(&app.last_mail()) });
    let session = Session::of(&app.post("/verify", body).await);
    let change = json!({ "email": "lovelace@example.com" });
    app.as_user(&session.access_token, Method::PUT, "/user")
        .json(&change)
        .send()
        .await
        .ok();
    let before = app.mails().len();
    app.wait(61);
    app.post(
        "/resend",
        json!({ "type": "email_change", "email": "ada@example.com" }),
    )
    .await
    .ok();
    assert_eq!(app.mails().len(), before + 2);
}

#[tokio::test]
async fn mails_keep_a_distance() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    signed_up(&app).await;
    let body = json!({ "type": "signup", "email": "ada@example.com" });
    let text = "For security purposes, you can only request this after 60 seconds.";
    app.post("/resend", body)
        .await
        .refused(429, "over_email_send_rate_limit", text);
}

#[tokio::test]
async fn requests_that_make_no_sense_are_refused() {
    let app = TestApp::spawn().await;
    for (body, text) in [
        (
            json!({}),
            "Missing one of these types: signup, email_change, sms, phone_change",
        ),
        (
            json!({ "type": "recovery", "email": "a@example.com" }),
            "Missing one of these types: signup, email_change, sms, phone_change",
        ),
        (
            json!({ "type": "signup" }),
            "Type provided requires an email address",
        ),
        (
            json!({ "type": "sms" }),
            "Type provided requires a phone number",
        ),
        (
            json!({ "type": "signup", "email": "a@example.com", "phone": "123" }),
            "Only an email address or phone number should be provided.",
        ),
        (
            json!({ "type": "email_change" }),
            "Missing email address or phone number",
        ),
        (
            json!({ "type": "signup", "email": "a@example.com", "code_challenge": "x" }),
            "PKCE flow requires code_challenge_method and code_challenge",
        ),
        (
            json!({ "type": "signup", "email": "x" }),
            "Unable to validate email address: invalid format",
        ),
    ] {
        app.post("/resend", body)
            .await
            .refused(400, "validation_failed", text);
    }
}

#[tokio::test]
async fn providers_can_be_switched_off() {
    let off = [
        ("GOTRUE_EXTERNAL_EMAIL_ENABLED", "false"),
        ("GOTRUE_EXTERNAL_PHONE_ENABLED", "false"),
    ];
    let app = TestApp::spawn_with(&off).await;
    let body = json!({ "type": "signup", "email": "ada@example.com" });
    let text = "Email logins are disabled";
    app.post("/resend", body)
        .await
        .refused(400, "email_provider_disabled", text);
    let body = json!({ "type": "sms", "phone": "1234567890" });
    let text = "Phone logins are disabled";
    app.post("/resend", body)
        .await
        .refused(400, "phone_provider_disabled", text);
}
