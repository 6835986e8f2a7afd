//! Another place for a data folder that the server's account may not enter.
//!
//! A project below `/root` is the usual case: root can read it, the account
//! Postgres has to run as cannot. The data then lives under `/var/lib/wildfire`,
//! and a link stands where it was asked for.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::account::Account;
use super::error::ClusterError;
use super::own::is_own_folder;
use super::short_hash;

/// Where data goes that cannot stay in the folder that was asked for.
const HOME: &str = "/var/lib/wildfire";

/// Where a server for `data_dir` runs.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) data_dir: PathBuf,
    pub(super) moved_from: Option<PathBuf>,
}

/// Where the data of `data_dir` really is, without starting anything.
pub fn location_of(data_dir: &Path) -> PathBuf {
    fs::canonicalize(data_dir).unwrap_or_else(|_| data_dir.to_owned())
}

/// Decides the place and creates the folders above it.
pub(super) fn place(asked: &Path, account: Option<Account>) -> Result<Place, ClusterError> {
    let asked = std::path::absolute(asked).map_err(ClusterError::io("Reading", asked))?;
    let parent = asked.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(parent).map_err(ClusterError::io("Creating", parent))?;
    let parent = fs::canonicalize(parent).map_err(ClusterError::io("Reading", parent))?;
    let asked = parent.join(asked.file_name().unwrap_or_default());
    let resolved = location_of(&asked);
    let Some(account) = account else {
        return Ok(Place {
            data_dir: resolved,
            moved_from: None,
        });
    };
    if resolved != asked
        && resolved
            .parent()
            .is_some_and(|folder| account.may_enter(folder))
    {
        return Ok(Place {
            data_dir: resolved,
            moved_from: Some(asked),
        });
    }
    if account.may_enter(&parent) {
        return Ok(Place {
            data_dir: asked,
            moved_from: None,
        });
    }
    let home = home_of(&asked);
    create_home(&home, &asked)?;
    let data_dir = home.join("postgres");
    link(&asked, &data_dir)?;
    Ok(Place {
        data_dir,
        moved_from: Some(asked),
    })
}

fn home_of(asked: &Path) -> PathBuf {
    Path::new(HOME).join(short_hash(&[asked.as_os_str().as_encoded_bytes()]))
}

fn create_home(home: &Path, asked: &Path) -> Result<(), ClusterError> {
    fs::create_dir_all(home).map_err(ClusterError::io("Creating", home))?;
    for folder in [Path::new(HOME), home] {
        let mode = fs::Permissions::from_mode(0o711);
        fs::set_permissions(folder, mode).map_err(ClusterError::io("Opening", folder))?;
    }
    for folder in [Path::new(HOME), home] {
        if !is_own_folder(folder) {
            return Err(ClusterError::Unusable {
                path: folder.to_owned(),
                reason: "it belongs to, or can be changed by, another account".to_owned(),
            });
        }
    }
    // Tells whoever finds the folder whose data it is.
    let note = home.join("data-of");
    fs::write(&note, asked.as_os_str().as_encoded_bytes())
        .map_err(ClusterError::io("Writing", &note))
}

/// Data that is already at `asked` moves along; otherwise only the link is made.
fn link(asked: &Path, data_dir: &Path) -> Result<(), ClusterError> {
    if fs::symlink_metadata(asked).is_ok_and(|metadata| metadata.is_dir()) {
        let is_empty = fs::read_dir(asked).is_ok_and(|mut entries| entries.next().is_none());
        if is_empty {
            fs::remove_dir(asked).map_err(ClusterError::io("Removing", asked))?;
        } else {
            fs::rename(asked, data_dir).map_err(ClusterError::io("Moving", asked))?;
        }
    } else if fs::symlink_metadata(asked).is_ok() {
        fs::remove_file(asked).map_err(ClusterError::io("Removing", asked))?;
    }
    symlink(data_dir, asked).map_err(ClusterError::io("Linking", asked))
}
