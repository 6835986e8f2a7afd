//! The server settings this program decides.
//!
//! What must hold for the program to work is passed on the command line, which
//! nothing overrides. What is only a sensible default for a developer's machine is
//! written to `wildfire.conf` in the data folder, so that `ALTER SYSTEM` and the
//! project's own settings win over it.

use std::fmt::Write as _;

use super::binaries::Binaries;

/// File in the data folder that `postgresql.conf` includes.
pub(super) const CONFIG_FILE: &str = "wildfire.conf";

/// Settings that every start forces.
pub(super) fn forced(port: u16, durable: bool) -> Vec<(&'static str, String)> {
    let mut settings = vec![
        ("port", port.to_string()),
        ("listen_addresses", "127.0.0.1".to_owned()),
        // A socket would need a folder with a short path that both accounts reach.
        ("unix_socket_directories", String::new()),
        ("wal_level", "logical".to_owned()),
        ("logging_collector", "off".to_owned()),
        ("log_destination", "stderr".to_owned()),
    ];
    let durability = if durable { "on" } else { "off" };
    for name in ["fsync", "full_page_writes", "synchronous_commit"] {
        // A durable server may relax synchronous_commit per role or session.
        if !durable || name != "synchronous_commit" {
            settings.push((name, durability.to_owned()));
        }
    }
    if !durable {
        // Its workers would hold on to template databases.
        settings.push(("autovacuum", "off".to_owned()));
    }
    settings
}

/// The text of `wildfire.conf`: defaults, then what the caller asked for.
pub(super) fn config_file(binaries: &Binaries, extra: &[(String, String)]) -> String {
    let mut text = String::from(
        "# Written by Wildfire at every start; edits are lost.\n\
         # Use `alter system set ...` or [db.settings] in supabase/config.toml instead.\n",
    );
    let own = defaults(binaries);
    let own = own.iter().map(|(name, value)| (*name, *value));
    let extra = extra
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    for (name, value) in own.chain(extra) {
        let value = value.replace('\'', "''");
        // Writing to a string cannot fail.
        _ = writeln!(text, "{name} = '{value}'");
    }
    text
}

fn defaults(binaries: &Binaries) -> Vec<(&'static str, &'static str)> {
    let mut settings = vec![
        ("shared_buffers", "64MB"),
        ("max_connections", "100"),
        ("max_wal_senders", "10"),
        ("max_replication_slots", "10"),
        ("wal_buffers", "1MB"),
        ("max_wal_size", "512MB"),
        ("timezone", "UTC"),
        ("log_timezone", "UTC"),
        // Failed statements belong to whoever sent them: they may hold anybody's data.
        ("log_min_messages", "log"),
        ("log_line_prefix", "%m [%p] %q%u@%d "),
        ("cluster_name", "wildfire"),
        // Compiling a plan costs more than the short statements here gain.
        ("jit", "off"),
    ];
    if binaries.major() >= 18 {
        // Reads as the versions before it, without three more processes.
        settings.push(("io_method", "sync"));
    }
    if binaries.has_library("pg_stat_statements") {
        settings.push(("shared_preload_libraries", "pg_stat_statements"));
        // Callers' claims are set by utility statements, whose texts it would keep for all to read.
        settings.push(("pg_stat_statements.track_utility", "off"));
    }
    settings
}
