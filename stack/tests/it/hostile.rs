//! Clients that mean ill, against the assembled server.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use super::started::Stack;

/// Sends a head that announces a body, then so many bytes of it; the answer, which must come
/// although the rest does not.
async fn begin(stack: &Stack, method: &str, path: &str, length: usize, sent: usize) -> String {
    let mut socket = TcpStream::connect(stack.running.addresses.api)
        .await
        .unwrap();
    let head = format!("{method} {path} HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n\r\n");
    socket.write_all(head.as_bytes()).await.unwrap();
    socket.write_all(&vec![b' '; sent]).await.unwrap();
    let mut text = String::new();
    while !is_whole(&text) {
        let mut chunk = [0; 4096];
        let read = socket.read(&mut chunk).await.unwrap();
        assert_ne!(read, 0, "closed after {text:?}");
        text.push_str(std::str::from_utf8(&chunk[..read]).unwrap());
    }
    text
}

fn is_whole(answer: &str) -> bool {
    let Some((head, body)) = answer.split_once("\r\n\r\n") else {
        return false;
    };
    let mut lines = head.lines();
    let length = lines.find_map(|line| line.strip_prefix("content-length: "));
    length.is_some_and(|length| length.parse() == Ok(body.len()))
}

/// Reads until the server closes.
async fn rest(socket: &mut TcpStream) -> String {
    let mut text = Vec::new();
    // An abrupt end is one, too.
    let _ = socket.read_to_end(&mut text).await;
    String::from_utf8(text).unwrap()
}

#[actix_web::test]
async fn silent_sockets_are_closed_on_every_port_and_keep_nobody_out() {
    let stack = Stack::start(&[
        ("WILDFIRE_HTTP_FIRST_BYTE_TIMEOUT", "300ms"),
        ("WILDFIRE_HTTP_MAX_WAITING", "50"),
    ])
    .await;
    let addresses = stack.running.addresses;
    let ports = [
        addresses.api,
        addresses.app.unwrap(),
        addresses.mail.unwrap(),
    ];
    let mut silent = Vec::new();
    for address in ports {
        for _ in 0..100 {
            silent.push(TcpStream::connect(address).await.unwrap());
        }
    }
    assert_eq!(stack.get("/health").await.status(), 200);
    for mut socket in silent {
        assert_eq!(rest(&mut socket).await, "");
    }
    stack.running.stop().await;
}

#[actix_web::test]
async fn http_2_without_tls_is_refused_at_once() {
    let stack = Stack::start(&[]).await;
    let mut socket = TcpStream::connect(stack.running.addresses.api)
        .await
        .unwrap();
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    socket.write_all(preface).await.unwrap();
    let answer = rest(&mut socket).await;
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    stack.running.stop().await;
}

#[actix_web::test]
async fn nothing_is_read_of_a_body_whose_sender_may_not_send_it() {
    let stack = Stack::start(&[]).await;
    for (method, path) in [
        ("PUT", "/auth/v1/user"),
        ("POST", "/auth/v1/factors"),
        ("POST", "/auth/v1/admin/users"),
        ("POST", "/auth/v1/invite"),
        ("POST", "/auth/v1/logout"),
        ("POST", "/api/v1/prompts"),
        ("POST", "/api/v1/compile"),
    ] {
        let answer = begin(&stack, method, path, 1 << 20, 1).await;
        assert!(answer.starts_with("HTTP/1.1 401"), "{path}: {answer}");
    }
    stack.running.stop().await;
}

#[actix_web::test]
async fn a_body_that_announces_more_than_its_route_takes_is_refused_at_once() {
    let stack = Stack::start(&[]).await;
    for (path, length, error) in [
        ("/api/waitlist", 4097, "too_large"),
        ("/auth/v1/otp", (1 << 20) + 1, "request_entity_too_large"),
    ] {
        let answer = begin(&stack, "POST", path, length, 1).await;
        assert!(answer.starts_with("HTTP/1.1 413"), "{path}: {answer}");
        assert!(answer.contains(error), "{path}: {answer}");
    }
    stack.running.stop().await;
}

#[actix_web::test]
async fn a_body_that_never_ends_is_refused_in_the_shape_of_its_service() {
    let stack = Stack::start(&[("WILDFIRE_HTTP_BODY_TIMEOUT", "300ms")]).await;
    for (path, member) in [
        ("/api/waitlist", "\"error\":{"),
        ("/auth/v1/otp", "\"error_code\":"),
    ] {
        let answer = begin(&stack, "POST", path, 100, 1).await;
        assert!(answer.starts_with("HTTP/1.1 408"), "{path}: {answer}");
        assert!(
            answer.contains(member) && answer.contains("request_timeout"),
            "{answer}"
        );
    }
    stack.running.stop().await;
    // The time limit of the auth service, which is shorter by default, changes nothing.
    let stack = Stack::start(&[("GOTRUE_API_MAX_REQUEST_DURATION", "300ms")]).await;
    let answer = begin(&stack, "POST", "/auth/v1/otp", 100, 1).await;
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    stack.running.stop().await;
}

#[actix_web::test]
async fn what_would_take_too_much_memory_is_refused_with_a_time_to_come_back() {
    let stack = Stack::start(&[("WILDFIRE_HTTP_MAX_BYTES_IN_FLIGHT", "1")]).await;
    let token = stack.sign_in().await;
    let large = serde_json::json!({ "email": "x".repeat(60_000) });
    for (method, path) in [
        (Method::POST, "/api/v1/compile"),
        (Method::POST, "/auth/v1/otp"),
    ] {
        let answer = stack
            .request(method, path)
            .bearer_auth(&token)
            .json(&large)
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 503, "{path}");
        assert_eq!(answer.headers()["retry-after"], "2", "{path}");
        assert!(answer.json::<Value>().await.unwrap().is_object(), "{path}");
    }
    // Small exchanges go on.
    let small = serde_json::json!({ "email": "ada@example.com" });
    let otp = stack.request(Method::POST, "/auth/v1/otp").json(&small);
    assert_eq!(otp.send().await.unwrap().status(), 200);
    stack.running.stop().await;
}

/// Somebody on another machine who asks for so many long lists and reads none.
async fn deaf(stack: &Stack, token: &str, lists: usize) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    socket.bind(([127, 0, 0, 2], 0).into()).unwrap();
    let api = stack.running.addresses.app.unwrap();
    let mut socket = socket.connect(api).await.unwrap();
    let list =
        format!("GET /api/v1/prompts HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n\r\n");
    socket
        .write_all(list.repeat(lists).as_bytes())
        .await
        .unwrap();
    socket
}

#[actix_web::test]
async fn while_others_hold_all_that_may_be_held_short_answers_are_sent_and_long_ones_put_off() {
    let stack = Stack::start(&[("WILDFIRE_HTTP_MAX_BYTES_IN_FLIGHT", "65536")]).await;
    let token = stack.sign_in().await;
    // Each small enough to be taken, and together a long list.
    for number in 0..20 {
        let key = format!("prompt-{number}");
        let prompt = json!({ "name": key, "key": key, "template": "x".repeat(700 * number + 1) });
        let create = stack.request(Method::POST, "/api/v1/prompts");
        let create = create.bearer_auth(&token).json(&prompt).send().await;
        assert_eq!(create.unwrap().status(), 201);
    }
    let get = async |path: &str| {
        let get = stack.request(Method::GET, path).bearer_auth(&token);
        get.send().await.unwrap()
    };
    let started = Instant::now();
    let mut deaf_ones = Vec::new();
    loop {
        assert!(started.elapsed() < Duration::from_mins(1), "never full");
        deaf_ones.push(deaf(&stack, &token, 100).await);
        let list = get("/api/v1/prompts").await;
        assert_eq!(get("/api/v1/prompts/by-key/prompt-0").await.status(), 200);
        if list.status() == 503 {
            assert_eq!(list.headers()["retry-after"], "2");
            break;
        }
        assert_eq!(list.status(), 200);
    }
    drop(deaf_ones);
    stack.running.stop().await;
}
