//! Guessing at codes.

use reqwest::Method;
use serde_json::{Value, json};

use crate::app::{PASSWORD, Reply, Session, TestApp};
use crate::letter::{CONFIRMING, code, link, token};

const ADA: &str = "ada@example.com";

const DEAD: &str = "Token has expired or is invalid";

/// A code that is not this one.
fn wrong(right: &str) -> String {
    let number: u32 = right.parse().unwrap();
    format!("{:06}", (number + 1) % 1_000_000)
}

async fn guess(app: &TestApp, kind: &str, email: &str, code: &str) -> Reply {
    let body = json!({ "type": kind, "email": email, "token": code });
    app.post("/verify", body).await
}

#[tokio::test]
async fn ten_wrong_tries_spend_the_code_but_not_the_link() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    app.post("/otp", json!({ "email": ADA })).await.ok();
    let mail = app.last_mail();
    let right = code(&mail);
    for kind in ["email", "signup", "email", "invite", "email"].repeat(2) {
        guess(&app, kind, ADA, &wrong(&right))
            .await
            .refused(403, "otp_expired", DEAD);
    }
    guess(&app, "email", ADA, &right)
        .await
        .refused(403, "otp_expired", DEAD);
    guess(&app, "email", "nobody@example.com", &right)
        .await
        .refused(403, "otp_expired", DEAD);
    let body = json!({ "type": "email", "token_hash": token(&mail) });
    Session::of(&app.post("/verify", body).await);
}

#[tokio::test]
async fn nine_wrong_tries_are_forgiven_and_a_new_mail_has_a_count_of_its_own() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    for tries in [9, 10, 9] {
        app.post("/otp", json!({ "email": ADA })).await.ok();
        let right = code(&app.last_mail());
        for _ in 0..tries {
            guess(&app, "email", ADA, &wrong(&right)).await;
        }
        let status = guess(&app, "email", ADA, &right).await.status;
        assert_eq!(status.is_success(), tries < 10, "{tries}");
        app.wait(61);
    }
}

#[tokio::test]
async fn tries_at_the_same_time_are_no_more_than_tries_one_by_one() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    app.post("/otp", json!({ "email": ADA })).await.ok();
    let right = code(&app.last_mail());
    let bad = wrong(&right);
    let guesses = (0..40).map(|_| guess(&app, "email", ADA, &bad));
    futures_util::future::join_all(guesses).await;
    guess(&app, "email", ADA, &right)
        .await
        .refused(403, "otp_expired", DEAD);
}

#[tokio::test]
async fn a_link_cannot_be_worked_out_from_address_and_code() {
    use sha2::Digest as _;
    use std::fmt::Write as _;
    let app = TestApp::spawn_with(&CONFIRMING).await;
    app.post("/otp", json!({ "email": ADA })).await.ok();
    let right = code(&app.last_mail());
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
    let request = app.as_user(&session.access_token, Method::PUT, "/user");
    let body = json!({ "email": "new@example.com" });
    request.json(&body).send().await.ok();
    let mails = app.mails();
    let sent = |to: &str| code(mails.iter().find(|mail| mail.to == to).unwrap());
    let (to_new, to_current) = (sent("new@example.com"), sent(ADA));
    for _ in 0..10 {
        guess(&app, "email_change", "new@example.com", &wrong(&to_new)).await;
    }
    guess(&app, "email_change", "new@example.com", &to_new)
        .await
        .refused(403, "otp_expired", DEAD);
    guess(&app, "email_change", ADA, &to_current).await.ok();
}

#[tokio::test]
async fn ten_wrong_tries_spend_the_code_of_a_reauthentication() {
    let strict = (
        "GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION",
        "true",
    );
    let app = TestApp::spawn_with(&[strict]).await;
    let session = app.sign_up(ADA).await;
    let age = "update auth.sessions set created_at = created_at - interval '2 days'";
    app.query(age, &[]).await;
    let request = app.as_user(&session.access_token, Method::GET, "/reauthenticate");
    request.send().await.ok();
    let right = code(&app.last_mail());
    let put = async |nonce: &str| {
        let body = json!({ "password": "another-horse", "nonce": nonce });
        let request = app.as_user(&session.access_token, Method::PUT, "/user");
        request.json(&body).send().await
    };
    let text = "Nonce has expired or is invalid";
    for _ in 0..10 {
        put(&wrong(&right))
            .await
            .refused(422, "reauthentication_not_valid", text);
    }
    put(&right)
        .await
        .refused(422, "reauthentication_not_valid", text);
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
    let tries = "select count(*) from _wildfire.code_tries";
    assert_eq!(app.count(tries).await, 0);
}

#[tokio::test]
async fn signing_up_again_by_password_does_not_reset_the_count_of_another_mail() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    let body = json!({ "email": ADA, "password": PASSWORD });
    app.post("/signup", body.clone()).await.ok();
    let right = code(&app.last_mail());
    for _ in 0..10 {
        guess(&app, "signup", ADA, &wrong(&right)).await;
    }
    // Too early for another mail: the code stays, and so does its count.
    app.post("/signup", body).await.ok();
    assert_eq!(app.mails().len(), 1);
    guess(&app, "signup", ADA, &right)
        .await
        .refused(403, "otp_expired", DEAD);
}

#[tokio::test]
async fn a_code_dies_with_its_link_when_something_else_is_confirmed() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    let body = json!({ "email": ADA, "password": PASSWORD });
    app.post("/signup", body).await.ok();
    let confirmation = link(&app.last_mail());
    app.post("/recover", json!({ "email": ADA })).await.ok();
    let right = code(&app.last_mail());
    assert!(app.open(&confirmation).await.status.is_redirection());
    for kind in ["recovery", "email", "magiclink"] {
        guess(&app, kind, ADA, &right)
            .await
            .refused(403, "otp_expired", DEAD);
    }
}

#[tokio::test]
async fn the_code_of_a_reauthentication_dies_when_something_else_is_confirmed() {
    let strict = (
        "GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION",
        "true",
    );
    let app = TestApp::spawn_with(&[strict]).await;
    let session = app.sign_up(ADA).await;
    let age = "update auth.sessions set created_at = created_at - interval '2 days'";
    app.query(age, &[]).await;
    let request = app.as_user(&session.access_token, Method::GET, "/reauthenticate");
    request.send().await.ok();
    let right = code(&app.last_mail());
    app.post("/recover", json!({ "email": ADA })).await.ok();
    assert!(
        app.open(&link(&app.last_mail()))
            .await
            .status
            .is_redirection()
    );
    let request = app.as_user(&session.access_token, Method::PUT, "/user");
    let body = json!({ "password": "another-horse", "nonce": right });
    request.json(&body).send().await.refused(
        422,
        "reauthentication_not_valid",
        "Nonce has expired or is invalid",
    );
}

#[tokio::test]
async fn tries_at_a_code_by_message_are_kept_as_long_as_it_lives() {
    let app = TestApp::spawn_with(&[
        (
            "GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION",
            "true",
        ),
        ("GOTRUE_SMS_TEST_OTP", "1234567890:654321"),
        ("GOTRUE_SMS_OTP_EXP", "172800"),
    ])
    .await;
    let account = json!({ "phone": "1234567890", "password": PASSWORD });
    app.post("/signup", account.clone()).await.ok();
    let sign_in = async || {
        let path = "/token?grant_type=password";
        let session = Session::of(&app.post(path, account.clone()).await);
        let age = "update auth.sessions set created_at = created_at - interval '2 days'";
        app.query(age, &[]).await;
        session.access_token
    };
    let put = async |token: &str, nonce: &str| {
        let body = json!({ "password": "another-horse", "nonce": nonce });
        let request = app.as_user(token, Method::PUT, "/user");
        request.json(&body).send().await.status
    };
    let token = sign_in().await;
    let ask = app.as_user(&token, Method::GET, "/reauthenticate");
    ask.send().await.ok();
    for _ in 0..10 {
        assert_eq!(put(&token, "000000").await, 422);
    }
    app.wait(25 * 3600);
    app.forget_old_tries().await;
    assert_eq!(put(&sign_in().await, "654321").await, 422);
    app.wait(48 * 3600);
    app.forget_old_tries().await;
    assert_eq!(
        app.count("select count(*) from _wildfire.code_tries").await,
        0
    );
}
