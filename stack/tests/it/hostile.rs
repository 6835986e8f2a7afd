//! Clients that mean ill, against the assembled server.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::serving::Stack;

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
