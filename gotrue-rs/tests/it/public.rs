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
