//! Each request leaves one line in the log and one count, whatever becomes of it.

use super::lines;
use super::peer::{Peer, upgrade};
use super::server::{TestServer, generous};

/// How many requests were counted with these labels.
fn counted(labels: &str) -> u64 {
    let name = format!("wildfire_http_requests_total{{{labels}}} ");
    let metrics = platform::telemetry::render();
    let mut values = metrics.lines().filter_map(|line| line.strip_prefix(&name));
    values.next().map_or(0, |value| value.parse().unwrap())
}

#[actix_web::test]
async fn a_request_whose_client_leaves_is_one_that_was_abandoned() {
    lines::keep();
    let server = TestServer::start(generous());
    let mut peer = Peer::connect(&server).await;
    peer.send("GET /logged/never/left HTTP/1.1\r\nhost: x\r\n\r\n")
        .await;
    let mut answered = Peer::connect(&server).await;
    answered
        .send("GET /logged/plain/stayed HTTP/1.1\r\nhost: x\r\n\r\n")
        .await;
    assert_eq!(answered.status().await, Some(200));
    peer.0.set_zero_linger().unwrap();
    drop(peer);
    server.given_up().await;
    let line = lines::wait_for("/logged/never/left").await;
    assert_eq!(line["message"], "request abandoned", "{line}");
    assert_eq!(line["service"], "echo", "{line}");
    assert_eq!(line["method"], "GET", "{line}");
    let labels = "service=\"echo\",route=\"\",method=\"GET\",status=\"abandoned\"";
    assert_eq!(counted(labels), 1);
    server.stop().await;
    lines::about("/logged/never/left").unwrap();
    let line = lines::about("/logged/plain/stayed").unwrap();
    assert_eq!(line["status"], 200, "{line}");
}

#[actix_web::test]
async fn a_request_whose_handler_panics_is_one_that_failed() {
    lines::keep();
    let server = TestServer::start(generous());
    let mut peer = Peer::connect(&server).await;
    peer.send("GET /logged/panic/at-once HTTP/1.1\r\nhost: x\r\n\r\n")
        .await;
    let line = lines::wait_for("/logged/panic/at-once").await;
    assert_eq!(line["message"], "request completed", "{line}");
    assert_eq!(line["status"], 500, "{line}");
    let labels = "service=\"echo\",route=\"\",method=\"GET\",status=\"500\"";
    assert_eq!(counted(labels), 1);
}

#[actix_web::test]
async fn a_request_of_which_nobody_knows_the_end_leaves_its_trace() {
    lines::keep();
    let server = TestServer::start(generous());
    let labels = "service=\"house\",route=\"\",method=\"POST\",status=\"400\"";
    let before = counted(labels);
    let mut peer = Peer::connect(&server).await;
    let head = upgrade("/logged/ambiguous", "websocket").replace("GET", "POST");
    let body = "\r\ncontent-length: 4\r\n\r\nbody";
    peer.send(&head.replace("\r\n\r\n", body)).await;
    assert_eq!(peer.status().await, Some(400));
    let line = lines::about("/logged/ambiguous").unwrap();
    assert_eq!(line["status"], 400, "{line}");
    assert_eq!(line["service"], "house", "{line}");
    assert!(line["span"]["request.id"].is_string(), "{line}");
    assert!(counted(labels) > before);
}

#[actix_web::test]
async fn what_strangers_say_is_written_down_in_bounds() {
    lines::keep();
    let server = TestServer::start(generous());
    let mut peer = Peer::connect(&server).await;
    let (method, path) = ("BREW".repeat(100), "x".repeat(20 << 10));
    peer.send(&format!(
        "{method} /logged/plain/{path} HTTP/1.1\r\nhost: x\r\n\r\n"
    ))
    .await;
    assert_eq!(peer.status().await, Some(200));
    let line = lines::about("/logged/plain/xxx").unwrap();
    assert_eq!(line["method"], "_OTHER");
    let logged = line["path"].as_str().unwrap();
    assert!(logged.ends_with("x…") && logged.len() < 2100, "{logged}");
}
