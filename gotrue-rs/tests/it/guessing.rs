//! Guessing at codes.

use reqwest::Method;
use serde_json::{Value, json};

use crate::app::{PASSWORD, Session, TestApp};
use crate::letter::{CONFIRMING, code, link, token};
use crate::support::{DEAD_CODE, REAUTHENTICATING};

const ADA: &str = "ada@example.com";

const DEAD_NONCE: &str = "Nonce has expired or is invalid";

/// A code that is not this one.
fn wrong(right: &str) -> String {
    let number: u32 = right.parse().unwrap();
    format!("{:06}", (number + 1) % 1_000_000)
}

/// Somebody signed in long ago, who asked for the code that another password takes.
async fn reauthenticating() -> (TestApp, Session, String) {
    let app = TestApp::spawn_with(&[REAUTHENTICATING]).await;
    let session = app.sign_up(ADA).await;
    app.age_sessions().await;
    app.reauthenticate(&session.access_token).await.ok();
    let right = code(&app.last_mail());
    (app, session, right)
}

#[tokio::test]
async fn ten_wrong_tries_spend_the_code_but_not_the_link() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    let right = app.mailed_code(ADA).await;
    for kind in ["email", "signup", "email", "invite", "email"].repeat(2) {
        app.try_code(kind, ADA, &wrong(&right))
            .await
            .refused(403, "otp_expired", DEAD_CODE);
    }
    app.try_code("email", ADA, &right)
        .await
        .refused(403, "otp_expired", DEAD_CODE);
    app.try_code("email", "nobody@example.com", &right)
        .await
        .refused(403, "otp_expired", DEAD_CODE);
    app.redeem("email", &token(&app.last_mail())).await;
}

#[tokio::test]
async fn nine_wrong_tries_are_forgiven_and_a_new_mail_has_a_count_of_its_own() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    for tries in [9, 10, 9] {
        let right = app.mailed_code(ADA).await;
        for _ in 0..tries {
            app.try_code("email", ADA, &wrong(&right)).await;
        }
        let status = app.try_code("email", ADA, &right).await.status;
        assert_eq!(status.is_success(), tries < 10, "{tries}");
        app.wait(61);
    }
}

#[tokio::test]
async fn tries_at_the_same_time_are_no_more_than_tries_one_by_one() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    let right = app.mailed_code(ADA).await;
    let bad = wrong(&right);
    let guesses = (0..40).map(|_| app.try_code("email", ADA, &bad));
    futures_util::future::join_all(guesses).await;
    app.try_code("email", ADA, &right)
        .await
        .refused(403, "otp_expired", DEAD_CODE);
}

#[tokio::test]
async fn a_link_cannot_be_worked_out_from_address_and_code() {
    use sha2::Digest as _;
    use std::fmt::Write as _;
    let app = TestApp::spawn_with(&CONFIRMING).await;
    let right = app.mailed_code(ADA).await;
    let digest = sha2::Sha224::digest(format!("{ADA}{right}"));
    let hash = digest.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    let body = json!({ "type": "email", "token_hash": hash });
    let reply = app.post("/verify", body).await;
    assert_eq!(reply.status, 403, "{}", reply.body);
}

#[tokio::test]
async fn codes_of_a_change_of_address_are_spent_one_by_one() {
    let app = TestApp::spawn().await;
    let session = app.sign_up(ADA).await;
    let body = json!({ "email": "new@example.com" });
    app.put_user(&session.access_token, &body).await.ok();
    let sent = |to: &str| code(&app.mail_to(to));
    let (to_new, to_current) = (sent("new@example.com"), sent(ADA));
    for _ in 0..10 {
        app.try_code("email_change", "new@example.com", &wrong(&to_new))
            .await;
    }
    app.try_code("email_change", "new@example.com", &to_new)
        .await
        .refused(403, "otp_expired", DEAD_CODE);
    app.try_code("email_change", ADA, &to_current).await.ok();
}

#[tokio::test]
async fn ten_wrong_tries_spend_the_code_of_a_reauthentication() {
    let (app, session, right) = reauthenticating().await;
    let put = async |nonce: &str| {
        let body = json!({ "password": "another-horse", "nonce": nonce });
        app.put_user(&session.access_token, &body).await
    };
    for _ in 0..10 {
        put(&wrong(&right))
            .await
            .refused(422, "reauthentication_not_valid", DEAD_NONCE);
    }
    put(&right)
        .await
        .refused(422, "reauthentication_not_valid", DEAD_NONCE);
}

#[tokio::test]
async fn codes_of_a_second_factor_cannot_be_tried_for_ever() {
    let app = TestApp::spawn().await;
    let session = app.sign_up(ADA).await;
    let post = async |path: String, body: Value| {
        let request = app.as_user(&session.access_token, Method::POST, &path);
        request.json(&body).send().await
    };
    let enroll = json!({ "factor_type": "totp", "friendly_name": "app" });
    let factor = post("/factors".to_owned(), enroll).await.ok();
    let (id, secret) = (
        factor["id"].as_str().unwrap().to_owned(),
        factor["totp"]["secret"].as_str().unwrap().to_owned(),
    );
    let answer = async |right: bool| {
        let open = post(format!("/factors/{id}/challenge"), json!({}))
            .await
            .ok();
        let shown = crate::factors::code(&app, &secret);
        let code = if right { shown } else { wrong(&shown) };
        let body = json!({ "challenge_id": open["id"], "code": code });
        post(format!("/factors/{id}/verify"), body).await
    };
    for _ in 0..10 {
        assert_eq!(answer(false).await.status, 422);
    }
    let refused = answer(true).await;
    refused.refused(429, "over_request_rate_limit", "Request rate limit reached");
    assert!(refused.header("retry-after").is_some());
    app.wait(15 * 60 + 1);
    answer(true).await.ok();
    let tries = "select count(*) from _wildfire_auth.code_tries";
    assert_eq!(app.count(tries).await, 0);
}

#[tokio::test]
async fn signing_up_again_by_password_does_not_reset_the_count_of_another_mail() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    let right = code(&app.sign_up_to_confirm(ADA).await);
    for _ in 0..10 {
        app.try_code("signup", ADA, &wrong(&right)).await;
    }
    // Too early for another mail: the code stays, and so does its count.
    app.sign_up_to_confirm(ADA).await;
    assert_eq!(app.mails().len(), 1);
    app.try_code("signup", ADA, &right)
        .await
        .refused(403, "otp_expired", DEAD_CODE);
}

#[tokio::test]
async fn a_code_dies_with_its_link_when_something_else_is_confirmed() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    let confirmation = link(&app.sign_up_to_confirm(ADA).await);
    app.post("/recover", json!({ "email": ADA })).await.ok();
    let right = code(&app.last_mail());
    assert!(app.open(&confirmation).await.status.is_redirection());
    for kind in ["recovery", "email", "magiclink"] {
        app.try_code(kind, ADA, &right)
            .await
            .refused(403, "otp_expired", DEAD_CODE);
    }
}

#[tokio::test]
async fn the_code_of_a_reauthentication_dies_when_something_else_is_confirmed() {
    let (app, session, right) = reauthenticating().await;
    app.post("/recover", json!({ "email": ADA })).await.ok();
    assert!(
        app.open(&link(&app.last_mail()))
            .await
            .status
            .is_redirection()
    );
    let body = json!({ "password": "another-horse", "nonce": right });
    app.put_user(&session.access_token, &body).await.refused(
        422,
        "reauthentication_not_valid",
        DEAD_NONCE,
    );
}

#[tokio::test]
async fn tries_at_a_code_by_message_are_kept_as_long_as_it_lives() {
    let app = TestApp::spawn_with(&[
        REAUTHENTICATING,
        ("GOTRUE_SMS_TEST_OTP", "1234567890:654321"),
        ("GOTRUE_SMS_OTP_EXP", "172800"),
    ])
    .await;
    let account = json!({ "phone": "1234567890", "password": PASSWORD });
    app.post("/signup", account.clone()).await.ok();
    let sign_in = async || {
        let path = "/token?grant_type=password";
        let session = Session::of(&app.post(path, account.clone()).await);
        app.age_sessions().await;
        session.access_token
    };
    let put = async |token: &str, nonce: &str| {
        let body = json!({ "password": "another-horse", "nonce": nonce });
        app.put_user(token, &body).await.status
    };
    let token = sign_in().await;
    app.reauthenticate(&token).await.ok();
    for _ in 0..10 {
        assert_eq!(put(&token, "000000").await, 422);
    }
    app.wait(25 * 3600);
    app.forget_old_codes().await;
    assert_eq!(put(&sign_in().await, "654321").await, 422);
    app.wait(48 * 3600);
    app.forget_old_codes().await;
    assert_eq!(
        app.count("select count(*) from _wildfire_auth.code_tries")
            .await,
        0
    );
}
