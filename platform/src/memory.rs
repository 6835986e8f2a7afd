//! Giving memory back: see docs/decisions/0011-memory-goes-back.md.

use std::time::Duration;

/// How often what is free goes back to the system.
const EVERY: Duration = Duration::from_secs(10);

/// From now on returns memory that is no longer used to the system every few seconds. glibc keeps
/// what lies below the last piece in use, so that one busy minute would be paid for ever. Other
/// allocators return theirs themselves; for them this does nothing.
pub fn give_back_regularly() {
    if !cfg!(all(target_os = "linux", target_env = "gnu")) {
        return;
    }
    let work = || {
        loop {
            std::thread::sleep(EVERY);
            trim();
        }
    };
    let thread = std::thread::Builder::new().name("memory".to_owned());
    if let Err(error) = thread.spawn(work) {
        tracing::warn!(%error, "memory will not be given back");
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "there is no safe name for it")]
fn trim() {
    // SAFETY: takes no pointer, and may be called by any thread at any time.
    unsafe { libc::malloc_trim(0) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn trim() {}
