//! `POST /invite`.

use reqwest::Method;
use serde_json::{Value, json};

use crate::app::{Reply, Session, TestApp};
use crate::letter::{CONFIRMING, code, link};

async fn invite(app: &TestApp, body: Value) -> Reply {
    app.as_admin(Method::POST, "/invite")
        .json(&body)
        .send()
        .await
}

#[tokio::test]
async fn an_invitation_opens_an_account_that_its_owner_completes() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    let reply = invite(
        &app,
        json!({ "email": "Ada@example.com", "data": { "team": 7 } }),
    )
    .await;
    let user = reply.ok();
    assert_eq!(user["email"], "ada@example.com");
    assert_eq!(user["user_metadata"], json!({ "team": 7 }));
    assert_eq!(
        user["identities"][0]["identity_data"]["email_verified"],
        false
    );
    assert!(user["invited_at"].is_string() && user["confirmation_sent_at"].is_string());
    assert!(user.get("email_confirmed_at").is_none());
    let mail = app.last_mail();
    assert_eq!(mail.subject, "You've been invited");
    assert!(link(&mail).contains("&type=invite&"));
    let body = json!({ "type": "invite", "email": "ada@example.com", "token": code(&mail) });
    let session = Session::of(&app.post("/verify", body).await);
    assert_eq!(session.user["id"], user["id"]);
    let hashes = app
        .query("select encrypted_password from auth.users", &[])
        .await;
    // Nothing signs in by password until they set one.
    assert_eq!(hashes[0].get::<_, &str>(0), "");
    let body = json!({ "email": "ada@example.com", "password": "" });
    let reply = app.post("/token?grant_type=password", body).await;
    reply.refused(400, "invalid_credentials", "Invalid login credentials");
}

#[tokio::test]
async fn somebody_who_has_not_answered_can_be_invited_again() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    let first = invite(&app, json!({ "email": "ada@example.com" }))
        .await
        .ok();
    let second = invite(&app, json!({ "email": "ada@example.com" }))
        .await
        .ok();
    assert_eq!(first["id"], second["id"]);
    assert_eq!(app.mails().len(), 2);
}

#[tokio::test]
async fn a_confirmed_user_cannot_be_invited() {
    let app = TestApp::spawn().await;
    app.sign_up("ada@example.com").await;
    let text = "A user with this email address has already been registered";
    let reply = invite(&app, json!({ "email": "ada@example.com" })).await;
    reply.refused(422, "email_exists", text);
}

#[tokio::test]
async fn a_mail_that_fails_opens_no_account() {
    let app = TestApp::spawn().await;
    app.break_mail(true);
    let reply = invite(&app, json!({ "email": "ada@example.com" })).await;
    assert_eq!(
        (reply.status.as_u16(), &reply.json()["msg"]),
        (500, &json!("Error sending invite email"))
    );
    assert_eq!(app.count("select count(*) from auth.users").await, 0);
}

#[tokio::test]
async fn a_trigger_that_refuses_the_user_lets_no_mail_out() {
    let app = TestApp::spawn().await;
    app.superuser()
        .await
        .batch(
            "create function public.refuse() returns trigger language plpgsql as
               $$ begin raise exception 'not today'; end $$;
             create trigger refuse before insert on auth.users
               for each row execute function public.refuse()",
        )
        .await
        .unwrap();
    let reply = invite(&app, json!({ "email": "ada@example.com" })).await;
    assert_eq!(
        reply.json(),
        json!({ "code": "P0001", "message": "not today" })
    );
    assert!(app.mails().is_empty());
}

#[tokio::test]
async fn only_admins_invite() {
    let app = TestApp::spawn().await;
    let body = json!({ "email": "ada@example.com" });
    let text = "This endpoint requires a valid Bearer token";
    app.post("/invite", body.clone())
        .await
        .refused(401, "no_authorization", text);
    let session = app.sign_up("eve@example.com").await;
    let reply = app
        .as_user(&session.access_token, Method::POST, "/invite")
        .json(&body)
        .send()
        .await;
    reply.refused(403, "not_admin", "User not allowed");
    let reply = invite(&app, json!({ "email": "" })).await;
    reply.refused(400, "validation_failed", "An email address is required");
}
