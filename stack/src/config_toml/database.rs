//! `[api]`, `[db]` and `[local_smtp]`: ports, migrations, seeds and Postgres settings.

use std::path::{Path, PathBuf};

use super::reader::Reader;

/// `[api]`.
#[derive(Debug, Clone)]
pub struct Api {
    /// The port of the API; 54321 unless set.
    pub port: u16,
    /// Where clients reach the API, when that is not `http://127.0.0.1:<port>`.
    pub external_url: Option<String>,
    /// The project's schemas that the data API offers.
    pub schemas: Vec<String>,
}

/// `[db]`.
#[derive(Debug, Clone)]
pub struct Db {
    /// The port of Postgres; 54322 unless set.
    pub port: u16,
    /// Whether `migrations/*.sql` of the project are applied.
    pub migrations_enabled: bool,
    /// Seed files or glob patterns, absolute, in order; empty when seeding is off.
    pub seed_paths: Vec<PathBuf>,
    /// `[db.settings]`: Postgres parameters and their values.
    pub settings: Vec<(String, String)>,
}

/// `[local_smtp]`, formerly `[inbucket]`: the mailbox.
#[derive(Debug, Clone)]
pub struct Mailbox {
    /// Whether mail without an SMTP server is filed in the mailbox.
    pub enabled: bool,
    /// The port of the mailbox page; 54324 unless set.
    pub port: u16,
}

const SETTINGS: &[&str] = &[
    "effective_cache_size",
    "logical_decoding_work_mem",
    "maintenance_work_mem",
    "max_connections",
    "max_locks_per_transaction",
    "max_parallel_maintenance_workers",
    "max_parallel_workers",
    "max_parallel_workers_per_gather",
    "max_replication_slots",
    "max_slot_wal_keep_size",
    "max_standby_archive_delay",
    "max_standby_streaming_delay",
    "max_wal_size",
    "max_wal_senders",
    "max_worker_processes",
    "session_replication_role",
    "shared_buffers",
    "statement_timeout",
    "track_activity_query_size",
    "track_commit_timestamp",
    "wal_keep_size",
    "wal_sender_timeout",
    "work_mem",
];

pub(super) fn api(reader: &Reader<'_>) -> Api {
    // The data API is not built yet; the keys that only it reads are accepted without a word.
    reader.accept(
        "api",
        &[
            "enabled",
            "extra_search_path",
            "max_rows",
            "auto_expose_new_tables",
        ],
    );
    reader.accept("api.tls", &["cert_path", "key_path"]);
    if reader.bool("api.tls.enabled", false) {
        let message = "api.tls is not part of this build yet; the API answers without TLS";
        reader.warn(reader.line("api.tls.enabled"), message);
    }
    Api {
        port: reader.number("api.port", 54321),
        external_url: reader.text("api.external_url"),
        schemas: reader.list("api.schemas", &["public", "graphql_public"]),
    }
}

pub(super) fn db(reader: &Reader<'_>, supabase_dir: &Path) -> Db {
    reader.accept(
        "db",
        &[
            "shadow_port",
            "health_timeout",
            "orioledb_version",
            "root_key",
        ],
    );
    reader.accept("db.migrations", &["schema_paths"]);
    reader.accept_all("db.pooler");
    reader.accept_all("db.network_restrictions");
    reader.accept_all("db.ssl_enforcement");
    unbuilt(reader, "db.pooler.enabled", "the pooler");
    unbuilt(reader, "db.ssl_enforcement.enabled", "TLS to Postgres");
    reader.accept_all("db.vault");
    if reader.has("db.vault") {
        let message = "[db.vault] is not part of this build yet and has no effect";
        reader.warn(reader.line("db.vault"), message);
    }
    let seed = reader.list("db.seed.sql_paths", &["./seed.sql"]);
    let seeded = reader.bool("db.seed.enabled", true);
    let seed_paths = seed
        .iter()
        .filter(|_| seeded)
        // Without the `.` of "./seed.sql", which only disturbs in messages.
        .map(|path| supabase_dir.join(path).components().collect())
        .collect();
    let setting = |name: &&str| {
        reader
            .text(&format!("db.settings.{name}"))
            .map(|value| ((*name).to_owned(), value))
    };
    check_major_version(reader);
    Db {
        port: reader.number("db.port", 54322),
        migrations_enabled: reader.bool("db.migrations.enabled", true),
        seed_paths,
        settings: SETTINGS.iter().filter_map(setting).collect(),
    }
}

pub(super) fn mailbox(reader: &Reader<'_>) -> Mailbox {
    for section in ["inbucket", "local_smtp"] {
        reader.accept(section, &["pop3_port", "admin_email", "sender_name"]);
        if reader.text(&format!("{section}.smtp_port")).is_some() {
            let message = format!("{section}.smtp_port is not part of this build yet");
            reader.warn(reader.line(&format!("{section}.smtp_port")), &message);
        }
    }
    let enabled = reader.bool("inbucket.enabled", true);
    let port = reader.number("inbucket.port", 54324);
    Mailbox {
        enabled: reader.bool("local_smtp.enabled", enabled),
        port: reader.number("local_smtp.port", port),
    }
}

/// The version is that of the Postgres there is; a project says which it was made for.
fn check_major_version(reader: &Reader<'_>) {
    let path = "db.major_version";
    let version: u16 = reader.number(path, 17);
    if !(13..=18).contains(&version) {
        let message = format!("{path} must be a version of Postgres from 13 to 18, not {version}");
        reader.problem(reader.line(path), &message);
    }
}

fn unbuilt(reader: &Reader<'_>, path: &str, what: &str) {
    if reader.bool(path, false) {
        let message = format!("{path}: {what} is not part of this build yet");
        reader.warn(reader.line(path), &message);
    }
}
