//! What a request may use of what all requests share.

use std::future::{Ready, ready};
use std::ops::Deref;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest, web};
use platform::http::bearer;

use crate::caller::is_stranger;
use crate::error::Error;
use crate::state::State;

/// The state as whoever is asking may use it: all strangers together get a part of the database's
/// connections, so that they leave some to those who signed in and to the project's own backend.
pub(crate) struct Serving(State);

impl Deref for Serving {
    type Target = State;

    fn deref(&self) -> &State {
        &self.0
    }
}

impl FromRequest for Serving {
    type Error = Error;
    type Future = Ready<Result<Self, Error>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let Some(state) = request.app_data::<web::Data<State>>() else {
            return ready(Err(Error::Unexpected("the service has no state".into())));
        };
        let is_stranger = is_stranger(state, bearer::token(request.headers()));
        ready(Ok(Self(if is_stranger {
            state.for_anybody()
        } else {
            State::clone(state)
        })))
    }
}
