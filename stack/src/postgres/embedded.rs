//! The server this program starts itself, with its data in `<data-dir>/postgres`.

use std::path::{Path, PathBuf};

use platform::cluster::{
    Binaries, Cluster, ClusterBuilder, FindOptions, data_dir_location, data_dir_major,
};
use platform::env::{Reader, Secret};
use platform::pg::{DatabaseUrls, Offer};

use super::{OpenOptions, Postgres, PostgresError, Report, bootstrap, connect, logins};

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
    find_for(options, None).map(drop)
}

/// Starts the server and brings it up to date.
pub(super) async fn open(options: &OpenOptions<'_>) -> Result<Postgres, PostgresError> {
    let binaries = find(options)?;
    let server = format!("Postgres {}", binaries.version());
    let password = &options.secrets.database_password;
    let cluster = builder(options, &binaries, password.clone())
        .start()
        .await?;
    let url = |role| cluster.url(role, password.expose(), "postgres");
    let urls = options.logins().into_iter().map(|role| (role, url(role)));
    let urls = urls.collect();
    let (applied, offer) = bring_up_to_date(&cluster, options, &urls).await?;
    let report = Report {
        server,
        initialised: cluster.initialised(),
        moved_to: cluster.moved_from().map(|_| cluster.data_dir().to_owned()),
        applied,
    };
    Ok(Postgres {
        owner_url: url("postgres"),
        cluster: Some(cluster),
        urls,
        offer,
        report,
    })
}

fn find(options: &OpenOptions<'_>) -> Result<Binaries, PostgresError> {
    let location = data_dir_location(&data_dir(options.data_dir));
    find_for(options, data_dir_major(&location))
}

fn find_for(options: &OpenOptions<'_>, major: Option<u32>) -> Result<Binaries, PostgresError> {
    let reader = Reader::new(options.vars);
    let find = FindOptions::from_env(&reader, Some(options.workdir)).for_major(major);
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
    cluster: &Cluster,
    options: &OpenOptions<'_>,
    urls: &DatabaseUrls,
) -> Result<(Vec<String>, Offer), PostgresError> {
    let password = &options.secrets.database_password;
    let admin = connect(&cluster.superuser_url("postgres"))?;
    let mut client = admin.client().await?;
    let mut applied = bootstrap::create_roles(&mut client, options, password).await?;
    // Roles that were just made have none yet, nor have those of a start that was broken off; the
    // others follow the superuser's.
    let all = logins::all(options);
    if cluster.password_changed()
        || !applied.is_empty()
        || logins::lack_passwords(&client, &all).await?
    {
        logins::set_passwords(&client, &all, password.expose()).await?;
    }
    applied.extend(bootstrap::migrate_services(&mut client, options, urls).await?);
    let offer = Offer::of(&client).await?;
    drop(client);
    admin.close();
    Ok((applied, offer))
}
