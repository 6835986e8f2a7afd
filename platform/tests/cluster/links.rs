//! Links that somebody else put where files of the server are going to be.

use std::fs;
use std::os::unix::fs::{chown, symlink};
use std::path::Path;
use std::process::Command;

use platform::cluster::Cluster;

use super::{binaries, is_root, open_folder, value};

/// Old enough to count as abandoned.
fn make_old(path: &Path) {
    let touched = Command::new("touch")
        .args(["-h", "-d", "1 hour ago"])
        .arg(path)
        .status();
    assert!(touched.unwrap().success());
}

#[tokio::test]
async fn a_planted_folder_of_a_throw_away_cluster_leads_nowhere() {
    let victim = open_folder();
    let name = format!("wildfire-temporary-planted-{}", std::process::id());
    let link = std::env::temp_dir().join(&name);
    symlink(victim.path(), &link).unwrap();
    make_old(&link);
    // Somebody else's folder, with a link where the lock would be.
    let theirs = std::env::temp_dir().join(name + "-folder");
    fs::create_dir(&theirs).unwrap();
    let lock = victim.path().join("made-by-root");
    symlink(&lock, theirs.join("postgres.lock")).unwrap();
    if is_root() {
        chown(&theirs, Some(65534), Some(65534)).unwrap();
    }
    make_old(&theirs);

    let cluster = Cluster::temporary(binaries()).start().await.unwrap();
    let made: Vec<_> = fs::read_dir(victim.path()).unwrap().flatten().collect();
    let stays = theirs.exists();
    fs::remove_file(&link).unwrap();
    _ = fs::remove_dir_all(&theirs);
    cluster.stop().await.unwrap();
    assert!(made.is_empty(), "{made:?}");
    if is_root() {
        assert!(stays, "somebody else's folder was deleted");
    }
}

#[tokio::test]
async fn a_link_in_place_of_the_log_or_the_lock_is_refused() {
    for name in ["postgres.log", "postgres.lock"] {
        let root = open_folder();
        let victim = root.path().join("victim");
        fs::write(&victim, "theirs").unwrap();
        symlink(&victim, root.path().join(name)).unwrap();
        let data_dir = root.path().join("postgres");
        let builder = Cluster::builder(binaries(), &data_dir).durable(false);
        let error = builder.start().await.unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
        assert_eq!(fs::read_to_string(&victim).unwrap(), "theirs");
    }
}

/// The folder belongs to the server's account, and root writes into it.
#[tokio::test]
async fn a_link_in_place_of_the_settings_is_replaced() {
    let root = open_folder();
    let data_dir = root.path().join("postgres");
    let start = || {
        Cluster::builder(binaries(), &data_dir)
            .durable(false)
            .start()
    };
    start().await.unwrap().stop().await.unwrap();
    let victim = root.path().join("victim");
    fs::write(&victim, "theirs").unwrap();
    for name in ["wildfire.conf.partial", "wildfire.conf"] {
        _ = fs::remove_file(data_dir.join(name));
        symlink(&victim, data_dir.join(name)).unwrap();
    }
    let cluster = start().await.unwrap();
    let url = cluster.superuser_url("postgres");
    assert_eq!(value(&url, "show cluster_name").await, "wildfire");
    cluster.stop().await.unwrap();
    assert_eq!(fs::read_to_string(&victim).unwrap(), "theirs");
}
