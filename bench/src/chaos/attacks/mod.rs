//! The hostile shapes, by name.

mod database;
mod floods;
mod sockets;

use std::future::Future;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::honest::headers;
use super::installation::Installation;
use super::priority::Priority;
use super::smtp::Sink;
use super::tally::Tally;
use crate::Failure;
use crate::http::{Connection, Request};

pub(crate) use floods::fill_lists;

/// Where the attacker sits.
const ATTACKER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// A hostile shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attack {
    Idle,
    SlowHeads,
    ParkedHeads,
    SlowBodies,
    Unread,
    Pipelined,
    Huge,
    Continuation,
    Lists,
    Passwords,
    LargePasswords,
    Mails,
    SilentMail,
    LockedTable,
    DeadPostgres,
    DiskFull,
}

impl Attack {
    /// All of them, in the order they run.
    pub(crate) const ALL: [Self; 16] = [
        Self::Idle,
        Self::SlowHeads,
        Self::ParkedHeads,
        Self::SlowBodies,
        Self::Unread,
        Self::Pipelined,
        Self::Huge,
        Self::Continuation,
        Self::Lists,
        Self::Passwords,
        Self::LargePasswords,
        Self::Mails,
        Self::SilentMail,
        Self::LockedTable,
        Self::DeadPostgres,
        Self::DiskFull,
    ];

    /// What it is called on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::SlowHeads => "slow-heads",
            Self::ParkedHeads => "parked-heads",
            Self::SlowBodies => "slow-bodies",
            Self::Unread => "unread",
            Self::Pipelined => "pipelined",
            Self::Huge => "huge",
            Self::Continuation => "continuation",
            Self::Lists => "lists",
            Self::Passwords => "passwords",
            Self::LargePasswords => "large-passwords",
            Self::Mails => "mails",
            Self::SilentMail => "silent-mail",
            Self::LockedTable => "locked-table",
            Self::DeadPostgres => "dead-postgres",
            Self::DiskFull => "disk-full",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|attack| attack.name() == name)
    }

    /// Whether the database itself goes away, so that nobody can be served for a while.
    pub(crate) fn takes_the_database(self) -> bool {
        matches!(self, Self::DeadPostgres | Self::DiskFull)
    }

    /// Whether somebody new can get a mail and sign in meanwhile.
    pub(crate) fn lets_mail_through(self) -> bool {
        self != Self::SilentMail && !self.takes_the_database()
    }

    pub(crate) fn needs_long_lists(self) -> bool {
        matches!(self, Self::Unread | Self::Lists)
    }

    pub(crate) fn needs_small_disk(self) -> bool {
        self == Self::DiskFull
    }

    /// Runs it on a thread of its own.
    pub(crate) fn launch(self, target: Target) -> JoinHandle<Result<(), String>> {
        std::thread::spawn(move || {
            Priority::Leftovers
                .take()
                .map_err(|error| error.to_string())?;
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(|error| error.to_string())?;
            let outcome = runtime.block_on(self.run(target));
            // Sockets that nobody waits for are dropped with it.
            runtime.shutdown_background();
            outcome.map_err(|error| error.to_string())
        })
    }

    async fn run(self, target: Target) -> Result<(), Failure> {
        match self {
            Self::Idle => sockets::idle(&target).await,
            Self::SlowHeads => sockets::slow_heads(&target).await,
            Self::ParkedHeads => sockets::parked_heads(&target).await,
            Self::SlowBodies => sockets::slow_bodies(&target).await,
            Self::Unread => sockets::unread(&target).await,
            Self::Pipelined => sockets::pipelined(&target).await,
            Self::Huge => sockets::huge(&target).await,
            Self::Continuation => sockets::continuation(&target).await,
            Self::Lists => floods::lists(&target).await,
            Self::Passwords => floods::passwords(&target).await,
            Self::LargePasswords => sockets::large_passwords(&target).await,
            Self::Mails => floods::mails(&target).await,
            Self::SilentMail => floods::silent_mail(&target).await,
            Self::LockedTable => return database::locked_table(&target).await,
            Self::DeadPostgres => return database::dead_postgres(&target).await,
            Self::DiskFull => return database::disk_full(&target).await,
        }
        Ok(())
    }
}

/// What the attacker knows.
#[derive(Clone)]
pub(crate) struct Target {
    port: u16,
    /// The public key, which everybody has.
    key: String,
    /// For what only somebody on the machine can do.
    database_url: String,
    pid: u32,
    disk: PathBuf,
    sink: Sink,
    tally: Arc<Tally>,
    until: Instant,
}

impl Target {
    pub(crate) fn new(
        installation: &Installation,
        tally: Arc<Tally>,
        until: Instant,
    ) -> Result<Self, Failure> {
        let server = &installation.server;
        Ok(Self {
            port: server.port,
            key: server.text("ANON_KEY")?.to_owned(),
            database_url: server.text("DB_URL")?.to_owned(),
            pid: server.pid()?,
            disk: installation.disk.clone(),
            sink: installation.sink.clone(),
            tally,
            until,
        })
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.until
    }

    /// Runs `count` attackers side by side, each again and again, until time is up.
    async fn side_by_side<F: Future<Output = Result<(), Failure>>>(
        &self,
        count: usize,
        one: impl Fn(usize) -> F,
    ) {
        let attackers = (0..count).map(async |index| {
            while !self.is_over() {
                if one(index).await.is_err() {
                    self.tally.count("broken off");
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            }
        });
        let all = futures_util::future::join_all(attackers);
        // Whoever hangs on a socket is dropped when time is up.
        let _ = tokio::time::timeout_at(self.until.into(), all).await;
    }

    /// Sends requests on one connection until it breaks or time is up.
    async fn hammer(&self, next: impl FnMut() -> Request) -> Result<(), Failure> {
        self.hammer_from(ATTACKER, next).await
    }

    /// The same from an address of one's own.
    async fn hammer_from(
        &self,
        source: Ipv4Addr,
        mut next: impl FnMut() -> Request,
    ) -> Result<(), Failure> {
        let mut connection = Connection::open_from(source, self.port).await?;
        while !self.is_over() {
            let answer = connection.call(&next()).await?;
            self.tally.answer(&answer);
        }
        Ok(())
    }

    fn request(&self, method: &str, path: &str, body: Option<&serde_json::Value>) -> Request {
        Request::with_headers(method, path, &headers(&self.key, ""), body)
    }
}
