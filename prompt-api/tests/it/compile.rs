//! Compiling over HTTP; what the engine does is covered by the shared vectors.

use serde_json::json;

use crate::api::{Api, NOW};

#[actix_web::test]
async fn stored_prompt_compiles_with_both_forms_of_body() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    api.prompt(&ada, "hello", "Hello {name}, {today} {TODAY} {{x}}")
        .await;
    let path = "/api/v1/prompts/compile/hello";
    let body = json!({ "variables": { "name": "Ada", "more": 1 }, "now": NOW });
    let answer = api.post(path).by(&ada).json(&body).expect(200).await;
    assert_eq!(answer["key"], "hello");
    assert_eq!(answer["version"], 1);
    assert_eq!(
        answer["compiled_template"],
        "Hello Ada, {today} 2026-11-20 {x}"
    );
    assert_eq!(answer["metadata"]["missing"], json!(["today"]));
    assert_eq!(answer["metadata"]["unused"], json!(["more"]));
    assert_eq!(
        answer["metadata"]["content_hash"].as_str().unwrap().len(),
        64
    );
    let codes: Vec<&str> = answer["metadata"]["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|warning| warning["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, ["lowercase_system_name", "escaped_variable"]);
    let system = json!({
        "TODAY": "2026-11-20", "NOW": NOW, "TIMESTAMP": 1_795_163_400, "DATE": "2026-11-20",
        "TIME": "08:30:00",
    });
    assert_eq!(answer["system_variables"], system);
    let plain = api
        .post(path)
        .by(&ada)
        .json(&json!({ "name": "Bob" }))
        .expect(200)
        .await;
    assert!(
        plain["compiled_template"]
            .as_str()
            .unwrap()
            .starts_with("Hello Bob, {today} 20")
    );
    let empty = api.post(path).by(&ada).expect(200).await;
    assert_eq!(empty["metadata"]["missing"], json!(["name", "today"]));
}

#[actix_web::test]
async fn options_choose_version_zone_and_strictness() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let id = api.prompt(&ada, "a", "one {NOW} {x}").await["id"].clone();
    let body = json!({ "template": "two {x}" });
    api.post(&format!("/api/v1/prompts/{id}/versions"))
        .by(&ada)
        .json(&body)
        .expect(201)
        .await;
    let path = "/api/v1/prompts/compile/a";
    let body = json!({
        "variables": { "x": null }, "version": 1, "timezone": "Asia/Kolkata", "now": NOW,
        "strict": true,
    });
    let answer = api.post(path).by(&ada).json(&body).expect(200).await;
    assert_eq!(
        answer["compiled_template"],
        "one 2026-11-20T14:00:00+05:30 "
    );
    assert_eq!(answer["version"], 1);
    let strict = json!({ "variables": {}, "strict": true });
    let refused = api.post(path).by(&ada).json(&strict).expect(422).await;
    assert_eq!(refused["error"]["code"], "missing_variables");
    assert_eq!(refused["error"]["details"]["missing"], json!(["x"]));
    for (field, value) in [
        ("timezone", json!("Mars/Olympus")),
        ("timezone", json!(5)),
        ("now", json!("yesterday")),
        ("now", json!("-000001-01-01T00:00:00Z")),
        ("strict", json!("yes")),
        ("version", json!("1")),
        ("version", json!(1.5)),
        ("variables", json!("text")),
        ("variables", json!([1])),
    ] {
        let mut body = json!({ "variables": {} });
        body[field] = value;
        let refused = api.post(path).by(&ada).json(&body).expect(422).await;
        assert_eq!(refused["error"]["details"][0]["field"], field, "{body}");
    }
    let missing = json!({ "variables": {}, "version": 7 });
    api.post(path).by(&ada).json(&missing).refused(404).await;
    api.post("/api/v1/prompts/compile/none")
        .by(&ada)
        .refused(404)
        .await;
}

#[actix_web::test]
async fn pasted_template_compiles_without_a_key() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let body = json!({ "template": "a\r\n{x}", "variables": { "x": [1.0, "é"] } });
    let answer = api
        .post("/api/v1/compile")
        .by(&ada)
        .json(&body)
        .expect(200)
        .await;
    assert_eq!(answer["key"], json!(null));
    assert_eq!(answer["version"], json!(null));
    assert_eq!(answer["compiled_template"], "a\r\n[1,\"é\"]");
    for bad in [
        json!({}),
        json!({ "template": 5 }),
        json!({ "template": "a\u{0}" }),
    ] {
        api.post("/api/v1/compile")
            .by(&ada)
            .json(&bad)
            .refused(422)
            .await;
    }
    let empty = api
        .post("/api/v1/compile")
        .by(&ada)
        .json(&json!({ "template": "" }));
    assert_eq!(empty.expect(200).await["compiled_template"], "");
    api.post("/api/v1/compile").json(&body).refused(401).await;
}

#[actix_web::test]
async fn what_is_too_large_is_refused() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let value = "v".repeat(256 * 1024);
    let many: serde_json::Map<_, _> = (0..201).map(|n| (format!("v{n}"), json!(n))).collect();
    for body in [
        json!({ "template": "t".repeat(256 * 1024 + 1) }),
        json!({ "template": "{x}", "variables": { "x": format!("{value}v") } }),
        json!({ "template": "{x}", "variables": { "x": [value] } }),
        json!({ "template": "{x}", "variables": many }),
    ] {
        let code = api
            .post("/api/v1/compile")
            .by(&ada)
            .json(&body)
            .refused(413)
            .await;
        assert_eq!(code, "too_large");
    }
    // These fit into the text, but each character takes six bytes of JSON.
    let control = "\u{1}".repeat(100 * 1024);
    for body in [
        json!({ "template": "{x}{x}{x}{x}.", "variables": { "x": value } }),
        json!({ "template": "{x}{x}{x}{x}", "variables": { "x": control } }),
    ] {
        let call = api.post("/api/v1/compile").by(&ada).json(&body);
        assert_eq!(call.refused(422).await, "validation_failed");
    }
    let body = json!({ "template": "{x}{x}{x}{x}", "variables": { "x": value } });
    let answer = api
        .post("/api/v1/compile")
        .by(&ada)
        .json(&body)
        .expect(200)
        .await;
    assert_eq!(
        answer["compiled_template"].as_str().unwrap().len(),
        1024 * 1024
    );
    let body = vec![b' '; 2 * 1024 * 1024 + 1];
    let code = api
        .post("/api/v1/compile")
        .by(&ada)
        .body(body)
        .refused(413)
        .await;
    assert_eq!(code, "too_large");
}
