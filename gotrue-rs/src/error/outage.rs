//! What is away for one request is away for all of them: which lines say so.

use std::error::Error as StdError;

use actix_web::http::StatusCode;
use platform::pg::DbError;
use platform::telemetry::seldom::{self, Seldom};

use super::Error;
use crate::mail::PostError;

impl Error {
    /// Whether a line about this may be written now, and how many were left out before it.
    pub(crate) fn admit_line(&self) -> Option<u64> {
        self.outage().map_or(Some(0), Seldom::admit)
    }

    fn outage(&self) -> Option<&'static Seldom> {
        let causes = std::iter::successors(self.source(), |cause| (*cause).source());
        let away = causes.filter_map(|cause| {
            let database = cause.downcast_ref::<DbError>();
            let mail = cause.downcast_ref::<PostError>();
            let refused = mail.filter(|error| error.is_passing());
            let lines = refused.map(|_| &seldom::MAIL_SERVER);
            database.and_then(DbError::outage).or(lines)
        });
        let is_put_off = self.http_status() == StatusCode::SERVICE_UNAVAILABLE;
        away.chain(is_put_off.then_some(&seldom::OVERLOAD)).next()
    }
}
