//! Deadlines of connections and how many there may be.

use platform::http::{Connections, HttpConfig};
use rustix::process::{Resource, getrlimit};
use tokio::io::AsyncWriteExt as _;

use super::peer::Peer;
use super::server::{HUGE, SOON, TestServer, generous};

#[actix_web::test]
async fn a_socket_that_says_nothing_is_closed() {
    let server = TestServer::start(HttpConfig {
        first_byte_timeout: SOON,
        ..generous()
    });
    let mut silent = Peer::connect(&server).await;
    assert_eq!(silent.status().await, None);
    let counted = "wildfire_http_connections_closed_total{reason=\"no_first_byte\"}";
    assert!(platform::telemetry::render().contains(counted));
}

#[actix_web::test]
async fn a_slow_head_is_answered_408_on_every_request_of_a_connection() {
    let server = TestServer::start(HttpConfig {
        head_timeout: SOON,
        ..generous()
    });
    let mut first = Peer::connect(&server).await;
    first.send("GET / HTTP/1.1\r\nhost: ").await;
    assert_eq!(first.status().await, Some(408));
    let mut second = Peer::connect(&server).await;
    assert_eq!(second.get().await, Some(200));
    second.send("G").await;
    assert_eq!(second.status().await, Some(408));
    assert_eq!(second.read_to_end().await, 0);
}

#[actix_web::test]
async fn an_idle_connection_is_closed_after_keep_alive() {
    let server = TestServer::start(HttpConfig {
        keep_alive: SOON,
        ..generous()
    });
    let mut peer = Peer::connect(&server).await;
    assert_eq!(peer.get().await, Some(200));
    assert_eq!(peer.read_to_end().await, 0);
}

#[actix_web::test]
async fn a_head_without_end_is_answered_431() {
    let server = TestServer::start(generous());
    let mut peer = Peer::connect(&server).await;
    peer.send("GET / HTTP/1.1\r\nhost: x\r\nx: ").await;
    for _ in 0..64 {
        peer.push(&[b'x'; 1024]).await;
    }
    // The answer may be lost with what the server did not read.
    assert!(matches!(peer.status().await, Some(431) | None));
}

#[actix_web::test]
async fn http_2_by_prior_knowledge_is_refused_at_once() {
    let server = TestServer::start(generous());
    let mut peer = Peer::connect(&server).await;
    peer.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await;
    assert_eq!(peer.status().await, Some(400));
    assert_eq!(peer.read_to_end().await, 0);
}

#[actix_web::test]
async fn a_reader_that_takes_nothing_is_closed() {
    let server = TestServer::start(HttpConfig {
        write_timeout: SOON,
        ..generous()
    });
    let mut peer = Peer::connect(&server).await;
    peer.send("GET /huge HTTP/1.1\r\nhost: x\r\n\r\n").await;
    server.answer_dropped().await;
    assert!(peer.read_to_end().await < HUGE);
}

#[actix_web::test]
async fn a_reader_that_takes_all_gets_all() {
    let server = TestServer::start(HttpConfig {
        write_timeout: SOON,
        ..generous()
    });
    let mut peer = Peer::connect(&server).await;
    peer.send("GET /huge HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        .await;
    assert!(peer.read_to_end().await > HUGE);
}

#[actix_web::test]
async fn the_oldest_socket_without_a_request_makes_room_for_the_newest_of_its_address() {
    let server = TestServer::start(HttpConfig {
        max_waiting_per_address: 2,
        ..generous()
    });
    let mut served = Peer::connect(&server).await;
    assert_eq!(served.get().await, Some(200));
    let oldest = Peer::connect(&server).await;
    let mut older = Peer::connect(&server).await;
    // As soon as it has had time to send one.
    while !oldest.is_closed() {
        let mut newest = Peer::connect(&server).await;
        assert_eq!(newest.get().await, Some(200));
    }
    // Those that have completed a request do not count.
    assert_eq!(older.get().await, Some(200));
    assert_eq!(served.get().await, Some(200));
}

#[actix_web::test]
async fn behind_a_trusted_proxy_all_sockets_share_an_address_and_none_has_to_go() {
    let server = TestServer::start(HttpConfig {
        trusted_proxies: 1,
        max_waiting_per_address: 1,
        ..generous()
    });
    let mut peers = Vec::new();
    for _ in 0..4 {
        peers.push(Peer::connect(&server).await);
    }
    for peer in &mut peers {
        assert_eq!(peer.get().await, Some(200));
    }
}

#[actix_web::test]
async fn too_many_sockets_without_a_request_never_keep_a_new_one_out() {
    let server = TestServer::start(HttpConfig {
        trusted_proxies: 1,
        max_waiting: 8,
        ..generous()
    });
    let mut silent = Vec::new();
    for _ in 0..100 {
        silent.push(Peer::connect(&server).await);
    }
    while !silent[0].is_closed() {
        assert_eq!(Peer::connect(&server).await.get().await, Some(200));
    }
}

#[actix_web::test]
async fn a_crowd_that_comes_at_once_is_served() {
    let server = TestServer::start(HttpConfig {
        max_waiting: 2,
        max_waiting_per_address: 2,
        ..generous()
    });
    let mut crowd = Vec::new();
    for _ in 0..200 {
        crowd.push(Peer::connect(&server).await);
    }
    for peer in &mut crowd {
        peer.send("GET / HTTP/1.1\r\nhost: x\r\n\r\n").await;
    }
    for peer in &mut crowd {
        assert_eq!(peer.status().await, Some(200));
    }
}

#[actix_web::test]
async fn the_longest_idle_connection_makes_room_for_a_new_one() {
    let server = TestServer::start(HttpConfig {
        max_connections: 2,
        ..generous()
    });
    let mut idle = Peer::connect(&server).await;
    assert_eq!(idle.get().await, Some(200));
    let mut reading = Peer::connect(&server).await;
    reading
        .send("POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\na")
        .await;
    let mut third = Peer::connect(&server).await;
    assert_eq!(third.get().await, Some(200));
    assert_eq!(idle.get().await, None);
    reading.send("b").await;
    assert_eq!(reading.status().await, Some(200));
}

#[actix_web::test]
async fn clients_that_are_slow_to_send_make_room_when_nobody_is_idle() {
    let server = TestServer::start(HttpConfig {
        max_connections: 2,
        ..generous()
    });
    let mut slow = Vec::new();
    for _ in 0..2 {
        let mut peer = Peer::connect(&server).await;
        assert_eq!(peer.get().await, Some(200));
        peer.send("POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\na")
            .await;
        slow.push(peer);
    }
    // Whoever comes before they count as slow is turned away.
    while Peer::connect(&server).await.get().await != Some(200) {}
}

/// Most of a head that never ends.
fn unfinished_head() -> String {
    format!("GET / HTTP/1.1\r\nhost: x\r\nx: {}", "x".repeat(24 << 10))
}

#[actix_web::test]
async fn an_unfinished_head_behind_a_request_has_as_long_as_one_alone() {
    let server = TestServer::start(HttpConfig {
        head_timeout: SOON,
        ..generous()
    });
    let mut peer = Peer::connect(&server).await;
    let both = format!("GET / HTTP/1.1\r\nhost: x\r\n\r\n{}", unfinished_head());
    peer.send(&both).await;
    assert_eq!(peer.status().await, Some(200));
    peer.read_to_end().await;
}

#[actix_web::test]
async fn a_request_with_a_body_leaves_its_connection_idle() {
    let server = TestServer::start(HttpConfig {
        head_timeout: SOON,
        ..generous()
    });
    let mut peer = Peer::connect(&server).await;
    let length = 20 << 10;
    let head = format!("POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n\r\n");
    peer.send(&(head + &"x".repeat(length))).await;
    assert_eq!(peer.status().await, Some(200));
    // Begun later and refused: so the deadline has passed for the first as well.
    let mut other = Peer::connect(&server).await;
    other.send("G").await;
    assert_eq!(other.status().await, Some(408));
    assert_eq!(peer.get().await, Some(200));
}

#[actix_web::test]
async fn an_empty_line_behind_a_request_is_no_head() {
    let server = TestServer::start(HttpConfig {
        head_timeout: SOON,
        ..generous()
    });
    let mut peer = Peer::connect(&server).await;
    peer.send("POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\n\r\na\r\n")
        .await;
    assert_eq!(peer.status().await, Some(200));
    // Begun later and refused: so the deadline has passed for the first as well.
    let mut other = Peer::connect(&server).await;
    other.send("\r\nG").await;
    assert_eq!(other.status().await, Some(408));
    assert_eq!(peer.get().await, Some(200));
}

#[actix_web::test]
async fn a_request_whose_client_breaks_off_is_given_up() {
    let server = TestServer::start(generous());
    let mut peer = Peer::connect(&server).await;
    peer.send("GET / HTTP/1.1\r\nhost: x\r\n\r\nGET /never HTTP/1.1\r\nhost: x\r\n\r\n")
        .await;
    assert_eq!(peer.status().await, Some(200));
    peer.0.set_zero_linger().unwrap();
    drop(peer);
    server.given_up().await;
}

#[actix_web::test]
async fn unfinished_heads_count_as_bytes_in_flight() {
    let server = TestServer::start(HttpConfig {
        max_bytes_in_flight: 256 << 10,
        ..generous()
    });
    // One client may hold a quarter.
    let mut parked = Vec::new();
    for _ in 0..6 {
        let mut peer = Peer::connect(&server).await;
        assert_eq!(peer.get().await, Some(200));
        peer.send(&unfinished_head()).await;
        parked.push(peer);
    }
    let mut closed = 0;
    while closed == 0 {
        for peer in &mut parked {
            closed += usize::from(peer.is_closed());
        }
        tokio::task::yield_now().await;
    }
    // Small ones are taken nevertheless.
    assert_eq!(Peer::connect(&server).await.get().await, Some(200));
}

#[actix_web::test]
async fn the_longest_idle_of_an_address_makes_room_for_its_next() {
    let server = TestServer::start(HttpConfig {
        max_connections_per_address: 2,
        ..generous()
    });
    let mut idle = Peer::connect(&server).await;
    assert_eq!(idle.get().await, Some(200));
    let mut second = Peer::connect(&server).await;
    assert_eq!(second.get().await, Some(200));
    let mut third = Peer::connect(&server).await;
    assert_eq!(third.get().await, Some(200));
    assert_eq!(idle.get().await, None);
    assert_eq!(second.get().await, Some(200));
}

#[actix_web::test]
async fn a_half_closed_connection_that_is_told_to_close_does_at_once() {
    let server = TestServer::start(HttpConfig {
        max_connections: 1,
        ..generous()
    });
    let mut deaf = Peer::connect(&server).await;
    deaf.send("GET /huge HTTP/1.1\r\nhost: x\r\n\r\n").await;
    deaf.0.peek(&mut [0; 1]).await.unwrap();
    deaf.0.shutdown().await.unwrap();
    // Turned away until it counts as deaf, and then served in its place.
    while Peer::connect(&server).await.get().await != Some(200) {}
    server.answer_dropped().await;
}

#[test]
fn the_limit_of_open_files_is_raised_as_far_as_allowed() {
    let _all = Connections::new(HttpConfig::default());
    let limit = getrlimit(Resource::Nofile);
    assert_eq!(limit.current, limit.maximum);
}
