//! The command line of a service that is a process of its own.

use std::error::Error;
use std::io::{self, IsTerminal as _, Write};
use std::process::ExitCode;

use tokio::signal::unix::{SignalKind, signal};

use crate::env::EnvError;
use crate::telemetry::{LogFormat, init_logs};

/// What a program is told to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Nothing in particular: what is due of both.
    Start,
    /// To bring the database up to date.
    Migrate,
    /// To answer requests.
    Serve,
}

impl Command {
    /// What these arguments ask for; none if they cannot be understood or ask for a text.
    fn of(arguments: &[String]) -> Option<Self> {
        match arguments {
            [] => Some(Self::Start),
            [one] if one == "migrate" => Some(Self::Migrate),
            [one] if one == "serve" => Some(Self::Serve),
            _ => None,
        }
    }
}

/// Does what the command line asks for: tells what `help` says or the version, or hands the command to
/// `run` and writes down why that failed.
pub async fn main<R>(name: &'static str, help: &str, run: R) -> ExitCode
where
    R: AsyncFnOnce(Command) -> Result<(), Box<dyn Error>>,
{
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(command) = Command::of(&arguments) else {
        return match arguments.first().map(String::as_str) {
            Some("--help" | "-h" | "help") => say(&mut io::stdout(), help, ExitCode::SUCCESS),
            Some("--version" | "-V" | "version") => {
                let version = format!("{name} {}\n", env!("CARGO_PKG_VERSION"));
                say(&mut io::stdout(), &version, ExitCode::SUCCESS)
            }
            _ => {
                let what = arguments.join(" ");
                let text = format!("{name}: there is no command {what:?}.\n\n{help}");
                say(&mut io::stderr(), &text, ExitCode::from(2))
            }
        };
    };
    // People have a terminal, and machines do not.
    let format = if io::stderr().is_terminal() {
        LogFormat::Pretty
    } else {
        LogFormat::Json
    };
    init_logs(format, "info,tokio_postgres=warn,actix_server=warn");
    match run(command).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is::<EnvError>() => {
            tracing::error!(%error, "{name} stopped; `{name} --help` says what it needs");
            ExitCode::FAILURE
        }
        Err(error) => {
            tracing::error!(%error, "{name} stopped");
            ExitCode::FAILURE
        }
    }
}

/// Prints a text; nobody who has gone away is told.
fn say(to: &mut impl Write, text: &str, end: ExitCode) -> ExitCode {
    _ = to.write_all(text.as_bytes()).and_then(|()| to.flush());
    end
}

/// What comes of some work before there is anything to be stopped carefully; none if SIGINT or SIGTERM
/// came first. As the first process of a container this one would not hear of them otherwise.
pub async fn unless_stopped<T>(work: impl Future<Output = T>) -> io::Result<Option<T>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(tokio::select! {
        done = work => Some(done),
        _ = interrupt.recv() => None,
        _ = terminate.recv() => None,
    })
}
