//! `GET` and `POST /verify`: redeeming a link or a code. Mirrors upstream's `verify.go`.
//!
//! A link carries a token's hash and answers with a redirect; a code is typed in and answers
//! with JSON. Both go through [`redeem`].

mod effects;
mod email_change;
mod lookup;
mod redirect;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use platform::http::mount::{Mount, get, post};
use platform::pg::Tx;
use serde::{Deserialize, Serialize};

use crate::accounts::validate;
use crate::call::Call;
use crate::db;
use crate::db::code_tries::{self, Target};
use crate::db::one_time_tokens;
use crate::db::users::User;
use crate::error::{Error, ErrorCode};
use crate::extract::{Anybody, Serving};
use crate::json;
use crate::limits::Bucket;
use crate::mail::{self, Notice};
use crate::otp::{CodeKey, Flow, PKCE_PREFIX};
use crate::routes::resource;
use crate::sessions::{self, AuthMethod, Grant, SessionTokens};
use crate::state::State;
use lookup::Purpose;

/// What is said when one of the two addresses has confirmed a change.
const HALF_WAY: &str =
    "Confirmation link accepted. Please proceed to confirm link sent to the other email";

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct VerifyBody {
    #[serde(rename = "type")]
    kind: String,
    token: String,
    token_hash: String,
    email: String,
    phone: String,
    redirect_to: String,
}

/// A token and what it is said to be for.
#[derive(Debug)]
struct Redemption {
    /// The `type` as sent; it may resolve to another purpose.
    kind: String,
    /// The code, or in a link the hash.
    token: String,
    token_hash: String,
    email: String,
    phone: String,
    by_hash: bool,
    /// The stored codes that were counted and have not been guessed at too often.
    open: Vec<Target>,
}

/// What became of it.
enum Redeemed {
    /// The other address must confirm, too.
    HalfWay,
    Verified {
        user: Box<User>,
        purpose: Purpose,
        notices: Vec<OwnedNotice>,
    },
}

/// A notice to send once the change is committed.
enum OwnedNotice {
    EmailChanged { old: String },
    PhoneChanged { old: String },
    PhoneLinked,
}

#[derive(Serialize)]
struct HalfWayBody {
    code: &'static str,
    msg: &'static str,
}

/// Mounts the routes.
pub(crate) fn configure(cfg: &mut Mount<'_>) {
    resource::<Anybody, _>(cfg, &["/verify", "/verify/"], || {
        [get(verify_link), post(verify_code)]
    });
}

/// Public: the token is the proof.
async fn verify_code(state: Serving, call: Call) -> Result<HttpResponse, Error> {
    state.limits.check(Bucket::Verify, &call)?;
    let mut redemption = Redemption::of_body(&state.codes, call.json()?)?;
    lookup::count_try(&state, &mut redemption).await?;
    let aud = call.audience(&state.config, None);
    let outcome = state
        .db
        .transaction("verify", async |tx| {
            match redeem(&state, tx, &redemption, &aud).await? {
                Redeemed::HalfWay => Ok(None),
                Redeemed::Verified {
                    mut user, notices, ..
                } => {
                    let issued = sign_in(&state, tx, &call, &mut user).await?;
                    Ok::<_, Error>(Some((user, issued, notices)))
                }
            }
        })
        .await?;
    let Some((user, issued, notices)) = outcome else {
        return Ok(json::respond(
            StatusCode::OK,
            &HalfWayBody {
                code: "200",
                msg: HALF_WAY,
            },
        ));
    };
    notify(&state, &user, &notices).await;
    Ok(issued.respond(&user))
}

/// Public: the token is the proof. Whatever goes wrong behind the first checks is told to the
/// page the link leads to.
async fn verify_link(state: Serving, call: Call) -> Result<HttpResponse, Error> {
    state.limits.check(Bucket::Verify, &call)?;
    let redemption = Redemption::of_link(&call)?;
    let target = state
        .config
        .redirects
        .resolve(call.redirect_to(), call.referer());
    let flow = Flow::of_token(&redemption.token);
    let method = link_method(&redemption, flow)?;
    let outcome = state
        .db
        .transaction("verify", async |tx| {
            match redeem(&state, tx, &redemption, "").await? {
                Redeemed::HalfWay => Ok(None),
                Redeemed::Verified {
                    mut user,
                    purpose,
                    notices,
                } => {
                    let proof = match method {
                        None => redirect::Proof::Session(
                            Box::new(sign_in(&state, tx, &call, &mut user).await?),
                            purpose,
                        ),
                        Some(method) => redirect::Proof::Code(
                            redirect::issue_code(&state, tx, &user, method).await?,
                        ),
                    };
                    Ok::<_, Error>(Some((user, proof, notices)))
                }
            }
        })
        .await;
    match outcome {
        Ok(Some((user, proof, notices))) => {
            notify(&state, &user, &notices).await;
            redirect::to_success(&target, &proof)
        }
        Ok(None) => redirect::to_message(&target, HALF_WAY, flow),
        Err(error) => redirect::to_failure(&target, error, flow),
    }
}

/// With PKCE the link's purpose names the flow; one that names none is nobody's prepared error.
fn link_method(redemption: &Redemption, flow: Flow) -> Result<Option<AuthMethod>, Error> {
    if flow == Flow::Implicit {
        return Ok(None);
    }
    match AuthMethod::parse(&redemption.kind) {
        Some(method) => Ok(Some(method)),
        None => Err(Error::Unexpected(
            format!("unsupported authentication method {:?}", redemption.kind).into(),
        )),
    }
}

impl Redemption {
    /// Whether this stored code was counted and has not been guessed at too often.
    ///
    /// Upstream: a code outlives its link, which any confirmation removes; guesses at it would
    /// then be counted nowhere.
    fn is_open(&self, stored: &str) -> bool {
        self.open.contains(&code_tries::of_token(stored))
    }

    fn of_link(call: &Call) -> Result<Self, Error> {
        let (kind, token) = (call.form_value("type"), call.form_value("token"));
        require_kind(kind)?;
        if token.is_empty() {
            return Err(refuse("Verify requires a token or a token hash"));
        }
        Ok(Self {
            kind: kind.to_owned(),
            token: token.to_owned(),
            token_hash: token.to_owned(),
            email: String::new(),
            phone: String::new(),
            by_hash: true,
            open: Vec::new(),
        })
    }

    fn of_body(codes: &CodeKey, body: VerifyBody) -> Result<Self, Error> {
        require_kind(&body.kind)?;
        if body.token.is_empty() == body.token_hash.is_empty() {
            return Err(refuse("Verify requires either a token or a token hash"));
        }
        let VerifyBody {
            kind,
            token,
            token_hash: hash,
            mut email,
            mut phone,
            redirect_to,
        } = body;
        if token.is_empty() {
            if !email.is_empty() || !phone.is_empty() || !redirect_to.is_empty() {
                return Err(refuse("Only the token_hash and type should be provided"));
            }
            return Ok(Self {
                kind,
                token,
                token_hash: hash,
                email,
                phone,
                by_hash: true,
                open: Vec::new(),
            });
        }
        let token_hash = match (email.is_empty(), phone.is_empty()) {
            (true, false) => {
                phone = validate::phone(&phone)?;
                codes.hash(&phone, &token)
            }
            (false, true) => {
                email = validate::email(&email).map_err(|error| {
                    Error::unprocessable(ErrorCode::ValidationFailed, "Invalid email format")
                        .with_source(error)
                })?;
                codes.hash(&email, &token)
            }
            _ => {
                return Err(refuse(
                    "Only an email address or phone number should be provided on verify",
                ));
            }
        };
        Ok(Self {
            kind,
            token,
            token_hash,
            email,
            phone,
            by_hash: false,
            open: Vec::new(),
        })
    }
}

fn refuse(text: &'static str) -> Error {
    Error::invalid(text)
}

fn require_kind(kind: &str) -> Result<(), Error> {
    if kind.is_empty() {
        Err(refuse("Verify requires a verification type"))
    } else {
        Ok(())
    }
}

/// Finds whose token it is and does what it was given out for.
async fn redeem(
    state: &State,
    tx: &Tx<'_>,
    redemption: &Redemption,
    aud: &str,
) -> Result<Redeemed, Error> {
    // A link and a code of one PKCE mail differ in the prefix only.
    let hash = redemption.token_hash.as_str();
    let hash = hash.strip_prefix(PKCE_PREFIX).unwrap_or(hash);
    one_time_tokens::take_turns(tx, hash).await?;
    let (found, _) = lookup::holder(state, tx, redemption, aud).await?;
    // What was found may have changed until the lock was there, so it is looked for again.
    db::users::lock(tx, found.id).await?;
    let (mut user, purpose) = lookup::holder(state, tx, redemption, aud).await?;
    let mut notices = Vec::new();
    match purpose {
        Purpose::Signup | Purpose::Invite => effects::confirm_signup(state, tx, &mut user).await?,
        Purpose::Recovery | Purpose::MagicLink => effects::recover(state, tx, &mut user).await?,
        Purpose::EmailChange => {
            let old = user.email.clone();
            if !email_change::confirm(state, tx, &mut user, redemption).await? {
                return Ok(Redeemed::HalfWay);
            }
            if !old.is_empty() && !user.email.is_empty() && old != user.email {
                notices.push(OwnedNotice::EmailChanged { old });
            }
        }
        Purpose::Sms => effects::confirm_phone(state, tx, &mut user).await?,
        Purpose::PhoneSignIn => effects::sign_in_by_phone(state, tx, &mut user).await?,
        Purpose::PhoneChange => {
            effects::change_phone(state, tx, &mut user, redemption, &mut notices).await?;
        }
    }
    db::users::refresh_providers(tx, &mut user, state.clock.now()).await?;
    let fresh = db::users::reload(tx, user.id).await?;
    let user = User {
        identities: user.identities,
        factors: user.factors,
        ..fresh
    };
    Ok(Redeemed::Verified {
        user: Box::new(user),
        purpose,
        notices,
    })
}

async fn sign_in(
    state: &State,
    tx: &Tx<'_>,
    call: &Call,
    user: &mut User,
) -> Result<SessionTokens, Error> {
    sessions::issue(state, tx, call, user, AuthMethod::Otp, Grant::default()).await
}

async fn notify(state: &State, user: &User, notices: &[OwnedNotice]) {
    for notice in notices {
        let notice = match notice {
            OwnedNotice::EmailChanged { old } => Notice::EmailChanged { old },
            OwnedNotice::PhoneChanged { old } => Notice::PhoneChanged { old },
            OwnedNotice::PhoneLinked => Notice::IdentityLinked { provider: "phone" },
        };
        mail::notify(state, user, notice).await;
    }
}
