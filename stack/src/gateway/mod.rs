//! The gateway in front of all services: one routing table on the API port and the app port
//! (CORS, keys, forwarding headers), then the service itself, in the same process.

mod forwarded;
mod keys;
mod table;
#[cfg(test)]
mod tests;
mod unbuilt;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Uri;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{Error, HttpResponse, web};
use platform::http::{AnsweredBy, cors};

use keys::{Change, Presented, Refusal, Rewrite};
pub use keys::{Dialect, GatewayKeys, OpaqueKeys};
pub use table::{Clash, Table};
use table::{Owner, Route};

const APIKEY: HeaderName = HeaderName::from_static("apikey");
const SB_API_KEY: HeaderName = HeaderName::from_static("sb-api-key");

/// What the gateway decides by.
#[derive(Debug)]
pub struct Gateway {
    /// How keys are treated.
    pub dialect: Dialect,
    /// The keys of this installation.
    pub keys: GatewayKeys,
    /// Whose a path is.
    pub table: Table,
    /// How many trusted proxies stand in front, whose forwarding headers count.
    pub trusted_proxies: usize,
}

/// The outermost middleware of the application; the [`Gateway`] is in its app data.
pub async fn pass(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let Some(gateway) = request.app_data::<web::Data<Gateway>>().cloned() else {
        return Ok(request.into_response(refuse(keys::NOT_CONFIGURED)));
    };
    // The decoded path, which is also what the services are matched by.
    let route = gateway.table.find(request.match_info().unprocessed());
    if route.owner == Owner::Web {
        return Ok(next.call(request).await?.map_into_boxed_body());
    }
    let answered_by = match route.owner {
        Owner::Service(name) => name,
        Owner::Unbuilt(_) | Owner::Web => "gateway",
    };
    AnsweredBy(answered_by).tell(&request);
    let is_open = route.is_open_to_pages;
    if is_open && let Some(response) = cors::preflight(&request) {
        return Ok(request.into_response(response));
    }
    let refusal = admit(&mut request, &gateway, &route).err().map(refuse);
    let early = refusal.or_else(|| match route.owner {
        Owner::Unbuilt(name) => Some(unbuilt::answer(name, route.access, &request)),
        _ => None,
    });
    let mut response = match early {
        Some(response) => request.into_response(response),
        None => next.call(request).await?.map_into_boxed_body(),
    };
    if is_open {
        cors::open(response.headers_mut());
    }
    Ok(response)
}

/// Checks the key and rewrites the request for the service behind.
fn admit(request: &mut ServiceRequest, gateway: &Gateway, route: &Route) -> Result<(), Refusal> {
    let apikey_query = query_value(request.query_string(), "apikey");
    let text = |name: &HeaderName| request.headers().get(name).and_then(|it| it.to_str().ok());
    let presented = Presented {
        authorization: text(&header::AUTHORIZATION),
        apikey_header: text(&APIKEY),
        apikey_query: apikey_query.as_deref(),
    };
    let rewrite = keys::check(gateway.dialect, &gateway.keys, route.access, &presented)?;
    apply(request, rewrite);
    forwarded::describe(request, gateway.trusted_proxies, route.prefix);
    if let Some(path) = route.target {
        set_path(request, path);
    }
    Ok(())
}

fn apply(request: &mut ServiceRequest, rewrite: Rewrite) {
    if let Change::Set(value) = rewrite.apikey_query {
        set_query(request, "apikey", &value);
    }
    let changes = [
        (header::AUTHORIZATION, rewrite.authorization),
        (APIKEY, rewrite.apikey_header),
        (SB_API_KEY, rewrite.sb_api_key),
    ];
    for (name, change) in changes {
        match change {
            Change::Keep => {}
            Change::Remove => {
                request.headers_mut().remove(name);
            }
            Change::Set(value) => {
                if let Ok(value) = HeaderValue::from_str(&value) {
                    request.headers_mut().insert(name, value);
                }
            }
        }
    }
}

fn refuse(refusal: Refusal) -> HttpResponse {
    HttpResponse::build(refusal.status)
        .content_type("text/plain; charset=utf-8")
        .body(refusal.message)
}

fn query_value(query: &str, name: &str) -> Option<String> {
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    pairs
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.into_owned())
}

/// Replaces one query parameter and leaves the others byte for byte.
fn set_query(request: &mut ServiceRequest, name: &str, value: &str) {
    let value: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
    let pairs: Vec<String> = request
        .query_string()
        .split('&')
        .map(|pair| match pair.split_once('=') {
            Some((key, _)) if key == name => format!("{key}={value}"),
            _ => pair.to_owned(),
        })
        .collect();
    let target = format!("{}?{}", request.path(), pairs.join("&"));
    set_target(request, &target);
}

fn set_path(request: &mut ServiceRequest, path: &str) {
    let target = match request.query_string() {
        "" => path.to_owned(),
        query => format!("{path}?{query}"),
    };
    set_target(request, &target);
}

fn set_target(request: &mut ServiceRequest, target: &str) {
    let mut parts = request.uri().clone().into_parts();
    let Ok(path_and_query) = target.parse() else {
        return;
    };
    parts.path_and_query = Some(path_and_query);
    if let Ok(uri) = Uri::from_parts(parts) {
        request.match_info_mut().get_mut().update(&uri);
        request.head_mut().uri = uri;
    }
}
