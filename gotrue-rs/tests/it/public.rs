//! Routes that need no account, and how unknown ones are answered.

use reqwest::Method;
use serde_json::json;

use crate::app::TestApp;

#[tokio::test]
async fn health_names_the_service() {
    let body = TestApp::spawn().await.get("/health").await.ok();
    assert_eq!(body["name"], "GoTrue");
}

#[tokio::test]
async fn settings_list_what_is_open() {
    let body = TestApp::spawn().await.get("/settings").await.ok();
    assert_eq!(body["external"]["email"], true);
    assert_eq!(body["external"]["google"], false);
    assert_eq!(body["external"].as_object().unwrap().len(), 26);
    assert_eq!(body["mailer_autoconfirm"], true);
    assert_eq!(body["saml_private_key_next_configured"], true);
}

#[tokio::test]
async fn jwks_hold_public_halves_only() {
    let reply = TestApp::spawn().await.get("/.well-known/jwks.json").await;
    let key = &reply.ok()["keys"][0];
    assert_eq!(key["alg"], "ES256");
    assert_eq!(key["use"], "sig");
    assert_eq!(key["key_ops"], json!(["verify"]));
    assert!(key.get("d").is_none());
    assert_eq!(reply.header("cache-control"), Some("public, max-age=600"));
}

#[tokio::test]
async fn discovery_is_built_from_the_issuer() {
    let app = TestApp::spawn().await;
    let body = app.get("/.well-known/openid-configuration").await.ok();
    assert_eq!(body["issuer"], "http://127.0.0.1:54321/auth/v1");
    assert_eq!(
        body["token_endpoint"],
        "http://127.0.0.1:54321/auth/v1/oauth/token"
    );
    app.get("/.well-known/oauth-authorization-server")
        .await
        .refused(404, "feature_disabled", "OAuth server is disabled");
}

#[tokio::test]
async fn unknown_paths_and_methods_answer_like_a_go_router() {
    for prefix in ["", "/auth/v1"] {
        let app = TestApp::spawn_at(prefix, &[]).await;
        let missing = app.get("/nowhere").await;
        assert_eq!(
            (missing.status.as_u16(), missing.body.as_str()),
            (404, "404 page not found\n")
        );
        assert_eq!(
            missing.header("content-type"),
            Some("text/plain; charset=utf-8")
        );
        assert_eq!(missing.header("x-content-type-options"), Some("nosniff"));
        let wrong = app.get("/token").await;
        assert_eq!((wrong.status.as_u16(), wrong.body.as_str()), (405, ""));
        assert_eq!(wrong.header("allow"), Some("POST"));
        assert_eq!(app.get("/settings/").await.status, 404);
        assert_eq!(app.post("/signup/", json!({})).await.status, 200);
        assert_eq!(app.get("/health").await.status, 200);
    }
}

#[tokio::test]
async fn preflights_are_answered_for_allowed_headers_only() {
    let app = TestApp::spawn().await;
    let preflight = async |headers: &str| {
        app.request(Method::OPTIONS, "/token")
            .header("origin", "http://example.com")
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", headers)
            .send()
            .await
    };
    let allowed = preflight("authorization,content-type").await;
    assert_eq!(allowed.status, 204);
    assert_eq!(allowed.header("access-control-allow-origin"), Some("*"));
    assert_eq!(
        allowed.header("access-control-allow-headers"),
        Some("authorization,content-type")
    );
    let refused = preflight("x-anything").await;
    assert_eq!(refused.status, 204);
    assert_eq!(refused.header("access-control-allow-origin"), None);
    let plain = app
        .request(Method::GET, "/health")
        .header("origin", "http://a.b")
        .send()
        .await;
    assert_eq!(plain.header("access-control-allow-origin"), Some("*"));
    assert_eq!(plain.header("vary"), Some("Origin"));
}

#[tokio::test]
async fn what_is_not_built_answers_as_if_switched_off() {
    let app = TestApp::spawn_with(&[("GOTRUE_PASSKEY_ENABLED", "true")]).await;
    let oauth = ("feature_disabled", "OAuth server is disabled");
    for (path, (code, text)) in [
        ("/sso", ("saml_provider_disabled", "SAML 2.0 is disabled")),
        (
            "/sso/saml/acs",
            ("saml_provider_disabled", "SAML 2.0 is disabled"),
        ),
        (
            "/passkeys/authentication/options",
            ("passkey_disabled", "Passkeys are disabled"),
        ),
        ("/oauth/clients/register", oauth),
        (
            "/scim/v2/Schemas",
            ("feature_disabled", "SCIM server is disabled"),
        ),
    ] {
        app.post(path, json!({})).await.refused(404, code, text);
    }
    assert_eq!(app.get("/user/oauth/grants").await.status, 401);
    assert_eq!(app.get("/admin/oauth/clients").await.status, 401);
    let session = app.sign_up("a@example.com").await;
    let grants = app.as_user(&session.access_token, Method::GET, "/user/oauth/grants");
    grants.send().await.refused(404, oauth.0, oauth.1);
    app.get("/authorize?provider=google").await.refused(
        400,
        "validation_failed",
        "Unsupported provider: provider is not enabled",
    );
    assert_eq!(app.get("/settings").await.ok()["passkeys_enabled"], false);
}

#[tokio::test]
async fn tokens_of_providers_are_refused_by_name() {
    let app = TestApp::spawn().await;
    let grant = "/token?grant_type=id_token";
    for (body, text) in [
        (json!({}), "id_token required"),
        (
            json!({ "id_token": "x" }),
            "provider or client_id and issuer required",
        ),
        (
            json!({ "id_token": "x", "provider": "google", "link_identity": true }),
            "Linking requires a valid user access token in Authorization",
        ),
    ] {
        let reply = app.post(grant, body).await;
        assert_eq!(reply.status, 400);
        let expected = json!({ "error": "invalid request", "error_description": text });
        assert_eq!(reply.json(), expected);
    }
    app.post(grant, json!({ "id_token": "x", "provider": "google" }))
        .await
        .refused(
            400,
            "provider_disabled",
            "Provider (issuer \"https://accounts.google.com\") is not enabled",
        );
    app.post(grant, json!({ "id_token": "x", "provider": "acme" }))
        .await
        .refused(
            400,
            "validation_failed",
            "Custom OIDC provider \"acme\" not allowed",
        );
}
