//! Refresh tokens as text: random words, or a session and a counter under a MAC.
//!
//! Mirrors upstream's `internal/crypto/refresh_tokens.go`.

use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use platform::keys;
use sha2::{Digest, Sha256};
use uuid::Uuid;

const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
const LENGTH: usize = 12;
const SIGNATURE: usize = 16;
const CHECKSUM: usize = 4;
const SHORTEST: usize = 1 + 16 + 1 + SIGNATURE + CHECKSUM;

/// A new token of version 1: 60 random bits as letters and digits.
pub(super) fn random() -> String {
    let letter = |byte: u8| char::from(ALPHABET[usize::from(byte % 32)]);
    keys::random::<LENGTH>().map(letter).iter().collect()
}

/// A token a client sent.
#[derive(Debug)]
pub(super) enum Parsed {
    /// Version 1: a word to look up.
    Row(String),
    /// Version 2.
    Counter(CounterToken),
}

/// A token of version 2 whose checksum is right; its signature is not checked yet.
#[derive(Debug)]
pub(super) struct CounterToken {
    pub(super) session_id: Uuid,
    pub(super) counter: i64,
    signed: Vec<u8>,
    signature: Vec<u8>,
}

impl CounterToken {
    /// Whether this server made the token with `key`.
    pub(super) fn is_signed_by(&self, key: &[u8]) -> bool {
        let expected = sign(key, &self.signed);
        keys::same(&expected, &self.signature)
    }
}

/// Reads a token of either version.
pub(super) fn parse(token: &str) -> Option<Parsed> {
    if token.len() < LENGTH {
        return None;
    }
    if token.len() == LENGTH {
        let is_word = token
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        return is_word.then(|| Parsed::Row(token.to_owned()));
    }
    parse_counter(token).map(Parsed::Counter)
}

fn parse_counter(token: &str) -> Option<CounterToken> {
    let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
    if bytes.len() < SHORTEST || bytes[0] != 0 {
        return None;
    }
    let (rest, checksum) = bytes.split_at(bytes.len() - CHECKSUM);
    let expected = Sha256::digest(rest);
    if !keys::same(&expected[..CHECKSUM], checksum) {
        return None;
    }
    let (counter, length) = uvarint(&rest[17..])?;
    let signature = &rest[17 + length..];
    if signature.len() != SIGNATURE {
        return None;
    }
    Some(CounterToken {
        session_id: Uuid::from_slice(&rest[1..17]).ok()?,
        counter: i64::try_from(counter).unwrap_or(i64::MAX),
        signed: rest[..17 + length].to_vec(),
        signature: signature.to_vec(),
    })
}

/// A token of version 2.
pub(super) fn encode(session_id: Uuid, counter: i64, key: &[u8]) -> String {
    let mut bytes = vec![0];
    bytes.extend_from_slice(session_id.as_bytes());
    let mut rest = u64::try_from(counter).unwrap_or(0);
    while rest >= 0x80 {
        bytes.push(low_bits(rest) | 0x80);
        rest >>= 7;
    }
    bytes.push(low_bits(rest));
    let signature = sign(key, &bytes);
    bytes.extend_from_slice(&signature);
    let checksum = Sha256::digest(&bytes);
    bytes.extend_from_slice(&checksum[..CHECKSUM]);
    URL_SAFE_NO_PAD.encode(bytes)
}

fn low_bits(number: u64) -> u8 {
    (number & 0x7f) as u8
}

fn sign(key: &[u8], bytes: &[u8]) -> Vec<u8> {
    let key = hmac::Key::new(hmac::HMAC_SHA256, key);
    hmac::sign(&key, bytes).as_ref()[..SIGNATURE].to_vec()
}

/// Reads a variable-length number and how many bytes it took.
fn uvarint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0_u64;
    for (index, byte) in bytes.iter().enumerate().take(10) {
        let bits = u64::from(byte & 0x7f);
        if index == 9 && *byte > 1 {
            return None;
        }
        value |= bits << (7 * index);
        if *byte < 0x80 {
            return Some((value, index + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use platform_test::properties::properties;
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::{CounterToken, Parsed, encode, parse, random};

    fn counter(token: &str) -> Option<CounterToken> {
        match parse(token)? {
            Parsed::Counter(token) => Some(token),
            Parsed::Row(_) => None,
        }
    }

    #[test]
    fn counters_survive_the_round_trip() {
        let (session, key) = (Uuid::new_v4(), [7; 32]);
        for value in [0, 1, 127, 128, 300, i64::MAX] {
            let token = counter(&encode(session, value, &key)).unwrap();
            assert_eq!((token.session_id, token.counter), (session, value));
            assert!(token.is_signed_by(&key));
            assert!(!token.is_signed_by(&[8; 32]));
        }
    }

    #[test]
    fn damaged_tokens_are_refused() {
        let token = encode(Uuid::new_v4(), 5, &[7; 32]);
        let mut damaged = token.clone().into_bytes();
        damaged[30] = if damaged[30] == b'A' { b'B' } else { b'A' };
        assert!(parse(std::str::from_utf8(&damaged).unwrap()).is_none());
        assert!(parse(&token[..token.len() - 1]).is_none());
        assert!(parse("short").is_none());
        assert!(parse("UPPERCASE123").is_none());
        assert!(parse("aaaaaaaaaaaaa").is_none());
    }

    #[test]
    fn words_are_twelve_letters_or_digits() {
        let token = random();
        assert!(matches!(parse(&token), Some(Parsed::Row(_))), "{token}");
    }

    proptest! {
        #![proptest_config(properties())]

        #[test]
        fn only_a_token_that_was_made_is_taken(
            text in "\\PC{0,60}", session: u128, counter in 0..i64::MAX, key: [u8; 32], at: prop::sample::Index,
        ) {
            let _ = parse(&text);
            let session = Uuid::from_u128(session);
            let token = encode(session, counter, &key);
            match parse(&token) {
                Some(Parsed::Counter(read)) => {
                    prop_assert_eq!((read.session_id, read.counter), (session, counter));
                    prop_assert!(read.is_signed_by(&key));
                }
                other => prop_assert!(false, "{other:?}"),
            }
            let mut changed = token.into_bytes();
            let at = at.index(changed.len());
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let is_good = match parse(&String::from_utf8(changed).unwrap()) {
                Some(Parsed::Counter(read)) => read.is_signed_by(&key),
                _ => false,
            };
            prop_assert!(!is_good);
        }
    }
}
