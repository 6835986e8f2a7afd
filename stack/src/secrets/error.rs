//! What can be wrong with keys and passwords.

use std::io;
use std::path::PathBuf;

use platform::jwt::KeyError;

/// Why the secrets cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SecretsError {
    /// Production was given values that everybody knows.
    #[error(
        "WILDFIRE_ENV=production refuses demo values, which everybody knows, and that is what is set \
         in {}. Remove them to use generated ones, or set your own (`wildfire keys generate` prints a set).",
        names.join(" and ")
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
    /// A key to sign with that cannot be used.
    #[error(
        "JWT_SECRET or JWT_KEYS (auth.signing_keys_path in supabase/config.toml) cannot be used: {source}. \
         `wildfire keys generate` prints a set that can."
    )]
    SigningKeys {
        /// Why.
        source: KeyError,
    },
    /// Keys that are not in the file of generated ones.
    #[error(
        "Keys are set in JWT_KEYS, or in the file that auth.signing_keys_path of supabase/config.toml \
         names, and those sign. Put a new one in front of them there (`wildfire keys generate` prints one), \
         and take \"sign\" out of the \"key_ops\" of the one that signed so far."
    )]
    KeysElsewhere,
    /// Nothing was ever generated.
    #[error(
        "There are no generated secrets in {}: development uses keys everybody knows, and production \
         makes its own at its first start. Name another folder with --data-dir.", data_dir.display()
    )]
    NothingStored {
        /// The folder.
        data_dir: PathBuf,
    },
    /// An API key that belongs to another set.
    #[error(
        "{name} {reason}. Remove it to have one made that fits, or set JWT_SECRET and the keys of one \
         installation together."
    )]
    ForeignKey {
        /// The variable, or the setting of its meaning.
        name: &'static str,
        /// What is wrong with it.
        reason: String,
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
