//! What mails look like, and when none is sent.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use actix_web::{App, HttpResponse, HttpServer, web};
use reqwest::Method;
use serde_json::json;

use crate::app::{PASSWORD, TestApp};
use crate::letter::{CONFIRMING, confirming_with};

#[tokio::test]
async fn mails_come_from_the_configured_sender_with_its_headers() {
    let app = TestApp::spawn_with(&[
        ("GOTRUE_SMTP_ADMIN_EMAIL", "office@example.com"),
        ("GOTRUE_SMTP_SENDER_NAME", "The Office"),
        (
            "GOTRUE_SMTP_HEADERS",
            r#"{"X-Kind":["$messageType"],"X-Two":["a","b"]}"#,
        ),
    ])
    .await;
    let session = app.sign_up("ada@example.com").await;
    app.post("/recover", json!({ "email": "ada@example.com" }))
        .await
        .ok();
    let mail = app.last_mail();
    assert_eq!(
        (mail.from.as_str(), mail.from_name.as_str()),
        ("office@example.com", "The Office")
    );
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(
        mail.headers,
        [
            header("X-Kind", "recovery"),
            header("X-Two", "a"),
            header("X-Two", "b")
        ]
    );
    app.as_user(&session.access_token, Method::GET, "/reauthenticate")
        .send()
        .await
        .ok();
    assert_eq!(
        app.last_mail().headers[0],
        header("X-Kind", "reauthenticate")
    );
}

#[tokio::test]
async fn a_projects_own_templates_are_used_and_values_escaped() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let body = "<p>{{ with .Data.name }}Dear {{ . }}{{ else }}Hello{{ end }}</p>\
        <a href=\"{{ .SiteURL }}/confirm?token_hash={{ .TokenHash }}&type=email\">go</a>";
    file.write_all(body.as_bytes()).unwrap();
    let place = format!("file://{}", file.path().display());
    let app = TestApp::spawn_with(&confirming_with(&[
        (
            "GOTRUE_MAILER_SUBJECTS_CONFIRMATION",
            "{{ .Token }} for {{ .Data.name }}",
        ),
        ("GOTRUE_MAILER_TEMPLATES_CONFIRMATION", &place),
    ]))
    .await;
    let body =
        json!({ "email": "a+b@example.com", "password": PASSWORD, "data": { "name": "<Ada>" } });
    app.post("/signup", body).await.ok();
    let mail = app.last_mail();
    assert!(
        mail.subject.ends_with(" for &lt;Ada&gt;"),
        "{}",
        mail.subject
    );
    assert!(
        mail.html.starts_with(
            "<p>Dear &lt;Ada&gt;</p><a href=\"http://127.0.0.1:8080/confirm?token_hash="
        )
    );
}

#[tokio::test]
async fn a_template_in_a_file_is_read_anew_for_every_mail() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let place = format!("file://{}", file.path().display());
    let app = TestApp::spawn_with(&[("GOTRUE_MAILER_TEMPLATES_RECOVERY", &place)]).await;
    app.sign_up("ada@example.com").await;
    for line in ["one", "two", "{{ nothing }}", "four"] {
        file.as_file_mut().set_len(0).unwrap();
        std::fs::write(file.path(), line).unwrap();
        app.wait(61);
        app.post("/recover", json!({ "email": "ada@example.com" }))
            .await
            .ok();
        let expected = if line.starts_with('{') { "two" } else { line };
        assert_eq!(app.last_mail().html, expected);
    }
}

/// A site that serves a template until it is told to fail.
fn template_site(template: &'static str) -> (String, Arc<AtomicUsize>, Arc<AtomicUsize>) {
    let (asked, status) = (
        Arc::new(AtomicUsize::new(0)),
        Arc::new(AtomicUsize::new(200)),
    );
    let (asks, state) = (asked.clone(), status.clone());
    let server = HttpServer::new(move || {
        let (asks, state) = (asks.clone(), state.clone());
        App::new().route(
            "/recovery.html",
            web::get().to(move || {
                asks.fetch_add(1, Ordering::SeqCst);
                let status = u16::try_from(state.load(Ordering::SeqCst)).unwrap();
                let status = actix_web::http::StatusCode::from_u16(status).unwrap();
                async move { HttpResponse::build(status).body(template) }
            }),
        )
    })
    .workers(1)
    .disable_signals()
    .bind(("127.0.0.1", 0))
    .unwrap();
    let url = format!("http://{}/recovery.html", server.addrs()[0]);
    tokio::spawn(server.run());
    (url, asked, status)
}

#[tokio::test]
async fn fetched_templates_are_kept_and_outlive_their_site() {
    let (url, asked, status) = template_site("<b>Code {{ .Token }}</b>");
    let app = TestApp::spawn_with(&[("GOTRUE_MAILER_TEMPLATES_RECOVERY", &url)]).await;
    app.sign_up("ada@example.com").await;
    let recover = async || {
        app.wait(61);
        app.post("/recover", json!({ "email": "ada@example.com" }))
            .await
            .ok();
        app.last_mail().html
    };
    assert!(recover().await.starts_with("<b>Code "));
    recover().await;
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    status.store(500, Ordering::SeqCst);
    app.wait(600);
    assert!(recover().await.starts_with("<b>Code "));
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_template_that_cannot_be_used_is_replaced_by_the_built_in_one() {
    let (url, ..) = template_site("<script>{{ .Token }}</script>");
    for place in [
        url.as_str(),
        "http://127.0.0.1:1/none",
        "/nowhere",
        "file:///nowhere",
    ] {
        let app = TestApp::spawn_with(&[("GOTRUE_MAILER_TEMPLATES_RECOVERY", place)]).await;
        app.sign_up("ada@example.com").await;
        app.post("/recover", json!({ "email": "ada@example.com" }))
            .await
            .ok();
        assert!(app.last_mail().html.contains("new password"), "{place}");
    }
}

#[tokio::test]
async fn a_template_larger_than_it_may_be_is_not_used_in_part() {
    let (url, ..) = template_site("<b>A long text</b>");
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "<b>A long text</b>").unwrap();
    for place in [url, format!("file://{}", file.path().display())] {
        for (most, expected) in [("17", "new password"), ("18", "A long text")] {
            let app = TestApp::spawn_with(&[
                ("GOTRUE_MAILER_TEMPLATES_RECOVERY", place.as_str()),
                ("GOTRUE_MAILER_TEMPLATE_MAX_SIZE", most),
            ])
            .await;
            app.sign_up("ada@example.com").await;
            app.post("/recover", json!({ "email": "ada@example.com" }))
                .await
                .ok();
            let html = app.last_mail().html;
            assert!(html.contains(expected), "{place} {most}: {html}");
        }
    }
}

#[tokio::test]
async fn a_template_that_fails_for_a_user_is_a_failed_mail() {
    let subject = (
        "GOTRUE_MAILER_SUBJECTS_RECOVERY",
        "{{ index .Data.list 3 }}",
    );
    let app = TestApp::spawn_with(&[subject]).await;
    app.sign_up("ada@example.com").await;
    let reply = app
        .post("/recover", json!({ "email": "ada@example.com" }))
        .await;
    assert_eq!(
        (reply.status.as_u16(), &reply.json()["msg"]),
        (500, &json!("Error sending recovery email"))
    );
}

#[tokio::test]
async fn only_authorized_addresses_are_written_to() {
    let list = (
        "GOTRUE_EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES",
        "Ada@example.com",
    );
    let app = TestApp::spawn_with(&confirming_with(&[list])).await;
    let sign_up = async |email: &str| {
        app.post("/signup", json!({ "email": email, "password": PASSWORD }))
            .await
    };
    sign_up("ada+news@example.com").await.ok();
    let text = r#"Email address "eve@example.com" cannot be used as it is not authorized"#;
    sign_up("eve@example.com")
        .await
        .refused(400, "email_address_not_authorized", text);
    assert_eq!(app.mails().len(), 1);
    assert_eq!(app.count("select count(*) from auth.users").await, 1);
}

#[tokio::test]
async fn addresses_known_not_to_exist_are_refused_where_that_is_wanted() {
    let on = ("GOTRUE_MAILER_EMAIL_VALIDATION_EXTENDED", "true");
    let app = TestApp::spawn_with(&confirming_with(&[on])).await;
    let body = json!({ "email": "ada@example.com", "password": PASSWORD });
    let text = r#"Email address "ada@example.com" is invalid"#;
    app.post("/signup", body)
        .await
        .refused(400, "email_address_invalid", text);
    assert!(app.mails().is_empty());
}

#[tokio::test]
async fn the_server_sends_so_many_mails_and_no_more() {
    let app = TestApp::spawn_with(&confirming_with(&[("GOTRUE_RATE_LIMIT_EMAIL_SENT", "2")])).await;
    let sign_up = async |name: &str| {
        let email = format!("{name}@example.com");
        app.post("/signup", json!({ "email": email, "password": PASSWORD }))
            .await
    };
    sign_up("a").await.ok();
    sign_up("b").await.ok();
    let text = "email rate limit exceeded";
    sign_up("c")
        .await
        .refused(429, "over_email_send_rate_limit", text);
    app.wait(3600);
    sign_up("c").await.ok();
}

#[tokio::test]
async fn a_limit_of_zero_sends_nothing_even_without_confirmations() {
    let app = TestApp::spawn_with(&[("GOTRUE_RATE_LIMIT_EMAIL_SENT", "0")]).await;
    app.sign_up("ada@example.com").await;
    let reply = app
        .post("/recover", json!({ "email": "ada@example.com" }))
        .await;
    reply.refused(
        429,
        "over_email_send_rate_limit",
        "email rate limit exceeded",
    );
}

#[tokio::test]
async fn links_name_the_host_a_trusted_proxy_named() {
    let hosts = ("GOTRUE_MAILER_EXTERNAL_HOSTS", "auth.example.com,localhost");
    let paths = ("GOTRUE_MAILER_URLPATHS_RECOVERY", "/auth/v1/verify");
    let app = TestApp::spawn_with(&[hosts, paths]).await;
    app.sign_up("ada@example.com").await;
    for (host, start) in [
        (
            "auth.example.com",
            "https://auth.example.com/auth/v1/verify?token=",
        ),
        ("localhost", "https://localhost/auth/v1/verify?token="),
        ("evil.com", "http://127.0.0.1:54321/auth/v1/verify?token="),
    ] {
        app.wait(61);
        let body = json!({ "email": "ada@example.com" });
        let request = app
            .request(Method::POST, "/recover")
            .header("x-forwarded-host", host);
        request.json(&body).send().await.ok();
        let link = crate::letter::link(&app.last_mail());
        assert!(link.starts_with(start), "{host}: {link}");
    }
}

#[tokio::test]
async fn sign_up_mails_say_what_they_are_for() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    app.post(
        "/signup",
        json!({ "email": "ada@example.com", "password": PASSWORD }),
    )
    .await
    .ok();
    let mail = app.last_mail();
    assert_eq!(mail.subject, "Confirm your email address");
    assert!(mail.html.contains("ada@example.com") && mail.html.contains("http://127.0.0.1:8080"));
    let code = crate::letter::code(&mail);
    assert!(code.bytes().all(|byte| byte.is_ascii_digit()), "{code}");
}

#[tokio::test]
async fn in_the_background_nobody_waits_for_the_mail_server() {
    let on = ("GOTRUE_MAILER_EMAIL_BACKGROUND_SENDING", "true");
    let app = TestApp::spawn_with(&[on]).await;
    app.sign_up("ada@example.com").await;
    app.break_mail(true);
    let body = json!({ "email": "ada@example.com" });
    app.post("/recover", body).await.ok();
    let tokens = app.count("select count(*) from auth.one_time_tokens").await;
    assert_eq!(tokens, 1);
}
