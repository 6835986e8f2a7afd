//! A client that sends exactly what a test tells it to.

use std::io::ErrorKind;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use super::server::TestServer;

/// A test that has waited this long for something has failed.
const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) struct Peer(pub(crate) TcpStream);

impl Peer {
    pub(crate) async fn connect(server: &TestServer) -> Self {
        Self(TcpStream::connect(server.address).await.unwrap())
    }

    /// For a client that will not read, so that little is enough to have it taken for deaf.
    pub(crate) async fn connect_with_small_buffer(server: &TestServer) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4096).unwrap();
        Self(socket.connect(server.address).await.unwrap())
    }

    pub(crate) async fn send(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).await.unwrap();
    }

    /// Sends as long as the server takes it; it may close meanwhile.
    pub(crate) async fn push(&mut self, bytes: &[u8]) {
        let _ = self.0.write_all(bytes).await;
    }

    /// The status of the next answer, whose body is empty or all in the first packet; `None` if the
    /// server closes without one.
    pub(crate) async fn status(&mut self) -> Option<u16> {
        let mut text = Vec::new();
        let mut chunk = [0; 4096];
        while !text.windows(4).any(|end| end == b"\r\n\r\n") {
            let read = timeout(PATIENCE, self.0.read(&mut chunk)).await;
            match read.unwrap().unwrap_or(0) {
                0 => return None,
                read => text.extend_from_slice(&chunk[..read]),
            }
        }
        let text = String::from_utf8_lossy(&text);
        text.split(' ').nth(1).unwrap().parse().ok()
    }

    /// The status of `GET /` on this connection.
    pub(crate) async fn get(&mut self) -> Option<u16> {
        self.push(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await;
        self.status().await
    }

    /// Asks for an upgrade; returns the head of the answer.
    pub(crate) async fn upgrade(&mut self, path: &str, protocol: &str) -> String {
        self.send(&upgrade(path, protocol)).await;
        self.head().await
    }

    /// The next head, and nothing of what is behind it.
    pub(crate) async fn head(&mut self) -> String {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let byte = timeout(PATIENCE, self.0.read_u8()).await;
            head.push(byte.unwrap().unwrap());
        }
        String::from_utf8(head).unwrap()
    }

    /// The next bytes, as many as there are in this text.
    pub(crate) async fn hears(&mut self, text: &str) {
        let mut bytes = vec![0; text.len()];
        let read = timeout(PATIENCE, self.0.read_exact(&mut bytes)).await;
        read.unwrap().unwrap();
        assert_eq!(String::from_utf8_lossy(&bytes), text);
    }

    /// Whether the server has closed, without waiting.
    pub(crate) fn is_closed(&self) -> bool {
        match self.0.try_read(&mut [0; 512]) {
            Ok(read) => read == 0,
            Err(error) => error.kind() != ErrorKind::WouldBlock,
        }
    }

    /// Whether the server has closed, without reading what it sent before.
    pub(crate) fn is_cut_off(&self) -> bool {
        let failed = self.0.try_write(b"x").err();
        let failed = failed.is_some_and(|error| error.kind() != ErrorKind::WouldBlock);
        failed || self.0.take_error().unwrap().is_some()
    }

    /// What comes until the server closes.
    pub(crate) async fn read_text(&mut self) -> String {
        let mut text = Vec::new();
        let read = timeout(PATIENCE, self.0.read_to_end(&mut text)).await;
        read.unwrap().unwrap();
        String::from_utf8(text).unwrap()
    }

    /// Reads until the server closes; how many bytes came.
    pub(crate) async fn read_to_end(&mut self) -> usize {
        let mut all = 0;
        let mut chunk = vec![0; 1 << 16];
        loop {
            let read = timeout(PATIENCE, self.0.read(&mut chunk)).await;
            match read.unwrap().unwrap_or(0) {
                0 => return all,
                read => all += read,
            }
        }
    }
}

/// A request for an upgrade.
pub(crate) fn upgrade(path: &str, protocol: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: {protocol}\r\n\r\n")
}
