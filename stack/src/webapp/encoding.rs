//! Compressed forms, and which of them a client takes.

use std::io::Write;

use brotli::enc::BrotliEncoderParams;
use flate2::Compression;
use flate2::write::GzEncoder;

/// Brotli's quality: a fifth of the time of the best one for a few percent in size.
const BROTLI_QUALITY: i32 = 9;

/// A way to compress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Brotli,
    Gzip,
}

impl Encoding {
    /// Its name in headers.
    pub(super) fn token(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    pub(super) fn compress(self, content: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Brotli => {
                let params = BrotliEncoderParams {
                    quality: BROTLI_QUALITY,
                    ..BrotliEncoderParams::default()
                };
                let mut output = Vec::new();
                brotli::BrotliCompress(&mut &content[..], &mut output, &params).ok()?;
                Some(output)
            }
            Self::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
                encoder.write_all(content).ok()?;
                encoder.finish().ok()
            }
        }
    }
}

/// Whether an `Accept-Encoding` header takes this encoding (RFC 9110 §12.5.3).
pub(super) fn accepts(header: &str, encoding: Encoding) -> bool {
    let weight = |name: &str| {
        header.split(',').find_map(|item| {
            let (token, parameters) = item.split_once(';').unwrap_or((item, ""));
            token.trim().eq_ignore_ascii_case(name).then(|| {
                let quality = parameters.trim().strip_prefix("q=");
                quality.map_or(1.0, |quality| quality.trim().parse().unwrap_or(0.0))
            })
        })
    };
    let weight: Option<f32> = weight(encoding.token()).or_else(|| weight("*"));
    weight.is_some_and(|weight| weight > 0.0)
}
