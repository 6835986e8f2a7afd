//! A running API with users in it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use actix_http::Request;
use actix_web::body::{BoxBody, to_bytes};
use actix_web::dev::{Service, ServiceResponse};
use actix_web::http::{Method, StatusCode};
use actix_web::test::{TestRequest, init_service};
use actix_web::{App, Error, web};
use platform::clock::Clock;
use platform::env::{Reader, Vars};
use platform::http::forwarded::TrustedProxies;
use platform::http::mount::Mount;
use platform::jwt::Verifier;
use platform::mail::NoMailer;
use platform::pg::{Client, Database, Executor, Session, column};
use platform::service::House;
use platform_test::{TestDatabase, sql, tokens};
use prompt_api::{Config, State};
use serde_json::{Value, json};
use uuid::Uuid;

/// What time it is in tests that compile.
pub(crate) const NOW: &str = "2026-11-20T08:30:00Z";

type Answer = Pin<Box<dyn Future<Output = Result<ServiceResponse<BoxBody>, Error>>>>;

pub(crate) struct Api {
    pub(crate) database: TestDatabase,
    pub(crate) state: web::Data<State>,
    pool: Database,
    call: Box<dyn Fn(Request) -> Answer>,
}

/// A user with an organization of their own.
#[derive(Clone)]
pub(crate) struct User {
    pub(crate) id: Uuid,
    pub(crate) token: String,
    pub(crate) slug: String,
}

/// An answer read to its end.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: StatusCode,
    headers: actix_web::http::header::HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// One request in the making.
pub(crate) struct Call<'a> {
    api: &'a Api,
    request: TestRequest,
}

impl Api {
    pub(crate) async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    pub(crate) async fn start_with(adjust: impl FnOnce(&mut Config)) -> Self {
        Self::start_at(|database| database.url("authenticator"), adjust).await
    }

    /// The API with its database somewhere else.
    pub(crate) async fn start_at(
        url: impl FnOnce(&TestDatabase) -> String,
        adjust: impl FnOnce(&mut Config),
    ) -> Self {
        let database = TestDatabase::create().await;
        let vars = Vars::from([("PROMPT_API_MAX_CONNECTIONS", "8")]);
        let env = Reader::new(&vars);
        let mut config = Config::from_env(&env);
        env.finish().unwrap();
        adjust(&mut config);
        let clock = Clock::system();
        let verifier = Verifier::new(tokens::keyring(), clock.clone());
        let urls = [("authenticator", url(&database))].into_iter().collect();
        let house = House::new(urls, verifier, clock, Arc::new(NoMailer)).unwrap();
        let state = web::Data::new(State::new(&config, &house).unwrap());
        let shared = state.clone();
        let app = App::new()
            .app_data(TrustedProxies(1))
            .configure(move |config| {
                Mount::below("", config, |mount| prompt_api::mount(mount, &shared));
            });
        let service = init_service(app).await;
        let call = Box::new(move |request| -> Answer { Box::pin(service.call(request)) });
        let pool = database.pool("authenticator");
        Self {
            database,
            state,
            pool,
            call,
        }
    }

    /// Signs a user up as the auth service does.
    pub(crate) async fn user(&self, email: &str) -> User {
        let id = Uuid::new_v4();
        let client = self.database.superuser().await;
        let insert = "insert into auth.users (id, email, aud, role, created_at)
            values ($1, $2, 'authenticated', 'authenticated', now())";
        client.execute(insert, &[&id, &email]).await.unwrap();
        let slug = self.slug_of(&client, id).await;
        User {
            id,
            token: tokens::access_token(&id.to_string()),
            slug,
        }
    }

    async fn slug_of(&self, client: &Client, user: Uuid) -> String {
        let select = "select o.slug from wildfire.organizations o
            join wildfire.organization_members m on m.organization_id = o.id where m.user_id = $1";
        column(&client.query_one(select, &[&user]).await.unwrap(), "slug").unwrap()
    }

    /// Adds a user to another one's organization.
    pub(crate) async fn join(&self, owner: &User, member: &User, role: &str) {
        let insert = "insert into wildfire.organization_members (organization_id, user_id, role)
            select id, $2, $3 from wildfire.organizations where slug = $1";
        let client = self.database.superuser().await;
        client
            .execute(insert, &[&owner.slug, &member.id, &role])
            .await
            .unwrap();
    }

    /// Runs SQL that needs no parameters with all rights.
    pub(crate) async fn sql(&self, text: &str) {
        self.database
            .superuser()
            .await
            .batch(sql(text))
            .await
            .unwrap();
    }

    /// The first column of the first row, with all rights.
    pub(crate) async fn number(&self, sql: &str) -> i64 {
        let client = self.database.superuser().await;
        let row = client.query_one(self::sql(sql), &[]).await.unwrap();
        row.get(0)
    }

    /// Statements as the data API would run them for a user.
    pub(crate) fn session<'a>(&'a self, claims: &'a str) -> Session<'a> {
        self.pool.session("authenticated", claims)
    }

    pub(crate) fn anonymous_session(&self) -> Session<'_> {
        self.pool.session("anon", r#"{"role":"anon"}"#)
    }

    pub(crate) fn call(&self, method: Method, path: &str) -> Call<'_> {
        Call {
            api: self,
            request: TestRequest::with_uri(path).method(method),
        }
    }

    pub(crate) fn get(&self, path: &str) -> Call<'_> {
        self.call(Method::GET, path)
    }

    pub(crate) fn post(&self, path: &str) -> Call<'_> {
        self.call(Method::POST, path)
    }

    pub(crate) fn patch(&self, path: &str) -> Call<'_> {
        self.call(Method::PATCH, path)
    }

    pub(crate) fn delete(&self, path: &str) -> Call<'_> {
        self.call(Method::DELETE, path)
    }

    /// Makes a prompt that must be accepted.
    pub(crate) async fn prompt(&self, user: &User, key: &str, template: &str) -> Value {
        let body = json!({ "name": format!("Name of {key}"), "key": key, "template": template });
        self.post("/api/v1/prompts")
            .by(user)
            .json(&body)
            .expect(201)
            .await
    }
}

impl User {
    /// The claims of their token.
    pub(crate) fn claims(&self) -> String {
        json!({ "sub": self.id, "role": "authenticated" }).to_string()
    }
}

impl Call<'_> {
    pub(crate) fn by(self, user: &User) -> Self {
        self.bearer(&user.token)
    }

    pub(crate) fn bearer(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.request = self.request.insert_header((name, value));
        self
    }

    /// Sends from this address.
    pub(crate) fn from(mut self, peer: &str) -> Self {
        self.request = self.request.peer_addr(peer.parse().unwrap());
        self
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        self.body(body.to_string().into_bytes())
    }

    pub(crate) fn body(mut self, body: Vec<u8>) -> Self {
        self.request = self.request.set_payload(body);
        self
    }

    pub(crate) async fn send(self) -> Response {
        let outcome = (self.api.call)(self.request.to_request()).await;
        let response = match outcome {
            Ok(response) => response.map_into_boxed_body().into_parts().1,
            Err(error) => error.error_response(),
        };
        let (status, headers) = (response.status(), response.headers().clone());
        let body = to_bytes(response.into_body()).await.unwrap().to_vec();
        Response {
            status,
            headers,
            body,
        }
    }

    /// Sends, insists on the status and gives the JSON.
    pub(crate) async fn expect(self, status: u16) -> Value {
        let response = self.send().await;
        assert_eq!(response.status.as_u16(), status, "{}", response.text());
        response.json()
    }

    /// Sends, insists on the status and gives the error's code.
    pub(crate) async fn refused(self, status: u16) -> String {
        let body = self.expect(status).await;
        assert!(
            body["error"]["message"]
                .as_str()
                .is_some_and(|text| !text.is_empty()),
            "{body}"
        );
        body["error"]["code"].as_str().unwrap().to_owned()
    }
}

impl Response {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        if self.body.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(&self.body).unwrap()
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}
