//! `GET /admin/audit`.

use reqwest::Method;
use serde_json::json;

use crate::app::TestApp;

#[tokio::test]
async fn events_are_listed_newest_first_and_can_be_searched() {
    let app = TestApp::spawn().await;
    app.sign_up("ada@example.com").await;
    app.wait(1);
    app.sign_in("ada@example.com").await;
    app.wait(1);
    app.sign_up("eve@example.com").await;
    let get = async |query: &str| {
        app.as_admin(Method::GET, &format!("/admin/audit{query}"))
            .send()
            .await
    };
    let all = get("").await.ok();
    let all = all.as_array().unwrap();
    assert_eq!(all[0]["payload"]["actor_username"], "eve@example.com");
    assert_eq!(all[0]["ip_address"], "");
    let of_eve = get("?query=author:EVE").await.ok();
    assert!(
        of_eve
            .as_array()
            .unwrap()
            .iter()
            .all(|entry| entry["payload"]["actor_username"] == "eve@example.com")
    );
    let sign_ups = get("?query=action:signedup").await.ok();
    assert_eq!(sign_ups.as_array().unwrap().len(), 2);
    let team = get("?query=type:team").await.ok();
    assert_eq!(team.as_array().unwrap().len(), 2);
    let page = get("?per_page=1&page=2").await;
    assert_eq!(page.ok().as_array().unwrap().len(), 1);
    let total = all.len();
    assert_eq!(
        page.header("x-total-count"),
        Some(total.to_string().as_str())
    );
    assert_eq!(
        page.header("link").unwrap(),
        format!(
            "</admin/audit?page=3&per_page=1>; rel=\"next\", </admin/audit?page={total}&per_page=1>; rel=\"last\""
        )
    );
}

#[tokio::test]
async fn searches_that_make_no_sense_are_refused() {
    let app = TestApp::spawn().await;
    let get = async |query: &str| {
        app.as_admin(Method::GET, &format!("/admin/audit/{query}"))
            .send()
            .await
    };
    for query in ["color:red", "author"] {
        let text = format!("Invalid query scope: {query}");
        get(&format!("?query={query}"))
            .await
            .refused(400, "validation_failed", &text);
    }
    let text = r#"Bad Pagination Parameters: strconv.ParseUint: parsing "x": invalid syntax"#;
    get("?page=x").await.refused(400, "validation_failed", text);
    let zero = get("?per_page=0").await;
    assert_eq!(
        (zero.status.as_u16(), &zero.json()["msg"]),
        (500, &json!("Internal Server Error"))
    );
    let text = "This endpoint requires a valid Bearer token";
    app.get("/admin/audit")
        .await
        .refused(401, "no_authorization", text);
}

#[tokio::test]
async fn who_is_asking_matters_more_than_what_for() {
    let app = TestApp::spawn().await;
    let text = "This endpoint requires a valid Bearer token";
    for (method, path) in [
        (Method::GET, "/admin"),
        (Method::GET, "/admin/nothing"),
        (Method::DELETE, "/admin/audit"),
        (Method::GET, "/admin/generate_link"),
    ] {
        let stranger = app.request(method.clone(), path).send().await;
        stranger.refused(401, "no_authorization", text);
        let admin = app.as_admin(method, path).send().await;
        assert!(
            matches!(admin.status.as_u16(), 404 | 405),
            "{path}: {}",
            admin.status
        );
    }
    assert_eq!(app.get("/administration").await.status, 404);
}
