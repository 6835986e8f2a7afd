//! `POST /admin/generate_link`.

use reqwest::Method;
use serde_json::{Value, json};

use crate::app::{Reply, Session, TestApp};
use crate::letter::{CONFIRMING, confirming_with, in_fragment};

async fn generate(app: &TestApp, body: Value) -> Reply {
    app.as_admin(Method::POST, "/admin/generate_link")
        .json(&body)
        .send()
        .await
}

#[tokio::test]
async fn a_sign_up_link_opens_an_account_without_a_mail() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    let body = json!({
        "type": "signup", "email": "Ada@example.com", "password": "correct-horse",
        "data": { "name": "Ada" },
    });
    let answer = generate(&app, body.clone()).await.ok();
    assert_eq!(answer["email"], "ada@example.com");
    assert_eq!(answer["user_metadata"], json!({ "name": "Ada" }));
    assert_eq!(answer["identities"].as_array().unwrap().len(), 1);
    assert_eq!(answer["verification_type"], "signup");
    assert_eq!(answer["redirect_to"], "http://127.0.0.1:8080");
    assert_eq!(answer["email_otp"].as_str().unwrap().len(), 6);
    let token = answer["hashed_token"].as_str().unwrap();
    assert_eq!(
        answer["action_link"],
        format!(
            "http://127.0.0.1:54321/verify?token={token}&type=signup&redirect_to=http://127.0.0.1:8080"
        )
    );
    assert!(answer["confirmation_sent_at"].is_string());
    assert!(app.mails().is_empty());
    // Asked again before it is confirmed, it starts over: the first may have been a stranger.
    let again = json!({
        "type": "signup", "email": "ada@example.com", "password": "correct-horse",
        "data": { "b": 1 },
    });
    let answer = generate(&app, again).await.ok();
    assert_eq!(answer["user_metadata"]["b"], 1);
    assert_eq!(answer["user_metadata"].get("name"), None);
    let verify = json!({
        "type": "signup", "email": "ada@example.com", "token": answer["email_otp"],
    });
    Session::of(&app.post("/verify", verify).await);
    let text = "A user with this email address has already been registered";
    generate(&app, body)
        .await
        .refused(422, "email_exists", text);
    app.sign_in("ada@example.com").await;
}

#[tokio::test]
async fn a_magic_link_for_a_new_address_is_a_sign_up() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    let answer = generate(
        &app,
        json!({ "type": "magiclink", "email": "ada@example.com" }),
    )
    .await
    .ok();
    assert_eq!(answer["verification_type"], "signup");
    let reply = app.open(answer["action_link"].as_str().unwrap()).await;
    assert_eq!(
        in_fragment(reply.header("location").unwrap(), "type"),
        "signup"
    );
    let answer = generate(
        &app,
        json!({ "type": "magiclink", "email": "ada@example.com" }),
    )
    .await
    .ok();
    assert_eq!(answer["verification_type"], "magiclink");
    assert!(answer["recovery_sent_at"].is_string());
    let body = json!({ "type": "magiclink", "token_hash": answer["hashed_token"] });
    Session::of(&app.post("/verify", body).await);
}

#[tokio::test]
async fn recovery_and_invitation_links_work() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    let invited = generate(
        &app,
        json!({ "type": "invite", "email": "ada@example.com" }),
    )
    .await
    .ok();
    assert!(invited["invited_at"].is_string());
    let body = json!({ "type": "invite", "token_hash": invited["hashed_token"] });
    Session::of(&app.post("/verify", body).await);
    let recovery = generate(
        &app,
        json!({ "type": "recovery", "email": "ada@example.com" }),
    )
    .await
    .ok();
    let body =
        json!({ "type": "recovery", "email": "ada@example.com", "token": recovery["email_otp"] });
    Session::of(&app.post("/verify", body).await);
}

#[tokio::test]
async fn both_links_of_a_changed_address_are_made() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    let first = generate(
        &app,
        json!({ "type": "magiclink", "email": "ada@example.com" }),
    )
    .await
    .ok();
    app.open(first["action_link"].as_str().unwrap()).await;
    let ask = |kind: &str| json!({ "type": kind, "email": "ada@example.com", "new_email": "lovelace@example.com" });
    let current = generate(&app, ask("email_change_current")).await.ok();
    let new = generate(&app, ask("email_change_new")).await.ok();
    assert_eq!(new["new_email"], "lovelace@example.com");
    assert_eq!(new["verification_type"], "email_change_new");
    for answer in [&current, &new] {
        assert!(
            answer["action_link"]
                .as_str()
                .unwrap()
                .contains("&type=email_change&")
        );
    }
    // The hash of a link for the new address is not the one that is given out.
    let link = new["action_link"].as_str().unwrap();
    assert!(!link.contains(new["hashed_token"].as_str().unwrap()));
    app.open(current["action_link"].as_str().unwrap()).await;
    let reply = app.open(link).await;
    assert_eq!(
        in_fragment(reply.header("location").unwrap(), "type"),
        "email_change"
    );
    let users = app.query("select email from auth.users", &[]).await;
    assert_eq!(users[0].get::<_, &str>(0), "lovelace@example.com");
}

#[tokio::test]
async fn a_link_leads_where_it_may() {
    let list = ("GOTRUE_URI_ALLOW_LIST", "https://app.example.com/**");
    let app = TestApp::spawn_with(&confirming_with(&[list])).await;
    for (asked, target) in [
        (
            "https://app.example.com/in?a=b",
            "https://app.example.com/in?a=b",
        ),
        ("https://evil.com", "http://127.0.0.1:8080"),
    ] {
        let body = json!({ "type": "magiclink", "email": "ada@example.com", "redirect_to": asked });
        let answer = generate(&app, body).await.ok();
        assert_eq!(answer["redirect_to"], target);
    }
    let body = json!({ "type": "magiclink", "email": "ada@example.com", "redirect_to": "https://app.example.com/in?a=b" });
    let answer = generate(&app, body).await.ok();
    let link = answer["action_link"].as_str().unwrap();
    assert!(
        link.ends_with("&redirect_to=https%3A%2F%2Fapp.example.com%2Fin%3Fa%3Db"),
        "{link}"
    );
}

#[tokio::test]
async fn links_that_cannot_be_made() {
    let app = TestApp::spawn_with(&[("GOTRUE_MAILER_SECURE_EMAIL_CHANGE_ENABLED", "false")]).await;
    app.sign_up("ada@example.com").await;
    app.sign_up("eve@example.com").await;
    let invalid = "validation_failed";
    let text = "Invalid email action link type requested: letter";
    let body = json!({ "type": "letter", "email": "ada@example.com" });
    generate(&app, body).await.refused(400, invalid, text);
    generate(&app, json!({ "type": "signup" })).await.refused(
        400,
        invalid,
        "An email address is required",
    );
    let text = "Signup requires a valid password";
    let body = json!({ "type": "signup", "email": "new@example.com" });
    generate(&app, body).await.refused(400, invalid, text);
    for kind in ["recovery", "email_change_current", "email_change_new"] {
        let body = json!({ "type": kind, "email": "new@example.com" });
        let text = "User with this email not found";
        generate(&app, body)
            .await
            .refused(404, "user_not_found", text);
    }
    let text = "Enable secure email change to generate link for current email";
    let body = json!({ "type": "email_change_current", "email": "ada@example.com", "new_email": "b@example.com" });
    generate(&app, body).await.refused(400, invalid, text);
    let body = json!({ "type": "email_change_new", "email": "ada@example.com", "new_email": "x" });
    let text = "Unable to validate email address: invalid format";
    generate(&app, body).await.refused(400, invalid, text);
    let body = json!({ "type": "email_change_new", "email": "ada@example.com", "new_email": "eve@example.com" });
    let text = "A user with this email address has already been registered";
    generate(&app, body)
        .await
        .refused(422, "email_exists", text);
    let reply = app.post("/admin/generate_link", json!({})).await;
    reply.refused(
        401,
        "no_authorization",
        "This endpoint requires a valid Bearer token",
    );
}
