//! The command line: what can be asked for, and what answers.

mod backup;
mod db_reset;
mod doctor;
mod error;
mod keys;
mod migrate;
mod passphrase;
mod restore;
mod setup;
mod start;
mod status;
mod stop;

use clap::{Parser, Subcommand};
use platform::env::Vars;

pub use error::CliError;
pub use setup::Folders;
pub use start::{StartOptions, Wanted};
pub use status::Output;

use crate::ui::Ui;

/// Wildfire: prompts, versioned, on a Supabase-compatible backend in one process.
#[derive(Debug, Parser)]
#[command(
    name = "wildfire",
    version,
    propagate_version = true,
    max_term_width = 100
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start everything and serve until Ctrl-C
    Start(StartOptions),
    /// Stop what runs with this data folder
    Stop {
        #[command(flatten)]
        folders: Folders,
    },
    /// Show where things are and the keys to use
    Status {
        #[command(flatten)]
        folders: Folders,
        /// How to print it
        #[arg(short, long, value_enum, default_value_t)]
        output: Output,
    },
    /// Bring the database up to date, also while Wildfire runs
    Migrate(migrate::MigrateOptions),
    /// Write the database, secrets and files of this installation to one file, also while it runs
    Backup(backup::BackupOptions),
    /// Put a backup into a new folder, or in the place of what is there
    Restore(restore::RestoreOptions),
    /// Work on the database
    #[command(subcommand)]
    Db(DbCommand),
    /// Make keys and secrets
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Check this machine and this project, and say what to do about each finding
    Doctor(Wanted),
}

#[derive(Debug, Subcommand)]
enum DbCommand {
    /// Delete all data, then migrate and seed again
    Reset {
        #[command(flatten)]
        folders: Folders,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Subcommand)]
enum KeysCommand {
    /// Print a new set of secrets, keys and passwords as lines of an .env file
    Generate,
    /// Make a new key to sign tokens with; those of before go on verifying
    Rotate(keys::RotateOptions),
}

/// Runs one command.
pub async fn run(cli: Cli, ui: Ui, vars: &Vars) -> Result<(), CliError> {
    match cli.command {
        Command::Start(options) => start::run(options, ui, vars).await,
        Command::Stop { folders } => stop::run(&folders, ui),
        Command::Status { folders, output } => status::run(&folders, output, ui, vars),
        Command::Migrate(options) => migrate::run(&options, ui, vars).await,
        Command::Backup(options) => backup::run(&options, ui, vars).await,
        Command::Restore(options) => restore::run(&options, ui, vars).await,
        Command::Db(DbCommand::Reset { folders, yes }) => {
            db_reset::run(&folders, yes, ui, vars).await
        }
        Command::Keys(KeysCommand::Generate) => keys::generate(ui),
        Command::Keys(KeysCommand::Rotate(options)) => keys::rotate(&options, ui, vars),
        Command::Doctor(wanted) => doctor::run(&wanted, ui, vars).await,
    }
}
