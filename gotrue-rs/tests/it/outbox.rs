//! Mails between the database and the mail server.

use std::net::TcpListener;
use std::sync::mpsc;
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::app::{PASSWORD, Reply, TestApp};
use crate::letter::{CONFIRMING, confirming_with, token};

const ADA: &str = "ada@example.com";

const WAITING: &str = "select count(*) from _wildfire_auth.mail_outbox";

/// A mail server that takes connections and never says a word; its port and who came.
pub(crate) fn silent_server() -> (String, mpsc::Receiver<()>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let (came, visitors) = mpsc::channel();
    std::thread::spawn(move || {
        let mut open = Vec::new();
        for connection in listener.incoming() {
            open.push(connection);
            if came.send(()).is_err() {
                return;
            }
        }
    });
    (port, visitors)
}

async fn sign_up(app: &TestApp, email: &str) -> Reply {
    app.post("/signup", json!({ "email": email, "password": PASSWORD }))
        .await
}

async fn recover(app: &TestApp) -> Reply {
    app.post("/recover", json!({ "email": ADA })).await
}

#[tokio::test]
async fn a_silent_mail_server_holds_no_connections() {
    let (port, visitors) = silent_server();
    let settings = [
        ("GOTRUE_SMTP_HOST", "127.0.0.1"),
        ("GOTRUE_SMTP_PORT", port.as_str()),
        ("GOTRUE_SMTP_MAX_CONVERSATIONS", "2"),
        ("GOTRUE_DB_MAX_POOL_SIZE", "2"),
        ("GOTRUE_API_MAX_REQUEST_DURATION", "8s"),
    ];
    let app = TestApp::spawn_with(&confirming_with(&settings)).await;
    let body = json!({ "email": ADA, "password": PASSWORD, "email_confirm": true });
    let create = app.as_admin(Method::POST, "/admin/users").json(&body);
    create.send().await.ok();
    let session = app.sign_in(ADA).await;
    let addresses: Vec<_> = (0..16).map(|n| format!("u{n}@example.com")).collect();
    let sign_ups = futures_util::future::join_all(addresses.iter().map(|to| sign_up(&app, to)));
    let others = async {
        tokio::task::spawn_blocking(move || {
            visitors.recv().unwrap();
            visitors.recv().unwrap();
            visitors
        })
        .await
        .unwrap();
        for _ in 0..5 {
            let request = app.as_user(&session.access_token, Method::GET, "/user");
            request.send().await.ok();
        }
        app.refresh(&session.refresh_token).await.ok();
    };
    let (replies, ()) = futures_util::join!(sign_ups, others);
    for reply in &replies {
        // On a busy machine some do not get as far as the mail server: hashing is full before.
        let come_again = [429, 503].contains(&reply.status.as_u16());
        assert!(come_again, "{}: {}", reply.status, reply.body);
        assert!(reply.header("retry-after").is_some());
    }
    let tried = replies
        .iter()
        .filter(|reply| reply.json()["msg"] == "Error sending confirmation email");
    assert!(tried.count() >= 2);
    assert_eq!(app.count("select count(*) from auth.users").await, 1);
    assert_eq!(app.count(WAITING).await, 0);
}

#[tokio::test]
async fn what_became_of_a_strangers_mail_is_noted_while_strangers_use_all_of_their_share() {
    let (port, visitors) = silent_server();
    let settings = [
        ("GOTRUE_SMTP_HOST", "127.0.0.1"),
        ("GOTRUE_SMTP_PORT", port.as_str()),
        ("GOTRUE_API_MAX_REQUEST_DURATION", "8s"),
    ];
    let app = TestApp::spawn_with(&settings).await;
    app.sign_up(ADA).await;
    let strangers = async {
        tokio::task::spawn_blocking(move || visitors.recv().map(|()| visitors))
            .await
            .unwrap()
            .unwrap();
        let theirs = app.pool.for_anybody();
        let mut held = vec![theirs.client().await.unwrap()];
        while let Ok(another) = timeout(Duration::from_secs(1), theirs.client()).await {
            held.push(another.unwrap());
        }
        held
    };
    let (refused, held) = futures_util::join!(recover(&app), strangers);
    assert_eq!(refused.status, 503);
    assert_eq!(app.count(WAITING).await, 0);
    let tokens = "select count(*) from auth.one_time_tokens";
    assert_eq!(app.count(tokens).await, 0);
    drop(held);
}

#[tokio::test]
async fn a_mail_server_that_is_away_is_waited_for_by_the_client() {
    let closed = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = closed.local_addr().unwrap().port().to_string();
    drop(closed);
    let settings = [
        ("GOTRUE_SMTP_HOST", "127.0.0.1"),
        ("GOTRUE_SMTP_PORT", port.as_str()),
    ];
    let app = TestApp::spawn_with(&confirming_with(&settings)).await;
    let reply = sign_up(&app, ADA).await;
    assert_eq!(
        (reply.status.as_u16(), &reply.json()["msg"]),
        (503, &json!("Error sending confirmation email"))
    );
    assert!(reply.header("retry-after").is_some());
    assert_eq!(app.count("select count(*) from auth.users").await, 0);
}

#[tokio::test]
async fn a_refused_confirmation_leaves_no_user_behind() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    app.break_mail(true);
    let reply = sign_up(&app, ADA).await;
    assert_eq!(
        (reply.status.as_u16(), &reply.json()["msg"]),
        (500, &json!("Error sending confirmation email"))
    );
    for table in [
        "auth.users",
        "auth.identities",
        "auth.audit_log_entries",
        "wildfire.organizations",
    ] {
        assert_eq!(app.count(&format!("select count(*) from {table}")).await, 0);
    }
    assert_eq!(app.count(WAITING).await, 0);
    app.break_mail(false);
    sign_up(&app, ADA).await.ok();
}

#[tokio::test]
async fn a_refused_mail_leaves_the_link_before_it_alive() {
    let app = TestApp::spawn().await;
    app.sign_up(ADA).await;
    recover(&app).await.ok();
    let first = token(&app.last_mail());
    let stored = "select concat_ws(' ', u.recovery_token, u.recovery_sent_at, t.token_hash)
      from auth.users as u left join auth.one_time_tokens as t on t.user_id = u.id";
    let before: String = app.query(stored, &[]).await[0].get(0);
    app.wait(61);
    app.break_mail(true);
    let refused = recover(&app).await;
    assert_eq!(refused.json()["msg"], "Error sending recovery email");
    assert_eq!(app.query(stored, &[]).await[0].get::<_, String>(0), before);
    let body = json!({ "type": "recovery", "token_hash": first });
    app.post("/verify", body).await.ok();
}

#[tokio::test]
async fn a_refused_change_of_address_is_as_if_never_asked_for() {
    let app = TestApp::spawn().await;
    let session = app.sign_up(ADA).await;
    let change = async |email: &str| {
        let request = app.as_user(&session.access_token, Method::PUT, "/user");
        request.json(&json!({ "email": email })).send().await
    };
    let stored = "select concat_ws(' ', u.email_change, u.email_change_token_new,
        u.email_change_token_current, u.email_change_sent_at,
        (select string_agg(concat_ws(' ', t.token_type, t.token_hash, t.relates_to), ','
          order by t.token_type) from auth.one_time_tokens as t))
      from auth.users as u";
    let state = async || app.query(stored, &[]).await[0].get::<_, String>(0);
    let nothing = state().await;
    app.break_mail(true);
    let refused = change("new@example.com").await;
    assert_eq!(refused.json()["msg"], "Error sending email change email");
    assert_eq!(state().await, nothing);
    app.break_mail(false);
    change("new@example.com").await.ok();
    let pending = state().await;
    app.break_mail(true);
    app.wait(61);
    assert_eq!(change("newer@example.com").await.status, 500);
    assert_eq!(state().await, pending);
}

/// Keeps a copy of every mail that leaves the outbox.
const KEEP_COPIES: &str = "
create table public.copies (like _wildfire_auth.mail_outbox);
create function public.keep_copy() returns trigger language plpgsql security definer as $$
begin
  insert into public.copies select old.*;
  return old;
end
$$;
create trigger keep_copy before delete on _wildfire_auth.mail_outbox
  for each row execute function public.keep_copy();";

/// As if the process that sent the mails had died before it could say so.
const RESURRECT: &str = "insert into _wildfire_auth.mail_outbox select * from public.copies";

#[tokio::test]
async fn a_mail_whose_sender_died_is_sent_once_more() {
    let app = TestApp::spawn().await;
    app.sign_up(ADA).await;
    app.superuser().await.batch(KEEP_COPIES).await.unwrap();
    recover(&app).await.ok();
    app.query(RESURRECT, &[]).await;
    assert_eq!(
        app.send_left_over_mails().await,
        0,
        "its sender may be alive"
    );
    app.wait(61);
    let rounds = futures_util::join!(app.send_left_over_mails(), app.send_left_over_mails());
    assert_eq!(rounds.0 + rounds.1, 1, "one process takes it up");
    let mails = app.mails();
    assert_eq!(mails.len(), 2);
    assert_eq!(mails[0].html, mails[1].html);
    assert_eq!(app.count(WAITING).await, 0);
    let body = json!({ "type": "recovery", "token_hash": token(&mails[1]) });
    app.post("/verify", body).await.ok();
}

#[tokio::test]
async fn a_mail_that_is_refused_the_second_time_takes_nothing_back() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    app.superuser().await.batch(KEEP_COPIES).await.unwrap();
    sign_up(&app, ADA).await.ok();
    let sent = token(&app.last_mail());
    app.query(RESURRECT, &[]).await;
    app.wait(61);
    app.break_mail(true);
    assert_eq!(app.send_left_over_mails().await, 1);
    assert_eq!(app.count("select count(*) from auth.users").await, 1);
    let body = json!({ "type": "signup", "token_hash": sent });
    app.post("/verify", body).await.ok();
}

#[tokio::test]
async fn a_mail_that_the_outbox_does_not_know_to_be_sent_is_not_sent_again() {
    let app = TestApp::spawn().await;
    app.sign_up(ADA).await;
    let refuse = "create function public.refuse() returns trigger language plpgsql as
         $$ begin raise sqlstate '53100' using message = 'could not extend file'; end $$;
         create trigger refuse before delete on _wildfire_auth.mail_outbox
         for each row execute function public.refuse()";
    app.superuser().await.batch(refuse).await.unwrap();
    recover(&app).await.ok();
    assert_eq!(app.count(WAITING).await, 1);
    let allow = "drop function public.refuse cascade";
    app.superuser().await.batch(allow).await.unwrap();
    app.wait(61);
    assert_eq!(app.send_left_over_mails().await, 0);
    assert_eq!((app.mails().len(), app.count(WAITING).await), (1, 0));
}

#[tokio::test]
async fn mails_that_help_nobody_are_dropped() {
    for (change, why) in [
        ("set is_second_try = true", "tried twice"),
        ("set created_at = created_at - interval '2 days'", "too old"),
        ("set sealed = sha256(sealed)", "of another secret"),
    ] {
        let app = TestApp::spawn().await;
        app.sign_up(ADA).await;
        app.superuser().await.batch(KEEP_COPIES).await.unwrap();
        recover(&app).await.ok();
        app.query(RESURRECT, &[]).await;
        let sql = format!("update _wildfire_auth.mail_outbox {change}");
        app.query(&sql, &[]).await;
        app.wait(61);
        assert_eq!(app.send_left_over_mails().await, 1, "{why}");
        assert_eq!(
            (app.mails().len(), app.count(WAITING).await),
            (1, 0),
            "{why}"
        );
    }
}

#[tokio::test]
async fn the_outbox_can_be_read_by_nobody_else_and_says_nothing() {
    let app = TestApp::spawn().await;
    app.sign_up(ADA).await;
    app.superuser().await.batch(KEEP_COPIES).await.unwrap();
    recover(&app).await.ok();
    let rows = app.query("select sealed from public.copies", &[]).await;
    let sealed: Vec<u8> = rows[0].get(0);
    let link = token(&app.last_mail());
    for secret in [link.as_str(), ADA, "html"] {
        let length = secret.len();
        assert!(!sealed.windows(length).any(|part| part == secret.as_bytes()));
    }
    let readers = "select count(*) from pg_roles as r
      where r.rolname in ('anon', 'authenticated', 'service_role', 'authenticator')
        and (has_table_privilege(r.oid, '_wildfire_auth.mail_outbox', 'select')
          or has_table_privilege(r.oid, '_wildfire_auth.code_tries', 'select')
          or has_table_privilege(r.oid, '_wildfire_auth.code_data', 'select'))";
    assert_eq!(app.count(readers).await, 0);
    let owner = "select tableowner::text from pg_tables where tablename = 'mail_outbox'";
    let owner: String = app.query(owner, &[]).await[0].get(0);
    assert_eq!(owner, "supabase_auth_admin");
}

#[tokio::test]
async fn two_requests_at_once_send_one_mail() {
    let app = TestApp::spawn().await;
    app.sign_up(ADA).await;
    let replies = futures_util::future::join_all((0..6).map(|_| recover(&app))).await;
    let refused: Vec<Value> = replies
        .iter()
        .filter(|reply| reply.status == 429)
        .map(Reply::json)
        .collect();
    assert_eq!(refused.len(), 5);
    assert_eq!(app.mails().len(), 1);
}
