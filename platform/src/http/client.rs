//! Asking others over HTTP: with an end in time and size, and saying for which request.

use std::time::Duration;

use bytes::{Bytes, BytesMut};

use crate::telemetry::traces::TraceContext;

/// Time a server gets to take a connection.
const CONNECT: Duration = Duration::from_secs(5);

/// Why nothing was fetched.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct FetchError(reqwest::Error);

impl From<reqwest::Error> for FetchError {
    /// Without the address, whose query may hold a password.
    fn from(error: reqwest::Error) -> Self {
        Self(error.without_url())
    }
}

/// What a server answered.
#[derive(Debug)]
pub struct Fetched {
    /// How.
    pub status: u16,
    /// The beginning of its body, as much as was asked for.
    pub body: Bytes,
}

/// Asks servers; cloning shares connections.
#[derive(Clone, Debug)]
pub struct HttpClient(reqwest::Client);

impl HttpClient {
    /// One with its own connections. Fails if the system's certificates cannot be used.
    pub fn new() -> Result<Self, FetchError> {
        let client = reqwest::Client::builder().connect_timeout(CONNECT);
        Ok(Self(client.build()?))
    }

    /// What is at this address: no more than `most` bytes of it, which have to be there in time.
    pub async fn get(
        &self,
        url: &str,
        patience: Duration,
        most: usize,
    ) -> Result<Fetched, FetchError> {
        let mut request = self.0.get(url).timeout(patience);
        let headers = TraceContext::current().map(|context| context.headers());
        for (name, value) in headers.into_iter().flatten() {
            request = request.header(name.as_str(), value);
        }
        let mut answer = request.send().await?;
        let mut body = BytesMut::new();
        while body.len() < most
            && let Some(chunk) = answer.chunk().await?
        {
            body.extend_from_slice(&chunk[..chunk.len().min(most - body.len())]);
        }
        Ok(Fetched {
            status: answer.status().as_u16(),
            body: body.freeze(),
        })
    }
}
