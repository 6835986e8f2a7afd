//! `POST /invite`: an admin opens an account for somebody else. Mirrors upstream's `invite.go`.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::middleware::from_fn;
use platform::http::mount::{Mount, post};
use platform::pg::Tx;
use serde::Deserialize;

use super::admin::new_account::{self, check_unconfirmed};
use crate::accounts::{metadata, validate};
use crate::audit::{Action, Entry};
use crate::call::Call;
use crate::caller::Admin;
use crate::db;
use crate::db::users::User;
use crate::error::Error;
use crate::extract::{Anybody, Serving, gate};
use crate::json::{self, Document};
use crate::mail::{self, Asker, Letter, Purpose};
use crate::otp::Flow;
use crate::routes::resource;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct InviteBody {
    email: String,
    data: Option<Document>,
}

/// Mounts the route.
pub(crate) fn configure(cfg: &mut Mount<'_>) {
    resource::<Anybody, _>(cfg, &["/invite"], || {
        [post(invite_user).around(|route| route.wrap(from_fn(gate::<Admin, _>)))]
    });
}

/// For admins.
async fn invite_user(state: Serving, admin: Admin, call: Call) -> Result<HttpResponse, Error> {
    let body: InviteBody = call.json()?;
    let email = validate::email(&body.email)?;
    metadata::check_new(body.data.as_ref())?;
    let aud = call.audience(&state.config, Some(admin.claims()));
    let client = state.client().await?;
    let existing = db::users::by_email(&client, &email, &aud)
        .await
        .map_err(Error::saying("Database error finding user"))?;
    drop(client);
    existing.as_ref().map_or(Ok(()), check_unconfirmed)?;
    mail::admit(&state, &call, Asker::User, &[&email])?;
    let letter = Letter::begin(&state, &call, Purpose::Invite, Flow::Implicit).await?;
    let invite = async |tx: &Tx<'_>| {
        // The earlier read may be out of date by now.
        let held = match &existing {
            Some(known) => db::users::hold(tx, known.id).await?,
            None => None,
        };
        if let Some(mut user) = held {
            check_unconfirmed(&user)?;
            let now = state.clock.now();
            new_account::hand_over(tx, &mut user, body.data.as_ref(), "", now).await?;
            db::admin_accounts::insert(tx, user.id).await?;
            let event = invited(&admin, &user);
            let posted = letter.write(tx, &mut user, Some(&event)).await?;
            return Ok((user, posted));
        }
        let data = body.data.clone();
        let mut user = new_account::create(&state, tx, &email, &aud, data).await?;
        db::admin_accounts::insert(tx, user.id).await?;
        let event = invited(&admin, &user);
        let posted = letter.write_to_new(tx, &mut user, Some(&event)).await?;
        Ok::<_, Error>((user, posted))
    };
    let (user, posted) = state
        .db
        .transaction("invite", invite)
        .await
        .map_err(Error::or_taken)?;
    letter.send(posted).await?;
    Ok(json::respond(StatusCode::OK, &user))
}

fn invited(admin: &Admin, user: &User) -> Entry {
    Entry::new(&admin.actor(), Action::UserInvited)
        .trait_("user_id", user.id.to_string())
        .trait_("user_email", user.email.as_str())
}
