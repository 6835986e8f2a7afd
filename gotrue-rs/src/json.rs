//! JSON as Go's `encoding/json` reads and writes it.
//!
//! Clients see the decoder's error texts and the encoder's escaping, so both are kept: keys
//! match whatever their case, the last of two equal keys wins, `null` leaves the zero value,
//! maps come out sorted, numbers travel as doubles, `<`, `>` and `&` are escaped.

mod body;
mod decode;
mod document;
mod encode;
mod parse;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;

pub(crate) use body::body;
pub(crate) use decode::{At, Body, Field, TypeError, decode_field, same_key};
pub(crate) use document::Document;
pub(crate) use encode::to_string;
pub(crate) use parse::Node;

use crate::error::{Error, ErrorCode};

/// Reads a whole body.
pub(crate) fn read<T: Body>(bytes: &[u8]) -> Result<T, Error> {
    decode(parse::whole(bytes)).map_err(|text| {
        Error::bad_request(
            ErrorCode::BadJson,
            format!("Could not parse request body as JSON: {text}"),
        )
    })
}

/// Reads one value and ignores what follows it; the error is the decoder's bare text.
pub(crate) fn read_first<T: Body>(bytes: &[u8]) -> Result<T, String> {
    decode(parse::first(bytes))
}

fn decode<T: Body>(parsed: Result<Node, String>) -> Result<T, String> {
    let mut target = T::default();
    target
        .decode_root(&parsed?)
        .map_err(|error| error.to_string())?;
    Ok(target)
}

/// An answer with a JSON body.
pub(crate) fn respond(status: StatusCode, value: &impl Serialize) -> HttpResponse {
    HttpResponse::build(status)
        .content_type("application/json")
        .body(to_string(value))
}

/// `200 {}`.
pub(crate) fn empty_object() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("application/json")
        .body("{}")
}
