//! All open connections of this process, how many there may be, and which has to make room.
//!
//! Nobody is turned away because others came before: when a bound is reached, the connection that
//! has done nothing for longest is closed. Whoever opens connections to keep others out would have
//! to be faster than everybody else taken together.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::net::{IpAddr, Ipv6Addr, Shutdown, TcpListener};
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use socket2::SockRef;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::Connection;
use crate::http::config::HttpConfig;
use crate::http::files;
use crate::telemetry::{CloseReason, http_metrics};

/// How many connections are looked at to find one that can make room.
const LOOKED_AT: usize = 32;

/// Bytes in flight held for less than this are an exchange under way.
const UNDER_WAY: Duration = Duration::from_secs(2);

/// And held for more than this, by a client that takes them slowly if at all.
const SLOW: Duration = Duration::from_secs(10);

/// How often it is looked for connections that hold bytes for long.
const SWEEP_MS: u64 = 100;

/// No client may hold more than one of so many parts of what all may hold together.
const SHARES: usize = 4;

type ById = BTreeMap<u64, Arc<Connection>>;

/// The connections of all servers of one process.
pub struct Connections {
    pub(in crate::http) config: HttpConfig,
    open: Mutex<Open>,
    held: AtomicUsize,
    /// The same by client.
    shares: Mutex<HashMap<IpAddr, usize>>,
    born: Instant,
    swept: AtomicU64,
    /// When it was told to end, and what tells the layer above so.
    pub(in crate::http) stopped: OnceLock<Instant>,
    pub(in crate::http) stopping: CancellationToken,
    /// Where they come from.
    listeners: Mutex<Vec<TcpListener>>,
    /// Heard whenever the last connection is closed.
    none_left: Notify,
}

#[derive(Default)]
struct Open {
    last_id: u64,
    all: ById,
    /// Those without a completed request, the oldest first.
    waiting: ById,
    networks: HashMap<IpAddr, Network>,
    /// Where to look next for an idle one.
    cursor: u64,
}

/// The connections of one address.
#[derive(Default)]
struct Network {
    all: ById,
    waiting: ById,
    cursor: u64,
}

impl Connections {
    /// None yet. Raises the limit of open files, which there must be one of for each.
    pub fn new(mut config: HttpConfig) -> Arc<Self> {
        config.max_connections = config.max_connections.min(files::raise_limit()).max(1);
        Arc::new(Self {
            config,
            open: Mutex::default(),
            held: AtomicUsize::new(0),
            shares: Mutex::default(),
            born: Instant::now(),
            swept: AtomicU64::new(0),
            stopped: OnceLock::new(),
            stopping: CancellationToken::new(),
            listeners: Mutex::default(),
            none_left: Notify::new(),
        })
    }

    /// Connections come from here, too.
    pub(in crate::http) fn come_from(&self, listener: &TcpListener) -> io::Result<()> {
        let mut listeners = self.listeners();
        listeners.push(listener.try_clone()?);
        Ok(())
    }

    /// Has the kernel refuse whoever comes now. Closing would not do: a server keeps its listeners
    /// until it has ended, and clients would be let in to wait for an answer that never comes.
    pub(in crate::http) fn close_doors(&self) {
        for listener in self.listeners().drain(..) {
            // Where listeners cannot be shut down, clients find out when the server has ended.
            let _ = SockRef::from(&listener).shutdown(Shutdown::Both);
        }
    }

    fn listeners(&self) -> MutexGuard<'_, Vec<TcpListener>> {
        self.listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes no further connections in, closes those where nothing happens, and returns when all
    /// others have their answers; [`Connection::deadline`] says how long each gets. None gets longer
    /// than `most`.
    pub(in crate::http) async fn drain(&self, most: Duration) {
        self.stopped.get_or_init(Instant::now);
        self.stopping.cancel();
        for connection in self.open().all.values() {
            connection.waker.wake();
        }
        let drained = tokio::time::timeout(most, async {
            loop {
                let closed = self.none_left.notified();
                if self.open().all.is_empty() {
                    break;
                }
                closed.await;
            }
        });
        if drained.await.is_err() {
            let left = self.open().all.len();
            tracing::warn!(
                connections = left,
                "Some requests were not answered in time"
            );
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a new connection in, or says why not.
    pub(in crate::http) fn admit(
        self: &Arc<Self>,
        peer: IpAddr,
    ) -> Result<Arc<Connection>, CloseReason> {
        let network = (self.config.trusted_proxies == 0).then(|| network(peer));
        let mut open = self.open();
        if self.stopping.is_cancelled() {
            return Err(CloseReason::Stopping);
        }
        let open = &mut *open;
        let same = network.and_then(|network| open.networks.get_mut(&network));
        if let Some(same) = same {
            // All of a crowd that comes at once are let in, as far as there is room at all.
            let gives_way = if same.all.len() >= self.config.max_connections_per_address {
                let idle = most_dispensable(&same.all, &mut same.cursor);
                Some(idle.ok_or(CloseReason::AddressCrowded)?)
            } else if same.waiting.len() >= self.config.max_waiting_per_address {
                oldest(&same.waiting)
            } else {
                None
            };
            if let Some(gives_way) = gives_way {
                open.evict(&gives_way, CloseReason::AddressCrowded);
            }
        }
        if open.waiting.len() >= self.config.max_waiting
            && let Some(oldest) = oldest(&open.waiting)
        {
            open.evict(&oldest, CloseReason::Crowded);
        }
        if open.all.len() >= self.config.max_connections {
            let idle = most_dispensable(&open.all, &mut open.cursor);
            let idle = idle.ok_or(CloseReason::Full)?;
            open.evict(&idle, CloseReason::Full);
        }
        open.last_id += 1;
        let id = open.last_id;
        let connection = Arc::new(Connection::new(id, network, Arc::downgrade(self)));
        open.all.insert(id, Arc::clone(&connection));
        open.waiting.insert(id, Arc::clone(&connection));
        if let Some(network) = network {
            let same = open.networks.entry(network).or_default();
            same.all.insert(id, Arc::clone(&connection));
            same.waiting.insert(id, Arc::clone(&connection));
        }
        Ok(connection)
    }

    /// A connection has completed a request.
    pub(in crate::http) fn prove(&self, connection: &Connection) {
        self.open().is_waiting_no_more(connection);
    }

    /// A connection is closed.
    pub(in crate::http) fn forget(&self, connection: &Connection) {
        let mut open = self.open();
        open.remove(connection);
        if open.all.is_empty() {
            self.none_left.notify_waiters();
        }
    }

    /// Counts bytes held for a client.
    pub(in crate::http) fn hold(&self, client: Option<IpAddr>, bytes: usize) {
        if let Some(client) = client {
            *self.shares().entry(network(client)).or_default() += bytes;
        }
        let held = self.held.fetch_add(bytes, Relaxed) + bytes;
        http_metrics().in_flight(held);
        self.is_full(client);
    }

    pub(in crate::http) fn release(&self, client: Option<IpAddr>, bytes: usize) {
        if let Some(client) = client {
            let mut shares = self.shares();
            if let Entry::Occupied(mut share) = shares.entry(network(client)) {
                *share.get_mut() -= bytes;
                if *share.get() == 0 {
                    share.remove();
                }
            }
        }
        let held = self.held.fetch_sub(bytes, Relaxed) - bytes;
        http_metrics().in_flight(held);
    }

    /// Whether no more bytes may be taken in for this client: because there are too many in all,
    /// or because of his own.
    pub(in crate::http) fn is_full(&self, client: Option<IpAddr>) -> bool {
        let most = self.config.max_bytes_in_flight;
        let full = || self.held.load(Relaxed) >= most || self.has_full_share(client);
        full() && {
            self.make_room();
            full()
        }
    }

    /// Whether this client holds as many bytes as one may.
    fn has_full_share(&self, client: Option<IpAddr>) -> bool {
        let share = |client| self.shares().get(&network(client)).copied();
        let most = self.config.max_bytes_in_flight / SHARES;
        client.and_then(share).unwrap_or_default() >= most
    }

    fn shares(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.shares.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes those who have held bytes for longest, of all or of a client that holds his share,
    /// until there is room or all the others are quick.
    fn make_room(&self) {
        let now = u64::try_from(self.born.elapsed().as_millis()).unwrap_or(u64::MAX);
        let swept = self.swept.load(Relaxed);
        let due = now.saturating_sub(swept) >= SWEEP_MS || swept == 0;
        let mine = || {
            let next = now.max(1);
            self.swept.compare_exchange(swept, next, Relaxed, Relaxed)
        };
        if !due || mine().is_err() {
            return;
        }
        let mut open = self.open();
        let mut holders: Vec<_> = open
            .all
            .values()
            .filter_map(|it| Some((it.holding_for()?, Arc::clone(it))))
            .filter(|(age, _)| *age > UNDER_WAY)
            .collect();
        holders.sort_by_key(|(age, _)| std::cmp::Reverse(*age));
        let most = self.config.max_bytes_in_flight;
        let mut excess = self.held.load(Relaxed).saturating_sub(most / 2);
        let mut shares = self.shares().clone();
        for (age, holder) in holders {
            let held = holder.held();
            let share = holder.client().map(network);
            let share = share.and_then(|client| shares.get_mut(&client));
            let fills_share = share.is_some_and(|share| {
                let is_full = age > SLOW && *share >= most / SHARES;
                *share = share.saturating_sub(if is_full { held } else { 0 });
                is_full
            });
            if excess > 0 || fills_share {
                excess = excess.saturating_sub(held);
                open.evict(&holder, CloseReason::Holding);
            }
        }
    }
}

impl Open {
    fn evict(&mut self, connection: &Connection, reason: CloseReason) {
        self.remove(connection);
        connection.close(reason);
    }

    fn remove(&mut self, connection: &Connection) {
        self.all.remove(&connection.id);
        self.is_waiting_no_more(connection);
        let network = connection
            .network
            .map(|network| self.networks.entry(network));
        if let Some(Entry::Occupied(mut same)) = network {
            same.get_mut().all.remove(&connection.id);
            if same.get().all.is_empty() {
                same.remove();
            }
        }
    }

    fn is_waiting_no_more(&mut self, connection: &Connection) {
        self.waiting.remove(&connection.id);
        let network = connection.network.as_ref();
        if let Some(same) = network.and_then(|network| self.networks.get_mut(network)) {
            same.waiting.remove(&connection.id);
        }
    }
}

/// The most dispensable among the next few after the cursor, going round.
fn most_dispensable(all: &ById, cursor: &mut u64) -> Option<Arc<Connection>> {
    let after = all.range((Excluded(*cursor), Unbounded));
    let next: Vec<_> = after
        .chain(all.range(..=*cursor))
        .take(LOOKED_AT)
        .map(|(_, connection)| Arc::clone(connection))
        .collect();
    *cursor = next.last().map_or(0, |last| last.id);
    next.into_iter()
        .filter_map(|it| Some((it.dispensable()?, it)))
        .max_by_key(|(how, _)| *how)
        .map(|(_, it)| it)
}

fn oldest(connections: &ById) -> Option<Arc<Connection>> {
    let mut first = connections.values().take(LOOKED_AT);
    first.find(|it| it.may_give_way()).cloned()
}

/// What counts as one client: an IPv4 address, or a /64 of IPv6, which one household has.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from(u128::from(v6) & (u128::MAX << 64))),
        v4 @ IpAddr::V4(_) => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_is_an_ipv4_address_or_a_64() {
        for (left, right, same) in [
            ("192.0.2.1", "::ffff:192.0.2.1", true),
            ("192.0.2.1", "192.0.2.2", false),
            ("2001:db8::1", "2001:db8::ffff:1:2:3", true),
            ("2001:db8::1", "2001:db8:0:1::1", false),
        ] {
            let of = |text: &str| network(text.parse().unwrap());
            assert_eq!(of(left) == of(right), same, "{left} {right}");
        }
    }
}
