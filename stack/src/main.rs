//! `wildfire`: everything of Wildfire in one process.

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser as _;
use platform::env::Vars;
use platform::memory;
use platform::telemetry::{LogFormat, check_level, init_logs};
use stack::commands::{self, Cli};
use stack::ui::Ui;

/// What a thread may take that was told to stop: it may wait for somebody who never comes.
const LAST_WORDS: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    let cli = Cli::parse();
    let vars = Vars::process();
    let ui = Ui::detect(&vars);
    if let Err(refused) = start_logging(&vars) {
        ui.error(&refused);
        return ExitCode::FAILURE;
    }
    memory::give_back_regularly();
    // Requests run on threads of their own; this one starts, waits and stops.
    let runtime = match tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            ui.error(&format!("The runtime cannot be started: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let outcome = runtime.block_on(commands::run(cli, ui, &vars));
    runtime.shutdown_timeout(LAST_WORDS);
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            ui.error(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

/// Logs as the environment says, or says which variable makes no sense.
///
/// `WILDFIRE_LOG` (default `warn`, in production `info` of what is ours): level or filter, such as `gotrue=debug`;
/// libraries never say more than `info`, because below that they write down what they work on.
/// `WILDFIRE_LOG_FORMAT` (default `pretty`, for people): `json` writes one object a line.
fn start_logging(vars: &Vars) -> Result<(), String> {
    let format = vars.get("WILDFIRE_LOG_FORMAT").unwrap_or("pretty");
    let format: LogFormat = format
        .parse()
        .map_err(|error| format!("WILDFIRE_LOG_FORMAT {error}."))?;
    // On a terminal the start has its own words; in production every request has a line.
    let is_production = vars.get("WILDFIRE_ENV") == Some("production");
    let level = if is_production {
        // Notices of the database and the states of the server's threads are for nobody.
        "info,tokio_postgres=warn,actix_server=warn"
    } else {
        "warn"
    };
    let level = vars.get("WILDFIRE_LOG").unwrap_or(level);
    check_level(level).map_err(|error| format!("WILDFIRE_LOG {error}."))?;
    init_logs(format, level);
    Ok(())
}
