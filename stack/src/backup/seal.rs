//! Encryption with a passphrase: the format of age (`age-encryption.org/v1`) with its scrypt recipient,
//! so that `age -d FILE` opens an archive without this program. The primitives are the house's.

use std::io::{self, BufRead, ErrorKind, Read, Write};

use aws_lc_rs::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::hkdf::{HKDF_SHA256, Salt};
use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD as BASE64;
use platform::env::Secret;
use platform::keys::random;

/// How every such file begins.
pub(super) const MAGIC: &[u8] = b"age-encryption.org/v1\n";

const CHUNK: usize = 64 << 10;
const TAG: usize = 16;
/// What guessing costs whoever has the file: 128 MiB and a good part of a second each.
const WORK: u8 = 17;
/// What opening may cost: files of others may ask for more.
const MOST_WORK: u8 = 20;
/// Longest line of a header.
const LONGEST_LINE: u64 = 128;

/// Seals what is written to it.
pub(super) struct Sealed<W: Write> {
    inner: W,
    key: Stream,
    chunk: Vec<u8>,
}

/// Reads what was sealed.
pub(super) struct Opened<R: BufRead> {
    inner: R,
    key: Stream,
    chunk: Vec<u8>,
    read: usize,
    ended: bool,
}

/// The key of the chunks, and the number of the next.
struct Stream {
    key: LessSafeKey,
    number: u64,
}

impl<W: Write> Sealed<W> {
    /// Writes the header.
    pub(super) fn new(mut inner: W, passphrase: &Secret<String>) -> io::Result<Self> {
        let (salt, file_key) = (random::<16>(), random::<16>());
        let mut wrapped = file_key.to_vec();
        let wrapping = chacha(&stretched(passphrase, &salt, WORK)?)?;
        wrapping
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key([0; 12]),
                Aad::empty(),
                &mut wrapped,
            )
            .map_err(unusable)?;
        let mut header = MAGIC.to_vec();
        writeln!(header, "-> scrypt {} {WORK}", BASE64.encode(salt))?;
        write!(header, "{}\n---", BASE64.encode(wrapped))?;
        let tag = hmac::sign(&header_key(&file_key)?, &header);
        writeln!(header, " {}", BASE64.encode(tag))?;
        let nonce = random::<16>();
        inner.write_all(&header)?;
        inner.write_all(&nonce)?;
        Ok(Self {
            inner,
            key: Stream::new(&file_key, &nonce)?,
            chunk: Vec::with_capacity(CHUNK + TAG),
        })
    }

    /// Writes the last chunk, without which the file counts as cut off.
    pub(super) fn finish(mut self) -> io::Result<W> {
        self.seal(true)?;
        Ok(self.inner)
    }

    fn seal(&mut self, is_last: bool) -> io::Result<()> {
        let nonce = self.key.next(is_last);
        let sealing = &self.key.key;
        sealing
            .seal_in_place_append_tag(nonce, Aad::empty(), &mut self.chunk)
            .map_err(unusable)?;
        self.inner.write_all(&self.chunk)?;
        self.chunk.clear();
        Ok(())
    }
}

impl<W: Write> Write for Sealed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.chunk.len() == CHUNK {
            self.seal(false)?;
        }
        let taken = bytes.len().min(CHUNK - self.chunk.len());
        self.chunk.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<R: BufRead> Opened<R> {
    /// Reads the header. Another passphrase is [`ErrorKind::PermissionDenied`].
    pub(super) fn new(mut inner: R, passphrase: &Secret<String>) -> io::Result<Self> {
        let mut header = MAGIC.to_vec();
        if line(&mut inner)? != MAGIC {
            return Err(ErrorKind::InvalidData.into());
        }
        let stanza = line(&mut inner)?;
        let body = line(&mut inner)?;
        let end = line(&mut inner)?;
        let (salt, work) = recipient(&stanza).ok_or(ErrorKind::InvalidData)?;
        let mut wrapped = BASE64.decode(body.trim_ascii_end()).map_err(damaged)?;
        let tag = end.strip_prefix(b"--- ").ok_or(ErrorKind::InvalidData)?;
        let tag = BASE64.decode(tag.trim_ascii_end()).map_err(damaged)?;
        let wrapping = chacha(&stretched(passphrase, &salt, work)?)?;
        let file_key = wrapping
            .open_in_place(
                Nonce::assume_unique_for_key([0; 12]),
                Aad::empty(),
                &mut wrapped,
            )
            .map_err(|_| ErrorKind::PermissionDenied)?;
        header.extend([stanza, body, b"---".to_vec()].concat());
        hmac::verify(&header_key(file_key)?, &header, &tag).map_err(damaged)?;
        let mut nonce = [0; 16];
        inner.read_exact(&mut nonce)?;
        Ok(Self {
            inner,
            key: Stream::new(file_key, &nonce)?,
            chunk: Vec::with_capacity(CHUNK + TAG),
            read: 0,
            ended: false,
        })
    }

    fn open(&mut self) -> io::Result<()> {
        self.chunk.clear();
        self.read = 0;
        let whole = (CHUNK + TAG) as u64;
        self.inner
            .by_ref()
            .take(whole)
            .read_to_end(&mut self.chunk)?;
        self.ended = self.inner.fill_buf()?.is_empty();
        let nonce = self.key.next(self.ended);
        let opened = self
            .key
            .key
            .open_in_place(nonce, Aad::empty(), &mut self.chunk);
        let length = match opened {
            Ok(plain) => plain.len(),
            // The end of a file that was cut off is no last chunk.
            Err(_) if self.ended => return Err(ErrorKind::UnexpectedEof.into()),
            Err(_) => return Err(ErrorKind::InvalidData.into()),
        };
        self.chunk.truncate(length);
        Ok(())
    }
}

impl<R: BufRead> Read for Opened<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.read == self.chunk.len() && !self.ended {
            self.open()?;
        }
        let left = &self.chunk[self.read..];
        let taken = left.len().min(buffer.len());
        buffer[..taken].copy_from_slice(&left[..taken]);
        self.read += taken;
        Ok(taken)
    }
}

impl Stream {
    fn new(file_key: &[u8], nonce: &[u8]) -> io::Result<Self> {
        let key = chacha(&derived(file_key, nonce, b"payload")?)?;
        Ok(Self { key, number: 0 })
    }

    /// Eleven bytes of counter, and whether it is the last one.
    fn next(&mut self, is_last: bool) -> Nonce {
        let mut nonce = [0; 12];
        nonce[3..11].copy_from_slice(&self.number.to_be_bytes());
        nonce[11] = u8::from(is_last);
        self.number += 1;
        Nonce::assume_unique_for_key(nonce)
    }
}

/// Salt and work of a scrypt recipient, the only kind there is here.
fn recipient(stanza: &[u8]) -> Option<(Vec<u8>, u8)> {
    let text = std::str::from_utf8(stanza).ok()?.trim_end();
    let (salt, work) = text.strip_prefix("-> scrypt ")?.split_once(' ')?;
    let work = work.parse().ok().filter(|work| *work <= MOST_WORK)?;
    let salt = BASE64.decode(salt).ok()?;
    (salt.len() == 16).then_some((salt, work))
}

fn line(inner: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    inner
        .by_ref()
        .take(LONGEST_LINE)
        .read_until(b'\n', &mut line)?;
    if line.ends_with(b"\n") {
        Ok(line)
    } else {
        Err(ErrorKind::UnexpectedEof.into())
    }
}

fn stretched(passphrase: &Secret<String>, salt: &[u8], work: u8) -> io::Result<[u8; 32]> {
    let salt = [b"age-encryption.org/v1/scrypt", salt].concat();
    let params = scrypt::Params::new(work, 8, 1).map_err(damaged)?;
    let mut key = [0; 32];
    scrypt::scrypt(passphrase.expose().as_bytes(), &salt, &params, &mut key).map_err(damaged)?;
    Ok(key)
}

fn derived(key: &[u8], salt: &[u8], label: &'static [u8]) -> io::Result<[u8; 32]> {
    let mut derived = [0; 32];
    let extracted = Salt::new(HKDF_SHA256, salt).extract(key);
    let filled = extracted
        .expand(&[label], HKDF_SHA256)
        .and_then(|okm| okm.fill(&mut derived));
    filled.map_err(unusable)?;
    Ok(derived)
}

fn header_key(file_key: &[u8]) -> io::Result<hmac::Key> {
    let key = derived(file_key, &[], b"header")?;
    Ok(hmac::Key::new(hmac::HMAC_SHA256, &key))
}

fn chacha(key: &[u8; 32]) -> io::Result<LessSafeKey> {
    let key = UnboundKey::new(&CHACHA20_POLY1305, key).map_err(unusable)?;
    Ok(LessSafeKey::new(key))
}

fn damaged<E>(_: E) -> io::Error {
    ErrorKind::InvalidData.into()
}

fn unusable<E>(_: E) -> io::Error {
    io::Error::other("the cryptography library failed")
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    /// By the `age` crate 0.12.1, with the passphrase "correct horse": the header, and in hexadecimal what
    /// follows it.
    const BY_AGE: [&str; 2] = [
        "age-encryption.org/v1\n-> scrypt 0dTO+mw+JlGHMe7sl62FBg 4\n\
         O6x5KyEyMkdVVN0jkIEFyP9jycJxdI0M6/Q8hPnv+xI\n--- /mohS2PKXNU0edRv2SUczupTcc4h5Qki64iM4qUMEOE\n",
        "a38aca256a7cbbb4039f4428d3280ff5ceb5778fc5f06c9d74512776281d4561de635fb4829a371335e838740208",
    ];

    fn opened(bytes: &[u8], passphrase: &str) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        let opened = Opened::new(Cursor::new(bytes), &Secret::from(passphrase));
        opened?.read_to_end(&mut text)?;
        Ok(text)
    }

    #[test]
    fn a_file_that_age_wrote_opens_with_its_passphrase() {
        let payload = hex::decode(BY_AGE[1]).unwrap();
        let file = [BY_AGE[0].as_bytes(), &payload].concat();
        let text = opened(&file, "correct horse").unwrap();
        assert_eq!(text, b"written by age");
        let other = opened(&file, "battery staple").unwrap_err();
        assert_eq!(other.kind(), ErrorKind::PermissionDenied);
    }

    #[test]
    fn what_was_sealed_opens_whatever_its_size_and_only_whole() {
        for size in [0, 1, CHUNK, CHUNK + 1] {
            let text: Vec<u8> = (0..=250).cycle().take(size).collect();
            let mut sealed = Sealed::new(Vec::new(), &Secret::from("words")).unwrap();
            sealed.write_all(&text).unwrap();
            let sealed = sealed.finish().unwrap();
            assert_eq!(opened(&sealed, "words").unwrap(), text, "{size}");
            let cut = opened(&sealed[..sealed.len() - 1], "words").unwrap_err();
            assert_eq!(cut.kind(), ErrorKind::UnexpectedEof, "{size}");
        }
    }
}
