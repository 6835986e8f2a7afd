//! Processes that lost their parent: the first process of a container inherits them, and must ask
//! how they ended or they stay in the process table. Postgres leaves some whenever it is killed.

use std::io;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid, waitpid};
use nix::unistd::{Pid, getsid};
use tokio::signal::unix::{SignalKind, signal};

/// What whoever waits for a child of our own may need to notice its end.
const PAUSE: Duration = Duration::from_millis(20);

/// Asks how orphans ended, for as long as this is polled. Children of our own are left to whoever
/// started them and waits for them: they are the ones that stay in our session, while Postgres
/// opens one for each of its processes, and so does whatever runs a command in a container.
pub async fn reap_orphans() -> io::Result<()> {
    let mut some_ended = signal(SignalKind::child())?;
    let own = getsid(None)?;
    loop {
        while let Some(child) = ended_child() {
            if getsid(Some(child)).is_ok_and(|session| session != own) {
                _ = waitpid(child, Some(WaitPidFlag::WNOHANG));
            } else {
                tokio::time::sleep(PAUSE).await;
            }
        }
        if some_ended.recv().await.is_none() {
            return Ok(());
        }
    }
}

/// A child that ended and still is in the process table, which it stays.
fn ended_child() -> Option<Pid> {
    let look = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    loop {
        match waitid(Id::All, look) {
            Ok(status) => return WaitStatus::pid(&status),
            Err(Errno::EINTR) => {}
            Err(_) => return None,
        }
    }
}
