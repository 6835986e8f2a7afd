//! The whole application over HTTP: gateway, auth, prompt API, mailbox and web app in one process.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use platform::api_keys::{ApiKeys, DEMO_JWT_SECRET};
use platform::env::Vars;
use platform::pg::Offer;
use platform::pg::migrate::run_all;
use platform::service::Definition;
use platform_test::TestDatabase;
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode, redirect};
use serde_json::{Value, json};
use stack::config_toml;
use stack::postgres::create_logins;
use stack::serve::{self, Listeners, Mode, Ports, ProjectKeys, Running, ServeContext};
use tempfile::TempDir;

/// A stack on free ports with a database of its own.
pub(crate) struct Stack {
    pub(crate) running: Running,
    pub(crate) keys: ApiKeys,
    client: Client,
    _database: TestDatabase,
    _folder: TempDir,
}

impl Stack {
    pub(crate) async fn start(vars: &[(&str, &str)]) -> Self {
        Self::start_with(&[], vars).await
    }

    /// A stack with these services besides.
    pub(crate) async fn start_with(
        services: &[&'static Definition],
        vars: &[(&str, &str)],
    ) -> Self {
        let database = TestDatabase::create().await;
        let folder = tempfile::tempdir().unwrap();
        let context = context(&folder, services, vars);
        let roles = context.services.iter().flat_map(|it| it.logins());
        let roles: BTreeSet<_> = roles.collect();
        let urls = roles.iter().map(|role| (*role, database.url(role)));
        let urls = urls.collect();
        let mut admin = database.superuser().await;
        let password = platform_test::PASSWORD;
        create_logins(&admin, &roles, password).await.unwrap();
        let parts = services.iter().flat_map(|service| service.migrations);
        run_all(parts, &mut admin, &urls).await.unwrap();
        let client = Client::builder()
            .redirect(redirect::Policy::none())
            .build()
            .unwrap();
        let offer = Offer::of(&admin).await.unwrap();
        let prepared = serve::prepare(context).unwrap();
        let running = prepared.run(&urls, &offer).unwrap();
        Self {
            running,
            keys: ApiKeys::demo().unwrap(),
            client,
            _database: database,
            _folder: folder,
        }
    }

    /// Why a stack with these services besides does not start.
    pub(crate) fn refusal(services: &[&'static Definition], vars: &[(&str, &str)]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let refused = serve::prepare(context(&folder, services, vars)).err();
        refused.unwrap().to_string()
    }

    pub(crate) fn publishable_key(&self) -> &str {
        &self.keys.publishable
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let app = self.running.addresses.app.unwrap();
        self.client.request(method, format!("http://{app}{path}"))
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        self.request(Method::GET, path).send().await.unwrap()
    }

    /// The access token of somebody new.
    pub(crate) async fn sign_in(&self) -> String {
        let account = json!({
            "email": "grace@example.com", "password": "correct horse", "email_confirm": true
        });
        let admin = self.request(Method::POST, "/auth/v1/admin/users");
        let admin = admin.bearer_auth(self.keys.service_role.expose());
        let admin = admin.header("apikey", self.keys.service_role.expose());
        let created = admin.json(&account).send().await.unwrap();
        assert_eq!(created.status(), StatusCode::OK);
        self.sign_in_again().await
    }

    /// Another session of the same account.
    pub(crate) async fn sign_in_again(&self) -> String {
        let account = json!({ "email": "grace@example.com", "password": "correct horse" });
        let token = self.request(Method::POST, "/auth/v1/token?grant_type=password");
        let token = token.header("apikey", self.publishable_key());
        let session = token.json(&account).send().await.unwrap();
        let session: Value = session.json().await.unwrap();
        session["access_token"].as_str().unwrap().to_owned()
    }

    async fn mail(&self, path: &str) -> Value {
        let mailbox = self.running.addresses.mail.unwrap();
        let answer = self
            .client
            .get(format!("http://{mailbox}{path}"))
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        answer.json().await.unwrap()
    }
}

/// What `wildfire start` would serve in development, on free ports, and these services besides.
fn context(
    folder: &TempDir,
    services: &[&'static Definition],
    vars: &[(&str, &str)],
) -> ServeContext {
    let ports = Ports {
        api: 0,
        app: Some(0),
        mail: Some(0),
    };
    // An app of its own, since the real one may not have been built.
    let app = folder.path().join("app");
    std::fs::create_dir(&app).unwrap();
    std::fs::write(app.join("index.html"), "<!doctype html><title>App</title>").unwrap();
    let mut vars: Vars = vars.iter().copied().collect();
    let with_prompts = vars.get("WILDFIRE_PROMPTS") != Some("false");
    vars.set_default("WILDFIRE_WEB_DIR", app.to_string_lossy());
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let project = config_toml::load(&root.join("supabase"), &Vars::default()).unwrap();
    ServeContext {
        mode: Mode::Development,
        services: [&stack::services(with_prompts), services].concat(),
        workdir: root,
        data_dir: folder.path().to_owned(),
        project: project.into(),
        keys: project_keys(&ApiKeys::demo().unwrap()),
        listeners: Listeners::bind(IpAddr::V4(Ipv4Addr::LOCALHOST), &ports).unwrap(),
        public_url: None,
        vars,
    }
}

fn project_keys(keys: &ApiKeys) -> ProjectKeys {
    // The CLI's development key.
    let jwk = json!([{
        "kty": "EC", "kid": "b81269f1-21d8-4f2e-b719-c2240a840d90", "use": "sig", "alg": "ES256",
        "key_ops": ["sign", "verify"], "ext": true, "crv": "P-256",
        "x": "M5Sjqn5zwC9Kl1zVfUUGvv9boQjCGd45G8sdopBExB4",
        "y": "P6IXMvA2WYXSHSOMTBH2jsw_9rrzGy89FjPf6oOsIxQ",
        "d": "dIhR8wywJlqlua4y_yMq2SLhlFXDZJBCvFrY1DCHyVU",
    }]);
    ProjectKeys {
        anon: keys.anon.clone(),
        service_role: keys.service_role.expose().clone(),
        publishable: keys.publishable.clone(),
        secret: keys.secret.expose().clone(),
        jwt_secret: DEMO_JWT_SECRET.to_owned(),
        jwt_keys: jwk.to_string(),
        anon_asymmetric: None,
        service_role_asymmetric: None,
    }
}

async fn body(answer: Response) -> (u16, Value) {
    let status = answer.status().as_u16();
    let text = answer.text().await.unwrap();
    (
        status,
        serde_json::from_str(&text).unwrap_or(Value::String(text)),
    )
}

/// The code and the link of the newest mail to somebody.
async fn letter(stack: &Stack, to: &str) -> (String, String) {
    let found = stack.mail(&format!("/api/v1/search?query=to:{to}")).await;
    let id = found["messages"][0]["ID"]
        .as_str()
        .unwrap_or_else(|| panic!("no mail to {to}"));
    let letter = stack.mail(&format!("/api/v1/message/{id}")).await;
    let html = letter["HTML"].as_str().unwrap();
    let link = html
        .split("href=\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    let digits = |word: &&str| word.len() == 6 && word.bytes().all(|byte| byte.is_ascii_digit());
    let text = letter["Text"].as_str().unwrap();
    let code = text
        .split(|c: char| !c.is_alphanumeric())
        .find(digits)
        .unwrap();
    (code.to_owned(), link.replace("&amp;", "&"))
}

#[actix_web::test]
async fn a_link_from_the_mailbox_signs_in_and_the_token_makes_a_prompt() {
    let stack = Stack::start(&[]).await;
    let otp = json!({ "email": "ada@example.com", "create_user": true });
    let sent = stack
        .request(Method::POST, "/auth/v1/otp")
        .json(&otp)
        .send()
        .await
        .unwrap();
    assert_eq!(body(sent).await, (200, json!({})));
    let (code, link) = letter(&stack, "ada@example.com").await;
    let followed = stack.client.get(&link).send().await.unwrap();
    assert_eq!(followed.status(), StatusCode::SEE_OTHER, "{link}");
    let target = followed.headers()["location"].to_str().unwrap();
    assert!(target.starts_with("http://127.0.0.1:8080"), "{target}");
    let token = target
        .split("access_token=")
        .nth(1)
        .unwrap()
        .split('&')
        .next()
        .unwrap();
    let create = stack
        .request(Method::POST, "/api/v1/prompts")
        .bearer_auth(token)
        .json(&json!({ "name": "Greeting", "key": "greeting", "template": "Hello {name}" }))
        .send()
        .await
        .unwrap();
    let (status, prompt) = body(create).await;
    assert_eq!(
        (status, &prompt["current_version"]["version"]),
        (201, &json!(1)),
        "{prompt}"
    );
    // The link used the code up.
    let verify = json!({ "type": "email", "email": "ada@example.com", "token": code });
    let again = stack
        .request(Method::POST, "/auth/v1/verify")
        .json(&verify)
        .send()
        .await
        .unwrap();
    assert_eq!(again.status(), StatusCode::FORBIDDEN);
    stack.running.stop().await;
}

#[actix_web::test]
async fn local_keys_are_no_user_and_the_secret_key_is_an_admin() {
    let stack = Stack::start(&[]).await;
    let user = |key: &str| {
        stack
            .request(Method::GET, "/auth/v1/user")
            .header("apikey", key)
    };
    let bare = body(stack.get("/auth/v1/user").await).await;
    let legacy = body(user(&stack.keys.anon).send().await.unwrap()).await;
    for (status, answer) in [bare, legacy] {
        assert_eq!(status, 401, "{answer}");
        assert_eq!(answer["msg"], "This endpoint requires a valid Bearer token");
    }
    let publishable = body(user(&stack.keys.publishable).send().await.unwrap()).await;
    assert_eq!(publishable.0, 403, "{}", publishable.1);
    let admin = |key: &str| {
        let request = stack
            .request(Method::GET, "/auth/v1/admin/users")
            .header("apikey", key);
        // As older clients do.
        request.bearer_auth(key).send()
    };
    assert_eq!(
        admin(stack.keys.secret.expose()).await.unwrap().status(),
        200
    );
    assert_eq!(admin(&stack.keys.publishable).await.unwrap().status(), 403);
    stack.running.stop().await;
}

#[actix_web::test]
async fn self_hosted_asks_for_a_key_except_on_open_routes() {
    let stack = Stack::start(&[("WILDFIRE_GATEWAY", "self-hosted")]).await;
    let refused = stack.get("/auth/v1/settings").await;
    assert_eq!(refused.headers()["access-control-allow-origin"], "*");
    assert_eq!(body(refused).await, (401, json!("Unauthorized")));
    let settings = stack.request(Method::GET, "/auth/v1/settings");
    let settings = settings
        .header("apikey", &stack.keys.publishable)
        .send()
        .await
        .unwrap();
    assert_eq!(settings.status(), 200);
    let (status, keys) = body(stack.get("/auth/v1/.well-known/jwks.json").await).await;
    assert_eq!((status, &keys["keys"][0]["alg"]), (200, &json!("ES256")));
    let preflight = stack
        .request(Method::OPTIONS, "/auth/v1/token")
        .header("origin", "https://app.example")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "apikey,content-type");
    let preflight = preflight.send().await.unwrap();
    assert_eq!(preflight.status(), 200);
    assert_eq!(
        preflight.headers()["access-control-allow-headers"],
        "apikey,content-type"
    );
    assert_eq!(stack.get("/health").await.status(), 200);
    stack.running.stop().await;
}

#[actix_web::test]
async fn every_service_answers_at_its_place() {
    let stack = Stack::start(&[]).await;
    let cases = [
        ("/health", 200),
        ("/auth/v1/health", 200),
        ("/metrics", 401),
        ("/docs", 200),
        ("/api/openapi.json", 200),
        ("/api/v1/nothing", 404),
        ("/api/v1/prompts", 200),
        ("/debug/auth-test", 404),
        ("/debug", 404),
        ("/health/nothing", 404),
        ("/metrics/nothing", 404),
        ("/auth/v1/nothing", 404),
        ("/rest/v1/prompts", 501),
        ("/assets/nothing.js", 404),
    ];
    for (path, expected) in cases {
        assert_eq!(stack.get(path).await.status(), expected, "{path}");
    }
    stack.running.stop().await;
}
