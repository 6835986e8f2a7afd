//! A stored mail as its readers see it: the JSON fields of Mailpit's API
//! (`axllent/mailpit`, `internal/storage/structs.go`), made from the `.eml` text.

use std::sync::Arc;

use jiff::Timestamp;
use mail_parser::decoders::html::html_to_text;
use mail_parser::{Address, Message, MessageParser, MimeHeaders, PartType};
use serde::Serialize;

/// Characters of a text that a search looks at: codes and links stand above.
const SEARCHABLE_LENGTH: usize = 16 * 1024;

/// Characters of the text shown in a list.
const SNIPPET_LENGTH: usize = 250;

/// A mailbox address with the name beside it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Contact {
    /// The person's or sender's name; may be empty.
    pub name: String,
    /// `user@host`.
    pub address: String,
}

/// One row of the list.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Summary {
    /// The mail's name in this mailbox.
    #[serde(rename = "ID")]
    pub id: String,
    /// The `Message-ID` header, without brackets.
    #[serde(rename = "MessageID")]
    pub message_id: String,
    /// Whether it was opened.
    pub read: bool,
    /// The sender.
    pub from: Contact,
    /// Recipients.
    pub to: Vec<Contact>,
    /// Copies.
    pub cc: Vec<Contact>,
    /// Blind copies.
    pub bcc: Vec<Contact>,
    /// Where answers go.
    pub reply_to: Vec<Contact>,
    /// The subject, decoded.
    pub subject: String,
    /// When it was filed.
    pub created: Timestamp,
    /// Always empty: mail is filed without a login.
    pub username: String,
    /// Always empty: this mailbox has no tags.
    pub tags: Vec<String>,
    /// Bytes of the mail.
    pub size: usize,
    /// Number of attachments.
    pub attachments: usize,
    /// The beginning of the text.
    pub snippet: String,
    /// What a search looks at: the text in lower case, as far as it is kept in memory.
    #[serde(skip)]
    pub(super) searchable: Arc<str>,
}

/// A whole mail.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Letter {
    /// The mail's name in this mailbox.
    #[serde(rename = "ID")]
    pub id: String,
    /// The `Message-ID` header, without brackets.
    #[serde(rename = "MessageID")]
    pub message_id: String,
    /// The sender.
    pub from: Contact,
    /// Recipients.
    pub to: Vec<Contact>,
    /// Copies.
    pub cc: Vec<Contact>,
    /// Blind copies.
    pub bcc: Vec<Contact>,
    /// Where answers go.
    pub reply_to: Vec<Contact>,
    /// The `Return-Path` header.
    pub return_path: String,
    /// The subject, decoded.
    pub subject: String,
    /// The `Date` header, or when the mail was filed.
    pub date: Timestamp,
    /// Always empty: this mailbox has no tags.
    pub tags: Vec<String>,
    /// Always empty: mail is filed without a login.
    pub username: String,
    /// The plain text; made from the HTML when the mail has none.
    pub text: String,
    /// The HTML; empty when the mail has none.
    #[serde(rename = "HTML")]
    pub html: String,
    /// Bytes of the mail.
    pub size: usize,
    /// Pictures within the HTML.
    pub inline: Vec<Attachment>,
    /// Attached files.
    pub attachments: Vec<Attachment>,
}

/// A file attached to a mail.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Attachment {
    /// Its place among the parts.
    #[serde(rename = "PartID")]
    pub part_id: String,
    /// Its name.
    pub file_name: String,
    /// Its type.
    pub content_type: String,
    /// The `Content-ID` header.
    #[serde(rename = "ContentID")]
    pub content_id: String,
    /// Bytes.
    pub size: usize,
}

impl Letter {
    /// Reads a mail; one that is no mail at all is shown as plain text.
    pub(super) fn parse(id: &str, created: Timestamp, eml: &[u8]) -> Self {
        let mail = MessageParser::default().parse(eml).unwrap_or_default();
        let filed = mail
            .date()
            .and_then(|date| Timestamp::from_second(date.to_timestamp()).ok());
        let (inline, attachments) = files(&mail);
        Self {
            id: id.to_owned(),
            message_id: mail.message_id().unwrap_or_default().to_owned(),
            from: contacts(mail.from()).into_iter().next().unwrap_or_default(),
            to: contacts(mail.to()),
            cc: contacts(mail.cc()),
            bcc: contacts(mail.bcc()),
            reply_to: contacts(mail.reply_to()),
            return_path: mail.return_address().unwrap_or_default().to_owned(),
            subject: mail.subject().unwrap_or_default().to_owned(),
            date: filed.unwrap_or(created),
            tags: Vec::new(),
            username: String::new(),
            text: text(&mail),
            html: html(&mail),
            size: eml.len(),
            inline,
            attachments,
        }
    }

    /// The row for the list.
    pub(super) fn summary(&self, created: Timestamp) -> Summary {
        let words: Vec<&str> = self.text.split_whitespace().collect();
        Summary {
            id: self.id.clone(),
            message_id: self.message_id.clone(),
            read: false,
            from: self.from.clone(),
            to: self.to.clone(),
            cc: self.cc.clone(),
            bcc: self.bcc.clone(),
            reply_to: self.reply_to.clone(),
            subject: self.subject.clone(),
            created,
            username: String::new(),
            tags: Vec::new(),
            size: self.size,
            attachments: self.attachments.len(),
            snippet: words.join(" ").chars().take(SNIPPET_LENGTH).collect(),
            searchable: beginning(&self.text).to_lowercase().into(),
        }
    }
}

/// As much of a text as a search looks at.
fn beginning(text: &str) -> &str {
    let end = text.char_indices().nth(SEARCHABLE_LENGTH);
    end.map_or(text, |(end, _)| &text[..end])
}

/// The plain text; without such a part, what the HTML says.
fn text(mail: &Message<'_>) -> String {
    let part = mail.text_bodies().find_map(|part| match &part.body {
        PartType::Text(text) => Some(text.to_string()),
        _ => None,
    });
    part.unwrap_or_else(|| readable(&html(mail)))
}

/// Text of HTML, with a line for each block: the library only knows of paragraphs, and would join
/// a heading to the code below it.
fn readable(html: &str) -> String {
    const BLOCKS: [&str; 14] = [
        "h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "tr", "li", "div", "table", "pre",
        "section",
    ];
    let mut separated = String::with_capacity(html.len());
    for (place, piece) in html.split("</").enumerate() {
        let name = piece
            .split('>')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        let ends_block = place > 0 && BLOCKS.contains(&name.as_str());
        separated.push_str(if ends_block {
            "<br></"
        } else if place > 0 {
            "</"
        } else {
            ""
        });
        separated.push_str(piece);
    }
    html_to_text(&separated)
}

/// The HTML part; the library would make one up from plain text.
fn html(mail: &Message<'_>) -> String {
    let part = mail.html_bodies().find_map(|part| match &part.body {
        PartType::Html(html) => Some(html.to_string()),
        _ => None,
    });
    part.unwrap_or_default()
}

fn contacts(address: Option<&Address<'_>>) -> Vec<Contact> {
    let each = address.into_iter().flat_map(Address::iter);
    each.map(|contact| Contact {
        name: contact.name().unwrap_or_default().to_owned(),
        address: contact.address().unwrap_or_default().to_owned(),
    })
    .collect()
}

/// Files within the text and files beside it.
fn files(mail: &Message<'_>) -> (Vec<Attachment>, Vec<Attachment>) {
    let parts = mail
        .attachments
        .iter()
        .filter_map(|id| Some((*id, mail.part(*id)?)));
    let files = parts.map(|(id, part)| {
        let kind = part.content_type().map(|kind| match kind.subtype() {
            Some(subtype) => format!("{}/{subtype}", kind.ctype()),
            None => kind.ctype().to_owned(),
        });
        Attachment {
            part_id: id.to_string(),
            file_name: part.attachment_name().unwrap_or_default().to_owned(),
            content_type: kind.unwrap_or_else(|| "application/octet-stream".to_owned()),
            content_id: part.content_id().unwrap_or_default().to_owned(),
            size: part.contents().len(),
        }
    });
    files.partition(|file| !file.content_id.is_empty())
}
