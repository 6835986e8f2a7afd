//! What is refused, and in which words: archives that are damaged, foreign or made to harm, and names that
//! none can have.

use std::fs::{self, File};
use std::os::unix::fs::symlink;

use rustix::process::geteuid;
use serde_json::{Value, json};
use tar::EntryType;

use super::installation::{Installation, stderr};

/// A folder that looks like a stopped installation's, and is small.
pub(crate) fn small() -> Installation {
    let installation = Installation::new().with("WILDFIRE_CALLED_AS", "wildfire");
    let major = platform_test_major();
    installation.write(".wildfire/postgres/PG_VERSION", &format!("{major}\n"));
    installation.write(".wildfire/postgres/global/pg_control", &"x".repeat(8192));
    // What does not get smaller.
    let noise = (0..20_000_u32).map(|n| n.wrapping_mul(0x9E37_79B9).to_string());
    installation.write(".wildfire/postgres/base/1/2", &noise.collect::<String>());
    installation.write(".wildfire/mail/1.eml", "dear");
    installation
}

fn platform_test_major() -> u32 {
    use platform::cluster::{Binaries, FindOptions};
    Binaries::find(&FindOptions::detect()).unwrap().major()
}

/// Runs `backup` with arguments.
#[track_caller]
fn backed_up(installation: &Installation, arguments: &[&str]) -> Vec<u8> {
    let made = installation.run(&[&["backup", "good"], arguments].concat());
    assert!(made.status.success(), "{}", stderr(&made));
    let bytes = fs::read(installation.path().join("good")).unwrap();
    fs::remove_file(installation.path().join("good")).unwrap();
    bytes
}

/// What `restore` says to these bytes, having changed nothing.
fn said_to(installation: &Installation, bytes: &[u8], more: &[&str]) -> String {
    fs::write(installation.path().join("app.tar.gz"), bytes).unwrap();
    let restored = installation.run(&[&["restore", "app.tar.gz", "--data-dir=new"], more].concat());
    assert!(!restored.status.success(), "{}", stderr(&restored));
    assert!(
        !installation.path().join("new").exists(),
        "{}",
        stderr(&restored)
    );
    stderr(&restored)
}

/// A tar file of these entries, compressed.
fn crafted(entries: &[(&str, EntryType, &[u8])]) -> Vec<u8> {
    let gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut tar = tar::Builder::new(gzip);
    for (path, kind, content) in entries {
        let mut header = tar::Header::new_ustar();
        // What the library refuses to write, others do.
        header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_entry_type(*kind);
        header.set_size(content.len() as u64);
        header.set_mode(0o600);
        header.set_cksum();
        tar.append(&header, *content).unwrap();
    }
    tar.into_inner().unwrap().finish().unwrap()
}

/// What is said to each of these.
fn said_to_each(installation: &Installation, cases: &[(&str, Vec<u8>, &[&str])]) -> String {
    let said = cases
        .iter()
        .map(|(name, bytes, more)| format!("{name}\n  {}", said_to(installation, bytes, more)));
    said.collect()
}

fn flipped(bytes: &[u8], at: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at] ^= 0x10;
    bytes
}

fn cut(bytes: &[u8], by: usize) -> Vec<u8> {
    bytes[..bytes.len() - by].to_vec()
}

#[test]
fn an_archive_that_is_not_whole_changes_nothing_and_says_so() {
    let installation = small();
    let good = backed_up(&installation, &[]);
    let (whole, half) = (good.len(), good.len() / 2);
    let said = said_to_each(
        &installation,
        &[
            ("empty", Vec::new(), &[]),
            ("text", b"once upon a time".to_vec(), &[]),
            ("other first byte", flipped(&good, 0), &[]),
            ("other byte in the middle", flipped(&good, half), &[]),
            ("other byte in the checksum", flipped(&good, whole - 5), &[]),
            ("half", cut(&good, half), &[]),
            ("one byte short", cut(&good, 1), &[]),
            ("one byte more", [good.clone(), vec![0]].concat(), &[]),
            ("twice", [good.clone(), good.clone()].concat(), &[]),
        ],
    );
    insta::assert_snapshot!(said);
}

#[test]
fn an_encrypted_archive_opens_with_its_passphrase_only_and_whole_only() {
    let installation = small();
    installation.write("words", "correct horse\n");
    installation.write("other", "battery staple\n");
    let key = ["--passphrase-file=words"];
    let good = backed_up(&installation, &key);
    let said = said_to_each(
        &installation,
        &[
            ("no passphrase", good.clone(), &[]),
            (
                "other passphrase",
                good.clone(),
                &["--passphrase-file=other"],
            ),
            ("other byte in the header", flipped(&good, 150), &key),
            ("other byte in the middle", flipped(&good, 70_000), &key),
            ("half", cut(&good, good.len() / 2), &key),
            ("one byte short", cut(&good, 1), &key),
            ("plain in its place", backed_up(&installation, &[]), &key),
        ],
    );
    insta::assert_snapshot!(said);
    fs::write(installation.path().join("app.tar.gz"), &good).unwrap();
    let restored = installation.run(&["restore", "app.tar.gz", "--data-dir=new", key[0]]);
    assert!(restored.status.success(), "{}", stderr(&restored));
    let mail = fs::read_to_string(installation.path().join("new/mail/1.eml"));
    assert_eq!(mail.unwrap(), "dear");
}

#[test]
fn an_archive_that_somebody_made_to_harm_changes_nothing() {
    let installation = small();
    let file = EntryType::Regular;
    let manifest = |text: &str| crafted(&[("wildfire-backup.json", file, text.as_bytes())]);
    let holding = |path: &str, kind| crafted(&[(path, kind, b"x")]);
    let newer = r#"{"format": 2, "version": "9.1.0", "sums": {}}"#;
    let said = said_to_each(
        &installation,
        &[
            ("no manifest", holding("mail", file), &[]),
            ("other manifest", manifest("{}"), &[]),
            ("newer", manifest(newer), &[]),
            ("path upwards", holding("mail/../../evil", file), &[]),
            ("path from the root", holding("/etc/evil", file), &[]),
            ("link", holding("mail", EntryType::Symlink), &[]),
            ("hard link", holding("mail", EntryType::Link), &[]),
            ("device", holding("mail", EntryType::Char), &[]),
            ("long name", holding("x", EntryType::GNULongName), &[]),
            ("lock", holding("wildfire.lock", file), &[]),
            ("step", holding("restore.moving/x", file), &[]),
            (
                "folder of the disk",
                holding("lost+found", EntryType::Directory),
                &[],
            ),
            ("no file of git", holding(".gitignore/x", file), &[]),
            (
                "file twice",
                crafted(&[("a", file, b"1"), ("a", file, b"2")]),
                &[],
            ),
            ("not what its manifest says", unlike_its_manifest(), &[]),
            ("more than its manifest says", more_than_its_manifest(), &[]),
        ],
    );
    insta::assert_snapshot!(said);
}

fn manifest_of(entries: &Value) -> String {
    json!({
        "format": 1, "version": "0.1.0", "taken_at": "2026-01-01T00:00:00Z", "postgres_major": 18,
        "system_identifier": 1, "entries": entries
    })
    .to_string()
}

fn unlike_its_manifest() -> Vec<u8> {
    let file = EntryType::Regular;
    let text = manifest_of(&json!([{ "path": "a", "size": 1, "sha256": "00" }]));
    crafted(&[
        ("a", file, b"1"),
        ("wildfire-backup.json", file, text.as_bytes()),
    ])
}

fn more_than_its_manifest() -> Vec<u8> {
    let file = EntryType::Regular;
    let text = manifest_of(&json!([]));
    crafted(&[
        ("a", file, b"1"),
        ("wildfire-backup.json", file, text.as_bytes()),
    ])
}

#[test]
fn a_backup_of_another_postgres_says_which_is_missing() {
    let installation = small();
    installation.write(".wildfire/postgres/PG_VERSION", "14\n");
    let bytes = backed_up(&installation, &[]);
    let said = said_to(&installation, &bytes, &[]);
    assert!(
        said.contains("Postgres 14") && said.contains("WILDFIRE_PG_BIN"),
        "{said}"
    );
}

#[test]
fn a_backup_is_refused_in_words() {
    let installation = small();
    let said = |arguments: &[&str]| {
        let made = installation.run(&[&["backup"], arguments].concat());
        assert!(!made.status.success(), "{}", stderr(&made));
        stderr(&made)
    };
    installation.write("there", "");
    assert!(said(&["there"]).contains("--overwrite"));
    assert!(said(&[".wildfire/inside"]).contains("outside of"));
    assert!(said(&["no/such/folder"]).contains("no/such/folder cannot be written"));
    assert!(said(&["new", "--encrypt"]).contains("WILDFIRE_BACKUP_PASSPHRASE"));
    assert!(said(&["new", "--data-dir=nowhere"]).contains("nothing to back up in"));
    installation.write("empty", "\n");
    assert!(said(&["new", "--passphrase-file=empty"]).contains("holds no passphrase"));
    installation.write("long", &"x".repeat(5000));
    assert!(said(&["new", "--passphrase-file=long"]).contains("longer than 4096"));
    fs::remove_file(installation.path().join("long")).unwrap();
    let data_dir = installation.data_dir();
    symlink("/etc", data_dir.join("postgres/base/3")).unwrap();
    assert!(said(&["new"]).contains("postgres/base/3 is a link"));
    fs::remove_file(data_dir.join("postgres/base/3")).unwrap();
    symlink("/not/mounted", data_dir.join("storage")).unwrap();
    assert!(said(&["new"]).contains("storage leads to something that is not there"));
    fs::remove_file(data_dir.join("storage")).unwrap();
    installation.write(".wildfire/restore.moving/mail/2.eml", "newer");
    assert!(said(&["new"]).contains("broken off"));
    assert_eq!(fs::read_dir(installation.path()).unwrap().count(), 3);
}

#[test]
fn a_backup_that_is_not_encrypted_says_so_and_is_none_by_mistake() {
    let installation = small().with("WILDFIRE_BACKUP_PASSPHRAS", "correct horse");
    let plain = stderr(&installation.run(&["backup", "plain"]));
    assert!(plain.contains("not encrypted"), "{plain}");
    assert!(plain.contains("WILDFIRE_BACKUP_PASSPHRAS is no"), "{plain}");
    let installation = small().with("WILDFIRE_BACKUP_PASSPHRASE", "");
    let made = installation.run(&["backup", "archive"]);
    assert!(!made.status.success());
    let said = stderr(&made);
    assert!(said.contains("PASSPHRASE is set to nothing"), "{said}");
    assert!(!installation.path().join("archive").exists());
}

#[test]
fn a_backup_names_the_secrets_that_it_has_not() {
    let installation = small()
        .with("OF_THE_PROJECT", &"x".repeat(40))
        .with("POSTGRES_PASSWORD", "another");
    let config = "[auth]\njwt_secret = \"env(OF_THE_PROJECT)\"\n";
    installation.write("supabase/config.toml", config);
    let said = stderr(&installation.run(&["backup", "archive"]));
    for name in ["auth.jwt_secret of the project", "POSTGRES_PASSWORD of the"] {
        assert!(said.contains(name), "{said}");
    }
    assert!(said.contains("not in the archive"), "{said}");
}

/// Gives a folder and what is in it to an account that is not root's, if this is root.
fn give_away(installation: &Installation, folder: &str) {
    if geteuid().is_root() {
        let mut chown = installation.shell("chown", &["-R", "65534", folder]);
        assert!(chown.status().unwrap().success());
    }
}

#[test]
fn the_link_to_the_log_leads_only_to_what_its_own_account_has() {
    let installation = small();
    installation.write("wal/000000010000000000000001", "log");
    let log = installation.data_dir().join("postgres/pg_wal");
    symlink(installation.path().join("wal"), &log).unwrap();
    for folder in [".wildfire/postgres", "wal"] {
        give_away(&installation, folder);
    }
    backed_up(&installation, &[]);
    fs::remove_file(&log).unwrap();
    // Root's, and whoever runs the tests may read it.
    symlink("/etc/ssl", &log).unwrap();
    let made = installation.run(&["backup", "archive"]);
    assert!(!made.status.success());
    let said = stderr(&made);
    assert!(
        said.contains("postgres/pg_wal belongs to another"),
        "{said}"
    );
}

#[test]
fn root_restores_nothing_into_the_folder_of_another_account() {
    let installation = small();
    assert!(installation.run(&["backup", "good"]).status.success());
    give_away(&installation, ".wildfire");
    let restored = installation.run(&["restore", "good", "--yes"]);
    assert_eq!(restored.status.success(), !geteuid().is_root());
    if geteuid().is_root() {
        let said = stderr(&restored);
        assert!(said.contains("belongs to account 65534"), "{said}");
    }
}

#[test]
fn a_backup_is_restored_over_secrets_that_cannot_be_read() {
    let installation = small()
        .with("WILDFIRE_ENV", "production")
        .with("SUPABASE_PUBLIC_URL", "https://prompts.example.com");
    assert!(installation.run(&["backup", "good"]).status.success());
    installation.write(".wildfire/secrets.json", "{ torn");
    let restored = installation.run(&["restore", "good", "--yes"]);
    assert!(restored.status.success(), "{}", stderr(&restored));
    assert!(!installation.data_dir().join("secrets.json").exists());
}

#[test]
fn the_name_of_an_archive_that_is_being_written_is_taken() {
    let installation = small();
    let part = installation.path().join("archive.part");
    let other = File::create(&part).unwrap();
    other.lock().unwrap();
    let second = installation.run(&["backup", "archive"]);
    assert!(!second.status.success());
    assert!(
        stderr(&second).contains("Another backup is being written"),
        "{}",
        stderr(&second)
    );
    assert!(part.exists());
    // Of one that was killed, the lock is gone.
    drop(other);
    let third = installation.run(&["backup", "archive"]);
    assert!(third.status.success(), "{}", stderr(&third));
    assert!(!part.exists());
    let fourth = installation.run(&["backup", "archive", "--overwrite"]);
    assert!(fourth.status.success(), "{}", stderr(&fourth));
}

#[test]
fn a_backup_does_not_follow_a_link_in_its_way() {
    let installation = small();
    installation.write("precious", "precious");
    let part = installation.path().join("archive.part");
    std::os::unix::fs::symlink("precious", part).unwrap();
    installation.run(&["backup", "archive"]);
    let precious = fs::read_to_string(installation.path().join("precious"));
    assert_eq!(precious.unwrap(), "precious");
}
