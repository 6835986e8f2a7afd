//! Making Postgres programs runnable: the links npm drops, and copies at a place
//! another account can reach.
//!
//! The npm package cannot carry symbolic links; it lists them in
//! `native/pg-symlinks.json` and its install script makes them. Install scripts
//! are often switched off, so the same is done here.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::super::own::is_own_folder;
use super::super::short_hash;
use super::ClusterError;

/// The npm package's list of links.
const LINKS: &str = "pg-symlinks.json";

#[derive(Deserialize)]
struct Link {
    source: PathBuf,
    target: PathBuf,
}

/// Makes the links the npm package lists; nothing to do for any other folder.
pub(super) fn hydrate_symlinks(bin: &Path) -> io::Result<()> {
    let Some(native) = bin.parent() else {
        return Ok(());
    };
    let Some(package) = native.parent() else {
        return Ok(());
    };
    for link in listed_links(native)? {
        link_beside(&package.join(&link.source), &package.join(&link.target))?;
    }
    Ok(())
}

/// Whether these programs are the npm package's.
pub(super) fn is_package(bin: &Path) -> bool {
    bin.parent()
        .is_some_and(|native| native.join(LINKS).is_file())
}

fn listed_links(native: &Path) -> io::Result<Vec<Link>> {
    match fs::read(native.join(LINKS)) {
        Ok(text) => Ok(serde_json::from_slice(&text)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Links are relative, so that the whole folder can be moved.
fn link_beside(source: &Path, target: &Path) -> io::Result<()> {
    if fs::symlink_metadata(target).is_ok() {
        return Ok(());
    }
    let name = source.file_name().unwrap_or(source.as_os_str());
    match symlink(name, target) {
        // Another process was faster.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    }
}

/// Copies the programs with their libraries and data files below `cache_dir`, and
/// returns the folder of the copied programs. A copy that exists is used again.
///
/// Only layouts whose `bin`, `lib` and `share` stand side by side can be copied;
/// they are also the only ones that are found at places like `/root`.
pub(super) fn copy_to_cache(bin: &Path, cache_dir: &Path) -> Result<PathBuf, ClusterError> {
    let prefix = bin.parent().unwrap_or(bin);
    let target = cache_dir.join(format!("postgres-{}", fingerprint(bin)?));
    // A folder planted by somebody else must not be run as another account.
    create_public_folder(cache_dir)?;
    if !is_own_folder(&target) {
        let partial = tempfile::Builder::new()
            .prefix("postgres-partial-")
            .permissions(fs::Permissions::from_mode(0o755))
            .tempdir_in(cache_dir)
            .map_err(ClusterError::io("Creating a folder in", cache_dir))?;
        copy_install(prefix, partial.path())
            .map_err(ClusterError::io("Copying Postgres to", &target))?;
        match fs::rename(partial.path(), &target) {
            Ok(()) => _ = partial.keep(),
            // Another process finished the same copy first; ours is dropped.
            Err(_) if is_own_folder(&target) => {}
            Err(error) => return Err(ClusterError::io("Creating", &target)(error)),
        }
    }
    let name = bin.file_name().unwrap_or_default();
    Ok(target.join(name))
}

/// Programs are identified by where they came from and when they changed, so an
/// upgraded package gets a new copy.
fn fingerprint(bin: &Path) -> Result<String, ClusterError> {
    let program = bin.join("postgres");
    let metadata = fs::metadata(&program).map_err(ClusterError::io("Reading", &program))?;
    let changed = format!("{} {} ", metadata.len(), metadata.mtime());
    Ok(short_hash(&[
        changed.as_bytes(),
        bin.as_os_str().as_encoded_bytes(),
    ]))
}

fn create_public_folder(folder: &Path) -> Result<(), ClusterError> {
    fs::create_dir_all(folder).map_err(ClusterError::io("Creating", folder))?;
    if !is_own_folder(folder) {
        let reason = "it is writable by other accounts; set WILDFIRE_CACHE_DIR to one that is not";
        return Err(ClusterError::Unusable {
            path: folder.to_owned(),
            reason: reason.to_owned(),
        });
    }
    Ok(())
}

fn copy_install(prefix: &Path, target: &Path) -> io::Result<()> {
    for folder in ["bin", "lib", "share"] {
        copy_tree(&prefix.join(folder), &target.join(folder))?;
    }
    for link in listed_links(prefix)? {
        let inside = |path: &Path| {
            path.strip_prefix("native")
                .map(|rest| target.join(rest))
                .ok()
        };
        if let (Some(source), Some(link)) = (inside(&link.source), inside(&link.target)) {
            link_beside(&source, &link)?;
        }
    }
    Ok(())
}

fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    fs::set_permissions(to, fs::Permissions::from_mode(0o755))?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy_tree(&source, &target)?;
        } else if kind.is_symlink() {
            symlink(fs::read_link(&source)?, &target)?;
        } else if source.extension().is_none_or(|extension| extension != "a") {
            // Static libraries are of no use to a running server.
            fs::copy(&source, &target)?;
            let mode = fs::metadata(&source)?.mode() & 0o111;
            let mode = if mode == 0 { 0o644 } else { 0o755 };
            fs::set_permissions(&target, fs::Permissions::from_mode(mode))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(root: &Path) -> PathBuf {
        let native = root.join("package/native");
        for folder in ["bin", "lib", "share"] {
            fs::create_dir_all(native.join(folder)).unwrap();
        }
        fs::write(native.join("bin/postgres"), "").unwrap();
        fs::write(native.join("lib/libpq.so.5.18"), "library").unwrap();
        let links = r#"[{"source":"native/lib/libpq.so.5.18","target":"native/lib/libpq.so.5"}]"#;
        fs::write(native.join("pg-symlinks.json"), links).unwrap();
        native.join("bin")
    }

    #[test]
    fn listed_links_are_made_once_and_stay() {
        let root = tempfile::tempdir().unwrap();
        let bin = package(root.path());
        hydrate_symlinks(&bin).unwrap();
        hydrate_symlinks(&bin).unwrap();
        let link = bin.with_file_name("lib").join("libpq.so.5");
        assert_eq!(
            fs::read_link(&link).unwrap(),
            PathBuf::from("libpq.so.5.18")
        );
        assert_eq!(fs::read_to_string(link).unwrap(), "library");
    }

    #[test]
    fn a_copy_has_the_links_and_is_used_again() {
        let root = tempfile::tempdir().unwrap();
        let bin = package(root.path());
        let cache = root.path().join("cache");
        let copied = copy_to_cache(&bin, &cache).unwrap();
        let link = copied.with_file_name("lib").join("libpq.so.5");
        assert_eq!(fs::read_to_string(link).unwrap(), "library");
        let again = copy_to_cache(&bin, &cache).unwrap();
        assert_eq!(copied, again);
        assert_eq!(fs::read_dir(&cache).unwrap().count(), 1);
    }
}
