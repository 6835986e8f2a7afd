//! Errors as bytes, in the two formats clients may ask for.
//!
//! Mirrors upstream's `internal/api/errors.go`, `apiversions.go` and `utilities/postgres.go`.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::HeaderMap;
use platform::pg::DbError;
use serde::Serialize;

use super::{Error, ErrorCode};
use crate::json;

/// The header in which clients ask for a format, echoed on errors only.
const VERSION_HEADER: &str = "x-supabase-api-version";
const CODE_HEADER: &str = "x-sb-error-code";

/// The error format a client understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ApiVersion {
    /// `{"code": 400, "error_code": "…", "msg": "…"}`.
    Initial,
    /// `{"code": "…", "message": "…"}`.
    V20240101,
}

impl ApiVersion {
    /// The newest format not newer than the date the client sent; a malformed date is ignored.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let Some(date) = headers
            .get(VERSION_HEADER)
            .and_then(|value| value.to_str().ok())
        else {
            return Self::Initial;
        };
        let strict = date.len() == 10 && date.bytes().filter(|&b| b == b'-').count() == 2;
        match date.parse::<jiff::civil::Date>() {
            Ok(day) if strict && day >= jiff::civil::date(2024, 1, 1) => Self::V20240101,
            _ => Self::Initial,
        }
    }
}

#[derive(Serialize)]
struct LegacyBody<'a> {
    code: u16,
    error_code: &'a str,
    msg: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weak_password: Option<Reasons<'a>>,
}

#[derive(Serialize)]
struct Body20240101<'a> {
    code: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    weak_password: Option<Reasons<'a>>,
}

#[derive(Serialize, Clone, Copy)]
struct Reasons<'a> {
    reasons: &'a [&'static str],
}

#[derive(Serialize)]
struct OauthBody<'a> {
    error: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_description: Option<&'a str>,
}

#[derive(Serialize)]
struct PostgresBody<'a> {
    code: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a str>,
}

/// The answer for this error in the format asked for.
pub(crate) fn render(error: &Error, version: ApiVersion, request_id: Option<&str>) -> HttpResponse {
    let is_legacy = version == ApiVersion::Initial;
    let shown = error.database_cause().and_then(public_postgres_error);
    let mut response = match error {
        Error::Oauth { error, description } => json::respond(
            StatusCode::BAD_REQUEST,
            &OauthBody {
                error,
                error_description: description.as_deref(),
            },
        ),
        Error::Http { .. } if is_legacy => {
            shown.unwrap_or_else(|| coded(error, version, request_id))
        }
        _ => coded(error, version, request_id),
    };
    add_headers(error, version, &mut response);
    response
}

fn coded(error: &Error, version: ApiVersion, request_id: Option<&str>) -> HttpResponse {
    let (status, message) = (error.http_status(), error.to_string());
    let code = error.code().unwrap_or_else(|| unset(status)).as_str();
    let weak_password = match error {
        Error::WeakPassword { reasons, .. } => Some(Reasons { reasons }),
        _ => None,
    };
    let has_id = status.is_server_error() && matches!(error, Error::Http { .. });
    match version {
        ApiVersion::Initial => {
            let body = LegacyBody {
                code: status.as_u16(),
                error_code: code,
                msg: &message,
                error_id: request_id.filter(|_| has_id),
                weak_password,
            };
            json::respond(status, &body)
        }
        ApiVersion::V20240101 => {
            let body = Body20240101 {
                code,
                message: &message,
                weak_password,
            };
            json::respond(status, &body)
        }
    }
}

fn add_headers(error: &Error, version: ApiVersion, response: &mut HttpResponse) {
    let coded = match error {
        Error::Http { code, .. } => *code,
        // Upstream: the newer format leaves the header out for weak passwords.
        Error::WeakPassword { .. } if version == ApiVersion::Initial => error.code(),
        Error::WeakPassword { .. } | Error::Oauth { .. } | Error::Unexpected(_) => None,
    };
    if let Some(code) = coded {
        set_header(response, CODE_HEADER, code.as_str());
    }
    if version == ApiVersion::V20240101 {
        set_header(response, VERSION_HEADER, "2024-01-01");
    }
    if let Error::Http { headers, .. } = error {
        for (name, value) in headers {
            set_header(response, name, value);
        }
    }
}

fn set_header(response: &mut HttpResponse, name: &'static str, value: &str) {
    use actix_web::http::header::{HeaderName, HeaderValue};
    if let Ok(value) = HeaderValue::from_str(value) {
        response
            .headers_mut()
            .insert(HeaderName::from_static(name), value);
    }
}

/// What upstream says where a code was never set.
fn unset(status: StatusCode) -> ErrorCode {
    if status == StatusCode::INTERNAL_SERVER_ERROR {
        ErrorCode::UnexpectedFailure
    } else {
        ErrorCode::Unknown
    }
}

/// Errors that a database owner raises on purpose are shown as Postgres wrote them.
fn public_postgres_error(cause: &DbError) -> Option<HttpResponse> {
    let report = cause.server()?;
    let code = report.code().code();
    let status = match code {
        "P0001" | "23000" | "23001" | "23502" | "23503" | "23505" | "23514" | "23P01" => 500,
        _ => code.strip_prefix("PT")?.parse().ok()?,
    };
    let filled = |text: Option<&'_ str>| text.filter(|text| !text.is_empty()).map(str::to_owned);
    let (hint, detail) = (filled(report.hint()), filled(report.detail()));
    Some(json::respond(
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
        &PostgresBody {
            code,
            message: report.message(),
            hint: hint.as_deref(),
            detail: detail.as_deref(),
        },
    ))
}
