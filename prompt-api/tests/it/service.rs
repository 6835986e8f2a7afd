//! Health, metrics, reference, waitlist, organizations, repositories, statistics, diagnostics.

use platform::env::Secret;
use platform_test::tokens;
use serde_json::json;

use crate::api::Api;

#[actix_web::test]
async fn health_names_the_state_of_each_part() {
    let api = Api::start().await;
    let mut health = api.get("/health").expect(200).await;
    // On a busy machine the database may be slow for a while.
    for _ in 0..100 {
        if health["status"] != "degraded" {
            break;
        }
        health = api.get("/health").expect(200).await;
    }
    assert_eq!(health["status"], "ok");
    assert_eq!(health["message"], "All systems operational");
    let names: Vec<&str> = health["components"]
        .as_array()
        .unwrap()
        .iter()
        .map(|component| component["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["API Server", "Database", "Cache Layer", "AI Models"]
    );
    assert_eq!(health["components"][1]["status"], "healthy");
    assert_eq!(health["components"][3]["status"], "not_configured");
}

#[actix_web::test]
async fn without_a_database_health_is_down_and_calls_are_503() {
    let unreachable = "postgres://authenticator:x@127.0.0.1:9/none?sslmode=disable";
    let api = Api::start_at(|_| unreachable.to_owned(), |_| {}).await;
    let health = api.get("/health").expect(503).await;
    assert_eq!(health["status"], "down");
    assert_eq!(health["components"][0]["status"], "operational");
    assert_eq!(health["components"][1]["status"], "down");
    let ada = api.user("ada@example.com").await;
    let answer = api.get("/api/v1/prompts").by(&ada).send().await;
    assert_eq!(answer.status.as_u16(), 503, "{}", answer.text());
    assert_eq!(answer.header("retry-after"), Some("1"));
    assert!(!answer.text().contains("127.0.0.1"));
}

#[actix_web::test]
async fn reference_and_document_describe_every_route() {
    let api = Api::start().await;
    let document = api.get("/api/openapi.json").expect(200).await;
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    let paths = document["paths"].as_object().unwrap();
    assert!(paths["/api/v1/prompts/{id}"]["patch"]["responses"]["412"].is_object());
    for (path, methods) in paths {
        for (_, operation) in methods.as_object().unwrap() {
            for (status, response) in operation["responses"].as_object().unwrap() {
                assert!(
                    !response["description"].as_str().unwrap().is_empty(),
                    "{path} {status}"
                );
                assert!(status < &"4".to_owned() || response["content"].is_object());
            }
        }
    }
    let page = api.get("/docs").send().await;
    let text = page.text();
    assert_eq!(page.status.as_u16(), 200);
    assert!(
        page.header("content-security-policy")
            .unwrap()
            .starts_with("default-src 'none'")
    );
    assert!(!text.contains("<script") && !text.contains("style=") && !text.contains("http://"));
    for path in paths.keys() {
        assert!(text.contains(&format!("<code>{path}</code>")), "{path}");
    }
    let style = api.get("/docs/reference.css").send().await;
    assert_eq!(
        style.header("content-type"),
        Some("text/css; charset=utf-8")
    );
}

#[actix_web::test]
async fn metrics_are_for_whoever_holds_the_secret_key() {
    let api = Api::start().await;
    let metrics = api
        .get("/metrics")
        .bearer(&tokens::service_role())
        .send()
        .await;
    assert_eq!(metrics.status.as_u16(), 200);
    assert!(metrics.text().ends_with("# EOF\n"));
    let ada = api.user("ada@example.com").await;
    api.get("/metrics").by(&ada).expect(403).await;
    api.get("/metrics").expect(401).await;
    api.get("/metrics")
        .bearer(&tokens::anon())
        .expect(401)
        .await;
    // A proxy on this machine makes everybody a neighbour.
    let near = api.get("/metrics").from("127.0.0.1:5000");
    near.expect(401).await;
}

#[actix_web::test]
async fn the_metrics_token_opens_the_metrics_and_nothing_else() {
    const TOKEN: &str = "a-token-of-thirty-two-characters";
    let api =
        Api::start_with(|config| config.operations.metrics_token = Some(Secret::from(TOKEN))).await;
    let metrics = api.get("/metrics").bearer(TOKEN).send().await;
    assert_eq!(metrics.status.as_u16(), 200);
    let other = TOKEN.replace('a', "b");
    api.get("/metrics").bearer(&other).expect(401).await;
    api.get("/api/v1/prompts").bearer(TOKEN).expect(401).await;
}

#[test]
fn a_short_metrics_token_keeps_the_service_from_starting() {
    let vars = platform::env::Vars::from([
        ("DATABASE_URL", "postgres://a"),
        ("JWT_SECRET", "secret"),
        ("METRICS_TOKEN", "short"),
    ]);
    let env = platform::env::Reader::new(&vars);
    prompt_api::Config::from_env(&env);
    let text = env.finish().unwrap_err().to_string();
    assert!(text.contains("METRICS_TOKEN"), "{text}");
}

#[actix_web::test]
async fn waitlist_answers_the_same_for_known_addresses() {
    let api = Api::start().await;
    let body = json!({ "email": " Ada@Example.com " });
    let first = api.post("/api/waitlist/").json(&body).expect(200).await;
    assert_eq!(first["success"], true);
    assert_eq!(first["email"], "ada@example.com");
    let second = api.post("/api/waitlist").json(&body).expect(200).await;
    assert_eq!(first, second);
    assert_eq!(
        api.number("select count(*) from wildfire.waitlist_entries")
            .await,
        1
    );
    for bad in [
        json!({}),
        json!({ "email": "nobody" }),
        json!({ "email": "" }),
    ] {
        let answer = api.post("/api/waitlist").json(&bad).expect(422).await;
        assert_eq!(answer["error"]["details"][0]["field"], "email");
    }
    let limited = api.post("/api/waitlist").json(&body).send().await;
    assert_eq!(limited.status.as_u16(), 429);
    assert!(
        limited
            .header("retry-after")
            .unwrap()
            .parse::<u64>()
            .unwrap()
            <= 13
    );
    let elsewhere = api
        .post("/api/waitlist")
        .header("x-forwarded-for", "203.0.113.7");
    elsewhere.json(&body).expect(200).await;
}

#[actix_web::test]
async fn organizations_come_with_roles() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let bob = api.user("bob@example.com").await;
    api.join(&bob, &ada, "viewer").await;
    let list = api.get("/api/v1/organizations").by(&ada).expect(200).await;
    let found: Vec<(&str, &str)> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["slug"].as_str().unwrap(), one["role"].as_str().unwrap()))
        .collect();
    assert_eq!(found, [("ada", "owner"), ("bob", "viewer")]);
    assert_eq!(list[0]["name"], "ada");
}

#[actix_web::test]
async fn repositories_are_made_listed_and_shown() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let bob = api.user("bob@example.com").await;
    let body = json!({ "name": "Bots", "slug": "bots", "visibility": "public", "readme": "# Hi" });
    let made = api
        .post("/api/v1/repos")
        .by(&ada)
        .json(&body)
        .expect(201)
        .await;
    assert_eq!(made["owner"], "ada");
    assert_eq!(made["role"], "owner");
    assert_eq!(made["default_branch"], "main");
    let body = json!({ "name": "P", "key": "p", "template": "t", "repo": "ada/bots" });
    api.post("/api/v1/prompts")
        .by(&ada)
        .json(&body)
        .expect(201)
        .await;
    let shown = api.get("/api/v1/repos/ada/bots").expect(200).await;
    assert_eq!(shown["prompts_count"], 1);
    assert_eq!(shown["role"], json!(null));
    let slugs = async |call: crate::api::Call<'_>| -> Vec<String> {
        let list = call.expect(200).await;
        let slugs = list.as_array().unwrap().iter().map(|one| {
            format!(
                "{}/{}",
                one["owner"].as_str().unwrap(),
                one["slug"].as_str().unwrap()
            )
        });
        slugs.collect()
    };
    assert_eq!(slugs(api.get("/api/v1/repos")).await, ["ada/bots"]);
    assert_eq!(slugs(api.get("/api/v1/repos").by(&ada)).await.len(), 2);
    assert_eq!(
        slugs(api.get("/api/v1/repos").by(&bob)).await,
        ["bob/default", "ada/bots"]
    );
    assert_eq!(
        slugs(api.get("/api/v1/repos?q=BOT").by(&bob)).await,
        ["ada/bots"]
    );
    assert_eq!(
        slugs(api.get("/api/v1/repos?owner=ada").by(&bob)).await,
        ["ada/bots"]
    );
    api.get("/api/v1/repos/ada/default")
        .by(&bob)
        .refused(404)
        .await;
    api.get("/api/v1/repos/ada/%00").by(&bob).refused(404).await;
    let again = json!({ "name": "Bots", "slug": "bots" });
    assert_eq!(
        api.post("/api/v1/repos")
            .by(&ada)
            .json(&again)
            .refused(409)
            .await,
        "conflict"
    );
    for (field, value) in [
        ("slug", json!("prompts")),
        ("slug", json!("Not A Slug")),
        ("name", json!("")),
        ("visibility", json!("secret")),
    ] {
        let mut body = json!({ "name": "n", "slug": "s" });
        body[field] = value;
        let answer = api
            .post("/api/v1/repos")
            .by(&ada)
            .json(&body)
            .expect(422)
            .await;
        assert_eq!(answer["error"]["details"][0]["field"], field);
    }
    let theirs = json!({ "name": "n", "slug": "s", "owner": "ada" });
    assert_eq!(
        api.post("/api/v1/repos")
            .by(&bob)
            .json(&theirs)
            .refused(403)
            .await,
        "forbidden"
    );
    let nobodys = json!({ "name": "n", "slug": "s", "owner": "nobody" });
    api.post("/api/v1/repos")
        .by(&bob)
        .json(&nobodys)
        .refused(404)
        .await;
}

#[actix_web::test]
async fn statistics_count_what_happened() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let bob = api.user("bob@example.com").await;
    let empty = api.get("/api/v1/stats/overview").by(&bob).expect(200).await;
    let expected =
        json!({ "prompts": 0, "versions": 0, "api_calls": null, "avg_response_ms": null });
    assert_eq!(empty, expected);
    let id = api.prompt(&ada, "a", "one").await["id"].clone();
    let body = json!({ "template": "two" });
    api.post(&format!("/api/v1/prompts/{id}/versions"))
        .by(&ada)
        .json(&body)
        .expect(201)
        .await;
    let before = api.get("/api/v1/stats/overview").by(&ada).expect(200).await;
    assert_eq!(
        (&before["prompts"], &before["versions"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(before["api_calls"], 2);
    assert!(before["avg_response_ms"].as_f64().unwrap() > 0.0);
    api.state.flush().await;
    api.sql(&format!("delete from auth.users where id = '{}'", bob.id))
        .await;
    api.get("/api/v1/prompts").by(&bob).expect(200).await;
    api.state.flush().await;
    let after = api.get("/api/v1/stats/overview").by(&ada).expect(200).await;
    assert_eq!(after["api_calls"], 3);
    assert_eq!(
        api.number("select count(*) from wildfire.api_usage").await,
        1
    );
}

#[actix_web::test]
async fn diagnostics_are_there_only_when_asked_for() {
    let api = Api::start().await;
    for path in [
        "/debug/auth-test",
        "/debug",
        "/health/x",
        "/metrics/x",
        "/docs/x",
    ] {
        assert_eq!(api.get(path).refused(404).await, "not_found", "{path}");
    }
    let api = Api::start_with(|config| config.debug_endpoints = true).await;
    let nobody = api.get("/debug/auth-test").expect(200).await;
    assert_eq!(
        nobody,
        json!({ "authenticated": false, "email": null, "token_present": false })
    );
    let token = tokens::access_token("00000000-0000-0000-0000-000000000001");
    let known = api.get("/debug/auth-test").bearer(&token).expect(200).await;
    assert_eq!(known["authenticated"], true);
    assert_eq!(known["token_present"], true);
    assert!(known["email"].as_str().unwrap().ends_with("@example.com"));
    let bad = api
        .get("/debug/auth-test")
        .bearer("nonsense")
        .expect(200)
        .await;
    assert_eq!(
        bad,
        json!({ "authenticated": false, "email": null, "token_present": true })
    );
}
