//! Security headers of the web app's pages and files.

use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};

const PERMISSIONS: HeaderName = HeaderName::from_static("permissions-policy");
const OPENER: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// What the pages may do in a browser.
#[derive(Debug, Clone)]
pub struct PageSecurity {
    policy: HeaderValue,
    https: bool,
    trust_proxy: bool,
}

impl PageSecurity {
    /// For an app that also talks to `api_url` (its own origin needs no mention). HSTS is sent
    /// when the installation is reached over https: `https`, or a trusted proxy that says so.
    pub fn new(api_url: Option<&str>, https: bool, trust_proxy: bool) -> Self {
        let policy = HeaderValue::from_str(&policy(api_url));
        let fallback = HeaderValue::from_static("default-src 'self'");
        Self {
            policy: policy.unwrap_or(fallback),
            https,
            trust_proxy,
        }
    }

    /// Adds the headers to an answer.
    pub(super) fn apply(&self, request: &HeaderMap, response: &mut HeaderMap) {
        let fixed = [
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (header::X_FRAME_OPTIONS, "DENY"),
            (header::REFERRER_POLICY, "strict-origin-when-cross-origin"),
            (
                PERMISSIONS,
                "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
            ),
            (OPENER, "same-origin"),
        ];
        response.insert(header::CONTENT_SECURITY_POLICY, self.policy.clone());
        for (name, value) in fixed {
            response.insert(name, HeaderValue::from_static(value));
        }
        let proto = request
            .get("x-forwarded-proto")
            .and_then(|value| value.to_str().ok());
        if self.https || (self.trust_proxy && proto == Some("https")) {
            let hsts = HeaderValue::from_static("max-age=31536000; includeSubDomains");
            response.insert(header::STRICT_TRANSPORT_SECURITY, hsts);
        }
    }
}

/// No script but the build's own files. Styles may be inline because editors and dialogs write
/// them; pictures may come from anywhere on https because avatars do.
fn policy(api_url: Option<&str>) -> String {
    let mut connect = "'self'".to_owned();
    if let Some(origin) = api_url.and_then(origin) {
        let socket = origin.replacen("http", "ws", 1);
        connect = format!("{connect} {origin} {socket}");
    }
    [
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob: https:",
        "font-src 'self' data:",
        "worker-src 'self' blob:",
        "manifest-src 'self'",
        &format!("connect-src {connect}"),
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
    .join("; ")
}

/// Scheme, host and port of an address; nothing else may slip into the policy.
fn origin(address: &str) -> Option<String> {
    let origin = url::Url::parse(address).ok()?.origin();
    origin.is_tuple().then(|| origin.ascii_serialization())
}
