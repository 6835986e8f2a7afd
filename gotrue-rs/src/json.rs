//! JSON as Go's `encoding/json` reads and writes it.
//!
//! Clients see which bodies are taken and how answers are escaped, so both are kept: keys match
//! whatever their case, the last of two equal keys counts, `null` leaves the zero value, maps come
//! out sorted, numbers travel as doubles, `<`, `>` and `&` are escaped.

mod document;
mod encode;
#[cfg(test)]
mod properties;
mod read;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;

pub(crate) use document::Document;
pub(crate) use encode::to_string;
pub(crate) use read::{Unreadable, read, read_first};

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
