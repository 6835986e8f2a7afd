//! Asking others over HTTP: with an end in time and size, and saying for which request.

use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use reqwest::header::LOCATION;
use reqwest::redirect::Policy;
use reqwest::{Response, StatusCode, Url};

use crate::telemetry::traces::TraceContext;

/// Time a server gets to take a connection.
const CONNECT: Duration = Duration::from_secs(5);

/// How often a server may name another address.
const REDIRECTS: usize = 3;

/// Why nothing was fetched. None of it says from where: the query of an address may hold a password.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// There is no such address.
    #[error("this is no address: {0}")]
    Address(#[from] url::ParseError),
    /// The server did not answer, or not in time; or nobody can be asked.
    #[error(transparent)]
    Request(reqwest::Error),
    /// The server names another address, and nobody goes there.
    #[error("the server redirects {0}")]
    Redirect(&'static str),
    /// The server has nothing there, or does not give it.
    #[error("status code {0}")]
    Status(u16),
    /// The answer is larger than whoever asks takes, in bytes.
    #[error("the answer is larger than {0} bytes")]
    TooLarge(usize),
}

impl From<reqwest::Error> for FetchError {
    fn from(error: reqwest::Error) -> Self {
        Self::Request(error.without_url())
    }
}

/// Asks servers; cloning shares connections.
///
/// It reaches whatever this process can, private addresses too: whom to ask is said by who operates the
/// installation, in its settings, and that may well be a neighbour. An address that a user can choose must
/// not be given to it.
#[derive(Clone, Debug)]
pub struct HttpClient(reqwest::Client);

impl HttpClient {
    /// One with its own connections. Fails if the system's certificates cannot be used.
    pub fn new() -> Result<Self, FetchError> {
        let client = reqwest::Client::builder()
            .connect_timeout(CONNECT)
            .redirect(Policy::none());
        Ok(Self(client.build()?))
    }

    /// What is at this address: no more than `most` bytes, which have to be there in time. A few redirects
    /// are followed, but none from https to http, and none from an address with a password.
    pub async fn get(
        &self,
        url: &str,
        patience: Duration,
        most: usize,
    ) -> Result<Bytes, FetchError> {
        let until = Instant::now() + patience;
        let mut url: Url = url.parse()?;
        let mut left = REDIRECTS;
        let answer = loop {
            let answer = self.ask(&url, until).await?;
            let Some(place) = place(&answer) else {
                break answer;
            };
            left = left
                .checked_sub(1)
                .ok_or(FetchError::Redirect("too often"))?;
            url = redirected(&url, place)?;
        };
        read(answer, most).await
    }

    async fn ask(&self, url: &Url, until: Instant) -> Result<Response, FetchError> {
        let patience = until.saturating_duration_since(Instant::now());
        let mut request = self.0.get(url.clone()).timeout(patience);
        let headers = TraceContext::current().map(|context| context.headers());
        for (name, value) in headers.into_iter().flatten() {
            request = request.header(name.as_str(), value);
        }
        Ok(request.send().await?)
    }
}

/// The address that an answer names instead of one.
fn place(answer: &Response) -> Option<&str> {
    let is_redirect = matches!(answer.status().as_u16(), 301..=303 | 307 | 308);
    let place = answer.headers().get(LOCATION).filter(|_| is_redirect)?;
    Some(place.to_str().unwrap_or_default())
}

/// Where somebody goes who has asked at `url` and is sent to `place`.
fn redirected(url: &Url, place: &str) -> Result<Url, FetchError> {
    let next = url.join(place)?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(FetchError::Redirect("although it was given a password"));
    }
    if url.scheme() == "https" && next.scheme() != "https" {
        return Err(FetchError::Redirect("from https to http"));
    }
    Ok(next)
}

async fn read(mut answer: Response, most: usize) -> Result<Bytes, FetchError> {
    if answer.status() != StatusCode::OK {
        return Err(FetchError::Status(answer.status().as_u16()));
    }
    let mut body = BytesMut::new();
    while let Some(chunk) = answer.chunk().await? {
        if body.len() + chunk.len() > most {
            return Err(FetchError::TooLarge(most));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;

    const PATIENCE: Duration = Duration::from_mins(1);

    /// Answers each request with what `answer` makes of its path; says where.
    async fn serve(answer: impl Fn(&str) -> String + Send + 'static) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        tokio::spawn(async move {
            loop {
                let (mut socket, _) = listener.accept().await.unwrap();
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    head.push(socket.read_u8().await.unwrap());
                }
                let head = String::from_utf8(head).unwrap();
                let answer = answer(head.split(' ').nth(1).unwrap());
                // Who has enough leaves.
                let _ = socket.write_all(answer.as_bytes()).await;
            }
        });
        address
    }

    fn redirect_to(place: &str) -> String {
        format!("HTTP/1.1 302 Found\r\nlocation: {place}\r\ncontent-length: 0\r\n\r\n")
    }

    async fn fetch(url: &str, most: usize) -> Result<Bytes, FetchError> {
        let client = HttpClient::new().unwrap();
        client.get(url, PATIENCE, most).await
    }

    #[tokio::test]
    async fn a_body_is_whole_or_an_error_says_that_it_is_too_large() {
        for framed in [
            "content-length: 5\r\n\r\nhello",
            "transfer-encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
        ] {
            let server = serve(move |_| format!("HTTP/1.1 200 OK\r\n{framed}")).await;
            let url = format!("http://{server}/");
            assert_eq!(fetch(&url, 5).await.unwrap(), "hello");
            let refused = fetch(&url, 4).await.unwrap_err();
            assert_eq!(refused.to_string(), "the answer is larger than 4 bytes");
        }
    }

    #[tokio::test]
    async fn what_is_not_there_is_told_however_long_the_answer_is() {
        for framed in [
            "content-length: 5\r\n\r\nhello",
            "content-length: 0\r\n\r\n",
        ] {
            let server = serve(move |_| format!("HTTP/1.1 404 Not Found\r\n{framed}")).await;
            let refused = fetch(&format!("http://{server}/"), 4).await.unwrap_err();
            assert_eq!(refused.to_string(), "status code 404");
        }
    }

    #[tokio::test]
    async fn redirects_are_followed_a_few_times() {
        let server = serve(|path| match path[1..].parse::<usize>().unwrap() {
            0 => "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nhere".to_owned(),
            left => redirect_to(&format!("/{}", left - 1)),
        })
        .await;
        let few = format!("http://{server}/{REDIRECTS}");
        assert_eq!(fetch(&few, 4).await.unwrap(), "here");
        let many = format!("http://{server}/{}", REDIRECTS + 1);
        let refused = fetch(&many, 4).await.unwrap_err();
        assert_eq!(refused.to_string(), "the server redirects too often");
    }

    #[tokio::test]
    async fn who_asks_with_a_password_is_not_sent_elsewhere() {
        let server = serve(|_| redirect_to("http://localhost:1/")).await;
        let refused = fetch(&format!("http://me:hidden@{server}/"), 4).await;
        let said = refused.unwrap_err().to_string();
        assert_eq!(
            said,
            "the server redirects although it was given a password"
        );
    }

    #[test]
    fn nobody_is_sent_to_where_others_can_listen() {
        for (place, follows) in [
            ("https://b/", true),
            ("/elsewhere", true),
            ("http://a/", false),
            ("http://b/", false),
            ("file:///etc/passwd", false),
        ] {
            let next = redirected(&"https://a/".parse().unwrap(), place);
            assert_eq!(next.is_ok(), follows, "{place}");
        }
    }
}
