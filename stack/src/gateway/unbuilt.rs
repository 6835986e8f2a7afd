//! Services that upstream has and this build does not: their rows and a plain 501, so that a client is
//! never left to guess from an empty list or a web page. Whoever builds one takes these rows over; it
//! replaces what stands here by having the same mount.

mod socket;

use actix_web::HttpResponse;
use actix_web::dev::ServiceRequest;
use platform::service::{Access, Row};

/// A service that is missing.
pub(super) struct Unbuilt {
    pub(super) name: &'static str,
    pub(super) mount: &'static str,
    pub(super) rows: &'static [Row],
}

/// The rows follow the compose stack's gateway (`docker/volumes/api/envoy/lds.template.yaml`).
pub(super) const UNBUILT: &[Unbuilt] = &[
    Unbuilt {
        name: "The REST data API (/rest/v1)",
        mount: "/rest/v1",
        rows: &[
            Row::under("/rest/v1", Access::Key),
            // The description of the whole database, with and without slash.
            Row::exactly("/rest/v1/", Access::ServiceRole),
            Row::exactly("/rest/v1", Access::ServiceRole),
        ],
    },
    Unbuilt {
        name: "GraphQL (/graphql/v1)",
        mount: "/graphql/v1",
        rows: &[Row::under("/graphql/v1", Access::Key)],
    },
    Unbuilt {
        name: "Storage (/storage/v1)",
        mount: "/storage/v1",
        rows: &[
            Row::under("/storage/v1", Access::Translated),
            Row::under("/storage/v1/s3", Access::Open),
        ],
    },
    Unbuilt {
        name: "Realtime (/realtime/v1)",
        mount: "/realtime/v1",
        rows: &[
            Row::under("/realtime/v1", Access::Socket),
            Row::under("/realtime/v1/api", Access::Key),
            Row::under("/realtime/v1/api/openapi", Access::Denied),
            Row::under("/realtime/v1/api/tenants", Access::Denied),
        ],
    },
    Unbuilt {
        name: "Functions (/functions/v1)",
        mount: "/functions/v1",
        rows: &[Row::under("/functions/v1", Access::Function)],
    },
];

/// The answer for a service that is not built; a WebSocket where its clients come with one.
pub(super) fn answer(name: &str, access: Access, request: &ServiceRequest) -> HttpResponse {
    let message = format!("{name} is not part of this build yet.");
    if access == Access::Socket
        && let Some(accepted) = socket::accept(request.request(), &message)
    {
        return accepted;
    }
    // `message` and `error` are where the clients of these services look for a text.
    HttpResponse::NotImplemented().json(serde_json::json!({
        "code": "not_implemented",
        "error": "not_implemented",
        "message": message,
        "statusCode": "501",
    }))
}
