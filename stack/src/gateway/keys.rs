//! API keys at the gateway: which are accepted, and which internal JWT an opaque `sb_` key stands
//! for. Two dialects: `local` as the Supabase CLI's gateway (`internal/start/start.go`, the
//! `BearerToken` expression: nothing is refused), `self-hosted` as the compose stack's Envoy
//! (`docker/volumes/api/envoy`: protected routes need a known key).

use actix_web::http::StatusCode;
use platform::api_keys::matches as same;
use platform::service::Access;

/// Prefix of every opaque key.
const OPAQUE: &str = "sb_";

/// The keys of this installation.
#[derive(Clone)]
pub struct GatewayKeys {
    /// The legacy anon key, a JWT.
    pub anon: String,
    /// The legacy `service_role` key, a JWT.
    pub service_role: String,
    /// The opaque keys, when there are any.
    pub opaque: Option<OpaqueKeys>,
}

/// Opaque keys and the JWTs that replace them on the way in.
#[derive(Clone)]
pub struct OpaqueKeys {
    /// `sb_publishable_…`.
    pub publishable: String,
    /// `sb_secret_…`.
    pub secret: String,
    /// What `publishable` becomes.
    pub anon_jwt: String,
    /// What `secret` becomes.
    pub service_role_jwt: String,
}

impl std::fmt::Debug for GatewayKeys {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("GatewayKeys")
            .field("opaque", &self.opaque.is_some())
            .finish_non_exhaustive()
    }
}

/// How keys are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Any request passes; opaque keys become JWTs.
    Local,
    /// Protected routes need a known key.
    SelfHosted,
}

/// The credentials a request carries.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Presented<'a> {
    pub(super) authorization: Option<&'a str>,
    pub(super) apikey_header: Option<&'a str>,
    pub(super) apikey_query: Option<&'a str>,
}

/// What to do to a header or parameter before the request goes on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Change {
    #[default]
    Keep,
    Set(String),
    Remove,
}

/// The changes to make to a request that may pass.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Rewrite {
    pub(super) authorization: Change,
    pub(super) apikey_header: Change,
    pub(super) apikey_query: Change,
    /// `sb-api-key`, which only the gateway may set and only functions read.
    pub(super) sb_api_key: Change,
}

/// A request that goes no further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) message: &'static str,
}

const UNAUTHORIZED: Refusal = Refusal {
    status: StatusCode::UNAUTHORIZED,
    message: "Unauthorized",
};
/// The answer of a process that was put together wrongly: nobody could say who may pass.
pub(super) const NOT_CONFIGURED: Refusal = Refusal {
    status: StatusCode::SERVICE_UNAVAILABLE,
    message: "The gateway has no keys to check",
};
const FORBIDDEN: Refusal = Refusal {
    status: StatusCode::FORBIDDEN,
    message: "RBAC: access denied",
};

/// Decides about one request.
pub(super) fn check(
    dialect: Dialect,
    keys: &GatewayKeys,
    access: Access,
    presented: &Presented<'_>,
) -> Result<Rewrite, Refusal> {
    match (dialect, access) {
        (Dialect::Local, _) => Ok(local(keys, access, presented)),
        (Dialect::SelfHosted, Access::Function) => functions(keys, presented),
        (Dialect::SelfHosted, _) => self_hosted(keys, access, presented),
    }
}

/// The CLI's expression: a token of the caller's own stays; `Bearer sb_…`, which older clients
/// send, and an absent one are replaced by what the `apikey` header stands for. A legacy key is
/// copied as it is, without `Bearer `, which the auth service does not take for a token: routes
/// that need a signed-in user keep refusing a bare key.
fn local(keys: &GatewayKeys, access: Access, presented: &Presented<'_>) -> Rewrite {
    let mut rewrite = Rewrite::default();
    if access == Access::Open {
        return rewrite;
    }
    let own = presented
        .authorization
        .is_some_and(|value| !value.starts_with("Bearer sb_"));
    if !own {
        rewrite.authorization = match presented.apikey_header {
            Some(key) => Change::Set(
                keys.internal_jwt(key)
                    .map_or_else(|| key.to_owned(), |jwt| format!("Bearer {jwt}")),
            ),
            None => Change::Remove,
        };
    }
    if let Some(jwt) = presented
        .apikey_query
        .and_then(|key| keys.internal_jwt(key))
    {
        rewrite.apikey_query = Change::Set(jwt.to_owned());
    }
    rewrite
}

fn self_hosted(
    keys: &GatewayKeys,
    access: Access,
    presented: &Presented<'_>,
) -> Result<Rewrite, Refusal> {
    if access == Access::Open {
        return Ok(Rewrite::default());
    }
    let presented_key = presented.apikey_header.or(presented.apikey_query);
    let role = presented_key.and_then(|key| keys.role(key));
    match (access, role) {
        (Access::Denied, _) | (Access::ServiceRole, Some(KeyRole::Anon)) => return Err(FORBIDDEN),
        (Access::Key | Access::Socket | Access::ServiceRole, None) => return Err(UNAUTHORIZED),
        _ => {}
    }
    let internal = |key: &str| keys.internal_jwt(key).map(str::to_owned);
    let mut rewrite = Rewrite::default();
    if let Some(jwt) = presented.apikey_query.and_then(internal) {
        rewrite.apikey_query = Change::Set(jwt);
    }
    let Some(key) = presented_key else {
        return Ok(rewrite);
    };
    let key = internal(key).unwrap_or_else(|| key.to_owned());
    if presented.apikey_header != Some(key.as_str()) {
        rewrite.apikey_header = Change::Set(key.clone());
    }
    // A socket authenticates by its key; its Authorization is left alone.
    if access != Access::Socket && !carries_own_token(presented.authorization) {
        rewrite.authorization = Change::Set(format!("Bearer {key}"));
    }
    Ok(rewrite)
}

/// Functions see the caller's Authorization untouched and learn about an opaque key by header.
fn functions(keys: &GatewayKeys, presented: &Presented<'_>) -> Result<Rewrite, Refusal> {
    let refuse = |message| Refusal {
        status: StatusCode::UNAUTHORIZED,
        message,
    };
    let bearer = presented
        .authorization
        .and_then(|value| value.strip_prefix("Bearer "));
    let opaque =
        |key: Option<&'_ str>| key.filter(|key| key.starts_with(OPAQUE)).map(str::to_owned);
    let (from_header, from_bearer) = (opaque(presented.apikey_header), opaque(bearer));
    if from_header.is_some() && from_bearer.is_some() && from_header != from_bearer {
        return Err(refuse("Conflicting API keys"));
    }
    let sb_api_key = match from_header.or(from_bearer) {
        None => Change::Remove,
        Some(key) => match keys.internal_jwt(&key) {
            Some(jwt) => Change::Set(jwt.to_owned()),
            None => return Err(refuse("Invalid API key")),
        },
    };
    Ok(Rewrite {
        sb_api_key,
        ..Rewrite::default()
    })
}

/// Whether Authorization is a token of the caller's own, or an S3 signature.
fn carries_own_token(authorization: Option<&str>) -> bool {
    authorization
        .and_then(|value| value.strip_prefix("Bearer "))
        .is_some_and(|token| !token.is_empty() && !token.starts_with(OPAQUE))
}

/// What a key may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyRole {
    Anon,
    Service,
}

impl GatewayKeys {
    /// Whether this key may do everything: the secret key, or the legacy `service_role` key.
    pub fn is_secret(&self, key: &str) -> bool {
        self.role(key) == Some(KeyRole::Service)
    }

    /// The JWT an opaque key stands for.
    fn internal_jwt(&self, key: &str) -> Option<&str> {
        let opaque = self.opaque.as_ref()?;
        if same(key, &opaque.secret) {
            return Some(&opaque.service_role_jwt);
        }
        same(key, &opaque.publishable).then_some(opaque.anon_jwt.as_str())
    }

    /// The role of a key that clients may present. The JWTs behind opaque keys are not among
    /// them: they never leave this process.
    fn role(&self, key: &str) -> Option<KeyRole> {
        let opaque = self.opaque.as_ref();
        let service =
            same(key, &self.service_role) || opaque.is_some_and(|opaque| same(key, &opaque.secret));
        let anon =
            same(key, &self.anon) || opaque.is_some_and(|opaque| same(key, &opaque.publishable));
        match (service, anon) {
            (true, _) => Some(KeyRole::Service),
            (_, true) => Some(KeyRole::Anon),
            _ => None,
        }
    }
}
