//! A database that is away, busy or full: clients are told to come again, and what they hold stays
//! good.

use futures_util::future::{Either, join, join_all, select};
use reqwest::Method;
use serde_json::json;

use crate::app::{PASSWORD, Reply, TestApp};

/// Checks that the client is asked to try again.
#[track_caller]
fn is_asked_to_wait(reply: &Reply) {
    assert_eq!(reply.status, 503, "{}", reply.body);
    let wait = reply.header("retry-after").expect("Retry-After");
    assert!(wait.parse::<u32>().unwrap() > 0, "{wait}");
    let body = reply.json();
    assert_eq!(body["error_code"], "unexpected_failure");
    assert_eq!(
        body["msg"],
        "The database cannot serve this request now, please retry after a moment."
    );
}

/// Nobody but a superuser may connect from now on, and nobody is connected.
async fn take_away(app: &TestApp) {
    let superuser = app.superuser().await;
    let name = "select current_database()::text";
    let name: String = app.query(name, &[]).await[0].get(0);
    let end = "select pg_terminate_backend(pid, 10000) from pg_stat_activity
        where datname = current_database() and usename = 'supabase_auth_admin'";
    superuser
        .batch(platform_test::sql(format!(
            "alter database {name} connection limit 0; {end}"
        )))
        .await
        .unwrap();
}

async fn give_back(app: &TestApp) {
    let name = "select current_database()::text";
    let name: String = app.query(name, &[]).await[0].get(0);
    let allow = format!("alter database {name} connection limit -1");
    app.superuser()
        .await
        .batch(platform_test::sql(allow))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_lost_database_costs_nobody_their_session() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("a@example.com").await;
    take_away(&app).await;
    for _ in 0..3 {
        is_asked_to_wait(&app.refresh(&session.refresh_token).await);
        let me = app.as_user(&session.access_token, Method::GET, "/user");
        is_asked_to_wait(&me.send().await);
        let body = json!({ "email": "a@example.com", "password": PASSWORD });
        is_asked_to_wait(&app.post("/token?grant_type=password", body.clone()).await);
        is_asked_to_wait(&app.post("/signup", body).await);
    }
    // What was known of it holds for a second.
    let health = loop {
        let health = app.get("/health").await;
        if health.status != 200 {
            break health;
        }
    };
    assert_eq!(health.status, 503);
    let body = health.json();
    assert_eq!(body["message"], "The database cannot be reached");
    assert_eq!(body["name"], "GoTrue");
    give_back(&app).await;
    // The pool rests for a moment before it connects again.
    let reply = loop {
        let reply = app.refresh(&session.refresh_token).await;
        if reply.status != 503 {
            break reply;
        }
    };
    reply.ok();
}

#[tokio::test]
async fn a_locked_table_is_given_up_before_the_request_is() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("a@example.com").await;
    let mut holder = app.superuser().await;
    let tx = holder.begin();
    tx.batch("lock table auth.sessions").await.unwrap();
    is_asked_to_wait(&app.refresh(&session.refresh_token).await);
    tx.rollback().await.unwrap();
    app.refresh(&session.refresh_token).await.ok();
}

#[tokio::test]
async fn a_slow_admin_search_is_given_up() {
    let app = TestApp::spawn_with(&[("GOTRUE_API_MAX_REQUEST_DURATION", "5s")]).await;
    app.sign_up("ada@example.com").await;
    app.superuser()
        .await
        .batch(
            "alter table auth.users rename to slow_users;
             create view auth.users as select u.* from auth.slow_users u, pg_sleep(60);
             grant all on auth.users to supabase_auth_admin",
        )
        .await
        .unwrap();
    let token = platform_test::tokens::service_role();
    let list = app.as_user(&token, Method::GET, "/admin/users?filter=ada");
    is_asked_to_wait(&list.send().await);
}

#[tokio::test]
async fn a_pool_in_use_is_waited_for_and_given_up() {
    let app = TestApp::spawn_with(&[("GOTRUE_API_MAX_REQUEST_DURATION", "5s")]).await;
    let session = app.sign_up("a@example.com").await;
    let mut held = Vec::new();
    for _ in 0..app.pool.usage().1 {
        held.push(app.pool.client().await.unwrap());
    }
    is_asked_to_wait(&app.refresh(&session.refresh_token).await);
    drop(held);
    app.refresh(&session.refresh_token).await.ok();
}

#[tokio::test]
async fn a_full_disk_refuses_what_is_written_and_not_what_is_read() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("a@example.com").await;
    let fill = |table: &str| {
        format!(
            "create or replace function public.full_disk() returns trigger language plpgsql as
             $$ begin raise sqlstate '53100' using message = 'could not extend file'; end $$;
             create trigger full_disk before insert or update on {table}
             for each row execute function public.full_disk()"
        )
    };
    let superuser = app.superuser().await;
    for table in ["auth.users", "auth.sessions", "auth.refresh_tokens"] {
        superuser
            .batch(platform_test::sql(fill(table)))
            .await
            .unwrap();
    }
    let new = json!({ "email": "b@example.com", "password": PASSWORD });
    is_asked_to_wait(&app.post("/signup", new.clone()).await);
    is_asked_to_wait(&app.refresh(&session.refresh_token).await);
    let newer = app
        .request(Method::POST, "/signup")
        .v2024()
        .json(&new)
        .send()
        .await;
    assert_eq!(newer.status, 503);
    assert!(newer.header("retry-after").is_some());
    assert_eq!(newer.json()["code"], "unexpected_failure");
    let me = app.as_user(&session.access_token, Method::GET, "/user");
    me.send().await.ok();
}

#[tokio::test]
async fn a_link_that_meets_a_lost_database_says_so_to_the_page() {
    let app = TestApp::spawn_with(&[("GOTRUE_MAILER_AUTOCONFIRM", "false")]).await;
    let body = json!({ "email": "a@example.com", "password": PASSWORD });
    app.post("/signup", body).await.ok();
    take_away(&app).await;
    let link = "/verify?type=signup&token=abc&redirect_to=http://127.0.0.1:8080";
    let reply = app.get(link).await;
    assert_eq!(reply.status, 303, "{}", reply.body);
    let location = reply.header("location").unwrap();
    assert!(
        location.contains("error=temporarily_unavailable"),
        "{location}"
    );
}

#[tokio::test]
async fn strangers_who_wait_leave_connections_to_who_is_signed_in() {
    let locked_users = "update auth.users set updated_at = now() where email like 'u%'";
    let locked_tokens = "lock table auth.refresh_tokens in access exclusive mode";
    let recoveries: Vec<_> = (1..=12)
        .map(|n| ("/recover", json!({ "email": format!("u{n}@example.com") })))
        .collect();
    let garbage = (
        "/token?grant_type=refresh_token",
        json!({ "refresh_token": "abcdefghijkl" }),
    );
    let refreshes = vec![garbage; 12];
    let both = [recoveries.clone(), refreshes.clone()].concat();
    // Of four connections, two are the strangers' and one is for refreshes.
    for (locked, flood, most) in [
        (locked_users.to_owned(), recoveries, 2),
        (locked_tokens.to_owned(), refreshes, 1),
        (format!("{locked_users}; {locked_tokens}"), both, 3),
    ] {
        let app = TestApp::spawn_with(&[("GOTRUE_API_MAX_REQUEST_DURATION", "4s")]).await;
        let session = app.sign_up("a@example.com").await;
        let strangers = "insert into auth.users (instance_id, id, aud, role, email)
            select '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated',
              'authenticated', 'u' || n || '@example.com'
            from generate_series(1, 12) as n";
        app.query(strangers, &[]).await;
        let mut holder = app.superuser().await;
        let tx = holder.begin();
        tx.batch(platform_test::sql(&locked)).await.unwrap();
        let can_refresh = !locked.contains(locked_tokens);
        let flood = flood.into_iter().map(|(route, body)| app.post(route, body));
        let strangers_keep_to_their_share = async {
            let waiting = "select count(*) from pg_stat_activity
                where datname = current_database() and wait_event_type = 'Lock'";
            loop {
                let waiting = app.count(waiting).await;
                assert!(waiting <= most, "{waiting} wait for: {locked}");
            }
        };
        let signed_in = async {
            if can_refresh {
                app.refresh(&session.refresh_token).await.ok();
            }
            loop {
                let me = app.as_user(&session.access_token, Method::GET, "/user");
                me.send().await.ok();
            }
        };
        let others = join(strangers_keep_to_their_share, signed_in);
        let (flood, others) = (std::pin::pin!(join_all(flood)), std::pin::pin!(others));
        let Either::Left((replies, _)) = select(flood, others).await;
        replies.iter().for_each(is_asked_to_wait);
        tx.rollback().await.unwrap();
    }
}
