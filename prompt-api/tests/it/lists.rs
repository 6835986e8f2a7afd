//! Lists end before an answer grows too large, say so, and can be read to their end.

use serde_json::{Value, json};

use crate::api::{Api, Response, User};

/// What one answer may have.
const ANSWER_BYTES: usize = 2 * 1024 * 1024;

/// As large as a template may be, of characters that take six bytes of JSON each.
const WORST: &str = "repeat(chr(1), 262144)";

/// The address of what stands behind an answer.
fn next(answer: &Response) -> Option<String> {
    let link = answer.header("link")?;
    let address = link.strip_prefix('<')?.strip_suffix(">; rel=\"next\"")?;
    Some(address.to_owned())
}

/// Follows a list to its end and gives this member of all items; every answer must be bounded and
/// tell the same total.
async fn walk(api: &Api, path: &str, user: Option<&User>, member: &str) -> Vec<Value> {
    let mut items = Vec::new();
    let mut totals = Vec::new();
    let mut path = Some(path.to_owned());
    while let Some(address) = path {
        let call = api.get(&address);
        let call = match user {
            Some(user) => call.by(user),
            None => call,
        };
        let answer = call.send().await;
        assert_eq!(answer.status.as_u16(), 200, "{address}: {}", answer.text());
        let size = answer.body.len();
        assert!(size <= ANSWER_BYTES, "{address}: {size} bytes");
        totals.push(
            answer
                .header("x-total-count")
                .unwrap()
                .parse::<usize>()
                .unwrap(),
        );
        let page = answer.json();
        let page = page.as_array().unwrap();
        assert!(!page.is_empty(), "{address} leads nowhere");
        items.extend(page.iter().map(|item| item[member].clone()));
        path = next(&answer);
        assert!(items.len() <= totals[0], "{address} repeats itself");
    }
    assert!(
        totals.iter().all(|total| *total == items.len()),
        "{totals:?} {}",
        items.len()
    );
    items
}

/// A public repository `ada/many` with this many prompts as large as can be.
async fn many_prompts(api: &Api, ada: &User, count: usize) {
    let body = json!({ "name": "Many", "slug": "many", "visibility": "public" });
    api.post("/api/v1/repos")
        .by(ada)
        .json(&body)
        .expect(201)
        .await;
    api.sql(&format!(
        "insert into wildfire.prompts (repository_id, key, name, description, template)
         select r.id, 'p-' || n, 'P', repeat(chr(1), 1000), {WORST}
         from wildfire.repositories as r, generate_series(1, {count}) as n where r.slug = 'many'"
    ))
    .await;
}

#[actix_web::test]
async fn a_list_of_the_largest_prompts_comes_in_bounded_pages() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    many_prompts(&api, &ada, 7).await;
    for (path, user) in [
        ("/api/v1/prompts", None),
        ("/api/v1/prompts", Some(&ada)),
        ("/api/v1/prompts?repo=ada%2Fmany&q=p&limit=5", None),
    ] {
        let mut keys = walk(&api, path, user, "key").await;
        keys.sort_unstable_by_key(ToString::to_string);
        let expected: Vec<Value> = (1..=7).map(|n| json!(format!("p-{n}"))).collect();
        assert_eq!(keys, expected, "{path}");
    }
}

#[actix_web::test]
async fn a_list_of_the_largest_versions_comes_in_bounded_pages() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    many_prompts(&api, &ada, 1).await;
    for n in 2..=6 {
        api.sql(&format!(
            "update wildfire.prompts set template = overlay({WORST} placing '{n}' from 1)"
        ))
        .await;
    }
    let id = api.number("select id from wildfire.prompts").await;
    let path = format!("/api/v1/prompts/{id}/versions");
    let versions = walk(&api, &path, None, "version").await;
    assert_eq!(versions, [6, 5, 4, 3, 2, 1].map(Value::from));
}

#[actix_web::test]
async fn repositories_are_listed_without_readmes_in_bounded_pages() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    api.sql(
        "insert into wildfire.repositories
           (organization_id, slug, name, description, visibility, readme)
         select id, 'r-' || n, 'R', repeat(chr(1), 1000), 'public', repeat(chr(1), 262144)
         from wildfire.organizations, generate_series(1, 400) as n",
    )
    .await;
    assert_eq!(walk(&api, "/api/v1/repos", None, "slug").await.len(), 400);
    let readmes = walk(&api, "/api/v1/repos?limit=300", Some(&ada), "readme").await;
    assert_eq!(readmes.len(), 401);
    assert!(readmes.iter().all(Value::is_null));
    let whole = api.get("/api/v1/repos/ada/r-1").expect(200).await;
    assert_eq!(whole["readme"].as_str().unwrap().len(), 262_144);
}

#[actix_web::test]
async fn a_readme_may_be_as_long_as_documented() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let readme = "#".repeat(256 * 1024);
    let body = serde_json::json!({ "name": "Long", "slug": "long", "readme": readme });
    let made = api.post("/api/v1/repos").by(&ada).json(&body);
    assert_eq!(made.expect(201).await["readme"], readme);
}

#[actix_web::test]
async fn organizations_are_listed_page_by_page() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    for name in ["bob", "eve"] {
        let other = api.user(&format!("{name}@example.com")).await;
        api.join(&other, &ada, "viewer").await;
    }
    let path = "/api/v1/organizations?limit=2";
    let slugs = walk(&api, path, Some(&ada), "slug").await;
    assert_eq!(slugs, ["ada", "bob", "eve"].map(Value::from));
    let beyond = api
        .get("/api/v1/organizations?skip=9")
        .by(&ada)
        .send()
        .await;
    assert_eq!(
        (beyond.text().as_str(), beyond.header("x-total-count")),
        ("[]", Some("3"))
    );
}

#[actix_web::test]
async fn the_rest_keeps_what_was_asked_for() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    for key in ["a-1", "a-2", "a-3"] {
        api.prompt(&ada, key, "t").await;
    }
    let first = api
        .get("/api/v1/prompts?q=a-&limit=1&archived=all&skip=1")
        .by(&ada)
        .send()
        .await;
    let rest = "/api/v1/prompts?q=a-&limit=1&archived=all&skip=2";
    assert_eq!(next(&first).as_deref(), Some(rest));
    for whole in [
        "/api/v1/prompts",
        rest,
        "/api/v1/prompts?limit=0",
        "/api/v1/prompts?skip=5",
    ] {
        let answer = api.get(whole).by(&ada).send().await;
        assert_eq!(next(&answer), None, "{whole}");
    }
}

#[actix_web::test]
async fn searches_are_bounded() {
    let api = Api::start().await;
    let long = |length: usize| format!("q={}", "%C3%A4".repeat(length));
    let tags = |count: usize| "&tag=a".repeat(count);
    for (query, status) in [
        (long(200), 200),
        (long(201), 400),
        (tags(20), 200),
        (tags(21), 400),
    ] {
        let path = format!("/api/v1/prompts?{query}");
        let answer = api.get(&path).send().await;
        assert_eq!(answer.status.as_u16(), status, "{path}");
    }
}

#[actix_web::test]
async fn a_key_in_many_repositories_is_explained_with_a_few() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    api.sql(&format!(
        "with made as (
           insert into wildfire.repositories (organization_id, slug, name)
           select id, 'r-' || n, 'R' from wildfire.organizations, generate_series(1, 20) as n
           returning id
         )
         insert into wildfire.prompts (repository_id, key, name, template)
         select id, 'same', 'S', {WORST} from made"
    ))
    .await;
    let answer = api
        .get("/api/v1/prompts/by-key/same")
        .by(&ada)
        .expect(409)
        .await;
    let candidates = answer["error"]["details"].as_array().unwrap();
    assert_eq!(candidates.len(), 8);
    // The default repository wins, however many others there are.
    api.prompt(&ada, "same", "mine").await;
    let mine = api
        .get("/api/v1/prompts/by-key/same")
        .by(&ada)
        .expect(200)
        .await;
    assert_eq!(mine["current_version"]["template"], "mine");
}
