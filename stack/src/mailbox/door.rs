//! Who may read mail. In development everybody on this machine; elsewhere whoever holds the secret
//! key, which a browser asks for like any password (HTTP Basic, any user name).

use actix_web::HttpResponse;
use actix_web::dev::ServiceRequest;
use actix_web::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use actix_web::web::Data;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::gateway::GatewayKeys;

/// Who may come in.
#[derive(Clone, Debug)]
pub enum Door {
    /// Whoever reaches the port.
    Open,
    /// Whoever sends the secret key of these as a password.
    Locked(GatewayKeys),
}

/// The answer to a request that may not come in. An application without a door lets nobody in.
pub(super) fn refusal(request: &ServiceRequest) -> Option<HttpResponse> {
    let admitted = match request.app_data::<Data<Door>>().map(Data::get_ref) {
        Some(Door::Open) => true,
        Some(Door::Locked(keys)) => password(request).is_some_and(|key| keys.is_secret(&key)),
        None => false,
    };
    (!admitted).then(|| {
        HttpResponse::Unauthorized()
            .insert_header((
                WWW_AUTHENTICATE,
                r#"Basic realm="mailbox", charset="UTF-8""#,
            ))
            .content_type("text/plain; charset=utf-8")
            .body("The mailbox asks for the secret key as the password; any user name will do.\n")
    })
}

/// The password of HTTP Basic.
fn password(request: &ServiceRequest) -> Option<String> {
    let value = request.headers().get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, encoded) = value.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let pair = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (_, password) = pair.split_once(':')?;
    Some(password.to_owned())
}
