//! Production with exactly the environment of `docker-compose.yml` and `.env.example`, against a
//! Postgres of somebody else's.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use platform::cluster::{Binaries, Cluster, FindOptions};
use platform_test::program::Door;
use stack::lifecycle::{State, running};

use crate::deployment::{compose_environment, example_env, substitute};

const PATIENCE: Duration = Duration::from_mins(1);

/// The environment of the container, with another database than the one of the compose file.
fn environment(database_url: &str) -> BTreeMap<String, String> {
    let mut env = example_env();
    env.insert("POSTGRES_PASSWORD".into(), "a-password-of-its-own".into());
    let mut environment: BTreeMap<String, String> = compose_environment("wildfire")
        .into_iter()
        .map(|(name, value)| (name, substitute(&value, &env)))
        .collect();
    environment.insert("DATABASE_URL".into(), database_url.to_owned());
    environment
}

/// `wildfire` as the image runs it, on free ports.
fn wildfire(arguments: &[&str], data_dir: &Path, env: &BTreeMap<String, String>) -> Command {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_wildfire"));
    command
        .args(arguments)
        .arg("--workdir")
        .arg(root)
        .arg("--data-dir")
        .arg(data_dir)
        .current_dir(root)
        .env_clear()
        .envs(env);
    command
}

struct Running {
    child: Child,
    state: State,
}

impl Running {
    fn start(data_dir: &Path, env: &BTreeMap<String, String>) -> Self {
        let ports = ["start", "--port", "0", "--app-port", "0"];
        let log = std::fs::File::create(data_dir.join(".output")).unwrap();
        let mut child = wildfire(&ports, data_dir, env)
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(state) = running(data_dir).unwrap() {
                return Self { child, state };
            }
            let ended = child.try_wait().unwrap();
            let output = std::fs::read_to_string(data_dir.join(".output")).unwrap();
            assert!(ended.is_none(), "it ended: {output}");
            assert!(Instant::now() < deadline, "it does not come up: {output}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The answer to a visitor who has the public key.
    fn get(&self, path: &str, anon_key: &str) -> String {
        let address = format!("127.0.0.1:{}", self.state.app_port.unwrap());
        let mut socket = TcpStream::connect(&address).unwrap();
        write!(
            socket,
            "GET {path} HTTP/1.1\r\nHost: {address}\r\napikey: {anon_key}\r\n\
             Connection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = Vec::new();
        socket.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn stop(mut self) -> ExitStatus {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        self.child.wait().unwrap()
    }
}

/// The keys `status` prints.
fn keys(data_dir: &Path, env: &BTreeMap<String, String>) -> String {
    let output = wildfire(&["status", "--output", "env"], data_dir, env)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let keys = text
        .lines()
        .filter(|line| line.contains("KEY=") || line.contains("API_URL="));
    keys.collect::<Vec<_>>().join("\n")
}

/// Runs `start`, which must refuse before long.
fn refusal(data_dir: &Path, env: &BTreeMap<String, String>) -> String {
    let ports = ["start", "--port", "0", "--app-port", "0"];
    let log = data_dir.join(".output");
    let output = std::fs::File::create(&log).unwrap();
    let mut child = wildfire(&ports, data_dir, env)
        .stdout(Stdio::null())
        .stderr(output)
        .spawn()
        .unwrap();
    let deadline = Instant::now() + PATIENCE;
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > deadline || running(data_dir).unwrap().is_some() {
            child.kill().unwrap();
            panic!("it was not refused");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    std::fs::read_to_string(log).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_compose_environment_starts_serves_restarts_and_stops() {
    let binaries = Binaries::find(&FindOptions::detect()).unwrap();
    let cluster = Cluster::temporary(binaries).start().await.unwrap();
    let env = environment(&cluster.superuser_url("postgres"));
    let folder = tempfile::tempdir().unwrap();
    let first = Running::start(folder.path(), &env);
    let before = keys(folder.path(), &env);
    let anon_key = before.split_once("ANON_KEY=\"").unwrap().1;
    let anon_key = anon_key.split('"').next().unwrap();
    let health = first.get("/health", "");
    assert!(health.starts_with("HTTP/1.1 200"), "{health}");
    let stranger = first.get("/auth/v1/settings", "");
    assert!(stranger.starts_with("HTTP/1.1 401"), "{stranger}");
    let settings = first.get("/auth/v1/settings", anon_key);
    assert!(settings.starts_with("HTTP/1.1 200"), "{settings}");
    assert!(
        settings.contains("\"mailer_autoconfirm\":false"),
        "{settings}"
    );
    let page = first.get("/", "");
    assert!(page.contains("strict-transport-security: "), "{page}");
    assert!(
        before.contains("API_URL=\"https://prompts.example.com\""),
        "{before}"
    );
    assert!(first.stop().success());
    // The generated keys stay, and the database is found as it was left.
    let second = Running::start(folder.path(), &env);
    assert_eq!(keys(folder.path(), &env), before);
    assert!(second.stop().success());
    cluster.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_of_a_container_is_plain_text_that_says_what_stays_off() {
    let binaries = Binaries::find(&FindOptions::detect()).unwrap();
    let cluster = Cluster::temporary(binaries).start().await.unwrap();
    let mut env = environment(&cluster.superuser_url("postgres"));
    env.insert("GOTRUE_EXTERNAL_GOOGLE_ENABLED".into(), "true".into());
    let folder = tempfile::tempdir().unwrap();
    assert!(Running::start(folder.path(), &env).stop().success());
    let log = std::fs::read_to_string(folder.path().join(".output")).unwrap();
    assert!(!log.contains('\x1b'), "{log}");
    assert!(!log.contains("NOTICE: "), "{log}");
    let off = "GOTRUE_EXTERNAL_GOOGLE_ENABLED is not part of this build yet: it stays off";
    assert!(log.contains(off), "{log}");
    assert!(
        log.contains("have your proxy forward https://prompts.example.com to http://127.0.0.1:"),
        "{log}"
    );
    cluster.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn production_waits_for_a_database_that_is_not_up_yet() {
    let binaries = Binaries::find(&FindOptions::detect()).unwrap();
    let cluster = Cluster::temporary(binaries).start().await.unwrap();
    let mut url = url::Url::parse(&cluster.superuser_url("postgres")).unwrap();
    let port = url.port().unwrap();
    let door = Door::closed();
    url.set_port(Some(door.port())).unwrap();
    let env = environment(url.as_str());
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join(".output");
    let opening = std::thread::spawn(move || {
        let said = "Waiting for the database: Nothing listens at 127.0.0.1:";
        while !std::fs::read_to_string(&log).is_ok_and(|log| log.contains(said)) {
            std::thread::sleep(Duration::from_millis(20));
        }
        door.open(port);
    });
    let running = Running::start(folder.path(), &env);
    opening.join().unwrap();
    assert!(running.stop().success());
    cluster.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn production_without_a_mail_server_or_a_public_address_is_refused() {
    let binaries = Binaries::find(&FindOptions::detect()).unwrap();
    let cluster = Cluster::temporary(binaries).start().await.unwrap();
    let env = environment(&cluster.superuser_url("postgres"));
    let folder = tempfile::tempdir().unwrap();
    let without = |name: &str| {
        let mut env = env.clone();
        env.remove(name);
        refusal(folder.path(), &env)
    };
    let text = without("GOTRUE_SMTP_HOST");
    assert!(text.contains("GOTRUE_SMTP_HOST"), "{text}");
    let text = without("SUPABASE_PUBLIC_URL");
    assert!(text.contains("SUPABASE_PUBLIC_URL"), "{text}");
    cluster.stop().await.unwrap();
}
