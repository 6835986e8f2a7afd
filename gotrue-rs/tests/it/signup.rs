//! `POST /signup`.

use reqwest::Method;
use serde_json::{Value, json};

use crate::app::{PASSWORD, Session, TestApp};

const CONFIRMATIONS: &[(&str, &str)] = &[
    ("GOTRUE_MAILER_AUTOCONFIRM", "false"),
    ("GOTRUE_SMS_AUTOCONFIRM", "false"),
];

fn account(email: &str) -> Value {
    json!({ "email": email, "password": PASSWORD })
}

#[tokio::test]
async fn signing_up_without_confirmation_signs_in() {
    let app = TestApp::spawn().await;
    let body =
        json!({ "Email": "A@Example.com", "password": PASSWORD, "data": { "b": 1, "a": "<" } });
    let reply = app.post("/signup", body).await;
    let session = Session::of(&reply);
    let user = &session.user;
    let id = user["id"].as_str().unwrap();
    assert_eq!(user["email"], "a@example.com");
    assert_eq!(user["aud"], "authenticated");
    assert_eq!(user["role"], "authenticated");
    assert_eq!(user["phone"], "");
    assert_eq!(
        user["app_metadata"],
        json!({ "provider": "email", "providers": ["email"] })
    );
    let metadata = json!({ "a": "<", "b": 1, "email": "a@example.com", "email_verified": true,
                           "phone_verified": false, "sub": id });
    assert_eq!(user["user_metadata"], metadata);
    assert_eq!(user["identities"][0]["identity_data"], metadata);
    assert_eq!(user["identities"][0]["id"], id);
    assert!(
        reply.body.contains(r#""a":"\u003c","b":1,"email""#),
        "{}",
        reply.body
    );
    let claims = session.claims();
    assert_eq!(claims["iss"], "http://127.0.0.1:54321/auth/v1");
    assert_eq!(claims["aud"], "authenticated");
    assert_eq!(claims["aal"], "aal1");
    assert_eq!(claims["amr"][0]["method"], "password");
    assert_eq!(reply.header("sb-auth-user-id"), Some(id));
    assert_eq!(
        reply.header("sb-auth-refresh-token-prefix").unwrap().len(),
        5
    );
    let stored = app
        .as_user(&session.access_token, Method::GET, "/user")
        .send()
        .await
        .ok();
    assert_eq!(
        stored["identities"][0]["identity_data"]["email_verified"],
        false
    );
    assert_eq!(stored["user_metadata"]["email_verified"], true);
    assert!(stored["confirmed_at"].is_string());
}

#[tokio::test]
async fn a_sign_up_leaves_the_same_rows_as_upstream() {
    let app = TestApp::spawn().await;
    app.sign_up("a@example.com").await;
    let row = &app
        .query(
            "select u.instance_id::text, u.confirmation_token, u.recovery_token, u.phone,
               u.encrypted_password like '$2a$10$%', u.raw_app_meta_data::text,
               (select string_agg(payload ->> 'action', ',' order by created_at)
                from auth.audit_log_entries),
               (select count(*) from auth.sessions where aal = 'aal1'),
               (select parent from auth.refresh_tokens), u.email_confirmed_at is not null
             from auth.users as u",
            &[],
        )
        .await[0];
    assert_eq!(
        row.get::<_, &str>(0),
        "00000000-0000-0000-0000-000000000000"
    );
    assert_eq!((row.get::<_, &str>(1), row.get::<_, &str>(2)), ("", ""));
    assert_eq!(row.get::<_, Option<&str>>(3), None);
    assert!(row.get::<_, bool>(4));
    assert_eq!(
        row.get::<_, &str>(5),
        r#"{"provider": "email", "providers": ["email"]}"#
    );
    assert!(row.get::<_, &str>(6).contains("user_signedup"));
    assert_eq!(row.get::<_, i64>(7), 1);
    assert_eq!(row.get::<_, Option<&str>>(8), None);
    assert!(row.get::<_, bool>(9));
}

#[tokio::test]
async fn phones_and_strangers_sign_up_too() {
    let app = TestApp::spawn().await;
    let body = json!({ "phone": "+1 234 567 890", "password": PASSWORD });
    let user = Session::of(&app.post("/signup", body).await).user;
    assert_eq!(user["phone"], "1234567890");
    assert_eq!(user["email"], "");
    assert!(user["phone_confirmed_at"].is_string());
    assert_eq!(user["identities"][0]["provider"], "phone");
    let reply = app.post("/signup", json!({ "data": { "n": 1 } })).await;
    let session = Session::of(&reply);
    assert_eq!(session.user["is_anonymous"], true);
    assert_eq!(session.user["identities"], json!([]));
    assert_eq!(session.user["app_metadata"], json!({}));
    assert_eq!(session.user["user_metadata"], json!({ "n": 1 }));
    assert_eq!(session.claims()["amr"][0]["method"], "anonymous");
    assert_eq!(session.claims()["is_anonymous"], true);
}

#[tokio::test]
async fn bad_sign_ups_are_explained() {
    let app = TestApp::spawn().await;
    let invalid = "validation_failed";
    for (body, text) in [
        (
            json!({ "email": "a@b.c" }),
            "Signup requires a valid password",
        ),
        (
            json!({ "email": "a@b.c", "phone": "123", "password": PASSWORD }),
            "Only an email address or phone number should be provided on signup.",
        ),
        (
            account("not an address"),
            "Unable to validate email address: invalid format",
        ),
        (
            json!({ "phone": "x", "password": PASSWORD }),
            "Invalid phone number format (E.164 required)",
        ),
        (
            json!({ "email": "a@b.c", "password": "é".repeat(37) }),
            "Password cannot be longer than 72 characters",
        ),
        (
            json!({ "email": "a@b.c", "password": PASSWORD, "code_challenge": "x" }),
            "PKCE flow requires code_challenge_method and code_challenge",
        ),
        (
            json!({ "phone": "123", "password": PASSWORD, "code_challenge": "x" }),
            "PKCE not supported for phone signups",
        ),
    ] {
        app.post("/signup", body).await.refused(400, invalid, text);
    }
    let channel = json!({ "phone": "123456", "password": PASSWORD, "channel": "pigeon" });
    let reply = app.post("/signup", channel).await;
    assert!(
        reply.json()["msg"]
            .as_str()
            .unwrap()
            .starts_with("Invalid channel")
    );
    assert_eq!(app.count("select count(*) from auth.users").await, 0);
}

#[tokio::test]
async fn closed_doors_are_named() {
    let app = TestApp::spawn_with(&[("GOTRUE_DISABLE_SIGNUP", "true")]).await;
    let closed = "Signups not allowed for this instance";
    app.post("/signup", json!({ "email": "x" }))
        .await
        .refused(422, "signup_disabled", closed);
    app.post("/signup", json!({}))
        .await
        .refused(422, "signup_disabled", closed);
    let app = TestApp::spawn_with(&[
        ("GOTRUE_EXTERNAL_EMAIL_ENABLED", "false"),
        ("GOTRUE_EXTERNAL_PHONE_ENABLED", "false"),
        ("GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED", "false"),
    ])
    .await;
    app.post("/signup", account("a@b.c")).await.refused(
        400,
        "email_provider_disabled",
        "Email signups are disabled",
    );
    app.post("/signup", json!({ "phone": "1", "password": PASSWORD }))
        .await
        .refused(400, "phone_provider_disabled", "Phone signups are disabled");
    app.post("/signup", json!({})).await.refused(
        422,
        "anonymous_provider_disabled",
        "Anonymous sign-ins are disabled",
    );
}

#[tokio::test]
async fn a_taken_address_is_admitted_only_where_nothing_is_confirmed() {
    let app = TestApp::spawn().await;
    app.sign_up("a@example.com").await;
    app.post("/signup", account("a@example.com")).await.refused(
        422,
        "user_already_exists",
        "User already registered",
    );
}

#[tokio::test]
async fn a_taken_address_looks_like_a_free_one_where_mails_confirm() {
    let app = TestApp::spawn_with(CONFIRMATIONS).await;
    let first = app.post("/signup", account("a@example.com")).await.ok();
    app.query("update auth.users set email_confirmed_at = now()", &[])
        .await;
    let again = app.post("/signup", account("a@example.com")).await.ok();
    assert_ne!(first["id"], again["id"]);
    assert_eq!(again["email"], "a@example.com");
    assert_eq!(again["role"], first["role"]);
    assert_eq!(again["identities"][0]["user_id"], again["id"]);
    assert_eq!(again["user_metadata"]["sub"], again["id"]);
    assert!(again.get("email_confirmed_at").is_none());
    assert_eq!(app.mails().len(), 1);
    let repeated = "select count(*) from auth.audit_log_entries
        where payload ->> 'action' = 'user_repeated_signup'";
    assert_eq!(app.count(repeated).await, 1);
}

#[tokio::test]
async fn a_confirmation_is_mailed_and_not_too_often() {
    let app = TestApp::spawn_with(CONFIRMATIONS).await;
    let user = app.post("/signup", account("a@example.com")).await.ok();
    assert!(user.get("access_token").is_none());
    assert!(user["confirmation_sent_at"].is_string());
    assert_eq!(user["user_metadata"]["email_verified"], false);
    assert_eq!(app.mails()[0].to, "a@example.com");
    app.post("/signup", account("a@example.com")).await.ok();
    assert_eq!(app.mails().len(), 1);
    app.wait(61);
    app.post("/signup", account("a@example.com")).await.ok();
    assert_eq!(app.mails().len(), 2);
    assert_eq!(app.count("select count(*) from auth.users").await, 1);
    let login = app
        .post("/token?grant_type=password", account("a@example.com"))
        .await;
    login.refused(400, "email_not_confirmed", "Email not confirmed");
}

#[tokio::test]
async fn what_somebody_else_said_at_an_earlier_sign_up_is_not_shown() {
    let app = TestApp::spawn_with(CONFIRMATIONS).await;
    let mut body = account("a@example.com");
    body["data"] = json!({ "name": "Ada" });
    app.post("/signup", body).await.ok();
    app.wait(61);
    let again = app.post("/signup", account("a@example.com")).await.ok();
    assert_eq!(again["user_metadata"].get("name"), None, "{again}");
}

#[tokio::test]
async fn a_confirmed_number_does_not_open_an_unconfirmed_address() {
    let app = TestApp::spawn_with(CONFIRMATIONS).await;
    app.post("/signup", account("a@example.com")).await.ok();
    app.query(
        "update auth.users set phone = '123456', phone_confirmed_at = now(),
           confirmation_sent_at = null",
        &[],
    )
    .await;
    let reply = app.post("/signup", account("a@example.com")).await.ok();
    assert!(reply.get("access_token").is_none());
}

#[tokio::test]
async fn test_numbers_are_asked_for_their_fixed_code() {
    let mut settings = CONFIRMATIONS.to_vec();
    settings.push(("GOTRUE_SMS_TEST_OTP", "+1234567890:123456"));
    let app = TestApp::spawn_with(&settings).await;
    let body = json!({ "phone": "1234567890", "password": PASSWORD });
    let user = app.post("/signup", body).await.ok();
    assert!(user["confirmation_sent_at"].is_string());
    assert_eq!(
        app.count("select count(*) from auth.one_time_tokens").await,
        1
    );
    let body = json!({ "phone": "1234567891", "password": PASSWORD });
    let other = app.post("/signup", body).await;
    assert_eq!(other.status, 500);
    assert_eq!(other.json()["msg"], "Unable to get SMS provider");
    assert_eq!(app.count("select count(*) from auth.users").await, 1);
}

#[tokio::test]
async fn triggers_on_users_are_respected() {
    let app = TestApp::spawn().await;
    app.superuser()
        .await
        .batch(
            "create function public.tag() returns trigger language plpgsql as $$
             begin new.raw_app_meta_data = new.raw_app_meta_data || '{\"plan\": \"free\"}';
             return new; end $$;
             create trigger tag before insert on auth.users
             for each row execute function public.tag()",
        )
        .await
        .unwrap();
    let session = app.sign_up("a@example.com").await;
    assert_eq!(session.user["app_metadata"]["plan"], "free");
    assert_eq!(session.claims()["app_metadata"]["plan"], "free");
}

#[tokio::test]
async fn sign_ups_at_the_same_time_make_one_account() {
    let app = TestApp::spawn_with(CONFIRMATIONS).await;
    let attempts = (0..4).map(|_| app.post("/signup", account("a@example.com")));
    let replies = futures_util::future::join_all(attempts).await;
    assert_eq!(app.count("select count(*) from auth.users").await, 1);
    assert!(
        replies.iter().all(|reply| reply.status == 200),
        "{replies:?}"
    );
    assert_eq!(app.mails().len(), 1);
}

#[tokio::test]
async fn an_address_in_the_metadata_of_a_phone_account_stays_free() {
    let app = TestApp::spawn().await;
    let body = json!({
        "phone": "1234567890", "password": PASSWORD, "data": { "email": "ada@example.com" },
    });
    let other = Session::of(&app.post("/signup", body).await);
    let owner = Session::of(&app.post("/signup", account("ada@example.com")).await);
    assert_ne!(owner.user["id"], other.user["id"]);
    assert_eq!(owner.user["email"], "ada@example.com");
}
