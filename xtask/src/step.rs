//! Running other programs: with their output shown, and with what they print counted.

use std::fmt;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

/// Why a command stopped, in words for its user.
#[derive(Debug)]
pub(crate) struct Failure(String);

impl Failure {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self(error.to_string())
    }
}

/// The outcome of everything a command does.
pub(crate) type Outcome = Result<(), Failure>;

/// A program to run, from the repository's root unless said otherwise.
pub(crate) struct Program {
    command: Command,
    shown: String,
}

impl Program {
    pub(crate) fn new(name: &str, args: &[&str]) -> Self {
        let mut command = Command::new(name);
        command.args(args).current_dir(crate::root());
        Self {
            command,
            shown: format!("{name} {}", args.join(" ")),
        }
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs it from this folder.
    pub(crate) fn from(mut self, folder: PathBuf) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Runs it with its output on the terminal.
    pub(crate) fn run(mut self, title: &str) -> Outcome {
        let started = Instant::now();
        eprintln!("\u{25b8} {title}");
        let status = self
            .command
            .status()
            .map_err(|error| self.not_started(&error))?;
        self.finish(title, started, status.success())
    }

    /// Hands the terminal and this process over to it, so that Ctrl-C reaches it alone.
    pub(crate) fn become_it(mut self) -> Outcome {
        let error = self.command.exec();
        Err(self.not_started(&error))
    }

    /// Runs it with its output on the terminal and hands each line to `line` as well.
    pub(crate) fn run_with(mut self, title: &str, mut line: impl FnMut(&str)) -> Outcome {
        let started = Instant::now();
        eprintln!("\u{25b8} {title}");
        let mut child = self
            .command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| self.not_started(&error))?;
        let errors = child
            .stderr
            .take()
            .map(|stderr| thread::spawn(move || show(stderr)));
        if let Some(stdout) = child.stdout.take() {
            for text in BufReader::new(stdout).lines() {
                let text = text?;
                line(&text);
                writeln!(io::stderr(), "{text}")?;
            }
        }
        if let Some(errors) = errors {
            for text in errors.join().unwrap_or_default() {
                line(&text);
            }
        }
        let success = child.wait()?.success();
        self.finish(title, started, success)
    }

    /// Runs it quietly and returns what it printed, if it succeeded.
    pub(crate) fn output(mut self) -> Option<String> {
        let output = self.command.stderr(Stdio::null()).output().ok()?;
        output
            .status
            .success()
            .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn not_started(&self, error: &io::Error) -> Failure {
        Failure::new(format!("could not run `{}`: {error}", self.shown))
    }

    fn finish(&self, title: &str, started: Instant, success: bool) -> Outcome {
        if success {
            eprintln!(
                "\u{2713} {title} ({:.1} s)",
                started.elapsed().as_secs_f64()
            );
            return Ok(());
        }
        Err(Failure::new(format!("{title} failed: `{}`", self.shown)))
    }
}

/// Copies a stream to the terminal and keeps its lines.
fn show(stream: impl io::Read) -> Vec<String> {
    let mut kept = Vec::new();
    for text in BufReader::new(stream).lines().map_while(Result::ok) {
        eprintln!("{text}");
        kept.push(text);
    }
    kept
}

/// Whether a program is on the `PATH`.
pub(crate) fn has(name: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(name).is_file()))
}
