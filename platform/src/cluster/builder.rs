//! The start of a cluster, step by step.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_postgres::NoTls;
use tokio_postgres::error::SqlState;

use super::account::Account;
use super::binaries::Binaries;
use super::data_dir::{self, FolderLock, Init, State};
use super::error::{ClusterError, says_disk_full};
use super::relocate::{self, Place};
use super::server::{self, Server};
use super::temporary::TemporaryFolder;
use super::{Cluster, FAST_SHUTDOWN, IMMEDIATE_SHUTDOWN, SUPERUSER, leftover, password, settings};
use crate::env::Secret;

/// How long a server may say nothing before it accepts connections. One that says that it is starting has
/// all the time it needs: recovery takes as long as there is log, and begins anew if it is broken off.
const SILENT_FOR: Duration = Duration::from_mins(2);
/// The least and the longest time between two looks. Each leaves a line in the server's log.
const POLL: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(500));
/// How often whoever waits is told why.
const TELL_EVERY: Duration = Duration::from_secs(10);

/// How long a server that runs may take to say anything to a connection.
const GREETED_WITHIN: Duration = Duration::from_secs(5);
/// How often a free port is picked anew when somebody takes it first.
const FREE_PORT_ATTEMPTS: u32 = 5;

/// What a cluster is started with.
#[derive(Debug)]
pub struct ClusterBuilder {
    binaries: Binaries,
    data_dir: Option<PathBuf>,
    pub(super) port: u16,
    durable: bool,
    pub(super) password: Secret<String>,
    settings: Vec<(String, String)>,
}

/// What the blocking part of a start hands to the waiting part.
pub(super) struct Launched {
    pub(super) server: Server,
    port: u16,
    log: PathBuf,
    log_offset: u64,
}

/// What a server that accepts connections says to the superuser.
pub(super) enum Ready {
    Yes,
    OtherPassword,
}

/// A data folder that is locked, free of earlier servers, and ready to start.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) binaries: Binaries,
    account: Option<Account>,
    pub(super) place: Place,
    pub(super) initialised: bool,
    _temporary: Option<TemporaryFolder>,
    _lock: FolderLock,
}

impl ClusterBuilder {
    pub(super) fn new(binaries: Binaries, data_dir: Option<PathBuf>) -> Self {
        Self {
            binaries,
            data_dir,
            port: 0,
            durable: true,
            password: Secret::new("postgres".to_owned()),
            settings: Vec::new(),
        }
    }

    /// The TCP port on 127.0.0.1; 0, the default, picks a free one.
    #[must_use]
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// Whether commits must survive a crash of the machine; on by default.
    #[must_use]
    pub fn durable(mut self, durable: bool) -> Self {
        self.durable = durable;
        self
    }

    /// The superuser's password: set when the folder is created, used to connect.
    #[must_use]
    pub fn superuser_password(mut self, password: Secret<String>) -> Self {
        self.password = password;
        self
    }

    /// A server setting, over this program's defaults and under `ALTER SYSTEM`.
    #[must_use]
    pub fn setting(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.settings.push((name.into(), value.into()));
        self
    }

    /// Refuses what a look is enough to refuse: a folder that is something else or of another
    /// version, and a port that is taken. Writes nothing and starts nothing.
    pub fn check(&self) -> Result<(), ClusterError> {
        let Some(asked) = &self.data_dir else {
            return Ok(());
        };
        let data_dir = relocate::location_of(asked);
        data_dir::inspect(&data_dir, &self.binaries)?;
        // A server that an earlier run left may have the port, and will be stopped.
        if !data_dir.join("postmaster.pid").exists() {
            free_port(self.port)?;
        }
        Ok(())
    }

    /// Creates the data folder if need be, starts the server and returns when it
    /// accepts connections.
    pub async fn start(self) -> Result<Cluster, ClusterError> {
        let (mut builder, prepared) = blocking(move || {
            let prepared = self.prepare()?;
            Ok((self, prepared))
        })
        .await?;
        let (launched, password_changed) = builder.run(&prepared).await?;
        // Whoever was given a URL finds the next server at the same address.
        builder.port = launched.port;
        Ok(Cluster {
            server: launched.server,
            password_changed,
            builder,
            prepared,
        })
    }

    /// Starts the server, again if its free port was taken in between or its
    /// password has to be set first.
    async fn run(&self, prepared: &Prepared) -> Result<(Launched, bool), ClusterError> {
        let mut ports_left = if self.port == 0 {
            FREE_PORT_ATTEMPTS
        } else {
            0
        };
        let mut password_changed = false;
        loop {
            let launched = self.launch(prepared)?;
            let ready = self.wait_until_ready(&launched, prepared, Some(SILENT_FOR));
            match ready.await {
                Ok(Ready::Yes) => return Ok((launched, password_changed)),
                Ok(Ready::OtherPassword) if !password_changed => {
                    launched
                        .server
                        .stop(FAST_SHUTDOWN, IMMEDIATE_SHUTDOWN)
                        .await?;
                    let Prepared {
                        binaries,
                        account,
                        place,
                        ..
                    } = prepared;
                    let password = self.password.expose();
                    password::reset(binaries, *account, &place.data_dir, password)?;
                    password_changed = true;
                }
                Ok(Ready::OtherPassword) => {
                    let path = prepared.place.data_dir.clone();
                    let output = "it was refused once more".to_owned();
                    return Err(ClusterError::Password { path, output });
                }
                Err(ClusterError::PortTaken { .. }) if ports_left > 0 => ports_left -= 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Everything before the server runs. Blocks.
    fn prepare(&self) -> Result<Prepared, ClusterError> {
        let temporary = match self.data_dir {
            Some(_) => None,
            None => Some(TemporaryFolder::create()?),
        };
        let asked = self
            .data_dir
            .clone()
            .or_else(|| temporary.as_ref().map(TemporaryFolder::data_dir));
        let asked = asked.unwrap_or_default();
        let account = Account::choose(&asked)?;
        let place = relocate::place(&asked, account)?;
        let data_dir = &place.data_dir;
        let lock = FolderLock::take(data_dir)?;
        leftover::clear(data_dir)?;
        data_dir::remove_abandoned(data_dir);
        let state = data_dir::inspect(data_dir, &self.binaries)?;
        free_port(self.port)?;
        let binaries = self.binaries.reachable_by(account)?;
        let initialised = state == State::Missing;
        if initialised {
            let (password, durable) = (self.password.expose().as_str(), self.durable);
            Init {
                binaries: &binaries,
                account,
                data_dir,
                password,
                durable,
            }
            .run()?;
        } else if let Some(account) = account
            && std::fs::metadata(data_dir).is_ok_and(|metadata| !account.owns(&metadata))
        {
            account.take_tree(data_dir)?;
        }
        data_dir::write_config(data_dir, &settings::config_file(&binaries, &self.settings))?;
        Ok(Prepared {
            binaries,
            account,
            place,
            initialised,
            _temporary: temporary,
            _lock: lock,
        })
    }

    pub(super) fn launch(&self, prepared: &Prepared) -> Result<Launched, ClusterError> {
        let data_dir = &prepared.place.data_dir;
        let port = free_port(self.port)?;
        let log = data_dir::log_path(data_dir);
        let (log_file, log_offset) = server::open_log(&log)?;
        let program = prepared.binaries.program("postgres");
        let mut command = Command::new(&program);
        server::clean_environment(&mut command);
        if let Some(account) = prepared.account {
            account.apply(&mut command);
        }
        command.arg("-D").arg(data_dir);
        for (name, value) in settings::forced(port, self.durable) {
            command.arg("-c").arg(format!("{name}={value}"));
        }
        let copy = log_file
            .try_clone()
            .map_err(ClusterError::io("Opening", &log))?;
        command.stdout(copy).stderr(log_file);
        let server =
            Server::spawn(command, self.durable).map_err(ClusterError::io("Running", &program))?;
        Ok(Launched {
            server,
            port,
            log,
            log_offset,
        })
    }

    /// Waits until the server accepts connections, for as long as it says that it is starting; without a
    /// limit to its silence, for as long as it runs.
    pub(super) async fn wait_until_ready(
        &self,
        launched: &Launched,
        prepared: &Prepared,
        limit: Option<Duration>,
    ) -> Result<Ready, ClusterError> {
        let started = Instant::now();
        let (mut heard, mut told) = (started, started);
        loop {
            if launched.server.has_ended() {
                return Err(start_failure(launched, &prepared.place.data_dir));
            }
            match timeout(GREETED_WITHIN, self.connect(launched.port)).await {
                Err(_) | Ok(None) => {}
                Ok(Some(Ok(()))) => return Ok(Ready::Yes),
                Ok(Some(Err(error))) if is_starting(&error) => {
                    heard = Instant::now();
                    if told.elapsed() > TELL_EVERY {
                        told = heard;
                        let seconds = started.elapsed().as_secs();
                        tracing::warn!(
                            seconds,
                            "Postgres is starting: it recovers what its log holds"
                        );
                    }
                }
                Ok(Some(Err(error))) if error.code() == Some(&SqlState::INVALID_PASSWORD) => {
                    return Ok(Ready::OtherPassword);
                }
                Ok(Some(Err(error))) => return Err(ClusterError::Refused(error)),
            }
            if let Some(limit) = limit.filter(|limit| heard.elapsed() > *limit) {
                return Err(ClusterError::NotReady {
                    seconds: limit.as_secs(),
                    log: launched.log.clone(),
                });
            }
            let (least, longest) = POLL;
            tokio::time::sleep((started.elapsed() / 10).clamp(least, longest)).await;
        }
    }

    /// What the server says to a connection; `None` if there is none.
    async fn connect(&self, port: u16) -> Option<Result<(), tokio_postgres::Error>> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.ok()?;
        if is_with_itself(&stream) {
            return None;
        }
        Some(self.greet(stream).await)
    }

    async fn greet(&self, stream: TcpStream) -> Result<(), tokio_postgres::Error> {
        let (client, connection) = tokio_postgres::Config::new()
            .user(SUPERUSER)
            .password(self.password.expose())
            .dbname("postgres")
            .connect_raw(stream, NoTls)
            .await?;
        drop(client);
        // Says goodbye, so that the server does not log a lost connection.
        connection.await
    }
}

/// The kernel may have a connection to a port of this machine leave from that very port. If nobody
/// listens there yet, both ends are one: it is open, says nothing, and keeps the port taken.
fn is_with_itself(stream: &TcpStream) -> bool {
    match (stream.local_addr(), stream.peer_addr()) {
        (Ok(local), Ok(peer)) => local == peer,
        _ => false,
    }
}

/// Runs what waits for files and processes on a thread for that.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ClusterError> + Send + 'static,
) -> Result<T, ClusterError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

/// Checks that the port can be bound, or picks one for 0.
fn free_port(port: u16) -> Result<u16, ClusterError> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .and_then(|listener| listener.local_addr())
        .map(|address| address.port())
        .map_err(|error| match error.kind() {
            io::ErrorKind::AddrInUse => ClusterError::PortTaken { port },
            _ => ClusterError::PortRefused {
                port,
                source: error,
            },
        })
}

/// Before it listens, and while it recovers.
fn is_starting(error: &tokio_postgres::Error) -> bool {
    match error.code() {
        Some(code) => *code == SqlState::CANNOT_CONNECT_NOW,
        None => true,
    }
}

fn start_failure(launched: &Launched, data_dir: &Path) -> ClusterError {
    let output = server::log_tail(&launched.log, launched.log_offset);
    if says_disk_full(&output) {
        ClusterError::DiskFull {
            path: data_dir.to_owned(),
        }
    } else if output.contains("could not create any TCP/IP sockets") {
        ClusterError::PortTaken {
            port: launched.port,
        }
    } else {
        ClusterError::Start {
            output,
            log: launched.log.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::{TcpListener, TcpSocket};

    use super::*;

    #[tokio::test]
    async fn a_connection_with_itself_is_none_with_a_server() {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        let own = socket.local_addr().unwrap();
        assert!(is_with_itself(&socket.connect(own).await.unwrap()));

        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        assert!(!is_with_itself(&TcpStream::connect(address).await.unwrap()));
    }
}
