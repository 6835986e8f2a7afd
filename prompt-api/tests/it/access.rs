//! Tokens: what is refused before anything else is looked at, and what needs none.

use actix_web::http::Method;
use platform_test::tokens;
use serde_json::json;

use crate::api::Api;

/// Every route that needs a signed-in caller.
const PROTECTED: &[(&str, &str)] = &[
    ("POST", "/api/v1/prompts"),
    ("PATCH", "/api/v1/prompts/1"),
    ("DELETE", "/api/v1/prompts/1"),
    ("POST", "/api/v1/prompts/1/archive"),
    ("POST", "/api/v1/prompts/1/unarchive"),
    ("POST", "/api/v1/prompts/1/versions"),
    ("POST", "/api/v1/prompts/1/rollback"),
    ("POST", "/api/v1/compile"),
    ("GET", "/api/v1/organizations"),
    ("POST", "/api/v1/repos"),
    ("GET", "/api/v1/stats/overview"),
    ("GET", "/api/v1/prompts/by-key/x"),
    ("POST", "/api/v1/prompts/compile/x"),
];

/// Those that answer anonymous callers as well, but not bad tokens.
const OPEN: &[(&str, &str)] = &[
    ("GET", "/api/v1/prompts"),
    ("GET", "/api/v1/prompts/1"),
    ("GET", "/api/v1/prompts/1/versions"),
    ("GET", "/api/v1/prompts/1/versions/1"),
    ("GET", "/api/v1/repos"),
    ("GET", "/api/v1/repos/a/b"),
];

fn method(name: &str) -> Method {
    name.parse().unwrap()
}

#[actix_web::test]
async fn bad_token_is_401_before_the_body_is_looked_at() {
    let api = Api::start().await;
    let expired =
        tokens::access_token_with("00000000-0000-0000-0000-000000000001", &json!({ "exp": 1 }));
    let no_user = tokens::access_token("not-a-uuid");
    let no_role = tokens::access_token_with(
        "00000000-0000-0000-0000-000000000001",
        &json!({ "role": "postgres" }),
    );
    let headers = [
        "Bearer x".to_owned(),
        "Bearer".to_owned(),
        "Basic abc".to_owned(),
        format!("Bearer {expired}"),
        format!("Bearer {no_user}"),
        format!("Bearer {no_role}"),
    ];
    for (name, path) in PROTECTED.iter().chain(OPEN) {
        for header in &headers {
            let call = api.call(method(name), path).header("authorization", header);
            let code = call.body(b"{ malformed".to_vec()).refused(401).await;
            assert_eq!(code, "unauthorized", "{name} {path} {header}");
        }
    }
}

#[actix_web::test]
async fn missing_token_is_401_on_protected_routes_only() {
    let api = Api::start().await;
    let anon = tokens::anon();
    for (name, path) in PROTECTED {
        let call = api.call(method(name), path);
        let call = if *path == "/api/v1/prompts/compile/x" {
            call
        } else {
            call.body(b"{ malformed".to_vec())
        };
        assert_eq!(call.refused(401).await, "unauthorized", "{name} {path}");
        let call = api.call(method(name), path).bearer(&anon);
        assert_eq!(call.refused(401).await, "unauthorized", "{name} {path}");
    }
    for (name, path) in OPEN {
        let status = api.call(method(name), path).send().await.status.as_u16();
        assert!(status == 200 || status == 404, "{name} {path}: {status}");
    }
}

#[actix_web::test]
async fn unknown_addresses_and_methods_are_told_apart() {
    let api = Api::start().await;
    for path in [
        "/api",
        "/api/",
        "/api/v1",
        "/api/v1/nothing",
        "/api/v2/prompts",
        "/api/v1/prompts/1/nothing",
    ] {
        assert_eq!(api.get(path).refused(404).await, "not_found", "{path}");
    }
    for (name, path) in [
        ("PUT", "/api/v1/prompts"),
        ("POST", "/api/v1/prompts/1"),
        ("GET", "/api/v1/prompts/1/archive"),
        ("GET", "/api/v1/compile"),
        ("DELETE", "/api/v1/organizations"),
        ("GET", "/api/waitlist"),
    ] {
        let code = api.call(method(name), path).refused(405).await;
        assert_eq!(code, "method_not_allowed", "{name} {path}");
    }
}

#[actix_web::test]
async fn the_secret_key_sees_everything() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let prompt = api.prompt(&ada, "a", "one").await;
    let key = tokens::service_role();
    let path = format!("/api/v1/prompts/{}", prompt["id"]);
    assert_eq!(api.get(&path).bearer(&key).expect(200).await, prompt);
    let body = json!({ "name": "Renamed" });
    let changed = api.patch(&path).bearer(&key).json(&body).expect(200).await;
    assert_eq!(changed["name"], "Renamed");
    let body = json!({ "key": "b", "name": "B", "template": "t", "repo": "ada/default" });
    api.post("/api/v1/prompts")
        .bearer(&key)
        .json(&body)
        .expect(201)
        .await;
    let list = api
        .get("/api/v1/prompts?owner=ada")
        .bearer(&key)
        .expect(200)
        .await;
    assert_eq!(list.as_array().unwrap().len(), 2);
    api.get("/api/v1/organizations")
        .bearer(&key)
        .expect(200)
        .await;
    api.get("/api/v1/stats/overview")
        .bearer(&key)
        .refused(403)
        .await;
}

#[actix_web::test]
async fn other_origins_may_call() {
    let api = Api::start().await;
    let preflight = api
        .call(Method::OPTIONS, "/api/v1/prompts")
        .header("origin", "https://example.com")
        .header("access-control-request-method", "PATCH")
        .header("access-control-request-headers", "authorization, if-match");
    let answer = preflight.send().await;
    assert_eq!(answer.status.as_u16(), 204);
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    let answer = api
        .get("/api/v1/prompts")
        .header("origin", "https://example.com")
        .send()
        .await;
    assert!(
        answer
            .header("access-control-expose-headers")
            .unwrap()
            .contains("X-Total-Count")
    );
}

#[actix_web::test]
async fn a_server_may_call_itself_what_it_likes() {
    let api = Api::start().await;
    let named = json!({ "role": "service_role" });
    let token = tokens::access_token_with("my-backend", &named);
    api.get("/api/v1/prompts").bearer(&token).expect(200).await;
    let with_nul = json!({ "role": "service_role", "note": "a\0b" });
    let token = tokens::access_token_with("my-backend", &with_nul);
    api.get("/api/v1/prompts").bearer(&token).refused(401).await;
}

#[actix_web::test]
async fn a_nul_is_searched_for_nowhere() {
    let api = Api::start().await;
    for path in ["prompts", "repos"] {
        for name in ["owner", "q", "tag", "repo", "limit"] {
            let path = format!("/api/v1/{path}?{name}=a%00/b");
            api.get(&path).refused(400).await;
        }
    }
}
