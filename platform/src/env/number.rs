//! Numbers as settings have them, and how their range is told to whoever wrote another one.

use std::fmt::Display;
use std::str::FromStr;

/// A type of number that a setting has.
pub trait Number: Copy + Display + FromStr + PartialOrd {
    /// What may be written for it, such as `a whole number from 0 to 65535`.
    fn expected() -> String;
}

macro_rules! whole {
    ($($type:ty),*) => {$(
        impl Number for $type {
            fn expected() -> String {
                format!("a whole number from {} to {}", Self::MIN, Self::MAX)
            }
        }
    )*};
}

whole!(u16, u32);

/// Those whose end nobody comes near.
macro_rules! counting {
    ($($type:ty),*) => {$(
        impl Number for $type {
            fn expected() -> String {
                "a whole number of at least 0".to_owned()
            }
        }
    )*};
}

counting!(u64, usize);

impl Number for i64 {
    fn expected() -> String {
        "a whole number".to_owned()
    }
}

impl Number for f64 {
    fn expected() -> String {
        "a number".to_owned()
    }
}
