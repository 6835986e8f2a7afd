//! `POST /logout`.

use reqwest::Method;

use crate::app::{Session, TestApp};

async fn logout(app: &TestApp, session: &Session, scope: &str) {
    let path = format!("/logout{scope}");
    let reply = app
        .as_user(&session.access_token, Method::POST, &path)
        .send()
        .await;
    assert_eq!(
        (reply.status.as_u16(), reply.body.as_str()),
        (204, ""),
        "{scope}"
    );
}

#[tokio::test]
async fn scopes_say_which_sessions_end() {
    for (scope, left) in [
        ("", 0),
        ("?scope=global", 0),
        ("?scope=local", 1),
        ("?scope=others", 1),
    ] {
        let app = TestApp::spawn().await;
        app.sign_up("a@example.com").await;
        let session = app.sign_in("a@example.com").await;
        logout(&app, &session, scope).await;
        assert_eq!(
            app.count("select count(*) from auth.sessions").await,
            left,
            "{scope}"
        );
        assert_eq!(
            app.count("select count(*) from auth.refresh_tokens").await,
            left,
            "{scope}"
        );
        let ours = app
            .as_user(&session.access_token, Method::GET, "/user")
            .send()
            .await;
        assert_eq!(ours.status == 200, scope == "?scope=others", "{scope}");
    }
}

#[tokio::test]
async fn a_token_without_a_session_ends_all() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("a@example.com").await;
    let id = session.user_id().to_string();
    let claims = serde_json::json!({ "session_id": null });
    let token = platform_test::tokens::access_token_with(&id, &claims);
    let path = "/logout?scope=local";
    assert_eq!(
        app.as_user(&token, Method::POST, path).send().await.status,
        204
    );
    assert_eq!(app.count("select count(*) from auth.sessions").await, 0);
}

#[tokio::test]
async fn unknown_scopes_are_refused() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("a@example.com").await;
    let reply = app
        .as_user(&session.access_token, Method::POST, "/logout?scope=moon")
        .send()
        .await;
    reply.refused(
        400,
        "validation_failed",
        "Unsupported logout scope \"moon\"",
    );
    assert_eq!(
        app.request(Method::POST, "/logout").send().await.status,
        401
    );
}
