//! The release binary as a child process on free ports and a data folder of its own.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tokio::process::{Child, Command};

use crate::Failure;
use crate::http::{Connection, Request};

/// Longest time a start may take before the run is given up.
const PATIENCE: Duration = Duration::from_mins(1);

/// How to start it.
#[derive(Clone)]
pub(crate) struct Settings {
    /// Where its data goes; an empty folder makes it a cold start.
    pub(crate) data_dir: PathBuf,
    /// Variables beyond those of this process.
    pub(crate) environment: Vec<(&'static str, String)>,
    /// Where its log goes; nowhere if `None`.
    pub(crate) log: Option<PathBuf>,
}

impl Settings {
    /// A development server whose data is in `folder`.
    pub(crate) fn development(folder: &Path) -> Self {
        Self {
            data_dir: folder.join("data"),
            environment: Vec::new(),
            log: None,
        }
    }

    fn is_production(&self) -> bool {
        self.environment
            .contains(&("WILDFIRE_ENV", "production".to_owned()))
    }

    fn output(&self) -> Result<Stdio, Failure> {
        Ok(match &self.log {
            Some(path) => std::fs::OpenOptions::new()
                .create(true)
                .append(true)
                .open(path)?
                .into(),
            None => Stdio::null(),
        })
    }
}

/// A running Wildfire.
pub(crate) struct Server {
    child: Child,
    settings: Settings,
    /// Port of the API.
    pub(crate) port: u16,
    /// What `wildfire status -o json` says.
    pub(crate) status: Value,
    /// From spawning to the first healthy answer.
    pub(crate) started_in: Duration,
}

impl Server {
    /// Starts the binary, on other ports if somebody takes one of the first choice meanwhile.
    pub(crate) async fn start(settings: Settings) -> Result<Self, Failure> {
        for _ in 0..3 {
            if let Some(server) = Self::start_once(&settings).await? {
                return Ok(server);
            }
        }
        Err("wildfire ended at once; run `wildfire start` to see why".into())
    }

    /// `None` if the binary ended of itself.
    async fn start_once(settings: &Settings) -> Result<Option<Self>, Failure> {
        let ports = free_ports::<4>()?;
        let started = Instant::now();
        let mut command = Command::new(binary());
        command
            .arg("start")
            .arg("--workdir")
            .arg(root())
            .arg("--data-dir")
            .arg(&settings.data_dir)
            .envs(settings.environment.iter().cloned());
        // In production there is no mailbox to open.
        let options = if settings.is_production() { 3 } else { 4 };
        for (option, port) in ["--port", "--app-port", "--db-port", "--mail-port"]
            .iter()
            .zip(ports)
            .take(options)
        {
            command.arg(option).arg(port.to_string());
        }
        let mut child = command
            .stdout(settings.output()?)
            .stderr(settings.output()?)
            .kill_on_drop(true)
            .spawn()?;
        let port = ports[0];
        while !healthy(port).await {
            if child.try_wait()?.is_some() {
                return Ok(None);
            }
            if started.elapsed() > PATIENCE {
                return Err(
                    "wildfire did not become healthy; run `wildfire start` to see why".into(),
                );
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let started_in = started.elapsed();
        let status = status(settings).await?;
        Ok(Some(Self {
            child,
            settings: settings.clone(),
            port,
            status,
            started_in,
        }))
    }

    /// A member of the status, such as `ANON_KEY`.
    pub(crate) fn text(&self, name: &str) -> Result<&str, Failure> {
        self.status[name]
            .as_str()
            .ok_or_else(|| format!("`wildfire status` lacks {name}").into())
    }

    /// Memory of the wildfire process (not of Postgres) that is resident, in bytes.
    pub(crate) fn resident_bytes(&self) -> Result<u64, Failure> {
        resident_bytes(self.pid()?)
    }

    /// Ends it as Ctrl-C would.
    pub(crate) async fn stop(mut self) -> Result<(), Failure> {
        self.signal(Signal::INT)?;
        self.child.wait().await?;
        Ok(())
    }

    /// Kills it without warning, starts it again and returns the time to the first answer.
    pub(crate) async fn kill_and_start(&mut self) -> Result<Duration, Failure> {
        self.signal(Signal::KILL)?;
        self.child.wait().await?;
        *self = Self::start(self.settings.clone()).await?;
        Ok(self.started_in)
    }

    fn signal(&self, signal: Signal) -> Result<(), Failure> {
        let pid = Pid::from_raw(i32::try_from(self.pid()?)?).ok_or("no such process")?;
        Ok(kill_process(pid, signal)?)
    }

    /// The process.
    pub(crate) fn pid(&self) -> Result<u32, Failure> {
        self.child.id().ok_or_else(|| "wildfire has ended".into())
    }
}

/// Resident memory of a process, in bytes.
pub(crate) fn resident_bytes(pid: u32) -> Result<u64, Failure> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib: u64 = line
        .and_then(|line| line.split_whitespace().next())
        .ok_or("no VmRSS")?
        .parse()?;
    Ok(kib * 1024)
}

async fn healthy(port: u16) -> bool {
    let Ok(mut connection) = Connection::open(port).await else {
        return false;
    };
    let answer = connection
        .call(&Request::new("GET", "/health", "", None))
        .await;
    answer.is_ok_and(|answer| answer.status == 200)
}

async fn status(settings: &Settings) -> Result<Value, Failure> {
    let output = Command::new(binary())
        .args(["status", "-o", "json", "--workdir"])
        .arg(root())
        .arg("--data-dir")
        .arg(&settings.data_dir)
        .envs(settings.environment.iter().cloned())
        .output()
        .await?;
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Ports that were free a moment ago.
fn free_ports<const N: usize>() -> Result<[u16; N], Failure> {
    let listeners: Vec<_> = (0..N)
        .map(|_| TcpListener::bind(("127.0.0.1", 0)))
        .collect::<Result<_, _>>()?;
    let mut ports = [0; N];
    for (port, listener) in ports.iter_mut().zip(&listeners) {
        *port = listener.local_addr()?.port();
    }
    Ok(ports)
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap_or(Path::new("."))
}

/// Cargo puts both programs into one folder.
fn binary() -> PathBuf {
    std::env::current_exe()
        .unwrap_or_default()
        .with_file_name("wildfire")
}

/// Size of the shipped binary.
pub(crate) fn binary_bytes() -> Result<u64, Failure> {
    Ok(std::fs::metadata(binary())?.len())
}
