//! The whole stack, as `wildfire start` runs it in development.

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
    pub(crate) client: Client,
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
        let mut admin = database.administrator().await;
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

    pub(crate) async fn mail(&self, path: &str) -> Value {
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
