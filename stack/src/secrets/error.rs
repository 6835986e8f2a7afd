//! What can be wrong with keys and passwords.

use std::io;
use std::path::PathBuf;

use platform::jwt::KeyError;

/// Why the secrets cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SecretsError {
    /// Production was given values that everybody knows.
    #[error(
        "WILDFIRE_ENV=production refuses well-known demo values, and {} has one. Remove it to use \
         generated values, or set your own (`wildfire keys generate` prints a set).",
        names.join(", ")
    )]
    DemoValues {
        /// The variables that hold them.
        names: Vec<&'static str>,
    },
    /// A secret that is easy to guess.
    #[error(
        "{name} must be at least {least} bytes long; `wildfire keys generate` prints a set that is."
    )]
    ShortSecret {
        /// The variable, or the setting of its meaning.
        name: &'static str,
        /// How long it has to be.
        least: usize,
    },
    /// A key that cannot be read.
    #[error("A key cannot be used: {0}")]
    Key(#[from] KeyError),
    /// The file of generated secrets cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file of generated secrets is not what was written.
    #[error("{} cannot be read as JSON; restore it from a backup.", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: serde_json::Error,
    },
}
