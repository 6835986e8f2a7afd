//! What the machine itself can do, measured in the same run.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::Failure;

/// `pgbench` from the path or from Debian's folders.
fn pgbench() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let versions = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten();
    folders.extend(versions.map(|version| version.path().join("bin")));
    folders
        .into_iter()
        .map(|folder| folder.join("pgbench"))
        .find(|file| file.is_file())
}

/// Transactions a second that `pgbench` reaches with `statements`, prepared and pipelined;
/// `None` if it is not installed (Debian: `postgresql-contrib`).
pub(crate) fn pipelined(
    database_url: &str,
    statements: &[String],
    connections: usize,
    duration: Duration,
) -> Result<Option<f64>, Failure> {
    let Some(program) = pgbench() else {
        eprintln!("pgbench was not found (Debian: apt-get install postgresql-contrib)");
        return Ok(None);
    };
    let script = tempfile::NamedTempFile::new()?;
    let body = statements.join(";\n");
    std::fs::write(
        script.path(),
        format!("\\startpipeline\n{body};\n\\endpipeline\n"),
    )?;
    rate(&program, script.path(), database_url, connections, duration).map(Some)
}

fn rate(
    program: &Path,
    script: &Path,
    database_url: &str,
    connections: usize,
    duration: Duration,
) -> Result<f64, Failure> {
    let output = Command::new(program)
        .args(["--no-vacuum", "--protocol=prepared", "--jobs=2"])
        .arg(format!("--client={connections}"))
        .arg(format!("--time={}", duration.as_secs()))
        .arg("--file")
        .arg(script)
        .arg(database_url)
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let tps = text.lines().find_map(|line| line.strip_prefix("tps = "));
    tps.and_then(|rest| rest.split_whitespace().next())
        .and_then(|number| number.parse().ok())
        .ok_or_else(|| {
            format!(
                "pgbench failed: {}{text}",
                String::from_utf8_lossy(&output.stderr)
            )
            .into()
        })
}

/// Password hashes a second (bcrypt, cost 10) on every core but one, as the service uses.
pub(crate) fn hashes_per_second() -> Result<f64, Failure> {
    let threads = std::thread::available_parallelism()?
        .get()
        .saturating_sub(1)
        .max(1);
    let started = Instant::now();
    bcrypt::hash("correct horse battery staple", 10)?;
    #[expect(clippy::cast_precision_loss, reason = "a handful of threads")]
    let threads = threads as f64;
    Ok(threads / started.elapsed().as_secs_f64())
}
