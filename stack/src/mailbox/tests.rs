//! Filing, the bound, Mailpit's API and search, the page, and what the page keeps out.

use actix_web::http::header::HeaderMap;
use actix_web::middleware::from_fn;
use actix_web::test::{TestRequest, call_service, init_service, read_body};
use actix_web::{App, web};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::{SignedDuration, Timestamp};
use platform::clock::Clock;
use serde_json::{Value, json};

use super::*;
use crate::gateway::{GatewayKeys, OpaqueKeys};

struct Fixture {
    folder: tempfile::TempDir,
    store: Arc<Store>,
    clock: Clock,
}

fn fixture() -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::fixed("2026-03-04T05:06:07.123456Z".parse::<Timestamp>().unwrap());
    let store = Arc::new(Store::open(folder.path(), clock.clone()).unwrap());
    Fixture {
        folder,
        store,
        clock,
    }
}

fn mail(to: &str, subject: &str, html: &str) -> Mail {
    Mail {
        from_name: "Wildfire".to_owned(),
        from: "no-reply@wildfire.example".to_owned(),
        to: to.to_owned(),
        subject: subject.to_owned(),
        html: html.to_owned(),
        headers: vec![("X-Message-Type".to_owned(), "magic_link".to_owned())],
    }
}

const LINK: &str = "http://127.0.0.1:54321/auth/v1/verify?token=abc&amp;type=magiclink";

impl Fixture {
    async fn send(&self, to: &str, subject: &str) {
        let html = format!("<p>Hello</p><p><a href=\"{LINK}\">Sign in</a></p><p>Code: 123456</p>");
        let mailer = MailboxMailer::new(Arc::clone(&self.store));
        mailer.send(&mail(to, subject, &html)).await.unwrap();
        self.clock.advance(SignedDuration::from_secs(1));
    }

    async fn ask(&self, request: TestRequest) -> (u16, HeaderMap, String) {
        self.ask_at(Door::Open, request).await
    }

    async fn ask_at(&self, door: Door, request: TestRequest) -> (u16, HeaderMap, String) {
        let request = request.append_header(("host", "127.0.0.1"));
        let app = App::new()
            .app_data(web::Data::new(door))
            .app_data(web::Data::from(Arc::clone(&self.store)))
            .app_data(web::Data::new(self.clock.clone()))
            .wrap(from_fn(guard))
            .configure(configure);
        let response = call_service(&init_service(app).await, request.to_request()).await;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = read_body(response).await;
        (status, headers, String::from_utf8_lossy(&body).into_owned())
    }

    async fn get(&self, path: &str) -> String {
        let (status, _, body) = self.ask(TestRequest::with_uri(path)).await;
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    async fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.get(path).await).unwrap()
    }

    async fn subjects(&self, path: &str) -> Vec<String> {
        let messages = self.json(path).await["messages"].clone();
        let subject = |mail: &Value| mail["Subject"].as_str().unwrap().to_owned();
        messages.as_array().unwrap().iter().map(subject).collect()
    }
}

#[actix_web::test]
async fn the_list_has_the_fields_of_mailpit() {
    let mailbox = fixture();
    mailbox
        .send("Ada@example.com", "Your sign-in link – grüezi")
        .await;
    let body = mailbox.json("/api/v1/messages").await;
    let mail = &body["messages"][0];
    assert_eq!(body["total"], 1);
    assert_eq!(body["unread"], 1);
    assert_eq!(body["messages_count"], 1);
    assert_eq!(mail["Subject"], "Your sign-in link – grüezi");
    assert_eq!(
        mail["From"],
        json!({"Name": "Wildfire", "Address": "no-reply@wildfire.example"})
    );
    assert_eq!(
        mail["To"],
        json!([{"Name": "", "Address": "Ada@example.com"}])
    );
    assert_eq!(mail["Created"], "2026-03-04T05:06:07.123456Z");
    assert_eq!(
        (&mail["Read"], &mail["Attachments"]),
        (&json!(false), &json!(0))
    );
    assert!(
        mail["Snippet"].as_str().unwrap().contains("Code: 123456"),
        "{mail}"
    );
    for name in [
        "ID",
        "MessageID",
        "Cc",
        "Bcc",
        "ReplyTo",
        "Tags",
        "Size",
        "Username",
    ] {
        assert!(mail.get(name).is_some(), "{name}");
    }
}

#[actix_web::test]
async fn a_message_is_read_by_id_or_as_the_latest_and_counts_as_opened() {
    let mailbox = fixture();
    mailbox.send("ada@example.com", "First").await;
    mailbox.send("ada@example.com", "Second").await;
    let latest = mailbox.json("/api/v1/message/latest").await;
    assert_eq!(latest["Subject"], "Second");
    assert!(latest["HTML"].as_str().unwrap().contains(LINK));
    assert!(latest["Text"].as_str().unwrap().contains("Code: 123456"));
    let path = format!("/api/v1/message/{}", latest["ID"].as_str().unwrap());
    assert_eq!(mailbox.json(&path).await["Subject"], "Second");
    assert_eq!(mailbox.json("/api/v1/messages").await["unread"], 1);
    let raw = mailbox.get(&format!("{path}/raw")).await;
    assert!(raw.contains("Subject: Second\r\n"), "{raw}");
    let headers = mailbox.json(&format!("{path}/headers")).await;
    assert_eq!(headers["X-Message-Type"], json!(["magic_link"]));
    for missing in [
        "/api/v1/message/nope",
        "/api/v1/message/..%2f..%2fetc",
        "/message/nope",
    ] {
        assert_eq!(
            mailbox.ask(TestRequest::with_uri(missing)).await.0,
            404,
            "{missing}"
        );
    }
}

#[actix_web::test]
async fn lists_are_newest_first_and_windowed() {
    let mailbox = fixture();
    for subject in ["a", "b", "c"] {
        mailbox.send("ada@example.com", subject).await;
    }
    assert_eq!(mailbox.subjects("/api/v1/messages").await, ["c", "b", "a"]);
    assert_eq!(
        mailbox.subjects("/api/v1/messages?start=1&limit=1").await,
        ["b"]
    );
    assert_eq!(mailbox.subjects("/api/v1/messages?limit=0").await, [""; 0]);
}

#[actix_web::test]
async fn search_understands_fields_words_phrases_and_negation() {
    let mailbox = fixture();
    mailbox.send("ada@example.com", "Your sign-in link").await;
    mailbox
        .send("grace@example.com", "Reset your password")
        .await;
    let cases: [(&str, &[&str]); 10] = [
        ("to:ada@example.com", &["Your sign-in link"]),
        ("to:%22ADA@example.com%22", &["Your sign-in link"]),
        (
            "to:example.com",
            &["Reset your password", "Your sign-in link"],
        ),
        ("from:wildfire%20subject:password", &["Reset your password"]),
        ("subject:%22sign-in+link%22", &["Your sign-in link"]),
        ("-to:ada@example.com", &["Reset your password"]),
        ("grace", &["Reset your password"]),
        ("123456", &["Reset your password", "Your sign-in link"]),
        ("is:read", &[]),
        ("nobody", &[]),
    ];
    for (query, expected) in cases {
        let path = format!("/api/v1/search?query={query}");
        assert_eq!(mailbox.subjects(&path).await, expected, "{query}");
    }
}

#[actix_web::test]
async fn a_search_reads_no_file_and_has_few_terms() {
    let mailbox = fixture();
    mailbox.send("ada@example.com", "Sign in").await;
    let mail = mailbox.store.resolve("latest").unwrap();
    std::fs::remove_file(mailbox.folder.path().join(format!("{mail}.eml"))).unwrap();
    assert_eq!(
        mailbox.subjects("/api/v1/search?query=123456").await,
        ["Sign in"]
    );
    for (terms, expected) in [(20, 200), (21, 400)] {
        let path = format!("/api/v1/search?query={}", "a+".repeat(terms));
        assert_eq!(mailbox.ask(TestRequest::with_uri(&path)).await.0, expected);
        let delete = TestRequest::delete().uri(&path);
        assert_eq!(mailbox.ask(delete).await.0, expected);
    }
}

#[actix_web::test]
async fn mails_are_deleted_by_id_by_search_or_all() {
    let mailbox = fixture();
    for subject in ["a", "b", "c", "d"] {
        mailbox.send("ada@example.com", subject).await;
    }
    let id = mailbox.json("/api/v1/message/latest").await["ID"].clone();
    let delete = |body: &str| {
        TestRequest::delete()
            .uri("/api/v1/messages")
            .set_payload(body.to_owned())
    };
    let (status, _, body) = mailbox
        .ask(delete(&json!({ "IDs": [id] }).to_string()))
        .await;
    assert_eq!((status, body.as_str()), (200, "ok"));
    assert_eq!(mailbox.subjects("/api/v1/messages").await, ["c", "b", "a"]);
    mailbox
        .ask(TestRequest::delete().uri("/api/v1/search?query=subject:c"))
        .await;
    assert_eq!(mailbox.subjects("/api/v1/messages").await, ["b", "a"]);
    assert_eq!(mailbox.ask(delete("nonsense")).await.0, 400);
    assert_eq!(mailbox.subjects("/api/v1/messages").await.len(), 2);
    mailbox.ask(delete("")).await;
    assert_eq!(mailbox.subjects("/api/v1/messages").await.len(), 0);
    assert_eq!(std::fs::read_dir(mailbox.folder.path()).unwrap().count(), 0);
}

#[actix_web::test]
async fn mail_survives_a_restart_and_a_broken_write_does_not_count() {
    let mailbox = fixture();
    mailbox.send("ada@example.com", "Kept").await;
    std::fs::write(mailbox.folder.path().join("half.part"), "Subject: ha").unwrap();
    std::fs::write(
        mailbox.folder.path().join("foreign.eml"),
        "Subject: x\r\n\r\n",
    )
    .unwrap();
    let store = Store::open(mailbox.folder.path(), mailbox.clock.clone()).unwrap();
    let subjects: Vec<String> = store
        .summaries()
        .into_iter()
        .map(|mail| mail.subject)
        .collect();
    assert_eq!(subjects, ["Kept"]);
    assert!(!mailbox.folder.path().join("half.part").exists());
}

#[test]
fn only_the_newest_are_kept() {
    let mailbox = fixture();
    for number in 0..store::KEPT + 3 {
        mailbox
            .store
            .file(format!("Subject: {number}\r\n\r\n").as_bytes())
            .unwrap();
    }
    let mails = mailbox.store.summaries();
    assert_eq!(
        (mails.len(), mails[0].subject.as_str()),
        (store::KEPT, "502")
    );
    assert_eq!(
        std::fs::read_dir(mailbox.folder.path()).unwrap().count(),
        store::KEPT
    );
}

#[test]
fn a_clock_set_back_does_not_reorder_mail() {
    let mailbox = fixture();
    let older = mailbox.store.file(b"Subject: older\r\n\r\n").unwrap();
    mailbox.clock.advance(SignedDuration::from_hours(-1));
    assert!(mailbox.store.file(b"Subject: newer\r\n\r\n").unwrap() > older);
}

#[actix_web::test]
async fn the_page_shows_code_and_link_and_the_mail_in_a_frame_that_runs_nothing() {
    let mailbox = fixture();
    mailbox.send("ada@example.com", "<b>Sign in</b>").await;
    let id = mailbox.store.resolve("latest").unwrap();
    let page = mailbox.get(&format!("/message/{id}")).await;
    assert!(
        page.contains("&lt;b&gt;Sign in&lt;/b&gt;") && !page.contains("<b>Sign in"),
        "{page}"
    );
    assert!(page.contains("data-copy=\"123456\""), "{page}");
    assert!(page.contains(&format!("href=\"{LINK}\"")), "{page}");
    let path = format!("/view/{id}.html");
    let (_, headers, body) = mailbox.ask(TestRequest::with_uri(&path)).await;
    let policy = headers
        .get("content-security-policy")
        .unwrap()
        .to_str()
        .unwrap();
    assert!(
        policy.contains("sandbox allow-same-origin allow-popups") && !policy.contains("script")
    );
    assert!(body.starts_with("<base target=\"_blank\">"));
    let list = mailbox.get("/").await;
    assert!(
        list.contains("1 mail") && list.contains("&lt;b&gt;Sign in"),
        "{list}"
    );
}

#[actix_web::test]
async fn other_hosts_are_turned_away() {
    let mailbox = fixture();
    let cases = [
        ("127.0.0.1:54324", 200),
        ("localhost:54324", 200),
        ("[::1]:54324", 200),
        ("192.168.1.5", 200),
        ("evil.example:54324", 421),
        ("127.0.0.1.evil.example", 421),
    ];
    for (host, expected) in cases {
        let request = TestRequest::with_uri("/api/v1/messages")
            .insert_header(("host", host))
            .insert_header(("x-forwarded-host", "127.0.0.1"))
            .insert_header(("forwarded", "host=127.0.0.1"));
        assert_eq!(mailbox.ask(request).await.0, expected, "{host}");
    }
}

#[actix_web::test]
async fn a_locked_mailbox_opens_with_the_secret_key_only() {
    let mailbox = fixture();
    mailbox.send("ada@example.com", "Sign in").await;
    let keys = GatewayKeys {
        anon: "anon.jwt".to_owned(),
        service_role: "service.jwt".to_owned(),
        opaque: Some(OpaqueKeys {
            publishable: "sb_publishable_x".to_owned(),
            secret: "sb_secret_x".to_owned(),
            anon_jwt: "anon.internal".to_owned(),
            service_role_jwt: "service.internal".to_owned(),
        }),
    };
    let basic = |pair: &str| format!("Basic {}", STANDARD.encode(pair));
    let cases = [
        (String::new(), 401),
        ("Basic !".to_owned(), 401),
        ("Bearer sb_secret_x".to_owned(), 401),
        (basic("sb_secret_x"), 401),
        (basic(":"), 401),
        (basic("admin:sb_publishable_x"), 401),
        (basic("admin:anon.jwt"), 401),
        (basic("admin:service.internal"), 401),
        (basic("admin:sb_secret_y"), 401),
        (basic("admin:sb_secret_x"), 200),
        (basic(":service.jwt"), 200),
    ];
    for path in ["/", "/api/v1/messages", "/api/v1/message/latest", "/livez"] {
        for (authorization, expected) in &cases {
            let request = TestRequest::with_uri(path)
                .insert_header(("authorization", authorization.as_str()));
            let door = Door::Locked(keys.clone());
            let (status, headers, body) = mailbox.ask_at(door, request).await;
            assert_eq!(status, *expected, "{path} {authorization}");
            if status == 401 {
                let asked = headers.get("www-authenticate").unwrap().to_str().unwrap();
                assert!(asked.starts_with("Basic "), "{asked}");
                assert!(!body.contains("ada@example.com"));
            }
        }
    }
}

#[actix_web::test]
async fn a_code_below_a_heading_is_a_word_of_its_own() {
    let mailbox = fixture();
    let html = "<h2>Your code</h2><table><tr><td>Code</td><td>654321</td></tr></table><p>Bye</p>";
    let mailer = MailboxMailer::new(Arc::clone(&mailbox.store));
    mailer
        .send(&mail("ada@example.com", "Code", html))
        .await
        .unwrap();
    let letter = mailbox.store.letter("latest").unwrap().unwrap();
    assert_eq!(
        extract::code(&letter.text).as_deref(),
        Some("654321"),
        "{:?}",
        letter.text
    );
}

#[test]
fn codes_and_links_are_found_and_nothing_else_is_taken_for_one() {
    let cases = [
        ("Your code is 123456.", Some("123456")),
        ("Enter (98765432) now", Some("98765432")),
        ("Order 12345 of 2026", None),
        ("see https://x.example/123456", None),
        ("abc123456", None),
        ("for box-07490326-4@example.com: 123456", Some("123456")),
    ];
    for (text, expected) in cases {
        assert_eq!(extract::code(text).as_deref(), expected, "{text}");
    }
    let html = "<a href=\"https://x.example/\">home</a><a href='https://x.example/a?token_hash=1&amp;b=2'>";
    assert_eq!(
        extract::link(html, "").as_deref(),
        Some("https://x.example/a?token_hash=1&b=2")
    );
    assert_eq!(extract::link("<a href=\"javascript:alert(1)\">", ""), None);
    assert_eq!(
        extract::link("", "go to https://x.example/y.").as_deref(),
        Some("https://x.example/y")
    );
}
