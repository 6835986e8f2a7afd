//! One running installation per data folder: who it is, where it listens, how it
//! is told to stop.

mod detach;
mod instance;
mod signals;

pub use detach::{Detached, become_detached, start_detached};
pub use instance::{
    Instance, LOG_FILE, LifecycleError, RESTORE_MOVING, RESTORE_READY, State, is_half_restored,
    refuse_if_taken, running, serving, stop,
};
pub use signals::Signals;
