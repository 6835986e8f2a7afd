//! Whose turn it is on the processors that everybody in a scenario shares, although attackers and
//! honest people sit at machines of their own.

use std::process::Command;

use crate::Failure;

/// What a thread gets of the processors.
#[derive(Clone, Copy)]
pub(crate) enum Priority {
    /// The time nobody else wants.
    Leftovers,
    /// As every other thread.
    Usual,
    /// At once, whenever there is something to do: an answer is timed when it comes.
    First,
}

impl Priority {
    /// Gives it to the calling thread, and to the processes and threads that this one starts.
    pub(crate) fn take(self) -> Result<(), Failure> {
        let thread = rustix::thread::gettid().as_raw_nonzero().to_string();
        let policy = match self {
            Self::Leftovers => ["--idle", "--pid", "0"],
            Self::Usual => ["--other", "--pid", "0"],
            Self::First => ["--rr", "--pid", "1"],
        };
        let output = Command::new("chrt").args(policy).arg(&thread).output()?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(format!(
            "`chrt` (Debian: util-linux) changed no priority: {}",
            said.trim()
        )
        .into())
    }
}
