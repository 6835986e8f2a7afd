//! Signing out and bans end writing at once, although tokens are checked without asking anybody.

use actix_web::http::Method;
use platform::pg::Executor;
use platform_test::tokens;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::api::{Api, User};

impl Api {
    /// Signs a user in as the auth service does: the same user with a token of a session.
    async fn sign_in(&self, user: &User) -> (User, Uuid) {
        let id = Uuid::new_v4();
        let insert = "insert into auth.sessions (id, user_id, created_at, updated_at)
            values ($1, $2, now(), now())";
        let client = self.database.superuser().await;
        client.execute(insert, &[&id, &user.id]).await.unwrap();
        let claims = json!({ "session_id": id });
        let token = tokens::access_token_with(&user.id.to_string(), &claims);
        (
            User {
                token,
                ..user.clone()
            },
            id,
        )
    }
}

/// Every request that writes.
fn writes(id: i64) -> Vec<(Method, String, Value)> {
    let prompt = format!("/api/v1/prompts/{id}");
    let at = |rest: &str| format!("{prompt}{rest}");
    vec![
        (
            Method::POST,
            "/api/v1/prompts".to_owned(),
            json!({ "name": "N", "key": "another", "template": "x" }),
        ),
        (Method::PATCH, prompt.clone(), json!({ "name": "Other" })),
        (Method::POST, at("/versions"), json!({ "template": "two" })),
        (Method::POST, at("/rollback"), json!({ "version": 1 })),
        (Method::POST, at("/archive"), json!({})),
        (Method::POST, at("/unarchive"), json!({})),
        (
            Method::POST,
            "/api/v1/repos".to_owned(),
            json!({ "name": "R", "slug": "other" }),
        ),
        (Method::DELETE, prompt.clone(), json!({})),
    ]
}

#[actix_web::test]
async fn writes_of_an_ended_session_are_refused_and_reads_go_on() {
    for end in [
        "delete from auth.sessions where id = '{session}'",
        "update auth.sessions set not_after = now() - interval '1 second' where id = '{session}'",
        "update auth.sessions set user_id = (select id from auth.users
           where email = 'eve@example.com') where id = '{session}'",
        "update auth.users set banned_until = now() + interval '1 hour' where id = '{user}'",
        "update auth.users set deleted_at = now() where id = '{user}'",
    ] {
        let api = Api::start().await;
        api.user("eve@example.com").await;
        let ada = api.user("ada@example.com").await;
        let (ada, session) = api.sign_in(&ada).await;
        let id = api.prompt(&ada, "greeting", "one").await["id"]
            .as_i64()
            .unwrap();
        let end = end
            .replace("{session}", &session.to_string())
            .replace("{user}", &ada.id.to_string());
        api.sql(&end).await;
        let before = state(&api).await;
        for (method, path, body) in writes(id) {
            let request = api.call(method.clone(), &path).by(&ada).json(&body);
            assert_eq!(
                request.refused(401).await,
                "unauthorized",
                "{method} {path}"
            );
        }
        assert_eq!(state(&api).await, before, "{end}");
        api.get(&format!("/api/v1/prompts/{id}"))
            .by(&ada)
            .expect(200)
            .await;
    }
}

/// Everything that the requests above could change.
async fn state(api: &Api) -> String {
    let client = api.database.superuser().await;
    let all = "select (select json_agg(p order by p.id) from wildfire.prompts as p)::text
        || (select json_agg(r order by r.id) from wildfire.repositories as r)::text";
    client.query_one(all, &[]).await.unwrap().get(0)
}

#[actix_web::test]
async fn sessions_that_go_on_write_whatever_became_of_others() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let (there, elsewhere) = api.sign_in(&ada).await;
    let (here, _) = api.sign_in(&ada).await;
    api.sql(&format!(
        "delete from auth.sessions where id = '{elsewhere}'"
    ))
    .await;
    api.sql("update auth.users set banned_until = now() - interval '1 second'")
        .await;
    let id = api.prompt(&here, "greeting", "one").await["id"]
        .as_i64()
        .unwrap();
    let path = format!("/api/v1/prompts/{id}");
    let rename = json!({ "name": "Other" });
    api.patch(&path).by(&here).json(&rename).expect(200).await;
    api.patch(&path).by(&there).json(&rename).refused(401).await;
    // No session is named by what the project's backend makes itself.
    api.patch(&path).by(&ada).json(&rename).expect(200).await;
    let key = tokens::service_role();
    api.delete(&path).bearer(&key).expect(204).await;
}

#[actix_web::test]
async fn a_session_claim_that_is_no_id_ends_writing_too() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    for claim in [json!("no uuid"), json!(5), json!({ "a": 1 })] {
        let claims = json!({ "session_id": claim });
        let token = tokens::access_token_with(&ada.id.to_string(), &claims);
        let body = json!({ "name": "N", "key": "k", "template": "x" });
        let request = api.post("/api/v1/prompts").bearer(&token).json(&body);
        assert!([400, 401].contains(&request.send().await.status.as_u16()));
    }
}

#[actix_web::test]
async fn rows_written_past_the_api_need_the_session_too() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let (_, session) = api.sign_in(&ada).await;
    let claims = json!({ "sub": ada.id, "role": "authenticated", "session_id": session });
    let claims = claims.to_string();
    let write = async |sql: &str| {
        let outcome = api
            .session(&claims)
            .query(platform_test::sql(sql), &[])
            .await;
        outcome.map_err(|error| error.code().unwrap().code().to_owned())
    };
    let statements = [
        "update wildfire.organizations set name = name",
        "update wildfire.repositories set name = name",
        "update wildfire.prompts set name = name",
        "delete from wildfire.prompts",
        "delete from wildfire.repositories where slug <> 'default'",
        "delete from wildfire.organization_members where role = 'viewer'",
    ];
    for sql in statements {
        write(sql).await.expect(sql);
    }
    api.sql(&format!("delete from auth.sessions where id = '{session}'"))
        .await;
    for sql in statements {
        assert_eq!(write(sql).await.expect_err(sql), "PT401", "{sql}");
    }
}
