//! `POST /verify`.

use reqwest::Method;
use serde_json::{Value, json};

use crate::app::{Session, TestApp};
use crate::letter::{CONFIRMING, code, confirming_with, token};
use crate::support::DEAD_CODE;

const DEAD_LINK: &str = "Email link is invalid or has expired";

const ADA: &str = "ada@example.com";

/// Ada, signed in with the code that confirmed her address.
async fn confirmed(app: &TestApp) -> Session {
    let mail = app.sign_up_to_confirm(ADA).await;
    Session::of(&app.post("/verify", with_code("signup", &code(&mail))).await)
}

fn with_code(kind: &str, code: &str) -> Value {
    json!({ "type": kind, "email": "ada@example.com", "token": code })
}

#[tokio::test]
async fn a_code_confirms_the_address_once() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    app.sign_up_to_confirm(ADA).await;
    let code = code(&app.last_mail());
    let session = Session::of(&app.post("/verify", with_code("signup", &code)).await);
    assert_eq!(session.user["email"], "ada@example.com");
    assert!(session.user["email_confirmed_at"].is_string());
    assert!(session.user["confirmed_at"].is_string());
    assert_eq!(
        session.user["identities"][0]["identity_data"]["email_verified"],
        true
    );
    assert_eq!(session.user["user_metadata"]["email_verified"], true);
    assert_eq!(session.claims()["aal"], "aal1");
    let again = app.post("/verify", with_code("signup", &code)).await;
    again.refused(403, "otp_expired", DEAD_CODE);
}

#[tokio::test]
async fn a_hash_confirms_the_address_once() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    app.sign_up_to_confirm(ADA).await;
    let body = json!({ "type": "email", "token_hash": token(&app.last_mail()) });
    Session::of(&app.post("/verify", body.clone()).await);
    app.post("/verify", body)
        .await
        .refused(403, "otp_expired", DEAD_LINK);
}

#[tokio::test]
async fn one_token_redeemed_by_many_at_once_signs_in_once() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    app.sign_up_to_confirm(ADA).await;
    let by_code = with_code("signup", &code(&app.last_mail()));
    let by_hash = json!({ "type": "signup", "token_hash": token(&app.last_mail()) });
    for body in [by_hash, by_code] {
        let tries = (0..8).map(|_| app.post("/verify", body.clone()));
        let replies = futures_util::future::join_all(tries).await;
        let sessions = replies.iter().filter(|reply| reply.status == 200).count();
        assert!(sessions <= 1, "{sessions} sessions");
    }
    assert_eq!(app.count("select count(*) from auth.sessions").await, 1);
}

#[tokio::test]
async fn codes_die_with_age() {
    let app = TestApp::spawn_with(&confirming_with(&[("GOTRUE_MAILER_OTP_EXP", "900")])).await;
    app.sign_up_to_confirm(ADA).await;
    let (code, token) = (code(&app.last_mail()), token(&app.last_mail()));
    app.wait(901);
    app.post("/verify", with_code("signup", &code))
        .await
        .refused(403, "otp_expired", DEAD_CODE);
    let by_hash = json!({ "type": "signup", "token_hash": token });
    app.post("/verify", by_hash)
        .await
        .refused(403, "otp_expired", DEAD_LINK);
}

#[tokio::test]
async fn unknown_users_wrong_codes_and_unknown_types_look_alike() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    app.sign_up_to_confirm(ADA).await;
    let right = code(&app.last_mail());
    let wrong = if right == "000000" {
        "000001"
    } else {
        "000000"
    };
    for body in [
        with_code("signup", wrong),
        with_code("recovery", &right),
        with_code("something", &right),
        json!({ "type": "signup", "email": "eve@example.com", "token": right }),
        json!({ "type": "sms", "phone": "1234567890", "token": right }),
        json!({ "type": "email_change", "email": "ada@example.com", "token": right }),
    ] {
        app.post("/verify", body)
            .await
            .refused(403, "otp_expired", DEAD_CODE);
    }
}

#[tokio::test]
async fn requests_that_make_no_sense_are_refused() {
    let app = TestApp::spawn().await;
    let invalid = "validation_failed";
    for (body, text) in [
        (json!({}), "Verify requires a verification type"),
        (
            json!({ "type": "signup" }),
            "Verify requires either a token or a token hash",
        ),
        (
            json!({ "type": "signup", "token": "1", "token_hash": "2" }),
            "Verify requires either a token or a token hash",
        ),
        (
            json!({ "type": "signup", "token": "1" }),
            "Only an email address or phone number should be provided on verify",
        ),
        (
            json!({ "type": "signup", "token": "1", "email": "a@example.com", "phone": "123" }),
            "Only an email address or phone number should be provided on verify",
        ),
        (
            json!({ "type": "signup", "token_hash": "1", "email": "a@example.com" }),
            "Only the token_hash and type should be provided",
        ),
        (
            json!({ "type": "signup", "token_hash": "1", "redirect_to": "x" }),
            "Only the token_hash and type should be provided",
        ),
        (
            json!({ "type": "sms", "token": "1", "phone": "x" }),
            "Invalid phone number format (E.164 required)",
        ),
        (
            json!({ "type": "sms", "token_hash": "1" }),
            "Invalid email verification type",
        ),
    ] {
        app.post("/verify", body).await.refused(400, invalid, text);
    }
    let body = json!({ "type": "signup", "token": "1", "email": "x" });
    app.post("/verify", body)
        .await
        .refused(422, invalid, "Invalid email format");
}

#[tokio::test]
async fn refusals_come_in_the_newer_format_for_those_who_ask() {
    let app = TestApp::spawn().await;
    let body = json!({ "type": "signup", "token_hash": "unknown" });
    let reply = app
        .request(Method::POST, "/verify")
        .v2024()
        .json(&body)
        .send()
        .await;
    assert_eq!(reply.status, 403);
    assert_eq!(
        reply.json(),
        json!({ "code": "otp_expired", "message": DEAD_LINK })
    );
    assert_eq!(reply.header("x-supabase-api-version"), Some("2024-01-01"));
}

#[tokio::test]
async fn banned_users_redeem_nothing() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    app.sign_up_to_confirm(ADA).await;
    let until = app.clock.now() + jiff::SignedDuration::from_hours(1);
    app.query("update auth.users set banned_until = $1", &[&until])
        .await;
    let body = with_code("signup", &code(&app.last_mail()));
    app.post("/verify", body)
        .await
        .refused(403, "user_banned", "User is banned");
}

#[tokio::test]
async fn an_address_changes_when_both_mailboxes_agree() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    let session = confirmed(&app).await;
    let body = json!({ "email": "lovelace@example.com" });
    app.put_user(&session.access_token, &body).await.ok();
    let (old, new) = (
        app.mail_to("ada@example.com"),
        app.mail_to("lovelace@example.com"),
    );
    assert_eq!(old.subject, "Confirm your new email address");
    let verify = async |email: &str, code: String| app.try_code("email_change", email, &code).await;
    let half = verify("ada@example.com", code(&old)).await;
    let text = "Confirmation link accepted. Please proceed to confirm link sent to the other email";
    assert_eq!(half.body, format!(r#"{{"code":"200","msg":"{text}"}}"#));
    verify("ada@example.com", code(&old))
        .await
        .refused(403, "otp_expired", DEAD_CODE);
    let changed = Session::of(&verify("lovelace@example.com", code(&new)).await);
    assert_eq!(changed.user["email"], "lovelace@example.com");
    assert_eq!(
        changed.user["identities"][0]["email"],
        "lovelace@example.com"
    );
    assert!(changed.user.get("new_email").is_none());
    verify("lovelace@example.com", code(&new))
        .await
        .refused(403, "otp_expired", DEAD_CODE);
}

#[tokio::test]
async fn with_pkce_one_mailbox_does_not_confirm_for_both() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    let session = confirmed(&app).await;
    let body = json!({
        "email": "lovelace@example.com",
        "code_challenge": "a".repeat(43), "code_challenge_method": "s256",
    });
    app.put_user(&session.access_token, &body).await.ok();
    let new = app.mail_to("lovelace@example.com");
    let body = json!({
        "type": "email_change", "email": "lovelace@example.com", "token": code(&new),
    });
    let half = app.post("/verify", body.clone()).await;
    assert_eq!(half.json()["code"], "200");
    app.post("/verify", body)
        .await
        .refused(403, "otp_expired", DEAD_CODE);
}

#[tokio::test]
async fn where_one_mailbox_is_enough_the_new_one_decides() {
    let one = ("GOTRUE_MAILER_SECURE_EMAIL_CHANGE_ENABLED", "false");
    let notice = ("GOTRUE_MAILER_NOTIFICATIONS_EMAIL_CHANGED_ENABLED", "true");
    let app = TestApp::spawn_with(&confirming_with(&[one, notice])).await;
    let session = confirmed(&app).await;
    let body = json!({ "email": "lovelace@example.com" });
    app.put_user(&session.access_token, &body).await.ok();
    let mail = app.last_mail();
    assert_eq!(mail.to, "lovelace@example.com");
    let body = json!({ "type": "email_change", "token_hash": token(&mail) });
    let changed = Session::of(&app.post("/verify", body).await);
    assert_eq!(changed.user["email"], "lovelace@example.com");
    let notice = app.last_mail();
    assert_eq!(notice.to, "ada@example.com");
    assert_eq!(notice.subject, "Your email address was changed");
}

#[tokio::test]
async fn an_address_that_somebody_else_confirmed_meanwhile_is_taken() {
    let one = ("GOTRUE_MAILER_SECURE_EMAIL_CHANGE_ENABLED", "false");
    let app = TestApp::spawn_with(&confirming_with(&[one])).await;
    let session = confirmed(&app).await;
    let change = json!({ "email": "lovelace@example.com" });
    app.put_user(&session.access_token, &change).await.ok();
    let token = token(&app.last_mail());
    let insert = "insert into auth.users (id, aud, role, email, email_confirmed_at)
        values (gen_random_uuid(), 'authenticated', 'authenticated', 'lovelace@example.com', now())";
    app.query(insert, &[]).await;
    let body = json!({ "type": "email_change", "token_hash": token });
    let text = "A user with this email address has already been registered";
    app.post("/verify", body)
        .await
        .refused(422, "email_exists", text);
    let link = format!("/verify?type=email_change&token={token}");
    let reply = app.get(&link).await;
    assert_eq!(reply.status, 303, "{}", reply.body);
    let location = reply.header("location").unwrap();
    assert!(location.contains("error_code=email_exists"), "{location}");
    assert!(!location.contains("server_error"), "{location}");
}

#[tokio::test]
async fn a_confirmation_voids_all_other_links_and_codes() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    app.sign_up_to_confirm(ADA).await;
    let confirmation = code(&app.last_mail());
    app.post("/recover", json!({ "email": "ada@example.com" }))
        .await
        .ok();
    let recovery = app.last_mail();
    Session::of(
        &app.post("/verify", with_code("signup", &confirmation))
            .await,
    );
    let by_hash = json!({ "type": "recovery", "token_hash": token(&recovery) });
    app.post("/verify", by_hash)
        .await
        .refused(403, "otp_expired", DEAD_LINK);
    app.post("/verify", with_code("recovery", &code(&recovery)))
        .await
        .refused(403, "otp_expired", DEAD_CODE);
}
