//! A lean HTTP/1.1 client: one connection, prepared request bytes, no allocation per request
//! beyond the body, so that the load generator does not become what is measured.

use std::net::{Ipv4Addr, SocketAddr};

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use crate::Failure;

/// An open connection.
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// The bytes of a request, ready to be sent again and again.
#[derive(Clone)]
pub(crate) struct Request(Vec<u8>);

impl Request {
    /// Builds a request; `body` is sent as JSON.
    pub(crate) fn new(method: &str, path: &str, token: &str, body: Option<&Value>) -> Self {
        let authorization = format!("authorization: Bearer {token}\r\n");
        Self::with_headers(method, path, &authorization, body)
    }

    /// Builds a request with these header lines, each ended by CRLF; `body` is sent as JSON.
    pub(crate) fn with_headers(
        method: &str,
        path: &str,
        headers: &str,
        body: Option<&Value>,
    ) -> Self {
        let body = body.map(Value::to_string).unwrap_or_default();
        let length = body.len();
        Self(
            format!(
                "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n{headers}\
                 content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
            )
            .into_bytes(),
        )
    }
}

/// Status and body of an answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Whether it says when to try again.
    pub(crate) has_retry_after: bool,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The body as JSON.
    pub(crate) fn json(&self) -> Result<Value, Failure> {
        Ok(serde_json::from_slice(&self.body)?)
    }
}

impl Connection {
    /// Connects to a port on this machine.
    pub(crate) async fn open(port: u16) -> Result<Self, Failure> {
        Self::open_from("127.0.0.1".parse()?, port).await
    }

    /// Connects from one of this machine's own addresses, as another machine would.
    pub(crate) async fn open_from(source: Ipv4Addr, port: u16) -> Result<Self, Failure> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::from((source, 0)))?;
        let stream = socket
            .connect(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
            .await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            buffer: Vec::with_capacity(64 * 1024),
        })
    }

    /// Sends a request and reads the whole answer.
    pub(crate) async fn call(&mut self, request: &Request) -> Result<Answer, Failure> {
        self.stream.write_all(&request.0).await?;
        self.buffer.clear();
        let head = loop {
            if let Some(end) = find(&self.buffer, b"\r\n\r\n") {
                break end + 4;
            }
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                return Err("the server closed the connection".into());
            }
        };
        let text = std::str::from_utf8(&self.buffer[..head])?;
        let status = text.get(9..12).ok_or("no status line")?.parse()?;
        let length = header(text, "content-length")
            .and_then(|value| value.parse().ok())
            .unwrap_or(0);
        let has_retry_after = header(text, "retry-after").is_some();
        while self.buffer.len() < head + length {
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                return Err("the answer was cut short".into());
            }
        }
        Ok(Answer {
            status,
            has_retry_after,
            body: self.buffer[head..head + length].to_vec(),
        })
    }

    /// Sends a request that must succeed, and reads JSON.
    pub(crate) async fn json(&mut self, request: &Request) -> Result<Value, Failure> {
        let answer = self.call(request).await?;
        if answer.status >= 300 {
            let body = String::from_utf8_lossy(&answer.body);
            return Err(format!("status {}: {body}", answer.status).into());
        }
        answer.json()
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack
        .windows(needle.len())
        .position(|window| window == needle)
}

/// The value of the first header line of this name.
fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    head.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(given, _)| given.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.trim())
}
