//! JSON Web Keys: read from configuration, turned into signing and verifying keys.

use aws_lc_rs::encoding::{AsBigEndian, EcPrivateKeyBin};
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair,
    EcdsaSigningAlgorithm, KeyPair,
};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey};
use serde_json::{Map, Value, json};

/// Why a key could not be read.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The text is not JSON, or not an array of keys or an object with `keys`.
    #[error("must be a JSON array of keys or an object with \"keys\"")]
    NotAKeySet,
    /// A key lacks a member or has one that does not decode.
    #[error("key {index}: {reason}")]
    Invalid {
        /// Position in the set, from 0.
        index: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// More than one key may sign, so it is undecided which one does.
    #[error("more than one key has \"sign\" in key_ops")]
    SeveralSigningKeys,
    /// No key may sign and there is no shared secret.
    #[error("no key can sign: set a secret or a key with \"sign\" in key_ops")]
    NoSigningKey,
    /// The cryptography library refused to make or use the key.
    #[error("the key was refused")]
    Refused,
}

/// One key of the ring.
pub(super) struct Key {
    pub(super) kid: Option<String>,
    pub(super) algorithm: Algorithm,
    pub(super) decoding: DecodingKey,
    pub(super) encoding: Option<EncodingKey>,
    /// Absent for shared secrets, which must never be published.
    pub(super) public: Option<Value>,
}

/// Reads a JWK set; only keys whose `key_ops` holds `sign` get a signing half.
pub(super) fn parse_set(text: &str) -> Result<Vec<Key>, KeyError> {
    let keys = match serde_json::from_str(text).map_err(|_| KeyError::NotAKeySet)? {
        Value::Array(keys) => keys,
        Value::Object(mut set) => match set.remove("keys") {
            Some(Value::Array(keys)) => keys,
            _ => return Err(KeyError::NotAKeySet),
        },
        _ => return Err(KeyError::NotAKeySet),
    };
    let parsed = keys.iter().enumerate().map(|(index, key)| {
        let members = key.as_object().ok_or(KeyError::NotAKeySet)?;
        parse_key(members).map_err(|reason| KeyError::Invalid { index, reason })
    });
    parsed.collect()
}

fn parse_key(members: &Map<String, Value>) -> Result<Key, String> {
    let kid = members
        .get("kid")
        .and_then(Value::as_str)
        .map(str::to_owned);
    let algorithm = algorithm_of(members)?;
    let can_sign = members
        .get("key_ops")
        .and_then(Value::as_array)
        .is_some_and(|ops| ops.iter().any(|op| op == "sign"));
    let (decoding, encoding) = match algorithm {
        Algorithm::HS256 | Algorithm::HS384 | Algorithm::HS512 => {
            let secret = bytes(members, "k")?;
            (
                DecodingKey::from_secret(&secret),
                can_sign.then(|| EncodingKey::from_secret(&secret)),
            )
        }
        Algorithm::ES256 | Algorithm::ES384 => ec_keys(members, algorithm, can_sign)?,
        Algorithm::EdDSA => {
            return Err("EdDSA keys are not supported; use ES256 or RS256".to_owned());
        }
        _ => rsa_keys(members, can_sign)?,
    };
    Ok(Key {
        kid,
        algorithm,
        decoding,
        encoding,
        public: public_half(members),
    })
}

fn algorithm_of(members: &Map<String, Value>) -> Result<Algorithm, &'static str> {
    let kty = members
        .get("kty")
        .and_then(Value::as_str)
        .ok_or("\"kty\" is missing")?;
    let default = match (kty, members.get("crv").and_then(Value::as_str)) {
        ("oct", _) => "HS256",
        ("RSA", _) => "RS256",
        ("EC", Some("P-256")) => "ES256",
        ("EC", Some("P-384")) => "ES384",
        ("OKP", _) => "EdDSA",
        _ => return Err("\"kty\" and \"crv\" name no supported key type"),
    };
    let name = members
        .get("alg")
        .and_then(Value::as_str)
        .unwrap_or(default);
    let algorithm: Algorithm = name.parse().map_err(|_| "\"alg\" is not supported")?;
    let fits = match kty {
        "oct" => name.starts_with("HS"),
        "RSA" => name.starts_with("RS") || name.starts_with("PS"),
        _ => name == default,
    };
    if fits {
        Ok(algorithm)
    } else {
        Err("\"alg\" does not fit \"kty\"")
    }
}

fn ec_keys(
    members: &Map<String, Value>,
    algorithm: Algorithm,
    can_sign: bool,
) -> Result<(DecodingKey, Option<EncodingKey>), String> {
    let (x, y) = (text(members, "x")?, text(members, "y")?);
    let decoding =
        DecodingKey::from_ec_components(x, y).map_err(|_| "\"x\" or \"y\" is invalid")?;
    if !can_sign {
        return Ok((decoding, None));
    }
    let signing: &'static EcdsaSigningAlgorithm = if algorithm == Algorithm::ES384 {
        &ECDSA_P384_SHA384_FIXED_SIGNING
    } else {
        &ECDSA_P256_SHA256_FIXED_SIGNING
    };
    let point = [vec![4], bytes(members, "x")?, bytes(members, "y")?].concat();
    let pair =
        EcdsaKeyPair::from_private_key_and_public_key(signing, &bytes(members, "d")?, &point)
            .map_err(|_| "\"d\" does not belong to \"x\" and \"y\"")?;
    let document = pair
        .to_pkcs8v1()
        .map_err(|_| "the private key cannot be used".to_owned())?;
    Ok((decoding, Some(EncodingKey::from_ec_der(document.as_ref()))))
}

fn rsa_keys(
    members: &Map<String, Value>,
    can_sign: bool,
) -> Result<(DecodingKey, Option<EncodingKey>), String> {
    let decoding = DecodingKey::from_rsa_components(text(members, "n")?, text(members, "e")?)
        .map_err(|_| "\"n\" or \"e\" is invalid")?;
    if !can_sign {
        return Ok((decoding, None));
    }
    let mut integers = vec![vec![0]];
    for name in ["n", "e", "d", "p", "q", "dp", "dq", "qi"] {
        integers.push(bytes(members, name)?);
    }
    let body: Vec<u8> = integers
        .iter()
        .flat_map(|integer| der(0x02, &positive(integer)))
        .collect();
    Ok((decoding, Some(EncodingKey::from_rsa_der(&der(0x30, &body)))))
}

/// A DER integer's content: no superfluous leading zeros, and a zero in front of a set top bit.
fn positive(bytes: &[u8]) -> Vec<u8> {
    let start = bytes
        .iter()
        .position(|byte| *byte != 0)
        .unwrap_or(bytes.len());
    let digits = &bytes[start..];
    if digits.first().is_none_or(|byte| byte & 0x80 != 0) {
        [&[0], digits].concat()
    } else {
        digits.to_vec()
    }
}

/// A DER element: tag, length, content (PKCS#1 is the only form the RSA signer reads).
fn der(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len().to_be_bytes();
    let significant = length
        .iter()
        .position(|byte| *byte != 0)
        .unwrap_or(length.len() - 1);
    let length = &length[significant..];
    let mut element = vec![tag];
    if content.len() >= 0x80 {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a length has at most eight bytes"
        )]
        element.push(0x80 | length.len() as u8);
    }
    element.extend_from_slice(length);
    element.extend_from_slice(content);
    element
}

/// The published form of an asymmetric key: verifying only, without private members.
fn public_half(members: &Map<String, Value>) -> Option<Value> {
    if members.get("kty").and_then(Value::as_str) == Some("oct") {
        return None;
    }
    let mut public = members.clone();
    public.retain(|name, _| !matches!(name.as_str(), "d" | "p" | "q" | "dp" | "dq" | "qi" | "oth"));
    public.insert("use".into(), json!("sig"));
    public.insert("key_ops".into(), json!(["verify"]));
    Some(Value::Object(public))
}

fn text<'m>(members: &'m Map<String, Value>, name: &str) -> Result<&'m str, String> {
    members
        .get(name)
        .and_then(Value::as_str)
        .ok_or_else(|| format!("{name:?} is missing"))
}

fn bytes(members: &Map<String, Value>, name: &str) -> Result<Vec<u8>, String> {
    let encoded = text(members, name)?.trim_end_matches('=');
    URL_SAFE_NO_PAD
        .decode(encoded)
        .map_err(|_| format!("{name:?} is not base64url"))
}

/// Makes a new P-256 signing key as a private JWK with the members upstream's tools write.
pub fn generate_es256_jwk(kid: &str) -> Result<Value, KeyError> {
    let pair =
        EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).map_err(|_| KeyError::Refused)?;
    let private: EcPrivateKeyBin<'_> = pair
        .private_key()
        .as_be_bytes()
        .map_err(|_| KeyError::Refused)?;
    let point = pair.public_key().as_ref();
    let (x, y) = point[1..].split_at((point.len() - 1) / 2);
    Ok(json!({
        "kty": "EC", "crv": "P-256", "alg": "ES256", "kid": kid, "use": "sig",
        "key_ops": ["sign", "verify"], "ext": true,
        "x": URL_SAFE_NO_PAD.encode(x), "y": URL_SAFE_NO_PAD.encode(y),
        "d": URL_SAFE_NO_PAD.encode(private.as_ref()),
    }))
}
