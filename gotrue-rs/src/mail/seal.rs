//! Encryption of mails at rest: they hold links that sign in.

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use aws_lc_rs::error::Unspecified;
use uuid::Uuid;

/// Locks and unlocks what is stored; the id of a row is sealed in, so that rows cannot be
/// swapped.
pub(super) struct Sealer(RandomizedNonceKey);

impl Sealer {
    pub(super) fn new(key: &[u8; 32]) -> Result<Self, Unspecified> {
        RandomizedNonceKey::new(&AES_256_GCM, key).map(Self)
    }

    /// The nonce, the ciphertext and its tag.
    pub(super) fn seal(&self, id: Uuid, mut plain: Vec<u8>) -> Result<Vec<u8>, Unspecified> {
        let nonce = self
            .0
            .seal_in_place_append_tag(Aad::from(id.as_bytes()), &mut plain)?;
        let mut sealed = nonce.as_ref().to_vec();
        sealed.append(&mut plain);
        Ok(sealed)
    }

    /// What was sealed under this id.
    pub(super) fn open(&self, id: Uuid, sealed: &[u8]) -> Result<Vec<u8>, Unspecified> {
        let (nonce, text) = sealed.split_at_checked(NONCE_LEN).ok_or(Unspecified)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce)?;
        let mut text = text.to_vec();
        let plain = self
            .0
            .open_in_place(nonce, Aad::from(id.as_bytes()), &mut text)?;
        Ok(plain.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_key_and_row_open_what_was_sealed() {
        let (one, other) = (
            Sealer::new(&[1; 32]).unwrap(),
            Sealer::new(&[2; 32]).unwrap(),
        );
        let id = Uuid::new_v4();
        let sealed = one.seal(id, b"a link".to_vec()).unwrap();
        assert!(!sealed.windows(6).any(|part| part == b"a link"));
        assert_ne!(sealed, one.seal(id, b"a link".to_vec()).unwrap());
        assert_eq!(one.open(id, &sealed).unwrap(), b"a link");
        assert!(one.open(Uuid::new_v4(), &sealed).is_err());
        assert!(other.open(id, &sealed).is_err());
        assert!(one.open(id, b"short").is_err());
    }
}
