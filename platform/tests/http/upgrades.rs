//! Connections that a service claims: bytes both ways, behind the bounds of all connections.

use std::sync::atomic::Ordering;
use std::time::Instant;

use platform::http::HttpConfig;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::spawn_local;

use super::lines;
use super::peer::{Peer, upgrade};
use super::server::{BYE, GIVEN_UP_AT, SOON, TestServer, generous};

const PROTOCOLS: [&str; 2] = ["websocket", "echo"];

/// A connection that is claimed already.
async fn socket(server: &TestServer, path: &str) -> Peer {
    let mut peer = Peer::connect(server).await;
    let head = peer.upgrade(path, "echo").await;
    assert!(head.starts_with("HTTP/1.1 101"), "{head}");
    peer
}

#[actix_web::test]
async fn bytes_go_both_ways_and_those_right_behind_the_head_come_first() {
    let server = TestServer::start(generous());
    for protocol in PROTOCOLS {
        let mut peer = Peer::connect(&server).await;
        peer.send(&(upgrade("/socket", protocol) + "early ")).await;
        let head = peer.head().await.to_lowercase();
        assert!(
            head.starts_with("http/1.1 101 switching protocols\r\n"),
            "{head}"
        );
        assert!(
            head.contains(&format!("\r\nupgrade: {protocol}\r\n")),
            "{head}"
        );
        assert!(head.contains("\r\nconnection: upgrade\r\n"), "{head}");
        assert!(
            !head.contains("content-length") && !head.contains("encoding"),
            "{head}"
        );
        peer.hears("early ").await;
        // It would be a request of its own, and is none any more.
        let more = "GET / HTTP/1.1\r\nhost: x\r\n\r\n".repeat(1000);
        let (mut reader, mut writer) = peer.0.split();
        let sending = writer.write_all(more.as_bytes());
        let mut heard = vec![0; more.len()];
        let hearing = reader.read_exact(&mut heard);
        let (sent, read) = tokio::join!(sending, hearing);
        sent.unwrap();
        read.unwrap();
        assert_eq!(heard, more.as_bytes());
    }
}

#[actix_web::test]
async fn a_client_that_has_ended_his_side_still_gets_what_is_said() {
    let server = TestServer::start(generous());
    for protocol in PROTOCOLS {
        let mut peer = Peer::connect(&server).await;
        peer.send(&(upgrade("/socket", protocol) + "last")).await;
        peer.0.shutdown().await.unwrap();
        peer.head().await;
        assert_eq!(peer.read_text().await, format!("last{BYE}"));
        server.socket_closed().await;
    }
}

#[actix_web::test]
async fn a_request_with_a_body_is_not_upgraded() {
    let server = TestServer::start(generous());
    let bodies = [
        "content-length: 4\r\n\r\nbody",
        "transfer-encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n",
    ];
    for (path, protocol) in [
        ("/socket", "websocket"),
        ("/socket", "echo"),
        ("/echo", "websocket"),
    ] {
        for body in bodies {
            let mut peer = Peer::connect(&server).await;
            let head = upgrade(path, protocol).replace("GET", "POST");
            peer.send(&head.replace("\r\n\r\n", &format!("\r\n{body}")))
                .await;
            assert_eq!(peer.status().await, Some(400), "{path} {protocol} {body}");
        }
    }
    for (head, rest, status) in [
        // Who only offers it is served as ever.
        (
            upgrade("/echo", "h2c").replace("GET", "POST"),
            bodies[0],
            200,
        ),
        (
            upgrade("/echo", "h2c").replace("GET", "POST"),
            bodies[1],
            200,
        ),
        // No body is no body, however it is said.
        (
            upgrade("/socket", "websocket"),
            "content-length: 0\r\n\r\n",
            101,
        ),
    ] {
        let mut peer = Peer::connect(&server).await;
        peer.send(&head.replace("\r\n\r\n", &format!("\r\n{rest}")))
            .await;
        assert_eq!(peer.status().await, Some(status), "{head}{rest}");
    }
}

#[actix_web::test]
async fn only_who_asks_for_a_protocol_that_is_spoken_is_upgraded() {
    let server = TestServer::start(generous());
    for (request, status) in [
        ("GET /socket HTTP/1.1\r\nhost: x\r\n\r\n".to_owned(), 426),
        (upgrade("/socket", "h2c"), 426),
        (
            upgrade("/socket", "echo").replace("connection: Upgrade", "x: y"),
            426,
        ),
        (
            upgrade("/socket", "echo").replace("HTTP/1.1", "HTTP/1.0"),
            426,
        ),
        (upgrade("/socket", "h2c, Echo"), 101),
        // Where nobody claims it, it is a request like any other.
        (upgrade("/", "websocket"), 200),
        (upgrade("/", "echo"), 200),
    ] {
        let mut peer = Peer::connect(&server).await;
        peer.send(&request).await;
        assert_eq!(peer.status().await, Some(status), "{request}");
    }
}

#[actix_web::test]
async fn a_socket_is_closed_whose_client_says_nothing_for_long() {
    let server = TestServer::start(HttpConfig {
        keep_alive: SOON,
        ..generous()
    });
    for path in ["/socket", "/deaf"] {
        let mut peer = socket(&server, path).await;
        assert_eq!(peer.read_to_end().await, 0);
        server.socket_closed().await;
    }
}

#[actix_web::test]
async fn a_socket_is_closed_whose_client_takes_nothing() {
    let server = TestServer::start(HttpConfig {
        write_timeout: SOON,
        ..generous()
    });
    let mut peer = Peer::connect_with_small_buffer(&server).await;
    peer.send(&upgrade("/talk", "websocket")).await;
    server.socket_closed().await;
}

#[actix_web::test]
async fn sockets_count_as_connections_and_the_longest_silent_makes_room() {
    let server = TestServer::start(HttpConfig {
        max_connections_per_address: 2,
        ..generous()
    });
    let mut silent = socket(&server, "/socket").await;
    let mut talking = socket(&server, "/socket").await;
    // Nobody makes room who has said something a moment ago.
    while Peer::connect(&server).await.get().await.is_none() {
        talking.send("x").await;
        talking.hears("x").await;
    }
    assert_eq!(silent.read_to_end().await, 0);
    talking.send("still here").await;
    talking.hears("still here").await;
}

/// A client whose request is answered when the gate is opened.
async fn kept_waiting(server: &TestServer) -> Peer {
    let mut waits = Peer::connect(server).await;
    waits
        .send("POST /keep HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\nab")
        .await;
    server.body_kept().await;
    waits
}

#[actix_web::test]
async fn sockets_do_not_outlive_the_server_nor_hold_it_up() {
    let server = TestServer::start(generous());
    let mut sockets = Vec::new();
    for path in ["/socket", "/deaf"].repeat(10) {
        sockets.push(socket(&server, path).await);
    }
    let mut deaf = Peer::connect_with_small_buffer(&server).await;
    deaf.send(&upgrade("/talk", "echo")).await;
    deaf.0.readable().await.unwrap();
    let mut waits = kept_waiting(&server).await;
    let stopped = spawn_local(server.finish());
    for mut socket in sockets {
        assert_eq!(socket.read_to_end().await, 0);
    }
    for _ in 0..21 {
        server.socket_closed().await;
    }
    assert!(!stopped.is_finished());
    server.gate.add_permits(1);
    assert_eq!(waits.status().await, Some(200));
    stopped.await.unwrap();
}

#[actix_web::test]
async fn a_socket_whose_halves_are_elsewhere_ends_with_the_server() {
    let server = TestServer::start(generous());
    let mut deaf = Peer::connect_with_small_buffer(&server).await;
    deaf.send(&upgrade("/elsewhere", "echo")).await;
    deaf.0.readable().await.unwrap();
    let mut waits = kept_waiting(&server).await;
    let stopped = spawn_local(server.finish());
    // The session and both halves.
    for _ in 0..3 {
        server.socket_closed().await;
    }
    deaf.read_to_end().await;
    assert!(!stopped.is_finished());
    server.gate.add_permits(1);
    assert_eq!(waits.status().await, Some(200));
    stopped.await.unwrap();
}

#[actix_web::test]
async fn a_client_that_takes_nothing_is_noticed_wherever_it_is_written_to() {
    let server = TestServer::start(HttpConfig {
        write_timeout: SOON,
        ..generous()
    });
    let mut deaf = Peer::connect_with_small_buffer(&server).await;
    deaf.send(&upgrade("/elsewhere", "echo")).await;
    for _ in 0..3 {
        server.socket_closed().await;
    }
}

#[actix_web::test]
async fn what_was_said_last_is_heard_by_who_has_not_been_heard_out() {
    let server = TestServer::start(generous());
    let mut peer = socket(&server, "/leave").await;
    peer.send(&"x".repeat(200 << 10)).await;
    server.socket_closed().await;
    assert_eq!(peer.read_text().await, BYE);
}

#[actix_web::test]
async fn who_never_stops_talking_is_cut_off_when_the_session_is_over() {
    let server = TestServer::start(generous());
    let mut peer = socket(&server, "/leave").await;
    while !peer.is_cut_off() {
        peer.push(&[b'x'; 4096]).await;
    }
}

#[actix_web::test]
async fn a_write_that_was_given_up_makes_nobody_deaf_who_takes_what_there_is() {
    let server = TestServer::start(HttpConfig {
        write_timeout: SOON,
        ..generous()
    });
    let mut heard = loop {
        let mut peer = Peer::connect_with_small_buffer(&server).await;
        let began = Instant::now();
        peer.send(&upgrade("/give-up", "echo")).await;
        server.socket_closed().await;
        peer.head().await;
        let mut all = vec![0; GIVEN_UP_AT.load(Ordering::Relaxed)];
        let taken = peer.0.read_exact(&mut all).await;
        // This machine may have been slow, and this client with it.
        if taken.is_ok() && began.elapsed() < SOON {
            break peer;
        }
        server.socket_closed().await;
    };
    let mut deaf = Peer::connect_with_small_buffer(&server).await;
    deaf.send(&upgrade("/talk", "echo")).await;
    server.socket_closed().await;
    heard.send("y").await;
    heard.hears("y").await;
}

#[actix_web::test]
async fn a_socket_has_one_line_in_the_log_and_that_at_its_end() {
    lines::keep();
    let server = TestServer::start(HttpConfig {
        write_timeout: SOON,
        ..generous()
    });
    let mut peer = Peer::connect(&server).await;
    let trace = "0af7651916cd43dd8448eb211c80319c";
    let traced = format!("\r\ntraceparent: 00-{trace}-b7ad6b7169203331-01\r\n\r\n");
    peer.send(&upgrade("/logged/client", "echo").replace("\r\n\r\n", &traced))
        .await;
    peer.head().await;
    peer.send("hello").await;
    peer.hears("hello").await;
    assert_eq!(lines::about("/logged/client"), None);
    peer.0.shutdown().await.unwrap();
    peer.read_text().await;
    server.socket_closed().await;
    let mut stopped = socket(&server, "/logged/stopped").await;
    server.finish().await;
    assert_eq!(stopped.read_to_end().await, 0);
    server.stop().await;
    for (path, closed, bytes_in, bytes_out, trace) in [
        ("/logged/client", "client", 5, 8, Some(trace)),
        ("/logged/stopped", "stopping", 0, 0, None),
    ] {
        let line = lines::about(path).unwrap();
        assert_eq!(line["closed"], closed, "{line}");
        assert_eq!(line["bytes_in"], bytes_in, "{line}");
        assert_eq!(line["bytes_out"], bytes_out, "{line}");
        assert_eq!(line["service"], "echo", "{line}");
        assert_eq!(line["status"], 101, "{line}");
        assert!(line["duration_ms"].as_f64().unwrap() > 0.0, "{line}");
        assert!(line["span"]["request.id"].is_string(), "{line}");
        assert_eq!(line["span"]["trace.id"].as_str(), trace, "{line}");
    }
}
