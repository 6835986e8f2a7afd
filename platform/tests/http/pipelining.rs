//! Several requests sent at once on one connection.

use platform::http::HttpConfig;
use tokio::time::{Duration, Instant};

use super::bodies::post;
use super::peer::Peer;
use super::server::{PAGE, TestServer, generous};

const GET: &str = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";

/// Sends all at once, or in two parts that are read apart most of the time; the answers' statuses.
async fn statuses(server: &TestServer, requests: &str, cut: usize) -> Vec<u16> {
    let mut peer = Peer::connect(server).await;
    peer.0.set_nodelay(true).unwrap();
    let (first, rest) = requests.split_at(cut);
    peer.send(first).await;
    tokio::task::yield_now().await;
    peer.send(rest).await;
    let answers = peer.read_text().await;
    let statuses = answers.split("HTTP/1.1 ").skip(1);
    statuses.map(|it| it[..3].parse().unwrap()).collect()
}

#[actix_web::test]
async fn each_is_answered_in_turn_whatever_its_body_and_wherever_it_is_cut() {
    let server = TestServer::start(generous());
    let requests = format!(
        "{GET}\
         POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\n\r\n\r\n\
         GET /none HTTP/1.1\r\nhost: x\r\n\r\n\
         POST /echo HTTP/1.1\nhost: x\ntransfer-encoding: chunked\n\n\
         5\r\n0\r\n\r\n\r\n1;x=\"0\"\r\na\r\n0\r\n\r\n\
         \r\nPOST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n\
         POST /echo HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n\
         2 ;a=\"\r\n\r\n\r\n000\r\na: b\r\nc: d\r\n\r\n\
         GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
    );
    for cut in 0..requests.len() {
        let statuses = statuses(&server, &requests, cut).await;
        assert_eq!(
            statuses,
            [200, 200, 404, 200, 200, 200, 200],
            "cut at {cut}"
        );
    }
}

#[actix_web::test]
async fn thousands_are_all_answered() {
    let server = TestServer::start(generous());
    let requests = GET.repeat(5_000) + "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    assert_eq!(statuses(&server, &requests, 0).await.len(), 5_001);
}

#[actix_web::test]
async fn what_is_malformed_ends_a_connection_behind_the_answers_before_it() {
    let server = TestServer::start(generous());
    for malformed in ["nonsense\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"] {
        let requests = format!("{GET}{malformed}{GET}");
        assert_eq!(statuses(&server, &requests, 0).await, [200, 400]);
    }
}

#[actix_web::test]
async fn the_last_answer_arrives_whatever_is_behind_its_request() {
    let server = TestServer::start(generous());
    let last = "GET /page HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n".to_owned();
    let requests = last + &GET.repeat(20_000);
    for _ in 0..20 {
        let mut peer = Peer::connect(&server).await;
        peer.push(requests.as_bytes()).await;
        assert!(peer.read_to_end().await > PAGE);
    }
}

#[actix_web::test]
async fn small_answers_that_are_not_taken_count_as_bytes_in_flight() {
    let server = TestServer::start(HttpConfig {
        max_bytes_in_flight: 8 << 10,
        ..generous()
    });
    let mut deaf = Peer::connect_with_small_buffer(&server).await;
    let requests = "GET /page HTTP/1.1\r\nhost: x\r\n\r\n".repeat(120);
    deaf.push(requests.as_bytes()).await;
    let started = Instant::now();
    while !deaf.is_cut_off() {
        assert!(started.elapsed() < Duration::from_mins(1), "still open");
        // Looking writes a byte, which must not become a head that counts.
        tokio::time::sleep(Duration::from_millis(100)).await;
        // Somebody has to ask for room.
        let mut peer = Peer::connect(&server).await;
        peer.send(&post("/echo", 1 << 14)).await;
        peer.push(&[b'x'; 1 << 14]).await;
        assert!(matches!(peer.status().await, Some(200 | 503)));
    }
}
