//! Mail that would be sent if an SMTP server were set: filed on disk, shown on a page of its own
//! and offered by the JSON API of Mailpit, which the Supabase CLI ships, so that tests written
//! against that find their sign-in codes here.

mod api;
mod door;
mod extract;
mod message;
mod page;
mod query;
mod store;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{Error, HttpResponse, web};
use async_trait::async_trait;
use platform::mail::{Mail, MailError, Mailer};

pub use door::Door;
pub use store::Store;

/// Files mail in a [`Store`].
pub struct MailboxMailer(Arc<Store>);

impl MailboxMailer {
    /// A mailer that files into `store`.
    pub fn new(store: Arc<Store>) -> Self {
        Self(store)
    }
}

#[async_trait]
impl Mailer for MailboxMailer {
    async fn send(&self, mail: &Mail) -> Result<(), MailError> {
        let eml = mail.to_message()?.formatted();
        let store = Arc::clone(&self.0);
        let filed = tokio::task::spawn_blocking(move || store.file(&eml)).await;
        filed.map_err(std::io::Error::other)??;
        Ok(())
    }
}

/// The page and the API; the application must hold the [`Store`] and a [`Door`], and be wrapped in
/// [`guard`].
pub fn configure(config: &mut web::ServiceConfig) {
    api::configure(config);
    page::configure(config);
}

/// Keeps strangers and other web pages out. A page of another site can make a browser send requests here, and
/// by pointing a name of its own at 127.0.0.1 even read the answers; it cannot make the browser
/// send another `Host`. Codes and links in these mails are credentials.
// Upstream: Mailpit answers any host.
pub async fn guard(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    // Not `connection_info`, which believes headers that a page may set.
    let header = request.headers().get(header::HOST);
    let host = header
        .and_then(|host| host.to_str().ok())
        .or(request.uri().host());
    let refusal = if host.is_some_and(is_own_host) {
        door::refusal(&request)
    } else {
        let refusal = HttpResponse::MisdirectedRequest()
            .content_type("text/plain; charset=utf-8")
            .body("The mailbox answers only under localhost or an IP address.\n");
        Some(refusal)
    };
    let mut response = match refusal {
        Some(refusal) => request.into_response(refusal),
        None => next.call(request).await?.map_into_boxed_body(),
    };
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (CROSS_ORIGIN_RESOURCE_POLICY, "same-origin"),
    ];
    for (name, value) in fixed {
        let value = HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
    Ok(response)
}

const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-resource-policy");

/// `localhost`, a name below it, or an address written in digits.
fn is_own_host(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name == "localhost" || name.ends_with(".localhost") || name.parse::<std::net::IpAddr>().is_ok()
}
