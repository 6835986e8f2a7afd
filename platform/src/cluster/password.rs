//! Making the superuser's password hold on a folder that was created with another.
//!
//! Whoever owns the folder may do anything with it anyway, so a lost or changed
//! password must not lock them out. Single-user mode asks for none.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use postgres_protocol::password::scram_sha_256;

use super::account::Account;
use super::binaries::Binaries;
use super::error::ClusterError;
use super::{SUPERUSER, server};

/// Sets the password while no server runs. Blocks.
pub(super) fn reset(
    binaries: &Binaries,
    account: Option<Account>,
    data_dir: &Path,
    password: &str,
) -> Result<(), ClusterError> {
    let program = binaries.program("postgres");
    let mut command = Command::new(&program);
    server::clean_environment(&mut command);
    if let Some(account) = account {
        account.apply(&mut command);
    }
    command
        .arg("--single")
        .arg("-D")
        .arg(data_dir)
        .arg("postgres");
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let failed = |error| ClusterError::io("Running", &program)(error);
    let mut child = command.spawn().map_err(failed)?;
    if let Some(mut input) = child.stdin.take() {
        // A verifier holds nothing that would need quoting, and is no password.
        let verifier = scram_sha_256(password.as_bytes());
        writeln!(input, "alter role {SUPERUSER} password '{verifier}'").map_err(failed)?;
    }
    let output = child.wait_with_output().map_err(failed)?;
    let text = String::from_utf8_lossy(&output.stderr);
    if output.status.success() && !text.contains("ERROR") {
        Ok(())
    } else {
        let output = text.trim().to_owned();
        Err(ClusterError::Password {
            path: data_dir.to_owned(),
            output,
        })
    }
}
