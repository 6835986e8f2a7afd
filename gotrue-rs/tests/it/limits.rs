//! How often one client may ask.

use std::sync::atomic::{AtomicU32, Ordering};

use reqwest::Method;
use serde_json::json;

use crate::app::{PASSWORD, Reply, Session, TestApp};
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
async fn asking_who_has_an_account_is_limited_without_a_name_for_the_client_too() {
    let app = TestApp::spawn().await;
    app.sign_up("ada@example.com").await;
    for who in ["email", "phone"] {
        app.wait(3600);
        for n in 0..40 {
            let nobody = match who {
                "email" => format!("nobody{n}@example.com"),
                _ => format!("15550100{n:02}"),
            };
            let reply = app
                .post("/otp", json!({ who: nobody, "create_user": false }))
                .await;
            let expected = if n < 30 { 422 } else { 429 };
            assert_eq!(reply.status, expected, "{who} {n}");
        }
        let known = json!({ "email": "ada@example.com", "create_user": false });
        assert_eq!(app.post("/otp", known.clone()).await.status, 429);
        // The project's own backend answers for its users itself.
        app.as_admin(Method::POST, "/otp")
            .json(&known)
            .send()
            .await
            .ok();
    }
}

#[tokio::test]
async fn asking_who_has_an_account_counts_as_a_mail_before_anybody_is_looked_up() {
    let settings = confirming_with(&[("GOTRUE_RATE_LIMIT_EMAIL_SENT", "8")]);
    let app = TestApp::spawn_with(&settings).await;
    let ask = async |n: u32| {
        let body = json!({ "email": format!("nobody{n}@example.com"), "create_user": false });
        app.post("/otp", body).await
    };
    let mut passed = 0;
    while ask(passed).await.status == 422 {
        passed += 1;
    }
    // The last quarter is not for strangers.
    assert_eq!(passed, 6);
    ask(99).await.refused(
        429,
        "over_email_send_rate_limit",
        "email rate limit exceeded",
    );
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
async fn one_client_gets_two_of_the_five_mails_of_an_address() {
    let often = ("GOTRUE_SMTP_MAX_FREQUENCY", "1s");
    let app = TestApp::spawn_with(&[&PRODUCTION[..], &[often]].concat()).await;
    app.sign_up(ADA).await;
    for _ in 0..2 {
        ask_from(&app, EVES, "/recover", ADA).await.ok();
        app.wait(2);
    }
    let refused = ask_from(&app, EVES, "/recover", ADA).await;
    refused.refused(429, "over_email_send_rate_limit", TOO_MANY_MAILS);
    assert_eq!(refused.header("retry-after"), Some("296"));
    ask_from(&app, ADAS, "/recover", ADA).await.ok();
}

#[tokio::test]
async fn who_is_refused_takes_nobody_elses_turn() {
    let app = TestApp::spawn_with(&PRODUCTION).await;
    app.sign_up(ADA).await;
    for n in 0..30 {
        let email = format!("u{n}@example.com");
        ask_from(&app, EVES, "/recover", &email).await.ok();
    }
    for path in ["/recover", "/resend", "/otp", "/magiclink"] {
        let refused = ask_from(&app, EVES, path, ADA).await;
        refused.refused(429, "over_request_rate_limit", "Request rate limit reached");
    }
    ask_from(&app, ADAS, "/recover", ADA).await.ok();
    assert_eq!(app.last_mail().to, ADA);
}

#[tokio::test]
async fn sign_ups_that_are_refused_are_no_mails() {
    let strict = ("GOTRUE_PASSWORD_MIN_LENGTH", "8");
    let settings = [&PRODUCTION[..], &[strict]].concat();
    let app = TestApp::spawn_with(&confirming_with(&settings)).await;
    let sign_up = async |email: &str, password: &str| {
        let body = json!({ "email": email, "password": password });
        app.post("/signup", body).await
    };
    let nowhere = "a".repeat(60_000);
    for _ in 0..6 {
        assert_eq!(sign_up(ADA, "x").await.status, 422);
        let refused = sign_up(&nowhere, PASSWORD).await;
        refused.refused(400, "validation_failed", "An email address is too long");
    }
    sign_up(ADA, PASSWORD).await.ok();
    assert_eq!(app.last_mail().to, ADA);
}

#[tokio::test]
async fn who_got_no_mail_may_ask_again_at_once() {
    let app = TestApp::spawn().await;
    app.sign_up(ADA).await;
    app.break_mail(true);
    let body = json!({ "email": ADA });
    assert_eq!(app.post("/recover", body.clone()).await.status, 500);
    app.break_mail(false);
    app.post("/recover", body.clone()).await.ok();
    let text = "For security purposes, you can only request this after 60 seconds.";
    let refused = app.post("/recover", body).await;
    refused.refused(429, "over_email_send_rate_limit", text);
    assert_eq!(refused.header("retry-after"), Some("60"));
}

#[tokio::test]
async fn a_site_with_many_networks_gets_twice_what_one_of_them_does() {
    let app = TestApp::spawn_with(&PRODUCTION).await;
    let mut sent = 0;
    for n in 0..90 {
        let client = format!("2001:db8:1:{n:x}::1");
        let email = format!("u{n}@example.com");
        let reply = ask_from(&app, &client, "/recover", &email).await;
        sent += u32::from(reply.status == 200);
    }
    assert_eq!(sent, 60);
    let elsewhere = "2001:db8:2:1::1";
    ask_from(&app, elsewhere, "/recover", "u0@example.net")
        .await
        .ok();
}

#[tokio::test]
async fn the_last_quarter_of_the_mails_is_kept_for_those_who_are_known() {
    let app = TestApp::spawn_with(&confirming_with(&[
        ("GOTRUE_RATE_LIMIT_EMAIL_SENT", "12"),
        ("GOTRUE_RATE_LIMIT_HEADER", "X-Client"),
    ]))
    .await;
    let create = app.as_admin(Method::POST, "/admin/users");
    let body = json!({ "email": ADA, "password": PASSWORD, "email_confirm": true });
    create.json(&body).send().await.ok();
    let sign_in = app.request(Method::POST, "/token?grant_type=password");
    let sign_in = sign_in.header("x-client", ADAS);
    let body = json!({ "email": ADA, "password": PASSWORD });
    let session = Session::of(&sign_in.json(&body).send().await);
    // A request counts, whether or not there is somebody to mail.
    for n in 0..9 {
        let path = ["/otp", "/recover"][n % 2];
        let email = format!("u{n}@example.com");
        ask_from(&app, EVES, path, &email).await.ok();
    }
    assert_eq!(app.mails().len(), 5);
    // Strangers get none any more, whomever they ask for.
    app.wait(60);
    for path in ["/otp", "/magiclink", "/recover", "/resend", "/signup"] {
        for email in [ADA, "u0@example.com", "nobody@example.com"] {
            let refused = ask_from(&app, EVES, path, email).await;
            refused.refused(429, "over_email_send_rate_limit", TOO_MANY_MAILS);
            assert_eq!(refused.header("retry-after"), Some("3540"), "{path}");
        }
    }
    assert_eq!(app.mails().len(), 5);
    // From where somebody has signed in it goes on, for whomever, but not without end.
    ask_from(&app, ADAS, "/recover", "nobody@example.com")
        .await
        .ok();
    let refused = ask_from(&app, ADAS, "/recover", ADA).await;
    refused.refused(429, "over_email_send_rate_limit", TOO_MANY_MAILS);
    // So it does for who is signed in, and for the project itself.
    let request = app.as_user(&session.access_token, Method::GET, "/reauthenticate");
    let request = request.header("x-client", "203.0.113.77");
    request.send().await.ok();
    let invite = app.as_admin(Method::POST, "/invite");
    let body = json!({ "email": "guest@example.com" });
    invite.json(&body).send().await.ok();
    assert_eq!(app.mails().len(), 7);
}

const ADA: &str = "ada@example.com";
const ADAS: &str = "203.0.113.1";
const EVES: &str = "203.0.113.9";

async fn ask_from(app: &TestApp, client: &str, path: &str, email: &str) -> Reply {
    let request = app.request(Method::POST, path).header("x-client", client);
    let body = json!({ "email": email, "password": PASSWORD, "type": "signup" });
    let body = if path == "/otp" {
        json!({ "email": email })
    } else {
        body
    };
    request.json(&body).send().await
}

impl TestApp {
    async fn get_with(&self, path: &str, header: &str, value: &str) -> Reply {
        self.request(Method::GET, path)
            .header(header, value)
            .send()
            .await
    }
}
