//! Time-based one-time passwords (RFC 6238): SHA-1, six digits, thirty seconds.

use aws_lc_rs::hmac;
use jiff::Timestamp;
use platform::keys;

use crate::redirect::query::escape;

const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const PERIOD: i64 = 30;
const SECRET_BYTES: usize = 20;

/// Margin around the code, in modules, and the size of a module in pixels.
const QUIET: i32 = 4;
const PIXELS: i32 = 3;

/// A new secret, as authenticator apps take it.
pub(crate) fn new_secret() -> String {
    base32(&keys::random::<SECRET_BYTES>())
}

/// Whether a code is that of now, or of the period before or after.
pub(crate) fn is_valid(code: &str, secret: &str, now: Timestamp) -> bool {
    let Some(key) = from_base32(secret) else {
        return false;
    };
    let counter = now.as_second().div_euclid(PERIOD);
    let code = code.trim().as_bytes();
    let mut valid = false;
    for step in [counter - 1, counter, counter + 1] {
        let expected = code_at(&key, step);
        valid |= keys::same(expected.as_bytes(), code);
    }
    valid
}

/// The code of one period.
fn code_at(key: &[u8], counter: i64) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, key);
    let tag = hmac::sign(&key, &counter.to_be_bytes());
    let tag = tag.as_ref();
    let offset = usize::from(tag[tag.len() - 1] & 0x0f);
    let word = [
        tag[offset] & 0x7f,
        tag[offset + 1],
        tag[offset + 2],
        tag[offset + 3],
    ];
    format!("{:06}", u32::from_be_bytes(word) % 1_000_000)
}

fn base32(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(5) {
        let mut block = [0; 8];
        block[3..3 + chunk.len()].copy_from_slice(chunk);
        let bits = u64::from_be_bytes(block);
        for index in 0..(chunk.len() * 8).div_ceil(5) {
            let symbol = (bits >> (35 - 5 * index)) & 31;
            text.push(char::from(
                ALPHABET[usize::try_from(symbol).unwrap_or_default()],
            ));
        }
    }
    text
}

fn from_base32(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for symbol in text.trim_end_matches('=').to_ascii_uppercase().bytes() {
        let value = ALPHABET.iter().position(|known| *known == symbol)?;
        bits = (bits << 5 | u32::try_from(value).ok()?) & 0xffff;
        count += 5;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).ok()?);
        }
    }
    Some(bytes)
}

/// The address an authenticator app reads from the picture.
pub(crate) fn uri(issuer: &str, account: &str, secret: &str) -> String {
    // Upstream: leaves `&` as it is, which cuts an issuer that contains one.
    let query = |text: &str| {
        let escaped = escape(text).replace('+', "%20");
        escaped.replace("%3A", ":").replace("%40", "@")
    };
    format!(
        "otpauth://totp/{}:{}?algorithm=SHA1&digits=6&issuer={}&period=30&secret={secret}",
        path(issuer),
        path(account),
        query(issuer)
    )
}

/// Text as it stands in the path of a URL.
fn path(text: &str) -> String {
    let mut path = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~$&+,/:;=@".contains(&byte) {
            path.push(char::from(byte));
        } else {
            let hex = |digit: u8| char::from(b"0123456789ABCDEF"[usize::from(digit & 15)]);
            path.extend(['%', hex(byte >> 4), hex(byte)]);
        }
    }
    path
}

/// The address as a picture.
pub(crate) fn qr_code(uri: &str) -> Option<String> {
    use std::fmt::Write as _;
    let code = qrcodegen::QrCode::encode_text(uri, qrcodegen::QrCodeEcc::High).ok()?;
    let side = (code.size() + 2 * QUIET) * PIXELS;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{side}\" height=\"{side}\" \
         shape-rendering=\"crispEdges\"><rect width=\"{side}\" height=\"{side}\" fill=\"white\"/>\
         <path fill=\"black\" d=\""
    );
    for y in 0..code.size() {
        for x in (0..code.size()).filter(|x| code.get_module(*x, y)) {
            let (left, top) = ((x + QUIET) * PIXELS, (y + QUIET) * PIXELS);
            write!(svg, "M{left} {top}h{PIXELS}v{PIXELS}h-{PIXELS}z").ok()?;
        }
    }
    svg.push_str("\"/></svg>");
    Some(svg)
}

#[cfg(test)]
mod tests {
    use super::{base32, code_at, from_base32, is_valid, qr_code, uri};
    use jiff::Timestamp;

    #[test]
    fn codes_match_the_vectors_of_rfc_6238() {
        let key = b"12345678901234567890";
        for (second, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(code_at(key, second / 30), code);
        }
        let secret = base32(key);
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        assert!(is_valid("287082", &secret, at(59)));
        assert!(is_valid(" 287082", &secret, at(89)));
        assert!(!is_valid("287082", &secret, at(120)));
        assert!(!is_valid("28708", &secret, at(59)));
        assert!(!is_valid("", &secret, at(59)));
    }

    #[test]
    fn base32_survives_the_round_trip() {
        for length in 0..=20_u8 {
            let bytes: Vec<u8> = (0..length).map(|index| index.wrapping_mul(37)).collect();
            assert_eq!(from_base32(&base32(&bytes)).unwrap(), bytes);
        }
        assert_eq!(base32(b"foobar"), "MZXW6YTBOI");
        assert!(from_base32("!").is_none());
    }

    #[test]
    fn the_address_is_spelt_as_apps_expect() {
        assert_eq!(
            uri("Wild Fire", "a+b@example.com", "ABC"),
            "otpauth://totp/Wild%20Fire:a+b@example.com\
             ?algorithm=SHA1&digits=6&issuer=Wild%20Fire&period=30&secret=ABC"
        );
        assert!(qr_code("otpauth://totp/x").unwrap().starts_with("<svg "));
    }
}
