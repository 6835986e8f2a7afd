//! Why a command failed: one text that says what happened and what to do.

use std::io;
use std::path::PathBuf;

use crate::backup::BackupError;
use crate::config_toml::ConfigError;
use crate::lifecycle::LifecycleError;
use crate::postgres::PostgresError;
use crate::secrets::SecretsError;
use crate::serve::{BindError, PortName, ServeError};
use crate::workdir::WorkdirError;

/// A failed command.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// The project's configuration.
    #[error("{0}")]
    Config(#[from] ConfigError),
    /// The project's files.
    #[error("{0}")]
    Workdir(#[from] WorkdirError),
    /// Keys and passwords.
    #[error("{0}")]
    Secrets(#[from] SecretsError),
    /// The database.
    #[error("{0}")]
    Postgres(#[from] PostgresError),
    /// The lock of the data folder.
    #[error("{0}")]
    Lifecycle(#[from] LifecycleError),
    /// A backup, or what is restored from one.
    #[error("{0}")]
    Backup(#[from] BackupError),
    /// A port.
    #[error("{0}")]
    Bind(#[from] BindError),
    /// One port for two things.
    #[error(
        "port {port} is asked for twice, for the {} and the {}; give one of them another with {} or \
         {} (0 picks a free one)", first.name, second.name, first.option, second.option
    )]
    SamePort {
        /// Which port.
        port: u16,
        /// What it is for.
        first: PortName,
        /// What it is for as well.
        second: PortName,
    },
    /// The services.
    #[error("{0}")]
    Serve(#[from] ServeError),
    /// A folder that cannot be used.
    #[error("{} cannot be used: {source}", path.display())]
    Folder {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A data folder that cannot be made.
    #[error(
        "The data folder {} cannot be made or written: {source}. Name another one with --data-dir.",
        path.display()
    )]
    DataFolder {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Production data, and nobody says that it is production.
    #[error(
        "{} holds an installation of production, and WILDFIRE_ENV is not set. Load the variables that it is \
         started with, or set WILDFIRE_ENV=development to go on with keys that everybody knows.",
        data_dir.display()
    )]
    ForgottenMode {
        /// The data folder.
        data_dir: PathBuf,
    },
    /// Production without an address.
    #[error(
        "WILDFIRE_ENV=production needs the address users reach this installation at. Set \
         SUPABASE_PUBLIC_URL, for example https://prompts.example.com."
    )]
    NoPublicUrl,
    /// An address that is none.
    #[error("SUPABASE_PUBLIC_URL must be an http:// or https:// address, and {value:?} is not.")]
    PublicUrl {
        /// What it is.
        value: String,
    },
    /// An address at which everything can be read on the way.
    #[error(
        "SUPABASE_PUBLIC_URL is {value}, and over http anybody on the way can take over accounts. \
         Put a proxy that ends TLS in front and name its https:// address, or set \
         WILDFIRE_ALLOW_HTTP_PUBLIC_URL=true if nobody else listens in that network."
    )]
    HttpPublicUrl {
        /// What it is.
        value: String,
    },
    /// A variable with a value that means nothing.
    #[error("{name} must be {expected}, and {value:?} is not.")]
    Variable {
        /// The variable.
        name: &'static str,
        /// What it may be.
        expected: &'static str,
        /// What it is.
        value: String,
    },
    /// Development on an address others can reach.
    #[error(
        "In development everybody knows the keys, so Wildfire listens on this machine only, and \
         {host} is not that. Set WILDFIRE_ENV=production to listen elsewhere."
    )]
    NotLoopback {
        /// The address that was asked for.
        host: String,
    },
    /// The command would pull the database away from under a running installation.
    #[error("Wildfire is running with this data folder. Stop it first: `wildfire stop`.")]
    StopFirst,
    /// What runs does not know the tables of this version.
    #[error(
        "Wildfire {running} runs with this data folder, and this is version {own}. Stop it first \
         (`wildfire stop`), or call that version."
    )]
    OtherVersion {
        /// Its version.
        running: String,
        /// This one's.
        own: &'static str,
    },
    /// Two resets at once.
    #[error("Another `wildfire db reset` is at work on this data folder. Wait until it is done.")]
    ResetAtWork,
    /// Nobody said yes.
    #[error("Nothing was deleted. Pass --yes to delete without being asked.")]
    NotConfirmed,
    /// A database somebody brought is not this program's to wipe.
    #[error(
        "`wildfire db reset` deletes the embedded database only, and DATABASE_URL, or the running \
         Wildfire, names another one. Unset it, or empty that database with your own tools and run `wildfire migrate`."
    )]
    NotEmbedded,
    /// A database somebody brought is backed up by its own tools.
    #[error(
        "`wildfire backup` copies the embedded database, and this installation has one of its own. Save \
         that with `pg_dump --format=custom --file=wildfire.dump \"$DATABASE_URL\"` and its roles with \
         `pg_dumpall --roles-only --database=\"$DATABASE_URL\" --file=roles.sql`, and keep with both \
         what {} holds: secrets.json and role-password, without which nobody's session or key stays \
         valid. docs/operate/backup.md has it in full.", data_dir.display()
    )]
    BackupNotEmbedded {
        /// The data folder.
        data_dir: PathBuf,
    },
    /// There is no installation, or it is elsewhere.
    #[error(
        "There is nothing to back up in {}: no database was made there. Name the folder with --data-dir \
         or the project with --workdir.", data_dir.display()
    )]
    NoData {
        /// The data folder.
        data_dir: PathBuf,
    },
    /// What would be restored is not what would be used.
    #[error(
        "`wildfire restore` restores the embedded database, and DATABASE_URL names another one, which \
         `wildfire start` would use. Unset it."
    )]
    RestoreNotEmbedded,
    /// Nobody said yes.
    #[error(
        "Nothing was restored, since there is data already. Pass --yes to set it aside without being \
         asked, or name a new folder with --data-dir."
    )]
    RestoreNotConfirmed,
    /// A server ended of itself.
    #[error("The server failed: {0}. Start again.")]
    ServerFailed(io::Error),
    /// The data folder is another's by now.
    #[error(
        "The data folder {} was replaced, and another Wildfire has taken it. This one has ended; stop \
         an installation before its folder is moved or removed.", .0.display()
    )]
    FolderReplaced(PathBuf),
    /// Signals cannot be received.
    #[error("Signals cannot be received: {0}")]
    Signals(io::Error),
    /// At least one check of `wildfire doctor` failed.
    #[error("{failed} of the checks failed; what to do is written under each.")]
    Unhealthy {
        /// How many.
        failed: usize,
    },
}
