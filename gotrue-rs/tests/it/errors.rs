//! Both error formats, and bodies nobody should send.

use reqwest::Method;
use serde_json::json;

use crate::app::{PASSWORD, TestApp};

#[tokio::test]
async fn errors_come_in_the_format_the_client_asks_for() {
    let app = TestApp::spawn().await;
    let ask = async |version: &str| {
        app.request(Method::POST, "/token?grant_type=x")
            .header("x-supabase-api-version", version)
            .send()
            .await
    };
    let legacy =
        r#"{"code":400,"error_code":"invalid_credentials","msg":"unsupported_grant_type"}"#;
    for version in ["", "2023-12-31", "2024-13-01", "24-1-1", "latest"] {
        let reply = ask(version).await;
        assert_eq!(reply.body, legacy, "{version}");
        assert_eq!(reply.header("x-supabase-api-version"), None);
        assert_eq!(reply.header("x-sb-error-code"), Some("invalid_credentials"));
    }
    for version in ["2024-01-01", "2030-06-15"] {
        let reply = ask(version).await;
        assert_eq!(
            reply.body,
            r#"{"code":"invalid_credentials","message":"unsupported_grant_type"}"#
        );
        assert_eq!(reply.header("x-supabase-api-version"), Some("2024-01-01"));
        assert_eq!(reply.header("x-sb-error-code"), Some("invalid_credentials"));
        assert_eq!(reply.header("content-type"), Some("application/json"));
    }
}

#[tokio::test]
async fn weak_passwords_carry_reasons_in_both_formats() {
    let app = TestApp::spawn().await;
    let body = json!({ "email": "a@example.com", "password": "12345" });
    let text = "Password should be at least 6 characters.";
    let legacy = app.post("/signup", body.clone()).await;
    assert_eq!(
        legacy.json(),
        json!({ "code": 422, "error_code": "weak_password", "msg": text,
                "weak_password": { "reasons": ["length"] } })
    );
    assert_eq!(legacy.header("x-sb-error-code"), Some("weak_password"));
    let newer = app
        .request(Method::POST, "/signup")
        .v2024()
        .json(&body)
        .send()
        .await;
    assert_eq!(
        newer.json(),
        json!({ "code": "weak_password", "message": text,
                "weak_password": { "reasons": ["length"] } })
    );
    assert_eq!(newer.header("x-sb-error-code"), None);
}

#[tokio::test]
async fn what_is_not_the_json_asked_for_is_refused_everywhere() {
    let app = TestApp::spawn().await;
    let deep = format!(
        r#"{{"data":{{"x":{}1{}}}}}"#,
        "[".repeat(99),
        "]".repeat(99)
    );
    let endless = "[".repeat(60_000);
    for (path, field) in [
        ("/token?grant_type=password", "email"),
        ("/token?grant_type=refresh_token", "refresh_token"),
        ("/signup", "data"),
        ("/recover", "email"),
        ("/otp", "create_user"),
        ("/magiclink", "email"),
        ("/verify", "type"),
    ] {
        let mistyped = format!(r#"{{"{field}":[1]}}"#);
        let named_otherwise = format!(r#"{{"{}":1}}"#, field.to_uppercase());
        let mut bodies = vec![
            "",
            " ",
            "{",
            "nope",
            "[]",
            "\"\"",
            "1",
            "[1 2]",
            r#"{"x":01}"#,
        ];
        bodies.extend(["{'a':1}", r#"{"x":"\x"}"#, "{\"x\":\"\n\"}", "{\"x\":1,}"]);
        bodies.extend([&endless, &mistyped, &named_otherwise].map(String::as_str));
        if path != "/magiclink" {
            bodies.push("{} x");
        }
        if field == "data" {
            bodies.extend([r#"{"data":{"n":1e999}}"#, &deep]);
        }
        for body in bodies {
            let body = body.to_owned();
            let reply = app.request(Method::POST, path).body(body).send().await;
            reply.refused_as(400, "bad_json");
        }
    }
}

#[tokio::test]
async fn a_body_is_read_as_its_sender_meant_it() {
    let app = TestApp::spawn().await;
    app.sign_up("ada@example.com").await;
    let sign_in = async |body: &[u8]| {
        let request = app.request(Method::POST, "/token?grant_type=password");
        request.body(body.to_vec()).send().await
    };
    let (email, password) = ("ada@example.com", PASSWORD);
    for body in [
        format!(r#" {{"EMAIL":"{email}","Password":"{password}"}} "#),
        format!(r#"{{"email":"x","email":null,"email":"{email}","password":"{password}"}}"#),
        format!(r#"{{"email":"{email}","password":"{password}","phone":null,"x":[{{}}]}}"#),
        format!(r#"{{"ema\u0069l":"ad\u0061@example.com","pa\u017fsword":"{password}"}}"#),
    ] {
        sign_in(body.as_bytes()).await.ok();
    }
    let nobody = "Invalid login credentials";
    for body in [
        &br#"{"email":"ada@example.com\ud83d","password":"x"}"#[..],
        b"{\"email\":\"ada@example.com\xff\",\"password\":\"x\"}",
    ] {
        let reply = sign_in(body).await;
        reply.refused(400, "invalid_credentials", nobody);
    }
    let missing = sign_in(b"null").await;
    missing.refused(400, "validation_failed", "missing email or phone");
}

#[tokio::test]
async fn numbers_in_metadata_stay_what_they_are() {
    let app = TestApp::spawn().await;
    let numbers = r#"{"a":0.9073038322028689,"b":2.5e-7,"c":9007199254740993,"d":1e21}"#;
    let body = format!(r#"{{"email":"a@example.com","password":"{PASSWORD}","data":{numbers}}}"#);
    app.request(Method::POST, "/signup")
        .body(body)
        .send()
        .await
        .ok();
    let session = app.sign_in("a@example.com").await;
    let read = app
        .request(Method::GET, "/user")
        .bearer(&session.access_token)
        .send()
        .await;
    let user = &read.json()["user_metadata"];
    assert_eq!(user["a"].to_string(), "0.9073038322028689");
    assert_eq!(user["b"], json!(2.5e-7));
    assert_eq!(user["c"].as_f64(), Some(9_007_199_254_740_992.0));
    assert_eq!(user["d"], json!(1e21));
}

#[tokio::test]
async fn metadata_as_deep_as_it_may_be_can_be_read_everywhere() {
    let app = TestApp::spawn().await;
    let deep = format!("{}1{}", "[".repeat(98), "]".repeat(98));
    let body =
        format!(r#"{{"email":"a@example.com","password":"{PASSWORD}","data":{{"x":{deep}}}}}"#);
    let sent = app.request(Method::POST, "/signup").body(body).send().await;
    sent.ok();
    let session = app.sign_in("a@example.com").await;
    let read = app
        .request(Method::GET, "/user")
        .bearer(&session.access_token)
        .send()
        .await;
    read.ok();
    assert!(read.body.contains(&deep));
}

/// The library that reads JSON has a word that makes it parse a text once more, past every bound.
#[tokio::test]
async fn no_key_in_metadata_makes_an_account_unreadable() {
    let app = TestApp::spawn().await;
    let deep = format!("{}{}", "[".repeat(126), "]".repeat(126));
    let data = json!({ "x": { "$serde_json::private::RawValue": deep } });
    let body = json!({ "email": "a@example.com", "password": PASSWORD, "data": data });
    app.post("/signup", body).await.ok();
    let session = app.sign_in("a@example.com").await;
    let user = app.as_user(&session.access_token, Method::GET, "/user");
    let user = user.send().await;
    user.ok();
    assert!(user.body.contains(&data["x"].to_string()), "{}", user.body);
}

#[tokio::test]
async fn a_body_that_cannot_be_read_is_the_clients_mistake() {
    let app = TestApp::spawn().await;
    let head = "POST /token?grant_type=password HTTP/1.1\r\nhost: x\r\n";
    for (rest, ends) in [
        (
            "transfer-encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n",
            false,
        ),
        ("content-length: 100\r\n\r\n{", true),
    ] {
        let answer = app.raw(&format!("{head}{rest}"), ends).await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{rest}: {answer}");
        assert!(answer.contains(r#""error_code":"bad_json""#), "{answer}");
    }
}

#[tokio::test]
async fn strangers_may_say_less_at_once_than_who_has_a_token() {
    let app = TestApp::spawn().await;
    let sign_in = async |length| {
        let body = json!({ "email": "a".repeat(length), "password": PASSWORD });
        app.post("/token?grant_type=password", body).await
    };
    let fits = sign_in(63 << 10).await;
    fits.refused(400, "invalid_credentials", "Invalid login credentials");
    let error = "request_entity_too_large";
    let text = "Request body too large (max 65536 bytes)";
    sign_in(64 << 10).await.refused(413, error, text);
    let long = json!({ "email": "a".repeat(64 << 10) });
    app.post("/magiclink", long).await.refused(413, error, text);

    let session = app.sign_up("a@example.com").await;
    let save = async |length| {
        let request = app.as_user(&session.access_token, Method::PUT, "/user");
        let body = json!({ "unknown": "a".repeat(length) });
        request.json(&body).send().await
    };
    assert_eq!(save(1000 << 10).await.status, 200);
    let text = "Request body too large (max 1048576 bytes)";
    save(1 << 20).await.refused(413, error, text);
}

#[tokio::test]
async fn hostile_texts_do_no_harm() {
    let app = TestApp::spawn().await;
    app.sign_up("a@example.com").await;
    for text in [
        "' or 1=1 --",
        "a@example.com'; drop table auth.users; --",
        "$1",
        "%",
        "\\",
    ] {
        let body = json!({ "email": text, "password": text });
        let reply = app.post("/token?grant_type=password", body).await;
        reply.refused(400, "invalid_credentials", "Invalid login credentials");
        let body = json!({ "email": text, "password": PASSWORD });
        assert_eq!(app.post("/signup", body).await.status, 400, "{text}");
    }
    assert_eq!(app.count("select count(*) from auth.users").await, 1);
}

#[tokio::test]
async fn an_endless_password_is_a_wrong_one() {
    let app = TestApp::spawn().await;
    app.sign_up("a@example.com").await;
    for email in ["a@example.com", "nobody@example.com"] {
        let body = json!({ "email": email, "password": "x".repeat(60 << 10) });
        let reply = app.post("/token?grant_type=password", body).await;
        reply.refused(400, "invalid_credentials", "Invalid login credentials");
    }
}

#[tokio::test]
async fn form_bodies_are_consumed_before_anybody_reads_json() {
    let app = TestApp::spawn().await;
    let reply = app
        .request(Method::POST, "/token")
        .header("content-type", "application/x-www-form-urlencoded")
        .body("grant_type=password")
        .send()
        .await;
    reply.refused_as(400, "bad_json");
}

#[tokio::test]
async fn errors_raised_by_triggers_are_shown_to_legacy_clients_only() {
    let app = TestApp::spawn().await;
    app.superuser()
        .await
        .batch(
            "create function public.refuse() returns trigger language plpgsql as $$
             begin raise exception 'not today' using hint = 'tomorrow', errcode = 'PT418'; end $$;
             create trigger refuse before insert on auth.users
             for each row execute function public.refuse()",
        )
        .await
        .unwrap();
    let body = json!({ "email": "a@example.com", "password": PASSWORD });
    let legacy = app.post("/signup", body.clone()).await;
    assert_eq!(legacy.status, 418);
    assert_eq!(
        legacy.json(),
        json!({ "code": "PT418", "message": "not today", "hint": "tomorrow" })
    );
    let newer = app
        .request(Method::POST, "/signup")
        .v2024()
        .json(&body)
        .send()
        .await;
    assert_eq!(newer.status, 500);
    assert_eq!(
        newer.json(),
        json!({ "code": "unexpected_failure", "message": "Database error saving new user" })
    );
}

#[tokio::test]
async fn a_nul_is_refused_and_not_a_failure_of_the_service() {
    let app = TestApp::spawn().await;
    let sign_in = json!({ "email": "a\0@example.com", "password": "x" });
    let exchange = json!({ "auth_code": "\0", "code_verifier": "x" });
    for (grant, body) in [("password", sign_in), ("pkce", exchange)] {
        let path = format!("/token?grant_type={grant}");
        let reply = app.post(&path, body).await;
        assert_eq!(
            reply.json(),
            json!({ "code": 400, "error_code": "validation_failed",
                    "msg": "Text cannot contain the NUL character" }),
            "{grant}"
        );
    }
}

#[tokio::test]
async fn a_request_that_takes_too_long_is_ended() {
    let app = TestApp::spawn_with(&[("GOTRUE_API_MAX_REQUEST_DURATION", "6s")]).await;
    // No statement takes long enough to be given up, and all together do.
    let slow = |table: &str| {
        format!(
            "create or replace function public.nap() returns trigger language plpgsql as
             $$ begin perform pg_sleep(2); return new; end $$;
             create trigger nap before insert on auth.{table}
             for each row execute function public.nap()"
        )
    };
    let superuser = app.superuser().await;
    for table in ["users", "identities", "sessions", "refresh_tokens"] {
        superuser
            .batch(platform_test::sql(slow(table)))
            .await
            .unwrap();
    }
    let body = json!({ "email": "a@example.com", "password": PASSWORD });
    let reply = app.post("/signup", body).await;
    assert_eq!(reply.status, 503);
    assert!(reply.header("retry-after").is_some());
    let body = reply.json();
    assert_eq!(body["error_code"], "request_timeout");
    assert_eq!(
        body["msg"],
        "Processing this request timed out, please retry after a moment."
    );
    assert_eq!(body["error_id"].as_str(), reply.header("x-request-id"));
}
