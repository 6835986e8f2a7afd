//! `GET /admin/users`.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;

use crate::call::Call;
use crate::caller::Admin;
use crate::db::user_list::{self, Cursor, Order, Wanted};
use crate::db::users::User;
use crate::error::Error;
use crate::extract::Serving;
use crate::json;
use crate::routes::admin::paging::{self, Page, Stretch};
use crate::state::State;

#[derive(Serialize)]
struct ListBody<'a> {
    users: &'a [User],
    aud: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pagination: Option<PaginationBody>,
}

#[derive(Serialize)]
struct PaginationBody {
    #[serde(skip_serializing_if = "String::is_empty")]
    next_cursor: String,
    has_more: bool,
}

/// For admins: the users of an audience, by page number or, where that is enabled and no number
/// is given, by cursor.
pub(super) async fn list_users(
    state: Serving,
    admin: Admin,
    call: Call,
) -> Result<HttpResponse, Error> {
    let aud = call.audience(&state.config, Some(admin.claims()));
    let wanted = Wanted {
        aud: &aud,
        filter: call.query("filter").unwrap_or_default(),
        order: order(&call)?,
    };
    let numbered = ["page", "per_page"]
        .iter()
        .any(|name| call.query(name).is_some_and(|value| !value.is_empty()));
    if state.config.cursor_pagination && !numbered {
        return by_cursor(&state, &call, &wanted).await;
    }
    let page = Page::of(&call)?;
    let client = state.client().await?;
    let (users, total) = user_list::page(&client, &wanted, page.limit(), page.offset())
        .await
        .map_err(Error::saying("Database error finding users"))?;
    let body = ListBody {
        users: &users,
        aud: &aud,
        pagination: None,
    };
    let mut response = json::respond(StatusCode::OK, &body);
    page.add_headers(&call, total, &mut response);
    Ok(response)
}

/// `sort=created_at asc`; only the first of several orders has an effect, but all are checked.
fn order(call: &Call) -> Result<Order, Error> {
    let refuse = |reason: String| Error::invalid(format!("Bad Sort Parameters: {reason}"));
    let mut first = None;
    for (_, value) in call.query_pairs().iter().filter(|(name, _)| name == "sort") {
        let (field, direction) = value.split_once(' ').unwrap_or((value, "desc"));
        if field != "created_at" {
            return Err(refuse(format!("bad field for sort '{field}'")));
        }
        let order = match direction.to_uppercase().as_str() {
            "ASC" => Order::Ascending,
            "DESC" => Order::Descending,
            _ => {
                return Err(refuse(format!(
                    "bad direction for sort '{direction}', only 'asc' and 'desc' allowed"
                )));
            }
        };
        first.get_or_insert(order);
    }
    Ok(first.unwrap_or(Order::Descending))
}

async fn by_cursor(state: &State, call: &Call, wanted: &Wanted<'_>) -> Result<HttpResponse, Error> {
    let stretch = Stretch::of(call)?;
    let limit = usize::try_from(stretch.limit).unwrap_or(usize::MAX);
    let client = state.client().await?;
    // One more than asked for tells whether there is a next page.
    let more = i64::try_from(stretch.limit + 1).unwrap_or(i64::MAX);
    let mut users = user_list::after(&client, wanted, stretch.after, more)
        .await
        .map_err(Error::saying("Database error finding users"))?;
    let has_more = users.len() > limit;
    users.truncate(limit);
    let next_cursor = users
        .last()
        .filter(|_| has_more)
        .map(|user| {
            paging::encode(&Cursor {
                created_at: user.created_at,
                id: user.id,
            })
        })
        .unwrap_or_default();
    let body = ListBody {
        users: &users,
        aud: wanted.aud,
        pagination: Some(PaginationBody {
            next_cursor: next_cursor.clone(),
            has_more,
        }),
    };
    let mut response = json::respond(StatusCode::OK, &body);
    if has_more {
        paging::add_next(call, &next_cursor, &mut response);
    }
    Ok(response)
}
