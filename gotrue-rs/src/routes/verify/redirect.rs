//! Where a link leads once it is redeemed, or could not be.

use std::fmt::Write as _;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderName, HeaderValue, LOCATION};
use platform::pg::Tx;

use super::lookup::Purpose;
use crate::db::flow_states;
use crate::db::users::User;
use crate::error::{Error, ErrorCode};
use crate::middleware;
use crate::otp::Flow;
use crate::redirect::address::Address;
use crate::redirect::query::Values;
use crate::sessions::{AuthMethod, SessionTokens};
use crate::state::State;

/// What the page gets.
pub(super) enum Proof {
    /// The session itself, and what the link turned out to be for.
    Session(Box<SessionTokens>, Purpose),
    /// A code to be exchanged for one.
    Code(String),
}

/// The code of the flow this link continues.
pub(super) async fn issue_code(
    state: &State,
    tx: &Tx<'_>,
    user: &User,
    method: AuthMethod,
) -> Result<String, Error> {
    let missing = |reason: &str| {
        Error::bad_request(
            ErrorCode::FlowStateNotFound,
            format!("No associated flow state found. {reason}"),
        )
    };
    let flow = flow_states::latest(tx, user.id, method.as_str())
        .await
        .map_err(|error| missing("error finding flow state").with_source(error))?
        .ok_or_else(|| missing("422: No valid flow state found for user."))?;
    let code = flow
        .auth_code
        .ok_or_else(|| missing("422: Flow state does not have an auth code (not a PKCE flow)."))?;
    flow_states::mark_issued(tx, flow.id, state.clock.now())
        .await
        .map_err(|error| missing("error updating flow state").with_source(error))?;
    Ok(code)
}

/// To the page, with what it needs to sign the user in.
pub(super) fn to_success(target: &str, proof: &Proof) -> Result<HttpResponse, Error> {
    match proof {
        Proof::Session(issued, purpose) => {
            let mut fragment = Values::default();
            fragment.set("access_token", issued.access_token.as_str());
            fragment.set("token_type", "bearer");
            fragment.set("expires_in", issued.expires_in.to_string());
            fragment.set("expires_at", issued.expires_at.to_string());
            fragment.set("refresh_token", issued.refresh_token.as_str());
            fragment.set("type", purpose.as_str());
            fragment.set("sb", "");
            let mut response = see_other(&format!("{target}#{}", fragment.encode()));
            for (name, value) in &issued.headers {
                if let Ok(value) = HeaderValue::from_str(value) {
                    response
                        .headers_mut()
                        .insert(HeaderName::from_static(name), value);
                }
            }
            Ok(response)
        }
        Proof::Code(code) => with_code(target, code),
    }
}

fn with_code(target: &str, code: &str) -> Result<HttpResponse, Error> {
    let mut address = parse(target)?;
    let mut query = address.query();
    query.set("code", code);
    address.raw_query = query.encode();
    Ok(see_other(&address.to_string()))
}

/// To the page, with a message for the user.
pub(super) fn to_message(target: &str, message: &str, flow: Flow) -> Result<HttpResponse, Error> {
    let mut address = parse(target)?;
    let mut query = address.query();
    if flow == Flow::Pkce {
        query.set("message", message);
    }
    address.raw_query = query.encode();
    let mut fragment = Values::default();
    fragment.set("message", message);
    fragment.set("sb", "");
    address.set_fragment(&fragment.encode());
    Ok(see_other(&address.to_string()))
}

/// To the page, with what went wrong. Failures nobody prepared a text for are not shown.
pub(super) fn to_failure(target: &str, error: Error, flow: Flow) -> Result<HttpResponse, Error> {
    let error = match error.settled() {
        Some(answer) => answer.with_source(error),
        None => error,
    };
    let Error::Http { .. } = &error else {
        middleware::log(&error, error.http_status());
        return match flow {
            Flow::Implicit => Ok(see_other(target)),
            Flow::Pkce => with_code(target, ""),
        };
    };
    let Some(mut address) = Address::parse(target) else {
        return Err(error);
    };
    let status = error.http_status();
    if status.is_server_error() {
        middleware::log(&error, status);
    }
    let mut fragment = Values::default();
    let mut query = address.query();
    for values in [&mut fragment, &mut query] {
        if let Some(name) = oauth_name(status) {
            values.set("error", name);
        }
        values.set("error_code", error.code().map_or("", ErrorCode::as_str));
        values.set("error_description", error.to_string());
    }
    if flow == Flow::Pkce {
        address.raw_query = query.encode();
    }
    fragment.set("sb", "");
    address.set_fragment(&fragment.encode());
    Ok(see_other(&address.to_string()))
}

/// The OAuth name of a status; not every status has one.
fn oauth_name(status: StatusCode) -> Option<&'static str> {
    match status.as_u16() {
        400 => Some("invalid_request"),
        401 => Some("unauthorized_client"),
        403 => Some("access_denied"),
        500 => Some("server_error"),
        503 => Some("temporarily_unavailable"),
        _ => None,
    }
}

fn parse(target: &str) -> Result<Address, Error> {
    Address::parse(target)
        .ok_or_else(|| Error::Unexpected("redirect target cannot be parsed".into()))
}

/// A redirect with the body Go's `http.Redirect` writes.
fn see_other(target: &str) -> HttpResponse {
    let mut location = String::with_capacity(target.len());
    for byte in target.bytes() {
        if byte.is_ascii() {
            location.push(char::from(byte));
        } else {
            let _ = write!(location, "%{byte:02x}");
        }
    }
    let shown = location
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&#34;")
        .replace('\'', "&#39;");
    HttpResponse::SeeOther()
        .insert_header((LOCATION, location))
        .content_type("text/html; charset=utf-8")
        .body(format!("<a href=\"{shown}\">See Other</a>.\n\n"))
}
