//! The ports of the stack, opened before anything slow happens: a port that is taken ends the
//! start at once and says which option changes it.

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};

/// Connections that may wait to be accepted.
const BACKLOG: i32 = 1024;

/// The app's port unless something else is asked for.
pub(crate) const APP_PORT: u16 = 8080;

/// Which ports to open; 0 picks a free one.
#[derive(Debug, Clone, Copy)]
pub struct Ports {
    /// The API.
    pub api: u16,
    /// The app, which answers the same paths; none when the API port is enough.
    pub app: Option<u16>,
    /// The mailbox, which opens on this machine only; none when mail is really sent.
    pub mail: Option<u16>,
}

/// Open ports.
#[derive(Debug)]
pub struct Listeners {
    pub(super) api: TcpListener,
    pub(super) app: Option<TcpListener>,
    pub(super) mail: Option<TcpListener>,
    addresses: Addresses,
}

/// Where the stack listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Addresses {
    /// The API.
    pub api: SocketAddr,
    /// The app.
    pub app: Option<SocketAddr>,
    /// The mailbox.
    pub mail: Option<SocketAddr>,
}

/// What a port is for, and what gives it another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortName {
    /// What is behind it.
    pub name: &'static str,
    /// The option of `wildfire start`.
    pub option: &'static str,
    /// The key of `config.toml`; empty if there is none.
    setting: &'static str,
}

impl PortName {
    /// The API.
    pub const API: Self = Self::new("API", "--port", "api.port");
    /// The app.
    pub const APP: Self = Self::new("app", "--app-port", "");
    /// The mailbox.
    pub const MAILBOX: Self = Self::new("mailbox", "--mail-port", "local_smtp.port");
    /// An embedded Postgres.
    pub const POSTGRES: Self = Self::new("Postgres", "--db-port", "db.port");

    const fn new(name: &'static str, option: &'static str, setting: &'static str) -> Self {
        Self {
            name,
            option,
            setting,
        }
    }
}

/// A port that cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("{}", explain(*port, *name, source))]
pub struct BindError {
    port: u16,
    name: PortName,
    source: std::io::Error,
}

impl Listeners {
    /// Opens the ports on this address, the mailbox's always on a loopback one: codes and links
    /// in mails open accounts.
    pub fn bind(host: IpAddr, ports: &Ports) -> Result<Self, BindError> {
        let open = |host, port, name| {
            bind(SocketAddr::new(host, port)).map_err(|source| BindError { port, name, source })
        };
        let (api, api_address) = open(host, ports.api, PortName::API)?;
        let app = ports.app.map(|port| open(host, port, PortName::APP));
        let mail = ports
            .mail
            .map(|port| open(loopback(host), port, PortName::MAILBOX));
        let (app, app_address) = app.transpose()?.unzip();
        let (mail, mail_address) = mail.transpose()?.unzip();
        let addresses = Addresses {
            api: api_address,
            app: app_address,
            mail: mail_address,
        };
        Ok(Self {
            api,
            app,
            mail,
            addresses,
        })
    }

    /// Where these ports are.
    pub fn addresses(&self) -> Addresses {
        self.addresses
    }
}

/// The address itself if nobody else can reach it, else loopback of its kind.
pub(crate) fn loopback(host: IpAddr) -> IpAddr {
    match host {
        host if host.is_loopback() => host,
        IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    }
}

fn bind(address: SocketAddr) -> std::io::Result<(TcpListener, SocketAddr)> {
    let domain = socket2::Domain::for_address(address);
    let socket = socket2::Socket::new(domain, socket2::Type::STREAM, None)?;
    // A restart must not wait for the connections of the run before; this does not allow two
    // listeners at once.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    let listener = TcpListener::from(socket);
    let address = listener.local_addr()?;
    Ok((listener, address))
}

fn explain(port: u16, name: PortName, source: &std::io::Error) -> String {
    let PortName {
        name,
        option,
        setting,
    } = name;
    let by = if setting.is_empty() {
        option.to_owned()
    } else {
        format!("{option} or {setting}")
    };
    match source.kind() {
        ErrorKind::AddrInUse => format!(
            "port {port} ({name}) is taken by another program; stop it, or choose another port \
             with {by} (0 picks a free one)"
        ),
        ErrorKind::PermissionDenied => format!(
            "port {port} ({name}) may not be opened by this user; choose one above 1023 with {by}"
        ),
        _ => format!("port {port} ({name}) cannot be opened: {source}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mailbox_opens_on_this_machine_only() {
        let ports = Ports {
            api: 0,
            app: Some(0),
            mail: Some(0),
        };
        let everywhere = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
        let addresses = Listeners::bind(everywhere, &ports).unwrap().addresses();
        assert!(addresses.api.ip().is_unspecified());
        assert!(addresses.app.unwrap().ip().is_unspecified());
        assert!(addresses.mail.unwrap().ip().is_loopback());
        for (host, expected) in [
            ("127.0.0.2", "127.0.0.2"),
            ("::", "::1"),
            ("192.0.2.1", "127.0.0.1"),
        ] {
            assert_eq!(
                loopback(host.parse().unwrap()).to_string(),
                expected,
                "{host}"
            );
        }
    }

    #[test]
    fn a_taken_port_names_the_option_that_changes_it() {
        let host = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let ports = Ports {
            api: 0,
            app: Some(0),
            mail: None,
        };
        let first = Listeners::bind(host, &ports).unwrap();
        let taken = first.addresses().app.unwrap().port();
        let error = Listeners::bind(
            host,
            &Ports {
                app: Some(taken),
                ..ports
            },
        )
        .unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains(&taken.to_string()) && text.contains("--app-port"),
            "{text}"
        );
    }
}
