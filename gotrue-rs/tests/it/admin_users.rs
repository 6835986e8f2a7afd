//! `/admin/users`.

use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::app::{PASSWORD, Reply, TestApp};
use crate::letter::CONFIRMING;

pub(crate) async fn create(app: &TestApp, body: Value) -> Reply {
    app.as_admin(Method::POST, "/admin/users")
        .json(&body)
        .send()
        .await
}

async fn update(app: &TestApp, id: &Value, body: Value) -> Reply {
    let path = format!("/admin/users/{}", id.as_str().unwrap());
    app.as_admin(Method::PUT, &path).json(&body).send().await
}

async fn get(app: &TestApp, id: &Value) -> Reply {
    app.as_admin(
        Method::GET,
        &format!("/admin/users/{}", id.as_str().unwrap()),
    )
    .send()
    .await
}

#[tokio::test]
async fn a_user_is_created_as_told() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    let id = Uuid::new_v4();
    let body = json!({
        "id": id, "email": "Ada@Example.com", "phone": "+123456", "password": PASSWORD,
        "email_confirm": true, "role": "editor", "user_metadata": { "name": "Ada" },
        "app_metadata": { "plan": "free" }, "ban_duration": "24h",
    });
    let user = create(&app, body).await.ok();
    assert_eq!(user["id"], id.to_string());
    assert_eq!(user["email"], "ada@example.com");
    assert_eq!(user["phone"], "123456");
    assert_eq!(user["role"], "editor");
    assert_eq!(user["aud"], "authenticated");
    assert_eq!(
        user["app_metadata"],
        json!({ "plan": "free", "provider": "email", "providers": ["email", "phone"] })
    );
    assert_eq!(
        user["user_metadata"],
        json!({ "email_verified": true, "name": "Ada" })
    );
    assert_eq!(user["identities"].as_array().unwrap().len(), 2);
    assert!(user["email_confirmed_at"].is_string() && user["banned_until"].is_string());
    assert!(user.get("phone_confirmed_at").is_none());
    assert!(app.mails().is_empty());
    let text = "User is banned";
    let sign_in = json!({ "email": "ada@example.com", "password": PASSWORD });
    app.post("/token?grant_type=password", sign_in)
        .await
        .refused(400, "user_banned", text);
    update(&app, &user["id"], json!({ "ban_duration": "none" }))
        .await
        .ok();
    app.sign_in("ada@example.com").await;
}

#[tokio::test]
async fn passwords_may_come_hashed_or_not_at_all() {
    let app = TestApp::spawn().await;
    let hash = "$2y$10$SXEz2HeT8PUIGQXo9yeUIem8KzNxgG0d7o/.eGj2rj8KbRgAuRVlq";
    let body = json!({ "email": "a@example.com", "password_hash": hash, "email_confirm": true });
    create(&app, body).await.ok();
    let stored = app
        .query("select encrypted_password from auth.users", &[])
        .await;
    assert_eq!(stored[0].get::<_, &str>(0), hash);
    let sign_in = json!({ "email": "a@example.com", "password": "test" });
    app.post("/token?grant_type=password", sign_in).await.ok();
    let argon = "$argon2id$v=19$m=32,t=3,p=2$SFVpOWJ0eXhjRzVkdGN1RQ$RXnb8rh7LaDcn07xsssqqulZYXOM/EUCEFMVcAcyYVk";
    let body = json!({ "email": "z@example.com", "password_hash": argon, "email_confirm": true });
    create(&app, body).await.ok();
    create(&app, json!({ "email": "b@example.com" })).await.ok();
    create(&app, json!({ "email": "c@example.com", "password": "" }))
        .await
        .ok();
    create(&app, json!({ "email": "d@example.com", "password": "x" }))
        .await
        .ok();
    for hash in ["x", &unusable_hash()] {
        let body = json!({ "email": "e@example.com", "password_hash": hash });
        let reply = create(&app, body).await;
        assert_eq!(
            (reply.status.as_u16(), &reply.json()["msg"]),
            (500, &json!("Error creating user"))
        );
    }
}

/// Checking a password against it would take days.
fn unusable_hash() -> String {
    format!("$2a$31${}", "a".repeat(53))
}

#[tokio::test]
async fn no_password_is_behind_a_hash_that_cannot_be_checked() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("a@example.com").await;
    let spoil = "update auth.users set encrypted_password = $1";
    app.query(spoil, &[&unusable_hash()]).await;
    let body = json!({ "email": "a@example.com", "password": PASSWORD });
    app.post("/token?grant_type=password", body).await.refused(
        400,
        "invalid_credentials",
        "Invalid login credentials",
    );
    let put = app.as_user(&session.access_token, Method::PUT, "/user");
    let body = json!({ "password": PASSWORD });
    put.json(&body).send().await.ok();
    app.sign_in("a@example.com").await;
}

#[tokio::test]
async fn users_that_cannot_be_created() {
    let app = TestApp::spawn().await;
    app.sign_up("ada@example.com").await;
    create(&app, json!({ "phone": "123456" })).await.ok();
    let invalid = "validation_failed";
    for (body, text) in [
        (
            json!({}),
            "Cannot create a user without either an email or phone",
        ),
        (
            json!({ "email": "x" }),
            "Unable to validate email address: invalid format",
        ),
        (
            json!({ "phone": "x" }),
            "Invalid phone number format (E.164 required)",
        ),
        (
            json!({ "email": "b@example.com", "password": "x", "password_hash": "y" }),
            "Only a password or a password hash should be provided",
        ),
        (
            json!({ "email": "b@example.com", "id": "x" }),
            "ID must conform to the uuid v4 format",
        ),
        (
            json!({ "email": "b@example.com", "id": Uuid::nil() }),
            "ID cannot be a nil uuid",
        ),
        (
            json!({ "email": "b@example.com", "ban_duration": "long" }),
            "invalid format for ban duration: time: invalid duration \"long\"",
        ),
    ] {
        create(&app, body).await.refused(400, invalid, text);
    }
    let text = "A user with this email address has already been registered";
    create(&app, json!({ "email": "ada@example.com" }))
        .await
        .refused(422, "email_exists", text);
    let text = "Phone number already registered by another user";
    create(&app, json!({ "phone": "+123456" }))
        .await
        .refused(422, "phone_exists", text);
    let long = json!({ "email": "b@example.com", "password": "x".repeat(73) });
    let reply = create(&app, long).await;
    assert_eq!(
        (reply.status.as_u16(), &reply.json()["msg"]),
        (500, &json!("Internal Server Error"))
    );
}

#[tokio::test]
async fn a_taken_id_shows_what_postgres_said_to_older_clients_only() {
    let app = TestApp::spawn().await;
    let id = Uuid::new_v4();
    create(&app, json!({ "email": "a@example.com", "id": id }))
        .await
        .ok();
    let body = json!({ "email": "b@example.com", "id": id });
    let old = create(&app, body.clone()).await;
    assert_eq!(old.status, 500);
    assert_eq!(old.json()["code"], "23505");
    let new = app
        .as_admin(Method::POST, "/admin/users")
        .v2024()
        .json(&body)
        .send()
        .await;
    assert_eq!(
        new.json(),
        json!({ "code": "unexpected_failure", "message": "Database error creating new user" })
    );
}

#[tokio::test]
async fn one_user_is_found_by_id() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("ada@example.com").await;
    let user = get(&app, &session.user["id"]).await.ok();
    assert_eq!(user["email"], "ada@example.com");
    assert_eq!(user["identities"].as_array().unwrap().len(), 1);
    get(&app, &json!("x"))
        .await
        .refused(404, "validation_failed", "user_id must be an UUID");
    let unknown = json!(Uuid::new_v4());
    get(&app, &unknown)
        .await
        .refused(404, "user_not_found", "User not found");
    let path = format!("/admin/users/{}/factors", user["id"].as_str().unwrap());
    let factors = app.as_admin(Method::GET, &path).send().await;
    assert_eq!(factors.body, "[]");
    let reply = app
        .as_user(&session.access_token, Method::GET, "/admin/users")
        .send()
        .await;
    reply.refused(403, "not_admin", "User not allowed");
}

#[tokio::test]
async fn a_user_is_changed_as_told() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    let user = create(
        &app,
        json!({ "email": "ada@example.com", "user_metadata": { "a": 1, "b": 2 } }),
    )
    .await
    .ok();
    let id = &user["id"];
    let body = json!({
        "email": "Lovelace@example.com", "phone": "123456", "email_confirm": true,
        "role": "editor", "user_metadata": { "a": null, "c": 3 }, "app_metadata": { "plan": "x" },
    });
    let changed = update(&app, id, body).await.ok();
    assert_eq!(changed["email"], "lovelace@example.com");
    assert_eq!(changed["phone"], "123456");
    assert_eq!(changed["role"], "editor");
    assert_eq!(
        changed["user_metadata"],
        json!({ "b": 2, "c": 3, "email_verified": true })
    );
    assert_eq!(changed["app_metadata"]["plan"], "x");
    let read = get(&app, id).await.ok();
    let identity = read["identities"]
        .as_array()
        .unwrap()
        .iter()
        .find(|i| i["provider"] == "email")
        .unwrap()
        .clone();
    assert_eq!(identity["identity_data"]["email"], "lovelace@example.com");
    assert_eq!(identity["identity_data"]["email_verified"], true);
    assert_eq!(read["identities"].as_array().unwrap().len(), 2);
    assert!(app.mails().is_empty());
}

#[tokio::test]
async fn a_new_password_ends_all_sessions() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("ada@example.com").await;
    let id = &session.user["id"];
    let weak = update(&app, id, json!({ "password": "" })).await;
    assert_eq!(
        (weak.status.as_u16(), &weak.json()["error_code"]),
        (422, &json!("weak_password"))
    );
    update(&app, id, json!({ "password": "another-horse" }))
        .await
        .ok();
    assert_eq!(app.count("select count(*) from auth.sessions").await, 0);
    let sign_in = json!({ "email": "ada@example.com", "password": "another-horse" });
    app.post("/token?grant_type=password", sign_in).await.ok();
}

#[tokio::test]
async fn a_taken_address_is_one_sentence_to_newer_clients() {
    let app = TestApp::spawn().await;
    app.sign_up("ada@example.com").await;
    let session = app.sign_up("eve@example.com").await;
    let path = format!("/admin/users/{}", session.user_id());
    let body = json!({ "email": "ada@example.com" });
    let old = app.as_admin(Method::PUT, &path).json(&body).send().await;
    assert_eq!(
        (old.status.as_u16(), &old.json()["code"]),
        (500, &json!("23505"))
    );
    let new = app
        .as_admin(Method::PUT, &path)
        .v2024()
        .json(&body)
        .send()
        .await;
    assert_eq!(
        new.json(),
        json!({ "code": "unexpected_failure", "message": "Error updating user" })
    );
}

#[tokio::test]
async fn a_deleted_user_is_gone_with_everything() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("ada@example.com").await;
    let path = format!("/admin/users/{}", session.user_id());
    let reply = app.as_admin(Method::DELETE, &path).send().await;
    assert_eq!(reply.ok(), json!({}));
    for table in ["users", "identities", "sessions", "refresh_tokens"] {
        assert_eq!(
            app.count(&format!("select count(*) from auth.{table}"))
                .await,
            0,
            "{table}"
        );
    }
    app.as_admin(Method::DELETE, &path).send().await.refused(
        404,
        "user_not_found",
        "User not found",
    );
    let sql = "select payload -> 'traits' ->> 'user_email' from auth.audit_log_entries where payload ->> 'action' = 'user_deleted'";
    assert_eq!(
        app.query(sql, &[]).await[0].get::<_, &str>(0),
        "ada@example.com"
    );
}

#[tokio::test]
async fn a_softly_deleted_user_leaves_hashes() {
    use base64::Engine as _;
    use sha2::Digest as _;
    let app = TestApp::spawn().await;
    let session = app.sign_up("ada@example.com").await;
    let id = session.user_id();
    let path = format!("/admin/users/{id}");
    let soft = json!({ "should_soft_delete": true });
    app.as_admin(Method::DELETE, &path)
        .json(&soft)
        .send()
        .await
        .ok();
    let hash = |value: &str| {
        let digest = sha2::Sha256::digest(format!("{id}{value}"));
        base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(digest)
    };
    let sql = "select u.email, u.phone, u.encrypted_password is null, u.raw_user_meta_data::text,
        u.deleted_at is not null, i.provider_id, i.identity_data::text
      from auth.users as u join auth.identities as i on i.user_id = u.id";
    let row = &app.query(sql, &[]).await[0];
    assert_eq!(row.get::<_, String>(0), hash("ada@example.com"));
    assert_eq!(row.get::<_, String>(1), hash("")[..15]);
    assert!(row.get::<_, bool>(2));
    assert_eq!(row.get::<_, &str>(3), "{}");
    assert!(row.get::<_, bool>(4));
    assert_eq!(row.get::<_, String>(5), hash(&format!("email:{id}")));
    assert_eq!(row.get::<_, &str>(6), "{}");
    assert_eq!(app.count("select count(*) from auth.sessions").await, 0);
    app.as_admin(Method::DELETE, &path)
        .json(&soft)
        .send()
        .await
        .ok();
    let again = app.query("select email from auth.users", &[]).await;
    assert_eq!(again[0].get::<_, String>(0), hash("ada@example.com"));
    app.sign_up("ada@example.com").await;
}

#[tokio::test]
async fn of_many_creations_of_one_address_at_once_one_succeeds() {
    let app = TestApp::spawn().await;
    let creations = (0..10).map(|_| create(&app, json!({ "email": "ada@example.com" })));
    let replies = futures_util::future::join_all(creations).await;
    let (ok, refused): (Vec<_>, Vec<_>) = replies
        .into_iter()
        .partition(|reply| reply.status.is_success());
    assert_eq!(ok.len(), 1);
    for reply in refused {
        let text = "A user with this email address has already been registered";
        reply.refused(422, "email_exists", text);
    }
}
