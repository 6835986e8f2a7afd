//! Answers for services that upstream has and this build does not: a plain 501, so that a client
//! is never left to guess from an empty list or a web page.

use actix_web::HttpResponse;

use super::route::Service;

/// The answer for a service that is not built; `None` for one that is.
pub(super) fn answer(service: Service) -> Option<HttpResponse> {
    let name = match service {
        Service::Rest => "The REST data API (/rest/v1)",
        Service::Graphql => "GraphQL (/graphql/v1)",
        Service::Storage => "Storage (/storage/v1)",
        Service::RealtimeApi | Service::RealtimeSocket => "Realtime (/realtime/v1)",
        Service::Functions => "Functions (/functions/v1)",
        Service::Auth | Service::Prompts | Service::Metrics | Service::Web => return None,
    };
    let message = format!("{name} is not part of this build yet.");
    // `message` and `error` are where the clients of these services look for a text.
    Some(HttpResponse::NotImplemented().json(serde_json::json!({
        "code": "not_implemented",
        "error": "not_implemented",
        "message": message,
        "statusCode": "501",
    })))
}
