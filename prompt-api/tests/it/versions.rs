//! Versions: making, reading, restoring, and who wins a race.

use futures_util::future::join_all;
use serde_json::json;

use crate::api::{Api, User};

async fn path_of(api: &Api, user: &User) -> String {
    format!(
        "/api/v1/prompts/{}",
        api.prompt(user, "a", "one").await["id"]
    )
}

#[actix_web::test]
async fn versions_are_numbered_and_newest_first() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let path = path_of(&api, &ada).await;
    let body = json!({ "template": "two\r\n", "metadata": { "description": "Second", "n": 1 } });
    let made = api
        .post(&format!("{path}/versions"))
        .by(&ada)
        .json(&body)
        .send()
        .await;
    assert_eq!(made.status.as_u16(), 201, "{}", made.text());
    let version = made.json();
    assert_eq!(version["version"], 2);
    assert_eq!(version["template"], "two\n");
    assert_eq!(
        version["metadata"],
        json!({ "description": "Second", "n": 1 })
    );
    let prompt = api.get(&path).by(&ada).send().await;
    assert_eq!(prompt.json()["current_version"], version);
    assert_eq!(prompt.header("etag"), made.header("etag"));
    let list = api.get(&format!("{path}/versions")).by(&ada).send().await;
    assert_eq!(list.header("x-total-count"), Some("2"));
    assert_eq!(list.json()[0], version);
    assert_eq!(list.json()[1]["template"], "one");
    let page = api
        .get(&format!("{path}/versions?limit=1&skip=1"))
        .by(&ada)
        .expect(200)
        .await;
    assert_eq!(page.as_array().unwrap().len(), 1);
    assert_eq!(page[0]["version"], 1);
    let beyond = api
        .get(&format!("{path}/versions?skip=5"))
        .by(&ada)
        .expect(200)
        .await;
    assert_eq!(beyond, json!([]));
    let one = api.get(&format!("{path}/versions/1")).by(&ada).send().await;
    let tag = one.header("etag").unwrap();
    let known = api
        .get(&format!("{path}/versions/1"))
        .by(&ada)
        .header("if-none-match", tag);
    assert_eq!(known.send().await.status.as_u16(), 304);
    for missing in ["3", "0", "x", "99999999999"] {
        api.get(&format!("{path}/versions/{missing}"))
            .by(&ada)
            .refused(404)
            .await;
    }
    api.get("/api/v1/prompts/999/versions")
        .by(&ada)
        .refused(404)
        .await;
    api.get("/api/v1/prompts/999/versions/1")
        .by(&ada)
        .refused(404)
        .await;
}

#[actix_web::test]
async fn metadata_belongs_to_the_version_it_came_with() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let path = path_of(&api, &ada).await;
    let described = json!({ "template": "two", "metadata": { "description": "Second" } });
    api.post(&format!("{path}/versions"))
        .by(&ada)
        .json(&described)
        .expect(201)
        .await;
    let plain = json!({ "template": "three" });
    let third = api
        .post(&format!("{path}/versions"))
        .by(&ada)
        .json(&plain)
        .expect(201)
        .await;
    assert_eq!(third["metadata"], json!({}));
    let same = json!({ "template": "four", "metadata": { "description": "Second" } });
    let fourth = api
        .post(&format!("{path}/versions"))
        .by(&ada)
        .json(&same)
        .expect(201)
        .await;
    assert_eq!(fourth["metadata"]["description"], "Second");
}

#[actix_web::test]
async fn the_same_text_is_no_new_version() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let path = path_of(&api, &ada).await;
    let body = json!({ "template": "one" });
    let code = api
        .post(&format!("{path}/versions"))
        .by(&ada)
        .json(&body)
        .refused(409)
        .await;
    assert_eq!(code, "no_change");
    let code = api
        .post(&format!("{path}/rollback"))
        .by(&ada)
        .json(&json!({ "version": 1 }));
    assert_eq!(code.refused(409).await, "no_change");
    for bad in [
        json!({}),
        json!({ "template": "" }),
        json!({ "template": "x", "metadata": { "description": 5 } }),
    ] {
        api.post(&format!("{path}/versions"))
            .by(&ada)
            .json(&bad)
            .refused(422)
            .await;
    }
    let nul = json!({ "template": "x", "metadata": { "description": "a", "b": "\u{0}" } });
    api.post(&format!("{path}/versions"))
        .by(&ada)
        .json(&nul)
        .refused(422)
        .await;
    let large = json!({ "template": "x", "metadata": { "b": "x".repeat(17_000) } });
    api.post(&format!("{path}/versions"))
        .by(&ada)
        .json(&large)
        .refused(422)
        .await;
}

#[actix_web::test]
async fn rollback_makes_the_next_version_from_an_old_one() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let path = path_of(&api, &ada).await;
    let body = json!({ "template": "two" });
    api.post(&format!("{path}/versions"))
        .by(&ada)
        .json(&body)
        .expect(201)
        .await;
    let back = json!({ "version": 1 });
    let prompt = api
        .post(&format!("{path}/rollback"))
        .by(&ada)
        .json(&back)
        .expect(200)
        .await;
    assert_eq!(prompt["current_version"]["version"], 3);
    assert_eq!(prompt["current_version"]["template"], "one");
    assert_eq!(
        prompt["current_version"]["metadata"],
        json!({ "description": "Restore v1" })
    );
    for missing in [
        json!({ "version": 9 }),
        json!({ "version": 0 }),
        json!({ "version": i64::MAX }),
    ] {
        let code = api
            .post(&format!("{path}/rollback"))
            .by(&ada)
            .json(&missing)
            .refused(404)
            .await;
        assert_eq!(code, "not_found");
    }
    api.post(&format!("{path}/rollback"))
        .by(&ada)
        .json(&json!({}))
        .refused(422)
        .await;
    api.post("/api/v1/prompts/999/rollback")
        .by(&ada)
        .json(&back)
        .refused(404)
        .await;
}

#[actix_web::test]
async fn simultaneous_saves_are_put_in_order() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let path = path_of(&api, &ada).await;
    let saves = (0..20).map(|n| {
        let body = json!({ "template": format!("text {n}") });
        api.post(&format!("{path}/versions"))
            .by(&ada)
            .json(&body)
            .send()
    });
    let mut numbers: Vec<i64> = join_all(saves)
        .await
        .iter()
        .map(|answer| {
            assert_eq!(answer.status.as_u16(), 201, "{}", answer.text());
            answer.json()["version"].as_i64().unwrap()
        })
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (2..22).collect::<Vec<_>>());
}

#[actix_web::test]
async fn of_simultaneous_conditional_saves_one_wins() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let path = path_of(&api, &ada).await;
    let tag = api
        .get(&path)
        .by(&ada)
        .send()
        .await
        .header("etag")
        .unwrap()
        .to_owned();
    let saves = (0..8).map(|n| {
        let body = json!({ "template": format!("text {n}") });
        let call = api.post(&format!("{path}/versions")).by(&ada).json(&body);
        call.header("if-match", &tag).send()
    });
    let mut statuses: Vec<u16> = join_all(saves)
        .await
        .iter()
        .map(|answer| answer.status.as_u16())
        .collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 412, 412, 412, 412, 412, 412, 412]);
}

#[actix_web::test]
async fn of_simultaneous_equal_saves_one_makes_a_version() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let path = path_of(&api, &ada).await;
    let body = json!({ "template": "the same" });
    let saves = (0..6).map(|_| {
        api.post(&format!("{path}/versions"))
            .by(&ada)
            .json(&body)
            .send()
    });
    let mut statuses: Vec<u16> = join_all(saves)
        .await
        .iter()
        .map(|answer| answer.status.as_u16())
        .collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409, 409, 409, 409, 409]);
}
