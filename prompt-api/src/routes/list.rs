//! Lists: a bare array of what one answer has room for, and where the rest is.

use actix_web::http::header::{ContentType, HeaderName, LINK};
use actix_web::{HttpRequest, HttpResponse};
use platform::pg::DbError;
use serde::Serialize;

use crate::error::Error;
use crate::query::Query;

/// Most bytes of JSON in one answer.
pub(super) const ANSWER_BYTES: usize = 2 * 1024 * 1024;

/// How much is written at a time on a thread that others' requests wait for.
const TURN_BYTES: usize = 64 * 1024;

/// How many items a list has in all.
const TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");

/// Items from `skip` on, as many as fit; `Link` names the address of the ones behind them.
pub(super) async fn listed<T: Serialize>(
    request: &HttpRequest,
    query: &Query,
    total: i64,
    items: impl Iterator<Item = Result<T, DbError>>,
) -> Result<HttpResponse, Error> {
    let (text, count) = array(items).await?;
    let mut response = HttpResponse::Ok();
    response
        .insert_header(ContentType::json())
        .insert_header((TOTAL_COUNT, total));
    let next = query.skip()?.saturating_add(count);
    if count > 0 && next < total {
        let query = query.with("skip", &next.to_string());
        let address = format!("<{}?{query}>; rel=\"next\"", request.path());
        response.insert_header((LINK, address));
    }
    Ok(response.body(text))
}

/// A JSON array and how many items it has. The limits of single fields keep every item small
/// enough to be the only one. Others have their turn between two long items.
async fn array<T: Serialize>(
    items: impl Iterator<Item = Result<T, DbError>>,
) -> Result<(Vec<u8>, i64), Error> {
    let mut text = vec![b'['];
    let mut count = 0;
    let mut turn_began = 0;
    for item in items {
        let end = text.len();
        if count > 0 {
            text.push(b',');
        }
        serde_json::to_writer(&mut text, &item?).map_err(Error::Unwritable)?;
        if count > 0 && text.len() >= ANSWER_BYTES {
            text.truncate(end);
            break;
        }
        count += 1;
        if text.len() > turn_began + TURN_BYTES {
            turn_began = text.len();
            tokio::task::yield_now().await;
        }
    }
    text.push(b']');
    Ok((text, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_answer_ends_before_the_item_that_does_not_fit() {
        // Each of these characters takes six bytes.
        let item = "\u{1}".repeat(ANSWER_BYTES / 24);
        let (text, count) = array((0..9).map(|_| Ok(item.as_str()))).await.unwrap();
        assert_eq!(count, 3);
        assert!(text.len() <= ANSWER_BYTES, "{}", text.len());
        let read: Vec<String> = serde_json::from_slice(&text).unwrap();
        assert_eq!(read, [item.as_str(); 3]);
        assert_eq!(
            array::<()>(std::iter::empty()).await.unwrap(),
            (b"[]".to_vec(), 0)
        );
    }
}
