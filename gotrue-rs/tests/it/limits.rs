//! How often one client may ask.

use std::sync::atomic::{AtomicU32, Ordering};

use reqwest::Method;
use serde_json::json;

use crate::app::{Reply, TestApp};
use crate::letter::confirming_with;

/// Asks for another address each time, since each may be asked for once a minute.
async fn recover(app: &TestApp, client: &str) -> Reply {
    static ASKED: AtomicU32 = AtomicU32::new(0);
    let nobody = ASKED.fetch_add(1, Ordering::Relaxed);
    app.request(Method::POST, "/recover")
        .header("x-client", client)
        .json(&json!({ "email": format!("nobody{nobody}@example.com") }))
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
    let refused = recover(&app, "203.0.113.9").await;
    refused.refused(429, "over_request_rate_limit", text);
    assert_eq!(refused.header("retry-after"), Some("10"));
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

/// What a production installation is told.
const PRODUCTION: [(&str, &str); 4] = [
    ("GOTRUE_RATE_LIMIT_HEADER", "X-Client"),
    ("GOTRUE_RATE_LIMIT_EMAIL_SENT", "100"),
    ("GOTRUE_RATE_LIMIT_MAIL_REQUESTS", "30"),
    ("GOTRUE_RATE_LIMIT_MAILS_PER_RECIPIENT", "5"),
];

const TOO_MANY_MAILS: &str = "email rate limit exceeded";

#[tokio::test]
async fn one_client_cannot_use_up_the_mails_of_all_on_whatever_route() {
    let app = TestApp::spawn_with(&confirming_with(&PRODUCTION)).await;
    let mut sent = 0;
    for n in 0..90 {
        let path = ["/otp", "/magiclink", "/recover", "/resend"][n % 4];
        let body = json!({ "email": format!("u{n}@example.com"), "type": "signup" });
        let client = format!("2001:db8:1:2::{n:x}");
        let request = app
            .request(Method::POST, path)
            .header("x-client", &client)
            .json(&body);
        match request.send().await {
            reply if reply.status == 200 => sent += 1,
            reply => reply.refused(429, "over_request_rate_limit", "Request rate limit reached"),
        }
    }
    assert_eq!(sent, 30);
    let ask = async |client: &str, bearer: &str| {
        let request = app.request(Method::POST, "/otp").header("x-client", client);
        let body = json!({ "email": format!("{}@example.com", client.len()) });
        request.bearer(bearer).json(&body).send().await
    };
    ask("203.0.113.9", "").await.ok();
    // The project's own backend asks for many.
    ask("2001:db8:1:2::1", &platform_test::tokens::service_role())
        .await
        .ok();
}

#[tokio::test]
async fn an_address_gets_five_mails_in_five_minutes_whether_or_not_anybody_has_it() {
    let often = ("GOTRUE_SMTP_MAX_FREQUENCY", "1s");
    let app = TestApp::spawn_with(&[&PRODUCTION[..], &[often]].concat()).await;
    app.sign_up("ada@example.com").await;
    let ask = async |n: usize, email: &str| {
        let request = app.request(Method::POST, "/recover");
        let request = request.header("x-client", &format!("203.0.113.{n}"));
        request.json(&json!({ "email": email })).send().await
    };
    for email in ["ada@example.com", "nobody@example.com"] {
        for n in 0..5 {
            ask(n, email).await.ok();
            app.wait(2);
        }
        ask(9, &email.to_uppercase()).await.refused(
            429,
            "over_email_send_rate_limit",
            TOO_MANY_MAILS,
        );
    }
}

#[tokio::test]
async fn the_last_quarter_of_the_mails_is_kept_for_those_who_are_known() {
    let app = TestApp::spawn_with(&confirming_with(&[("GOTRUE_RATE_LIMIT_EMAIL_SENT", "4")])).await;
    let create = app.as_admin(Method::POST, "/admin/users");
    let body = json!({ "email": "ada@example.com", "email_confirm": true });
    create.json(&body).send().await.ok();
    let otp = async |email: &str| app.post("/otp", json!({ "email": email })).await;
    for n in 0..3 {
        otp(&format!("u{n}@example.com")).await.ok();
    }
    // Strangers get none any more, and an answer that does not tell that they are.
    otp("u3@example.com").await.ok();
    assert_eq!(app.mails().len(), 3);
    assert_eq!(app.count("select count(*) from auth.users").await, 4);
    otp("ada@example.com").await.ok();
    assert_eq!(app.last_mail().to, "ada@example.com");
}

impl TestApp {
    async fn get_with(&self, path: &str, header: &str, value: &str) -> Reply {
        self.request(Method::GET, path)
            .header(header, value)
            .send()
            .await
    }
}
