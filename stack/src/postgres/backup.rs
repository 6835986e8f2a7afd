//! Postgres' own backup functions (manual, "Making a Base Backup Using the Low Level API"): while a
//! session holds one, the files of the server may be copied as they change, and the server's log from
//! its start to its end makes them one moment's.
//!
//! All of it ends with the session, however that ends: the slot that keeps the log and the backup.

use std::path::Path;

use platform::cluster::{SUPERUSER, url_at};
use platform::pg::{Client, Database, Executor, column};

use super::embedded::let_in;
use super::{PostgresError, connect};
use crate::secrets::Secrets;

const BEGIN: &str = "set idle_session_timeout = 0; set tcp_user_timeout = 0";

const KEEP_LOG: &str = "-- pg_catalog.pg_create_physical_replication_slot
select slot_name::text as name
from pg_catalog.pg_create_physical_replication_slot($1::text, true, true)";

const START: &str = "-- pg_catalog.pg_backup_start
select pg_catalog.pg_backup_start('wildfire backup', true)::text as lsn";

const STOP: &str = "-- pg_catalog.pg_backup_stop
select
  s.labelfile as label,
  pg_catalog.pg_walfile_name(s.lsn) as last,
  (select w.setting::bigint * case w.unit when '8kB' then 8192 else 1 end
    from pg_catalog.pg_settings as w where w.name = 'wal_segment_size') as segment
from pg_catalog.pg_backup_stop(false) as s";

/// A server whose files may be copied.
pub struct Copying {
    client: Client,
    database: Database,
}

/// What a copy needs besides the files.
pub struct Copied {
    /// To be stored as `backup_label`.
    pub label: String,
    /// The files of the log, in order.
    pub log: Vec<String>,
    /// Keeps them until it is dropped.
    _slot: Copying,
}

impl Copying {
    /// Begins with a checkpoint, on the embedded server at this port.
    pub async fn start(port: u16, secrets: &Secrets) -> Result<Self, PostgresError> {
        let password = secrets.database_password.expose();
        let database = connect(&url_at(port, SUPERUSER, password, "postgres"))?;
        let client = let_in(database.client().await)?;
        client.batch(BEGIN).await?;
        let slot = format!("wildfire_backup_{}", std::process::id());
        client.query_one(KEEP_LOG, &[&slot]).await?;
        client.query_one(START, &[]).await?;
        Ok(Self { client, database })
    }

    /// Ends it: what was committed before is in the copy.
    pub async fn stop(self) -> Result<Copied, PostgresError> {
        let row = self.client.query_one(STOP, &[]).await?;
        let label: String = column(&row, "label")?;
        let last: String = column(&row, "last")?;
        let segment: i64 = column(&row, "segment")?;
        let log = log_files(&label, &last, segment.unsigned_abs());
        let log = log.ok_or_else(|| PostgresError::BackupLabel(label.clone()))?;
        Ok(Copied {
            label,
            log,
            _slot: self,
        })
    }
}

impl Drop for Copying {
    fn drop(&mut self) {
        self.database.close();
    }
}

/// The name of a database, from its control file: its first eight bytes.
pub fn system_identifier(control: &[u8]) -> Option<u64> {
    let first = control.first_chunk::<8>()?;
    Some(u64::from_ne_bytes(*first))
}

/// Whether a database of this installation is there.
pub fn major(data_dir: &Path) -> Option<u32> {
    platform::cluster::data_dir_major(&super::data_dir(data_dir))
}

/// From the file that the label names to the last one.
fn log_files(label: &str, last: &str, segment: u64) -> Option<Vec<String>> {
    let first = label
        .lines()
        .find(|line| line.starts_with("START WAL LOCATION"))?;
    let first = first.split_once("(file ")?.1.strip_suffix(')')?;
    let timeline = first.get(..8)?;
    let in_each = (1_u64 << 32).checked_div(segment)?;
    let number = |name: &str| {
        let part = |range| u64::from_str_radix(name.get(range)?, 16).ok();
        Some(part(8..16)? * in_each + part(16..24)?)
    };
    let numbers = number(first)?..=number(last)?;
    let names = numbers.map(|number| {
        let (file, part) = (number / in_each, number % in_each);
        format!("{timeline}{file:08X}{part:08X}")
    });
    Some(names.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_goes_from_the_labels_file_to_the_last() {
        let label = "START WAL LOCATION: 0/FE000028 (file 0000000200000000000000FE)\n\
            CHECKPOINT LOCATION: 0/FE000060\n";
        let last = "000000020000000100000001";
        let files = log_files(label, last, 16 << 20).unwrap();
        assert_eq!(
            files,
            [
                "0000000200000000000000FE",
                "0000000200000000000000FF",
                "000000020000000100000000",
                "000000020000000100000001",
            ]
        );
        assert_eq!(log_files("nothing", last, 16 << 20), None);
    }
}
