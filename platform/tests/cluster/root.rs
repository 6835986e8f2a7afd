//! Started by root: another account runs the server, wherever things are.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;
use std::process::Command;

use platform::cluster::{Binaries, Cluster, FindOptions};

use super::{binaries, is_root, open_folder, value};

#[tokio::test]
async fn root_hands_the_server_to_an_unprivileged_account() {
    if !is_root() {
        return;
    }
    let cluster = Cluster::temporary(binaries()).start().await.unwrap();
    let process = fs::metadata(format!("/proc/{}", cluster.pid())).unwrap();
    let folder = fs::metadata(cluster.data_dir()).unwrap();
    assert_ne!(process.uid(), 0);
    assert_eq!(process.uid(), folder.uid());
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn the_owner_of_an_existing_folder_runs_its_server() {
    if !is_root() {
        return;
    }
    let root = open_folder();
    let data_dir = root.path().join("postgres");
    fs::create_dir(&data_dir).unwrap();
    chown(&data_dir, Some(65534), Some(65534)).unwrap();
    let cluster = Cluster::builder(binaries(), &data_dir)
        .durable(false)
        .start()
        .await
        .unwrap();
    assert_eq!(
        fs::metadata(format!("/proc/{}", cluster.pid()))
            .unwrap()
            .uid(),
        65534
    );
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn data_under_an_unreachable_folder_moves_and_a_link_says_where() {
    if !is_root() {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    fs::set_permissions(root.path(), fs::Permissions::from_mode(0o700)).unwrap();
    let asked = root.path().join("postgres");
    let start = || Cluster::builder(binaries(), &asked).durable(false).start();
    let cluster = start().await.unwrap();
    let moved = cluster.data_dir().to_owned();
    assert!(
        moved.starts_with("/var/lib/wildfire"),
        "{}",
        moved.display()
    );
    assert_eq!(cluster.moved_from(), Some(asked.as_path()));
    assert_eq!(fs::canonicalize(&asked).unwrap(), moved);
    cluster.stop().await.unwrap();

    let again = start().await.unwrap();
    assert!(
        !again.initialised(),
        "the second start finds the moved data"
    );
    assert_eq!(again.data_dir(), moved);
    again.stop().await.unwrap();
    fs::remove_dir_all(moved.parent().unwrap()).unwrap();
}

#[tokio::test]
async fn programs_under_an_unreachable_folder_are_copied() {
    let found = binaries();
    // Only this layout can be copied; Debian's programs are reachable anyway.
    if !is_root() || found.bin().starts_with("/usr") {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let prefix = root.path().join("install");
    let copied = Command::new("cp")
        .arg("-r")
        .arg(found.bin().parent().unwrap())
        .arg(&prefix)
        .status();
    assert!(copied.unwrap().success());
    let cache = open_folder();
    let hidden = Binaries::find(&FindOptions {
        bin: Some(prefix.join("bin")),
        cache_dir: Some(cache.path().to_owned()),
        ..FindOptions::default()
    })
    .unwrap();
    let cluster = Cluster::temporary(hidden).start().await.unwrap();
    let program = fs::read_link(format!("/proc/{}/exe", cluster.pid())).unwrap();
    assert!(program.starts_with(cache.path()), "{}", program.display());
    assert_eq!(
        value(&cluster.superuser_url("postgres"), "select 'up'").await,
        "up"
    );
    cluster.stop().await.unwrap();
}

/// Covers the other half: not root, nothing to hand over.
#[tokio::test]
async fn an_ordinary_user_runs_the_server_itself() {
    const HELPER: &str = "WILDFIRE_TEST_HELPER_USER";
    if std::env::var_os(HELPER).is_some() || !is_root() {
        let cluster = Cluster::temporary(binaries()).start().await.unwrap();
        let process = fs::metadata(format!("/proc/{}", cluster.pid())).unwrap();
        assert_eq!(process.uid(), rustix::process::geteuid().as_raw());
        cluster.stop().await.unwrap();
        return;
    }
    let root = open_folder();
    let program = root.path().join("tests");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(as_nobody(&program, HELPER).success());
}

fn as_nobody(program: &Path, marker: &str) -> std::process::ExitStatus {
    use std::os::unix::process::CommandExt as _;
    Command::new(program)
        .args(["--exact", "root::an_ordinary_user_runs_the_server_itself"])
        .env(marker, "1")
        .uid(65534)
        .gid(65534)
        .current_dir("/")
        .status()
        .unwrap()
}
