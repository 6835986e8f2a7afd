//! Metadata of users: who writes at the same time loses nothing, and there is a bound.

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::app::{PASSWORD, Reply, Session, TestApp};
use crate::letter::confirming_with;

/// More than fits.
fn long() -> Value {
    json!("x".repeat(8 * 1024))
}

async fn save(app: &TestApp, session: &Session, body: Value) -> Reply {
    app.as_user(&session.access_token, Method::PUT, "/user")
        .json(&body)
        .send()
        .await
}

async fn save_as_admin(app: &TestApp, id: Uuid, body: Value) -> Reply {
    app.as_admin(Method::PUT, &format!("/admin/users/{id}"))
        .json(&body)
        .send()
        .await
}

/// Runs `work` while an admin's change of the user's `app_metadata` is under way, and lets the
/// change be committed once `work` waits for it.
async fn during_revocation<T>(app: &TestApp, id: Uuid, work: impl Future<Output = T>) -> T {
    app.query(
        "update auth.users set raw_app_meta_data = raw_app_meta_data || '{\"admin\": true}'
         where id = $1",
        &[&id],
    )
    .await;
    let revoke = format!(
        "update auth.users
         set raw_app_meta_data = (raw_app_meta_data - 'admin') || '{{\"revoked\": true}}'
         where id = '{id}'"
    );
    app.during(&revoke, work).await
}

async fn app_metadata(app: &TestApp, id: Uuid) -> Value {
    let sql = "select raw_app_meta_data::text from auth.users where id = $1";
    let text: String = app.query(sql, &[&id]).await[0].get(0);
    serde_json::from_str(&text).unwrap()
}

#[track_caller]
fn is_revoked(app_metadata: &Value, case: &str) {
    assert_eq!(app_metadata.get("admin"), None, "{case}: {app_metadata}");
    assert_eq!(app_metadata["revoked"], true, "{case}: {app_metadata}");
}

#[tokio::test]
async fn a_users_own_save_does_not_bring_revoked_app_metadata_back() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("a@example.com").await;
    let id = session.user_id();
    for body in [
        json!({ "data": { "theme": "dark" } }),
        json!({ "password": "another-horse" }),
    ] {
        let case = body.to_string();
        let user = during_revocation(&app, id, save(&app, &session, body))
            .await
            .ok();
        is_revoked(&user["app_metadata"], &case);
        is_revoked(&app_metadata(&app, id).await, &case);
    }
}

#[tokio::test]
async fn an_admins_save_does_not_bring_revoked_app_metadata_back() {
    let app = TestApp::spawn().await;
    let id = app.sign_up("a@example.com").await.user_id();
    for body in [
        json!({ "user_metadata": { "theme": "dark" } }),
        json!({ "email": "b@example.com", "email_confirm": true }),
    ] {
        let case = body.to_string();
        let user = during_revocation(&app, id, save_as_admin(&app, id, body))
            .await
            .ok();
        is_revoked(&user["app_metadata"], &case);
        is_revoked(&app_metadata(&app, id).await, &case);
    }
}

#[tokio::test]
async fn links_and_their_confirmation_do_not_bring_revoked_app_metadata_back() {
    let app = TestApp::spawn_with(&confirming_with(&[])).await;
    let body = json!({ "email": "a@example.com", "password": PASSWORD });
    let id: Uuid = app.post("/signup", body).await.ok()["id"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let link = async || {
        let body = json!({ "type": "signup", "email": "a@example.com", "password": PASSWORD,
            "data": { "theme": "dark" } });
        app.as_admin(Method::POST, "/admin/generate_link")
            .json(&body)
            .send()
            .await
    };
    let made = during_revocation(&app, id, link()).await.ok();
    is_revoked(&made["app_metadata"], "generate_link");
    is_revoked(&app_metadata(&app, id).await, "generate_link");
    let redeem = json!({ "type": "signup", "token_hash": made["hashed_token"] });
    let user = during_revocation(&app, id, app.post("/verify", redeem))
        .await
        .ok();
    is_revoked(&user["user"]["app_metadata"], "verify");
    is_revoked(&app_metadata(&app, id).await, "verify");
}

#[tokio::test]
async fn saves_at_the_same_time_keep_every_key() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("a@example.com").await;
    let id = session.user_id();
    let saves = (0..20).map(|n| {
        let (app, session) = (&app, &session);
        async move {
            let key = format!("key{n}");
            if n % 2 == 0 {
                save(app, session, json!({ "data": { key: n } })).await.ok();
            } else {
                let body = json!({ "user_metadata": { &key: n }, "app_metadata": { &key: n } });
                save_as_admin(app, id, body).await.ok();
            }
        }
    });
    join_all(saves).await;
    let user = app
        .as_user(&session.access_token, Method::GET, "/user")
        .send()
        .await
        .ok();
    for n in 0..20 {
        assert_eq!(user["user_metadata"][format!("key{n}")], n, "{user}");
        if n % 2 == 1 {
            assert_eq!(user["app_metadata"][format!("key{n}")], n, "{user}");
        }
    }
    assert_eq!(user["app_metadata"]["providers"], json!(["email"]));
    assert_eq!(user["user_metadata"]["email"], "a@example.com");
}

#[tokio::test]
async fn of_two_identities_unlinked_at_the_same_time_one_stays() {
    let app = TestApp::spawn_with(&[("GOTRUE_SECURITY_MANUAL_LINKING_ENABLED", "true")]).await;
    let session = app.sign_up("a@example.com").await;
    let id = session.user_id();
    app.query(
        "insert into auth.identities
           (id, provider_id, user_id, identity_data, provider, created_at, updated_at)
         values (gen_random_uuid(), '1', $1, '{\"sub\": \"1\", \"email\": \"a@example.com\"}',
           'github', now(), now())",
        &[&id],
    )
    .await;
    let ids = app
        .query(
            "select id::text from auth.identities where user_id = $1",
            &[&id],
        )
        .await;
    let unlink = |row: &platform::pg::Row| {
        let path = format!("/user/identities/{}", row.get::<_, String>(0));
        app.as_user(&session.access_token, Method::DELETE, &path)
            .send()
    };
    let replies = join_all(ids.iter().map(unlink)).await;
    let done = replies.iter().filter(|reply| reply.status == 200).count();
    assert_eq!(done, 1, "{replies:?}");
    assert_eq!(app.count("select count(*) from auth.identities").await, 1);
}

#[tokio::test]
async fn metadata_that_no_token_could_carry_is_refused_and_not_stored() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("a@example.com").await;
    let id = session.user_id();
    let own = "user_metadata cannot be longer than 8192 bytes";
    let theirs = "app_metadata cannot be longer than 8192 bytes";
    let refused = |reply: Reply, text: &str| reply.refused(400, "validation_failed", text);
    let user = json!({ "email": "b@example.com", "password": PASSWORD });
    let with = |key: &str| {
        let mut body = user.clone();
        body[key] = json!({ "long": long() });
        body
    };
    for (path, body) in [
        ("/signup", with("data")),
        ("/signup", json!({ "data": { "long": long() } })),
        (
            "/otp",
            json!({ "email": "b@example.com", "data": { "long": long() } }),
        ),
        (
            "/otp",
            json!({ "phone": "123456789", "data": { "long": long() } }),
        ),
        (
            "/magiclink",
            json!({ "email": "b@example.com", "data": { "long": long() } }),
        ),
    ] {
        refused(app.post(path, body).await, own);
    }
    let as_admin =
        async |path: &str, body: Value| app.as_admin(Method::POST, path).json(&body).send().await;
    refused(as_admin("/invite", with("data")).await, own);
    let mut link = with("data");
    link["type"] = json!("signup");
    refused(as_admin("/admin/generate_link", link).await, own);
    refused(as_admin("/admin/users", with("user_metadata")).await, own);
    refused(as_admin("/admin/users", with("app_metadata")).await, theirs);
    refused(
        save(&app, &session, json!({ "data": { "long": long() } })).await,
        own,
    );
    refused(
        save_as_admin(&app, id, json!({ "user_metadata": { "a": long() } })).await,
        own,
    );
    refused(
        save_as_admin(&app, id, json!({ "app_metadata": { "a": long() } })).await,
        theirs,
    );
    assert_eq!(app.count("select count(*) from auth.users").await, 1);
    let stored = "select count(*) from auth.users
        where length(raw_user_meta_data::text) + length(raw_app_meta_data::text) < 1000";
    assert_eq!(app.count(stored).await, 1);
}

#[tokio::test]
async fn the_longest_metadata_that_is_taken_makes_tokens_that_are_taken() {
    let app = TestApp::spawn().await;
    // As JSON: {"a":"…"}; the last one is six bytes there and one on the way here.
    for (number, text) in ["x".repeat(8184), "é".repeat(4092), "\u{1}".repeat(1364)]
        .into_iter()
        .enumerate()
    {
        let email = format!("{number}@example.com");
        let body = json!({ "email": email, "password": PASSWORD, "data": { "a": text } });
        let session = Session::of(&app.post("/signup", body).await);
        let id = session.user_id();
        let others = json!({ "app_metadata": { "b": "y".repeat(8100) } });
        save_as_admin(&app, id, others).await.ok();
        let session = app.sign_in(&email).await;
        assert_eq!(session.claims()["user_metadata"]["a"], text, "{number}");
        let read = app.as_user(&session.access_token, Method::GET, "/user");
        assert_eq!(read.send().await.ok()["user_metadata"]["a"], text);
        save(&app, &session, json!({ "data": { "a": null } }))
            .await
            .ok();
    }
}

#[tokio::test]
async fn many_small_saves_do_not_pass_the_bound() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("a@example.com").await;
    let part = "x".repeat(5 * 1024);
    save(&app, &session, json!({ "data": { "a": part } }))
        .await
        .ok();
    save(&app, &session, json!({ "data": { "b": part } }))
        .await
        .refused(
            400,
            "validation_failed",
            "user_metadata cannot be longer than 8192 bytes",
        );
    save(&app, &session, json!({ "data": { "a": null, "b": part } }))
        .await
        .ok();
}

#[tokio::test]
async fn who_has_too_much_metadata_from_before_signs_in_and_can_remove_it() {
    let app = TestApp::spawn().await;
    let id = app.sign_up("a@example.com").await.user_id();
    app.query(
        "update auth.users set raw_user_meta_data = jsonb_build_object(
           'a', repeat('x', 900000), 'b', repeat('x', 20000))
         where id = $1",
        &[&id],
    )
    .await;
    let session = app.sign_in("a@example.com").await;
    assert!(session.access_token.len() < 4096);
    assert_eq!(session.claims()["user_metadata"], json!({}));
    save(&app, &session, json!({ "data": { "a": null } }))
        .await
        .ok();
    assert_eq!(
        save(&app, &session, json!({ "data": { "c": 1 } }))
            .await
            .status,
        400
    );
    save(&app, &session, json!({ "data": { "b": null, "c": 1 } }))
        .await
        .ok();
    let refreshed = Session::of(&app.refresh(&session.refresh_token).await);
    assert_eq!(refreshed.claims()["user_metadata"], json!({ "c": 1 }));
}
