//! A database that is busy, full or locked: callers are told to come again.

use serde_json::json;

use crate::api::{Api, Call};

/// Sends, and insists that the caller is asked to try again.
async fn is_asked_to_wait(call: Call<'_>) {
    let response = call.send().await;
    assert_eq!(response.status.as_u16(), 503, "{}", response.text());
    let wait = response.header("retry-after").unwrap();
    assert!(wait.parse::<u32>().unwrap() > 0, "{wait}");
    assert_eq!(response.json()["error"]["code"], "unavailable");
}

#[actix_web::test]
async fn a_locked_table_is_given_up() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    let mut holder = api.database.superuser().await;
    let tx = holder.begin();
    tx.batch("lock table wildfire.prompts").await.unwrap();
    is_asked_to_wait(api.get("/api/v1/prompts").by(&ada)).await;
    tx.rollback().await.unwrap();
    api.get("/api/v1/prompts").by(&ada).expect(200).await;
}

#[actix_web::test]
async fn a_pool_without_a_free_connection_is_given_up() {
    let api = Api::start_with(|config| config.max_connections = Some(0)).await;
    let ada = api.user("ada@example.com").await;
    is_asked_to_wait(api.get("/api/v1/prompts").by(&ada)).await;
}

#[actix_web::test]
async fn a_full_disk_refuses_what_is_written_and_not_what_is_read() {
    let api = Api::start().await;
    let ada = api.user("ada@example.com").await;
    api.prompt(&ada, "kept", "Hello").await;
    api.sql(
        "create function public.full_disk() returns trigger language plpgsql as
         $$ begin raise sqlstate '53100' using message = 'could not extend file'; end $$;
         create trigger a_full_disk before insert on wildfire.prompts
         for each row execute function public.full_disk()",
    )
    .await;
    let body = json!({ "name": "Another", "key": "another", "template": "Hello" });
    is_asked_to_wait(api.post("/api/v1/prompts").by(&ada).json(&body)).await;
    let kept = api.get("/api/v1/prompts").by(&ada).expect(200).await;
    assert!(kept.to_string().contains("kept"), "{kept}");
    api.sql("drop trigger a_full_disk on wildfire.prompts")
        .await;
    let again = api.post("/api/v1/prompts").by(&ada).json(&body);
    again.expect(201).await;
}

#[actix_web::test]
async fn strangers_who_wait_for_a_lock_leave_connections_to_others() {
    let api = Api::start_with(|config| config.max_connections = Some(2)).await;
    let ada = api.user("ada@example.com").await;
    let mut holder = api.database.superuser().await;
    let tx = holder.begin();
    tx.batch("lock table wildfire.waitlist_entries")
        .await
        .unwrap();
    let strangers = (0..4).map(async |n| {
        let body = json!({ "email": format!("stranger-{n}@example.com") });
        is_asked_to_wait(api.post("/api/waitlist").json(&body)).await;
    });
    let known = async {
        for _ in 0..20 {
            api.get("/api/v1/prompts").by(&ada).expect(200).await;
        }
    };
    futures_util::join!(futures_util::future::join_all(strangers), known);
    tx.rollback().await.unwrap();
}
