//! One file of the web app: its bytes, as they are and compressed, and the answer to a request.

use std::sync::OnceLock;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderMap};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use platform::http::SharedBytes;
use sha2::{Digest, Sha256};

use super::encoding::{self, Encoding};

/// Files smaller than this gain nothing from compression.
const WORTH_COMPRESSING: usize = 512;

/// How long a browser may keep a file without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Caching {
    /// The name contains a hash of the content.
    Forever,
    /// Ask every time; the answer is short when nothing changed.
    Revalidate,
}

/// A file in memory.
pub(super) struct Asset {
    identity: Bytes,
    brotli: OnceLock<Bytes>,
    gzip: OnceLock<Bytes>,
    /// Base of the entity tag, without quotes.
    digest: String,
    content_type: &'static str,
    caching: Caching,
}

impl Caching {
    /// Vite writes hashed names into `assets/` and nowhere else.
    pub(super) fn of(path: &str) -> Self {
        if path.starts_with("assets/") {
            Self::Forever
        } else {
            Self::Revalidate
        }
    }

    fn header(self) -> &'static str {
        match self {
            Self::Forever => "public, max-age=31536000, immutable",
            Self::Revalidate => "no-cache",
        }
    }
}

impl Asset {
    pub(super) fn new(path: &str, content: Vec<u8>, caching: Caching) -> Self {
        let digest = Sha256::digest(&content);
        Self {
            digest: URL_SAFE_NO_PAD.encode(&digest[..15]),
            identity: Bytes::from(content),
            brotli: OnceLock::new(),
            gzip: OnceLock::new(),
            content_type: content_type(path),
            caching,
        }
    }

    pub(super) fn identity(&self) -> &[u8] {
        &self.identity
    }

    /// Fills in the compressed forms, where they are smaller.
    pub(super) fn compress(&self) {
        if !is_text(self.content_type) || self.identity.len() < WORTH_COMPRESSING {
            return;
        }
        let forms = [
            (&self.brotli, Encoding::Brotli),
            (&self.gzip, Encoding::Gzip),
        ];
        for (slot, encoding) in forms {
            if let Some(bytes) = encoding.compress(&self.identity)
                && bytes.len() < self.identity.len()
            {
                slot.get_or_init(|| Bytes::from(bytes));
            }
        }
    }

    pub(super) fn respond(&self, request: &HeaderMap) -> HttpResponse {
        let accepted = request
            .get(header::ACCEPT_ENCODING)
            .and_then(|it| it.to_str().ok());
        let (encoding, body) = self.form(accepted.unwrap_or_default());
        let tag = encoding.map_or_else(
            || format!("\"{}\"", self.digest),
            |encoding| format!("\"{}-{}\"", self.digest, encoding.token()),
        );
        let known = request
            .get(header::IF_NONE_MATCH)
            .and_then(|it| it.to_str().ok());
        let unchanged = known.is_some_and(|known| matches(known, &tag));
        let status = if unchanged {
            StatusCode::NOT_MODIFIED
        } else {
            StatusCode::OK
        };
        let mut response = HttpResponse::build(status);
        response
            .insert_header((header::ETAG, tag))
            .insert_header((header::CACHE_CONTROL, self.caching.header()))
            .insert_header((header::VARY, "Accept-Encoding"));
        if unchanged {
            return response.finish();
        }
        if let Some(encoding) = encoding {
            response.insert_header((header::CONTENT_ENCODING, encoding.token()));
        }
        let mut response = response.content_type(self.content_type).body(body);
        response.extensions_mut().insert(SharedBytes);
        response
    }

    /// The best form the client accepts, among those ready.
    fn form(&self, accepted: &str) -> (Option<Encoding>, Bytes) {
        let forms = [
            (Encoding::Brotli, self.brotli.get()),
            (Encoding::Gzip, self.gzip.get()),
        ];
        forms
            .into_iter()
            .find_map(|(encoding, bytes)| {
                let bytes = bytes.filter(|_| encoding::accepts(accepted, encoding))?;
                Some((Some(encoding), bytes.clone()))
            })
            .unwrap_or_else(|| (None, self.identity.clone()))
    }
}

/// Whether an `If-None-Match` list names this tag (weak comparison, RFC 9110 §13.1.2).
fn matches(list: &str, tag: &str) -> bool {
    let named = |item: &str| {
        let item = item.trim();
        item == "*" || item.strip_prefix("W/").unwrap_or(item) == tag
    };
    list.split(',').any(named)
}

fn is_text(content_type: &str) -> bool {
    content_type.contains("charset=utf-8") || content_type == "image/svg+xml"
}

/// The types a build consists of; anything else is offered as a download.
fn content_type(path: &str) -> &'static str {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json; charset=utf-8",
        "webmanifest" => "application/manifest+json; charset=utf-8",
        "txt" => "text/plain; charset=utf-8",
        "xml" => "application/xml; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "gif" => "image/gif",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "woff" => "font/woff",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    }
}
