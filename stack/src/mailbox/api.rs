//! Mailpit's HTTP API (`axllent/mailpit`, `server/apiv1`): list, search, read, mark and delete.

use actix_web::error::BlockingError;
use actix_web::http::header;
use actix_web::{HttpResponse, ResponseError, web};
use mail_parser::MessageParser;
use serde::{Deserialize, Serialize};

use super::message::Summary;
use super::query::Query;
use super::store::Store;

/// Rows in a list unless asked for more.
const DEFAULT_LIMIT: usize = 50;

/// What can go wrong while reading or deleting mail.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("404 page not found")]
    NotFound,
    #[error("a search has at most 20 terms")]
    Query,
    #[error("The folder with the mails cannot be read or written")]
    Folder(#[from] std::io::Error),
    #[error("The mailbox is shutting down")]
    Stopped(#[from] BlockingError),
}

impl ResponseError for Error {
    fn error_response(&self) -> HttpResponse {
        let mut response = match self {
            Self::NotFound => HttpResponse::NotFound(),
            Self::Query => HttpResponse::BadRequest(),
            Self::Folder(error) => {
                tracing::error!(%error, "the mailbox folder failed");
                HttpResponse::InternalServerError()
            }
            Self::Stopped(_) => HttpResponse::ServiceUnavailable(),
        };
        response
            .content_type("text/plain; charset=utf-8")
            .body(self.to_string())
    }
}

#[derive(Debug, Deserialize)]
struct Window {
    #[serde(default)]
    start: usize,
    limit: Option<usize>,
    #[serde(default)]
    query: String,
}

/// The body of a list; the lower-case names are Mailpit's.
#[derive(Debug, Serialize)]
struct ListBody {
    total: usize,
    unread: usize,
    count: usize,
    messages_count: usize,
    messages_unread: usize,
    start: usize,
    tags: Vec<String>,
    messages: Vec<Summary>,
}

/// Which mails to delete or mark; none means all.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Selection {
    #[serde(rename = "IDs", alias = "ids")]
    ids: Vec<String>,
    #[serde(rename = "Read", alias = "read")]
    read: bool,
}

pub(super) fn configure(config: &mut web::ServiceConfig) {
    config
        .service(
            web::resource("/api/v1/messages")
                .get(list_messages)
                .put(mark_messages)
                .delete(delete_messages),
        )
        .service(
            web::resource("/api/v1/search")
                .get(search_messages)
                .delete(delete_found_messages),
        )
        .route("/api/v1/message/{id}", web::get().to(get_message))
        .route("/api/v1/message/{id}/raw", web::get().to(get_raw_message))
        .route("/api/v1/message/{id}/headers", web::get().to(get_headers))
        .route("/livez", web::get().to(async || "ok"))
        .route("/readyz", web::get().to(async || "ok"));
}

async fn list_messages(store: web::Data<Store>, window: web::Query<Window>) -> web::Json<ListBody> {
    let all = store.summaries();
    web::Json(list_body(&all, all.clone(), &window))
}

async fn search_messages(
    store: web::Data<Store>,
    window: web::Query<Window>,
) -> Result<web::Json<ListBody>, Error> {
    let all = store.summaries();
    let found = find(&store, &window.query)?;
    Ok(web::Json(list_body(&all, found, &window)))
}

async fn delete_found_messages(
    store: web::Data<Store>,
    window: web::Query<Window>,
) -> Result<&'static str, Error> {
    let found = find(&store, &window.query)?;
    let ids: Vec<String> = found.into_iter().map(|mail| mail.id).collect();
    if !ids.is_empty() {
        web::block(move || store.delete(&ids)).await??;
    }
    Ok("ok")
}

async fn get_message(
    store: web::Data<Store>,
    id: web::Path<String>,
) -> Result<HttpResponse, Error> {
    let letter = web::block(move || {
        let letter = store.letter(&id)?;
        if let Some(letter) = &letter {
            store.mark(std::slice::from_ref(&letter.id), true);
        }
        Ok::<_, std::io::Error>(letter)
    });
    let letter = letter.await??.ok_or(Error::NotFound)?;
    Ok(HttpResponse::Ok().json(letter))
}

async fn get_raw_message(
    store: web::Data<Store>,
    id: web::Path<String>,
) -> Result<HttpResponse, Error> {
    let eml = web::block(move || store.raw(&id))
        .await??
        .ok_or(Error::NotFound)?;
    Ok(HttpResponse::Ok()
        .content_type("text/plain; charset=utf-8")
        .body(eml))
}

/// All headers by name, each with its values, as they were sent.
async fn get_headers(
    store: web::Data<Store>,
    id: web::Path<String>,
) -> Result<HttpResponse, Error> {
    let eml = web::block(move || store.raw(&id))
        .await??
        .ok_or(Error::NotFound)?;
    let mail = MessageParser::default()
        .parse_headers(&eml)
        .unwrap_or_default();
    let mut headers = serde_json::Map::new();
    for (name, value) in mail.headers_raw() {
        let values = headers
            .entry(name.to_owned())
            .or_insert_with(|| serde_json::json!([]));
        if let Some(values) = values.as_array_mut() {
            values.push(value.trim().into());
        }
    }
    Ok(HttpResponse::Ok().json(headers))
}

async fn mark_messages(store: web::Data<Store>, selection: web::Json<Selection>) -> &'static str {
    store.mark(&selection.ids, selection.read);
    "ok"
}

/// An empty body, or one without ids, deletes every mail.
async fn delete_messages(store: web::Data<Store>, body: web::Bytes) -> Result<HttpResponse, Error> {
    let selection = if body.is_empty() {
        Ok(Selection::default())
    } else {
        serde_json::from_slice(&body)
    };
    let Ok(Selection { ids, .. }) = selection else {
        let message = "the body must be JSON such as {\"IDs\":[\"…\"]}";
        return Ok(HttpResponse::BadRequest()
            .content_type("text/plain; charset=utf-8")
            .body(message));
    };
    web::block(move || store.delete(&ids)).await??;
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/plain"))
        .body("ok"))
}

/// The mails a search finds, newest first.
fn find(store: &Store, query: &str) -> Result<Vec<Summary>, Error> {
    let query = Query::parse(query).ok_or(Error::Query)?;
    let mut all = store.summaries();
    all.retain(|mail| query.matches(mail));
    Ok(all)
}

fn list_body(all: &[Summary], found: Vec<Summary>, window: &Window) -> ListBody {
    let unread = |mails: &[Summary]| mails.iter().filter(|mail| !mail.read).count();
    let (messages_count, messages_unread) = (found.len(), unread(&found));
    let limit = window.limit.unwrap_or(DEFAULT_LIMIT);
    let messages: Vec<Summary> = found.into_iter().skip(window.start).take(limit).collect();
    ListBody {
        total: all.len(),
        unread: unread(all),
        count: messages.len(),
        messages_count,
        messages_unread,
        start: window.start,
        tags: Vec::new(),
        messages,
    }
}
