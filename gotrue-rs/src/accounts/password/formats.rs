//! Stored hashes, also those that users bring along from elsewhere: bcrypt, argon2 and Firebase's
//! scrypt.
//!
//! Mirrors upstream's `internal/crypto/password.go`. New hashes are always bcrypt.

use argon2::{Algorithm, Argon2, Params, Version};
use aws_lc_rs::cipher::{AES_256, EncryptingKey, EncryptionContext, UnboundCipherKey};
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{Engine as _, alphabet};
use platform::keys;

/// More memory than this is never spent on one password, KiB.
const MOST_MEMORY: u64 = 1024 * 1024;
const MOST_ROUNDS: u32 = 20;
const MOST_LANES: u32 = 16;

/// The costs that are worked off. A costlier hash takes longer than anybody may wait for the
/// threads that hash, and any stranger could keep them at it.
///
/// Upstream: up to 31, which takes days.
const BCRYPT_COSTS: std::ops::RangeInclusive<u32> = 4..=16;

/// Where the hash begins in what the library writes.
const BCRYPT_HASH: usize = "$2a$10$".len() + BCRYPT_SALT;
const BCRYPT_SALT: usize = 22;

/// Salts may end in bits that count for nothing.
const BCRYPT_BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::BCRYPT,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireNone),
);

/// A hash that passwords can be checked against, at a bearable price.
#[derive(Debug)]
pub(crate) enum Stored {
    Bcrypt(BcryptHash),
    Argon2(Argon2Hash),
    FirebaseScrypt(ScryptHash),
}

/// `$2a$cost$salt`, and the hash without anything in between.
#[derive(Debug)]
pub(crate) struct BcryptHash {
    cost: u32,
    salt: [u8; 16],
    /// As it is written.
    hash: Vec<u8>,
}

/// `$argon2id$v=19$m=…,t=…,p=…$salt$hash`.
#[derive(Debug)]
pub(crate) struct Argon2Hash {
    algorithm: Algorithm,
    params: Params,
    salt: Vec<u8>,
    hash: Vec<u8>,
}

/// `$fbscrypt$v=1,n=…,r=…,p=…,ss=…,sk=…$salt$hash`.
#[derive(Debug)]
pub(crate) struct ScryptHash {
    params: scrypt::Params,
    /// With the separator that Firebase appends.
    salt: Vec<u8>,
    signer_key: Vec<u8>,
    hash: Vec<u8>,
}

/// Whether passwords can be checked against a hash, at a bearable price.
pub(crate) fn is_usable(hash: &str) -> bool {
    Stored::parse(hash).is_some()
}

impl Stored {
    /// Reads a hash; `None` if it is malformed or asks for too much work.
    pub(crate) fn parse(hash: &str) -> Option<Self> {
        if !hash.starts_with("$argon2") && !hash.starts_with("$fbscrypt") {
            return bcrypt_hash(hash.as_bytes());
        }
        let parts: Vec<_> = hash.strip_prefix('$')?.split('$').collect();
        match parts[..] {
            ["argon2i", version, params, salt, hash] => {
                argon2_hash(Algorithm::Argon2i, version, [params, salt, hash])
            }
            ["argon2id", version, params, salt, hash] => {
                argon2_hash(Algorithm::Argon2id, version, [params, salt, hash])
            }
            ["fbscrypt", params, salt, hash] => firebase_hash(params, salt, hash),
            _ => None,
        }
    }

    /// Whether this takes many times as long as a hash of this service.
    pub(crate) fn is_costly(&self) -> bool {
        const MEMORY: u64 = 256 << 20;
        match self {
            Self::Bcrypt(known) => known.cost > 12,
            Self::Argon2(Argon2Hash { params, .. }) => {
                u64::from(params.m_cost()) * u64::from(params.t_cost()) > MEMORY >> 10
            }
            Self::FirebaseScrypt(ScryptHash { params, .. }) => {
                let blocks = u64::from(params.r()) * u64::from(params.p()) * 128;
                blocks << params.log_n().min(40) > MEMORY
            }
        }
    }

    /// Whether the password is the one behind the hash.
    pub(crate) fn matches(&self, password: &[u8]) -> bool {
        let (derived, hash) = match self {
            Self::Bcrypt(known) => (known.derive(password), &known.hash),
            Self::Argon2(known) => (known.derive(password), &known.hash),
            Self::FirebaseScrypt(known) => (known.derive(password), &known.hash),
        };
        derived.is_some_and(|derived| keys::same(&derived, hash))
    }
}

/// The value of one `name=value` parameter.
fn parameter<'p>(params: &'p str, name: &str) -> Option<&'p str> {
    let mut pairs = params.split(',').filter_map(|pair| pair.split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
}

/// Reads what Go's library reads, which is more than any library writes: `$2$`, any minor version,
/// any separators, and whatever follows the hash.
fn bcrypt_hash(hash: &[u8]) -> Option<Stored> {
    let (cost, rest) = match hash {
        [b'$', ..=b'2', b'$', tens, ones, _, rest @ ..]
        | [b'$', ..=b'2', _, _, tens, ones, _, rest @ ..] => ([*tens, *ones], rest),
        _ => return None,
    };
    let cost = std::str::from_utf8(&cost).ok()?.parse().ok()?;
    if hash.len() < 59 || !BCRYPT_COSTS.contains(&cost) {
        return None;
    }
    let (salt, hash) = rest.split_at_checked(BCRYPT_SALT)?;
    Some(Stored::Bcrypt(BcryptHash {
        cost,
        salt: BCRYPT_BASE64.decode(salt).ok()?.try_into().ok()?,
        hash: hash.iter().copied().take(31).collect(),
    }))
}

fn argon2_hash(algorithm: Algorithm, version: &str, parts: [&str; 3]) -> Option<Stored> {
    let [params, salt, hash] = parts;
    if version != "v=19" || params.split(',').count() != 3 {
        return None;
    }
    let memory: u32 = parameter(params, "m")?.parse().ok()?;
    let rounds: u32 = parameter(params, "t")?.parse().ok()?;
    let lanes: u32 = parameter(params, "p")?.parse().ok()?;
    if u64::from(memory) > MOST_MEMORY || rounds > MOST_ROUNDS || lanes > MOST_LANES {
        return None;
    }
    let hash = STANDARD_NO_PAD.decode(hash).ok()?;
    Some(Stored::Argon2(Argon2Hash {
        algorithm,
        params: Params::new(memory, rounds, lanes, Some(hash.len())).ok()?,
        salt: STANDARD_NO_PAD.decode(salt).ok()?,
        hash,
    }))
}

fn firebase_hash(params: &str, salt: &str, hash: &str) -> Option<Stored> {
    if parameter(params, "v")? != "1" {
        return None;
    }
    let power: u8 = parameter(params, "n")?.parse().ok()?;
    let blocks: u32 = parameter(params, "r")?.parse().ok()?;
    let lanes: u32 = parameter(params, "p")?.parse().ok()?;
    // Upstream: sets no limit.
    let memory = 1_u64
        .checked_shl(power.into())?
        .checked_mul(u64::from(blocks))?
        / 8;
    if power == 0 || memory > MOST_MEMORY || lanes > MOST_LANES {
        return None;
    }
    let optional = |name: &str| {
        STANDARD
            .decode(parameter(params, name).unwrap_or_default())
            .ok()
    };
    let mut salt = STANDARD.decode(salt).ok()?;
    salt.extend(optional("ss")?);
    let (signer_key, hash) = (optional("sk")?, STANDARD.decode(hash).ok()?);
    // Nothing encrypted is nothing: every password would match.
    if signer_key.is_empty() || hash.is_empty() {
        return None;
    }
    Some(Stored::FirebaseScrypt(ScryptHash {
        params: scrypt::Params::new(power, blocks, lanes).ok()?,
        salt,
        signer_key,
        hash,
    }))
}

impl BcryptHash {
    fn derive(&self, password: &[u8]) -> Option<Vec<u8>> {
        let parts = bcrypt::hash_with_salt(password, self.cost, self.salt).ok()?;
        let written = parts.format_for_version(bcrypt::Version::TwoA);
        Some(written.as_bytes().get(BCRYPT_HASH..)?.to_vec())
    }
}

impl Argon2Hash {
    fn derive(&self, password: &[u8]) -> Option<Vec<u8>> {
        let mut derived = vec![0; self.hash.len()];
        Argon2::new(self.algorithm, Version::V0x13, self.params.clone())
            .hash_password_into(password, &self.salt, &mut derived)
            .ok()?;
        Some(derived)
    }
}

impl ScryptHash {
    /// The signer key, encrypted under a key made of the password.
    fn derive(&self, password: &[u8]) -> Option<Vec<u8>> {
        let mut key = [0; 32];
        scrypt::scrypt(password, &self.salt, &self.params, &mut key).ok()?;
        let key = UnboundCipherKey::new(&AES_256, &key).ok()?;
        let mut text = self.signer_key.clone();
        EncryptingKey::ctr(key)
            .ok()?
            .less_safe_encrypt(&mut text, EncryptionContext::Iv128([0; 16].into()))
            .ok()?;
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use platform_test::properties::{made_of, properties};
    use proptest::prelude::*;

    use super::{Stored, is_usable};

    const KNOWN: [&str; 3] = [
        "$argon2i$v=19$m=64,t=2,p=1$d2lsZGZpcmUtc2FsdA$ulfU8JJPQaZEWOPE6bj/xCMFh6NgWjnJ",
        "$argon2id$v=19$m=64,t=3,p=2$d2lsZGZpcmUtc2FsdA$NqyOfrwr2lkHp6T/kQ9tzwwrZxrmYdXHbllqpEgCKVk",
        "$fbscrypt$v=1,n=10,r=8,p=1,ss=Cw==,sk=MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWYwMTIzNDU2Nzg5YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZg==$d2lsZGZpcmUtc2FsdA==$xc4thV8hvC/0FRngw/vEuYNffAsOw/yoWT+Gn7RQDImukoLZSQC/L+MHEazhhkEIH+s1c0lmPp2EHgLuBV6m5w==",
    ];

    #[test]
    fn hashes_made_by_go_verify() {
        for hash in KNOWN {
            let known = Stored::parse(hash).unwrap();
            assert!(known.matches(b"correct-horse"), "{hash}");
            assert!(!known.matches(b"wrong"), "{hash}");
        }
    }

    /// Go's library accepts the first seven for this password.
    #[test]
    fn bcrypt_is_read_as_go_reads_it() {
        let (salt, hash) = ("G.1dVDjmDsWdAKFfYNawW", "J5YnlY0N55lY53DswxJJTjki.JVK92C");
        let written = |start: &str| format!("{start}{salt}O{hash}");
        for known in [
            written("$2a$04$"),
            written("$2$04$"),
            written("$2z$04$"),
            written("$2a$+4$"),
            written("$2ax04y"),
            format!("$2a$04${salt}T{hash}"),
            format!("$2a$04${salt}O{hash}xx"),
        ] {
            let stored = Stored::parse(&known).expect(&known);
            assert!(stored.matches(b"correct-horse"), "{known}");
            assert!(!stored.matches(b"wrong"), "{known}");
        }
        for nobodys in [
            format!("$2a$04${salt}O{}F", &hash[..30]),
            format!("$2a$04${salt}O{}", &hash[..30]),
        ] {
            let stored = Stored::parse(&nobodys).expect(&nobodys);
            assert!(!stored.matches(b"correct-horse"), "{nobodys}");
        }
    }

    #[test]
    fn usable_hashes_are_told_from_others() {
        let rest = "SXEz2HeT8PUIGQXo9yeUIem8KzNxgG0d7o/.eGj2rj8KbRgAuRVlq";
        for start in ["$2a$10$", "$2b$04$", "$2x$16$", "$2y$10$", "$2$10$"] {
            assert!(is_usable(&format!("{start}{rest}")), "{start}");
        }
        assert!(KNOWN.into_iter().all(is_usable));
        for start in [
            "$2a$03$", "$2a$17$", "$2a$31$", "$2a$99$", "$2a$-5$", "$3a$10$", "",
        ] {
            assert!(!is_usable(&format!("{start}{rest}")), "{start}");
        }
        for other in [
            "",
            "$2",
            "secret",
            "$2a$99$x",
            "$argon2id$v=19$m=1,t=1,p=1$a$b",
        ] {
            assert!(!is_usable(other), "{other}");
        }
        assert!(!is_usable(&format!("$2a$04${}", "é".repeat(30))));
    }

    #[test]
    fn malformed_and_costly_hashes_are_refused() {
        for hash in [
            "$argon2d$v=19$m=64,t=2,p=1$c2FsdHNhbHQ$aGFzaA",
            "$argon2id$v=16$m=64,t=2,p=1$c2FsdHNhbHQ$aGFzaA",
            "$argon2id$v=19$m=64,t=2,p=1,keyid=a$c2FsdHNhbHQ$aGFzaA",
            "$argon2id$v=19$m=2000000,t=2,p=1$c2FsdHNhbHQ$aGFzaA",
            "$argon2id$v=19$m=64,t=21,p=1$c2FsdHNhbHQ$aGFzaA",
            "$argon2id$v=19$m=64,t=2,p=17$c2FsdHNhbHQ$aGFzaA",
            "$argon2id$v=19$m=64,t=2,p=1$!$aGFzaA",
            "$fbscrypt$v=2,n=10,r=8,p=1$c2FsdA==$aGFzaA==",
            "$fbscrypt$v=1,n=0,r=8,p=1$c2FsdA==$aGFzaA==",
            "$fbscrypt$v=1,n=40,r=8,p=1$c2FsdA==$aGFzaA==",
            "$fbscrypt$v=1,n=10,r=8,p=1$c2FsdA==$!",
            "$fbscrypt$v=1,n=10,r=8,p=1,ss=Cw==$c2FsdA==$",
            "$fbscrypt",
        ] {
            assert!(Stored::parse(hash).is_none(), "{hash}");
        }
    }

    const HASH: &[&str] = &[
        "$",
        "$2b$",
        "$2",
        "10$",
        "99$",
        "$argon2id$",
        "$argon2i",
        "v=19",
        "m=64,t=3,p=2",
        "m=",
        "4294967295",
        ",",
        "=",
        "$fbscrypt$",
        "v=1,n=10,r=8,p=1,",
        "n=64",
        "ss=Cw==",
        "sk=",
        "AAAA",
        "................................................",
    ];

    proptest! {
        #![proptest_config(properties())]

        #[test]
        fn no_hash_breaks_its_reader(text in made_of(HASH), known in 0..3_usize, at: prop::sample::Index) {
            let _ = Stored::parse(&text).map(|stored| stored.is_costly());
            let known = KNOWN[known];
            let (head, tail) = known.split_at(at.index(known.len()));
            let _ = Stored::parse(&format!("{head}{text}{tail}")).map(|stored| stored.is_costly());
        }
    }
}
