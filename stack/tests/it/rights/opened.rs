//! Databases as `stack::postgres` opens them, of each kind that there is.

use platform::clock::Clock;
use platform::cluster::{Binaries, Cluster, FindOptions, SUPERUSER};
use platform::env::Vars;
use platform::pg::Client;
use platform::service::Definition;
use platform_test::sql;
use stack::SERVICES;
use stack::config_toml;
use stack::postgres::{OpenOptions, Postgres, connect};
use stack::secrets::{Secrets, Sources};
use stack::serve::Mode;
use tempfile::TempDir;

/// The password of every role, where somebody says one.
const PASSWORD: &str = "a-password-of-its-own";

/// A database that is open and migrated.
pub(super) struct Opened {
    /// A superuser's connection.
    pub(super) admin: Client,
    /// Who is a superuser here, or has what a superuser has elsewhere.
    pub(super) administrators: &'static [&'static str],
    _postgres: Postgres,
    _server: Option<Cluster>,
    _folder: TempDir,
}

/// What `wildfire start` makes in its own data folder.
pub(super) async fn embedded() -> Opened {
    let folder = tempfile::tempdir().unwrap();
    let (postgres, secrets) = open(&folder, None, &SERVICES).await;
    let (port, password) = (postgres.port().unwrap(), secrets.database_password.expose());
    let admin = format!("postgres://{SUPERUSER}:{password}@127.0.0.1:{port}/postgres");
    Opened {
        admin: client(&admin).await,
        administrators: &[SUPERUSER],
        _postgres: postgres,
        _server: None,
        _folder: folder,
    }
}

/// What `docker-compose.yml` has beside it: a server whose superuser is `postgres`.
pub(super) async fn compose() -> Opened {
    let server = server().await;
    let renamed = format!("alter role {SUPERUSER} rename to postgres");
    // Nobody may rename himself.
    let another = "create role another login superuser password 'another'";
    run(&server.superuser_url("postgres"), another).await;
    run(&server.url("another", "another", "postgres"), &renamed).await;
    let url = server.url("postgres", PASSWORD, "postgres");
    run(&url, "drop role another").await;
    brought(server, &url, &url, &["postgres", SUPERUSER]).await
}

/// What hosting companies hand out: a database whose owner may make roles and is no superuser, on a
/// server whose superuser has a name of its own.
pub(super) async fn managed() -> Opened {
    let server = server().await;
    let landlord = format!("create role landlord login superuser password '{PASSWORD}'");
    run(&server.superuser_url("postgres"), &landlord).await;
    let landlord = |database| server.url("landlord", PASSWORD, database);
    let renamed = format!("alter role {SUPERUSER} rename to another");
    run(&landlord("postgres"), &renamed).await;
    let tenant = format!("create role tenant login createrole password '{PASSWORD}'");
    run(&landlord("postgres"), &tenant).await;
    run(
        &landlord("postgres"),
        "create database managed owner tenant",
    )
    .await;
    let url = server.url("tenant", PASSWORD, "managed");
    let admin = landlord("managed");
    brought(server, &url, &admin, &["tenant", SUPERUSER]).await
}

async fn server() -> Cluster {
    let binaries = Binaries::find(&FindOptions::detect()).unwrap();
    let server = Cluster::temporary(binaries).superuser_password(PASSWORD.into());
    server.start().await.unwrap()
}

async fn brought(
    server: Cluster,
    url: &str,
    admin: &str,
    administrators: &'static [&'static str],
) -> Opened {
    let folder = tempfile::tempdir().unwrap();
    let (postgres, _) = open(&folder, Some(url), &SERVICES).await;
    Opened {
        admin: client(admin).await,
        administrators,
        _postgres: postgres,
        _server: Some(server),
        _folder: folder,
    }
}

/// Opens a database as `wildfire` does for an installation without a project.
pub(crate) async fn open(
    folder: &TempDir,
    url: Option<&str>,
    services: &[&'static Definition],
) -> (Postgres, Secrets) {
    let (vars, clock) = (Vars::default(), Clock::system());
    let project = config_toml::load(&folder.path().join("supabase"), &vars).unwrap();
    let sources = Sources {
        mode: Mode::Development,
        data_dir: folder.path(),
        project: &project.keys,
        vars: &vars,
        clock: &clock,
    };
    let secrets = sources.load().unwrap();
    let options = OpenOptions {
        data_dir: folder.path(),
        workdir: folder.path(),
        project: &project,
        secrets: &secrets,
        vars: &vars,
        port: 0,
        running: None,
        url,
        services,
    };
    (Postgres::open(&options).await.unwrap(), secrets)
}

async fn client(url: &str) -> Client {
    connect(url).unwrap().client().await.unwrap()
}

async fn run(url: &str, statement: &str) {
    client(url).await.batch(sql(statement)).await.unwrap();
}
