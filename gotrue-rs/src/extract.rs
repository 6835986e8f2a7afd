//! What handlers are given, and what has to be true before they run.
//!
//! A resource is mounted for somebody: [`Anybody`], a [`Caller`], a [`Named`] one, an [`Admin`].
//! Who asks is found out once, before the body is read and before path and method are looked at;
//! the handler then takes what was found out.

use std::future::{Future, Ready, ready};
use std::ops::Deref;
use std::pin::Pin;

use actix_web::body::MessageBody;
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;
use actix_web::{FromRequest, HttpMessage as _, HttpRequest, web};
use platform::http::bearer;

use crate::call::Call;
use crate::caller::{Admin, Caller, Named, is_stranger};
use crate::error::Error;
use crate::state::State;

/// Larger bodies are refused.
const LARGEST_BODY: usize = 1 << 20;

/// The same of who has not shown a token: four times what the largest sign-up needs.
// Upstream: as large as everybody's.
const LARGEST_BODY_OF_STRANGERS: usize = 64 << 10;

/// Who a resource is for.
pub(crate) trait Gate: Sized + 'static {
    /// The size of body that is read of them.
    const LARGEST_BODY: usize = LARGEST_BODY;

    /// Whether the holder of this token is let in.
    async fn admit(state: &State, token: Option<&str>) -> Result<Self, Error>;
}

/// Whoever asks.
pub(crate) struct Anybody;

impl Gate for Anybody {
    const LARGEST_BODY: usize = LARGEST_BODY_OF_STRANGERS;

    async fn admit(_: &State, _: Option<&str>) -> Result<Self, Error> {
        Ok(Self)
    }
}

/// How large the body of a request may be.
#[derive(Clone, Copy)]
struct Room(usize);

/// Lets a request pass that the gate admits, and nothing of any other be read.
pub(crate) async fn gate<G: Gate, B: MessageBody + 'static>(
    state: web::Data<State>,
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, actix_web::Error> {
    let admitted = G::admit(&state, bearer::token(request.headers())).await?;
    request.extensions_mut().insert(admitted);
    request.extensions_mut().insert(Room(G::LARGEST_BODY));
    next.call(request).await
}

/// Whom the gate of the route let in.
fn admitted<G: Gate>(request: &HttpRequest) -> Ready<Result<G, Error>> {
    let admitted = request.extensions_mut().remove();
    ready(admitted.ok_or_else(|| Error::Unexpected("the route is mounted for others".into())))
}

macro_rules! gates {
    ($($who:ident),+) => {$(
        impl Gate for $who {
            async fn admit(state: &State, token: Option<&str>) -> Result<Self, Error> {
                Self::authenticate(state, token).await
            }
        }

        impl FromRequest for $who {
            type Error = Error;
            type Future = Ready<Result<Self, Error>>;

            fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
                admitted(request)
            }
        }
    )+};
}

gates!(Caller, Named, Admin);

/// The state as whoever is asking may use it: all strangers together get a part of the database's
/// connections, so that they leave some to those who signed in and to the project's own backend.
pub(crate) struct Serving(State);

impl Deref for Serving {
    type Target = State;

    fn deref(&self) -> &State {
        &self.0
    }
}

fn state(request: &HttpRequest) -> Result<&State, Error> {
    let state = request.app_data::<web::Data<State>>();
    let state = state.ok_or_else(|| Error::Unexpected("the service has no state".into()))?;
    Ok(state)
}

impl FromRequest for Serving {
    type Error = Error;
    type Future = Ready<Result<Self, Error>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(state(request).map(|state| {
            let is_stranger = is_stranger(state, bearer::token(request.headers()));
            Self(if is_stranger {
                state.for_anybody()
            } else {
                state.clone()
            })
        }))
    }
}

impl FromRequest for Call {
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Error>>>>;

    /// What is wrong with a body is said by the handler that wants it.
    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let state = state(&request)?;
            let trusted = state.config.security.sb_forwarded_for;
            let room = request.extensions().get().map_or(0, |Room(bytes)| *bytes);
            Ok(Self::read(&request, payload, room, &state.clock, trusted).await)
        })
    }
}
