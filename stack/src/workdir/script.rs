//! A file of the project: as it stands on the disk, and as it is sent.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use platform::pg::{Client, DbError, Executor, Ident, Sql, Tx, column};

use super::error::WorkdirError;
use super::statements::{self, Statement};
use super::words::Words;
use super::{AS_OURSELVES, AS_OWNER, Surroundings, Workdir, lent, read};

/// An index of this name that is not usable, because making it was broken off or is under way.
const UNFINISHED: &str = "-- pg_catalog.pg_index.unfinished
select n.nspname::text as schema, c.relname::text as name, exists (
  select from pg_stat_progress_create_index as making where making.index_relid = i.indexrelid
) as is_being_made
from pg_index as i
join pg_class as c on c.oid = i.indexrelid
join pg_namespace as n on n.oid = c.relnamespace
where not i.indisvalid and c.relname = $1 and i.indrelid = to_regclass($2)";

pub(super) struct Script<'a> {
    /// As the CLI names it.
    pub(super) file: String,
    pub(super) text: Sql,
    sent: Sql,
    surroundings: &'a Surroundings,
}

impl<'a> Script<'a> {
    pub(super) fn read(
        workdir: &Workdir,
        path: &Path,
        surroundings: &'a Surroundings,
    ) -> Result<Self, WorkdirError> {
        let file = workdir.relative(path);
        let text = read(path, &file)?;
        let sent = if surroundings.is_lent {
            lent::borrow(&text)
        } else {
            text.clone()
        };
        Ok(Self {
            file,
            text,
            sent,
            surroundings,
        })
    }

    pub(super) fn statements(&self) -> Vec<Statement<'_>> {
        statements::split(self.text.as_str())
    }

    /// Runs it, and records that with `record`: in one transaction, unless Postgres would refuse that.
    pub(super) async fn run(
        &self,
        client: &mut Client,
        record: impl AsyncFnOnce(&Tx<'_>) -> Result<(), DbError>,
    ) -> Result<(), WorkdirError> {
        client.batch(AS_OWNER).await?;
        if self.surroundings.is_lent {
            lent::allow(client, &lent::settings(&self.text)).await?;
        }
        let done = AtomicUsize::new(0);
        let alone = match self.statements()[..] {
            [alone] if alone.runs_alone() => Some(alone),
            _ => None,
        };
        if let Some(alone) = alone {
            self.run_alone(client, &alone).await?;
        }
        let tx = client.begin();
        let work = async {
            if alone.is_none() {
                tx.script(&self.sent, &done).await?;
            }
            tx.batch(AS_OURSELVES).await?;
            record(&tx).await
        };
        match work.await {
            Ok(()) => tx.commit().await.map_err(|error| self.failed(&done, error)),
            Err(error) => {
                tx.rollback().await?;
                Err(self.failed(&done, error))
            }
        }
    }

    /// What an earlier start began and did not end is begun anew.
    async fn run_alone(&self, client: &Client, alone: &Statement<'_>) -> Result<(), WorkdirError> {
        let failed = |error| self.failed(&AtomicUsize::new(0), error);
        let index = index(alone.code());
        for broken in unfinished(client, index.as_ref()).await? {
            if !broken.is_being_made {
                let mut drop = Sql::new("drop index concurrently ");
                drop.push(broken.name);
                client.batch(drop).await.map_err(failed)?;
            }
        }
        client.batch(&self.sent).await.map_err(failed)?;
        match unfinished(client, index.as_ref()).await?.pop() {
            None => Ok(()),
            Some(broken) => Err(WorkdirError::Unfinished {
                file: self.file.clone(),
                line: alone.line,
                index: broken.name.as_str().to_owned(),
            }),
        }
    }

    fn failed(&self, done: &AtomicUsize, error: DbError) -> WorkdirError {
        let done = done.load(Ordering::Relaxed);
        WorkdirError::in_file(
            &self.file,
            self.sent.as_str(),
            done,
            error,
            self.surroundings,
        )
    }
}

struct Unfinished {
    name: Sql,
    is_being_made: bool,
}

async fn unfinished(
    client: &Client,
    index: Option<&(String, String)>,
) -> Result<Vec<Unfinished>, DbError> {
    let Some((name, table)) = index else {
        return Ok(Vec::new());
    };
    let rows = client.query(UNFINISHED, &[name, table]).await?;
    let read = |row| {
        let schema = Ident::quote(column(row, "schema")?)?;
        Ok(Unfinished {
            name: schema.dot(&Ident::quote(column(row, "name")?)?),
            is_being_made: column(row, "is_being_made")?,
        })
    };
    rows.iter().map(read).collect()
}

/// Name and table of the index that a statement makes.
fn index(code: &str) -> Option<(String, String)> {
    let mut words = Words::of_beginning(code);
    words.take("create")?;
    _ = words.take("unique");
    words.take("index")?;
    words.take("concurrently")?;
    if words.takes("if") {
        words.take("not")?;
        words.take("exists")?;
    }
    let name = words.name()?;
    words.take("on")?;
    _ = words.take("only");
    let mut table = vec![words.name()?];
    if words.takes(".") {
        table.push(words.name()?);
    }
    let table: Result<Vec<_>, _> = table.iter().map(|it| Ident::quote(it)).collect();
    Some((name, Sql::join(table.ok()?, ".").as_str().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_that_is_made_is_known_by_its_name() {
        for (code, expected) in [
            (
                "create unique index concurrently if not exists \"I\" on only Public.t using gin (a)",
                Some(("I", "\"public\".\"t\"")),
            ),
            (
                "create index concurrently i on t (lower(E'\\'')) where a = $$x$$",
                Some(("i", "\"t\"")),
            ),
            ("create index concurrently on t (a)", None),
            ("vacuum t", None),
        ] {
            let index = index(code);
            let index = index
                .as_ref()
                .map(|(name, table)| (name.as_str(), table.as_str()));
            assert_eq!(index, expected, "{code}");
        }
    }
}
