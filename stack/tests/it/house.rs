//! The contract between services and the house, shown by one that knows nothing else.

use std::sync::atomic::Ordering;

use futures_util::{SinkExt as _, StreamExt as _};
use reqwest::Method;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{self, Message};

use super::dummy::{LIMIT, SERVICE, seen};
use super::started::Stack;

async fn start(name: &str, vars: &[(&str, &str)]) -> Stack {
    let vars = [vars, &[("DUMMY_NAME", name)]].concat();
    Stack::start_with(&[&SERVICE], &vars).await
}

#[actix_web::test]
async fn a_service_brings_routes_rows_and_tables_and_is_counted() {
    let stack = start("all", &[("WILDFIRE_GATEWAY", "self-hosted")]).await;
    assert_eq!(stack.get("/dummy/v1/word").await.status(), 401);
    let word = stack.request(Method::GET, "/dummy/v1/word");
    let word = word
        .header("apikey", stack.publishable_key())
        .send()
        .await
        .unwrap();
    assert_eq!(word.headers()["access-control-allow-origin"], "*");
    assert_eq!(word.text().await.unwrap(), "here");
    assert_eq!(stack.get("/dummy/v1/nothing").await.status(), 401);
    assert_eq!(stack.get("/dummy/v2").await.status(), 200);
    let preflight = stack.request(Method::OPTIONS, "/dummy/v1/word");
    let preflight = preflight.header("origin", "http://a");
    let preflight = preflight.header("access-control-request-method", "GET");
    assert!(preflight.send().await.unwrap().status().is_success());
    let metrics = platform::telemetry::render();
    for seen in [
        "http_requests_total{service=\"dummy\",route=\"/dummy/v1/word\",method=\"GET\",status=\"200\"}",
        "http_requests_total{service=\"dummy\",route=\"\",method=\"GET\",status=\"401\"}",
        "http_requests_total{service=\"dummy\",route=\"/dummy/v1/word\",method=\"OPTIONS\"",
        "http_request_duration_seconds_count{service=\"dummy\",route=\"/dummy/v1/word\"}",
        "database_connections{service=\"dummy\",role=\"dummy\"}",
        "database_connections_waiting{service=\"auth\",role=\"supabase_auth_admin\"}",
        "hash_queue_waiting{service=\"auth\",kind=\"usual\"}",
        "hash_queue_wait_seconds{service=\"auth\",kind=\"costly\"}",
        "mail_failed_total{service=\"auth\"}",
        "cache_misses_total{service=\"house\",cache=\"tokens\"}",
    ] {
        assert!(
            metrics.contains(&format!("wildfire_{seen}")),
            "{seen}: {metrics}"
        );
    }
    stack.running.stop().await;
}

#[test]
fn settings_that_a_service_lacks_are_told_before_anything_is_open() {
    let text = Stack::refusal(&[&SERVICE], &[("GOTRUE_JWT_EXP", "soon")]);
    assert!(text.contains("DUMMY_NAME is required"), "{text}");
    assert!(text.contains("GOTRUE_JWT_EXP"), "{text}");
}

#[actix_web::test]
async fn health_asks_every_service_and_names_the_one_that_is_ill() {
    let stack = start("ill", &[]).await;
    let dummy = seen("ill");
    for (is_ill, status, word) in [(true, 503, "down"), (false, 200, "healthy")] {
        dummy.is_ill.store(is_ill, Ordering::Relaxed);
        let health = stack.get("/health").await;
        assert_eq!(health.status(), status);
        let health: Value = health.json().await.unwrap();
        let components = health["components"].as_array().unwrap();
        let names: Vec<_> = components
            .iter()
            .map(|it| it["name"].as_str().unwrap())
            .collect();
        let own = ["API Server", "Database", "Cache Layer", "AI Models"];
        assert_eq!(names, [&own[..], &["auth", "dummy"]].concat());
        // It may be slow for once.
        let expected = [word, if is_ill { "down" } else { "degraded" }];
        let found = components[5]["status"].as_str().unwrap();
        assert!(expected.contains(&found), "{health}");
        assert_eq!(health["message"] == "The dummy has a cold", is_ill);
    }
    stack.running.stop().await;
}

#[actix_web::test]
async fn tasks_hear_of_the_end_and_what_is_in_memory_is_written_down_last() {
    let stack = start("end", &[]).await;
    let noted = stack.request(Method::POST, "/dummy/v1/note").send().await;
    assert_eq!(noted.unwrap().status(), 204);
    assert!(seen("end").ends.lock().unwrap().is_empty());
    stack.running.stop().await;
    let mut ends = seen("end").ends.lock().unwrap().clone();
    assert_eq!(ends.pop(), Some("flush"));
    ends.sort_unstable();
    assert_eq!(ends, ["task", "task of a request"]);
}

#[actix_web::test]
async fn a_key_is_a_caller_with_the_role_it_stands_for() {
    let stack = start("caller", &[("WILDFIRE_GATEWAY", "self-hosted")]).await;
    let caller = stack.request(Method::GET, "/dummy/v1/caller");
    let caller = caller.header("apikey", stack.publishable_key());
    let caller = caller.send().await.unwrap().text().await.unwrap();
    assert_eq!(caller, "anon");
    let caller = stack.request(Method::GET, "/dummy/v1/caller");
    let caller = caller.header("apikey", stack.publishable_key());
    let caller = caller.bearer_auth(stack.sign_in().await).send().await;
    let caller = caller.unwrap().text().await.unwrap();
    assert_eq!(caller, "authenticated");
    stack.running.stop().await;
}

#[actix_web::test]
async fn a_service_has_web_sockets_behind_the_gateway_and_closes_them_at_the_end() {
    let stack = start("socket", &[("WILDFIRE_GATEWAY", "self-hosted")]).await;
    let app = stack.running.addresses.app.unwrap();
    let url = format!("ws://{app}/dummy/v1/socket");
    let refused = connect_async(url.as_str()).await.unwrap_err();
    assert!(
        matches!(&refused, tungstenite::Error::Http(it) if it.status() == 401),
        "{refused}"
    );
    let url = format!("{url}?apikey={}", stack.publishable_key());
    let (mut socket, answer) = connect_async(url.as_str()).await.unwrap();
    assert!(answer.headers().contains_key("x-request-id"));
    assert_eq!(socket.next().await.unwrap().unwrap(), "anon".into());
    let long = Message::binary(vec![7; 1 << 20]);
    for said in [Message::text("hello"), long] {
        socket.send(said.clone()).await.unwrap();
        assert_eq!(socket.next().await.unwrap().unwrap(), said);
    }
    let (stopped, last) = tokio::join!(stack.running.stop(), socket.next());
    let () = stopped;
    match last.unwrap().unwrap() {
        Message::Close(Some(frame)) => assert_eq!(frame.code, CloseCode::Away),
        other => panic!("{other}"),
    }
}

#[actix_web::test]
async fn a_body_larger_than_its_route_takes_is_refused_before_it_is_read() {
    let stack = start("large", &[]).await;
    let head = format!(
        "PUT /dummy/v1/bytes HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n",
        LIMIT + 1
    );
    let api = stack.running.addresses.api;
    let mut socket = TcpStream::connect(api).await.unwrap();
    socket.write_all(head.as_bytes()).await.unwrap();
    let mut start = [0; 12];
    socket.read_exact(&mut start).await.unwrap();
    assert_eq!(&start, b"HTTP/1.1 413");
    drop(socket);
    stack.running.stop().await;
}
