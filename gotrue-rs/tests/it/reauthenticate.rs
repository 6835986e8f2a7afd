//! `GET /reauthenticate`.

use reqwest::Method;
use serde_json::json;

use crate::app::{Session, TestApp};
use crate::letter::code;
use crate::support::REAUTHENTICATING;

#[tokio::test]
async fn a_code_comes_by_mail_and_allows_a_new_password() {
    let app = TestApp::spawn_with(&[REAUTHENTICATING]).await;
    app.sign_up("ada@example.com").await;
    let session = app.sign_in("ada@example.com").await;
    app.age_sessions().await;
    let put = async |body| app.put_user(&session.access_token, &body).await;
    let text = "Password update requires reauthentication";
    put(json!({ "password": "another-horse" }))
        .await
        .refused(400, "reauthentication_needed", text);
    let reply = app.reauthenticate(&session.access_token).await;
    assert_eq!(reply.ok(), json!({}));
    let mail = app.last_mail();
    let code = code(&mail);
    assert_eq!(mail.subject, format!("{code} is your verification code"));
    let text = "Nonce has expired or is invalid";
    let wrong = if code == "000000" { "000001" } else { "000000" };
    let refused = put(json!({ "password": "another-horse", "nonce": wrong })).await;
    refused.refused(422, "reauthentication_not_valid", text);
    put(json!({ "password": "another-horse", "nonce": code }))
        .await
        .ok();
}

#[tokio::test]
async fn somebody_without_address_and_number_cannot_be_reached() {
    let app = TestApp::spawn().await;
    let session = Session::of(&app.post("/signup", json!({})).await);
    let reply = app.reauthenticate(&session.access_token).await;
    let text = "Reauthentication requires the user to have an email or a phone number";
    reply.refused(400, "validation_failed", text);
}

#[tokio::test]
async fn what_is_not_confirmed_is_not_written_to() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("ada@example.com").await;
    let ask = async || app.reauthenticate(&session.access_token).await;
    app.query("update auth.users set email_confirmed_at = null", &[])
        .await;
    ask().await.refused(
        422,
        "email_not_confirmed",
        "Please verify your email first.",
    );
    app.query("update auth.users set email = null, phone = '123'", &[])
        .await;
    ask().await.refused(
        422,
        "phone_not_confirmed",
        "Please verify your phone first.",
    );
}

#[tokio::test]
async fn only_for_signed_in_users_and_not_too_often() {
    let app = TestApp::spawn().await;
    let text = "This endpoint requires a valid Bearer token";
    app.get("/reauthenticate")
        .await
        .refused(401, "no_authorization", text);
    let session = app.sign_up("ada@example.com").await;
    let ask = async |path: &str| {
        app.as_user(&session.access_token, Method::GET, path)
            .send()
            .await
    };
    ask("/reauthenticate/").await.ok();
    let text = "For security purposes, you can only request this after 60 seconds.";
    ask("/reauthenticate")
        .await
        .refused(429, "over_email_send_rate_limit", text);
}
