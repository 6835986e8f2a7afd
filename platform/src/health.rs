//! How a part of the whole is, in words that `/health` passes on.

/// How good or bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Condition {
    /// All is as it should be.
    Healthy,
    /// It answers, but slowly or not everything.
    Degraded,
    /// It cannot do what it is for.
    Down,
}

/// A condition and what anybody may know about its cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Health {
    /// How good or bad.
    pub condition: Condition,
    /// Why, for people.
    pub message: &'static str,
}

impl Health {
    /// All is well.
    pub const fn good() -> Self {
        Self::new(Condition::Healthy, "All systems operational")
    }

    /// It answers, but slowly or not everything.
    pub const fn degraded(message: &'static str) -> Self {
        Self::new(Condition::Degraded, message)
    }

    /// It cannot do what it is for.
    pub const fn down(message: &'static str) -> Self {
        Self::new(Condition::Down, message)
    }

    const fn new(condition: Condition, message: &'static str) -> Self {
        Self { condition, message }
    }

    /// The worse of two; this one if neither is.
    #[must_use]
    pub fn worse(self, other: Self) -> Self {
        if other.condition > self.condition {
            other
        } else {
            self
        }
    }
}
