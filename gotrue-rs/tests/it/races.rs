//! What changes between a request's first look and its lock.

use reqwest::Method;
use serde_json::json;

use crate::app::{PASSWORD, TestApp};
use crate::letter::CONFIRMING;

const ADA: &str = "ada@example.com";

const CONFIRM: &str = "delete from auth.one_time_tokens;
    update auth.users set email_confirmed_at = now(), confirmation_token = ''";

/// Tokens that confirm an address, by either way to find them.
const TOKENS: &str = "select (select count(*) from auth.one_time_tokens)
    + (select count(*) from auth.users where confirmation_token <> '')";

async fn signed_up() -> TestApp {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    let body = json!({ "email": ADA, "password": PASSWORD, "data": { "name": "Ada" } });
    app.post("/signup", body).await.ok();
    app.wait(61);
    app
}

#[tokio::test]
async fn a_sign_up_that_meets_a_confirmation_mails_nothing() {
    let app = signed_up().await;
    let body = json!({ "email": ADA, "password": PASSWORD });
    let reply = app.during(CONFIRM, app.post("/signup", body)).await;
    assert_eq!(reply.ok()["email"], ADA);
    assert_eq!((app.count(TOKENS).await, app.mails().len()), (0, 1));
}

#[tokio::test]
async fn a_sign_up_that_meets_another_one_is_answered_as_if_it_came_later() {
    let app = signed_up().await;
    let body = json!({ "email": ADA, "password": PASSWORD });
    let another = "update auth.users set confirmation_sent_at = now() + interval '61 seconds'";
    let reply = app.during(another, app.post("/signup", body)).await;
    assert_eq!(reply.ok()["email"], ADA);
    assert_eq!(app.mails().len(), 1);
}

#[tokio::test]
async fn a_sign_up_that_meets_a_deletion_opens_another_account() {
    let app = signed_up().await;
    let body = json!({ "email": ADA, "password": PASSWORD });
    let delete = "delete from auth.users";
    let reply = app.during(delete, app.post("/signup", body)).await;
    assert_eq!(reply.ok()["email"], ADA);
    assert_eq!(app.count("select count(*) from auth.users").await, 1);
    assert_eq!(app.mails().len(), 2);
}

#[tokio::test]
async fn an_invitation_that_meets_a_confirmation_is_refused() {
    let app = signed_up().await;
    let body = json!({ "email": ADA, "data": { "team": "blue" } });
    let invite = app.as_admin(Method::POST, "/invite").json(&body);
    let reply = app.during(CONFIRM, invite.send()).await;
    let text = "A user with this email address has already been registered";
    reply.refused(422, "email_exists", text);
    assert_eq!((app.count(TOKENS).await, app.mails().len()), (0, 1));
    let changed = "select count(*) from auth.users
        where raw_user_meta_data ? 'team' or encrypted_password = ''";
    assert_eq!(app.count(changed).await, 0);
}

#[tokio::test]
async fn an_invitation_that_meets_a_deletion_opens_an_account() {
    let app = signed_up().await;
    let body = json!({ "email": ADA, "data": { "team": "blue" } });
    let invite = app.as_admin(Method::POST, "/invite").json(&body);
    let reply = app.during("delete from auth.users", invite.send()).await;
    assert_eq!(reply.ok()["user_metadata"], json!({ "team": "blue" }));
}

#[tokio::test]
async fn who_is_signed_out_or_banned_before_his_change_begins_does_not_make_it() {
    let app = TestApp::spawn().await;
    let session = app.sign_up(ADA).await;
    let hash = async || {
        let rows = app.query("select encrypted_password from auth.users", &[]);
        rows.await[0].get::<_, String>(0)
    };
    let before = hash().await;
    let change = || {
        let change = app.as_user(&session.access_token, Method::PUT, "/user");
        change.json(&json!({ "password": "another one 2" })).send()
    };
    let ban = "update auth.users set banned_until = now() + interval '1 day'";
    let reply = app.during(ban, change()).await;
    reply.refused(403, "user_banned", "User is banned");
    let free = app.superuser().await;
    free.batch("update auth.users set banned_until = null")
        .await
        .unwrap();
    let sign_out = "update auth.users set updated_at = now(); delete from auth.sessions";
    let reply = app.during(sign_out, change()).await;
    let text = "Session from session_id claim in JWT does not exist";
    reply.refused(403, "session_not_found", text);
    assert_eq!(hash().await, before);
}

#[tokio::test]
async fn an_address_left_meanwhile_is_not_taken_back_without_a_mail() {
    let app = TestApp::spawn().await;
    let session = app.sign_up(ADA).await;
    let body = json!({ "email": ADA });
    let change = app.as_user(&session.access_token, Method::PUT, "/user");
    let meanwhile = "update auth.users set email = 'new@example.com'";
    let reply = app.during(meanwhile, change.json(&body).send()).await;
    let text = "The account was changed meanwhile, please try again";
    reply.refused(409, "conflict", text);
    let kept = "select count(*) from auth.users where email = 'new@example.com'";
    assert_eq!(app.count(kept).await, 1);
}

#[tokio::test]
async fn a_number_that_somebody_else_gets_meanwhile_is_taken() {
    let number = ("GOTRUE_SMS_TEST_OTP", "1234567890:654321");
    let app = TestApp::spawn_with(&[number, ("GOTRUE_SMS_AUTOCONFIRM", "false")]).await;
    let session = app.sign_up(ADA).await;
    app.sign_up("bob@example.com").await;
    let change = app.as_user(&session.access_token, Method::PUT, "/user");
    let body = json!({ "phone": "1234567890" });
    change.json(&body).send().await.ok();
    let body = json!({ "type": "phone_change", "phone": "1234567890", "token": "654321" });
    let meanwhile = "update auth.users set phone = '1234567890' where email = 'bob@example.com'";
    let reply = app.during(meanwhile, app.post("/verify", body)).await;
    let text = "A user with this phone number has already been registered";
    reply.refused(422, "phone_exists", text);
    let kept = "select count(*) from auth.users where phone_change = '1234567890'";
    assert_eq!(app.count(kept).await, 1);
}
