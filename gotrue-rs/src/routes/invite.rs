//! `POST /invite`: an admin opens an account for somebody else. Mirrors upstream's `invite.go`.

use actix_web::http::{Method, StatusCode};
use actix_web::{HttpResponse, web};
use platform::pg::Tx;

use super::admin::new_account;
use crate::accounts::change::record;
use crate::accounts::{metadata, validate};
use crate::audit::{Action, Entry};
use crate::call::Call;
use crate::caller::Admin;
use crate::db;
use crate::db::users::User;
use crate::error::{EMAIL_EXISTS, Error, ErrorCode};
use crate::json::{self, Document};
use crate::mail;
use crate::state::State;

json::body! {
    struct InviteBody as "InviteParams" {
        email: String,
        data: Option<Document>,
    }
}

/// Mounts the route.
pub(crate) fn configure(cfg: &mut web::ServiceConfig) {
    super::resource(cfg, &["/invite"], || {
        vec![(Method::POST, web::post().to(invite_user))]
    });
}

/// For admins.
async fn invite_user(state: web::Data<State>, call: Call) -> Result<HttpResponse, Error> {
    let admin = Admin::authenticate(&state, &call).await?;
    let body: InviteBody = call.json()?;
    let email = validate::email(&body.email)?;
    metadata::check_new(body.data.as_ref())?;
    let aud = call.audience(&state.config, Some(admin.claims()));
    let mut client = state.client().await?;
    let existing = db::users::by_email(&client, &email, &aud)
        .await
        .map_err(|error| Error::internal("Database error finding user").with_source(error))?;
    if existing.as_ref().is_some_and(User::is_confirmed) {
        return Err(Error::unprocessable(ErrorCode::EmailExists, EMAIL_EXISTS));
    }
    // Unlike for accounts that exist, the mail is sent inside the transaction: a trigger of the
    // project may refuse the new row, and then nobody must have been invited.
    let tx = client.begin();
    let invitation = Invitation {
        state: &state,
        call: &call,
        admin: &admin,
    };
    let invited = match existing {
        Some(user) => invitation.send(&tx, user).await,
        None => invitation.open(&tx, &email, &aud, body.data).await,
    };
    match invited {
        Ok(user) => {
            tx.commit().await?;
            Ok(json::respond(StatusCode::OK, &user))
        }
        Err(error) => {
            tx.rollback().await?;
            Err(error)
        }
    }
}

struct Invitation<'a> {
    state: &'a State,
    call: &'a Call,
    admin: &'a Admin,
}

impl Invitation<'_> {
    async fn open(
        &self,
        tx: &Tx<'_>,
        email: &str,
        aud: &str,
        data: Option<Document>,
    ) -> Result<User, Error> {
        let user = new_account::create(self.state, tx, email, aud, data).await?;
        self.send(tx, user).await
    }

    async fn send(&self, tx: &Tx<'_>, mut user: User) -> Result<User, Error> {
        let entry = Entry::new(&self.admin.actor(), Action::UserInvited)
            .trait_("user_id", user.id.to_string())
            .trait_("user_email", user.email.as_str());
        record(self.state, tx, &entry).await?;
        let issued = mail::send_invite(self.state, self.call, &user).await?;
        issued
            .store(tx, &user)
            .await
            .map_err(|error| Error::internal("Error inviting user").with_source(error))?;
        issued.apply(&mut user);
        Ok(user)
    }
}
