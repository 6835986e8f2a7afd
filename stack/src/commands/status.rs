//! `wildfire status`: the names, values and formats of `supabase status`
//! (`internal/status/status.go` of the CLI).

use std::fmt::Write as _;

use clap::ValueEnum;
use platform::env::Vars;
use url::Url;

use super::setup::Setup;
use super::{CliError, Folders};
use crate::lifecycle::{State, serving};
use crate::secrets::Secrets;
use crate::ui::Ui;

/// How to print the status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// For people
    #[default]
    Pretty,
    /// Lines of an .env file
    Env,
    /// One JSON object
    Json,
}

/// Where a running installation is.
pub(super) struct Addresses {
    pub(super) api: String,
    pub(super) app: Option<String>,
    pub(super) mail: Option<String>,
    pub(super) database: String,
}

impl Addresses {
    pub(super) fn new(state: &State, secrets: &Secrets) -> Self {
        let local = |port: u16| format!("http://127.0.0.1:{port}");
        Self {
            api: state.api_url.clone(),
            app: state.app_port.map(local),
            mail: state.mail_port.map(local),
            database: Self::database_url(state, secrets),
        }
    }

    /// The database as people and tools connect to it.
    pub(super) fn database_url(state: &State, secrets: &Secrets) -> String {
        if let Some(url) = &state.db_url {
            return url.clone();
        }
        let port = state.db_port.unwrap_or_default();
        let url = format!("postgresql://postgres@127.0.0.1:{port}/postgres");
        Url::parse(&url).map_or(url, |mut url| {
            // Refused only for URLs without a host.
            _ = url.set_password(Some(secrets.database_password.expose()));
            url.into()
        })
    }

    /// For people: only what is there.
    pub(super) fn rows(&self) -> Vec<(&'static str, String)> {
        let app = self.app.iter().map(|url| ("App", url.clone()));
        let api = [("API", self.api.clone())];
        let mail = self.mail.iter().map(|url| ("Mailbox", url.clone()));
        app.chain(api).chain(mail).collect()
    }

    /// For scripts: every name of `supabase status`, sorted as it sorts them.
    fn values(&self, secrets: &Secrets) -> Vec<(&'static str, String)> {
        let api = &self.api;
        let app = self.app.as_ref().unwrap_or(api).clone();
        let mail = self.mail.clone().unwrap_or_default();
        let keys = &secrets.api;
        vec![
            ("ANON_KEY", keys.anon.clone()),
            ("API_URL", api.clone()),
            ("DB_URL", self.database.clone()),
            ("FUNCTIONS_URL", format!("{api}/functions/v1")),
            ("GRAPHQL_URL", format!("{api}/graphql/v1")),
            ("INBUCKET_URL", mail.clone()),
            ("JWT_SECRET", secrets.jwt_secret.expose().clone()),
            ("MAILPIT_URL", mail),
            ("MCP_URL", format!("{api}/mcp")),
            ("PUBLISHABLE_KEY", keys.publishable.clone()),
            ("REST_URL", format!("{api}/rest/v1")),
            ("S3_PROTOCOL_ACCESS_KEY_ID", secrets.s3.id.clone()),
            (
                "S3_PROTOCOL_ACCESS_KEY_SECRET",
                secrets.s3.secret.expose().clone(),
            ),
            ("S3_PROTOCOL_REGION", secrets.s3.region.clone()),
            ("SECRET_KEY", keys.secret.expose().clone()),
            ("SERVICE_ROLE_KEY", keys.service_role.expose().clone()),
            ("STORAGE_S3_URL", format!("{api}/storage/v1/s3")),
            ("STUDIO_URL", app),
        ]
    }
}

/// Prints where everything is, or fails if nothing runs.
pub(super) fn run(folders: &Folders, output: Output, ui: Ui, vars: &Vars) -> Result<(), CliError> {
    let setup = Setup::load(folders, vars)?;
    let data_dir = setup.data_dir.clone();
    let state = serving(&data_dir)?;
    let secrets = setup.secrets(vars)?;
    let at = Addresses::new(&state, &secrets);
    match output {
        Output::Pretty => pretty(ui, &state, &at, &secrets),
        Output::Env => ui.raw(&env_lines(&at.values(&secrets))),
        Output::Json => {
            let values = at
                .values(&secrets)
                .into_iter()
                .map(|(name, value)| (name, value.into()));
            ui.result(&format!(
                "{:#}",
                serde_json::Value::Object(to_object(values))
            ));
        }
    }
    Ok(())
}

fn to_object(
    values: impl Iterator<Item = (&'static str, serde_json::Value)>,
) -> serde_json::Map<String, serde_json::Value> {
    values
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// As the CLI's dotenv writer quotes.
fn env_lines(values: &[(&'static str, String)]) -> String {
    let mut text = String::new();
    for (name, value) in values {
        let value = value
            .replace('\\', "\\\\")
            .replace('"', "\\\"")
            .replace('$', "\\$");
        // Writing to a string cannot fail.
        _ = writeln!(text, "{name}=\"{value}\"");
    }
    text
}

fn pretty(ui: Ui, state: &State, at: &Addresses, secrets: &Secrets) {
    ui.result(&format!(
        "Wildfire {} is running (process {}).",
        state.version, state.pid
    ));
    let mut rows = at.rows();
    rows.push(("Database", at.database.clone()));
    rows.push(("Publishable key", secrets.api.publishable.clone()));
    rows.push(("Secret key", secrets.api.secret.expose().clone()));
    rows.push(("Project", state.workdir.display().to_string()));
    let width = rows.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
    for (label, value) in rows {
        ui.result(&format!("{label:>width$}: {value}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_quoted_for_shells_and_dotenv_readers() {
        let lines = env_lines(&[("A", r#"x"y$z\"#.to_owned())]);
        assert_eq!(lines, "A=\"x\\\"y\\$z\\\\\"\n");
    }
}
