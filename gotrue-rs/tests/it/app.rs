//! A running service with a database of its own.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use actix_web::middleware::from_fn;
use actix_web::{App, HttpServer, web};
use async_trait::async_trait;
use gotrue::{Config, Deps, State};
use jiff::SignedDuration;
use platform::clock::Clock;
use platform::env::{Secret, Vars};
use platform::http::forwarded::TrustedProxies;
use platform::http::mount::Mount;
use platform::http::{HttpClient, observe};
use platform::mail::{Mail, MailError, Mailer};
use platform::pg::{Client, Database, Executor, Params, Row};
use platform::service::Tasks;
use platform_test::TestDatabase;
use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A password that satisfies the default policy.
pub(crate) const PASSWORD: &str = "correct-horse";

/// Mails that would have been sent.
#[derive(Default)]
pub(crate) struct Outbox(Mutex<Vec<Mail>>, AtomicBool);

#[async_trait]
impl Mailer for Outbox {
    async fn send(&self, mail: &Mail) -> Result<(), MailError> {
        if self.1.load(Ordering::Relaxed) {
            return Err(MailError::Invalid("the mail server is down".to_owned()));
        }
        self.0.lock().unwrap().push(mail.clone());
        Ok(())
    }
}

/// The service under test.
pub(crate) struct TestApp {
    pub(crate) clock: Clock,
    pub(crate) database: TestDatabase,
    /// The service's own connections.
    pub(crate) pool: Database,
    outbox: Arc<Outbox>,
    state: web::Data<State>,
    base: String,
    client: reqwest::Client,
}

/// What the service is told unless a test says otherwise.
fn variables() -> Vars {
    Vars::from([
        ("GOTRUE_DB_DRIVER", "postgres"),
        ("API_EXTERNAL_URL", "http://127.0.0.1:54321/auth/v1"),
        ("GOTRUE_SITE_URL", "http://127.0.0.1:8080"),
        ("GOTRUE_JWT_SECRET", platform::api_keys::DEMO_JWT_SECRET),
        ("GOTRUE_JWT_KEYS", &platform_test::tokens::signing_jwks()),
        ("GOTRUE_JWT_VALID_METHODS", "HS256,ES256"),
        ("GOTRUE_JWT_AUD", "authenticated"),
        ("GOTRUE_JWT_DEFAULT_GROUP_NAME", "authenticated"),
        ("GOTRUE_JWT_ISSUER", "http://127.0.0.1:54321/auth/v1"),
        ("GOTRUE_EXTERNAL_PHONE_ENABLED", "true"),
        ("GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED", "true"),
        ("GOTRUE_MAILER_AUTOCONFIRM", "true"),
        ("GOTRUE_SMS_AUTOCONFIRM", "true"),
        ("GOTRUE_RATE_LIMIT_EMAIL_SENT", "1000"),
        ("GOTRUE_RATE_LIMIT_MAILS_PER_RECIPIENT", "0"),
        ("GOTRUE_DB_MAX_POOL_SIZE", "4"),
        // However busy the machine is.
        ("GOTRUE_API_MAX_REQUEST_DURATION", "5m"),
    ])
}

impl TestApp {
    /// The service with addresses and numbers confirmed at once.
    pub(crate) async fn spawn() -> Self {
        Self::spawn_with(&[]).await
    }

    /// The service with these variables on top.
    pub(crate) async fn spawn_with(changes: &[(&str, &str)]) -> Self {
        Self::spawn_at("", changes).await
    }

    /// The service mounted under a prefix.
    pub(crate) async fn spawn_at(prefix: &str, changes: &[(&str, &str)]) -> Self {
        let database = TestDatabase::create().await;
        let mut vars = variables();
        for (name, value) in changes {
            vars.set(*name, *value);
        }
        let clock = Clock::fixed(Clock::system().now());
        let outbox = Arc::new(Outbox::default());
        let config = Config::load(&vars).expect("configuration");
        let url = Secret::new(database.url("supabase_auth_admin"));
        let pool = Database::new(&config.database(&url)).expect("a pool");
        let smtp = config.smtp_mailer().expect("a mail server");
        let deps = Deps {
            database: pool.clone(),
            verifier: config.verifier(clock.clone()).expect("keys"),
            mailer: smtp.unwrap_or_else(|| Arc::clone(&outbox) as Arc<dyn Mailer>),
            web: HttpClient::new().expect("an HTTP client"),
            clock: clock.clone(),
            tasks: Tasks::new(),
        };
        let state = web::Data::new(State::new(config, deps).expect("state"));
        let scope = prefix.to_owned();
        let shared = state.clone();
        let server = HttpServer::new(move || {
            let (scope, state) = (scope.clone(), shared.clone());
            App::new()
                .app_data(TrustedProxies(1))
                .wrap(from_fn(observe))
                .configure(move |config| {
                    Mount::below(&scope, config, |mount| gotrue::mount(mount, &state));
                })
        })
        .workers(2)
        .disable_signals()
        .bind(("127.0.0.1", 0))
        .expect("a port");
        let base = format!("http://{}{prefix}", server.addrs()[0]);
        tokio::spawn(server.run());
        Self {
            clock,
            database,
            pool,
            outbox,
            state,
            base,
            client: reqwest::Client::builder()
                .redirect(reqwest::redirect::Policy::none())
                .build()
                .expect("client"),
        }
    }

    /// Where the service answers.
    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// A request to be completed and sent.
    pub(crate) fn request(&self, method: Method, path: &str) -> Request {
        Request(self.client.request(method, format!("{}{path}", self.base)))
    }

    /// Sends these bytes of a request and no more, ends the sending half of the connection if
    /// told so, and gives the answer as it comes over the wire.
    pub(crate) async fn raw(&self, text: &str, end: bool) -> String {
        let host = self.base.split('/').nth(2).expect("a host");
        let mut stream = TcpStream::connect(host).await.expect("a connection");
        stream.write_all(text.as_bytes()).await.expect("to be read");
        if end {
            stream.shutdown().await.expect("an end");
        }
        let mut answer = Vec::new();
        let mut some = [0; 4096];
        while !answer.ends_with(b"}") {
            match stream.read(&mut some).await.expect("an answer") {
                0 => break,
                length => answer.extend_from_slice(&some[..length]),
            }
        }
        String::from_utf8(answer).expect("text")
    }

    /// A GET request.
    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.request(Method::GET, path).send().await
    }

    /// A POST request with a JSON body.
    pub(crate) async fn post(&self, path: &str, body: Value) -> Reply {
        self.request(Method::POST, path).json(&body).send().await
    }

    /// A request as a signed-in user.
    pub(crate) fn as_user(&self, token: &str, method: Method, path: &str) -> Request {
        self.request(method, path).bearer(token)
    }

    /// Signs up with the test password.
    pub(crate) async fn sign_up(&self, email: &str) -> Session {
        let body = json!({ "email": email, "password": PASSWORD });
        Session::of(&self.post("/signup", body).await)
    }

    /// Signs in with the test password.
    pub(crate) async fn sign_in(&self, email: &str) -> Session {
        let body = json!({ "email": email, "password": PASSWORD });
        Session::of(&self.post("/token?grant_type=password", body).await)
    }

    /// Trades a refresh token.
    pub(crate) async fn refresh(&self, token: &str) -> Reply {
        let body = json!({ "refresh_token": token });
        self.post("/token?grant_type=refresh_token", body).await
    }

    /// Lets time pass.
    pub(crate) fn wait(&self, seconds: i64) {
        self.clock.advance(SignedDuration::from_secs(seconds));
    }

    /// The mails sent so far.
    pub(crate) fn mails(&self) -> Vec<Mail> {
        self.outbox.0.lock().unwrap().clone()
    }

    /// Lets every mail fail from now on, or be sent again.
    pub(crate) fn break_mail(&self, broken: bool) {
        self.outbox.1.store(broken, Ordering::Relaxed);
    }

    /// What a process does at its start and now and then: sends mails others left behind.
    pub(crate) async fn send_left_over_mails(&self) -> usize {
        self.state.send_left_over_mails().await.expect("a round")
    }

    /// The other half of that round: forgets how often codes of before were guessed at.
    pub(crate) async fn forget_old_codes(&self) {
        self.state.forget_old_codes().await.expect("a round");
    }

    /// A superuser's connection.
    pub(crate) async fn superuser(&self) -> Client {
        self.database.superuser().await
    }

    /// Runs a statement as a superuser.
    pub(crate) async fn query(&self, sql: &str, params: Params<'_>) -> Vec<Row> {
        let statement = platform_test::sql(sql);
        let rows = self.superuser().await.query(statement, params).await;
        rows.expect(sql)
    }

    /// Runs `work` while a change of the database is under way, and lets the change be committed
    /// once `work` waits for it.
    pub(crate) async fn during<T>(&self, change: &str, work: impl Future<Output = T>) -> T {
        let other = self.superuser().await;
        other
            .batch(platform_test::sql(format!("begin; {change}")))
            .await
            .unwrap();
        let waited_for = async {
            let waiting = "select count(*) from pg_stat_activity
                where datname = current_database() and wait_event_type = 'Lock'";
            while self.count(waiting).await == 0 {}
        };
        let mut work = std::pin::pin!(work);
        tokio::select! {
            () = waited_for => {}
            _ = &mut work => panic!("nothing waited for the change"),
        }
        other.batch("commit").await.unwrap();
        work.await
    }

    /// A count, such as `select count(*) from auth.users`.
    pub(crate) async fn count(&self, sql: &str) -> i64 {
        self.query(sql, &[]).await[0].get(0)
    }
}

/// A request about to be sent.
pub(crate) struct Request(reqwest::RequestBuilder);

impl Request {
    pub(crate) fn bearer(self, token: &str) -> Self {
        Self(self.0.bearer_auth(token))
    }

    pub(crate) fn header(self, name: &str, value: &str) -> Self {
        Self(self.0.header(name, value))
    }

    /// Asks for the newer error format.
    pub(crate) fn v2024(self) -> Self {
        self.header("x-supabase-api-version", "2024-01-01")
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        Self(
            self.0
                .header("content-type", "application/json;charset=UTF-8")
                .body(body.to_string()),
        )
    }

    pub(crate) fn body(self, body: impl Into<reqwest::Body>) -> Self {
        Self(self.0.body(body))
    }

    pub(crate) async fn send(self) -> Reply {
        let response = self.0.send().await.expect("an answer");
        let reply = Reply {
            status: response.status(),
            headers: response.headers().clone(),
            body: response.text().await.expect("a body"),
        };
        reply.assert_listed();
        reply
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap<HeaderValue>,
    pub(crate) body: String,
}

impl Reply {
    /// No test may see a code with a status that `tests/error_codes.txt` does not list.
    #[track_caller]
    fn assert_listed(&self) {
        let Some(code) = self.header("x-sb-error-code") else {
            return;
        };
        // What a trigger of the project's raises has the status it asks for.
        let is_ours = self.body.contains(code);
        let rows = include_str!("../error_codes.txt").lines();
        let listed = rows.map(str::split_whitespace).any(|mut row| {
            let same = |it: &str| it.trim_end_matches('*') == self.status.as_str();
            row.next() == Some(code) && row.any(same)
        });
        assert!(listed || !is_ours, "{code} with {}", self.status);
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {}", self.body))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// The JSON body, provided the request succeeded.
    #[track_caller]
    pub(crate) fn ok(&self) -> Value {
        assert_eq!(self.status, StatusCode::OK, "{}", self.body);
        self.json()
    }

    /// Checks a refusal whose text is nobody's business.
    #[track_caller]
    pub(crate) fn refused_as(&self, status: u16, code: &str) {
        let text = self.json()["msg"].as_str().unwrap_or_default().to_owned();
        assert!(!text.is_empty());
        self.refused(status, code, &text);
    }

    /// Checks a refusal in the older format.
    #[track_caller]
    pub(crate) fn refused(&self, status: u16, code: &str, text: &str) {
        if status == 429 {
            let wait = self.header("retry-after").expect("Retry-After");
            assert!(wait.parse::<u32>().is_ok_and(|wait| wait > 0), "{wait}");
        }
        let expected = json!({ "code": status, "error_code": code, "msg": text });
        assert_eq!((self.status.as_u16(), self.json()), (status, expected));
        assert_eq!(self.header("x-sb-error-code"), Some(code));
    }
}

/// The tokens of a sign-in.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    pub(crate) access_token: String,
    pub(crate) refresh_token: String,
    pub(crate) user: Value,
}

impl Session {
    /// Reads a successful answer.
    #[track_caller]
    pub(crate) fn of(reply: &Reply) -> Self {
        let body = reply.ok();
        Self {
            access_token: body["access_token"]
                .as_str()
                .expect("access token")
                .to_owned(),
            refresh_token: body["refresh_token"]
                .as_str()
                .expect("refresh token")
                .to_owned(),
            user: body["user"].clone(),
        }
    }

    pub(crate) fn user_id(&self) -> uuid::Uuid {
        self.user["id"].as_str().unwrap().parse().unwrap()
    }

    /// What the access token says, unverified.
    pub(crate) fn claims(&self) -> Value {
        use base64::Engine as _;
        let payload = self.access_token.split('.').nth(1).unwrap();
        let bytes = base64::engine::general_purpose::URL_SAFE_NO_PAD
            .decode(payload)
            .unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }
}
