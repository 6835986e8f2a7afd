//! Where a browser may be sent after a mail link, and how the target is put together.
//!
//! Mirrors upstream's `internal/utilities/request.go` (`IsRedirectURLValid`, `GetReferrer`).

pub(crate) mod address;
pub(crate) mod glob;
pub(crate) mod query;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use std::net::IpAddr;

use platform::env::Reader;

use address::Address;
use glob::Glob;

/// `GOTRUE_SITE_URL` and `GOTRUE_URI_ALLOW_LIST`.
#[derive(Debug, Clone)]
pub(crate) struct RedirectRules {
    site_url: String,
    site: Option<Address>,
    allowed: Vec<Glob>,
}

impl RedirectRules {
    /// Reads both variables; a pattern that cannot be read is reported at start, as upstream
    /// does.
    pub(crate) fn from_env(env: &Reader<'_>) -> Self {
        let name = "GOTRUE_SITE_URL";
        let site_url = env.required(name);
        // Upstream: every link of a mail leads nowhere.
        let is_address = site_url.contains("://") && url::Url::parse(&site_url).is_ok();
        if !site_url.is_empty() && !is_address {
            env.problem(
                name,
                &format!("must be an address such as https://example.com, not {site_url:?}"),
            );
        }
        let mut allowed = Vec::new();
        for pattern in env.list("GOTRUE_URI_ALLOW_LIST") {
            match Glob::parse(&pattern) {
                Ok(glob) => allowed.push(glob),
                Err(reason) => {
                    env.problem("GOTRUE_URI_ALLOW_LIST", &format!("{pattern}: {reason}"));
                }
            }
        }
        Self::new(site_url, allowed)
    }

    fn new(site_url: String, allowed: Vec<Glob>) -> Self {
        let site = Address::parse(&site_url);
        Self {
            site_url,
            site,
            allowed,
        }
    }

    /// Where everybody ends who named no valid target.
    pub(crate) fn site_url(&self) -> &str {
        &self.site_url
    }

    /// The first valid one of what the client asked for, the page it came from and the site.
    pub(crate) fn resolve(&self, asked: Option<&str>, referer: Option<&str>) -> String {
        [asked, referer]
            .into_iter()
            .flatten()
            .find(|url| self.allows(url))
            .unwrap_or(&self.site_url)
            .to_owned()
    }

    /// Whether a browser may be sent to this URL.
    pub(crate) fn allows(&self, url: &str) -> bool {
        // Upstream: what follows `#` may hold them.
        if url.is_empty() || url.contains(char::is_control) {
            return false;
        }
        let (Some(site), Some(target)) = (&self.site, Address::parse(url)) else {
            return false;
        };
        let host = target.hostname();
        if site.scheme == target.scheme
            && site.hostname() == host
            && (site.port() == target.port() || is_local(host))
        {
            return true;
        }
        if !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_digit()) {
            return false;
        }
        let is_web = matches!(target.scheme.as_str(), "http" | "https");
        match host.parse::<IpAddr>() {
            Ok(ip) if !is_loopback(ip) => return false,
            Ok(_) if is_web => return true,
            Err(_) if is_web && !is_regular_hostname(host) => return false,
            // Upstream: any scheme may go to this machine; here the allow list has to name it.
            Ok(_) | Err(_) => {}
        }
        let without_fragment = url.split('#').next().unwrap_or(url);
        self.allowed
            .iter()
            .any(|glob| glob.matches(without_fragment))
    }
}

/// Hosts of this machine: native apps listen on whatever port is free (RFC 8252, 7.3).
fn is_local(host: &str) -> bool {
    let lower = host.to_ascii_lowercase();
    matches!(
        lower.as_str(),
        "localhost" | "127.0.0.1" | "::1" | "0.0.0.0" | "::"
    ) || lower.ends_with(".localhost")
}

fn is_loopback(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_loopback(),
        IpAddr::V6(ip) => {
            ip.is_loopback() || ip.to_ipv4_mapped().is_some_and(|ip| ip.is_loopback())
        }
    }
}

fn is_regular_hostname(host: &str) -> bool {
    let edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    edge(host.chars().next())
        && edge(host.chars().last())
        && host
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'))
}
