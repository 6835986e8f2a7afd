//! The mailbox page: the list, one mail, and the mail's own HTML in a frame that runs nothing.

use std::sync::Arc;

use actix_web::body::MessageBody;
use actix_web::http::header;
use actix_web::{HttpResponse, web};
use jiff::Timestamp;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use platform::clock::Clock;

use super::api::Error;
use super::extract;
use super::message::{Contact, Letter, Summary};
use super::store::Store;

const STYLE: &str = include_str!("mailbox.css");
const SCRIPT: &str = include_str!("mailbox.js");

/// The page's own files and nothing else.
const PAGE_POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; \
    connect-src 'self'; img-src 'self' data:; frame-src 'self'; form-action 'self'; \
    base-uri 'none'; frame-ancestors 'none'";

/// A mail may look as it likes and be measured by the page; it may not run or send anything.
const MAIL_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; \
    img-src data: http: https:; font-src data: https:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'self'; sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox";

type Mails = web::Data<Store>;

pub(super) fn configure(config: &mut web::ServiceConfig) {
    config
        .route(
            "/",
            web::get().to(async |store: Mails, clock: web::Data<Clock>| list(&store, &clock)),
        )
        .route(
            "/list",
            web::get().to(
                async |store: Mails, clock: web::Data<Clock>, open: web::Query<Open>| {
                    fragment(&store, &clock, open.id.as_deref())
                },
            ),
        )
        .route("/message/{id}", web::get().to(show_message))
        .route("/view/{id}.html", web::get().to(show_body))
        .route(
            "/mailbox.css",
            web::get().to(async || file("text/css", STYLE)),
        )
        .route(
            "/mailbox.js",
            web::get().to(async || file("text/javascript", SCRIPT)),
        );
}

/// The list, with nothing open beside it.
fn list(store: &Store, clock: &Clock) -> HttpResponse {
    let main = html! {
        p.placeholder { "Choose a mail to read it here." }
    };
    let rows = rows(&store.summaries(), None, clock.now());
    page("Mailbox", &rows, &main, "list")
}

/// The rows alone, which the page fetches when something changed.
fn fragment(store: &Store, clock: &Clock, open: Option<&str>) -> HttpResponse {
    let rows = rows(&store.summaries(), open, clock.now());
    answer("text/html", PAGE_POLICY, rows.into_string())
}

/// The mail that is open beside the list.
#[derive(Debug, serde::Deserialize)]
struct Open {
    id: Option<String>,
}

async fn show_message(
    store: Mails,
    clock: web::Data<Clock>,
    id: web::Path<String>,
) -> Result<HttpResponse, Error> {
    let letter = read(&store, &id).await?;
    store.mark(std::slice::from_ref(&letter.id), true);
    let rows = rows(&store.summaries(), Some(&letter.id), clock.now());
    Ok(page(&letter.subject, &rows, &message(&letter), "message"))
}

async fn show_body(store: Mails, id: web::Path<String>) -> Result<HttpResponse, Error> {
    let letter = read(&store, &id).await?;
    // Links open beside the mailbox instead of inside the frame.
    let html = format!("<base target=\"_blank\">{}", letter.html);
    Ok(answer("text/html", MAIL_POLICY, html))
}

fn file(content_type: &str, content: &'static str) -> HttpResponse {
    answer(content_type, PAGE_POLICY, content)
}

async fn read(store: &Mails, id: &str) -> Result<Letter, Error> {
    let (store, id) = (Arc::clone(store), id.to_owned());
    web::block(move || store.letter(&id))
        .await??
        .ok_or(Error::NotFound)
}

fn answer(
    content_type: &str,
    policy: &'static str,
    body: impl MessageBody + 'static,
) -> HttpResponse {
    HttpResponse::Ok()
        .content_type(format!("{content_type}; charset=utf-8"))
        .insert_header((header::CONTENT_SECURITY_POLICY, policy))
        .body(body)
}

/// The whole page; `view` tells narrow screens which of the two columns to show.
fn page(title: &str, rows: &Markup, main: &Markup, view: &str) -> HttpResponse {
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · Wildfire mailbox" }
                link rel="stylesheet" href="/mailbox.css";
                link rel="icon" href="data:,";
                script src="/mailbox.js" defer {}
            }
            body data-view=(view) {
                header.top {
                    a.brand href="/" { (MARK) span { "Wildfire" } }
                    h1 { "Mailbox" }
                    p.hint { "Mail is kept here because no SMTP server is set." }
                }
                main.columns {
                    nav.list aria-label="Mails" { div #rows { (rows) } }
                    div.reader { (main) }
                }
                div #status.visually-hidden role="status" {}
            }
        }
    };
    answer("text/html", PAGE_POLICY, markup.into_string())
}

fn rows(mails: &[Summary], open: Option<&str>, now: Timestamp) -> Markup {
    let newest = mails.first().map_or("", |mail| mail.id.as_str());
    let unread = mails.iter().filter(|mail| !mail.read).count();
    html! {
        div.bar data-newest=(newest) data-total=(mails.len()) data-unread=(unread) {
            span { (mails.len()) @if mails.len() == 1 { " mail" } @else { " mails" }
                @if unread > 0 { ", " (unread) " unread" } }
            @if !mails.is_empty() { button.quiet type="button" data-delete="" { "Delete all" } }
        }
        @if mails.is_empty() {
            p.placeholder { "No mail yet. Sign-in links and codes arrive here as they are sent." }
        }
        ol {
            @for mail in mails {
                li.unread[!mail.read] {
                    a href={ "/message/" (mail.id) } aria-current=[current(mail, open)] {
                        span.row { span.who { (recipients(&mail.to)) } time datetime=(mail.created) { (ago(mail.created, now)) } }
                        span.subject { @if !mail.read { span.visually-hidden { "Unread: " } } (subject(&mail.subject)) }
                        span.snippet { (mail.snippet) }
                    }
                }
            }
        }
    }
}

fn current(mail: &Summary, open: Option<&str>) -> Option<&'static str> {
    (open == Some(mail.id.as_str())).then_some("page")
}

fn message(letter: &Letter) -> Markup {
    let code = extract::code(&letter.text);
    let link = extract::link(&letter.html, &letter.text);
    html! {
        a.back href="/" { "All mails" }
        article {
            h2 { (subject(&letter.subject)) }
            dl {
                dt { "From" } dd { (contact(&letter.from)) }
                dt { "To" } dd { (recipients(&letter.to)) }
                dt { "Sent" } dd { time datetime=(letter.date) { (letter.date.strftime("%-d %B %Y, %H:%M:%S UTC")) } }
            }
            @if code.is_some() || link.is_some() {
                div.finds {
                    @if let Some(code) = &code {
                        div.find { span.label { "Code" } code.digits { (code) }
                            button type="button" data-copy=(code) { "Copy code" } }
                    }
                    @if let Some(link) = &link {
                        div.find { span.label { "Link" } code.address { (link) }
                            button type="button" data-copy=(link) { "Copy link" }
                            a.primary href=(link) target="_blank" rel="noopener noreferrer" { "Open link" } }
                    }
                }
            }
            @if letter.html.is_empty() {
                pre.text { (letter.text) }
            } @else {
                iframe title="The mail as it looks" src={ "/view/" (letter.id) ".html" }
                    sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox" {}
                details { summary { "Plain text" } pre.text { (letter.text) } }
            }
            p.actions {
                a href={ "/api/v1/message/" (letter.id) "/raw" } { "Source" }
                button.quiet type="button" data-delete=(letter.id) { "Delete mail" }
            }
        }
    }
}

fn subject(text: &str) -> &str {
    if text.is_empty() {
        "(no subject)"
    } else {
        text
    }
}

fn recipients(contacts: &[Contact]) -> String {
    contacts.iter().map(contact).collect::<Vec<_>>().join(", ")
}

fn contact(contact: &Contact) -> String {
    match (contact.name.as_str(), contact.address.as_str()) {
        ("", address) => address.to_owned(),
        (name, address) => format!("{name} <{address}>"),
    }
}

/// How long ago, in words a list has room for.
fn ago(then: Timestamp, now: Timestamp) -> String {
    let seconds = now.as_second().saturating_sub(then.as_second());
    match seconds {
        ..60 => "now".to_owned(),
        60..3600 => format!("{} min", seconds / 60),
        3600..86400 => format!("{} h", seconds / 3600),
        _ => then.strftime("%-d %b").to_string(),
    }
}

/// The mark: a flame whose inner edge is an opening brace.
const MARK: PreEscaped<&str> = PreEscaped(include_str!("mark.svg"));
