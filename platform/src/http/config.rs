//! What a server allows its clients, read from the environment.

use std::time::Duration;

use crate::env::Reader;

/// How long a body may take. A duration of zero is no deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyRules {
    /// Time for the whole.
    pub total: Duration,
    /// Each span of this length has to bring at least [`Self::progress`].
    pub span: Duration,
    /// Bytes per span.
    pub progress: usize,
}

impl Default for BodyRules {
    fn default() -> Self {
        Self {
            total: Duration::from_mins(1),
            span: Duration::from_secs(10),
            progress: 4096,
        }
    }
}

/// Deadlines and bounds of every server of this process. A duration of zero is no deadline.
#[derive(Clone, Debug)]
pub struct HttpConfig {
    /// `WILDFIRE_TRUST_PROXY` (default false): how many proxies stand in front, whose
    /// `X-Forwarded-*` count; true is one.
    pub trusted_proxies: usize,
    /// `WILDFIRE_HTTP_MAX_CONNECTIONS` (default 4096): most connections open at once; the one that
    /// has been idle longest makes room. Never more than the process may have files open.
    pub max_connections: usize,
    /// `WILDFIRE_HTTP_MAX_WAITING` (default 1024): most connections that have not completed a
    /// request yet; the oldest makes room.
    pub max_waiting: usize,
    /// `WILDFIRE_HTTP_MAX_WAITING_PER_ADDRESS` (default 256): the same for one IPv4 address or one
    /// /64 of IPv6; does not apply behind trusted proxies, whose address all clients share.
    pub max_waiting_per_address: usize,
    /// `WILDFIRE_HTTP_MAX_CONNECTIONS_PER_ADDRESS` (default 1024): most connections of one IPv4
    /// address or one /64 of IPv6, whatever they do; the one that has been idle longest makes room.
    /// Does not apply behind trusted proxies.
    pub max_connections_per_address: usize,
    /// `WILDFIRE_HTTP_FIRST_BYTE_TIMEOUT` (default 10s): time a new connection has to say something.
    pub first_byte_timeout: Duration,
    /// `WILDFIRE_HTTP_HEAD_TIMEOUT` (default 10s): time from the first to the last byte of a
    /// request's head.
    pub head_timeout: Duration,
    /// `WILDFIRE_HTTP_KEEP_ALIVE` (default 75s): how long an idle connection stays open; longer than
    /// proxies keep theirs, so that they and not this server close it.
    pub keep_alive: Duration,
    /// `WILDFIRE_HTTP_WRITE_TIMEOUT` (default 30s): how long a client may take nothing of its answer.
    pub write_timeout: Duration,
    /// `WILDFIRE_HTTP_BODY_TIMEOUT` (default 60s): time a request body may take, unless its route
    /// allows more.
    pub body: BodyRules,
    /// `WILDFIRE_HTTP_LAST_UPLOADS` (default 10s): time a request body that is arriving gets when the
    /// process is told to end.
    pub last_uploads: Duration,
    /// `WILDFIRE_HTTP_MAX_BYTES_IN_FLIGHT` (default 33554432): bytes of requests that have
    /// not been answered and of answers not yet taken, together; whoever holds his share longest makes room.
    pub max_bytes_in_flight: usize,
}

impl Default for HttpConfig {
    fn default() -> Self {
        Self {
            trusted_proxies: 0,
            max_connections: 4096,
            max_waiting: 1024,
            max_waiting_per_address: 256,
            max_connections_per_address: 1024,
            first_byte_timeout: Duration::from_secs(10),
            head_timeout: Duration::from_secs(10),
            keep_alive: Duration::from_secs(75),
            write_timeout: Duration::from_secs(30),
            body: BodyRules::default(),
            last_uploads: Duration::from_secs(10),
            max_bytes_in_flight: 32 << 20,
        }
    }
}

impl HttpConfig {
    /// Reads the settings; the reader collects what is wrong with them.
    pub fn from_env(env: &Reader<'_>) -> Self {
        let or = Self::default();
        let count = |name, default| env.positive(name, default);
        let time = |name, default| env.duration(name, default);
        Self {
            trusted_proxies: trusted_proxies(env),
            max_connections: count("WILDFIRE_HTTP_MAX_CONNECTIONS", or.max_connections),
            max_waiting: count("WILDFIRE_HTTP_MAX_WAITING", or.max_waiting),
            max_waiting_per_address: count(
                "WILDFIRE_HTTP_MAX_WAITING_PER_ADDRESS",
                or.max_waiting_per_address,
            ),
            max_connections_per_address: count(
                "WILDFIRE_HTTP_MAX_CONNECTIONS_PER_ADDRESS",
                or.max_connections_per_address,
            ),
            first_byte_timeout: time("WILDFIRE_HTTP_FIRST_BYTE_TIMEOUT", or.first_byte_timeout),
            head_timeout: time("WILDFIRE_HTTP_HEAD_TIMEOUT", or.head_timeout),
            keep_alive: time("WILDFIRE_HTTP_KEEP_ALIVE", or.keep_alive),
            write_timeout: time("WILDFIRE_HTTP_WRITE_TIMEOUT", or.write_timeout),
            body: BodyRules {
                total: time("WILDFIRE_HTTP_BODY_TIMEOUT", or.body.total),
                ..or.body
            },
            last_uploads: time("WILDFIRE_HTTP_LAST_UPLOADS", or.last_uploads),
            max_bytes_in_flight: count("WILDFIRE_HTTP_MAX_BYTES_IN_FLIGHT", or.max_bytes_in_flight),
        }
    }
}

fn trusted_proxies(env: &Reader<'_>) -> usize {
    let name = "WILDFIRE_TRUST_PROXY";
    match env.string(name).unwrap_or_default().as_str() {
        "" | "false" => 0,
        "true" => 1,
        number => number.parse().unwrap_or_else(|_| {
            env.problem(
                name,
                "must be true, false or the number of proxies in front",
            );
            0
        }),
    }
}
