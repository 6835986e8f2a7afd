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
pub const PASSWORD: &str = "postgres";

/// The role that everything of the auth service belongs to.
const AUTH_ROLE: &str = "supabase_auth_admin";

/// The role that everything of the prompt platform belongs to.
const PROMPTS_ROLE: &str = "wildfire_owner";

static ROLES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../migrations/roles");
static AUTH: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../migrations/auth");
static AUTH_OWN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../migrations/auth_own");
static WILDFIRE_SCHEMAS: Dir<'_> =
    include_dir!("$CARGO_MANIFEST_DIR/../migrations/wildfire_schemas");
static WILDFIRE: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../migrations/wildfire");
static WILDFIRE_POLICIES: Dir<'_> =
    include_dir!("$CARGO_MANIFEST_DIR/../migrations/wildfire_policies");

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

/// Roles, which everything else needs.
const ROLE_FILES: Migrations = Migrations {
    scope: "roles",
    files: &ROLES,
    ledger: Ledger::Own("_wildfire"),
    lock: lock("roles"),
    owner: Owner::Administrator,
    each_start: None,
};

/// The parts of all services, in the order in which they are made. No service may be named here, so
/// they stand here once more; a test of `stack` compares.
pub fn parts() -> Vec<Migrations> {
    let part = |scope, files, ledger, owner| Migrations {
        scope,
        files,
        ledger,
        lock: lock(scope),
        owner,
        each_start: None,
    };
    let upstream = Ledger::Upstream(Table {
        name: "auth.schema_migrations",
        applied: "select version::text as version, null::text as checksum
          from auth.schema_migrations",
        record: None,
        checksum: |_, _| String::new(),
    });
    let auth = Owner::Role(AUTH_ROLE);
    let own = Ledger::Own;
    vec![
        part("auth", &AUTH, upstream, auth),
        part("auth_own", &AUTH_OWN, own("_wildfire_auth"), auth),
        part(
            "wildfire_schemas",
            &WILDFIRE_SCHEMAS,
            own("_wildfire"),
            Owner::Administrator,
        ),
        part(
            "wildfire",
            &WILDFIRE,
            own("wildfire_private"),
            Owner::Role(PROMPTS_ROLE),
        ),
        part(
            "wildfire_policies",
            &WILDFIRE_POLICIES,
            own("_wildfire"),
            Owner::Administrator,
        ),
    ]
}

/// What `wildfire migrate` does, in the same order and with the same roles.
async fn migrate(cluster: &Cluster) {
    let database = connect_to_migrate(&cluster.superuser_url(TEMPLATE));
    {
        let mut client = database.client().await.expect("connection to the template");
        ROLE_FILES.run(&mut client).await.expect("roles");
        let owner = format!("create role {PROMPTS_ROLE} login noinherit;");
        let passwords = ["authenticator", "postgres", AUTH_ROLE, PROMPTS_ROLE]
            .map(|role| format!("alter role {role} with password '{PASSWORD}';"));
        let batch = owner + &passwords.concat();
        client.batch(sql(batch)).await.expect("role passwords");
        let urls =
            [AUTH_ROLE, PROMPTS_ROLE].map(|role| (role, cluster.url(role, PASSWORD, TEMPLATE)));
        let urls = urls.into_iter().collect();
        let migrated = run_all(&parts(), &mut client, &urls).await;
        migrated.expect("migrations");
    }
    // A template may have no open connection while it is copied.
    database.close();
}

pub(crate) fn connect_to_migrate(url: &str) -> Database {
    let config = DatabaseConfig::new(Secret::from(url), "platform-test").for_migrations();
    Database::new(&config).expect("test database settings")
}

pub(crate) fn connect(url: &str) -> Database {
    let mut config = DatabaseConfig::new(Secret::from(url), "platform-test");
    config.max_connections = 4;
    config.statement_timeout = None;
    Database::new(&config).expect("test database settings")
}
