//! Whose a path is and what it asks, for every prefix that anybody has claimed and its neighbourhood.

use std::fmt::Write as _;

use platform::service::Plan;

use super::*;
use crate::SERVICES;

/// Prefixes in the order in which upstream's gateway looks at them, the first that fits decides; with
/// who answers and what it asks.
const IN_UPSTREAMS_ORDER: &[(&str, &str, Access)] = &[
    ("/auth/v1/verify", "auth", Access::Open),
    ("/auth/v1/callback", "auth", Access::Open),
    ("/auth/v1/authorize", "auth", Access::Open),
    ("/auth/v1/.well-known/jwks.json", "auth", Access::Open),
    ("/auth/v1/sso/saml/acs", "auth", Access::Open),
    ("/auth/v1/sso/saml/metadata", "auth", Access::Open),
    (
        "/functions/v1",
        "Functions (/functions/v1)",
        Access::Function,
    ),
    ("/storage/v1/s3", "Storage (/storage/v1)", Access::Open),
    ("/storage/v1", "Storage (/storage/v1)", Access::Translated),
    ("/auth/v1", "auth", Access::Key),
    ("/rest/v1", "The REST data API (/rest/v1)", Access::Key),
    ("/graphql/v1", "GraphQL (/graphql/v1)", Access::Key),
    (
        "/realtime/v1/api/openapi",
        "Realtime (/realtime/v1)",
        Access::Denied,
    ),
    (
        "/realtime/v1/api/tenants",
        "Realtime (/realtime/v1)",
        Access::Denied,
    ),
    ("/realtime/v1/api", "Realtime (/realtime/v1)", Access::Key),
    ("/realtime/v1", "Realtime (/realtime/v1)", Access::Socket),
    ("/api", "prompts", Access::Open),
    ("/health", "prompts", Access::Open),
    ("/metrics", "prompts", Access::Translated),
    ("/docs", "prompts", Access::Open),
    ("/debug", "prompts", Access::Open),
];

/// Whole paths, which come before all prefixes.
const EXACT: &[(&str, &str, Access)] = &[
    (
        "/rest/v1",
        "The REST data API (/rest/v1)",
        Access::ServiceRole,
    ),
    (
        "/rest/v1/",
        "The REST data API (/rest/v1)",
        Access::ServiceRole,
    ),
    (
        "/.well-known/oauth-authorization-server",
        "auth",
        Access::Open,
    ),
    (
        "/.well-known/oauth-authorization-server/auth/v1",
        "auth",
        Access::Open,
    ),
    ("/sso/saml/acs", "auth", Access::Open),
    ("/sso/saml/metadata", "auth", Access::Open),
];

fn expected(path: &str) -> (&'static str, Access) {
    let is_under = |prefix: &str| {
        let rest = path.strip_prefix(prefix);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let exact = EXACT.iter().find(|(whole, ..)| *whole == path);
    let row = exact.or_else(|| {
        IN_UPSTREAMS_ORDER
            .iter()
            .find(|(prefix, ..)| is_under(prefix))
    });
    row.map_or(("web", Access::Open), |(_, name, access)| (*name, *access))
}

#[test]
fn the_longest_row_decides_as_upstreams_order_does() {
    let table = Table::new(&SERVICES).unwrap();
    let mut paths = vec![String::new(), "/".to_owned(), "/prompts/1".to_owned()];
    for (known, ..) in IN_UPSTREAMS_ORDER.iter().chain(EXACT) {
        for end in [
            "",
            "/",
            "//",
            "/x",
            "/x/y",
            "x",
            "/verify",
            "/s3",
            "/api",
            "/api/tenants",
            "/..",
        ] {
            paths.push(format!("{known}{end}"));
            paths.push(format!("/x{known}{end}"));
            paths.push(format!("/{known}{end}"));
        }
        for (cut, _) in known.char_indices() {
            paths.push(known[..cut].to_owned());
        }
    }
    let mut differences = String::new();
    for path in &paths {
        let found = table.find(path);
        let found = (found.owner.name(), found.access);
        if found != expected(path) {
            let _ = writeln!(differences, "{path:?}: {found:?}, not {:?}", expected(path));
        }
    }
    assert_eq!(differences, "");
    assert!(paths.len() > 500, "{}", paths.len());
}

fn never(_: &platform::env::Reader<'_>) -> Plan {
    unreachable!("nothing is started here")
}

const fn claiming(name: &'static str, mount: &'static str, rows: &'static [Row]) -> Definition {
    Definition {
        name,
        mount,
        rows,
        roles: &[],
        migrations: &[],
        read: never,
    }
}

static STORAGE: Definition = claiming(
    "storage",
    "/storage/v1",
    &[Row::under("/storage/v1", Access::Open)],
);
static INTRUDER: Definition = claiming(
    "intruder",
    "/intruder/v1",
    &[Row::under("/auth/v1/admin", Access::Open)],
);
static DETOUR: Definition = claiming(
    "detour",
    "/detour/v1",
    &[Row::exactly("/admin", Access::Open).leading_to("/auth/v1/admin/users")],
);
static NAMELESS: Definition = claiming(
    "nameless",
    "",
    &[Row::under("/storage/v1/object", Access::Open)],
);

static GUEST: Definition = claiming(
    "guest",
    "/guest/v1",
    &[Row::under("/api/v1/prompts", Access::Open)],
);

#[test]
fn a_service_takes_the_place_of_what_was_missing() {
    let before = Table::new(&SERVICES).unwrap().find("/storage/v1/bucket");
    assert_eq!(before.owner, Owner::Unbuilt("Storage (/storage/v1)"));
    let services: Vec<_> = SERVICES.into_iter().chain([&STORAGE]).collect();
    let table = Table::new(&services).unwrap();
    for path in ["/storage/v1/bucket", "/storage/v1/s3"] {
        assert_eq!(table.find(path).owner, Owner::Service("storage"));
    }
}

#[test]
fn two_services_cannot_claim_the_same_paths() {
    let error = Table::new(&[&STORAGE, &STORAGE]).unwrap_err().to_string();
    assert!(
        error.contains("storage") && error.contains("/storage/v1"),
        "{error}"
    );
}

#[test]
fn a_service_claims_nothing_below_the_paths_of_another() {
    for (intruder, mount) in [
        (&INTRUDER, "/auth/v1"),
        (&DETOUR, "/auth/v1"),
        (&NAMELESS, "/storage/v1"),
        (&GUEST, "/api"),
    ] {
        let [auth, prompts] = SERVICES;
        for services in [[auth, prompts, intruder], [intruder, prompts, auth]] {
            let error = Table::new(&services).unwrap_err().to_string();
            assert!(
                error.contains(intruder.name) && error.contains(mount),
                "{error}"
            );
        }
    }
}
