//! Files and folders that are this process's alone.
//!
//! Names in shared folders can be guessed, and folders of the server's account are
//! not root's: a link that somebody else put there must not lead root elsewhere.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use nix::fcntl::OFlag;

/// Whether `folder` is a folder, belongs to this process's account and cannot be
/// changed by another one.
pub(super) fn is_own_folder(folder: &Path) -> bool {
    fs::symlink_metadata(folder).is_ok_and(|metadata| {
        metadata.is_dir()
            && metadata.uid() == rustix::process::geteuid().as_raw()
            && metadata.mode() & 0o022 == 0
    })
}

/// Opens a file that is no link; what is created is for this account's eyes only.
pub(super) fn open_no_link(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    options
        .mode(0o600)
        .custom_flags(OFlag::O_NOFOLLOW.bits())
        .open(path)
}

/// Creates a file; what stood there before is removed first, a link without following it.
pub(super) fn create_anew(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    File::options()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}
