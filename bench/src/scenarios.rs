//! What is measured: each scenario prepares its requests, puts load on the server and measures
//! the matching limit.

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use futures_util::future::try_join_all;
use platform::clock::Clock;
use prompt_api::compile::{Options, Variables, compile};
use serde_json::{Value, json};

use crate::http::{Connection, Request};
use crate::load::{self, Measured};
use crate::report::Row;
use crate::server::Server;
use crate::{Failure, limits};

/// The scenarios, in the order they run.
pub(crate) const NAMES: [&str; 6] = ["fetch", "compile", "user", "refresh", "sign-in", "storm"];

/// Connections of the load, and of the limit it is held against.
const CONNECTIONS: usize = 16;

/// How long each scenario and each limit is measured.
const DURATION: Duration = Duration::from_secs(5);

const PASSWORD: &str = "correct horse battery staple";
const KEY: &str = "bench-prompt";

/// A signed-in user with a prompt.
pub(crate) struct Scenarios {
    email: String,
    user_id: String,
    token: String,
}

impl Scenarios {
    /// Creates the user and the prompt.
    pub(crate) async fn prepare(server: &Server) -> Result<Self, Failure> {
        let admin = server.text("SERVICE_ROLE_KEY")?.to_owned();
        let email = format!(
            "bench-{}@example.com",
            hex::encode(rand::random::<[u8; 6]>())
        );
        let mut connection = Connection::open(server.port).await?;
        let user = json!({ "email": email, "password": PASSWORD, "email_confirm": true });
        let create = Request::new("POST", "/auth/v1/admin/users", &admin, Some(&user));
        let user = connection.json(&create).await?;
        let user_id = user["id"].as_str().ok_or("no user id")?.to_owned();
        let session = connection.json(&sign_in(&email)).await?;
        let token = session["access_token"]
            .as_str()
            .ok_or("no token")?
            .to_owned();
        let prompt =
            json!({ "name": "Bench", "key": KEY, "template": template(), "tags": ["bench"] });
        connection
            .json(&Request::new(
                "POST",
                "/api/v1/prompts",
                &token,
                Some(&prompt),
            ))
            .await?;
        Ok(Self {
            email,
            user_id,
            token,
        })
    }

    /// Runs one scenario.
    pub(crate) async fn run(&self, name: &str, server: &Server) -> Result<Vec<Row>, Failure> {
        match name {
            "fetch" => self.fetch(server).await,
            "compile" => self.compile(server).await,
            "user" => self.user(server).await,
            "refresh" => self.refresh(server).await,
            "sign-in" => self.sign_in(server).await,
            _ => self.storm(server).await,
        }
    }

    /// After a kill: the prompt that was acknowledged is still there.
    pub(crate) async fn check_nothing_lost(&self, server: &Server) -> Result<(), Failure> {
        let mut connection = Connection::open(server.port).await?;
        let prompt = connection.json(&self.fetch_request()).await?;
        if prompt["current_version"]["template"] == template() {
            return Ok(());
        }
        Err("the prompt is gone after kill -9".into())
    }

    fn fetch_request(&self) -> Request {
        Request::new(
            "GET",
            &format!("/api/v1/prompts/by-key/{KEY}"),
            &self.token,
            None,
        )
    }

    async fn load(&self, server: &Server, request: Request) -> Result<Measured, Failure> {
        load::run(server.port, CONNECTIONS, DURATION, &[request]).await
    }

    async fn fetch(&self, server: &Server) -> Result<Vec<Row>, Failure> {
        let measured = self.load(server, self.fetch_request()).await?;
        let statement = fetch_statement()?;
        let claims = json!({ "sub": self.user_id, "role": "authenticated" }).to_string();
        let statements = [
            "begin".to_owned(),
            format!(
                "select set_config('role', 'authenticated', true), \
                 set_config('request.jwt.claims', '{claims}', true)"
            ),
            statement
                .replace("$1", &format!("'{KEY}'"))
                .replace("$2", &most_candidates()?),
            "commit".to_owned(),
        ];
        let limit = limits::pipelined(server.text("DB_URL")?, &statements, CONNECTIONS, DURATION)?;
        let limit = limit.map(|limit| (limit, "pgbench, same statements"));
        Ok(vec![Row::rate("prompt fetch by key", &measured, limit)])
    }

    async fn compile(&self, server: &Server) -> Result<Vec<Row>, Failure> {
        let variables: Value = variables();
        let body = json!({ "template": template(), "variables": variables });
        let request = Request::new("POST", "/api/v1/compile", &self.token, Some(&body));
        let measured = self.load(server, request).await?;
        let health = Request::new("GET", "/api/openapi.json", &self.token, None);
        let bare = self.load(server, health).await?;
        let engine = engine_time()?;
        Ok(vec![
            Row::rate(
                "compile 10 KB, 20 variables",
                &measured,
                Some((bare.per_second, "static answer")),
            ),
            Row::time("compile 10 KB in the engine", engine, "< 0.1 ms"),
        ])
    }

    async fn user(&self, server: &Server) -> Result<Vec<Row>, Failure> {
        let request = Request::new("GET", "/auth/v1/user", &self.token, None);
        let measured = self.load(server, request).await?;
        let select = format!(
            "select id, email from auth.users where id = '{}'",
            self.user_id
        );
        let limit = limits::pipelined(server.text("DB_URL")?, &[select], CONNECTIONS, DURATION)?;
        let limit = limit.map(|limit| (limit, "pgbench, one row by id"));
        Ok(vec![Row::rate("GET /user", &measured, limit)])
    }

    async fn refresh(&self, server: &Server) -> Result<Vec<Row>, Failure> {
        let sessions = (0..CONNECTIONS).map(async |_| -> Result<_, Failure> {
            let mut connection = Connection::open(server.port).await?;
            let session = connection.json(&sign_in(&self.email)).await?;
            Ok((connection, session))
        });
        let sessions = try_join_all(sessions).await?;
        let started = Instant::now();
        let chains = sessions
            .into_iter()
            .map(|(connection, session)| refresh_chain(connection, session, started));
        let taken = try_join_all(chains).await?.concat();
        let measured = load::summarise(taken, started.elapsed())?;
        let durable = "insert into auth.audit_log_entries (id, ip_address) \
                       values (gen_random_uuid(), '')"
            .to_owned();
        let limit = limits::pipelined(server.text("DB_URL")?, &[durable], CONNECTIONS, DURATION)?;
        let limit = limit.map(|limit| (limit, "pgbench, one durable insert"));
        Ok(vec![Row::rate("refresh", &measured, limit)])
    }

    async fn sign_in(&self, server: &Server) -> Result<Vec<Row>, Failure> {
        let limit = limits::hashes_per_second()?;
        let measured = self.load(server, sign_in(&self.email)).await?;
        Ok(vec![Row::rate(
            "sign-in by password",
            &measured,
            Some((limit, "bcrypt alone")),
        )])
    }

    /// Sixty-four people signing in at once must not starve everybody else.
    async fn storm(&self, server: &Server) -> Result<Vec<Row>, Failure> {
        let user = [Request::new("GET", "/auth/v1/user", &self.token, None)];
        let quiet = load::run(server.port, 1, DURATION, &user).await?;
        let sign_in = sign_in(&self.email);
        let storm = load::press(server.port, 64, DURATION, &sign_in);
        let ((), during) =
            futures_util::try_join!(storm, load::run(server.port, 1, DURATION, &user))?;
        let ratio = during.p99.as_secs_f64() / quiet.p50.as_secs_f64();
        Ok(vec![
            Row::rate("GET /user, one connection, quiet", &quiet, None),
            Row::rate("GET /user during 64 sign-ins", &during, None),
            Row::times("p99 during the storm / quiet p50", ratio, "< 20 x"),
        ])
    }
}

/// Refreshes a session again and again, each time with the token the last answer gave.
async fn refresh_chain(
    mut connection: Connection,
    mut session: Value,
    started: Instant,
) -> Result<Vec<Duration>, Failure> {
    let mut taken = Vec::new();
    while started.elapsed() < DURATION {
        let body = json!({ "refresh_token": session["refresh_token"] });
        let path = "/auth/v1/token?grant_type=refresh_token";
        let request = Request::new("POST", path, "", Some(&body));
        let sent = Instant::now();
        session = connection.json(&request).await?;
        taken.push(sent.elapsed());
    }
    Ok(taken)
}

fn sign_in(email: &str) -> Request {
    let body = json!({ "email": email, "password": PASSWORD });
    Request::new(
        "POST",
        "/auth/v1/token?grant_type=password",
        "",
        Some(&body),
    )
}

/// 10 KB of text in which each of twenty variables stands once.
fn template() -> String {
    let paragraph = "You answer in {tone} for {audience}; keep to the point and cite sources. ";
    let facts: Vec<_> = (0..18)
        .map(|index| format!("Fact {index}: {{value_{index}}}\n"))
        .collect();
    let mut text = facts.concat();
    text.push_str(paragraph);
    while text.len() < 10 * 1024 {
        text.push_str("Literal text without any variable keeps the engine honest. ");
    }
    text.truncate(10 * 1024);
    text
}

fn variables() -> Value {
    let mut map: serde_json::Map<String, Value> = (0..18)
        .map(|index| (format!("value_{index}"), json!(format!("text {index}"))))
        .collect();
    map.insert("tone".to_owned(), json!("a friendly voice"));
    map.insert("audience".to_owned(), json!("beginners"));
    Value::Object(map)
}

/// Time of one compilation without HTTP, averaged over many.
fn engine_time() -> Result<Duration, Failure> {
    const ROUNDS: u32 = 2_000;
    let template = template();
    let variables: Variables = serde_json::from_value(variables())?;
    let options = Options {
        now: Clock::system().now(),
        timezone: None,
        strict: false,
    };
    let started = Instant::now();
    for _ in 0..ROUNDS {
        black_box(compile(&template, &variables, &options)?);
    }
    Ok(started.elapsed() / ROUNDS)
}

/// The statement behind a prompt fetch, read from where the service has it, so that the limit is
/// measured with the same text.
fn fetch_statement() -> Result<String, Failure> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../prompt-api/src/db");
    let macros = std::fs::read_to_string(folder.join("mod.rs"))?;
    let columns = between(&macros, "macro_rules! prompt_columns", "};")?;
    let columns = literals(columns).concat();
    let source = std::fs::read_to_string(folder.join("prompts.rs"))?;
    let constant = between(&source, "const BY_KEY: &str = concat!(", "\n);")?;
    Ok(literals(&constant.replace("prompt_columns!()", &format!("\"{columns}\""))).concat())
}

/// The limit that the service gives that statement.
fn most_candidates() -> Result<String, Failure> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../prompt-api/src/db/prompts.rs");
    let source = std::fs::read_to_string(source)?;
    Ok(between(&source, "const CANDIDATES: i64 = ", ";")?.to_owned())
}

fn between<'t>(text: &'t str, begin: &str, end: &str) -> Result<&'t str, Failure> {
    let found = text
        .split_once(begin)
        .and_then(|(_, rest)| rest.split_once(end));
    found
        .map(|(inner, _)| inner)
        .ok_or_else(|| format!("{begin} was not found").into())
}

/// The string literals in a piece of source (which holds no escaped quotes).
fn literals(source: &str) -> Vec<&str> {
    source.split('"').skip(1).step_by(2).collect()
}
