//! The files of a part: which there are, and in which order.

use include_dir::File;
use sha2::{Digest, Sha256};

use super::{Ledger, Migrations};
use crate::pg::DbError;

/// One migration file.
pub(super) struct Migration {
    /// The version as a number.
    place: u64,
    /// The version as it is written.
    pub(super) version: String,
    pub(super) name: String,
    pub(super) sql: &'static str,
    pub(super) checksum: String,
}

impl Migrations {
    /// All of them, in order. A file that would be left out or come at the wrong place is refused.
    pub(super) fn sorted(&self) -> Result<Vec<Migration>, DbError> {
        let is_sql = |file: &&File<'_>| file.path().extension().is_some_and(|it| it == "sql");
        let files = self.files.files().filter(is_sql);
        let mut migrations = files
            .map(|file| self.read(file))
            .collect::<Result<Vec<_>, _>>()?;
        migrations.sort_by_key(|migration| migration.place);
        for pair in migrations.windows(2) {
            if let [one, other] = pair
                && one.place == other.place
            {
                return Err(DbError::Migration(format!(
                    "migrations/{0}: {1}_{2} and {3}_{4} have the same version",
                    self.scope, one.version, one.name, other.version, other.name
                )));
            }
        }
        Ok(migrations)
    }

    fn read(&self, file: &'static File<'static>) -> Result<Migration, DbError> {
        let read = || {
            let stem = file.path().file_stem()?.to_str()?;
            let (version, name) = stem.split_once('_')?;
            let is_number = version.bytes().all(|it| it.is_ascii_digit());
            let sql = file.contents_utf8()?;
            Some(Migration {
                place: is_number.then(|| version.parse().ok())??,
                version: version.to_owned(),
                name: name.to_owned(),
                sql,
                checksum: match self.ledger {
                    Ledger::Own(_) => checksum(sql),
                    Ledger::Upstream(table) => (table.checksum)(stem, sql),
                },
            })
        };
        read().ok_or_else(|| {
            DbError::Migration(format!(
                "migrations/{}: {} is not text called <version>_<name>.sql with a number as version",
                self.scope,
                file.path().display()
            ))
        })
    }
}

fn checksum(sql: &str) -> String {
    hex::encode(Sha256::digest(sql.as_bytes()))
}
