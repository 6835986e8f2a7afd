//! Data folders that are something else, of another version, or on a full disk.

use std::fs;
use std::path::Path;
use std::process::Command;

use platform::cluster::{Binaries, Cluster, ClusterError, FindOptions, SUPPORTED_MAJORS};

use super::{binaries, is_root, open_folder};

#[tokio::test]
async fn a_folder_of_another_major_version_says_which_binaries_it_needs() {
    let root = open_folder();
    let data_dir = root.path().join("postgres");
    fs::create_dir(&data_dir).unwrap();
    fs::write(data_dir.join("PG_VERSION"), "14\n").unwrap();
    let error = Cluster::builder(binaries(), &data_dir)
        .start()
        .await
        .unwrap_err();
    assert!(
        matches!(error, ClusterError::WrongMajor { found: 14, .. }),
        "{error}"
    );
    assert!(error.to_string().contains("WILDFIRE_PG_BIN"));
}

/// Says nothing on a machine that has only one version.
#[test]
fn an_existing_folder_gets_the_version_it_needs_if_that_is_installed() {
    let newest = binaries().major();
    for major in SUPPORTED_MAJORS {
        let installed = format!("/usr/lib/postgresql/{major}/bin/postgres");
        if major != newest && std::path::Path::new(&installed).exists() {
            let options = FindOptions {
                bin: None,
                ..FindOptions::detect()
            };
            let found = Binaries::find(&options.for_major(Some(major))).unwrap();
            assert_eq!(found.major(), major);
        }
    }
}

#[tokio::test]
async fn a_folder_with_other_files_is_left_alone() {
    let root = open_folder();
    let data_dir = root.path().join("documents");
    fs::create_dir(&data_dir).unwrap();
    fs::write(data_dir.join("letter.txt"), "dear").unwrap();
    let error = Cluster::builder(binaries(), &data_dir)
        .start()
        .await
        .unwrap_err();
    assert!(
        matches!(error, ClusterError::NotADataFolder { .. }),
        "{error}"
    );
    assert_eq!(
        fs::read_to_string(data_dir.join("letter.txt")).unwrap(),
        "dear"
    );
}

#[tokio::test]
async fn an_interrupted_creation_is_started_over() {
    let root = open_folder();
    let abandoned = root.path().join("postgres.init-half");
    fs::create_dir(&abandoned).unwrap();
    let data_dir = root.path().join("postgres");
    let cluster = Cluster::builder(binaries(), &data_dir)
        .durable(false)
        .start()
        .await
        .unwrap();
    assert!(!abandoned.exists());
    cluster.stop().await.unwrap();
}

/// The test process is the parent of a helper that is killed in the middle of `initdb`; the helper
/// is this same test, told so by a variable of its environment.
#[tokio::test]
async fn a_creation_that_was_killed_half_way_is_started_over() {
    const HELPER: &str = "WILDFIRE_TEST_HELPER_INITDB";
    let start = |folder: &Path| Cluster::builder(binaries(), folder).durable(false).start();
    if let Some(folder) = std::env::var_os(HELPER) {
        start(Path::new(&folder)).await.unwrap();
        return;
    }
    let root = open_folder();
    let data_dir = root.path().join("postgres");
    let begun = || {
        let entries = fs::read_dir(root.path()).unwrap().flatten();
        let mut names = entries.map(|entry| entry.path());
        names.find(|path| path.join("data/base").exists())
    };
    let mut helper = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "folders::a_creation_that_was_killed_half_way_is_started_over",
        ])
        .env(HELPER, &data_dir)
        .spawn()
        .unwrap();
    let half = loop {
        if let Some(path) = begun() {
            break path;
        }
        assert!(helper.try_wait().unwrap().is_none(), "it was too fast");
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    };
    helper.kill().unwrap();
    helper.wait().unwrap();
    assert!(!data_dir.exists());
    let cluster = start(&data_dir).await.unwrap();
    assert!(cluster.initialised());
    cluster.stop().await.unwrap();
    // What was still being written when it was looked at is gone at the next start.
    start(&data_dir).await.unwrap().stop().await.unwrap();
    assert!(!half.exists(), "{} stays behind", half.display());
}

#[tokio::test]
async fn a_full_disk_is_named_and_leaves_nothing_half_done() {
    let root = open_folder();
    let disk = root.path().join("disk");
    fs::create_dir(&disk).unwrap();
    if !is_root() || !mount_small(&disk) {
        return;
    }
    let data_dir = disk.join("postgres");
    let result = Cluster::builder(binaries(), &data_dir).start().await;
    let left: Vec<_> = fs::read_dir(&disk)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    let unmounted = Command::new("umount").arg(&disk).status().unwrap();
    assert!(unmounted.success());
    let error = result.unwrap_err();
    assert!(matches!(error, ClusterError::DiskFull { .. }), "{error}");
    assert_eq!(left, ["postgres.lock"]);
}

/// A 12 MB disk; `initdb` needs more. False where mounting is not allowed.
fn mount_small(folder: &std::path::Path) -> bool {
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=12m,mode=0755", "tmpfs"])
        .arg(folder)
        .status();
    mount.is_ok_and(|status| status.success())
}
