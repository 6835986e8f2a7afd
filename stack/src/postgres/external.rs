//! A server that somebody brings: `--db-url` or `DATABASE_URL`.
//!
//! Roles that this program creates there get a password of their own, kept in the
//! data folder; roles that were there keep theirs, which has to be told.

use std::collections::BTreeSet;

use platform::env::Secret;
use platform::pg::{Client, DatabaseUrls, DbError, SqlState};
use url::Url;

use super::{OpenOptions, Postgres, PostgresError, Report, bootstrap, connect, passwords};
use crate::secrets;

/// Refuses a URL that cannot be used.
pub(super) fn check(url: &str) -> Result<(), PostgresError> {
    Url::parse(url)?;
    connect(url).map(|database| database.close())
}

/// Reaches the server and brings it up to date.
pub(super) async fn open(options: &OpenOptions<'_>, url: &str) -> Result<Postgres, PostgresError> {
    let parsed = Url::parse(url)?;
    let host = address(&parsed);
    let admin = connect(url)?;
    let unreachable = |source| PostgresError::Unreachable {
        host: host.clone(),
        source,
    };
    let mut client = admin.client().await.map_err(unreachable)?;
    let new_roles = missing(&client, options.roles()).await?;
    let mut applied = bootstrap::create_roles(&mut client).await?;
    let password = password(options)?;
    passwords::set(&client, &new_roles, password.expose()).await?;
    let with_role = |role| (role, with_user(&parsed, role, password.expose()));
    let urls: DatabaseUrls = options.roles().into_iter().map(with_role).collect();
    for role in options.roles() {
        check_login(urls.of(role)?.expose(), role).await?;
    }
    applied.extend(bootstrap::migrate_services(&mut client, options, &urls).await?);
    drop(client);
    admin.close();
    let report = Report {
        server: format!("the database at {host}"),
        applied,
        ..Report::default()
    };
    Ok(Postgres {
        cluster: None,
        owner_url: url.to_owned(),
        urls,
        report,
    })
}

/// Which of these roles there are not.
async fn missing(
    client: &Client,
    roles: BTreeSet<&'static str>,
) -> Result<Vec<&'static str>, DbError> {
    let mut missing = Vec::new();
    for role in roles {
        if !passwords::role_exists(client, role).await? {
            missing.push(role);
        }
    }
    Ok(missing)
}

/// The development password is on every sample; a server on a network gets another.
fn password(options: &OpenOptions<'_>) -> Result<Secret<String>, PostgresError> {
    match options.vars.get("POSTGRES_PASSWORD") {
        Some(password) => Ok(Secret::from(password)),
        None => Ok(secrets::role_password(options.data_dir)?),
    }
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

fn with_user(url: &Url, user: &str, password: &str) -> String {
    let mut url = url.clone();
    // Refused only for URLs without a host; the login check then says what is wrong.
    _ = url.set_username(user);
    _ = url.set_password(Some(password));
    url.into()
}

fn address(url: &Url) -> String {
    let host = url.host_str().unwrap_or("localhost");
    format!("{host}:{}", url.port().unwrap_or(5432))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_replaced_and_the_rest_stays() {
        let url =
            Url::parse("postgres://owner:secret@db.example:6000/app?sslmode=require").unwrap();
        assert_eq!(
            with_user(&url, "authenticator", "p@ss"),
            "postgres://authenticator:p%40ss@db.example:6000/app?sslmode=require"
        );
        assert_eq!(address(&url), "db.example:6000");
    }
}
