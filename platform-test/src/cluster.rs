//! One throw-away Postgres per test process, with a migrated template database.

use std::sync::OnceLock;
use std::sync::mpsc;
use std::thread;

use include_dir::{Dir, include_dir};
use platform::cluster::{Binaries, Cluster, FindOptions};
use platform::env::Secret;
use platform::pg::migrate::{Ledger, Migrations, Owner, Table, lock, run_all};
use platform::pg::{Database, DatabaseConfig};
use tokio::runtime::{Builder, Handle};

use crate::sql;

/// The database that every test's database is copied from.
pub(crate) const TEMPLATE: &str = "wildfire_template";

/// Password of every login role in the test server.
pub(crate) const PASSWORD: &str = "postgres";

/// The role that everything of the auth service belongs to.
const AUTH_ROLE: &str = "supabase_auth_admin";

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
        .batch(sql(format!("create database {TEMPLATE}")))
        .await
        .expect("template database");
    migrate(&cluster).await;
    cluster
}

/// What `wildfire migrate` does, in the same order and with the same roles.
async fn migrate(cluster: &Cluster) {
    let administrator = |scope, files| Migrations {
        scope,
        files,
        ledger: Ledger::Own("_wildfire"),
        lock: lock(scope),
        owner: Owner::Administrator,
    };
    let auth = |scope, files, ledger| Migrations {
        scope,
        files,
        ledger,
        lock: lock(scope),
        owner: Owner::Role(AUTH_ROLE),
    };
    let upstream = Ledger::Upstream(Table {
        name: "auth.schema_migrations",
        applied: "select version::text as version, null::text as checksum
          from auth.schema_migrations",
        record: None,
        checksum: |_, _| String::new(),
    });
    let database = connect(&cluster.superuser_url(TEMPLATE));
    {
        let mut client = database.client().await.expect("connection to the template");
        let roles = administrator("roles", &ROLES);
        roles.run(&mut client).await.expect("roles");
        let passwords = ["authenticator", "postgres", AUTH_ROLE]
            .map(|role| format!("alter role {role} with password '{PASSWORD}';"));
        client
            .batch(sql(passwords.concat()))
            .await
            .expect("role passwords");
        let parts = [
            auth("auth", &AUTH, upstream),
            auth("auth_own", &AUTH_OWN, Ledger::Own("_wildfire_auth")),
            administrator("wildfire", &WILDFIRE),
        ];
        let auth_url = cluster.url(AUTH_ROLE, PASSWORD, TEMPLATE);
        let urls = [(AUTH_ROLE, auth_url)].into_iter().collect();
        let migrated = run_all(&parts, &mut client, &urls).await;
        migrated.expect("migrations");
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
