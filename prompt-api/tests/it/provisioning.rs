//! What happens when users come and go.

use platform::pg::Executor;
use uuid::Uuid;

use crate::api::Api;

#[actix_web::test]
async fn slugs_come_from_addresses() {
    let api = Api::start().await;
    for (email, slug) in [
        ("Ada.Lovelace+x@example.com", "ada-lovelace-x"),
        ("__@example.com", "user-"),
        ("дарья@example.com", "user-"),
        ("admin@example.com", "admin-"),
        ("new@example.com", "new-"),
        ("ada-lovelace.x@elsewhere.com", "ada-lovelace-x-"),
        (&format!("{}@example.com", "a".repeat(64)), &"a".repeat(39)),
    ] {
        let user = api.user(email).await;
        let ends_open = slug.ends_with('-');
        let fits = if ends_open {
            user.slug.starts_with(slug)
        } else {
            user.slug == slug
        };
        assert!(fits, "{email}: {}", user.slug);
        let made = api.prompt(&user, "first", "text").await;
        assert_eq!(made["repository"]["slug"], "default");
    }
}

#[actix_web::test]
async fn users_without_an_address_get_an_organization() {
    let api = Api::start().await;
    let id = Uuid::new_v4();
    let client = api.database.superuser().await;
    let insert = "insert into auth.users (id, is_anonymous) values ($1, true)";
    client.execute(insert, &[&id]).await.unwrap();
    let slugs = "select count(*) from wildfire.organizations where slug like 'user-%'";
    assert_eq!(api.number(slugs).await, 1);
}

#[actix_web::test]
async fn an_import_of_users_leaves_the_servers_locks_to_others() {
    let api = Api::start().await;
    let mut client = api.database.superuser().await;
    let tx = client.begin();
    let import = "insert into auth.users (id, email)
        select gen_random_uuid(), 'user' || n || '@example.com' from generate_series(1, 600) as n";
    tx.execute(import, &[]).await.unwrap();
    let counts = "select
        (select count(*) from pg_locks where pid = pg_backend_pid() and locktype = 'advisory'),
        (select count(*) from wildfire.organizations)";
    let row = tx.query_one(counts, &[]).await.unwrap();
    assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1)), (0, 600));
    // Whoever is asked for one by one shares a few locks.
    let ensured = "select count(distinct wildfire_private.ensure_organization(id)) from auth.users";
    let row = tx.query_one(ensured, &[]).await.unwrap();
    assert_eq!(row.get::<_, i64>(0), 600);
    let row = tx.query_one(counts, &[]).await.unwrap();
    assert!((1..=256).contains(&row.get::<_, i64>(0)), "{row:?}");
    tx.rollback().await.unwrap();
}

#[actix_web::test]
async fn a_broken_rule_does_not_stop_a_sign_up_and_is_made_good_later() {
    let api = Api::start().await;
    let rename = "alter table wildfire.repositories rename to hidden_repositories";
    api.sql(rename).await;
    let id = Uuid::new_v4();
    let insert = "insert into auth.users (id, email) values ($1, 'ada@example.com')";
    let client = api.database.superuser().await;
    client.execute(insert, &[&id]).await.unwrap();
    assert_eq!(
        api.number("select count(*) from wildfire.organizations")
            .await,
        0
    );
    api.sql("alter table wildfire.hidden_repositories rename to repositories")
        .await;
    let token = platform_test::tokens::access_token(&id.to_string());
    let body = serde_json::json!({ "name": "n", "key": "k", "template": "t" });
    let made = api
        .post("/api/v1/prompts")
        .bearer(&token)
        .json(&body)
        .expect(201)
        .await;
    assert_eq!(made["repository"]["owner"], "ada");
    let list = api
        .get("/api/v1/organizations")
        .bearer(&token)
        .expect(200)
        .await;
    assert_eq!(list.as_array().unwrap().len(), 1);
}

#[actix_web::test]
async fn tokens_of_deleted_users_get_nothing() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    api.prompt(&ada, "a", "one").await;
    api.sql("delete from auth.users").await;
    for table in [
        "organizations",
        "repositories",
        "prompts",
        "prompt_versions",
    ] {
        let count = api
            .number(&format!("select count(*) from wildfire.{table}"))
            .await;
        assert_eq!(count, 0, "{table}");
    }
    assert_eq!(
        api.number("select count(*) from wildfire_private.deleted_prompts")
            .await,
        0
    );
    let list = api.get("/api/v1/organizations").by(&ada).expect(200).await;
    assert_eq!(list, serde_json::json!([]));
    let body = serde_json::json!({ "name": "n", "key": "k", "template": "t" });
    api.post("/api/v1/prompts")
        .by(&ada)
        .json(&body)
        .refused(404)
        .await;
}

#[actix_web::test]
async fn shared_organizations_outlive_their_owner() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let viewer = api.user("viewer@example.com").await;
    let editor = api.user("editor@example.com").await;
    api.join(&ada, &viewer, "viewer").await;
    api.join(&ada, &editor, "editor").await;
    let id = api.prompt(&ada, "a", "one").await["id"].clone();
    api.sql(&format!("delete from auth.users where id = '{}'", ada.id))
        .await;
    let list = api
        .get("/api/v1/organizations")
        .by(&editor)
        .expect(200)
        .await;
    assert_eq!(
        (&list[1]["slug"], &list[1]["role"]),
        (&"ada".into(), &"owner".into())
    );
    api.get(&format!("/api/v1/prompts/{id}"))
        .by(&viewer)
        .expect(200)
        .await;
}

#[actix_web::test]
async fn the_auth_service_s_role_can_sign_up_and_delete() {
    let api = Api::start().await;
    let pool = api.database.pool("supabase_auth_admin");
    let client = pool.client().await.unwrap();
    let id = Uuid::new_v4();
    let insert = "insert into auth.users (id, email) values ($1, 'ada@example.com')";
    client.execute(insert, &[&id]).await.unwrap();
    assert_eq!(
        api.number("select count(*) from wildfire.organizations")
            .await,
        1
    );
    client
        .execute("delete from auth.users where id = $1", &[&id])
        .await
        .unwrap();
    assert_eq!(
        api.number("select count(*) from wildfire.organizations")
            .await,
        0
    );
}
