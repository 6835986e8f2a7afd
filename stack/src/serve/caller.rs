//! Who asks for what concerns the whole installation.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::error::InternalError;
use actix_web::web::Data;
use actix_web::{Error, FromRequest, HttpRequest, HttpResponse};
use platform::service::operations::Operations;
use serde_json::json;

/// Who operates the installation: holds the secret key, or the token that opens the metrics.
pub(super) struct Operator;

impl FromRequest for Operator {
    type Error = Error;
    type Future = Ready<Result<Self, Error>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let operations = request.app_data::<Data<Operations>>();
        if operations.is_some_and(|operations| operations.may_see_metrics(request)) {
            return ready(Ok(Self));
        }
        let refused = HttpResponse::Unauthorized().json(json!({
            "code": "unauthorized",
            "message": "The metrics take the secret key or the token of METRICS_TOKEN",
        }));
        ready(Err(InternalError::from_response("", refused).into()))
    }
}
