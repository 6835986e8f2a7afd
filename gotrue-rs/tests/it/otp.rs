//! `POST /otp`.

use platform::mail::Mail;
use reqwest::Method;
use serde_json::json;

use crate::app::{Reply, Session, TestApp};
use crate::letter::{CONFIRMING, code, confirming_with};

const TEST_NUMBER: (&str, &str) = ("GOTRUE_SMS_TEST_OTP", "1234567890:654321");

#[tokio::test]
async fn a_code_by_mail_signs_up_and_in() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    app.post("/otp", json!({ "email": "ada@example.com" }))
        .await
        .ok();
    let verify =
        |token: String| json!({ "type": "email", "email": "ada@example.com", "token": token });
    let first = Session::of(&app.post("/verify", verify(code(&app.last_mail()))).await);
    assert_eq!(first.user["user_metadata"]["email_verified"], true);
    app.wait(61);
    app.post("/otp", json!({ "email": "ada@example.com" }))
        .await
        .ok();
    assert_eq!(app.last_mail().subject, "Your sign-in link");
    let second = Session::of(&app.post("/verify", verify(code(&app.last_mail()))).await);
    assert_eq!(first.user_id(), second.user_id());
}

#[tokio::test]
async fn without_create_user_only_accounts_get_codes() {
    let app = TestApp::spawn().await;
    app.sign_up("ada@example.com").await;
    for address in [
        json!({ "email": "eve@example.com" }),
        json!({ "email": "not an address" }),
        json!({ "phone": "1234567890" }),
        json!({ "phone": "x" }),
    ] {
        let mut body = address;
        body["create_user"] = json!(false);
        let reply = app.post("/otp", body).await;
        reply.refused(422, "otp_disabled", "Signups not allowed for otp");
    }
    assert!(app.mails().is_empty());
    assert_eq!(app.count("select count(*) from auth.users").await, 1);
    let body = json!({ "email": "ada@example.com", "create_user": false });
    app.post("/otp", body).await.ok();
    assert_eq!(app.mails().len(), 1);
}

#[tokio::test]
async fn requests_that_make_no_sense_are_refused() {
    let app = TestApp::spawn().await;
    for (body, text) in [
        (json!({}), "One of email or phone must be set"),
        (
            json!({ "create_user": false }),
            "One of email or phone must be set",
        ),
        (
            json!({ "email": "a@example.com", "phone": "123" }),
            "Only an email address or phone number should be provided",
        ),
        (
            json!({ "email": "a@example.com", "channel": "sms" }),
            "Channel should only be specified with Phone OTP",
        ),
        (
            json!({ "phone": "abc" }),
            "Invalid phone number format (E.164 required)",
        ),
        (
            json!({ "phone": "1234567890", "channel": "pigeon" }),
            "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider.",
        ),
    ] {
        app.post("/otp", body)
            .await
            .refused(400, "validation_failed", text);
    }
}

#[tokio::test]
async fn phones_need_their_provider() {
    let app = TestApp::spawn_with(&[("GOTRUE_EXTERNAL_PHONE_ENABLED", "false")]).await;
    let reply = app.post("/otp", json!({ "phone": "1234567890" })).await;
    reply.refused(400, "phone_provider_disabled", "Unsupported phone provider");
}

#[tokio::test]
async fn without_a_message_provider_the_user_exists_but_gets_no_code() {
    let app = TestApp::spawn().await;
    let reply = app.post("/otp", json!({ "phone": "1234567890" })).await;
    assert_eq!(reply.status, 500);
    assert_eq!(reply.json()["msg"], "Unable to get SMS provider");
    assert_eq!(app.count("select count(*) from auth.users").await, 1);
}

#[tokio::test]
async fn test_numbers_accept_their_code() {
    let app = TestApp::spawn_with(&confirming_with(&[TEST_NUMBER])).await;
    assert_eq!(
        app.post("/otp", json!({ "phone": "+1234567890" }))
            .await
            .ok(),
        json!({ "message_id": "test-otp" })
    );
    let verify = json!({ "type": "sms", "phone": "1234567890", "token": "654321" });
    let session = Session::of(&app.post("/verify", verify.clone()).await);
    assert_eq!(session.user["phone"], "1234567890");
    app.wait(61);
    let reply = app.post("/otp", json!({ "phone": "1234567890" })).await;
    assert_eq!(reply.ok(), json!({ "message_id": "test-otp" }));
    Session::of(&app.post("/verify", verify).await);
    let wrong = json!({ "type": "sms", "phone": "1234567890", "token": "000000" });
    let reply = app.post("/verify", wrong).await;
    reply.refused(403, "otp_expired", "Token has expired or is invalid");
}

#[tokio::test]
async fn whoever_comes_by_code_has_no_password_and_may_set_one() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    app.post("/otp", json!({ "email": "ada@example.com" }))
        .await
        .ok();
    let stored = app
        .query("select encrypted_password from auth.users", &[])
        .await;
    assert_eq!(stored[0].get::<_, &str>(0), "");
    let body = json!({
        "type": "email", "email": "ada@example.com", "token": crate::letter::code(&app.last_mail())
    });
    let session = crate::app::Session::of(&app.post("/verify", body).await);
    let request = app.as_user(&session.access_token, reqwest::Method::PUT, "/user");
    let body = json!({ "password": crate::app::PASSWORD });
    request.json(&body).send().await.ok();
    app.sign_in("ada@example.com").await;
}

#[tokio::test]
async fn who_redeems_the_second_code_is_who_the_second_request_says() {
    for (second, expected) in [
        (json!({ "name": "Ada" }), json!("Ada")),
        (json!({ "name": "Augusta" }), json!("Augusta")),
        (json!(null), json!(null)),
    ] {
        for who in [
            json!({ "email": "ada@example.com" }),
            json!({ "phone": "1234567890" }),
        ] {
            let app = TestApp::spawn_with(&confirming_with(&[TEST_NUMBER])).await;
            for data in [&json!({ "name": "Ada" }), &second] {
                let mut body = who.clone();
                body["data"] = data.clone();
                app.post("/otp", body).await.ok();
                app.wait(61);
            }
            let kept =
                "select count(*) from auth.users as u join auth.identities as i on i.user_id = u.id
              where u.raw_user_meta_data ->> 'name' = 'Ada' and i.identity_data ->> 'name' = 'Ada'";
            assert_eq!(app.count(kept).await, 1, "{who} {second}");
            let mut verify = who.clone();
            let is_mail = who.get("email").is_some();
            verify["type"] = json!(if is_mail { "email" } else { "sms" });
            verify["token"] = json!("654321");
            if is_mail {
                assert_eq!(app.mails().len(), 2);
                verify["token"] = json!(code(&app.last_mail()));
            }
            let session = Session::of(&app.post("/verify", verify).await);
            let user = session.user;
            assert_eq!(user["user_metadata"]["name"], expected, "{who} {second}");
            let identity = &user["identities"][0]["identity_data"];
            assert_eq!(identity["name"], expected, "{who} {second}");
            assert_eq!(app.count(KEPT).await, 0, "{who} {second}");
        }
    }
}

/// What was said with requests for codes that may still be redeemed.
const KEPT: &str = "select count(*) from _wildfire_auth.code_data";

const ADA: &str = "ada@example.com";

async fn ask_as(app: &TestApp, name: &str) -> Reply {
    let body = json!({ "email": ADA, "data": { "name": name } });
    app.post("/otp", body).await
}

async fn redeem(app: &TestApp, mail: &Mail) -> Reply {
    let body = json!({ "type": "email", "email": ADA, "token": code(mail) });
    app.post("/verify", body).await
}

#[tokio::test]
async fn who_redeems_the_first_code_is_who_the_first_request_says() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    for name in ["Ada", "Mallory"] {
        ask_as(&app, name).await.ok();
        app.wait(61);
    }
    let session = Session::of(&redeem(&app, &app.mails()[0]).await);
    assert_eq!(session.user["user_metadata"]["name"], "Ada");
    assert_eq!(app.count(KEPT).await, 0);
}

#[tokio::test]
async fn what_is_said_with_a_mail_that_is_refused_is_taken_back_with_its_code() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    for name in ["Ada", "Augusta"] {
        ask_as(&app, name).await.ok();
        app.wait(61);
    }
    app.break_mail(true);
    let refused = ask_as(&app, "Mallory").await;
    assert_eq!(refused.json()["msg"], "Error sending magic link email");
    assert_eq!(app.count(KEPT).await, 1);
    let session = Session::of(&redeem(&app, &app.last_mail()).await);
    assert_eq!(session.user["user_metadata"]["name"], "Augusta");
    let app = TestApp::spawn_with(&CONFIRMING).await;
    ask_as(&app, "Ada").await.ok();
    app.wait(61);
    app.break_mail(true);
    assert_eq!(ask_as(&app, "Mallory").await.status, 500);
    assert_eq!(app.count(KEPT).await, 0);
    let session = Session::of(&redeem(&app, &app.last_mail()).await);
    assert_eq!(session.user["user_metadata"]["name"], "Ada");
}

#[tokio::test]
async fn what_is_said_with_a_code_is_forgotten_with_the_code_and_the_user() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    let user = "select id::text from auth.users";
    for name in ["Ada", "Augusta", "Mallory", "Eve"] {
        ask_as(&app, name).await.ok();
        app.wait(61);
    }
    // The one before would be good again if the last mail had been refused.
    assert_eq!(app.count(KEPT).await, 2);
    app.wait(24 * 3600);
    app.forget_old_codes().await;
    assert_eq!(app.count(KEPT).await, 0);
    ask_as(&app, "Ada").await.ok();
    assert_eq!(app.count(KEPT).await, 1);
    let id: String = app.query(user, &[]).await[0].get(0);
    let gone = app.as_admin(Method::DELETE, &format!("/admin/users/{id}"));
    gone.send().await.ok();
    assert_eq!(app.count(KEPT).await, 0);
}

#[tokio::test]
async fn what_a_stranger_said_with_a_code_does_not_reach_an_account_that_an_admin_then_made() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    for name in ["Ada", "Mallory"] {
        ask_as(&app, name).await.ok();
        app.wait(61);
    }
    let by_admin = "insert into _wildfire_auth.admin_accounts (user_id) select id from auth.users";
    app.query(by_admin, &[]).await;
    let session = Session::of(&redeem(&app, &app.last_mail()).await);
    assert_eq!(session.user["user_metadata"]["name"], "Ada");
}

#[tokio::test]
async fn asking_for_a_code_changes_nothing_of_an_account_that_was_not_opened_by_one() {
    let with_password = "update auth.users set encrypted_password = '$2a$'";
    let known_elsewhere = "insert into auth.identities
       (id, provider_id, user_id, identity_data, provider, created_at, updated_at)
     select gen_random_uuid(), '1', id, '{\"sub\": \"1\"}', 'github', now(), now()
     from auth.users";
    let opened_by_admin =
        "insert into _wildfire_auth.admin_accounts (user_id) select id from auth.users";
    for origin in [with_password, known_elsewhere, opened_by_admin] {
        let app = TestApp::spawn_with(&CONFIRMING).await;
        let ask = async |name: &str| {
            let body = json!({ "email": "ada@example.com", "data": { "name": name } });
            app.post("/otp", body).await.ok();
            app.wait(61);
        };
        ask("Ada").await;
        app.query(origin, &[]).await;
        ask("Mallory").await;
        assert_eq!(app.mails().len(), 2);
        let kept = "select count(*) from auth.users where raw_user_meta_data ->> 'name' = 'Ada'";
        assert_eq!(app.count(kept).await, 1, "{origin}");
    }
}
