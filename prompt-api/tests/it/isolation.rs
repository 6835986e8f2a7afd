//! One user must not see or change what belongs to another, neither through the API nor with SQL
//! under their own role and claims.

use actix_web::http::Method;
use platform::pg::{DbError, Executor, SqlState};
use serde_json::json;

use self::Outcome::{NoRows, Refused};
use crate::api::{Api, User};

/// What a statement may do to somebody else's rows.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Outcome {
    /// Refused by privilege or policy.
    Refused,
    /// Ran without touching a row.
    NoRows,
}

async fn attempt(api: &Api, user: &User, sql: &str) -> Outcome {
    let claims = user.claims();
    match api
        .session(&claims)
        .query(platform_test::sql(sql), &[])
        .await
    {
        Ok(rows) if rows.is_empty() => Outcome::NoRows,
        Ok(rows) => panic!("{sql}: {} rows", rows.len()),
        Err(error) => {
            assert_eq!(
                error.code(),
                Some(&SqlState::INSUFFICIENT_PRIVILEGE),
                "{sql}: {error}"
            );
            Outcome::Refused
        }
    }
}

async fn code(api: &Api, user: &User, sql: &str) -> Option<String> {
    let claims = user.claims();
    let outcome: Result<_, DbError> = api
        .session(&claims)
        .query(platform_test::sql(sql), &[])
        .await;
    outcome
        .err()
        .and_then(|error| error.code().map(|code| code.code().to_owned()))
}

#[actix_web::test]
async fn private_prompts_do_not_exist_for_others() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let eve = api.user("eve@example.com").await;
    let prompt = api.prompt(&ada, "secret", "the secret").await;
    let id = &prompt["id"];
    let path = format!("/api/v1/prompts/{id}");
    for (method, path, body) in [
        ("GET", path.clone(), None),
        ("PATCH", path.clone(), Some(json!({ "name": "Mine" }))),
        ("PATCH", path.clone(), Some(json!({}))),
        ("DELETE", path.clone(), None),
        ("POST", format!("{path}/archive"), None),
        ("POST", format!("{path}/unarchive"), None),
        ("GET", format!("{path}/versions"), None),
        ("GET", format!("{path}/versions/1"), None),
        (
            "POST",
            format!("{path}/versions"),
            Some(json!({ "template": "mine" })),
        ),
        (
            "POST",
            format!("{path}/versions"),
            Some(json!({ "template": "the secret" })),
        ),
        (
            "POST",
            format!("{path}/rollback"),
            Some(json!({ "version": 1 })),
        ),
        ("GET", "/api/v1/prompts/by-key/secret".to_owned(), None),
        (
            "GET",
            "/api/v1/prompts/by-key/secret?repo=ada/default".to_owned(),
            None,
        ),
        (
            "POST",
            "/api/v1/prompts/compile/secret?repo=ada/default".to_owned(),
            Some(json!({})),
        ),
        ("GET", "/api/v1/repos/ada/default".to_owned(), None),
    ] {
        let method: Method = method.parse().unwrap();
        let call = api.call(method.clone(), &path).by(&eve);
        let call = if let Some(body) = &body {
            call.json(body)
        } else {
            call
        };
        assert_eq!(call.refused(404).await, "not_found", "{method} {path}");
    }
    for path in [
        "/api/v1/prompts",
        "/api/v1/prompts?repo=ada/default",
        "/api/v1/prompts?owner=ada",
    ] {
        assert_eq!(
            api.get(path).by(&eve).expect(200).await,
            json!([]),
            "{path}"
        );
        assert_eq!(api.get(path).expect(200).await, json!([]), "{path}");
    }
    let body = json!({ "name": "n", "key": "k", "template": "t", "repo": "ada/default" });
    api.post("/api/v1/prompts")
        .by(&eve)
        .json(&body)
        .refused(404)
        .await;
    assert_eq!(api.get(&path).by(&ada).expect(200).await, prompt);
}

#[actix_web::test]
async fn public_repositories_can_be_read_but_not_written() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let eve = api.user("eve@example.com").await;
    let prompt = api.prompt(&ada, "shown", "hello {x}").await;
    api.sql(
        "update wildfire.repositories set visibility = 'public'
        where organization_id = (select id from wildfire.organizations where slug = 'ada')",
    )
    .await;
    let path = format!("/api/v1/prompts/{}", prompt["id"]);
    assert_eq!(api.get(&path).expect(200).await, prompt);
    assert_eq!(api.get(&path).by(&eve).expect(200).await, prompt);
    assert_eq!(
        api.get("/api/v1/prompts").expect(200).await,
        json!([prompt])
    );
    assert_eq!(
        api.get("/api/v1/prompts").by(&eve).expect(200).await,
        json!([])
    );
    let by_key = "/api/v1/prompts/by-key/shown?repo=ada/default";
    assert_eq!(api.get(by_key).expect(200).await, prompt);
    let compiled = "/api/v1/prompts/compile/shown?repo=ada/default";
    let answer = api
        .post(compiled)
        .json(&json!({ "x": "you" }))
        .expect(200)
        .await;
    assert_eq!(answer["compiled_template"], "hello you");
    for (method, path, body) in [
        ("PATCH", path.clone(), json!({ "name": "Mine" })),
        ("DELETE", path.clone(), json!({})),
        ("POST", format!("{path}/archive"), json!({})),
        (
            "POST",
            format!("{path}/versions"),
            json!({ "template": "mine" }),
        ),
        (
            "POST",
            format!("{path}/versions"),
            json!({ "template": "hello {x}" }),
        ),
        ("POST", format!("{path}/rollback"), json!({ "version": 1 })),
        ("POST", format!("{path}/rollback"), json!({ "version": 9 })),
        (
            "POST",
            "/api/v1/prompts".to_owned(),
            json!({ "name": "n", "key": "k", "template": "t", "repo": "ada/default" }),
        ),
    ] {
        let method: Method = method.parse().unwrap();
        let code = api
            .call(method.clone(), &path)
            .by(&eve)
            .json(&body)
            .refused(403)
            .await;
        assert_eq!(code, "forbidden", "{method} {path}");
    }
    assert_eq!(api.get(&path).by(&ada).expect(200).await, prompt);
}

#[actix_web::test]
async fn roles_decide_who_writes() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let viewer = api.user("viewer@example.com").await;
    let editor = api.user("editor@example.com").await;
    api.join(&ada, &viewer, "viewer").await;
    api.join(&ada, &editor, "editor").await;
    let path = format!(
        "/api/v1/prompts/{}",
        api.prompt(&ada, "a", "one").await["id"]
    );
    let body = json!({ "template": "two" });
    api.get(&path).by(&viewer).expect(200).await;
    api.post(&format!("{path}/versions"))
        .by(&viewer)
        .json(&body)
        .refused(403)
        .await;
    api.delete(&path).by(&viewer).refused(403).await;
    api.post(&format!("{path}/versions"))
        .by(&editor)
        .json(&body)
        .expect(201)
        .await;
    let body = json!({ "name": "n", "key": "k", "template": "t", "repo": "ada/default" });
    api.post("/api/v1/prompts")
        .by(&viewer)
        .json(&body)
        .refused(403)
        .await;
    api.post("/api/v1/prompts")
        .by(&editor)
        .json(&body)
        .expect(201)
        .await;
    for member in [&viewer, &editor] {
        let promote = format!(
            "update wildfire.organization_members set role = 'owner'
             where user_id = '{}' returning role",
            member.id
        );
        let own = "select count(*) from wildfire.organization_members
             where role = 'owner' and organization_id =
               (select id from wildfire.organizations where slug = 'ada')";
        let claims = member.claims();
        // Their own organization's row may match; the shared one must not change.
        api.session(&claims)
            .query(platform_test::sql(promote), &[])
            .await
            .unwrap();
        assert_eq!(api.number(own).await, 1);
    }
    let hide = "update wildfire.repositories set visibility = 'public'
        where organization_id = (select id from wildfire.organizations where slug = 'ada')
        returning id";
    assert_eq!(attempt(&api, &editor, hide).await, Outcome::NoRows);
}

#[actix_web::test]
async fn sql_as_another_user_reaches_nothing() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let eve = api.user("eve@example.com").await;
    let id = api.prompt(&ada, "secret", "the secret").await["id"].to_string();
    let mine = api.prompt(&eve, "mine", "eve's").await["id"].to_string();
    let client = api.database.superuser().await;
    let row = client.query_one(
        "select r.id::text as repository, o.id::text as organization
         from wildfire.repositories r join wildfire.organizations o on o.id = r.organization_id
         where o.slug = 'ada'",
        &[],
    );
    let row = row.await.unwrap();
    let (repository, organization): (String, String) = (row.get(0), row.get(1));
    let ada_id = ada.id;
    let eve_id = eve.id;
    for (sql, expected) in [
        (format!("select id from wildfire.prompts where id = {id}"), NoRows),
        (format!("select id from wildfire.prompt_versions where prompt_id = {id}"), NoRows),
        (format!("select id from wildfire.repositories where id = '{repository}'"), NoRows),
        (format!("select id from wildfire.organizations where id = '{organization}'"), NoRows),
        (format!("select role from wildfire.organization_members where user_id = '{ada_id}'"), NoRows),
        (format!("update wildfire.prompts set name = 'x' where id = {id} returning id"), NoRows),
        (format!("delete from wildfire.prompts where id = {id} returning id"), NoRows),
        (format!("select id from wildfire.prompts where id = {id} for update"), NoRows),
        // Into another's repository, by insert, by moving one's own, by upsert.
        (
            format!("insert into wildfire.prompts (repository_id, key, name, template)
                values ('{repository}', 'k', 'n', 't') returning id"),
            Refused,
        ),
        (
            format!("insert into wildfire.prompts (repository_id, key, name, template)
                values ('{repository}', 'secret', 'n', 't')
                on conflict (repository_id, key) do update set name = 'x' returning template"),
            Refused,
        ),
        (format!("update wildfire.prompts set repository_id = '{repository}' where id = {mine}"), Refused),
        (format!("update wildfire.prompts set id = {id} where id = {mine}"), Refused),
        (format!("update wildfire.prompts set version = 9 where id = {mine}"), Refused),
        (
            format!("insert into wildfire.prompt_versions (prompt_id, version, template, content_hash,
                metadata, created_at) values ({id}, 2, 't', 'h', '{{}}', now())"),
            Refused,
        ),
        (format!("update wildfire.prompt_versions set template = 'x' where prompt_id = {mine}"), Refused),
        (format!("delete from wildfire.prompt_versions where prompt_id = {mine}"), Refused),
        (
            format!("insert into wildfire.prompts (id, repository_id, key, name, template)
                values ({id}, '{repository}', 'k', 'n', 't')"),
            Refused,
        ),
        // Into another's organization.
        (
            format!("insert into wildfire.organization_members (organization_id, user_id, role)
                values ('{organization}', '{eve_id}', 'owner')"),
            Refused,
        ),
        (
            format!("update wildfire.organization_members set organization_id = '{organization}'
                where user_id = '{eve_id}'"),
            Refused,
        ),
        (
            format!("update wildfire.organization_members set user_id = '{ada_id}'
                where user_id = '{eve_id}'"),
            Refused,
        ),
        (
            "update wildfire.organization_members set created_at = '1970-01-01'".to_owned(),
            Refused,
        ),
        (format!("delete from wildfire.organization_members where user_id = '{ada_id}' returning role"), NoRows),
        (format!("update wildfire.organizations set slug = 'x' where id = '{organization}' returning id"), NoRows),
        (format!("delete from wildfire.organizations where id = '{organization}' returning id"), NoRows),
        ("insert into wildfire.organizations (slug, name) values ('x', 'x')".to_owned(), Refused),
        (
            format!("insert into wildfire.repositories (organization_id, slug, name)
                values ('{organization}', 'x', 'x')"),
            Refused,
        ),
        (
            format!("update wildfire.repositories set organization_id = '{organization}'"),
            Refused,
        ),
        // What only the services may touch.
        ("select email from wildfire.waitlist_entries".to_owned(), Refused),
        ("insert into wildfire.waitlist_entries (email) values ('a@b.c')".to_owned(), Refused),
        ("insert into wildfire.api_usage (user_id, day, calls, duration_ms) select null, now(), 1, 1".to_owned(), Refused),
        (format!("select calls from wildfire.api_usage where user_id = '{ada_id}'"), NoRows),
        ("select id from wildfire_private.deleted_prompts".to_owned(), Refused),
        ("select id from wildfire_private.deleted_prompt_versions".to_owned(), Refused),
        ("select wildfire_private.restore_prompt(1)".to_owned(), Refused),
        ("select setval('wildfire.prompts_id_seq', 1)".to_owned(), Refused),
        ("select nextval('wildfire.prompt_versions_id_seq')".to_owned(), Refused),
        (format!("select wildfire_private.ensure_organization('{ada_id}')"), Refused),
        ("select wildfire_private.record_usage('{}', '{}', '{}', '{}')".to_owned(), Refused),
        ("truncate wildfire.prompts cascade".to_owned(), Refused),
        ("create table public.mine (id int)".to_owned(), Refused),
        ("create function wildfire_private.mine() returns int language sql as 'select 1'".to_owned(), Refused),
    ] {
        assert_eq!(attempt(&api, &eve, &sql).await, expected, "{sql}");
    }
    let seen = api
        .get(&format!("/api/v1/prompts/{id}"))
        .by(&ada)
        .expect(200)
        .await;
    assert_eq!(seen["name"], "Name of secret");
}

#[actix_web::test]
async fn anonymous_sql_reads_public_rows_only() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    api.prompt(&ada, "secret", "the secret").await;
    for table in [
        "prompts",
        "prompt_versions",
        "repositories",
        "organizations",
    ] {
        let sql = format!("select 1 from wildfire.{table}");
        assert!(
            api.anonymous_session()
                .query(platform_test::sql(sql), &[])
                .await
                .unwrap()
                .is_empty(),
            "{table}"
        );
    }
    let members = "select 1 from wildfire.organization_members";
    let rows = api.anonymous_session().query(members, &[]).await.unwrap();
    assert!(rows.is_empty());
    for table in ["api_usage", "waitlist_entries"] {
        let sql = format!("select 1 from wildfire.{table}");
        let error = api
            .anonymous_session()
            .query(platform_test::sql(sql), &[])
            .await
            .unwrap_err();
        assert_eq!(
            error.code(),
            Some(&SqlState::INSUFFICIENT_PRIVILEGE),
            "{table}"
        );
    }
    api.sql("update wildfire.repositories set visibility = 'public'")
        .await;
    for table in [
        "prompts",
        "prompt_versions",
        "repositories",
        "organizations",
    ] {
        let sql = format!("select 1 from wildfire.{table}");
        assert_eq!(
            api.anonymous_session()
                .query(platform_test::sql(sql), &[])
                .await
                .unwrap()
                .len(),
            1,
            "{table}"
        );
    }
    for sql in [
        "update wildfire.prompts set name = 'x'",
        "delete from wildfire.prompts",
    ] {
        let error = api
            .anonymous_session()
            .query(platform_test::sql(sql), &[])
            .await
            .unwrap_err();
        assert_eq!(
            error.code(),
            Some(&SqlState::INSUFFICIENT_PRIVILEGE),
            "{sql}"
        );
    }
}

#[actix_web::test]
async fn an_organization_keeps_an_owner() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let bob = api.user("bob@example.com").await;
    let demote = format!(
        "update wildfire.organization_members set role = 'viewer' where user_id = '{}'",
        ada.id
    );
    let leave = format!(
        "delete from wildfire.organization_members where user_id = '{}'",
        ada.id
    );
    assert_eq!(code(&api, &ada, &demote).await.as_deref(), Some("23514"));
    assert_eq!(code(&api, &ada, &leave).await.as_deref(), Some("23514"));
    api.join(&ada, &bob, "owner").await;
    assert_eq!(code(&api, &ada, &leave).await, None);
    let owners = "select count(*) from wildfire.organization_members m
        join wildfire.organizations o on o.id = m.organization_id
        where o.slug = 'ada' and m.role = 'owner'";
    assert_eq!(api.number(owners).await, 1);
}

#[actix_web::test]
async fn temporary_tables_do_not_deceive_the_rules() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let eve = api.user("eve@example.com").await;
    api.prompt(&ada, "secret", "the secret").await;
    let claims = eve.claims();
    let session = api.session(&claims);
    let seen = session.transaction("deceive", async |tx| -> Result<usize, DbError> {
        tx.batch(platform_test::sql(format!(
            "create temporary table organization_members as
               select id as organization_id, '{}'::uuid as user_id, 'owner'::text as role,
                 now() as created_at
               from (values (gen_random_uuid())) as made (id);
             create temporary table repositories as select gen_random_uuid() as id;
             set local search_path = pg_temp, public, wildfire",
            eve.id
        )))
        .await?;
        let sql = "select unnest(wildfire_private.readable_organizations())";
        Ok(tx.query(platform_test::sql(sql), &[]).await?.len()
            + tx.query("select id from prompts", &[]).await?.len())
    });
    assert_eq!(seen.await.unwrap(), 1);
}
