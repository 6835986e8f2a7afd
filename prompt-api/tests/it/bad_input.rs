//! Bodies that are not what they should be, on every route that takes one.

use actix_web::http::Method;

use crate::api::Api;

const WITH_BODY: &[(&str, &str)] = &[
    ("POST", "/api/v1/prompts"),
    ("PATCH", "/api/v1/prompts/ID"),
    ("POST", "/api/v1/prompts/ID/versions"),
    ("POST", "/api/v1/prompts/ID/rollback"),
    ("POST", "/api/v1/prompts/compile/a"),
    ("POST", "/api/v1/compile"),
    ("POST", "/api/v1/repos"),
];

#[actix_web::test]
async fn malformed_bodies_are_400_everywhere() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let id = api.prompt(&ada, "a", "one").await["id"].to_string();
    let deep = "[".repeat(10_000);
    let bodies: &[&[u8]] = &[
        b"{",
        b"null",
        b"[]",
        b"\"text\"",
        b"5",
        b"{\"a\": 1} more",
        b"{'a': 1}",
        b"{\"a\": \xff}",
        b"{\"template\": \"\xc3\x28\"}",
        b"{\"a\": NaN}",
        deep.as_bytes(),
    ];
    for (method, path) in WITH_BODY {
        let path = path.replace("ID", &id);
        for body in bodies {
            let method: Method = method.parse().unwrap();
            let call = api.call(method, &path).by(&ada).body(body.to_vec());
            let answer = call.send().await;
            let shown = String::from_utf8_lossy(&body[..body.len().min(30)]).into_owned();
            assert_eq!(
                answer.status.as_u16(),
                400,
                "{path} {shown} {}",
                answer.text()
            );
            let error = &answer.json()["error"];
            assert_eq!(error["code"], "malformed_request");
            let place = error["message"].as_str().unwrap_or_default();
            let place = place.strip_prefix("The request body is not the JSON expected here, see ");
            let is_place = place.is_some_and(|place| {
                let words: Vec<_> = place
                    .split([' ', ','])
                    .filter(|word| !word.is_empty())
                    .collect();
                matches!(words[..], ["line", line, "column", column]
                    if line.parse::<u32>().is_ok() && column.parse::<u32>().is_ok())
            });
            let is_text = std::str::from_utf8(body).is_ok();
            assert_eq!(is_place, is_text, "{error}");
        }
    }
}

#[actix_web::test]
async fn what_no_double_and_no_text_can_hold_is_400() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    for body in [
        r#"{"template": "{x}", "variables": {"x": 1e999}}"#,
        r#"{"template": "\ud800"}"#,
        r#"{"template": "{x}", "variables": {"x": "\udc00\ud800"}}"#,
    ] {
        let call = api.post("/api/v1/compile").by(&ada);
        let code = call.body(body.as_bytes().to_vec()).refused(400).await;
        assert_eq!(code, "malformed_request", "{body}");
    }
}

#[actix_web::test]
async fn wrong_types_and_repeated_names_are_400() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    for body in [
        r#"{"name": 5, "key": "k", "template": "t"}"#,
        r#"{"name": "n", "key": ["k"], "template": "t"}"#,
        r#"{"name": "n", "key": "k", "template": {"a": 1}}"#,
        r#"{"name": "n", "key": "k", "template": "t", "tags": "x"}"#,
        r#"{"name": "n", "key": "k", "template": "t", "tags": [1]}"#,
        r#"{"name": "n", "name": "m", "key": "k", "template": "t"}"#,
    ] {
        let call = api
            .post("/api/v1/prompts")
            .by(&ada)
            .body(body.as_bytes().to_vec());
        assert_eq!(call.refused(400).await, "malformed_request", "{body}");
    }
    let huge = br#"{"version": 99999999999999999999999999}"#.to_vec();
    let id = api.prompt(&ada, "a", "one").await["id"].to_string();
    api.post(&format!("/api/v1/prompts/{id}/rollback"))
        .by(&ada)
        .body(huge)
        .refused(400)
        .await;
}

#[actix_web::test]
async fn large_bodies_are_413() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let id = api.prompt(&ada, "a", "one").await["id"].to_string();
    for (method, path) in WITH_BODY {
        let method: Method = method.parse().unwrap();
        let call = api.call(method, &path.replace("ID", &id)).by(&ada);
        assert_eq!(
            call.body(vec![b' '; 3_000_000]).refused(413).await,
            "too_large",
            "{path}"
        );
    }
    let call = api.post("/api/waitlist").body(vec![b' '; 2_000_000]);
    assert_eq!(call.refused(413).await, "too_large");
}

#[actix_web::test]
async fn a_template_with_every_character_escaped_fits() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let escaped = "\\u00e9".repeat(128 * 1024);
    let body = format!(r#"{{"name": "n", "key": "k", "template": "{escaped}"}}"#);
    let made = api
        .post("/api/v1/prompts")
        .by(&ada)
        .body(body.into_bytes())
        .expect(201)
        .await;
    assert_eq!(
        made["current_version"]["template"].as_str().unwrap().len(),
        256 * 1024
    );
}
