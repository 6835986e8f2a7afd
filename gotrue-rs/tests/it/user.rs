//! `/user`.

use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::app::{PASSWORD, Reply, Session, TestApp};

async fn put(app: &TestApp, session: &Session, body: Value) -> Reply {
    app.as_user(&session.access_token, Method::PUT, "/user")
        .json(&body)
        .send()
        .await
}

#[tokio::test]
async fn a_user_is_shown_in_upstreams_field_order() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("a@example.com").await;
    let reply = app
        .as_user(&session.access_token, Method::GET, "/user")
        .send()
        .await;
    let order = [
        "id",
        "aud",
        "role",
        "email",
        "email_confirmed_at",
        "phone",
        "confirmed_at",
        "last_sign_in_at",
        "app_metadata",
        "user_metadata",
        "identities",
        "created_at",
        "updated_at",
        "is_anonymous",
    ];
    let places: Vec<_> = order
        .iter()
        .map(|name| {
            reply
                .body
                .find(&format!("\"{name}\":"))
                .unwrap_or_else(|| panic!("{name}"))
        })
        .collect();
    assert!(places.is_sorted(), "{}", reply.body);
    assert_eq!(reply.ok().as_object().unwrap().len(), order.len());
}

#[tokio::test]
async fn metadata_is_merged_and_null_removes() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("a@example.com").await;
    put(
        &app,
        &session,
        json!({ "data": { "a": 1, "b": { "c": [1.5, "x"] } } }),
    )
    .await
    .ok();
    let user = put(&app, &session, json!({ "data": { "a": null, "d": true } }))
        .await
        .ok();
    let metadata = &user["user_metadata"];
    assert!(metadata.get("a").is_none());
    assert_eq!(
        (&metadata["b"]["c"], &metadata["d"]),
        (&json!([1.5, "x"]), &json!(true))
    );
    assert_eq!(metadata["email"], "a@example.com");
    put(&app, &session, json!({ "app_metadata": { "x": 1 } }))
        .await
        .refused(
            403,
            "not_admin",
            "Updating app_metadata requires admin privileges",
        );
}

#[tokio::test]
async fn a_new_password_ends_all_other_sessions() {
    let app = TestApp::spawn().await;
    app.sign_up("a@example.com").await;
    let session = app.sign_in("a@example.com").await;
    put(&app, &session, json!({ "password": "something-else" }))
        .await
        .ok();
    assert_eq!(app.count("select count(*) from auth.sessions").await, 1);
    let login = |password: &str| json!({ "email": "a@example.com", "password": password });
    let grant = "/token?grant_type=password";
    app.post(grant, login("something-else")).await.ok();
    assert_eq!(app.post(grant, login(PASSWORD)).await.status, 400);
    let updated = "select count(*) from auth.audit_log_entries
        where payload ->> 'action' = 'user_updated_password'";
    assert_eq!(app.count(updated).await, 1);
}

#[tokio::test]
async fn passwords_are_checked_before_they_are_set() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("a@example.com").await;
    put(&app, &session, json!({ "password": PASSWORD }))
        .await
        .refused(
            422,
            "same_password",
            "New password should be different from the old password.",
        );
    let weak = put(&app, &session, json!({ "password": "" })).await;
    assert_eq!(weak.json()["error_code"], "weak_password");
    let anonymous = Session::of(&app.post("/signup", json!({})).await);
    put(&app, &anonymous, json!({ "password": PASSWORD }))
        .await
        .refused(
            422,
            "validation_failed",
            "Updating password of an anonymous user without an email or phone is not allowed",
        );
}

#[tokio::test]
async fn identifiers_of_others_are_taken() {
    let app = TestApp::spawn().await;
    app.sign_up("a@example.com").await;
    app.post(
        "/signup",
        json!({ "phone": "123456", "password": PASSWORD }),
    )
    .await
    .ok();
    let session = app.sign_up("b@example.com").await;
    put(&app, &session, json!({ "email": "A@example.com" }))
        .await
        .refused(
            422,
            "email_exists",
            "A user with this email address has already been registered",
        );
    put(&app, &session, json!({ "phone": "+123456" }))
        .await
        .refused(
            422,
            "phone_exists",
            "A user with this phone number has already been registered",
        );
}

#[tokio::test]
async fn a_number_is_taken_over_at_once_where_numbers_need_no_confirmation() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("a@example.com").await;
    app.wait(1);
    let user = put(&app, &session, json!({ "phone": "123456" })).await.ok();
    assert_eq!(user["phone"], "123456");
    assert!(user.get("new_phone").is_none());
    let providers: Vec<_> = user["identities"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| i["provider"].clone())
        .collect();
    assert_eq!(providers, ["email", "phone"]);
}

#[tokio::test]
async fn an_anonymous_user_becomes_permanent_with_an_address() {
    let app = TestApp::spawn().await;
    let session = Session::of(&app.post("/signup", json!({})).await);
    let body = json!({ "email": "a@example.com", "password": PASSWORD });
    let user = put(&app, &session, body).await.ok();
    assert_eq!(
        (&user["is_anonymous"], &user["email"]),
        (&json!(false), &json!("a@example.com"))
    );
    assert_eq!(user["identities"][0]["provider"], "email");
    app.sign_in("a@example.com").await;
}

#[tokio::test]
async fn a_new_address_has_to_be_confirmed() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("a@example.com").await;
    let user = put(&app, &session, json!({ "email": "new@example.com" }))
        .await
        .ok();
    assert_eq!(
        (&user["email"], &user["new_email"]),
        (&json!("a@example.com"), &json!("new@example.com"))
    );
    assert!(user["email_change_sent_at"].is_string());
    let mut to: Vec<_> = app.mails().into_iter().map(|mail| mail.to).collect();
    to.sort();
    assert_eq!(to, ["a@example.com", "new@example.com"]);
}

#[tokio::test]
async fn a_second_factor_guards_identifiers_and_password() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("a@example.com").await;
    app.query(
        "insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
         values ($1, $2, 'totp', 'verified', now(), now())",
        &[&Uuid::new_v4(), &session.user_id()],
    )
    .await;
    for body in [
        json!({ "password": "x-long-enough" }),
        json!({ "email": "b@example.com" }),
    ] {
        put(&app, &session, body).await.refused(
            401,
            "insufficient_aal",
            "AAL2 session is required to update email or password when MFA is enabled.",
        );
    }
    let user = put(&app, &session, json!({ "data": { "x": 1 } }))
        .await
        .ok();
    assert_eq!(user["factors"][0]["status"], "verified");
    app.query("update auth.sessions set aal = 'aal2'", &[])
        .await;
    put(&app, &session, json!({ "password": "x-long-enough" }))
        .await
        .ok();
}

#[tokio::test]
async fn an_old_session_may_have_to_prove_itself() {
    let name = "GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION";
    let app = TestApp::spawn_with(&[(name, "true"), ("GOTRUE_JWT_EXP", "200000")]).await;
    let session = app.sign_up("a@example.com").await;
    put(&app, &session, json!({ "password": "first-change" }))
        .await
        .ok();
    app.wait(24 * 3600 + 1);
    put(&app, &session, json!({ "password": "second-change" }))
        .await
        .refused(
            400,
            "reauthentication_needed",
            "Password update requires reauthentication",
        );
    let body = json!({ "password": "second-change", "nonce": "123456" });
    put(&app, &session, body).await.refused(
        422,
        "reauthentication_not_valid",
        "Nonce has expired or is invalid",
    );
}

#[tokio::test]
async fn the_current_password_may_be_asked_for() {
    let name = "GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD";
    let app = TestApp::spawn_with(&[(name, "true")]).await;
    let session = app.sign_up("a@example.com").await;
    let text = "Current password required when setting new password.";
    let change = |current: Value| json!({ "password": "another-one", "current_password": current });
    put(&app, &session, change(Value::Null))
        .await
        .refused(400, "current_password_required", text);
    put(&app, &session, change("no".into()))
        .await
        .refused(400, "current_password_invalid", text);
    put(&app, &session, change(PASSWORD.into())).await.ok();
}

#[tokio::test]
async fn identities_are_unlinked_down_to_the_last() {
    let app = TestApp::spawn_with(&[("GOTRUE_SECURITY_MANUAL_LINKING_ENABLED", "true")]).await;
    let session = app.sign_up("a@example.com").await;
    app.wait(1);
    let user = put(&app, &session, json!({ "phone": "123456" })).await.ok();
    let delete = async |id: &str| {
        let path = format!("/user/identities/{id}");
        app.as_user(&session.access_token, Method::DELETE, &path)
            .send()
            .await
    };
    delete("x")
        .await
        .refused(404, "validation_failed", "identity_id must be an UUID");
    delete(&Uuid::new_v4().to_string()).await.refused(
        422,
        "identity_not_found",
        "Identity doesn't exist",
    );
    let phone = user["identities"][1]["identity_id"].as_str().unwrap();
    assert_eq!(delete(phone).await.ok(), json!({}));
    let left = app
        .as_user(&session.access_token, Method::GET, "/user")
        .send()
        .await
        .ok();
    assert_eq!(
        (&left["phone"], &left["app_metadata"]["providers"]),
        (&json!(""), &json!(["email"]))
    );
    let email = left["identities"][0]["identity_id"].as_str().unwrap();
    delete(email).await.refused(
        422,
        "single_identity_not_deletable",
        "User must have at least 1 identity after unlinking",
    );
}

#[tokio::test]
async fn linking_is_off_unless_switched_on() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("a@example.com").await;
    for (method, path) in [
        (Method::DELETE, "/user/identities/x"),
        (Method::GET, "/user/identities/authorize?provider=google"),
    ] {
        let reply = app
            .as_user(&session.access_token, method, path)
            .send()
            .await;
        reply.refused(404, "manual_linking_disabled", "Manual linking is disabled");
    }
}
