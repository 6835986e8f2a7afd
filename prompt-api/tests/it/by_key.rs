//! Fetching by key: repositories, versions, ambiguity, keys that look like routes.

use serde_json::json;

use crate::api::Api;

#[actix_web::test]
async fn keys_that_are_words_of_routes_are_keys() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    for key in ["archive", "versions", "compile", "by-key", "rollback", "1"] {
        api.prompt(&ada, key, &format!("text of {key}")).await;
        let prompt = api
            .get(&format!("/api/v1/prompts/by-key/{key}"))
            .by(&ada)
            .expect(200)
            .await;
        assert_eq!(prompt["key"], key);
        let compiled = api
            .post(&format!("/api/v1/prompts/compile/{key}"))
            .by(&ada)
            .expect(200)
            .await;
        assert_eq!(compiled["compiled_template"], format!("text of {key}"));
    }
}

#[actix_web::test]
async fn unknown_keys_are_not_found() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    for key in ["nothing", "No%20Key", "%00", "new", &"k".repeat(65)] {
        let path = format!("/api/v1/prompts/by-key/{key}");
        assert_eq!(
            api.get(&path).by(&ada).refused(404).await,
            "not_found",
            "{key}"
        );
    }
    let answer = api
        .get("/api/v1/prompts/by-key/nothing")
        .by(&ada)
        .expect(404)
        .await;
    assert_eq!(
        answer["error"]["message"],
        "No prompt found with key nothing"
    );
    api.get("/api/v1/prompts/by-key/nothing?repo=bad")
        .by(&ada)
        .refused(404)
        .await;
    api.get("/api/v1/prompts/by-key/nothing?repo=ada/x/y")
        .by(&ada)
        .refused(404)
        .await;
}

#[actix_web::test]
async fn a_version_can_be_asked_for() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let id = api.prompt(&ada, "a", "one").await["id"].clone();
    let body = json!({ "template": "two" });
    api.post(&format!("/api/v1/prompts/{id}/versions"))
        .by(&ada)
        .json(&body)
        .expect(201)
        .await;
    let path = "/api/v1/prompts/by-key/a";
    let first = api.get(&format!("{path}?version=1")).by(&ada).send().await;
    assert_eq!(first.json()["current_version"]["template"], "one");
    assert_eq!(first.json()["versions_count"], 2);
    let latest = api
        .get(&format!("{path}?version=latest"))
        .by(&ada)
        .send()
        .await;
    assert_eq!(latest.json()["current_version"]["template"], "two");
    assert_ne!(first.header("etag"), latest.header("etag"));
    for missing in ["3", "0", "x", "99999999999999"] {
        let path = format!("{path}?version={missing}");
        assert_eq!(api.get(&path).by(&ada).refused(404).await, "not_found");
    }
}

#[actix_web::test]
async fn default_repository_wins_and_others_are_ambiguous() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    for slug in ["one", "two"] {
        let body = json!({ "name": slug, "slug": slug });
        api.post("/api/v1/repos")
            .by(&ada)
            .json(&body)
            .expect(201)
            .await;
        let body = json!({
            "name": "P", "key": "shared", "template": slug, "repo": format!("ada/{slug}"),
        });
        api.post("/api/v1/prompts")
            .by(&ada)
            .json(&body)
            .expect(201)
            .await;
    }
    let path = "/api/v1/prompts/by-key/shared";
    let answer = api.get(path).by(&ada).expect(409).await;
    assert_eq!(answer["error"]["code"], "ambiguous_key");
    let mut repos: Vec<&str> = answer["error"]["details"]
        .as_array()
        .unwrap()
        .iter()
        .map(|candidate| candidate["repo"].as_str().unwrap())
        .collect();
    repos.sort_unstable();
    assert_eq!(repos, ["ada/one", "ada/two"]);
    let compiled = api
        .post("/api/v1/prompts/compile/shared")
        .by(&ada)
        .refused(409)
        .await;
    assert_eq!(compiled, "ambiguous_key");
    let two = api
        .get(&format!("{path}?repo=ada/two"))
        .by(&ada)
        .expect(200)
        .await;
    assert_eq!(two["current_version"]["template"], "two");
    api.prompt(&ada, "shared", "default").await;
    let prompt = api.get(path).by(&ada).expect(200).await;
    assert_eq!(prompt["current_version"]["template"], "default");
}

#[actix_web::test]
async fn a_shared_organization_does_not_take_over_the_default() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let bob = api.user("bob@example.com").await;
    api.join(&bob, &ada, "editor").await;
    api.prompt(&bob, "only-bobs", "bob").await;
    api.prompt(&bob, "both", "bob").await;
    api.prompt(&ada, "both", "ada").await;
    let fetch = async |key: &str| {
        let prompt = api
            .get(&format!("/api/v1/prompts/by-key/{key}"))
            .by(&ada)
            .expect(200)
            .await;
        prompt["repository"]["owner"].as_str().unwrap().to_owned()
    };
    assert_eq!(fetch("only-bobs").await, "bob");
    assert_eq!(fetch("both").await, "ada");
    let made = api.prompt(&ada, "made", "x").await;
    assert_eq!(made["repository"]["owner"], "ada");
}
