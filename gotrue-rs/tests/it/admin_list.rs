//! Lists of users, by page and by cursor.

use reqwest::Method;
use serde_json::{Value, json};

use crate::admin_users::create;
use crate::app::{Reply, TestApp};

const BY_CURSOR: (&str, &str) = ("GOTRUE_EXPERIMENTAL_CURSOR_PAGINATION_ENABLED", "true");

async fn list(app: &TestApp, query: &str) -> Reply {
    let path = format!("/admin/users{query}");
    app.as_admin(Method::GET, &path).send().await
}

#[tokio::test]
async fn users_are_listed_in_pages() {
    let app = TestApp::spawn().await;
    for name in ["ada", "bob", "eve"] {
        let data = json!({ "full_name": name.to_uppercase() });
        create(
            &app,
            json!({ "email": format!("{name}@example.com"), "user_metadata": data }),
        )
        .await
        .ok();
        app.wait(1);
    }
    let list = async |query: &str| list(&app, query).await;
    let emails = |reply: &Reply| -> Vec<String> {
        let users = reply.ok()["users"].as_array().unwrap().clone();
        users
            .iter()
            .map(|user| user["email"].as_str().unwrap().replace("@example.com", ""))
            .collect()
    };
    let all = list("").await;
    assert_eq!(emails(&all), ["eve", "bob", "ada"]);
    assert_eq!(all.json()["aud"], "authenticated");
    assert_eq!(all.json()["users"][0]["identities"], Value::Null);
    assert_eq!(all.header("x-total-count"), Some("3"));
    assert_eq!(
        all.header("link"),
        Some("</admin/users?page=1>; rel=\"last\"")
    );
    let first = list("?per_page=2&page=").await;
    assert_eq!(emails(&first), ["eve", "bob"]);
    assert_eq!(
        first.header("link"),
        Some(
            "</admin/users?page=2&per_page=2>; rel=\"next\", </admin/users?page=2&per_page=2>; rel=\"last\""
        )
    );
    assert_eq!(emails(&list("?per_page=2&page=2").await), ["ada"]);
    assert_eq!(
        emails(&list("?sort=created_at+asc").await),
        ["ada", "bob", "eve"]
    );
    assert_eq!(emails(&list("?filter=da@").await), ["ada"]);
    assert_eq!(emails(&list("?filter=Bo").await), ["bob"]);
    assert_eq!(emails(&list("?filter=nobody").await), [""; 0]);
    assert_eq!(
        list("?filter=nobody").await.header("link"),
        Some("</admin/users?filter=nobody&page=0>; rel=\"last\"")
    );
}

#[tokio::test]
async fn users_are_listed_by_cursor_where_that_is_enabled() {
    let app = TestApp::spawn_with(&[BY_CURSOR]).await;
    for number in 0..5 {
        create(&app, json!({ "email": format!("u{number}@example.com") }))
            .await
            .ok();
    }
    let mut path = "/admin/users?limit=2".to_owned();
    let mut seen = Vec::new();
    loop {
        let reply = app.as_admin(Method::GET, &path).send().await;
        let body = reply.ok();
        seen.extend(
            body["users"]
                .as_array()
                .unwrap()
                .iter()
                .map(|user| user["email"].to_string()),
        );
        assert!(reply.header("x-total-count").is_none());
        if body["pagination"]["has_more"] == false {
            assert!(body["pagination"].get("next_cursor").is_none());
            assert!(reply.header("link").is_none());
            break;
        }
        let cursor = body["pagination"]["next_cursor"].as_str().unwrap();
        assert_eq!(
            reply.header("link").unwrap(),
            format!("</admin/users?cursor={cursor}&limit=2>; rel=\"next\"")
        );
        path = format!("/admin/users?limit=2&cursor={cursor}");
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 5);
}

#[tokio::test]
async fn pages_that_cannot_be_are_refused() {
    let app = TestApp::spawn().await;
    let list = async |query: &str| list(&app, query).await;
    let invalid = "validation_failed";
    let text = "Bad Sort Parameters: bad field for sort 'email'";
    list("?sort=email").await.refused(400, invalid, text);
    let text = "Bad Sort Parameters: bad direction for sort 'up', only 'asc' and 'desc' allowed";
    list("?sort=created_at+up")
        .await
        .refused(400, invalid, text);
    let text = r#"Bad Pagination Parameters: strconv.ParseUint: parsing "-1": invalid syntax"#;
    list("?page=-1").await.refused(400, invalid, text);
}

#[tokio::test]
async fn cursors_that_were_never_given_are_refused() {
    let app = TestApp::spawn_with(&[BY_CURSOR]).await;
    let reply = app
        .as_admin(Method::GET, "/admin/users?limit=0")
        .send()
        .await;
    let text = "Bad Pagination Parameters: limit must be greater than 0";
    reply.refused(400, "validation_failed", text);
    for (cursor, flaw) in [
        (
            "!!",
            "invalid cursor encoding: illegal base64 data at input byte 0",
        ),
        ("e30", "invalid cursor: missing id"),
        (
            "eyJpZCI6IjExMTExMTExLTExMTEtNDExMS04MTExLTExMTExMTExMTExMSJ9",
            "invalid cursor: missing created_at",
        ),
    ] {
        let path = format!("/admin/users?cursor={cursor}");
        let reply = app.as_admin(Method::GET, &path).send().await;
        let text = format!("Bad Pagination Parameters: {flaw}");
        reply.refused(400, "validation_failed", &text);
    }
    let numbered = app
        .as_admin(Method::GET, "/admin/users?page=1")
        .send()
        .await;
    assert!(numbered.ok().get("pagination").is_none());
}
