//! Whether an address or number has an account must not show in any public answer.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::app::{Reply, TestApp};
use crate::letter::confirming_with;
use crate::outbox::silent_server;
use crate::support::CHALLENGE;

const TEST_NUMBERS: (&str, &str) = (
    "GOTRUE_SMS_TEST_OTP",
    "12345678901:654321,12345678902:654321,12345678903:654321,12345678904:654321,\
     12345678905:654321,12345678906:654321",
);

/// A hash that costs a sign-in as much as one made here.
const HASH: &str = "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy";

/// Everything in an answer that could tell something.
fn shape(who: Who, reply: &Reply) -> Shape {
    let mut headers: Vec<_> = reply
        .headers
        .iter()
        .filter(|(name, _)| *name != "date" && *name != "x-request-id")
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
        .collect();
    headers.sort();
    let parts = reply.body.split('"').map(|part| match part {
        part if [who.email, who.phone].contains(&part.trim_end_matches('\\')) => "whom",
        id if id.parse::<Uuid>().is_ok() => "id",
        other => other,
    });
    let body = parts.collect::<Vec<_>>().join("\"");
    (reply.status.as_u16(), headers, body)
}

/// Status, headers and body, without ids, which are random, and without whom was asked for.
type Shape = (u16, Vec<(String, String)>, String);

/// Who is asked for: somebody with an account, or nobody.
#[derive(Debug, Clone, Copy)]
struct Who {
    label: &'static str,
    email: &'static str,
    phone: &'static str,
}

const WHO: [Who; 6] = [
    Who {
        label: "nobody",
        email: "user1@example.com",
        phone: "12345678901",
    },
    Who {
        label: "confirmed",
        email: "user2@example.com",
        phone: "12345678902",
    },
    Who {
        label: "unconfirmed",
        email: "user3@example.com",
        phone: "12345678903",
    },
    Who {
        label: "banned",
        email: "user4@example.com",
        phone: "12345678904",
    },
    Who {
        label: "invited",
        email: "user5@example.com",
        phone: "12345678905",
    },
    Who {
        label: "without a password",
        email: "user6@example.com",
        phone: "12345678906",
    },
];

/// A service that confirms, with an account of every kind by address and by number.
async fn with_accounts(settings: &[(&str, &str)]) -> TestApp {
    let all = [&[TEST_NUMBERS][..], settings].concat();
    let app = TestApp::spawn_with(&confirming_with(&all)).await;
    for who in &WHO[1..] {
        for address in [json!({ "email": who.email }), json!({ "phone": who.phone })] {
            let mut body = address;
            body["password_hash"] = json!(HASH);
            body["user_metadata"] = json!({ "name": who.label });
            body["email_confirm"] = json!(who.label != "unconfirmed" && who.label != "invited");
            body["phone_confirm"] = body["email_confirm"].clone();
            if who.label == "banned" {
                body["ban_duration"] = json!("24h");
            }
            app.post_as_admin("/admin/users", &body).await;
        }
    }
    let client = app.superuser().await;
    client
        .batch(
            "update auth.users set encrypted_password = '' where raw_user_meta_data ->> 'name'
               in ('invited', 'without a password');
             update auth.users set invited_at = now(), confirmation_sent_at = now()
             where raw_user_meta_data ->> 'name' = 'invited'",
        )
        .await
        .unwrap();
    app
}

/// Every public request that names somebody.
fn requests(who: Who) -> Vec<(&'static str, Value)> {
    let (email, phone) = (json!(who.email), json!(who.phone));
    let pkce = |method: &str| json!({ "email": email, "code_challenge": CHALLENGE, "code_challenge_method": method });
    let wrong_code = |kind: &str, by: &str| {
        let whom = if by == "email" { &email } else { &phone };
        (
            "/verify",
            json!({ "type": kind, by: whom, "token": "000000" }),
        )
    };
    vec![
        (
            "/token?grant_type=password",
            json!({ "email": email, "password": "wrong-password" }),
        ),
        (
            "/token?grant_type=password",
            json!({ "phone": phone, "password": "wrong-password" }),
        ),
        ("/recover", json!({ "email": email })),
        ("/recover", pkce("s256")),
        ("/recover", pkce("md5")),
        ("/magiclink", json!({ "email": email })),
        ("/magiclink", pkce("md5")),
        ("/otp", json!({ "email": email })),
        ("/otp", pkce("s256")),
        ("/otp", json!({ "phone": phone })),
        ("/resend", json!({ "type": "signup", "email": email })),
        ("/resend", json!({ "type": "email_change", "email": email })),
        ("/resend", json!({ "type": "sms", "phone": phone })),
        ("/resend", json!({ "type": "phone_change", "phone": phone })),
        ("/resend", json!({ "type": "phone_change", "email": email })),
        wrong_code("email", "email"),
        wrong_code("recovery", "email"),
        wrong_code("signup", "email"),
        wrong_code("email_change", "email"),
        wrong_code("sms", "phone"),
        wrong_code("phone_change", "phone"),
        (
            "/signup",
            json!({ "email": email, "password": "another-horse",
                    "data": { "name": "Eve", "none": null } }),
        ),
        (
            "/signup",
            json!({ "email": email, "password": "another-horse" }),
        ),
        (
            "/signup",
            json!({ "phone": phone, "password": "another-horse", "data": { "name": "Eve" } }),
        ),
        ("/signup", json!({ "email": email, "password": "short" })),
    ]
}

/// What any of the routes that mail somebody takes.
fn account_of(who: Who) -> Value {
    json!({ "email": who.email, "password": "another-horse", "type": "signup" })
}

/// Asks the same for everybody, each time at an app where nothing was asked before, as often as
/// `times`, and compares with what nobody gets.
async fn compare(settings: &[(&str, &str)], audience: Option<&str>, times: usize) {
    let routes = requests(WHO[0]).len();
    for at in 0..routes {
        let app = with_accounts(settings).await;
        let mut expected = Vec::new();
        for who in WHO {
            let (path, body) = requests(who).swap_remove(at);
            for time in 0..times {
                let mut request = app.request(Method::POST, path);
                if let Some(audience) = audience {
                    request = request.header("x-jwt-aud", audience);
                }
                let reply = shape(who, &request.json(&body).send().await);
                let case = format!("{path} {body} for {}, request {time}", who.label);
                if who.label == "nobody" {
                    assert_ne!(reply.0, 500, "{case}: {reply:?}");
                    expected.push(reply);
                } else {
                    assert_eq!(reply, expected[time], "{case}");
                }
            }
        }
    }
}

#[tokio::test]
async fn answers_are_equal_for_everybody_however_often_one_asks() {
    compare(&[], None, 2).await;
}

#[tokio::test]
async fn only_who_asks_not_to_open_an_account_is_told_that_there_is_none() {
    let app = with_accounts(&[]).await;
    for who in WHO {
        for address in [json!({ "email": who.email }), json!({ "phone": who.phone })] {
            let mut body = address.clone();
            body["create_user"] = json!(false);
            let reply = app.post("/otp", body).await;
            let expected = if who.label == "nobody" { 422 } else { 200 };
            assert_eq!(reply.status, expected, "{address} for {}", who.label);
        }
    }
    let opened = "select count(*) from auth.users where email = 'user1@example.com'
        or phone = '12345678901'";
    assert_eq!(app.count(opened).await, 0);
}

#[tokio::test]
async fn answers_are_equal_where_nobody_may_sign_up() {
    compare(&[("GOTRUE_DISABLE_SIGNUP", "true")], None, 1).await;
}

#[tokio::test]
async fn answers_are_equal_where_only_some_addresses_get_mail() {
    let name = "GOTRUE_EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES";
    compare(&[(name, "team@example.com")], None, 1).await;
}

#[tokio::test]
async fn answers_are_equal_in_another_audience() {
    compare(&[], Some("elsewhere"), 1).await;
}

#[tokio::test]
async fn whoever_asks_by_two_routes_learns_no_more() {
    let pairs = [
        ("/signup", "/resend"),
        ("/otp", "/resend"),
        ("/otp", "/recover"),
        ("/otp", "/signup"),
        ("/recover", "/otp"),
        ("/recover", "/signup"),
        ("/signup", "/recover"),
        ("/signup", "/otp"),
    ];
    let app = with_accounts(&[]).await;
    for (first, second) in pairs {
        let mut expected = None;
        for who in WHO {
            app.wait(61);
            let body = account_of(who);
            let replies = [
                shape(who, &app.post(first, body.clone()).await),
                shape(who, &app.post(second, body).await),
            ]
            .map(|(status, headers, body)| (status, headers, without_times(&body)));
            let expected = expected.get_or_insert_with(|| replies.clone());
            assert_eq!(replies, *expected, "{first} {second} for {}", who.label);
        }
    }
}

#[tokio::test]
async fn a_server_that_sends_no_more_mails_tells_nothing_either() {
    for path in ["/recover", "/otp", "/magiclink", "/resend", "/signup"] {
        let app = with_accounts(&[("GOTRUE_RATE_LIMIT_EMAIL_SENT", "4")]).await;
        for stranger in ["a", "b", "c"] {
            let body = json!({ "email": format!("{stranger}@example.com") });
            app.post("/otp", body).await.ok();
        }
        // One mail is left, which only users with a confirmed address can get.
        let [nobody, confirmed, unconfirmed, ..] = WHO;
        let mut expected = None;
        for who in [nobody, unconfirmed, confirmed] {
            let body = account_of(who);
            let reply = shape(who, &app.post(path, body).await);
            let expected = expected.get_or_insert_with(|| reply.clone());
            assert_eq!(reply, *expected, "{path} for {}", who.label);
        }
        app.wait(61);
        app.post("/otp", json!({ "email": confirmed.email })).await;
        app.wait(61);
        for who in WHO {
            let body = account_of(who);
            let reply = app.post(path, body).await;
            assert_eq!(reply.status, 429, "{path} for {}", who.label);
        }
    }
}

fn without_times(body: &str) -> String {
    let parts = body.split('"').map(|part| {
        let is_time = part.parse::<jiff::Timestamp>().is_ok();
        if is_time { "time" } else { part }
    });
    parts.collect::<Vec<_>>().join("\"")
}

#[tokio::test]
async fn a_busy_mail_server_tells_nobody_who_has_an_account() {
    let (port, visitors) = silent_server();
    let app = with_accounts(&[
        ("GOTRUE_SMTP_HOST", "127.0.0.1"),
        ("GOTRUE_SMTP_PORT", port.as_str()),
        ("GOTRUE_SMTP_MAX_CONVERSATIONS", "1"),
        ("GOTRUE_API_MAX_REQUEST_DURATION", "8s"),
    ])
    .await;
    for path in ["/recover", "/otp", "/signup", "/resend"] {
        let body = json!({ "email": format!("guest{}@example.com", path.len()) });
        let invite = app.as_admin(Method::POST, "/invite").json(&body).send();
        let others = async {
            while visitors.try_recv().is_err() {
                tokio::task::yield_now().await;
            }
            let ask = async |who: Who| {
                let body = account_of(who);
                shape(who, &app.post(path, body).await)
            };
            futures_util::join!(ask(WHO[0]), ask(WHO[1]))
        };
        let (_, (nobody, somebody)) = futures_util::join!(invite, others);
        assert_eq!(nobody.0, 503, "{path}: {nobody:?}");
        assert_eq!(nobody, somebody, "{path}");
        app.wait(61);
    }
}

#[tokio::test]
async fn signing_in_and_up_takes_the_same_work_for_everybody() {
    let app = with_accounts(&[]).await;
    for (path, status) in [("/token?grant_type=password", 400), ("/signup", 200)] {
        let mut fastest = [Duration::MAX; WHO.len()];
        // By turns, so that a busy moment of the machine meets everybody alike.
        for _ in 0..6 {
            for (who, fastest) in WHO.iter().zip(&mut fastest) {
                let body = json!({ "email": who.email, "password": "another-horse" });
                let started = Instant::now();
                let reply = app.post(path, body).await;
                *fastest = started.elapsed().min(*fastest);
                assert_eq!(reply.status, status, "{path}: {}", reply.body);
            }
        }
        let (least, most) = (fastest.iter().min().unwrap(), fastest.iter().max().unwrap());
        // Hashing takes a hundred times as long as everything else.
        assert!(*most < *least * 20, "{path}: {fastest:?}");
    }
}
