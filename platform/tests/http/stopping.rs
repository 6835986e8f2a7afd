//! The end of a server: who waits for an answer gets it, and nobody else holds it up.

use platform::http::HttpConfig;
use tokio::task::spawn_local;

use super::peer::Peer;
use super::server::{SOON, TestServer, generous};

/// Makes `/keep` wait for its gate.
async fn in_flight(server: &TestServer) -> Peer {
    let mut peer = Peer::connect(server).await;
    let keep = "POST /keep HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\nab";
    peer.send(keep).await;
    server.body_kept().await;
    peer
}

#[actix_web::test]
async fn all_but_the_connections_with_a_request_are_closed_before_that_is_answered() {
    let server = TestServer::start(generous());
    let mut waits = in_flight(&server).await;
    let mut idle = Vec::new();
    for _ in 0..100 {
        let mut peer = Peer::connect(&server).await;
        assert_eq!(peer.get().await, Some(200));
        idle.push(peer);
    }
    let silent = Peer::connect(&server).await;
    let mut slow = Peer::connect(&server).await;
    slow.send("GET / HT").await;
    let stopped = spawn_local(server.finish());
    for mut peer in idle.into_iter().chain([silent, slow]) {
        assert_eq!(peer.read_to_end().await, 0);
    }
    assert!(!stopped.is_finished());
    server.gate.add_permits(1);
    assert_eq!(waits.status().await, Some(200));
    stopped.await.unwrap();
}

#[actix_web::test]
async fn an_upload_that_goes_on_is_read_to_its_end() {
    let server = TestServer::start(generous());
    let mut idle = Peer::connect(&server).await;
    assert_eq!(idle.get().await, Some(200));
    let mut upload = Peer::connect(&server).await;
    let head = "POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\nab";
    upload.send(head).await;
    // Not before it is there.
    let waits = in_flight(&server).await;
    let stopped = spawn_local(server.finish());
    assert_eq!(idle.read_to_end().await, 0);
    upload.send("cd").await;
    assert_eq!(upload.status().await, Some(200));
    drop(waits);
    server.gate.add_permits(1);
    stopped.await.unwrap();
}

#[actix_web::test]
async fn an_upload_that_does_not_come_to_its_end_is_waited_for_so_long_and_no_longer() {
    let server = TestServer::start(HttpConfig {
        last_uploads: SOON,
        ..generous()
    });
    let mut upload = Peer::connect(&server).await;
    let head = "POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\nab";
    upload.send(head).await;
    // Not before it is there.
    let mut waits = in_flight(&server).await;
    let stopped = spawn_local(server.finish());
    assert_eq!(upload.status().await, Some(408));
    assert!(!stopped.is_finished());
    server.gate.add_permits(1);
    assert_eq!(waits.status().await, Some(200));
    stopped.await.unwrap();
}

#[actix_web::test]
async fn a_client_that_takes_nothing_is_not_waited_for() {
    let server = TestServer::start(generous());
    let mut waits = in_flight(&server).await;
    let mut deaf = Peer::connect_with_small_buffer(&server).await;
    deaf.send("GET /huge HTTP/1.1\r\nhost: x\r\n\r\n").await;
    // Its answer has begun.
    deaf.0.readable().await.unwrap();
    let stopped = spawn_local(server.finish());
    server.answer_dropped().await;
    assert!(!stopped.is_finished());
    server.gate.add_permits(1);
    assert_eq!(waits.status().await, Some(200));
    stopped.await.unwrap();
}

#[actix_web::test]
async fn who_comes_while_others_are_still_answered_is_refused_at_once() {
    let server = TestServer::start(generous());
    let mut waits = in_flight(&server).await;
    let mut idle = Peer::connect(&server).await;
    assert_eq!(idle.get().await, Some(200));
    let address = server.address;
    let stopped = spawn_local(server.finish());
    assert_eq!(idle.read_to_end().await, 0);
    let refused = tokio::net::TcpStream::connect(address).await.unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
    server.gate.add_permits(1);
    assert_eq!(waits.status().await, Some(200));
    stopped.await.unwrap();
}

#[actix_web::test]
async fn who_comes_when_it_has_stopped_is_not_served() {
    let server = TestServer::start(generous());
    let mut before = Peer::connect(&server).await;
    assert_eq!(before.get().await, Some(200));
    server.finish().await;
    assert_eq!(before.read_to_end().await, 0);
    if let Ok(stream) = tokio::net::TcpStream::connect(server.address).await {
        assert_eq!(Peer(stream).get().await, None);
    }
}
