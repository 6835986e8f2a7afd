//! Rows written past the API, as the data API would: the database keeps the same rules.

use platform::pg::{Params, Row};

use crate::api::{Api, User};

const INSERT: &str = "insert into wildfire.prompts (repository_id, key, name, template, tags)
select r.id, $1, 'Name', $2, $3 from wildfire.repositories r
where r.organization_id = any (wildfire_private.writable_organizations())
returning id, version, content_hash, template, tags, new_version_metadata is null as cleared";

async fn run(api: &Api, user: &User, sql: &str, params: Params<'_>) -> Result<Vec<Row>, String> {
    let claims = user.claims();
    let outcome = api
        .session(&claims)
        .query(platform_test::sql(sql), params)
        .await;
    outcome.map_err(|error| error.constraint().unwrap_or("none").to_owned())
}

#[actix_web::test]
async fn inserted_prompt_gets_hash_number_and_version() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let tags = vec![" a", "", "a", "b"];
    let rows = run(&api, &ada, INSERT, &[&"k", &"one\r\ntwo", &tags])
        .await
        .unwrap();
    let row = &rows[0];
    assert_eq!(row.get::<_, i32>("version"), 1);
    assert_eq!(row.get::<_, &str>("template"), "one\ntwo");
    assert_eq!(row.get::<_, Vec<&str>>("tags"), ["a", "b"]);
    let id: i64 = row.get("id");
    let update = "update wildfire.prompts set template = 'three',
        new_version_metadata = '{\"description\": \"d\"}' where id = $1
        returning version, version_metadata ->> 'description' as described,
          new_version_metadata is null as cleared";
    let rows = run(&api, &ada, update, &[&id]).await.unwrap();
    assert_eq!(rows[0].get::<_, i32>("version"), 2);
    assert_eq!(rows[0].get::<_, &str>("described"), "d");
    assert!(rows[0].get::<_, bool>("cleared"));
    let rename = "update wildfire.prompts set name = 'Other', new_version_metadata = '{\"a\": 1}'
        where id = $1 returning version, version_metadata ->> 'description' as described";
    let rows = run(&api, &ada, rename, &[&id]).await.unwrap();
    assert_eq!((rows[0].get(0), rows[0].get(1)), (2_i32, "d"));
    let history = "select version, template, content_hash = encode(sha256(template::bytea), 'hex')
        from wildfire.prompt_versions where prompt_id = $1 order by version";
    let rows = run(&api, &ada, history, &[&id]).await.unwrap();
    let found: Vec<(i32, &str, bool)> = rows
        .iter()
        .map(|row| (row.get(0), row.get(1), row.get(2)))
        .collect();
    assert_eq!(found, [(1, "one\ntwo", true), (2, "three", true)]);
    let shown = api
        .get(&format!("/api/v1/prompts/{id}"))
        .by(&ada)
        .expect(200)
        .await;
    assert_eq!(shown["current_version"]["template"], "three");
}

#[actix_web::test]
async fn limits_are_checks_of_the_database() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let many: Vec<String> = (0..21).map(|n| n.to_string()).collect();
    let large = "t".repeat(256 * 1024 + 1);
    let none: Vec<String> = vec![];
    for (key, template, tags, constraint) in [
        ("new", "t", none.clone(), "prompts_key_check"),
        ("Bad", "t", none.clone(), "prompts_key_check"),
        ("k\n", "t", none.clone(), "prompts_key_check"),
        ("k", " \r\n", none.clone(), "prompts_template_check"),
        ("k", large.as_str(), none.clone(), "prompts_template_size"),
        ("k", "t", many, "prompts_tags_check"),
        ("k", "t", vec!["t".repeat(33)], "prompts_tags_check"),
    ] {
        let refused = run(&api, &ada, INSERT, &[&key, &template, &tags])
            .await
            .unwrap_err();
        assert_eq!(refused, constraint);
    }
    for (sql, constraint) in [
        (
            "update wildfire.prompts set new_version_metadata = '[]', template = 'x'",
            "prompts_version_metadata_check",
        ),
        (
            "update wildfire.prompts set name = '  '",
            "prompts_name_check",
        ),
        (
            "update wildfire.prompts set name = repeat(' ', 120) || 'x'",
            "prompts_name_check",
        ),
        (
            "update wildfire.repositories set slug = 'other'",
            "repositories_default_kept",
        ),
        (
            "delete from wildfire.repositories",
            "repositories_default_kept",
        ),
        (
            "update wildfire.organizations set slug = 'dashboard'",
            "organizations_slug_reserved",
        ),
        (
            "update wildfire.organizations set slug = 'Not'",
            "organizations_slug_check",
        ),
    ] {
        run(&api, &ada, INSERT, &[&"k", &"t", &none]).await.ok();
        assert_eq!(
            run(&api, &ada, sql, &[]).await.unwrap_err(),
            constraint,
            "{sql}"
        );
    }
}

#[actix_web::test]
async fn versions_never_change_for_anybody() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    api.prompt(&ada, "a", "one").await;
    let client = api.database.superuser().await;
    for sql in [
        "update wildfire.prompt_versions set template = 'x'",
        "delete from wildfire.prompt_versions",
        "update wildfire.prompts set key = 'other'",
    ] {
        let error = client.batch(sql).await.unwrap_err();
        assert!(
            error.code().is_some_and(|code| code.code() == "23514"),
            "{sql}: {error}"
        );
    }
}
