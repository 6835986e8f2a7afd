//! The routing table: which service a path belongs to and what it asks of the caller. Rows and
//! their order follow the compose stack's gateway (`docker/volumes/api/envoy/lds.template.yaml`).

/// Who answers a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Service {
    Auth,
    Rest,
    Graphql,
    Storage,
    RealtimeApi,
    RealtimeSocket,
    Functions,
    /// The prompt API, its health and documentation.
    Prompts,
    /// Figures for whoever operates this installation; no page may read them.
    Metrics,
    /// The web app.
    Web,
}

/// What a path asks of the caller in the self-hosted dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Nothing, and credentials are not touched either.
    Open,
    /// Nothing, but credentials are translated.
    Translated,
    /// A known key.
    Key,
    /// A key of `service_role`.
    ServiceRole,
    /// Nobody may come in from outside.
    Denied,
}

/// One decision of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Route {
    pub(super) service: Service,
    pub(super) access: Access,
    /// The part of the path the service does not see.
    pub(super) prefix: &'static str,
    /// The path to serve instead, where it differs from the one asked for.
    pub(super) rewrite: Option<&'static str>,
}

/// How a row compares paths.
#[derive(Clone, Copy)]
enum Match {
    /// The path itself or anything below it.
    Under(&'static str),
    Exactly(&'static str),
}

const TABLE: &[(Match, Service, Access)] = &[
    (Match::Under("/auth/v1/verify"), Service::Auth, Access::Open),
    (
        Match::Under("/auth/v1/callback"),
        Service::Auth,
        Access::Open,
    ),
    (
        Match::Under("/auth/v1/authorize"),
        Service::Auth,
        Access::Open,
    ),
    (
        Match::Under("/auth/v1/.well-known/jwks.json"),
        Service::Auth,
        Access::Open,
    ),
    (
        Match::Under("/auth/v1/sso/saml/acs"),
        Service::Auth,
        Access::Open,
    ),
    (
        Match::Under("/auth/v1/sso/saml/metadata"),
        Service::Auth,
        Access::Open,
    ),
    (
        Match::Under("/functions/v1"),
        Service::Functions,
        Access::Translated,
    ),
    (
        Match::Under("/storage/v1/s3"),
        Service::Storage,
        Access::Open,
    ),
    (
        Match::Under("/storage/v1"),
        Service::Storage,
        Access::Translated,
    ),
    (Match::Under("/auth/v1"), Service::Auth, Access::Key),
    (
        Match::Exactly("/rest/v1/"),
        Service::Rest,
        Access::ServiceRole,
    ),
    (Match::Under("/rest/v1"), Service::Rest, Access::Key),
    (Match::Under("/graphql/v1"), Service::Graphql, Access::Key),
    (
        Match::Under("/realtime/v1/api/openapi"),
        Service::RealtimeApi,
        Access::Denied,
    ),
    (
        Match::Under("/realtime/v1/api/tenants"),
        Service::RealtimeApi,
        Access::Denied,
    ),
    (
        Match::Under("/realtime/v1/api"),
        Service::RealtimeApi,
        Access::Key,
    ),
    (
        Match::Under("/realtime/v1"),
        Service::RealtimeSocket,
        Access::Key,
    ),
    (Match::Under("/api"), Service::Prompts, Access::Open),
    (Match::Under("/health"), Service::Prompts, Access::Open),
    (
        Match::Under("/metrics"),
        Service::Metrics,
        Access::Translated,
    ),
    (Match::Under("/docs"), Service::Prompts, Access::Open),
    (Match::Under("/debug"), Service::Prompts, Access::Open),
];

/// Paths outside `/auth/v1` that the auth service answers: discovery stands at the origin
/// (RFC 8414), and older installations registered SAML there.
const ALIASES: &[(&str, &str)] = &[
    (
        "/.well-known/oauth-authorization-server",
        "/auth/v1/.well-known/oauth-authorization-server",
    ),
    (
        "/.well-known/oauth-authorization-server/auth/v1",
        "/auth/v1/.well-known/oauth-authorization-server",
    ),
    ("/sso/saml/acs", "/auth/v1/sso/saml/acs"),
    ("/sso/saml/metadata", "/auth/v1/sso/saml/metadata"),
];

/// Looks a decoded path up.
pub(super) fn find(path: &str) -> Route {
    if let Some((_, target)) = ALIASES.iter().find(|(alias, _)| *alias == path) {
        return Route {
            service: Service::Auth,
            access: Access::Open,
            prefix: "/auth/v1",
            rewrite: Some(target),
        };
    }
    let row = TABLE.iter().find(|(pattern, _, _)| match pattern {
        Match::Under(prefix) => path
            .strip_prefix(prefix)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
        Match::Exactly(whole) => path == *whole,
    });
    let (service, access) = row.map_or((Service::Web, Access::Open), |(_, service, access)| {
        (*service, *access)
    });
    Route {
        service,
        access,
        prefix: service.prefix(),
        rewrite: None,
    }
}

impl Service {
    fn prefix(self) -> &'static str {
        match self {
            Self::Auth => "/auth/v1",
            Self::Rest => "/rest/v1",
            Self::Graphql => "/graphql/v1",
            Self::Storage => "/storage/v1",
            Self::RealtimeApi | Self::RealtimeSocket => "/realtime/v1",
            Self::Functions => "/functions/v1",
            Self::Prompts | Self::Metrics | Self::Web => "",
        }
    }

    /// Whether pages of any origin may call it.
    pub(super) fn is_open_to_pages(self) -> bool {
        !matches!(self, Self::Metrics | Self::Web)
    }
}
