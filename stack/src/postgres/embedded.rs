//! The server this program starts itself, with its data in `<data-dir>/postgres`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use platform::cluster::{
    Binaries, Cluster, ClusterBuilder, FindOptions, SUPERUSER, data_dir_location, data_dir_major,
    url_at,
};
use platform::env::{Reader, Secret, Vars};
use platform::pg::{DatabaseUrls, DbError, Offer, SqlState};

use super::{OpenOptions, Postgres, PostgresError, Report, bootstrap, connect, logins};
use crate::secrets::Secrets;

/// How long a server may take that another process starts.
const UP_WITHIN: Duration = Duration::from_mins(1);
const POLL: Duration = Duration::from_millis(50);

/// Where the database of an installation is.
pub fn data_dir(data_dir: &Path) -> PathBuf {
    data_dir.join("postgres")
}

/// Refuses programs, a folder and a port that cannot be used.
pub(super) fn check(options: &OpenOptions<'_>) -> Result<(), PostgresError> {
    let password = options.secrets.database_password.clone();
    Ok(builder(options, &find(options)?, password).check()?)
}

/// Refuses programs that cannot make a new database. Which version made the one that is there does
/// not matter.
pub(super) fn check_new(options: &OpenOptions<'_>) -> Result<(), PostgresError> {
    find_for(options.workdir, options.vars, None).map(drop)
}

/// Refuses programs of another version than a backup's.
pub fn check_major(workdir: &Path, vars: &Vars, major: u32) -> Result<(), PostgresError> {
    let have = find_for(workdir, vars, Some(major))?.major();
    if have == major {
        return Ok(());
    }
    Err(PostgresError::BackupMajor { major, have })
}

/// Starts the server and brings it up to date.
pub(super) async fn open(options: &OpenOptions<'_>) -> Result<Postgres, PostgresError> {
    let binaries = find(options)?;
    let server = format!("Postgres {}", binaries.version());
    let password = &options.secrets.database_password;
    let cluster = builder(options, &binaries, password.clone())
        .start()
        .await?;
    let mut postgres =
        bring_up_to_date(options, cluster.port(), cluster.password_changed()).await?;
    postgres.report = Report {
        server,
        initialised: cluster.initialised(),
        moved_to: cluster.moved_from().map(|_| cluster.data_dir().to_owned()),
        ..postgres.report
    };
    postgres.cluster = Some(cluster);
    Ok(postgres)
}

/// Brings the server up to date that another process of this installation runs.
pub(super) async fn reach(options: &OpenOptions<'_>, port: u16) -> Result<Postgres, PostgresError> {
    check_reach(port, options.secrets).await?;
    bring_up_to_date(options, port, false).await
}

/// Refuses when these secrets are not those of the server that another process of this installation runs.
pub async fn check_reach(port: u16, secrets: &Secrets) -> Result<(), PostgresError> {
    let password = secrets.database_password.expose();
    let admin = connect(&url_at(port, SUPERUSER, password, "postgres"))?;
    let outcome = let_in(admin.client().await).map(drop);
    admin.close();
    outcome
}

/// Waits until the server answers that another process of this installation is starting.
pub async fn wait_until_up(port: u16, secrets: &Secrets) -> Result<(), PostgresError> {
    let password = secrets.database_password.expose();
    let admin = connect(&url_at(port, SUPERUSER, password, "postgres"))?;
    let started = Instant::now();
    let outcome = loop {
        match admin.client().await {
            Err(_) if started.elapsed() < UP_WITHIN => tokio::time::sleep(POLL).await,
            outcome => break let_in(outcome.map(drop)),
        }
    };
    admin.close();
    outcome
}

/// A server that runs was started with this installation's password.
pub(super) fn let_in<T>(outcome: Result<T, DbError>) -> Result<T, PostgresError> {
    outcome.map_err(|error| match error.code() {
        Some(&SqlState::INVALID_PASSWORD) => PostgresError::OtherEnvironment,
        _ => error.into(),
    })
}

fn find(options: &OpenOptions<'_>) -> Result<Binaries, PostgresError> {
    let location = data_dir_location(&data_dir(options.data_dir));
    find_for(options.workdir, options.vars, data_dir_major(&location))
}

fn find_for(workdir: &Path, vars: &Vars, major: Option<u32>) -> Result<Binaries, PostgresError> {
    let reader = Reader::new(vars);
    let find = FindOptions::from_env(&reader, Some(workdir)).for_major(major);
    Ok(Binaries::find(&find)?)
}

fn builder(
    options: &OpenOptions<'_>,
    binaries: &Binaries,
    password: Secret<String>,
) -> ClusterBuilder {
    let mut builder = Cluster::builder(binaries.clone(), data_dir(options.data_dir))
        .port(options.port)
        .superuser_password(password);
    for (name, value) in &options.project.db.settings {
        builder = builder.setting(name, value);
    }
    builder
}

async fn bring_up_to_date(
    options: &OpenOptions<'_>,
    port: u16,
    password_changed: bool,
) -> Result<Postgres, PostgresError> {
    let password = &options.secrets.database_password;
    let url = |role| url_at(port, role, password.expose(), "postgres");
    let urls = options.logins().into_iter().map(|role| (role, url(role)));
    let urls: DatabaseUrls = urls.collect();
    let admin = connect(&url(SUPERUSER))?;
    let mut client = admin.client().await?;
    let mut applied = bootstrap::create_roles(&mut client, options, password).await?;
    // Roles that were just made have none yet, nor have those of a start that was broken off; the
    // others follow the superuser's.
    let all = logins::all(options);
    if password_changed || !applied.is_empty() || logins::lack_passwords(&client, &all).await? {
        logins::set_passwords(&client, &all, password.expose()).await?;
    }
    applied.extend(bootstrap::migrate_services(&mut client, options, &urls).await?);
    let offer = Offer::of(&client).await?;
    drop(client);
    admin.close();
    Ok(Postgres {
        cluster: None,
        owner_url: url("postgres"),
        urls,
        offer,
        report: Report {
            server: "The running Postgres".to_owned(),
            applied,
            ..Report::default()
        },
    })
}
