//! Making, reading, listing, changing and deleting prompts.

use serde_json::{Value, json};

use crate::api::Api;

#[actix_web::test]
async fn created_prompt_has_its_first_version() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let body = json!({
        "name": " Welcome ", "key": "welcome", "description": "Says hello",
        "template": "Hello {name}\r\n", "tags": [" mail", "mail", "de"], "unknown": 1,
    });
    let response = api
        .post("/api/v1/prompts")
        .by(&ada)
        .json(&body)
        .send()
        .await;
    assert_eq!(response.status.as_u16(), 201, "{}", response.text());
    let prompt = response.json();
    assert_eq!(
        response.header("location"),
        Some(&*format!("/api/v1/prompts/{}", prompt["id"]))
    );
    assert_eq!(prompt["name"], "Welcome");
    assert_eq!(prompt["tags"], json!(["mail", "de"]));
    assert_eq!(prompt["is_archived"], false);
    assert_eq!(prompt["versions_count"], 1);
    assert_eq!(prompt["repository"]["owner"], "ada");
    assert_eq!(prompt["repository"]["slug"], "default");
    let version = &prompt["current_version"];
    assert_eq!(version["version"], 1);
    assert_eq!(version["template"], "Hello {name}\n");
    assert_eq!(version["metadata"], json!({}));
    assert_eq!(version["content_hash"].as_str().unwrap().len(), 64);
    assert!(prompt["created_at"].as_str().unwrap().ends_with('Z'));
    let path = format!("/api/v1/prompts/{}", prompt["id"]);
    assert_eq!(api.get(&path).by(&ada).expect(200).await, prompt);
    let versions = api
        .get(&format!("{path}/versions"))
        .by(&ada)
        .expect(200)
        .await;
    assert_eq!(versions, json!([version]));
}

#[actix_web::test]
async fn content_hash_is_the_sha_256_of_what_is_stored() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let prompt = api.prompt(&ada, "a", "abc").await;
    let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(prompt["current_version"]["content_hash"], expected);
}

#[actix_web::test]
async fn second_prompt_of_a_key_is_a_conflict() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    api.prompt(&ada, "welcome", "one").await;
    let body = json!({ "name": "Again", "key": "welcome", "template": "two" });
    let code = api
        .post("/api/v1/prompts")
        .by(&ada)
        .json(&body)
        .refused(409)
        .await;
    assert_eq!(code, "conflict");
}

#[actix_web::test]
async fn invalid_fields_are_all_named() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let body = json!({
        "name": "n".repeat(121), "key": "Not a key", "description": "d".repeat(1001),
        "template": "  \n", "tags": ["t".repeat(33)],
    });
    let answer = api
        .post("/api/v1/prompts")
        .by(&ada)
        .json(&body)
        .expect(422)
        .await;
    assert_eq!(answer["error"]["code"], "validation_failed");
    let details = answer["error"]["details"].as_array().unwrap();
    let fields: Vec<&str> = details
        .iter()
        .map(|one| one["field"].as_str().unwrap())
        .collect();
    assert_eq!(fields, ["name", "key", "description", "template", "tags"]);
    assert_eq!(
        details[1]["message"],
        "Only lowercase letters, numbers, and hyphens allowed"
    );
}

#[actix_web::test]
async fn limits_hold_to_the_last_character() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let tags: Vec<String> = (0..20).map(|n| format!("{n:0>32}")).collect();
    let largest = json!({
        "name": "é".repeat(120), "key": "k".repeat(64), "description": "👍".repeat(1000),
        "template": "t".repeat(256 * 1024), "tags": tags,
    });
    api.post("/api/v1/prompts")
        .by(&ada)
        .json(&largest)
        .expect(201)
        .await;
    let too_large = [
        ("name", json!("é".repeat(121))),
        ("key", json!("k".repeat(65))),
        ("key", json!("new")),
        ("description", json!("👍".repeat(1001))),
        ("template", json!("t".repeat(256 * 1024 + 1))),
        (
            "tags",
            json!((0..21).map(|n| n.to_string()).collect::<Vec<_>>()),
        ),
        ("name", json!("a\u{0}b")),
        ("template", json!("a\u{0}b")),
        ("tags", json!(["a\u{0}b"])),
    ];
    for (field, value) in too_large {
        let mut body = largest.clone();
        body["key"] = json!("other");
        body[field] = value;
        let answer = api
            .post("/api/v1/prompts")
            .by(&ada)
            .json(&body)
            .expect(422)
            .await;
        assert_eq!(answer["error"]["details"][0]["field"], field, "{answer}");
    }
}

async fn keys(api: &Api, user: &crate::api::User, query: &str) -> (Vec<String>, String) {
    let response = api
        .get(&format!("/api/v1/prompts{query}"))
        .by(user)
        .send()
        .await;
    assert_eq!(response.status.as_u16(), 200, "{}", response.text());
    let list = response.json();
    let keys = list
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["key"].as_str().unwrap().to_owned());
    (
        keys.collect(),
        response.header("x-total-count").unwrap().to_owned(),
    )
}

#[actix_web::test]
async fn lists_are_filtered_and_newest_first() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    for (key, name, tags) in [
        ("first", "Über 100%", json!(["x", "y"])),
        ("second", "Two_words", json!(["x"])),
        ("third", "Three", json!(["Special"])),
    ] {
        let body = json!({ "key": key, "name": name, "template": "t", "tags": tags });
        api.post("/api/v1/prompts")
            .by(&ada)
            .json(&body)
            .expect(201)
            .await;
    }
    let all = ["third", "second", "first"].map(str::to_owned).to_vec();
    assert_eq!(keys(&api, &ada, "").await, (all.clone(), "3".into()));
    assert_eq!(keys(&api, &ada, "?tag=x").await.0, ["second", "first"]);
    assert_eq!(keys(&api, &ada, "?tag=x&tag=y").await.0, ["first"]);
    assert_eq!(keys(&api, &ada, "?tag=X").await.0, Vec::<String>::new());
    assert_eq!(keys(&api, &ada, "?q=TWO_W").await.0, ["second"]);
    assert_eq!(keys(&api, &ada, "?q=100%25").await.0, ["first"]);
    assert_eq!(keys(&api, &ada, "?q=_").await.0, ["second"]);
    assert_eq!(keys(&api, &ada, "?q=special").await.0, ["third"]);
    assert_eq!(
        keys(&api, &ada, "?limit=2").await,
        (all[..2].to_vec(), "3".into())
    );
    assert_eq!(
        keys(&api, &ada, "?limit=2&skip=2").await,
        (all[2..].to_vec(), "3".into())
    );
    assert_eq!(keys(&api, &ada, "?skip=9").await, (vec![], "3".into()));
    assert_eq!(keys(&api, &ada, "?limit=0").await, (vec![], "3".into()));
    assert_eq!(keys(&api, &ada, "?repo=ada/default").await.0, all);
    assert_eq!(keys(&api, &ada, "?owner=ada").await.0, all);
    assert_eq!(
        keys(&api, &ada, "?repo=ada/nothing").await,
        (vec![], "0".into())
    );
    for bad in [
        "?limit=-1",
        "?limit=x",
        "?skip=-1",
        "?archived=maybe",
        "?q=%00",
    ] {
        let refused = api
            .get(&format!("/api/v1/prompts{bad}"))
            .by(&ada)
            .refused(400)
            .await;
        assert_eq!(refused, "malformed_request", "{bad}");
    }
}

#[actix_web::test]
async fn archived_prompts_leave_lists_but_can_be_fetched() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let id = api.prompt(&ada, "old", "text").await["id"].clone();
    let archived = api
        .post(&format!("/api/v1/prompts/{id}/archive"))
        .by(&ada)
        .expect(200)
        .await;
    assert_eq!(archived["is_archived"], true);
    assert_eq!(keys(&api, &ada, "").await, (vec![], "0".into()));
    assert_eq!(keys(&api, &ada, "?archived=true").await.0, ["old"]);
    assert_eq!(keys(&api, &ada, "?archived=all").await.0, ["old"]);
    let fetched = api
        .get("/api/v1/prompts/by-key/old")
        .by(&ada)
        .expect(200)
        .await;
    assert_eq!(fetched["is_archived"], true);
    for call in [
        api.get("/api/v1/prompts/by-key/old"),
        api.post("/api/v1/prompts/compile/old"),
    ] {
        let warned = call.by(&ada).send().await;
        assert_eq!(
            warned.header("warning"),
            Some("299 - \"This prompt is archived\"")
        );
    }
    let back = api
        .post(&format!("/api/v1/prompts/{id}/unarchive"))
        .by(&ada)
        .expect(200)
        .await;
    assert_eq!(back["is_archived"], false);
    assert_eq!(back["versions_count"], 1);
    assert_eq!(keys(&api, &ada, "").await.0, ["old"]);
}

#[actix_web::test]
async fn patch_changes_what_is_given() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let made = api.prompt(&ada, "a", "one").await;
    let path = format!("/api/v1/prompts/{}", made["id"]);
    let body = json!({ "description": "Now described", "tags": ["t"], "key": "ignored" });
    let changed = api.patch(&path).by(&ada).json(&body).expect(200).await;
    assert_eq!(changed["description"], "Now described");
    assert_eq!(changed["tags"], json!(["t"]));
    assert_eq!(changed["key"], "a");
    assert_eq!(changed["current_version"], made["current_version"]);
    let body = json!({ "name": "New name", "template": "two" });
    let changed = api.patch(&path).by(&ada).json(&body).expect(200).await;
    assert_eq!(changed["description"], "Now described");
    assert_eq!(changed["current_version"]["version"], 2);
    assert_eq!(changed["current_version"]["template"], "two");
    let body = json!({ "description": null, "template": "two" });
    let changed = api.patch(&path).by(&ada).json(&body).expect(200).await;
    assert_eq!(changed["description"], Value::Null);
    assert_eq!(changed["versions_count"], 2);
    api.patch(&path).by(&ada).json(&json!({})).expect(200).await;
    api.patch(&path)
        .by(&ada)
        .json(&json!({ "name": " " }))
        .refused(422)
        .await;
    api.patch("/api/v1/prompts/999999")
        .by(&ada)
        .json(&json!({}))
        .refused(404)
        .await;
}

#[actix_web::test]
async fn tags_of_answers_guard_changes() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let path = format!(
        "/api/v1/prompts/{}",
        api.prompt(&ada, "a", "one").await["id"]
    );
    let first = api.get(&path).by(&ada).send().await;
    let tag = first.header("etag").unwrap().to_owned();
    let again = api
        .get(&path)
        .by(&ada)
        .header("if-none-match", &tag)
        .send()
        .await;
    assert_eq!((again.status.as_u16(), again.body.len()), (304, 0));
    assert_eq!(again.header("etag"), Some(&*tag));
    let rename = json!({ "name": "Renamed" });
    let done = api
        .patch(&path)
        .by(&ada)
        .header("if-match", &tag)
        .json(&rename)
        .send()
        .await;
    assert_eq!(done.status.as_u16(), 200, "{}", done.text());
    let newer = done.header("etag").unwrap().to_owned();
    assert_ne!(newer, tag);
    for request in [
        api.patch(&path).json(&rename),
        api.post(&format!("{path}/versions"))
            .json(&json!({ "template": "two" })),
        api.post(&format!("{path}/rollback"))
            .json(&json!({ "version": 1 })),
        api.post(&format!("{path}/archive")),
    ] {
        let code = request.by(&ada).header("if-match", &tag).refused(412).await;
        assert_eq!(code, "precondition_failed");
    }
    let fresh = api
        .get(&path)
        .by(&ada)
        .header("if-none-match", &tag)
        .send()
        .await;
    assert_eq!(fresh.status.as_u16(), 200);
    assert_eq!(fresh.header("etag"), Some(&*newer));
    api.patch(&path)
        .by(&ada)
        .header("if-match", "*")
        .json(&rename)
        .expect(200)
        .await;
}

#[actix_web::test]
async fn deleted_prompt_is_gone_and_kept_aside() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let id = api.prompt(&ada, "a", "one").await["id"].clone();
    let path = format!("/api/v1/prompts/{id}");
    let second = serde_json::json!({ "template": "two" });
    api.patch(&path).by(&ada).json(&second).expect(200).await;
    assert_eq!(api.delete(&path).by(&ada).send().await.status.as_u16(), 204);
    api.get(&path).by(&ada).refused(404).await;
    api.delete(&path).by(&ada).refused(404).await;
    assert_eq!(
        api.number("select count(*) from wildfire.prompt_versions")
            .await,
        0
    );
    api.sql(&format!("select wildfire_private.restore_prompt({id})"))
        .await;
    let restored = api.get(&path).by(&ada).expect(200).await;
    assert_eq!(restored["current_version"]["template"], "two");
    let first = api.get(&format!("{path}/versions/1")).by(&ada);
    assert_eq!(first.expect(200).await["template"], "one");
    assert_eq!(api.delete(&path).by(&ada).send().await.status.as_u16(), 204);
    api.prompt(&ada, "a", "again").await;
}

#[actix_web::test]
async fn ids_that_are_none_are_not_found() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    for id in [
        "abc",
        "0",
        "-1",
        "1.5",
        "99999999999999999999",
        "%00",
        "1%20",
        "null",
    ] {
        let answer = api
            .get(&format!("/api/v1/prompts/{id}"))
            .by(&ada)
            .expect(404)
            .await;
        assert_eq!(answer["error"]["code"], "not_found", "{id}");
    }
    let answer = api.get("/api/v1/prompts/77").by(&ada).expect(404).await;
    assert_eq!(answer["error"]["message"], "No prompt found with id 77");
}
