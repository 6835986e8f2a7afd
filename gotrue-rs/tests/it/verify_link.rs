//! `GET /verify`: where links lead.

use serde_json::json;

use crate::app::{PASSWORD, TestApp};
use crate::letter::{CONFIRMING, confirming_with, fragment, in_fragment, link, token};
use crate::support::CHALLENGE;

async fn signed_up(app: &TestApp, query: &str) {
    let body = json!({ "email": "ada@example.com", "password": PASSWORD });
    app.post(&format!("/signup{query}"), body).await.ok();
}

#[tokio::test]
async fn a_link_leads_to_the_site_with_a_session() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    signed_up(&app, "").await;
    let reply = app.open(&link(&app.last_mail())).await;
    assert_eq!(reply.status, 303);
    let location = reply.header("location").unwrap();
    let names: Vec<_> = fragment(location)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    let expected = [
        "access_token",
        "expires_at",
        "expires_in",
        "refresh_token",
        "sb",
        "token_type",
        "type",
    ];
    assert_eq!(names, expected);
    assert!(location.starts_with("http://127.0.0.1:8080#access_token="));
    assert!(location.ends_with("&sb=&token_type=bearer&type=signup"));
    assert_eq!(
        reply.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    let shown = location.replace('&', "&amp;");
    assert_eq!(
        reply.body,
        format!("<a href=\"{shown}\">See Other</a>.\n\n")
    );
    assert!(reply.header("sb-auth-session-id").is_some());
    app.refresh(&in_fragment(location, "refresh_token"))
        .await
        .ok();
}

#[tokio::test]
async fn a_link_leads_where_the_client_asked_if_that_is_allowed() {
    let list = (
        "GOTRUE_URI_ALLOW_LIST",
        "https://*.example.com/**,com.app://**",
    );
    let app = TestApp::spawn_with(&confirming_with(&[list])).await;
    for (asked, target) in [
        (
            "https://app.example.com/a?b=c",
            "https://app.example.com/a?b=c",
        ),
        ("com.app://welcome", "com.app://welcome"),
        ("https://evil.com/", "http://127.0.0.1:8080"),
        ("javascript:alert(1)", "http://127.0.0.1:8080"),
    ] {
        let escaped: String = url::form_urlencoded::byte_serialize(asked.as_bytes()).collect();
        app.query("delete from auth.users", &[]).await;
        signed_up(&app, &format!("?redirect_to={escaped}")).await;
        let reply = app.open(&link(&app.last_mail())).await;
        let location = reply.header("location").unwrap();
        assert!(
            location.starts_with(&format!("{target}#access_token=")),
            "{asked}: {location}"
        );
    }
}

#[tokio::test]
async fn a_dead_link_tells_the_page() {
    let app = TestApp::spawn().await;
    let reply = app.get("/verify?type=signup&token=unknown").await;
    assert_eq!(reply.status, 303);
    assert_eq!(
        reply.header("location"),
        Some(
            "http://127.0.0.1:8080#error=access_denied&error_code=otp_expired\
             &error_description=Email+link+is+invalid+or+has+expired&sb="
        )
    );
    let reply = app.get("/verify?type=signup&token=pkce_unknown").await;
    assert_eq!(
        reply.header("location"),
        Some(
            "http://127.0.0.1:8080?error=access_denied&error_code=otp_expired\
             &error_description=Email+link+is+invalid+or+has+expired\
             #error=access_denied&error_code=otp_expired\
             &error_description=Email+link+is+invalid+or+has+expired&sb="
        )
    );
    let reply = app.get("/verify?type=sms&token=unknown").await;
    assert_eq!(
        reply.header("location"),
        Some(
            "http://127.0.0.1:8080#error=invalid_request&error_code=validation_failed\
             &error_description=Invalid+email+verification+type&sb="
        )
    );
}

#[tokio::test]
async fn what_no_link_contains_is_refused_in_json() {
    let app = TestApp::spawn().await;
    let invalid = "validation_failed";
    app.get("/verify")
        .await
        .refused(400, invalid, "Verify requires a verification type");
    let text = "Verify requires a token or a token hash";
    app.get("/verify?type=signup")
        .await
        .refused(400, invalid, text);
    let reply = app.get("/verify?type=other&token=pkce_x").await;
    assert_eq!(reply.status, 500);
    assert_eq!(reply.json()["error_code"], "unexpected_failure");
}

#[tokio::test]
async fn with_pkce_the_page_gets_a_code_behind_its_own_query() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    let body = json!({
        "email": "ada@example.com", "password": PASSWORD,
        "code_challenge": CHALLENGE, "code_challenge_method": "s256",
    });
    let path = "/signup?redirect_to=http%3A%2F%2F127.0.0.1%3A8080%2Fin%3Fz%3D1%26a%3D2";
    app.post(path, body).await.ok();
    let reply = app.open(&link(&app.last_mail())).await;
    let location = reply.header("location").unwrap();
    let (start, rest) = location.split_once("&code=").unwrap();
    assert_eq!(start, "http://127.0.0.1:8080/in?a=2");
    assert!(rest.ends_with("&z=1"), "{location}");
    let row = app.query("select provider_type, authentication_method, auth_code_issued_at is not null from auth.flow_state", &[]).await;
    assert_eq!(row[0].get::<_, &str>(0), "email");
    assert_eq!(row[0].get::<_, &str>(1), "email/signup");
    assert!(row[0].get::<_, bool>(2));
}

#[tokio::test]
async fn a_pkce_link_without_its_flow_says_so() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    let body = json!({
        "email": "ada@example.com", "password": PASSWORD,
        "code_challenge": CHALLENGE, "code_challenge_method": "s256",
    });
    app.post("/signup", body).await.ok();
    app.query("delete from auth.flow_state", &[]).await;
    let reply = app.open(&link(&app.last_mail())).await;
    let location = reply.header("location").unwrap();
    assert!(location.contains("?error=invalid_request&error_code=flow_state_not_found&"));
    assert!(
        location.contains("No+associated+flow+state+found.+422%3A+No+valid+flow+state"),
        "{location}"
    );
    // The token is not spent.
    assert_eq!(
        app.count("select count(*) from auth.one_time_tokens").await,
        1
    );
}

#[tokio::test]
async fn the_first_of_two_links_asks_for_the_other() {
    let app = TestApp::spawn().await;
    app.sign_up("ada@example.com").await;
    let link_body = json!({
        "type": "email_change_current", "email": "ada@example.com",
        "new_email": "lovelace@example.com",
    });
    let answer = app.post_as_admin("/admin/generate_link", &link_body).await;
    // With autoconfirm one confirmation is enough.
    let reply = app.open(answer["action_link"].as_str().unwrap()).await;
    assert_eq!(
        in_fragment(reply.header("location").unwrap(), "type"),
        "email_change"
    );

    let app = TestApp::spawn_with(&CONFIRMING).await;
    app.query(
        "insert into auth.users (instance_id, id, aud, role, email, email_confirmed_at,
           confirmation_token, recovery_token, email_change_token_new, email_change)
         values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated',
           'authenticated', 'ada@example.com', now(), '', '', '', '')",
        &[],
    )
    .await;
    let answer = app.post_as_admin("/admin/generate_link", &link_body).await;
    let reply = app.open(answer["action_link"].as_str().unwrap()).await;
    assert_eq!(
        reply.header("location"),
        Some(
            "http://127.0.0.1:8080#message=Confirmation+link+accepted.+Please+proceed+to+confirm+\
             link+sent+to+the+other+email&sb="
        )
    );
}

#[tokio::test]
async fn a_link_works_once() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    signed_up(&app, "").await;
    let mail = app.last_mail();
    app.open(&link(&mail)).await;
    let again = app.open(&link(&mail)).await;
    assert_eq!(
        in_fragment(again.header("location").unwrap(), "error_code"),
        "otp_expired"
    );
    assert_eq!(token(&mail).len(), 56);
}
