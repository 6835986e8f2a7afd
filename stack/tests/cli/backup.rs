//! `wildfire backup` and `wildfire restore` on installations that run for real.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use flate2::read::GzDecoder;
use jiff::Timestamp;
use platform::clock::Clock;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::archives::small;
use super::full_disk::Disk;
use super::installation::{Installation, Process, execute, stderr, stdout, value};
use super::supervise::{json_of, wait_until};

/// What does not get smaller, so that copying takes a while.
const BALLAST: &str = "create table public.ballast as
  select id, gen_random_uuid() as a, gen_random_uuid() as b from generate_series(1, 300000) as id";

fn production() -> Installation {
    Installation::new()
        .with("WILDFIRE_ENV", "production")
        .with("SUPABASE_PUBLIC_URL", "https://prompts.example.com")
        .with("GOTRUE_MAILER_AUTOCONFIRM", "true")
}

/// A value of `wildfire status -o env`.
fn status(installation: &Installation, name: &str) -> String {
    let env = stdout(&installation.run(&["status", "-o", "env"]));
    let start = format!("{name}=\"");
    let line = env.lines().find_map(|line| line.strip_prefix(&start));
    line.unwrap_or_else(|| panic!("{name}: {env}"))
        .trim_end_matches('"')
        .to_owned()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// What an archive says about itself.
fn manifest(archive: &Path) -> Value {
    let mut tar = tar::Archive::new(GzDecoder::new(File::open(archive).unwrap()));
    let last = tar
        .entries()
        .unwrap()
        .map(Result::unwrap)
        .find(|entry| entry.path().unwrap() == Path::new("wildfire-backup.json"));
    serde_json::from_reader(last.unwrap()).unwrap()
}

/// Somebody who signed in, and everything that was acknowledged, with its time.
struct Writers {
    port: u16,
    anon: String,
    session: Value,
    acknowledged: Mutex<Vec<(String, Timestamp)>>,
    number: AtomicUsize,
    over: AtomicBool,
}

impl Writers {
    fn new(installation: &Installation, process: &Process) -> Self {
        let (port, anon) = (process.state.api_port, status(installation, "ANON_KEY"));
        let body = json!({ "email": "ada@example.com", "password": "correct-horse" });
        let headers = [("apikey", &*anon), ("content-type", "application/json")];
        let answer = Process::ask(port, "POST /auth/v1/signup", &headers, &body.to_string());
        let session = json_of(&answer);
        assert!(session["access_token"].is_string(), "{answer}");
        let (acknowledged, number, over) = Default::default();
        Self {
            port,
            anon,
            session,
            acknowledged,
            number,
            over,
        }
    }

    /// Asks as the one who signed in, on any installation.
    fn ask(&self, port: u16, request: &str, body: &str) -> String {
        let bearer = format!("Bearer {}", self.session["access_token"].as_str().unwrap());
        let headers = [
            ("apikey", &*self.anon),
            ("authorization", &bearer),
            ("content-type", "application/json"),
        ];
        Process::ask(port, request, &headers, body)
    }

    fn write(&self) {
        while !self.over.load(Ordering::Relaxed) {
            let key = format!("p{}", self.number.fetch_add(1, Ordering::Relaxed));
            let body = json!({ "name": key, "key": key, "template": "Hello" }).to_string();
            let answer = self.ask(self.port, "POST /api/v1/prompts", &body);
            assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
            let now = Clock::system().now();
            self.acknowledged.lock().unwrap().push((key, now));
        }
    }

    fn count(&self) -> usize {
        self.acknowledged.lock().unwrap().len()
    }
}

/// Tables that come and go, as nothing else makes and removes files.
async fn churn(url: &str, over: &AtomicBool) {
    while !over.load(Ordering::Relaxed) {
        execute(
            url,
            "create table public.passing as select generate_series(1, 5000)",
        )
        .await;
        execute(url, "drop table public.passing").await;
    }
}

#[test]
fn a_backup_under_load_has_every_write_that_was_acknowledged_before_its_time() {
    let installation = production();
    let process = installation.start(&[]);
    let writers = Writers::new(&installation, &process);
    let url = status(&installation, "DB_URL");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(execute(&url, BALLAST));
    let made = std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| writers.write());
        }
        scope.spawn(|| runtime.block_on(churn(&url, &writers.over)));
        wait_until("nothing is written", || writers.count() > 10);
        let made = installation.run(&["backup", "night.tar.gz"]);
        let after = writers.count();
        wait_until("nothing is written any more", || writers.count() > after);
        writers.over.store(true, Ordering::Relaxed);
        made
    });
    assert!(made.status.success(), "{}", stderr(&made));
    assert!(
        stderr(&made).contains("wildfire restore night.tar.gz"),
        "{}",
        stderr(&made)
    );
    let mut elsewhere = installation.command(&["backup", "other.tar.gz"]);
    let elsewhere = elsewhere
        .env("WILDFIRE_ENV", "development")
        .output()
        .unwrap();
    assert!(
        stderr(&elsewhere).contains("environment"),
        "{}",
        stderr(&elsewhere)
    );
    let archive = installation.path().join("night.tar.gz");
    assert_eq!(mode(&archive), 0o600);
    assert!(!installation.path().join("night.tar.gz.part").exists());

    let other = production();
    let restored = other.run(&["restore", archive.to_str().unwrap()]);
    assert!(restored.status.success(), "{}", stderr(&restored));
    assert_eq!(mode(&other.data_dir().join("secrets.json")), 0o600);
    assert_eq!(mode(&other.data_dir().join("postgres")), 0o700);
    // The one that was copied still runs, with ports of its own.
    let copy = other.start(&[]);
    let url = status(&other, "DB_URL");
    runtime.block_on(has_what_was_acknowledged(&url, &writers, &archive));
    let whole = "select count(*)::text || ' ' || count(distinct a)::text from public.ballast";
    assert_eq!(runtime.block_on(value(&url, whole)), "300000 300000");
    same_session(&writers, copy.state.api_port);
}

/// What was acknowledged before the archive's time is there; some of it was after.
async fn has_what_was_acknowledged(url: &str, writers: &Writers, archive: &Path) {
    let keys = "select coalesce(string_agg(key, ' '), '') from wildfire.prompts";
    let keys = value(url, keys).await;
    let keys: std::collections::HashSet<&str> = keys.split(' ').collect();
    let taken_at = manifest(archive)["taken_at"].clone();
    let taken_at: Timestamp = taken_at.as_str().unwrap().parse().unwrap();
    let acknowledged = writers.acknowledged.lock().unwrap();
    for (key, at) in acknowledged.iter().filter(|(_, at)| *at < taken_at) {
        assert!(
            keys.contains(key.as_str()),
            "{key} was acknowledged at {at}, of {taken_at}"
        );
    }
    assert!(acknowledged.iter().any(|(_, at)| *at > taken_at));
}

/// Tokens of before are good, both kinds.
fn same_session(writers: &Writers, port: u16) {
    let user = writers.ask(port, "GET /auth/v1/user", "");
    assert!(user.starts_with("HTTP/1.1 200"), "{user}");
    let body = json!({ "refresh_token": writers.session["refresh_token"] }).to_string();
    let renewed = writers.ask(port, "POST /auth/v1/token?grant_type=refresh_token", &body);
    assert!(renewed.starts_with("HTTP/1.1 200"), "{renewed}");
    let written = json!({ "name": "later", "key": "later", "template": "Hello" }).to_string();
    let written = writers.ask(port, "POST /api/v1/prompts", &written);
    assert!(written.starts_with("HTTP/1.1 201"), "{written}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_installation_is_backed_up_and_put_in_the_place_of_another() {
    let installation = Installation::new().with("WILDFIRE_BACKUP_PASSPHRASE", "correct horse");
    let mut process = installation.start(&[]);
    execute(
        &process.database_url(),
        "create table kept as select 'first' as v",
    )
    .await;
    installation.write(".wildfire/later/service.bin", "of a service to come");
    assert!(installation.run(&["stop"]).status.success());
    process.wait();
    let made = installation.run(&["backup", "cold.tar.gz.age"]);
    assert!(made.status.success(), "{}", stderr(&made));

    let mut process = installation.start(&[]);
    execute(&process.database_url(), "update kept set v = 'second'").await;
    let running = installation.run(&["restore", "cold.tar.gz.age", "--yes"]);
    assert!(
        stderr(&running).contains("wildfire stop"),
        "{}",
        stderr(&running)
    );
    assert!(installation.run(&["stop"]).status.success());
    process.wait();
    let unasked = installation.run(&["restore", "cold.tar.gz.age"]);
    assert!(stderr(&unasked).contains("--yes"), "{}", stderr(&unasked));
    installation.write(".wildfire/later/service.bin", "changed");
    killed_while_it_unpacks(&installation, "cold.tar.gz.age");
    let file = |name: &str| fs::read_to_string(installation.data_dir().join(name)).unwrap();
    assert_eq!(file("later/service.bin"), "changed");
    let restored = installation.run(&["restore", "cold.tar.gz.age", "--yes"]);
    assert!(restored.status.success(), "{}", stderr(&restored));
    assert_eq!(file("later/service.bin"), "of a service to come");
    assert!(!installation.data_dir().join("restore.part").exists());
    let aside = set_aside(&installation);
    assert_eq!(file(&format!("{aside}/later/service.bin")), "changed");
    assert!(stderr(&restored).contains(&aside), "{}", stderr(&restored));
    let process = installation.start(&[]);
    assert_eq!(
        value(&process.database_url(), "select v from kept").await,
        "first"
    );
}

/// Kills a restore that reads an archive from a pipe, and then half of it from another of the same name.
fn killed_while_it_unpacks(installation: &Installation, archive: &str) {
    let made = installation.shell("mkfifo", &["pipe", "second"]).status();
    assert!(made.unwrap().success());
    let bytes = fs::read(installation.path().join(archive)).unwrap();
    let mut killed = installation.command(&["restore", "pipe", "--yes"]);
    let mut killed = killed.stderr(Stdio::null()).spawn().unwrap();
    let pipe = installation.path().join("pipe");
    let write = |bytes: &[u8], meanwhile: &dyn Fn()| {
        // Waits until somebody reads.
        let mut opened = File::options().write(true).open(&pipe).unwrap();
        meanwhile();
        opened.write_all(bytes).unwrap();
        opened
    };
    drop(write(&bytes, &|| {
        fs::rename(installation.path().join("second"), &pipe).unwrap();
    }));
    let _open = write(&bytes[..bytes.len() / 2], &|| ());
    let part = installation.data_dir().join("restore.part/postgres");
    wait_until("it never unpacked", || part.exists());
    killed.kill().unwrap();
    killed.wait().unwrap();
}

fn set_aside(installation: &Installation) -> String {
    let mut names = installation.left_behind();
    names.retain(|name| name.starts_with("before-restore-"));
    assert_eq!(names.len(), 1, "{names:?}");
    names.remove(0)
}

/// What it says to Ctrl-C; nothing where it was done before.
fn interrupted(mut child: Child) -> Option<String> {
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    let mut said = String::new();
    std::io::Read::read_to_string(child.stderr.as_mut().unwrap(), &mut said).unwrap();
    (!child.wait().unwrap().success()).then_some(said)
}

#[test]
fn ctrl_c_leaves_no_file_and_no_trace_in_postgres() {
    let installation = Installation::new();
    let process = installation.start(&[]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let url = process.database_url();
    runtime.block_on(execute(&url, BALLAST));
    let slots = "select count(*)::text from pg_replication_slots";
    let mut attempts = 0;
    // On a busy machine a backup may be done before it is seen: then another one.
    let said = loop {
        let mut command = installation.command(&["backup", "archive", "--overwrite"]);
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        wait_until("it never began", || {
            runtime.block_on(value(&url, slots)) == "1" || child.try_wait().unwrap().is_some()
        });
        let is_done = child.try_wait().unwrap().is_some();
        if let Some(said) = (!is_done).then(|| interrupted(child)).flatten() {
            break said;
        }
        attempts += 1;
        assert!(attempts < 20, "no backup was seen while it ran");
        fs::remove_file(installation.path().join("archive")).unwrap();
    };
    assert!(said.contains("nothing is left of it"), "{said}");
    let names = fs::read_dir(installation.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let left: Vec<PathBuf> = names.map(PathBuf::from).collect();
    assert!(
        left.iter().all(|name| !name.starts_with("archive")),
        "{left:?}"
    );
    wait_until("the slot is still there", || {
        runtime.block_on(value(&url, slots)) == "0"
    });
}

#[test]
fn ctrl_c_does_not_wait_for_a_reader_who_went_to_sleep() {
    let installation = small();
    let mut command = installation.command(&["backup", "-"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // It has begun, and a pipe does not hold all of it.
    let mut reader = child.stdout.take().unwrap();
    std::io::Read::read_exact(&mut reader, &mut [0]).unwrap();
    let said = interrupted(child).unwrap();
    assert!(said.contains("kept it waiting"), "{said}");
}

#[test]
fn a_full_disk_is_said_and_nothing_is_left_of_the_attempt() {
    let installation = small();
    let Some(disk) = Disk::mount(&installation.path().join("disk")) else {
        return;
    };
    let good = installation.path().join("good");
    assert!(installation.run(&["backup", "good"]).status.success());
    disk.fill();
    let made = installation.run(&["backup", "disk/archive"]);
    assert!(!made.status.success());
    assert!(
        stderr(&made).contains("disk/archive: the disk is full"),
        "{}",
        stderr(&made)
    );
    let good = good.to_str().unwrap();
    let restored = installation.run(&["restore", good, "--data-dir=disk/data"]);
    assert!(!restored.status.success());
    assert!(
        stderr(&restored).contains("MB are free"),
        "{}",
        stderr(&restored)
    );
    assert!(!installation.path().join("disk/archive.part").exists());
    assert!(!installation.path().join("disk/data").exists());
}

#[test]
fn a_restore_that_was_broken_off_at_the_end_is_finished_without_its_archive() {
    for stage in ["restore.ready", "restore.moving"] {
        let installation = small();
        installation.write(&format!(".wildfire/{stage}/mail/2.eml"), "newer");
        if stage == "restore.moving" {
            installation.write(".wildfire/before-restore-1/mail/1.eml", "dear");
            fs::remove_dir_all(installation.data_dir().join("mail")).unwrap();
            fs::remove_dir_all(installation.data_dir().join("postgres")).unwrap();
        }
        let started = installation.run(&["start", "--port=0"]);
        assert!(!started.status.success());
        let said = stderr(&started);
        assert!(said.contains("wildfire restore"), "{said}");
        let restored = installation.run(&["restore", "lost"]);
        let said = stderr(&restored);
        assert!(restored.status.success(), "{said}");
        assert!(said.contains("it is finished now"), "{said}");
        assert!(said.contains("lost was not read"), "{said}");
        let left = installation.left_behind();
        assert!(
            left.iter().all(|name| !name.starts_with("restore.")),
            "{left:?}"
        );
        let mail = fs::read_to_string(installation.data_dir().join("mail/2.eml"));
        assert_eq!(mail.unwrap(), "newer");
    }
}

#[test]
fn a_database_of_ones_own_is_left_to_its_own_tools() {
    let installation =
        Installation::new().with("DATABASE_URL", "postgres://me:hunter2@127.0.0.1:1/x");
    let said = stderr(&installation.run(&["backup", "archive"]));
    for word in ["pg_dump", "pg_dumpall", "secrets.json", "role-password"] {
        assert!(said.contains(word), "{word}: {said}");
    }
    assert!(!said.contains("hunter2"), "{said}");
    let said = stderr(&installation.run(&["restore", "archive"]));
    assert!(said.contains("DATABASE_URL"), "{said}");
}
