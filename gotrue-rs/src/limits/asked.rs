//! How soon after one request the next may ask for a mail or message to the same address.
//!
//! Upstream counts from the last mail a user was sent, so that only addresses with an account are
//! ever refused. Here every address that somebody asks for counts, whoever has it or not.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use governor::clock::Clock as _;
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use platform::clock::Clock;

use super::{SWEEP_EVERY, Ticks};
use crate::error::{Error, ErrorCode};

/// What is asked for; each counts for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    Confirmation,
    /// A link or code to sign in, or to choose a new password.
    Link,
    EmailChange,
    PhoneChange,
    Message,
}

impl Asked {
    fn is_mail(self) -> bool {
        matches!(self, Self::Confirmation | Self::Link | Self::EmailChange)
    }
}

/// When each address was last asked for. Cloning shares it.
#[derive(Clone)]
pub(crate) struct AskedLately(Arc<Addresses>);

type PerAddress = RateLimiter<String, DefaultKeyedStateStore<String>, Ticks, NoOpMiddleware<Nanos>>;

struct Addresses {
    mails: Option<PerAddress>,
    messages: Option<PerAddress>,
    ticks: Ticks,
    requests: AtomicU32,
}

impl AskedLately {
    /// So much time has to pass between two mails or two messages.
    pub(crate) fn new(mails: Duration, messages: Duration, clock: &Clock) -> Self {
        let limiter = |between| {
            let quota = Quota::with_period(between)?.allow_burst(NonZeroU32::MIN);
            let (store, ticks) = (DefaultKeyedStateStore::default(), Ticks(clock.clone()));
            Some(RateLimiter::new(quota, store, ticks))
        };
        Self(Arc::new(Addresses {
            mails: limiter(mails),
            messages: limiter(messages),
            ticks: Ticks(clock.clone()),
            requests: AtomicU32::new(0),
        }))
    }

    /// Notes that a mail or message to this address is asked for; refuses it if that comes too
    /// soon after the last time. To be called before anybody looks whose address it is.
    pub(crate) fn note(&self, asked: Asked, address: &str) -> Result<(), Error> {
        let addresses = &self.0;
        let limiter = if asked.is_mail() {
            &addresses.mails
        } else {
            &addresses.messages
        };
        let Some(limiter) = limiter else {
            return Ok(());
        };
        if addresses.requests.fetch_add(1, Ordering::Relaxed) % SWEEP_EVERY == SWEEP_EVERY - 1 {
            limiter.retain_recent();
        }
        let key = format!("{asked:?} {address}");
        limiter.check_key(&key).map_err(|not_until| {
            let wait = not_until.wait_time_from(addresses.ticks.now());
            too_soon(asked, wait.as_secs())
        })
    }
}

fn too_soon(asked: Asked, seconds: u64) -> Error {
    let code = if asked.is_mail() {
        ErrorCode::OverEmailSendRateLimit
    } else {
        ErrorCode::OverSmsSendRateLimit
    };
    Error::too_many_requests(
        code,
        format!("For security purposes, you can only request this after {seconds} seconds."),
    )
}
