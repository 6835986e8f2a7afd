//! Postgres killed under load: callers are told to come again, and then served again.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::installation::{Installation, Process, value};

const KILLS: usize = 10;
/// Long enough for a busy machine.
const PATIENCE: Duration = Duration::from_mins(2);

/// What callers saw.
#[derive(Default)]
struct Seen {
    acknowledged: Mutex<Vec<String>>,
    asked_to_wait: AtomicUsize,
    /// Anything that is neither.
    wrong: Mutex<Vec<String>>,
    attempts: AtomicUsize,
    over: AtomicBool,
}

impl Seen {
    /// Files an answer; true if it was a success.
    fn file(&self, answer: &str, success: &str) -> bool {
        let head = answer.split("\r\n\r\n").next().unwrap_or_default();
        let is = |status: &str| head.starts_with(&format!("HTTP/1.1 {status}"));
        if is(success) {
            return true;
        }
        if is("503") && head.to_ascii_lowercase().contains("\r\nretry-after: ") {
            self.asked_to_wait.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(20));
        } else {
            self.wrong.lock().unwrap().push(answer.to_owned());
        }
        false
    }

    /// Writes prompts and reads the user until told to stop.
    fn load(&self, port: u16, token: &str) {
        let bearer = format!("Bearer {token}");
        let headers = [
            ("authorization", bearer.as_str()),
            ("content-type", "application/json"),
        ];
        while !self.over.load(Ordering::Relaxed) {
            let key = format!("p{}", self.attempts.fetch_add(1, Ordering::Relaxed));
            let body = json!({ "name": key, "key": key, "template": "Hello" }).to_string();
            let answer = Process::ask(port, "POST /api/v1/prompts", &headers, &body);
            if self.file(&answer, "201") {
                self.acknowledged.lock().unwrap().push(key);
            }
            let answer = Process::ask(port, "GET /auth/v1/user", &headers, "");
            self.file(&answer, "200");
        }
    }

    fn acknowledged(&self) -> usize {
        self.acknowledged.lock().unwrap().len()
    }
}

pub(crate) fn json_of(answer: &str) -> Value {
    let body = answer.split("\r\n\r\n").nth(1).unwrap_or_default();
    serde_json::from_str(body).unwrap_or_else(|_| panic!("not JSON: {answer}"))
}

pub(crate) fn sign_up(port: u16) -> String {
    let body = json!({ "email": "ada@example.com", "password": "correct-horse" }).to_string();
    let headers = [("content-type", "application/json")];
    let answer = Process::ask(port, "POST /auth/v1/signup", &headers, &body);
    let token = json_of(&answer)["access_token"].clone();
    token
        .as_str()
        .unwrap_or_else(|| panic!("{answer}"))
        .to_owned()
}

fn server_of(data_dir: &Path) -> Option<Pid> {
    let text = fs::read_to_string(data_dir.join("postgres/postmaster.pid")).ok()?;
    Pid::from_raw(text.lines().next()?.parse().ok()?)
}

/// Every process that works in the data folder, servers and what they left.
fn processes_of(data_dir: &Path) -> usize {
    let folder = fs::canonicalize(data_dir.join("postgres")).unwrap();
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter(|entry| fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == folder))
        .count()
}

#[track_caller]
pub(crate) fn wait_until(what: &str, mut ready: impl FnMut() -> bool) {
    let started = Instant::now();
    while !ready() {
        assert!(started.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn postgres_killed_again_and_again_comes_back_and_nothing_acknowledged_is_lost() {
    let installation = Installation::new();
    let mut process = installation.start(&[]);
    let data_dir = installation.data_dir();
    let port = process.state.api_port;
    let token = sign_up(port);
    let seen = Seen::default();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| seen.load(port, &token));
        }
        for _ in 0..KILLS {
            let before = seen.acknowledged();
            wait_until("nothing is written", || seen.acknowledged() > before + 3);
            let server = server_of(&data_dir).unwrap();
            kill_process(server, Signal::KILL).unwrap();
            wait_until("Postgres was not started again", || {
                server_of(&data_dir).is_some_and(|pid| pid != server)
            });
            let before = seen.acknowledged();
            wait_until("nothing is written any more", || {
                seen.acknowledged() > before
            });
        }
        seen.over.store(true, Ordering::Relaxed);
    });
    let wrong = seen.wrong.lock().unwrap();
    assert!(wrong.is_empty(), "{}: {}", wrong.len(), wrong[0]);
    assert!(seen.asked_to_wait.load(Ordering::Relaxed) > 0);

    let runtime = tokio::runtime::Runtime::new().unwrap();
    let keys = "select string_agg(key, ' ') from wildfire.prompts";
    let kept = runtime.block_on(value(&process.database_url(), keys));
    let kept: std::collections::HashSet<&str> = kept.split(' ').collect();
    for key in seen.acknowledged.lock().unwrap().iter() {
        assert!(kept.contains(key.as_str()), "{key} was acknowledged");
    }
    wait_until("health does not recover", || {
        json_of(&Process::ask(port, "GET /health", &[], ""))["status"] == "ok"
    });
    assert!(installation.run(&["stop"]).status.success());
    assert!(process.wait().success(), "{}", process.output());
    assert_eq!(processes_of(&data_dir), 0);
}

#[test]
fn a_data_folder_that_is_gone_is_said_and_waited_for() {
    let installation = Installation::new();
    let mut process = installation.start(&[]);
    let data_dir = installation.data_dir();
    let port = process.state.api_port;
    let token = sign_up(port);
    let (here, away) = (data_dir.join("postgres"), data_dir.join("away"));
    let server = server_of(&data_dir).unwrap();
    fs::rename(&here, &away).unwrap();
    kill_process(server, Signal::KILL).unwrap();
    wait_until("nobody said what is wrong", || {
        process.output().contains("is gone")
    });
    let health = Process::ask(port, "GET /health", &[], "");
    assert!(health.starts_with("HTTP/1.1 503"), "{health}");
    assert_eq!(json_of(&health)["status"], "down");
    assert!(!here.exists(), "a new database was made");
    let bearer = format!("Bearer {token}");
    let me = || Process::ask(port, "GET /auth/v1/user", &[("authorization", &bearer)], "");
    assert!(me().starts_with("HTTP/1.1 503"));
    fs::rename(&away, &here).unwrap();
    wait_until("it did not come back", || me().starts_with("HTTP/1.1 200"));
    assert!(installation.run(&["stop"]).status.success());
    assert!(process.wait().success(), "{}", process.output());
}
