//! A production installation with a mail server of its own, on a disk that may be small.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tempfile::TempDir;

use super::smtp::Sink;
use crate::Failure;
use crate::server::{Server, Settings};

/// Room on the small disk: a new installation takes about half of it.
const SMALL_DISK: &str = "size=192m";

/// What is attacked.
pub(crate) struct Installation {
    pub(crate) server: Server,
    pub(crate) sink: Sink,
    /// The file system its data is on.
    pub(crate) disk: PathBuf,
    _mount: Option<Mount>,
    _folder: TempDir,
}

impl Installation {
    /// Starts one on an empty folder.
    pub(crate) async fn start(on_small_disk: bool) -> Result<Self, Failure> {
        let folder = tempfile::tempdir()?;
        // Root's Postgres runs as another account, which has to pass through.
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755))?;
        let disk = folder.path().join("disk");
        std::fs::create_dir(&disk)?;
        let mount = on_small_disk.then(|| Mount::small(&disk)).transpose()?;
        let sink = Sink::start().await?;
        let variable = |name, value: &str| (name, value.to_owned());
        let settings = Settings {
            data_dir: disk.join("data"),
            environment: vec![
                variable("WILDFIRE_ENV", "production"),
                variable("SUPABASE_PUBLIC_URL", "https://wildfire.example"),
                variable("GOTRUE_SMTP_HOST", "127.0.0.1"),
                variable("GOTRUE_SMTP_PORT", &sink.port.to_string()),
                variable("GOTRUE_SMTP_ADMIN_EMAIL", "noreply@wildfire.example"),
            ],
            log: std::env::var_os("WILDFIRE_CHAOS_LOG").map(PathBuf::from),
        };
        // The server starts with what most shells give it; the attacker needs thousands.
        limit_descriptors(|hard| hard.min(1024))?;
        let server = Server::start(settings).await?;
        limit_descriptors(|hard| hard)?;
        Ok(Self {
            server,
            sink,
            disk,
            _mount: mount,
            _folder: folder,
        })
    }
}

/// Sets this process's soft limit on descriptors, made from the hard one.
fn limit_descriptors(soft: impl Fn(u64) -> u64) -> Result<(), Failure> {
    let maximum = getrlimit(Resource::Nofile).maximum;
    let current = Some(soft(maximum.unwrap_or(1 << 20)));
    Ok(setrlimit(Resource::Nofile, Rlimit { current, maximum })?)
}

/// A file system in memory, gone when dropped.
struct Mount(PathBuf);

impl Mount {
    fn small(at: &Path) -> Result<Self, Failure> {
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tmpfs", "-o", SMALL_DISK, "tmpfs"])
            .arg(at);
        if !mount.status()?.success() {
            return Err(
                "a small disk cannot be mounted; run as root, or leave out disk-full".into(),
            );
        }
        Ok(Self(at.to_owned()))
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // Lazily: the server is being killed and may still have files open.
        let unmounted = Command::new("umount").arg("--lazy").arg(&self.0).status();
        if !unmounted.is_ok_and(|status| status.success()) {
            eprintln!("{} is still mounted", self.0.display());
        }
    }
}
