//! An installation under test: its folder, its process, its database.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use stack::lifecycle::{State, running};
use tempfile::TempDir;

use super::open_folder;

const PATIENCE: Duration = Duration::from_mins(1);

/// A project folder and how the program is called in it.
pub(crate) struct Installation {
    folder: TempDir,
    variables: Vec<(String, String)>,
}

/// A running `wildfire start`, killed when dropped.
pub(crate) struct Process {
    pub(crate) state: State,
    child: Child,
    log: PathBuf,
}

impl Installation {
    pub(crate) fn new() -> Self {
        Self::in_folder(open_folder())
    }

    pub(crate) fn in_folder(folder: TempDir) -> Self {
        Self {
            folder,
            variables: Vec::new(),
        }
    }

    /// Sets a variable for every command that follows.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn data_dir(&self) -> PathBuf {
        self.path().join(".wildfire")
    }

    /// What is in the data folder, sorted; nothing where there is none.
    pub(crate) fn left_behind(&self) -> Vec<String> {
        let entries = fs::read_dir(self.data_dir()).into_iter().flatten();
        let names = entries.map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Writes a file of the project.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The program, knowing nothing of the environment the tests run in but where
    /// Postgres is.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.shell(env!("CARGO_BIN_EXE_wildfire"), arguments)
    }

    /// Another program in the project's folder, knowing as little.
    pub(crate) fn shell(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .stdin(Stdio::null())
            .args(arguments)
            .current_dir(self.path());
        for name in ["PATH", "HOME", "TMPDIR", "WILDFIRE_PG_BIN"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// `start` on free ports, with more arguments; returns when it serves.
    pub(crate) fn start(&self, more: &[&str]) -> Process {
        match self.try_start(more) {
            Ok(process) => process,
            Err(log) => panic!("wildfire did not start:\n{log}"),
        }
    }

    /// As `start`; a failure is what the program said.
    pub(crate) fn try_start(&self, more: &[&str]) -> Result<Process, String> {
        let log = self.path().join("output.log");
        let output = File::create(&log).unwrap();
        let mut arguments = vec![
            "start",
            "--port=0",
            "--app-port=0",
            "--db-port=0",
            "--mail-port=0",
        ];
        // What a test names itself takes the place of the free port.
        arguments.retain(|own| {
            let name = own.split('=').next().unwrap();
            !more
                .iter()
                .any(|other| other.split('=').next() == Some(name) && own.contains('='))
        });
        arguments.extend_from_slice(more);
        let mut child = self
            .command(&arguments)
            .stdout(Stdio::null())
            .stderr(output)
            .spawn()
            .unwrap();
        let started = Instant::now();
        loop {
            if child.try_wait().unwrap().is_some() {
                return Err(fs::read_to_string(&log).unwrap());
            }
            if self.data_dir().is_dir()
                && let Some(state) = running(&self.data_dir()).unwrap()
            {
                return Ok(Process { state, child, log });
            }
            assert!(
                started.elapsed() < PATIENCE,
                "{}",
                fs::read_to_string(&log).unwrap()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Process {
    /// What it printed so far.
    pub(crate) fn output(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    /// Kills it without a chance to clean up.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits until it ends of itself.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    /// Whether it has ended of itself.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// The URL of its database for the role postgres.
    pub(crate) fn database_url(&self) -> String {
        let port = self.state.db_port.unwrap();
        format!("postgresql://postgres:postgres@127.0.0.1:{port}/postgres")
    }

    /// The first line of the answer to `GET /` on a port.
    pub(crate) fn answer(port: u16) -> String {
        let text = Self::ask(port, "GET /", &[], "");
        text.lines().next().unwrap_or_default().to_owned()
    }

    /// The answer to a request on a port, as it comes over the wire.
    pub(crate) fn ask(port: u16, request: &str, headers: &[(&str, &str)], body: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let headers = headers
            .iter()
            .map(|(name, value)| [name, ": ", value, "\r\n"]);
        let headers = headers.flatten().collect::<String>();
        write!(
            stream,
            "{request} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\
             content-length: {}\r\n{headers}\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = Vec::new();
        _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Standard error as text.
pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Standard output as text.
pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The processes that work in a data folder.
pub(crate) fn servers_of(data_dir: &Path) -> usize {
    let Ok(folder) = fs::canonicalize(data_dir.join("postgres")) else {
        return 0;
    };
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let servers: Vec<_> = processes
        .filter(|entry| fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == folder))
        .filter(|entry| {
            let command = fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
            command.contains("-D")
        })
        .collect();
    // What a server has just started looks like the server until it calls itself something else.
    let has_server_as_parent = |entry: &fs::DirEntry| {
        let status = fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"));
        parent.is_some_and(|parent| servers.iter().any(|it| it.file_name() == parent.trim()))
    };
    let first = servers.iter().filter(|entry| !has_server_as_parent(entry));
    first.count()
}

/// Runs statements.
pub(crate) async fn execute(url: &str, sql: &str) {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls)
        .await
        .unwrap();
    let driver = tokio::spawn(connection);
    client.batch_execute(sql).await.unwrap();
    drop(client);
    driver.await.unwrap().unwrap();
}

/// The text of the single value a statement returns.
pub(crate) async fn value(url: &str, sql: &str) -> String {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls)
        .await
        .unwrap();
    let driver = tokio::spawn(connection);
    let row = client.query_one(sql, &[]).await.unwrap();
    drop(client);
    driver.await.unwrap().unwrap();
    row.get(0)
}
