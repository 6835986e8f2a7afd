//! Honest people: one who is signed in and works, and some who come for the first time.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::installation::Installation;
use super::smtp::{self, Sink};
use super::tally::{is_wrong, label};
use crate::Failure;
use crate::http::{Answer, Connection, Request};

const PASSWORD: &str = "correct horse battery staple";
const KEY: &str = "honest-prompt";

/// Time between two requests of a person: nobody hammers.
const PAUSE: Duration = Duration::from_millis(2);

/// Time between two prompts that somebody saves.
const WRITING_PAUSE: Duration = Duration::from_millis(50);

/// Longest time an answer may take before it counts as none.
const PATIENCE: Duration = Duration::from_secs(12);

/// Somebody who is signed in.
pub(crate) struct Honest {
    port: u16,
    key: String,
    token: String,
}

/// What one kind of request came to.
#[derive(Default)]
pub(crate) struct Series {
    /// How long each answer took that was served.
    pub(crate) served: Vec<Duration>,
    /// Refusals with 429 or 503, by status.
    pub(crate) refused: BTreeMap<String, u64>,
    /// Everything else: other statuses, broken connections.
    pub(crate) wrong: BTreeMap<String, u64>,
    /// Longest time without a served request.
    pub(crate) longest_gap: Duration,
}

/// What the signed-in user saw.
pub(crate) struct Seen {
    /// `GET /auth/v1/user`.
    pub(crate) user: Series,
    /// A prompt fetched by key.
    pub(crate) fetch: Series,
    /// A prompt saved.
    pub(crate) save: Series,
    /// Keys of the prompts whose saving was acknowledged.
    saved: Vec<String>,
}

impl Series {
    /// The duration that this share (of 100) of the served requests stayed below.
    pub(crate) fn percentile(&self, share: usize) -> Duration {
        let mut sorted = self.served.clone();
        sorted.sort_unstable();
        let at = (sorted.len() * share / 100).min(sorted.len().saturating_sub(1));
        sorted.get(at).copied().unwrap_or(PATIENCE)
    }

    fn note(&mut self, outcome: Result<Answer, Failure>, taken: Duration) -> bool {
        match outcome {
            Ok(answer) if answer.status < 300 => self.served.push(taken),
            Ok(answer) => {
                let label = label(&answer);
                let refused = matches!(answer.status, 429 | 503) && !is_wrong(&label);
                let counts = if refused {
                    &mut self.refused
                } else {
                    &mut self.wrong
                };
                *counts.entry(label).or_default() += 1;
                return false;
            }
            Err(_) => {
                *self.wrong.entry("no answer".to_owned()).or_default() += 1;
                return false;
            }
        }
        true
    }
}

impl Honest {
    /// Makes an account with a prompt.
    pub(crate) async fn prepare(installation: &Installation) -> Result<Self, Failure> {
        let server = &installation.server;
        let service = server.text("SERVICE_ROLE_KEY")?.to_owned();
        let mut honest = Self {
            port: server.port,
            key: server.text("ANON_KEY")?.to_owned(),
            token: String::new(),
        };
        let mut connection = Connection::open(server.port).await?;
        let account = json!({
            "email": "honest@example.com", "password": PASSWORD, "email_confirm": true
        });
        let admin = headers(&service, &service);
        let create = Request::with_headers("POST", "/auth/v1/admin/users", &admin, Some(&account));
        connection.json(&create).await?;
        let sign_in = json!({ "email": "honest@example.com", "password": PASSWORD });
        let path = "/auth/v1/token?grant_type=password";
        let session = connection
            .json(&honest.request("POST", path, Some(&sign_in)))
            .await?;
        let token = session["access_token"].as_str().ok_or("no token")?;
        token.clone_into(&mut honest.token);
        connection.json(&honest.save(KEY)).await?;
        Ok(honest)
    }

    /// Reads and writes until `over`, each kind on a connection of its own.
    pub(crate) async fn watch(&self, over: &AtomicBool) -> Result<Seen, Failure> {
        let user = self.request("GET", "/auth/v1/user", None);
        let fetch = self.request("GET", &format!("/api/v1/prompts/by-key/{KEY}"), None);
        let (user, fetch, (save, saved)) = tokio::join!(
            self.series(&user, over),
            self.series(&fetch, over),
            self.write(over)
        );
        Ok(Seen {
            user,
            fetch,
            save,
            saved,
        })
    }

    /// Those acknowledged prompts that cannot be found any more.
    pub(crate) async fn lost(&self, seen: &Seen) -> Result<usize, Failure> {
        let mut connection = Connection::open(self.port).await?;
        let mut lost = 0;
        for key in &seen.saved {
            let path = format!("/api/v1/prompts/by-key/{key}");
            let answer = connection.call(&self.request("GET", &path, None)).await?;
            lost += usize::from(answer.status != 200);
        }
        Ok(lost)
    }

    /// Somebody new asks for a code, reads the mail and signs in with it.
    pub(crate) async fn sign_up_by_code(&self, sink: &Sink) -> Result<Duration, String> {
        let begun = Instant::now();
        let email = format!("new-{}@example.com", hex::encode(rand::random::<[u8; 6]>()));
        let ask = json!({ "email": email, "create_user": true });
        self.post("/auth/v1/otp", &ask).await?;
        let mail = loop {
            if let Some(mail) = sink.take(&email) {
                break mail;
            }
            if begun.elapsed() > PATIENCE {
                return Err("no mail came".to_owned());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        };
        let code = smtp::code(&mail).ok_or("no code in the mail")?;
        let answer = json!({ "type": "email", "email": email, "token": code });
        self.post("/auth/v1/verify", &answer).await?;
        Ok(begun.elapsed())
    }

    async fn post(&self, path: &str, body: &Value) -> Result<(), String> {
        let request = Request::with_headers("POST", path, &headers(&self.key, ""), Some(body));
        let called = async {
            let mut connection = Connection::open(self.port).await?;
            connection.call(&request).await
        };
        let answer = tokio::time::timeout(PATIENCE, called)
            .await
            .map_err(|_| format!("{path}: no answer"))?
            .map_err(|error| format!("{path}: {error}"))?;
        if answer.status < 300 {
            return Ok(());
        }
        let body = String::from_utf8_lossy(&answer.body);
        Err(format!("{path}: {} {body}", answer.status))
    }

    async fn series(&self, request: &Request, over: &AtomicBool) -> Series {
        let mut caller = Caller::new(self.port);
        let mut series = Series::default();
        let mut last_served = Instant::now();
        while !over.load(Ordering::Relaxed) {
            let begun = Instant::now();
            let outcome = caller.call(request).await;
            if series.note(outcome, begun.elapsed()) {
                series.longest_gap = series.longest_gap.max(last_served.elapsed());
                last_served = Instant::now();
            }
            tokio::time::sleep(PAUSE).await;
        }
        series.longest_gap = series.longest_gap.max(last_served.elapsed());
        series
    }

    async fn write(&self, over: &AtomicBool) -> (Series, Vec<String>) {
        let mut caller = Caller::new(self.port);
        let (mut series, mut saved) = (Series::default(), Vec::new());
        while !over.load(Ordering::Relaxed) {
            let key = format!("saved-{}", hex::encode(rand::random::<[u8; 8]>()));
            let begun = Instant::now();
            let outcome = caller.call(&self.save(&key)).await;
            if series.note(outcome, begun.elapsed()) {
                saved.push(key);
            }
            tokio::time::sleep(WRITING_PAUSE).await;
        }
        (series, saved)
    }

    fn save(&self, key: &str) -> Request {
        let body = json!({ "name": "Honest", "key": key, "template": "Answer {user} politely." });
        self.request("POST", "/api/v1/prompts", Some(&body))
    }

    fn request(&self, method: &str, path: &str, body: Option<&Value>) -> Request {
        Request::with_headers(method, path, &headers(&self.key, &self.token), body)
    }
}

/// The key and, where there is one, the token.
pub(crate) fn headers(key: &str, token: &str) -> String {
    let authorization = if token.is_empty() {
        String::new()
    } else {
        format!("authorization: Bearer {token}\r\n")
    };
    format!("apikey: {key}\r\n{authorization}")
}

/// A connection that is opened again when it breaks.
struct Caller {
    port: u16,
    connection: Option<Connection>,
}

impl Caller {
    fn new(port: u16) -> Self {
        Self {
            port,
            connection: None,
        }
    }

    async fn call(&mut self, request: &Request) -> Result<Answer, Failure> {
        let kept = self.connection.take();
        let called = async {
            let mut connection = match kept {
                Some(connection) => connection,
                None => Connection::open(self.port).await?,
            };
            let answer = connection.call(request).await?;
            Ok::<_, Failure>((connection, answer))
        };
        let (connection, answer) = tokio::time::timeout(PATIENCE, called).await??;
        self.connection = Some(connection);
        Ok(answer)
    }
}
