//! What it asks on a terminal.

use std::io::{Read as _, Write as _};
use std::process::Stdio;

use super::installation::Installation;

#[test]
fn a_terminal_shows_what_is_typed_again_after_ctrl_c_at_a_passphrase() {
    let installation = Installation::new();
    installation.write(".wildfire/postgres/PG_VERSION", "18\n");
    let wildfire = env!("CARGO_BIN_EXE_wildfire");
    // The shell outlives the Ctrl-C and tells how the terminal is left.
    let typed = format!("trap : INT; '{wildfire}' backup --encrypt backup.age; stty -a");
    let mut child = installation
        .shell("script", &["-q", "-e", "-c", &typed, "/dev/null"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut keys = child.stdin.take().unwrap();
    let mut screen = child.stdout.take().unwrap();
    let mut said = Vec::new();
    let mut byte = [0];
    while !said.ends_with(b"A passphrase for the backup: ") {
        screen.read_exact(&mut byte).unwrap();
        said.push(byte[0]);
    }
    keys.write_all(b"\x03").unwrap();
    screen.read_to_end(&mut said).unwrap();
    child.wait().unwrap();
    let said = String::from_utf8(said).unwrap();
    let is_said = |word: &str| said.split_whitespace().any(|said| said == word);
    assert!(
        is_said("echo") && is_said("isig") && is_said("icanon"),
        "{said}"
    );
}
