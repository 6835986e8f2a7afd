//! Pages of long lists, and how a client finds the next one. Mirrors upstream's
//! `pagination.go`.

use std::fmt::Write as _;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderName, HeaderValue, LINK};
use base64::DecodeError;
use base64::alphabet::URL_SAFE;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use base64::engine::{DecodePaddingMode, Engine as _};
use serde::Deserialize;
use uuid::Uuid;

use crate::call::Call;
use crate::db::user_list::Cursor;
use crate::error::Error;
use crate::json;
use crate::redirect::address::Address;

const DEFAULT_SIZE: u64 = 50;
const LARGEST_SIZE: u64 = 1000;
const TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");

/// As Go decodes: bits left over at the end do not matter.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new()
        .with_encode_padding(false)
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireNone),
);

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CursorBody {
    created_at: String,
    id: String,
}

/// A page by number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Page {
    number: u64,
    size: u64,
}

impl Page {
    /// The page a request asks for, the first one of fifty if it names none.
    pub(super) fn of(call: &Call) -> Result<Self, Error> {
        let page = Self {
            number: parameter(call, "page")?.unwrap_or(1),
            size: parameter(call, "per_page")?.unwrap_or(DEFAULT_SIZE),
        };
        if page.size == 0 {
            // Upstream: divides by it, and its recoverer answers so.
            return Err(Error::status(
                StatusCode::INTERNAL_SERVER_ERROR,
                None,
                "Internal Server Error",
            ));
        }
        Ok(page)
    }

    pub(super) fn limit(self) -> i64 {
        i64::try_from(self.size).unwrap_or(i64::MAX)
    }

    pub(super) fn offset(self) -> i64 {
        let skipped = self.number.max(1) - 1;
        i64::try_from(skipped)
            .unwrap_or(i64::MAX)
            .saturating_mul(self.limit())
    }

    /// Adds how many there are and where the next and the last page are.
    pub(super) fn add_headers(self, call: &Call, total: i64, response: &mut HttpResponse) {
        let total = u64::try_from(total).unwrap_or_default();
        let last = total.div_ceil(self.size);
        let mut link = String::new();
        if last > self.number {
            link = format!(
                "<{}>; rel=\"next\", ",
                with_parameter(call, "page", &(self.number + 1))
            );
        }
        let _ = write!(
            link,
            "<{}>; rel=\"last\"",
            with_parameter(call, "page", &last)
        );
        set(response, LINK, &link);
        set(response, TOTAL_COUNT, &total.to_string());
    }
}

/// A page by the place it starts behind.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    pub(super) limit: u64,
    pub(super) after: Option<Cursor>,
}

impl Stretch {
    /// The stretch a request asks for.
    pub(super) fn of(call: &Call) -> Result<Self, Error> {
        let limit = parameter(call, "limit")?.unwrap_or(DEFAULT_SIZE);
        if limit == 0 {
            return Err(bad("limit must be greater than 0"));
        }
        let cursor = call.query("cursor").filter(|cursor| !cursor.is_empty());
        Ok(Self {
            limit: limit.min(LARGEST_SIZE),
            after: cursor.map(decode).transpose()?,
        })
    }
}

/// A cursor as clients pass it around.
pub(super) fn encode(cursor: &Cursor) -> String {
    LENIENT.encode(json::to_string(cursor))
}

fn decode(text: &str) -> Result<Cursor, Error> {
    let bytes = LENIENT.decode(text).map_err(|error| {
        let at = match error {
            DecodeError::InvalidByte(at, _) | DecodeError::InvalidLastSymbol(at, _) => at,
            DecodeError::InvalidLength(_) | DecodeError::InvalidPadding => text.len(),
        };
        bad(format!(
            "invalid cursor encoding: illegal base64 data at input byte {at}"
        ))
    })?;
    let body: CursorBody =
        json::read_first(&bytes).map_err(|reason| bad(format!("invalid cursor: {reason}")))?;
    let id = match body.id.as_str() {
        "" => Uuid::nil(),
        id => Uuid::parse_str(id).map_err(|_| bad("invalid cursor: id is not a UUID"))?,
    };
    if id.is_nil() {
        return Err(bad("invalid cursor: missing id"));
    }
    match body.created_at.as_str() {
        "" => Err(bad("invalid cursor: missing created_at")),
        text => {
            let created_at = text
                .parse()
                .map_err(|_| bad("invalid cursor: created_at is no time"))?;
            Ok(Cursor { created_at, id })
        }
    }
}

/// Adds where the next stretch starts.
pub(super) fn add_next(call: &Call, cursor: &str, response: &mut HttpResponse) {
    let next = with_parameter(call, "cursor", &cursor);
    set(response, LINK, &format!("<{next}>; rel=\"next\""));
}

fn parameter(call: &Call, name: &str) -> Result<Option<u64>, Error> {
    let Some(text) = call.query(name).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse()
        .ok()
        .filter(|_| digits)
        .map(Some)
        .ok_or_else(|| {
            let reason = if digits {
                "value out of range"
            } else {
                "invalid syntax"
            };
            bad(format!("strconv.ParseUint: parsing {text:?}: {reason}"))
        })
}

fn bad(reason: impl std::fmt::Display) -> Error {
    Error::invalid(format!("Bad Pagination Parameters: {reason}"))
}

/// The request's own URL with one parameter replaced, keys sorted.
fn with_parameter(call: &Call, name: &str, value: &impl ToString) -> String {
    let mut address = Address::parse(&call.path_and_query).unwrap_or_default();
    let mut query = address.query();
    if name == "cursor" {
        query.remove("page");
    }
    query.set(name, value.to_string());
    address.raw_query = query.encode();
    address.to_string()
}

fn set(response: &mut HttpResponse, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use platform_test::properties::properties;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(properties())]

        #[test]
        fn a_cursor_leads_back_to_its_place(seconds in 0..4_000_000_000_i64, id: u128, text: String) {
            let _ = decode(&text);
            let _ = decode(&LENIENT.encode(&text));
            let created_at = Timestamp::from_second(seconds).unwrap();
            let cursor = Cursor { created_at, id: Uuid::from_u128(id.max(1)) };
            let read = decode(&encode(&cursor)).unwrap();
            prop_assert_eq!((read.created_at, read.id), (cursor.created_at, cursor.id));
        }
    }
}
