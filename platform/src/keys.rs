//! Key material: making it, deriving it, and comparing it without telling by the time it takes.

use aws_lc_rs::{constant_time, hkdf};

use crate::jwt::KeyError;

/// Random bytes that nobody can guess.
pub fn random<const N: usize>() -> [u8; N] {
    std::array::from_fn(|_| rand::random())
}

/// A key for one purpose, made from a secret that serves others, too.
pub fn derive(secret: &[u8], purpose: &str) -> Result<[u8; 32], KeyError> {
    let mut key = [0; 32];
    hkdf::Salt::new(hkdf::HKDF_SHA256, &[])
        .extract(secret)
        .expand(&[purpose.as_bytes()], hkdf::HKDF_SHA256)
        .and_then(|material| material.fill(&mut key))
        .map_err(|_| KeyError::Refused)?;
    Ok(key)
}

/// Whether both are the same, in time that does not depend on where they differ.
pub fn same(one: &[u8], other: &[u8]) -> bool {
    constant_time::verify_slices_are_equal(one, other).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{derive, random, same};

    #[test]
    fn a_purpose_has_one_key_and_each_another() {
        let key = derive(b"secret", "mail").unwrap();
        assert_eq!(key, derive(b"secret", "mail").unwrap());
        assert_ne!(key, derive(b"secret", "codes").unwrap());
        assert_ne!(key, derive(b"other", "mail").unwrap());
    }

    #[test]
    fn what_differs_anywhere_is_not_the_same() {
        assert!(same(b"", b"") && same(b"abc", b"abc"));
        for other in [&b"abd"[..], b"xbc", b"ab", b"abcd", b""] {
            assert!(!same(b"abc", other));
        }
        assert_ne!(random::<16>(), random::<16>());
    }
}
