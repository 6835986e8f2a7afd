//! One throw-away Postgres per test process, with a migrated template database.

use std::sync::OnceLock;
use std::sync::mpsc;
use std::thread;

use include_dir::{Dir, include_dir};
use platform::cluster::{Binaries, Cluster, FindOptions};
use platform::env::Secret;
use platform::pg::migrate::{Ledger, Migrations};
use platform::pg::{Database, DatabaseConfig};
use tokio::runtime::{Builder, Handle};

/// The database that every test's database is copied from.
pub(crate) const TEMPLATE: &str = "wildfire_template";

/// Password of every login role in the test server.
pub(crate) const PASSWORD: &str = "postgres";

static ROLES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../migrations/roles");
static AUTH: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../migrations/auth");
static AUTH_OWN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../migrations/auth_own");
static WILDFIRE: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../migrations/wildfire");

static SERVER: OnceLock<Server> = OnceLock::new();

pub(crate) struct Server {
    pub(crate) port: u16,
    /// Runs the server's own work, such as dropping databases, after a test's runtime is gone.
    pub(crate) background: Handle,
}

/// The test server, started by the first caller.
pub(crate) fn server() -> &'static Server {
    SERVER.get_or_init(|| {
        let (sender, receiver) = mpsc::channel();
        // The server stops when the thread that started it does, so this one never returns.
        thread::spawn(move || {
            let runtime = Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("tokio runtime");
            runtime.block_on(async {
                let cluster = start().await;
                let server = Server {
                    port: cluster.port(),
                    background: Handle::current(),
                };
                sender
                    .send(server)
                    .expect("the first test waits for the server");
                cluster.exited().await;
            });
        });
        receiver
            .recv()
            .expect("test Postgres did not start; see the message above")
    })
}

async fn start() -> Cluster {
    let binaries = Binaries::find(&FindOptions::detect()).expect("Postgres binaries");
    let cluster = Cluster::temporary(binaries)
        .superuser_password(Secret::from(PASSWORD))
        .setting("max_connections", "400")
        .start()
        .await
        .expect("test Postgres");
    let admin = connect(&cluster.superuser_url("postgres"));
    let client = admin.client().await.expect("connection to the test server");
    client
        .batch(&format!("create database {TEMPLATE}"))
        .await
        .expect("template database");
    migrate(&cluster.superuser_url(TEMPLATE)).await;
    cluster
}

/// What `wildfire migrate` does, in the same order and with the same role.
async fn migrate(url: &str) {
    let database = connect(url);
    {
        let mut client = database.client().await.expect("connection to the template");
        for migrations in [
            Migrations::embedded("roles", Ledger::Own, &ROLES),
            Migrations::embedded("auth", Ledger::Upstream("auth.schema_migrations"), &AUTH),
            Migrations::embedded("auth_own", Ledger::Own, &AUTH_OWN),
            Migrations::embedded("wildfire", Ledger::Own, &WILDFIRE),
        ] {
            migrations.run(&mut client).await.expect("migrations");
        }
        let passwords = ["authenticator", "postgres", "supabase_auth_admin"]
            .map(|role| format!("alter role {role} with password '{PASSWORD}';"));
        client
            .batch(&passwords.concat())
            .await
            .expect("role passwords");
    }
    // A template may have no open connection while it is copied.
    database.close();
}

pub(crate) fn connect(url: &str) -> Database {
    let mut config = DatabaseConfig::new(Secret::from(url), "platform-test");
    config.max_connections = 4;
    config.statement_timeout = None;
    Database::new(&config).expect("test database settings")
}
