//! Rows are read by column name; a column that is not as expected is an error, not a panic,
//! since users own the database and may have changed it.

use tokio_postgres::Row;
use tokio_postgres::types::FromSql;

use super::DbError;

/// A type that can be read out of a row.
pub trait FromRow: Sized {
    /// Reads the columns it needs by name.
    fn from_row(row: &Row) -> Result<Self, DbError>;
}

/// The value of a column; use `Option<T>` where null is allowed.
pub fn column<'r, T: FromSql<'r>>(row: &'r Row, name: &str) -> Result<T, DbError> {
    row.try_get(name).map_err(|source| DbError::Inconsistent {
        column: name.to_owned(),
        source: Some(source),
    })
}
