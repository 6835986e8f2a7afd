//! How often one client may ask.

use reqwest::Method;
use serde_json::json;

use crate::app::{Reply, TestApp};

async fn recover(app: &TestApp, client: &str) -> Reply {
    app.request(Method::POST, "/recover")
        .header("x-client", client)
        .json(&json!({ "email": "nobody@example.com" }))
        .send()
        .await
}

#[tokio::test]
async fn a_client_may_ask_thirty_times_and_then_waits() {
    let app = TestApp::spawn_with(&[("GOTRUE_RATE_LIMIT_HEADER", "X-Client")]).await;
    for _ in 0..30 {
        recover(&app, "203.0.113.9, proxy").await.ok();
    }
    let text = "Request rate limit reached";
    recover(&app, "203.0.113.9")
        .await
        .refused(429, "over_request_rate_limit", text);
    recover(&app, "203.0.113.10").await.ok();
    // Another route has buckets of its own.
    let otp = app
        .request(Method::POST, "/otp")
        .header("x-client", "203.0.113.9");
    otp.json(&json!({ "email": "somebody@example.com" }))
        .send()
        .await
        .ok();
    app.wait(10);
    recover(&app, "203.0.113.9").await.ok();
    recover(&app, "203.0.113.9")
        .await
        .refused(429, "over_request_rate_limit", text);
}

#[tokio::test]
async fn without_a_name_for_the_client_nobody_is_limited() {
    let named = TestApp::spawn_with(&[("GOTRUE_RATE_LIMIT_HEADER", "X-Client")]).await;
    let unnamed = TestApp::spawn().await;
    for _ in 0..40 {
        recover(&named, " , 203.0.113.9").await.ok();
        recover(&unnamed, "203.0.113.9").await.ok();
    }
}

#[tokio::test]
async fn a_trusted_forwarding_header_names_the_client_too() {
    let app = TestApp::spawn_with(&[("GOTRUE_SECURITY_SB_FORWARDED_FOR_ENABLED", "true")]).await;
    let ask = async |ip: &str| {
        let request = app.get_with("/verify?type=signup&token=x", "sb-forwarded-for", ip);
        request.await.status.as_u16()
    };
    for _ in 0..30 {
        assert_eq!(ask("203.0.113.9").await, 303);
    }
    assert_eq!(ask("203.0.113.9").await, 429);
    assert_eq!(ask("not an address").await, 303);
}

impl TestApp {
    async fn get_with(&self, path: &str, header: &str, value: &str) -> Reply {
        self.request(Method::GET, path)
            .header(header, value)
            .send()
            .await
    }
}
