//! A server that somebody brings: `--db-url` or `DATABASE_URL`.
//!
//! Roles that this program creates there get a password of their own, kept in the
//! data folder; roles that were there keep theirs, which has to be told.

use std::time::Duration;

use platform::env::Secret;
use platform::pg::{
    Client, DatabaseUrls, Executor, Offer, SqlState, address, as_user, column, reach,
};
use url::Url;

use super::{OpenOptions, Postgres, PostgresError, Report, bootstrap, config, connect, logins};
use crate::secrets;

/// How long a server that is not up yet is waited for in production, where one machine's start or one
/// compose file starts both.
const PATIENCE: Duration = Duration::from_mins(1);

const READ_ONLY: &str = "-- pg_catalog.pg_settings.read_only
select case
  when pg_is_in_recovery() then 'standby'
  when s.reset_val = 'on' then 'setting'
end as reason
from pg_settings as s
where s.name = 'default_transaction_read_only'";

/// Refuses a URL that cannot be used.
pub(super) fn check(url: &str) -> Result<(), PostgresError> {
    Url::parse(url)?;
    connect(url).map(|database| database.close())
}

/// Reaches the server and brings it up to date.
pub(super) async fn open(options: &OpenOptions<'_>, url: &str) -> Result<Postgres, PostgresError> {
    let parsed = Url::parse(url)?;
    let patience = match options.vars.get("WILDFIRE_ENV") {
        Some("production") => PATIENCE,
        _ => Duration::ZERO,
    };
    let (admin, mut client) = reach(&config(url).for_migrations(), patience).await?;
    refuse_read_only(&client, &parsed).await?;
    let password = password(options)?;
    let with_role = |role| {
        (
            role,
            as_user(&Secret::from(url), role, Some(password.expose())),
        )
    };
    let urls: DatabaseUrls = options.logins().into_iter().map(with_role).collect();
    let there = logins::present(&client, &options.logins()).await?;
    let is_there = |role: &&str| there.iter().any(|it| it == role);
    let (there, new): (Vec<_>, Vec<_>) = options.logins().into_iter().partition(is_there);
    // Whose password is not known is told before others are made, with a password that may change.
    check_logins(&urls, &there).await?;
    let mut applied = bootstrap::create_roles(&mut client, options, &password).await?;
    check_logins(&urls, &new).await?;
    applied.extend(bootstrap::migrate_services(&mut client, options, &urls).await?);
    let offer = Offer::of(&client).await?;
    drop(client);
    admin.close();
    let report = Report {
        server: format!("the database at {}", address(&parsed)),
        applied,
        ..Report::default()
    };
    Ok(Postgres {
        cluster: None,
        owner_url: url.to_owned(),
        urls,
        offer,
        report,
    })
}

/// Our own connections would write all the same, which whoever set it does not want.
async fn refuse_read_only(client: &Client, url: &Url) -> Result<(), PostgresError> {
    let row = client.query_one(READ_ONLY, &[]).await?;
    let refused = match column::<Option<String>>(&row, "reason")?.as_deref() {
        None => return Ok(()),
        Some("standby") => PostgresError::Standby { at: address(url) },
        Some(_) => PostgresError::ReadOnly {
            at: address(url),
            database: url.path().trim_start_matches('/').to_owned(),
        },
    };
    Err(refused)
}

/// The development password is on every sample; a server on a network gets another.
fn password(options: &OpenOptions<'_>) -> Result<Secret<String>, PostgresError> {
    match options.vars.get("POSTGRES_PASSWORD") {
        Some(password) => Ok(Secret::from(password)),
        None => Ok(secrets::role_password(options.data_dir)?),
    }
}

async fn check_logins(urls: &DatabaseUrls, roles: &[&'static str]) -> Result<(), PostgresError> {
    for role in roles {
        check_login(urls.of(role)?.expose(), role).await?;
    }
    Ok(())
}

async fn check_login(url: &str, role: &'static str) -> Result<(), PostgresError> {
    let database = connect(url)?;
    let outcome = database.client().await.map(drop);
    database.close();
    match outcome {
        Ok(()) => Ok(()),
        Err(error) if error.code().is_some_and(is_login_refused) => {
            Err(PostgresError::RolePassword { role })
        }
        Err(error) => Err(error.into()),
    }
}

fn is_login_refused(code: &SqlState) -> bool {
    [
        SqlState::INVALID_PASSWORD,
        SqlState::INVALID_AUTHORIZATION_SPECIFICATION,
    ]
    .contains(code)
}
