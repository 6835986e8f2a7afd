//! A disk that runs full while Wildfire runs: changes are refused, reading goes on, and all is well
//! when there is room again.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::installation::{Installation, Process, execute};
use super::left_out;
use super::supervise::{json_of, sign_up, wait_until};

/// A small disk, taken away when dropped.
pub(crate) struct Disk(PathBuf);

impl Disk {
    /// `None` where mounting is not allowed, and says so.
    pub(crate) fn mount(folder: &Path) -> Option<Self> {
        fs::create_dir(folder).unwrap();
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=256m,mode=0755", "tmpfs"])
            .arg(folder)
            .status();
        if !mount.is_ok_and(|status| status.success()) {
            left_out("this account may not mount a disk");
            return None;
        }
        Some(Self(folder.to_owned()))
    }

    fn ballast(&self) -> PathBuf {
        self.0.join("ballast")
    }

    pub(crate) fn fill(&self) {
        let mut file = File::create(self.ballast()).unwrap();
        for size in [1 << 20, 4096] {
            while file.write_all(&vec![0; size]).is_ok() {}
        }
    }

    fn relieve(&self) {
        fs::remove_file(self.ballast()).unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// Somebody signed in, who has stored a prompt before anything happens.
struct Caller {
    port: u16,
    bearer: String,
}

impl Caller {
    fn new(process: &Process) -> Self {
        let port = process.state.api_port;
        let bearer = format!("Bearer {}", sign_up(port));
        let caller = Self { port, bearer };
        assert!(caller.create("kept").starts_with("HTTP/1.1 201"));
        caller
    }

    fn create(&self, key: &str) -> String {
        let template = key.repeat(200_000 / key.len());
        let body = json!({ "name": key, "key": key, "template": template }).to_string();
        let headers = [
            ("authorization", self.bearer.as_str()),
            ("content-type", "application/json"),
        ];
        Process::ask(self.port, "POST /api/v1/prompts", &headers, &body)
    }

    fn reads_what_was_kept(&self) {
        let headers = [("authorization", self.bearer.as_str())];
        let kept = Process::ask(self.port, "GET /api/v1/prompts/by-key/kept", &headers, "");
        assert!(kept.starts_with("HTTP/1.1 200"), "{kept}");
    }

    fn stores_again(&self) {
        wait_until("nothing can be stored again", || {
            self.create("again").starts_with("HTTP/1.1 201")
        });
    }

    fn health(&self) -> Value {
        json_of(&Process::ask(self.port, "GET /health", &[], ""))["status"].clone()
    }
}

#[test]
fn a_full_disk_stops_changes_and_nothing_else_and_recovers_by_itself() {
    let installation = Installation::new();
    let Some(disk) = Disk::mount(&installation.data_dir()) else {
        return;
    };
    let mut process = installation.start(&[]);
    let caller = Caller::new(&process);
    wait_until("health is not fine", || caller.health() == "ok");
    make_room_in_the_log(&process);
    disk.fill();

    let mut answer = String::new();
    let mut count = 0;
    wait_until("the disk never was full", || {
        count += 1;
        answer = caller.create(&format!("more-{count}"));
        !answer.starts_with("HTTP/1.1 201")
    });
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    let head = answer.to_ascii_lowercase();
    assert!(head.contains("\r\nretry-after: "), "{answer}");
    wait_until("health is fine", || caller.health() == "degraded");
    caller.reads_what_was_kept();

    disk.relieve();
    caller.stores_again();
    wait_until("health does not recover", || caller.health() == "ok");
    assert!(installation.run(&["stop"]).status.success());
    assert!(process.wait().success(), "{}", process.output());
}

#[test]
fn a_disk_too_full_for_the_servers_log_is_waited_for() {
    let installation = Installation::new();
    let Some(disk) = Disk::mount(&installation.data_dir()) else {
        return;
    };
    let mut process = installation.start(&[]);
    let caller = Caller::new(&process);
    disk.fill();
    // What comes next needs a new segment of the log, and the server gives up without one.
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(switch_log(&process));
    let mut count = 0;
    wait_until("the server had room enough", || {
        count += 1;
        let answer = caller.create(&format!("more-{count}"));
        let expected = ["HTTP/1.1 201", "HTTP/1.1 503"];
        assert!(
            expected.iter().any(|head| answer.starts_with(head)),
            "{answer}"
        );
        process.output().contains("cannot be started again")
    });
    assert_eq!(caller.health(), "down");
    disk.relieve();
    caller.stores_again();
    caller.reads_what_was_kept();
    assert!(installation.run(&["stop"]).status.success());
    assert!(process.wait().success(), "{}", process.output());
}

async fn switch_log(process: &Process) {
    let url = superuser_url(process);
    if let Ok((client, connection)) = tokio_postgres::connect(&url, tokio_postgres::NoTls).await {
        tokio::spawn(connection);
        // The server may end over it.
        _ = client.batch_execute("select pg_switch_wal()").await;
    }
}

fn superuser_url(process: &Process) -> String {
    let url = process.database_url();
    url.replace("//postgres:", "//supabase_admin:")
}

/// A server that has run for a while has segments to write its log to; a new one has not, and ends
/// when the next segment cannot be made.
fn make_room_in_the_log(process: &Process) {
    let url = superuser_url(process);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for statement in ["select pg_switch_wal()", "checkpoint"].repeat(4) {
        runtime.block_on(execute(&url, statement));
    }
}
