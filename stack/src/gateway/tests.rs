//! The key matrix of both dialects, CORS before keys, forwarding headers, and what is not built.

use actix_web::http::{Method, StatusCode};
use actix_web::middleware::from_fn;
use actix_web::test::{TestRequest, call_service, init_service, read_body};
use actix_web::{App, HttpRequest, HttpResponse, web};

use platform::service::Access;

use super::keys::check;
use super::*;
use crate::SERVICES;

const ANON: &str = "anon.jwt";
const SERVICE: &str = "service.jwt";
const PUBLISHABLE: &str = "sb_publishable_x";
const SECRET: &str = "sb_secret_x";
const ANON_INTERNAL: &str = "anon.internal";
const SERVICE_INTERNAL: &str = "service.internal";
const USER: &str = "Bearer user.jwt";

fn keys() -> GatewayKeys {
    let opaque = OpaqueKeys {
        publishable: PUBLISHABLE.into(),
        secret: SECRET.into(),
        anon_jwt: ANON_INTERNAL.into(),
        service_role_jwt: SERVICE_INTERNAL.into(),
    };
    GatewayKeys {
        anon: ANON.into(),
        service_role: SERVICE.into(),
        opaque: Some(opaque),
    }
}

fn bearer(token: &str) -> Change {
    Change::Set(format!("Bearer {token}"))
}

fn find(path: &str) -> Route {
    Table::new(&SERVICES).unwrap().find(path)
}

fn ask(dialect: Dialect, path: &str, presented: &Presented<'_>) -> Result<Rewrite, u16> {
    let access = find(path).access;
    check(dialect, &keys(), access, presented).map_err(|refusal| refusal.status.as_u16())
}

fn with_header(key: &'static str) -> Presented<'static> {
    Presented {
        apikey_header: Some(key),
        ..Presented::default()
    }
}

#[test]
fn local_refuses_nothing_and_translates_as_the_cli_does() {
    let authorization = |presented: &Presented<'_>| {
        ask(Dialect::Local, "/auth/v1/user", presented)
            .unwrap()
            .authorization
    };
    // A token of the caller's own stays, whatever the key.
    for apikey in [None, Some(ANON), Some(SECRET), Some("nonsense")] {
        let presented = Presented {
            authorization: Some(USER),
            apikey_header: apikey,
            apikey_query: None,
        };
        assert_eq!(authorization(&presented), Change::Keep, "{apikey:?}");
    }
    assert_eq!(
        authorization(&with_header(SECRET)),
        bearer(SERVICE_INTERNAL)
    );
    assert_eq!(
        authorization(&with_header(PUBLISHABLE)),
        bearer(ANON_INTERNAL)
    );
    // A legacy or unknown key is copied without "Bearer ", so it never passes for a user's token.
    assert_eq!(authorization(&with_header(ANON)), Change::Set(ANON.into()));
    assert_eq!(
        authorization(&with_header("nonsense")),
        Change::Set("nonsense".into())
    );
    assert_eq!(authorization(&Presented::default()), Change::Remove);
    // Older clients send the opaque key as a token too.
    let older = Presented {
        authorization: Some("Bearer sb_secret_x"),
        ..with_header(SECRET)
    };
    assert_eq!(authorization(&older), bearer(SERVICE_INTERNAL));
    let lone = Presented {
        authorization: Some("Bearer sb_secret_x"),
        ..Presented::default()
    };
    assert_eq!(authorization(&lone), Change::Remove);
    let query = Presented {
        apikey_query: Some(PUBLISHABLE),
        ..Presented::default()
    };
    let rewrite = ask(Dialect::Local, "/realtime/v1/websocket", &query).unwrap();
    assert_eq!(rewrite.apikey_query, Change::Set(ANON_INTERNAL.into()));
}

#[test]
fn self_hosted_protected_routes_need_a_known_key() {
    for path in [
        "/auth/v1/user",
        "/rest/v1/todos",
        "/graphql/v1",
        "/realtime/v1/websocket",
    ] {
        let ask = |presented: &Presented<'_>| ask(Dialect::SelfHosted, path, presented);
        assert_eq!(ask(&Presented::default()), Err(401), "{path}");
        for unknown in [
            "",
            "nonsense",
            "sb_secret_y",
            ANON_INTERNAL,
            SERVICE_INTERNAL,
        ] {
            assert_eq!(ask(&with_header(unknown)), Err(401), "{path} {unknown}");
        }
        for known in [ANON, SERVICE, PUBLISHABLE, SECRET] {
            assert!(ask(&with_header(known)).is_ok(), "{path} {known}");
            let query = Presented {
                apikey_query: Some(known),
                ..Presented::default()
            };
            assert!(ask(&query).is_ok(), "{path} ?apikey={known}");
        }
        // A user's token alone does not open the gate.
        let token = Presented {
            authorization: Some(USER),
            ..Presented::default()
        };
        assert_eq!(ask(&token), Err(401), "{path}");
    }
}

#[test]
fn self_hosted_open_routes_need_no_key_and_keep_credentials() {
    let open = [
        "/auth/v1/verify",
        "/auth/v1/callback",
        "/auth/v1/authorize",
        "/auth/v1/.well-known/jwks.json",
        "/auth/v1/sso/saml/acs",
        "/auth/v1/sso/saml/metadata",
        "/.well-known/oauth-authorization-server",
        "/sso/saml/acs",
    ];
    for path in open {
        assert_eq!(find(path).owner, Owner::Service("auth"), "{path}");
        let rewrite = ask(Dialect::SelfHosted, path, &with_header("nonsense"));
        assert_eq!(rewrite, Ok(Rewrite::default()), "{path}");
    }
    for path in [
        "/auth/v1/verifying",
        "/auth/v1/callbacks",
        "/auth/v1/sso/saml/acsx",
    ] {
        assert_eq!(find(path).access, Access::Key, "{path}");
    }
}

#[test]
fn self_hosted_replaces_opaque_keys_and_keeps_a_users_token() {
    let rewrite =
        |presented: &Presented<'_>| ask(Dialect::SelfHosted, "/auth/v1/user", presented).unwrap();
    let secret = rewrite(&with_header(SECRET));
    assert_eq!(secret.apikey_header, Change::Set(SERVICE_INTERNAL.into()));
    assert_eq!(secret.authorization, bearer(SERVICE_INTERNAL));
    let legacy = rewrite(&with_header(ANON));
    assert_eq!(
        (legacy.apikey_header, legacy.authorization),
        (Change::Keep, bearer(ANON))
    );
    let user = rewrite(&Presented {
        authorization: Some(USER),
        ..with_header(PUBLISHABLE)
    });
    assert_eq!(user.authorization, Change::Keep);
    assert_eq!(user.apikey_header, Change::Set(ANON_INTERNAL.into()));
    let older = Presented {
        authorization: Some("Bearer sb_x"),
        ..with_header(PUBLISHABLE)
    };
    assert_eq!(rewrite(&older).authorization, bearer(ANON_INTERNAL));
    let query = rewrite(&Presented {
        apikey_query: Some(SECRET),
        ..Presented::default()
    });
    assert_eq!(query.apikey_query, Change::Set(SERVICE_INTERNAL.into()));
    assert_eq!(query.apikey_header, Change::Set(SERVICE_INTERNAL.into()));
    assert_eq!(query.authorization, bearer(SERVICE_INTERNAL));
    let socket = ask(
        Dialect::SelfHosted,
        "/realtime/v1/websocket",
        &with_header(SECRET),
    )
    .unwrap();
    assert_eq!(socket.authorization, Change::Keep);
}

#[test]
fn self_hosted_without_opaque_keys_knows_only_the_legacy_ones() {
    let keys = GatewayKeys {
        opaque: None,
        ..keys()
    };
    let ask = |key| {
        let access = find("/auth/v1/user").access;
        check(Dialect::SelfHosted, &keys, access, &with_header(key)).is_ok()
    };
    assert_eq!(
        [ANON, SERVICE, PUBLISHABLE, SECRET].map(ask),
        [true, true, false, false]
    );
}

#[test]
fn self_hosted_keeps_the_api_description_for_the_service_role() {
    for path in ["/rest/v1/", "/rest/v1"] {
        let root = |key| ask(Dialect::SelfHosted, path, &with_header(key)).map(|_| ());
        assert_eq!([ANON, PUBLISHABLE].map(root), [Err(403), Err(403)]);
        assert_eq!([SERVICE, SECRET].map(root), [Ok(()), Ok(())]);
    }
    let tenants = ask(
        Dialect::SelfHosted,
        "/realtime/v1/api/tenants",
        &with_header(SECRET),
    );
    assert_eq!(tenants, Err(403));
}

#[test]
fn self_hosted_storage_is_translated_but_not_guarded() {
    let ask = |presented: &Presented<'_>| {
        ask(Dialect::SelfHosted, "/storage/v1/object/a", presented)
            .unwrap()
            .authorization
    };
    assert_eq!(ask(&Presented::default()), Change::Keep);
    assert_eq!(ask(&with_header(SECRET)), bearer(SERVICE_INTERNAL));
    let signed = Presented {
        authorization: Some("AWS4-HMAC-SHA256 x"),
        ..Presented::default()
    };
    assert_eq!(ask(&signed), Change::Keep);
}

#[test]
fn self_hosted_functions_learn_about_opaque_keys_by_header_only() {
    let ask =
        |presented: &Presented<'_>| ask(Dialect::SelfHosted, "/functions/v1/hello", presented);
    let sb_api_key = |presented: &Presented<'_>| ask(presented).unwrap().sb_api_key;
    assert_eq!(sb_api_key(&Presented::default()), Change::Remove);
    assert_eq!(sb_api_key(&with_header(ANON)), Change::Remove);
    assert_eq!(
        sb_api_key(&with_header(SECRET)),
        Change::Set(SERVICE_INTERNAL.into())
    );
    let token = Presented {
        authorization: Some("Bearer sb_secret_x"),
        ..Presented::default()
    };
    assert_eq!(sb_api_key(&token), Change::Set(SERVICE_INTERNAL.into()));
    assert_eq!(ask(&token).unwrap().authorization, Change::Keep);
    let conflict = Presented {
        authorization: Some("Bearer sb_secret_x"),
        ..with_header(PUBLISHABLE)
    };
    assert_eq!(ask(&conflict), Err(401));
    assert_eq!(ask(&with_header("sb_secret_y")), Err(401));
}

/// Answers with what reached the service.
async fn echo(request: HttpRequest) -> HttpResponse {
    let header = |name: &str| {
        request
            .headers()
            .get(name)
            .map(|value| value.to_str().unwrap().to_owned())
    };
    HttpResponse::Ok().json(serde_json::json!({
        "path": request.path(),
        "query": request.query_string(),
        "authorization": header("authorization"),
        "apikey": header("apikey"),
        "for": header("x-forwarded-for"),
        "host": header("x-forwarded-host"),
        "prefix": header("x-forwarded-prefix"),
        "claims": [header("sb-forwarded-for"), header("x-real-ip"), header("forwarded")],
    }))
}

async fn call(gateway: Gateway, request: TestRequest) -> (StatusCode, header::HeaderMap, String) {
    let app = init_service(
        App::new()
            .app_data(web::Data::new(gateway))
            .wrap(from_fn(pass))
            .service(web::scope("/auth/v1").default_service(web::to(echo)))
            .default_service(web::to(echo)),
    )
    .await;
    let response = call_service(&app, request.to_request()).await;
    let (status, headers) = (response.status(), response.headers().clone());
    (
        status,
        headers,
        String::from_utf8(read_body(response).await.to_vec()).unwrap(),
    )
}

fn gateway(dialect: Dialect) -> Gateway {
    Gateway {
        dialect,
        keys: keys(),
        table: Table::new(&SERVICES).unwrap(),
        trusted_proxies: 0,
    }
}

#[actix_web::test]
async fn a_preflight_is_answered_before_any_key_check() {
    let request = TestRequest::with_uri("/auth/v1/user")
        .method(Method::OPTIONS)
        .insert_header(("origin", "https://app.example"))
        .insert_header(("access-control-request-method", "PUT"))
        .insert_header(("access-control-request-headers", "apikey,authorization"));
    let (status, headers, body) = call(gateway(Dialect::SelfHosted), request).await;
    assert_eq!(status, 200);
    assert_eq!(body, "");
    assert_eq!(headers.get("access-control-allow-origin").unwrap(), "*");
    assert_eq!(
        headers.get("access-control-allow-headers").unwrap(),
        "apikey,authorization"
    );
    assert!(
        headers
            .get("access-control-allow-methods")
            .unwrap()
            .to_str()
            .unwrap()
            .contains("PUT")
    );
}

#[actix_web::test]
async fn a_refusal_is_plain_text_and_readable_across_origins() {
    let request = TestRequest::with_uri("/auth/v1/user").insert_header(("origin", "https://x"));
    let (status, headers, body) = call(gateway(Dialect::SelfHosted), request).await;
    assert_eq!((status.as_u16(), body.as_str()), (401, "Unauthorized"));
    assert!(
        headers
            .get("content-type")
            .unwrap()
            .to_str()
            .unwrap()
            .starts_with("text/plain")
    );
    assert_eq!(headers.get("access-control-allow-origin").unwrap(), "*");
}

#[actix_web::test]
async fn encoding_a_path_does_not_get_past_the_check() {
    for path in ["/%61uth/v1/user", "/auth/v1/%75ser", "/auth/v1//user"] {
        let request = TestRequest::with_uri(path);
        let (status, _, body) = call(gateway(Dialect::SelfHosted), request).await;
        assert_eq!(status, 401, "{path} {body}");
    }
}

#[actix_web::test]
async fn the_service_sees_the_internal_token_and_the_rest_of_the_query() {
    let uri = format!("/auth/v1/user?a=1&apikey={SECRET}&b=%20");
    let (_, _, body) = call(gateway(Dialect::SelfHosted), TestRequest::with_uri(&uri)).await;
    let seen: serde_json::Value = serde_json::from_str(&body).unwrap();
    assert_eq!(seen["query"], "a=1&apikey=service.internal&b=%20");
    assert_eq!(seen["authorization"], "Bearer service.internal");
    assert_eq!(seen["apikey"], "service.internal");
}

#[actix_web::test]
async fn discovery_at_the_origin_reaches_the_auth_service() {
    let uri = "/.well-known/oauth-authorization-server?x=1";
    let (_, _, body) = call(gateway(Dialect::Local), TestRequest::with_uri(uri)).await;
    let seen: serde_json::Value = serde_json::from_str(&body).unwrap();
    assert_eq!(
        seen["path"],
        "/auth/v1/.well-known/oauth-authorization-server"
    );
    assert_eq!(seen["query"], "x=1");
}

#[actix_web::test]
async fn forwarding_headers_of_a_client_count_only_behind_a_trusted_proxy() {
    let request = || {
        TestRequest::with_uri("/auth/v1/user")
            .peer_addr("192.0.2.7:5000".parse().unwrap())
            .insert_header(("host", "api.example:54321"))
            .insert_header(("x-forwarded-for", "203.0.113.9"))
            .insert_header(("x-forwarded-host", "evil.example"))
            .insert_header(("x-forwarded-prefix", "/evil"))
            .insert_header(("sb-forwarded-for", "203.0.113.9"))
            .insert_header(("x-real-ip", "203.0.113.9"))
            .insert_header(("forwarded", "for=203.0.113.9"))
    };
    let nothing = serde_json::json!([null, null, null]);
    let (_, _, body) = call(gateway(Dialect::Local), request()).await;
    let seen: serde_json::Value = serde_json::from_str(&body).unwrap();
    assert_eq!(
        (&seen["for"], &seen["host"]),
        (&"192.0.2.7".into(), &"api.example:54321".into())
    );
    assert_eq!(seen["prefix"], "/auth/v1");
    assert_eq!(seen["claims"], nothing);
    // Of the proxies' list only what the trusted ones wrote counts, from the right.
    for (proxies, expected) in [(1, "203.0.113.9"), (2, "198.51.100.1"), (3, "192.0.2.7")] {
        let trusting = Gateway {
            trusted_proxies: proxies,
            ..gateway(Dialect::Local)
        };
        let list = "198.51.100.1, 203.0.113.9";
        let request = request().insert_header(("x-forwarded-for", list));
        let (_, _, body) = call(trusting, request).await;
        let seen: serde_json::Value = serde_json::from_str(&body).unwrap();
        assert_eq!(seen["for"], expected, "{proxies} proxies");
        assert_eq!(seen["host"], "evil.example");
        // Proxies need not know these.
        assert_eq!(seen["prefix"], "/auth/v1");
        assert_eq!(seen["claims"], nothing);
    }
}

#[actix_web::test]
async fn services_not_built_say_so() {
    for path in [
        "/rest/v1/todos",
        "/storage/v1/bucket",
        "/realtime/v1/websocket",
        "/functions/v1/x",
        "/graphql/v1",
    ] {
        let request = TestRequest::with_uri(path);
        let (status, headers, body) = call(gateway(Dialect::Local), request).await;
        assert_eq!(status, 501, "{path}");
        assert!(body.contains("is not part of this build yet"), "{body}");
        assert_eq!(headers.get("access-control-allow-origin").unwrap(), "*");
    }
}

#[actix_web::test]
async fn without_a_gateway_nothing_passes() {
    let app = App::new()
        .wrap(from_fn(pass))
        .default_service(web::to(echo));
    let app = init_service(app).await;
    for path in ["/auth/v1/user", "/api/v1/prompts", "/metrics"] {
        let request = TestRequest::with_uri(path).insert_header(("apikey", SECRET));
        let response = call_service(&app, request.to_request()).await;
        assert_eq!(response.status(), 503, "{path}");
    }
}

#[actix_web::test]
async fn metrics_are_no_page_of_another_origins_business() {
    let request = TestRequest::with_uri("/metrics").insert_header(("origin", "https://x"));
    let (_, headers, _) = call(gateway(Dialect::Local), request).await;
    assert!(!headers.contains_key("access-control-allow-origin"));
    let preflight = TestRequest::with_uri("/metrics")
        .method(Method::OPTIONS)
        .insert_header(("origin", "https://x"))
        .insert_header(("access-control-request-method", "GET"));
    let (_, headers, _) = call(gateway(Dialect::Local), preflight).await;
    assert!(!headers.contains_key("access-control-allow-origin"));
    for dialect in [Dialect::Local, Dialect::SelfHosted] {
        let request = TestRequest::with_uri("/metrics").insert_header(("apikey", SECRET));
        let (_, _, body) = call(gateway(dialect), request).await;
        let seen: serde_json::Value = serde_json::from_str(&body).unwrap();
        assert_eq!(seen["authorization"], "Bearer service.internal");
        let request =
            TestRequest::with_uri("/metrics").insert_header(("authorization", "Bearer t"));
        let (_, _, body) = call(gateway(dialect), request).await;
        let seen: serde_json::Value = serde_json::from_str(&body).unwrap();
        assert_eq!(seen["authorization"], "Bearer t");
    }
}

#[actix_web::test]
async fn the_web_app_is_left_alone() {
    let request = TestRequest::with_uri("/prompts/1").insert_header(("origin", "https://x"));
    let (status, headers, _) = call(gateway(Dialect::SelfHosted), request).await;
    assert_eq!(status, 200);
    assert!(!headers.contains_key("access-control-allow-origin"));
}
