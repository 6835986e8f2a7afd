//! `/factors` with an authenticator app.

use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::app::{Reply, Session, TestApp};

async fn send(app: &TestApp, session: &Session, path: &str, body: Value) -> Reply {
    let request = app.as_user(&session.access_token, Method::POST, path);
    request.json(&body).send().await
}

async fn enroll(app: &TestApp, session: &Session, name: &str) -> Reply {
    let body = json!({ "factor_type": "totp", "friendly_name": name });
    send(app, session, "/factors", body).await
}

/// The code an authenticator app shows now.
pub(crate) fn code(app: &TestApp, secret: &str) -> String {
    code_at(app.clock.now().as_second(), secret)
}

/// What an authenticator app shows at this time.
pub(crate) fn code_at(second: i64, secret: &str) -> String {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let bits: Vec<u8> = secret
        .bytes()
        .map(|symbol| alphabet.iter().position(|known| *known == symbol).unwrap())
        .flat_map(|value| (0..5).rev().map(move |bit| u8::from(value >> bit & 1 == 1)))
        .collect();
    let byte = |bits: &[u8]| bits.iter().fold(0, |byte, bit| byte << 1 | bit);
    let key: Vec<u8> = bits.chunks_exact(8).map(byte).collect();
    let key = aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, &key);
    let counter = second / 30;
    let tag = aws_lc_rs::hmac::sign(&key, &counter.to_be_bytes());
    let tag = tag.as_ref();
    let at = usize::from(tag[19] & 15);
    let word = u32::from_be_bytes([tag[at] & 127, tag[at + 1], tag[at + 2], tag[at + 3]]);
    format!("{:06}", word % 1_000_000)
}

/// A challenge of a factor.
async fn challenge(app: &TestApp, session: &Session, factor: &str) -> String {
    let reply = send(
        app,
        session,
        &format!("/factors/{factor}/challenge"),
        json!({}),
    )
    .await;
    reply.ok()["id"].as_str().unwrap().to_owned()
}

async fn verify(app: &TestApp, session: &Session, factor: &str, id: &str, code: &str) -> Reply {
    let body = json!({ "challenge_id": id, "code": code });
    send(app, session, &format!("/factors/{factor}/verify"), body).await
}

/// A verified factor (its id and secret) and the session it raised.
async fn raised(app: &TestApp, session: &Session) -> (String, Session) {
    let body = enroll(app, session, "app").await.ok();
    let (id, secret) = (
        body["id"].as_str().unwrap(),
        body["totp"]["secret"].as_str().unwrap(),
    );
    let open = challenge(app, session, id).await;
    let reply = verify(app, session, id, &open, &code(app, secret)).await;
    (id.to_owned(), Session::of(&reply))
}

#[tokio::test]
async fn an_app_is_enrolled_and_raises_the_session() {
    for settings in [
        &[][..],
        &[("GOTRUE_SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION", "2")][..],
    ] {
        let app = TestApp::spawn_with(settings).await;
        app.sign_up("a@example.com").await;
        let session = app.sign_in("a@example.com").await;
        let body = enroll(&app, &session, "app").await.ok();
        assert_eq!(
            (&body["type"], &body["friendly_name"]),
            (&json!("totp"), &json!("app"))
        );
        assert!(
            body["totp"]["qr_code"]
                .as_str()
                .unwrap()
                .starts_with("<svg")
        );
        let uri = body["totp"]["uri"].as_str().unwrap();
        assert!(
            uri.starts_with("otpauth://totp/127.0.0.1:8080:a@example.com?"),
            "{uri}"
        );
        let (id, secret) = (
            body["id"].as_str().unwrap(),
            body["totp"]["secret"].as_str().unwrap(),
        );
        let open = challenge(&app, &session, id).await;
        app.wait(1);
        let raised = Session::of(&verify(&app, &session, id, &open, &code(&app, secret)).await);
        let claims = raised.claims();
        assert_eq!(claims["aal"], "aal2");
        assert_eq!(claims["amr"][0]["method"], "totp");
        assert_eq!(claims["amr"][1]["method"], "password");
        assert_eq!(claims["session_id"], session.claims()["session_id"]);
        assert_eq!(raised.user["factors"][0]["status"], "verified");
        assert_eq!(app.count("select count(*) from auth.sessions").await, 1);
        let next = Session::of(&app.refresh(&raised.refresh_token).await);
        assert_eq!(next.claims()["aal"], "aal2");
    }
}

#[tokio::test]
async fn answers_are_checked() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("a@example.com").await;
    let body = enroll(&app, &session, "app").await.ok();
    let (id, secret) = (
        body["id"].as_str().unwrap(),
        body["totp"]["secret"].as_str().unwrap(),
    );
    let open = challenge(&app, &session, id).await;
    let unprocessable = |reply: Reply, code: &str, text: &str| reply.refused(422, code, text);
    unprocessable(
        verify(&app, &session, id, &open, "000").await,
        "mfa_verification_failed",
        "Invalid TOTP code entered",
    );
    verify(&app, &session, id, &open, "").await.refused(
        400,
        "validation_failed",
        "Code needs to be non-empty",
    );
    unprocessable(
        verify(&app, &session, id, &Uuid::new_v4().to_string(), "123456").await,
        "mfa_factor_not_found",
        "MFA factor with the provided challenge ID not found",
    );
    assert_eq!(
        verify(&app, &session, id, "x", "123456").await.json()["error_code"],
        "bad_json"
    );
    app.wait(301);
    unprocessable(
        verify(&app, &session, id, &open, &code(&app, secret)).await,
        "mfa_challenge_expired",
        &format!(
            "MFA challenge {open} has expired, verify against another challenge or create a new \
             challenge."
        ),
    );
    let open = challenge(&app, &session, id).await;
    verify(&app, &session, id, &open, &code(&app, secret))
        .await
        .ok();
    unprocessable(
        verify(&app, &session, id, &open, &code(&app, secret)).await,
        "mfa_ip_address_mismatch",
        "Challenge and verify IP addresses mismatch.",
    );
}

#[tokio::test]
async fn enrolling_has_its_limits() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("a@example.com").await;
    enroll(&app, &session, "").await.ok();
    enroll(&app, &session, "").await.refused(
        422,
        "mfa_factor_name_conflict",
        "A factor with the friendly name \"\" for this user already exists",
    );
    for (kind, code) in [
        ("phone", "mfa_phone_enroll_not_enabled"),
        ("webauthn", "mfa_webauthn_enroll_not_enabled"),
    ] {
        let reply = send(&app, &session, "/factors", json!({ "factor_type": kind })).await;
        assert_eq!(
            (reply.status.as_u16(), reply.header("x-sb-error-code")),
            (422, Some(code))
        );
    }
    send(&app, &session, "/factors", json!({ "factor_type": "x" }))
        .await
        .refused(
            400,
            "validation_failed",
            "factor_type needs to be totp, phone, or webauthn",
        );
    let (_, raised) = raised(&app, &session).await;
    assert_eq!(raised.user["factors"].as_array().unwrap().len(), 2);
    let left = "select count(*) from auth.mfa_factors";
    assert_eq!(app.count(left).await, 1);
    let fresh = app.sign_in("a@example.com").await;
    enroll(&app, &fresh, "other").await.refused(
        403,
        "insufficient_aal",
        "AAL2 required to enroll a new factor",
    );
    enroll(&app, &raised, "other").await.ok();
    let nameless = Session::of(&app.post("/signup", json!({})).await);
    enroll(&app, &nameless, "x").await.refused(
        403,
        "no_authorization",
        "Anonymous user not allowed to perform these actions",
    );
}

#[tokio::test]
async fn a_verified_factor_goes_only_from_a_raised_session() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("a@example.com").await;
    let (id, raised) = raised(&app, &session).await;
    let fresh = app.sign_in("a@example.com").await;
    let remove = async |session: &Session, id: &str| {
        let path = format!("/factors/{id}");
        app.as_user(&session.access_token, Method::DELETE, &path)
            .send()
            .await
    };
    remove(&fresh, &id).await.refused(
        422,
        "insufficient_aal",
        "AAL2 required to unenroll verified factor",
    );
    remove(&fresh, "x")
        .await
        .refused(404, "validation_failed", "factor_id must be an UUID");
    let unknown = Uuid::new_v4().to_string();
    remove(&fresh, &unknown)
        .await
        .refused(404, "mfa_factor_not_found", "Factor not found");
    assert_eq!(remove(&raised, &id).await.ok(), json!({ "id": id }));
    let next = Session::of(&app.refresh(&raised.refresh_token).await);
    assert_eq!(next.claims()["aal"], "aal1");
    assert!(next.user.get("factors").is_none());
}

#[tokio::test]
async fn the_factors_of_others_do_not_exist() {
    let app = TestApp::spawn().await;
    let owner = app.sign_up("a@example.com").await;
    let other = app.sign_up("b@example.com").await;
    let body = enroll(&app, &owner, "app").await.ok();
    let path = format!("/factors/{}/challenge", body["id"].as_str().unwrap());
    send(&app, &other, &path, json!({})).await.refused(
        404,
        "mfa_factor_not_found",
        "Factor not found",
    );
}

#[tokio::test]
async fn admins_rename_and_remove_factors() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("a@example.com").await;
    let (id, raised) = raised(&app, &session).await;
    let admin = platform_test::tokens::service_role();
    let path = format!("/admin/users/{}/factors/{id}", session.user_id());
    let put = app.as_user(&admin, Method::PUT, &path);
    let renamed = put
        .json(&json!({ "friendly_name": "phone", "phone": "1" }))
        .send()
        .await
        .ok();
    assert_eq!(
        (&renamed["friendly_name"], &renamed["phone"]),
        (&json!("phone"), &json!(""))
    );
    let user = app
        .as_user(&session.access_token, Method::DELETE, &path)
        .send()
        .await;
    user.refused(403, "not_admin", "User not allowed");
    let removed = app.as_user(&admin, Method::DELETE, &path).send().await.ok();
    assert_eq!(removed["id"], json!(id));
    let again = app.as_user(&admin, Method::DELETE, &path).send().await;
    again.refused(404, "mfa_factor_not_found", "Factor not found");
    let next = Session::of(&app.refresh(&raised.refresh_token).await);
    assert_eq!(next.claims()["aal"], "aal1");
}

#[tokio::test]
async fn of_many_enrolments_under_one_name_at_once_one_succeeds() {
    let app = TestApp::spawn().await;
    let session = app.sign_up("ada@example.com").await;
    for name in ["app", ""] {
        let enrolments = (0..6).map(|_| enroll(&app, &session, name));
        let replies = futures_util::future::join_all(enrolments).await;
        let (ok, refused): (Vec<_>, Vec<_>) = replies
            .into_iter()
            .partition(|reply| reply.status.is_success());
        assert_eq!(ok.len(), 1, "{name:?}");
        for reply in refused {
            let text =
                format!("A factor with the friendly name {name:?} for this user already exists");
            reply.refused(422, "mfa_factor_name_conflict", &text);
        }
    }
}
