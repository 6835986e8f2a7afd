//! `POST /magiclink`.

use reqwest::Method;
use serde_json::json;

use crate::app::{Session, TestApp};
use crate::letter::{CONFIRMING, code, confirming_with, in_fragment, link};

#[tokio::test]
async fn a_new_address_is_signed_up_and_gets_the_confirmation() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    let body = json!({ "email": "ada@example.com", "data": { "name": "Ada" } });
    assert_eq!(app.post("/magiclink", body).await.ok(), json!({}));
    let mail = app.last_mail();
    assert_eq!(mail.subject, "Confirm your email address");
    let location = app.open(&link(&mail)).await;
    let location = location.header("location").unwrap();
    assert_eq!(in_fragment(location, "type"), "signup");
    let users = app
        .query("select raw_user_meta_data ->> 'name' from auth.users", &[])
        .await;
    assert_eq!(users[0].get::<_, &str>(0), "Ada");
}

#[tokio::test]
async fn with_autoconfirm_a_new_address_gets_the_link_at_once() {
    let app = TestApp::spawn().await;
    app.post("/magiclink", json!({ "email": "ada@example.com" }))
        .await
        .ok();
    assert_eq!(app.mails().len(), 1);
    assert_eq!(app.last_mail().subject, "Your sign-in link");
}

#[tokio::test]
async fn a_known_address_gets_a_link_and_a_code() {
    let app = TestApp::spawn().await;
    app.sign_up("ada@example.com").await;
    app.post("/magiclink", json!({ "email": "ada@example.com" }))
        .await
        .ok();
    let mail = app.last_mail();
    assert!(link(&mail).contains("&type=magiclink&"));
    let body = json!({ "type": "magiclink", "email": "ada@example.com", "token": code(&mail) });
    Session::of(&app.post("/verify", body).await);
    let sql = "select count(*) from auth.audit_log_entries where payload ->> 'action' = $1";
    let requested = app.query(sql, &[&"user_recovery_requested"]).await;
    assert_eq!(requested[0].get::<_, i64>(0), 1);
}

#[tokio::test]
async fn what_follows_the_body_is_ignored_here() {
    let app = TestApp::spawn().await;
    let send = async |body: &'static str| {
        app.request(Method::POST, "/magiclink")
            .body(body)
            .send()
            .await
    };
    send("").await.refused_as(400, "bad_json");
    send(r#"{"email":"ada@example.com"} and more"#).await.ok();
    let text = "Password recovery requires an email";
    send("{}").await.refused(422, "validation_failed", text);
}

#[tokio::test]
async fn magic_links_can_be_switched_off() {
    for (name, text) in [
        ("GOTRUE_EXTERNAL_EMAIL_ENABLED", "Email logins are disabled"),
        (
            "GOTRUE_EXTERNAL_EMAIL_MAGIC_LINK_ENABLED",
            "Login with magic link is disabled",
        ),
    ] {
        let app = TestApp::spawn_with(&[(name, "false")]).await;
        let reply = app
            .post("/magiclink", json!({ "email": "ada@example.com" }))
            .await;
        reply.refused(422, "email_provider_disabled", text);
    }
}

#[tokio::test]
async fn closed_sign_up_does_not_show_who_has_an_account() {
    let app = TestApp::spawn_with(&[("GOTRUE_DISABLE_SIGNUP", "true")]).await;
    let reply = app
        .post("/magiclink", json!({ "email": "ada@example.com" }))
        .await;
    assert_eq!(reply.ok(), json!({}));
    assert!(app.mails().is_empty());
    assert_eq!(app.count("select count(*) from auth.users").await, 0);
}

#[tokio::test]
async fn the_password_nobody_knows_satisfies_every_policy() {
    let policy = (
        "GOTRUE_PASSWORD_REQUIRED_CHARACTERS",
        "abc:ABC:0123456789:!@#",
    );
    let app = TestApp::spawn_with(&confirming_with(&[policy])).await;
    for user in 0..5 {
        app.post(
            "/magiclink",
            json!({ "email": format!("u{user}@example.com") }),
        )
        .await
        .ok();
    }
}
