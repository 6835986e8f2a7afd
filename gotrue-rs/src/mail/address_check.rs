//! Refuses addresses that are known not to exist, where a project asks for it.
//!
//! Mirrors the static rules of upstream's `internal/mailer/validateclient`.
//!
//! Upstream: also asks the DNS whether the host takes mail; here a host without mail shows when
//! the mail server refuses it.

const UNUSED_ADDRESSES: [&str; 4] = [
    "test@gmail.com",
    "example@gmail.com",
    "someone@gmail.com",
    "test@email.com",
];

const UNUSED_HOSTS: [&str; 13] = [
    "test",
    "example",
    "invalid",
    "local",
    "localhost",
    "test.com",
    "example.com",
    "example.net",
    "example.org",
    "gamil.com",
    "gamai.com",
    "anonymous.com",
    "email.com",
];

const UNUSED_SUFFIXES: [&str; 5] = [".test", ".example", ".invalid", ".local", ".localhost"];

/// The shortest name Gmail gives out.
const GMAIL_NAME: usize = 6;

/// Whether a mail to this address may arrive.
pub(super) fn may_exist(address: &str) -> bool {
    let Some((name, host)) = address.rsplit_once('@') else {
        return false;
    };
    let is_unused = UNUSED_ADDRESSES.contains(&address)
        || UNUSED_HOSTS.contains(&host)
        || UNUSED_SUFFIXES.iter().any(|suffix| host.ends_with(suffix));
    let is_short_gmail = host == "gmail.com" && name.len() < GMAIL_NAME;
    host.contains('.') && !is_unused && !is_short_gmail
}

#[cfg(test)]
mod tests {
    use super::may_exist;

    #[test]
    fn well_known_mistakes_are_refused() {
        for address in [
            "test@gmail.com",
            "ada@gmail.com",
            "ada@example.com",
            "ada@printer.local",
            "ada@intranet",
            "ada",
        ] {
            assert!(!may_exist(address), "{address}");
        }
        for address in ["lovelace@gmail.com", "ada@analytical.engine"] {
            assert!(may_exist(address), "{address}");
        }
    }
}
