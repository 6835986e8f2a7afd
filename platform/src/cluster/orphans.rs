//! Processes that lost their parent: the first process of a container inherits them, and must ask
//! how they ended or they stay in the process table. Postgres leaves some whenever it is killed.

use std::{fs, io, process};

use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::{Pid, getsid};
use tokio::signal::unix::{SignalKind, signal};

/// Asks how orphans ended, for as long as this is polled. Children of our own are left to whoever
/// started them and waits for them: they are the ones that stay in our session, while Postgres
/// opens one for each of its processes, and so does whatever runs a command in a container.
pub async fn reap_orphans() -> io::Result<()> {
    let mut some_ended = signal(SignalKind::child())?;
    let own = getsid(None)?;
    loop {
        for child in ended_children()? {
            if child.session != own {
                _ = waitpid(child.pid, Some(WaitPidFlag::WNOHANG));
            }
        }
        if some_ended.recv().await.is_none() {
            return Ok(());
        }
    }
}

/// A line of the process table.
struct Process {
    pid: Pid,
    is_ended: bool,
    parent: Pid,
    session: Pid,
}

/// Children that ended and still are in the process table. `waitid` would do for one: of many, it
/// names the same one until somebody has asked how that one ended.
fn ended_children() -> io::Result<Vec<Process>> {
    let own = Pid::from_raw(process::id().cast_signed());
    let numbers = fs::read_dir("/proc")?.filter_map(|entry| {
        let name = entry.ok()?.file_name();
        name.to_str()?.parse().ok()
    });
    let processes = numbers.filter_map(Process::read);
    let ended = processes.filter(|process| process.is_ended && process.parent == own);
    Ok(ended.collect())
}

impl Process {
    fn read(pid: i32) -> Option<Self> {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name before it may hold anything, parentheses too.
        let (_, rest) = text.rsplit_once(") ")?;
        let mut fields = rest.split(' ');
        let is_ended = fields.next()? == "Z";
        let mut number = || Some(Pid::from_raw(fields.next()?.parse().ok()?));
        let parent = number()?;
        let _group = number()?;
        let session = number()?;
        Some(Self {
            pid: Pid::from_raw(pid),
            is_ended,
            parent,
            session,
        })
    }
}
