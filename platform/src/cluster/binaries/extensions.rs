//! Extensions that a project's owner may create, who is no superuser.
//!
//! Upstream's `supautils.privileged_extensions` decides that inside the server. Here the package's own
//! description of an extension says `trusted`, which Postgres knows: its script runs as the superuser, who
//! owns what it makes.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What upstream's list has of the package's extensions and Postgres does not call trusted itself. Their
/// scripts find nothing that the owner could have put in the way: all types, functions and operators in
/// them are exactly Postgres' own, which are searched first, or named with their schema.
///
/// Upstream: `ansible/files/postgresql_config/supautils.conf.j2` also has `pg_walinspect`, which reads the
/// server's files. `pg_stat_statements` every database has anyway.
pub const TRUSTED_EXTENSIONS: &[&str] = &[
    "autoinc",
    "bloom",
    "dblink",
    "dict_xsyn",
    "earthdistance",
    "insert_username",
    "moddatetime",
    "pg_prewarm",
    "pgrowlocks",
    "pgstattuple",
    "postgres_fdw",
    "refint",
    "sslinfo",
];

/// The major version whose scripts were looked at; in 15, `earthdistance` found things by half a name.
pub const TRUSTED_MAJOR: u32 = 18;

/// What a description ends with that says so.
const MARK: &str = "\ntrusted = true\n";

/// Where the programs in `bin` look for extensions.
pub(super) fn folder(bin: &Path) -> PathBuf {
    let prefix = bin.parent().unwrap_or(bin);
    let of_debian = prefix
        .strip_prefix("/usr/lib")
        .map(|version| Path::new("/usr/share").join(version).join("extension"));
    let beside = ["share/postgresql/extension", "share/extension"].map(|it| prefix.join(it));
    let all = of_debian.into_iter().chain(beside);
    all.into_iter()
        .find(|folder| folder.is_dir())
        .unwrap_or_else(|| prefix.join("share/extension"))
}

/// Says `trusted` in the descriptions of those extensions, or in another version, where an earlier build may
/// have said so, no longer. For a package of this program's own only.
pub(super) fn mark_trusted(bin: &Path, major: u32) -> io::Result<()> {
    let folder = folder(bin);
    for extension in TRUSTED_EXTENSIONS {
        let file = folder.join(format!("{extension}.control"));
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        let is_trusted = text
            .lines()
            .any(|line| line.trim_start().starts_with("trusted"));
        let wanted = match major {
            TRUSTED_MAJOR if is_trusted => None,
            TRUSTED_MAJOR => Some(format!("{}{MARK}", text.trim_end())),
            _ => text.strip_suffix(MARK).map(|before| format!("{before}\n")),
        };
        if let Some(wanted) = wanted {
            // A new file: package managers share one among many projects by hard links.
            let mut marked = tempfile::Builder::new()
                .permissions(fs::Permissions::from_mode(0o644))
                .tempfile_in(&folder)?;
            marked.write_all(wanted.as_bytes())?;
            marked.persist(&file).map_err(|error| error.error)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_extensions_are_marked_once_in_their_version_and_no_others() {
        let root = tempfile::tempdir().unwrap();
        let bin = root.path().join("native/bin");
        let folder = root.path().join("native/share/postgresql/extension");
        fs::create_dir_all(&folder).unwrap();
        let control = |name: &str| folder.join(format!("{name}.control"));
        for name in ["moddatetime", "file_fdw"] {
            fs::write(control(name), "default_version = '1.0'\n").unwrap();
        }
        let shared = root.path().join("shared");
        fs::hard_link(control("moddatetime"), &shared).unwrap();
        mark_trusted(&bin, TRUSTED_MAJOR).unwrap();
        mark_trusted(&bin, TRUSTED_MAJOR).unwrap();
        let read = |path: &Path| fs::read_to_string(path).unwrap();
        assert_eq!(
            read(&control("moddatetime")),
            "default_version = '1.0'\ntrusted = true\n"
        );
        assert_eq!(read(&control("file_fdw")), "default_version = '1.0'\n");
        assert_eq!(read(&shared), "default_version = '1.0'\n");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
        for _ in 0..2 {
            mark_trusted(&bin, TRUSTED_MAJOR - 1).unwrap();
            assert_eq!(read(&control("moddatetime")), "default_version = '1.0'\n");
        }
    }
}
