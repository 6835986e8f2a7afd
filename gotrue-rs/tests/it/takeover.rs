//! Accounts that a stranger opened with somebody else's address, to come in later.

use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::app::{PASSWORD, Reply, Session, TestApp};
use crate::letter::{CONFIRMING, code, confirming_with, in_fragment, link};
use crate::support::{CHALLENGE, VERIFIER};

const VICTIM: &str = "ada@example.com";
const NUMBER: &str = "1234567890";
const TEST_NUMBER: (&str, &str) = ("GOTRUE_SMS_TEST_OTP", "1234567890:654321");

/// A stranger signs up with the address, and finds ways to attach more to the account.
async fn prepare(app: &TestApp, who: Value) -> Uuid {
    let mut body = who;
    body["password"] = json!(PASSWORD);
    body["data"] = json!({ "name": "Mallory" });
    app.post("/signup", body).await.ok();
    let id = app.query("select id from auth.users", &[]).await[0].get(0);
    for sql in [
        "insert into auth.identities
           (id, provider_id, user_id, identity_data, provider, created_at, updated_at)
         values (gen_random_uuid(), '1', $1, '{\"sub\": \"1\"}', 'github', now(), now())",
        "insert into auth.mfa_factors
           (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret)
         values (gen_random_uuid(), $1, 'f', 'totp', 'verified', now(), now(), 'S')",
        "with s as (
           insert into auth.sessions (id, user_id, created_at, updated_at)
           values (gen_random_uuid(), $1, now(), now()) returning id, user_id
         )
         insert into auth.refresh_tokens (instance_id, token, user_id, session_id, revoked,
           created_at, updated_at)
         select '00000000-0000-0000-0000-000000000000', 'strangers', user_id::text, id, false,
           now(), now()
         from s",
        "update auth.users
         set raw_app_meta_data = raw_app_meta_data || '{\"plan\": \"gold\"}' where id = $1",
    ] {
        app.query(sql, &[&id]).await;
    }
    app.wait(61);
    id
}

async fn ask(app: &TestApp, route: &str, who: Value) {
    app.post(route, who).await.ok();
}

async fn verify(app: &TestApp, kind: &str, code: &str) -> Session {
    Session::of(&app.try_code(kind, VICTIM, code).await)
}

async fn password_grant(app: &TestApp, mut who: Value) -> Reply {
    who["password"] = json!(PASSWORD);
    app.post("/token?grant_type=password", who).await
}

/// Nothing of the stranger's is left, and what admins noted is.
async fn is_clean(app: &TestApp, case: &str, provider: &str, who: Value, token: &str) {
    let reply = password_grant(app, who).await;
    assert_eq!(reply.status, 400, "{case}: {}", reply.body);
    assert_eq!(reply.json()["error_code"], "invalid_credentials", "{case}");
    let user = app.as_user(token, Method::GET, "/user").send().await.ok();
    assert_eq!(user["user_metadata"].get("name"), None, "{case}: {user}");
    assert_eq!(
        user["app_metadata"],
        json!({ "plan": "gold", "provider": provider, "providers": [provider] }),
        "{case}"
    );
    let identities = user["identities"].as_array().unwrap();
    assert_eq!(identities.len(), 1, "{case}: {user}");
    assert_eq!(identities[0]["provider"], provider, "{case}");
    assert_eq!(identities[0]["identity_data"].get("name"), None, "{case}");
    let data = &identities[0]["identity_data"];
    assert_eq!(data["email_verified"], provider == "email", "{case}");
    // As upstream: that a number is confirmed stands beside the identity.
    assert_eq!(data["phone_verified"], false, "{case}");
    assert_eq!(user.get("factors"), None, "{case}: {user}");
    assert_eq!(app.refresh("strangers").await.status, 400, "{case}");
    assert_eq!(app.count("select count(*) from auth.sessions").await, 1);
}

#[tokio::test]
async fn a_link_that_first_confirms_an_address_leaves_nothing_to_who_signed_up_with_it() {
    for route in ["/otp", "/magiclink", "/recover"] {
        let app = TestApp::spawn_with(&CONFIRMING).await;
        prepare(&app, json!({ "email": VICTIM })).await;
        ask(&app, route, json!({ "email": VICTIM })).await;
        let reply = app.open(&link(&app.last_mail())).await;
        let location = reply.header("location").unwrap();
        let token = in_fragment(location, "access_token");
        is_clean(&app, route, "email", json!({ "email": VICTIM }), &token).await;
    }
}

#[tokio::test]
async fn a_code_that_first_confirms_an_address_does_so_too() {
    for (route, kind) in [
        ("/otp", "email"),
        ("/otp", "magiclink"),
        ("/magiclink", "email"),
        ("/recover", "recovery"),
        ("/recover", "email"),
    ] {
        let app = TestApp::spawn_with(&CONFIRMING).await;
        let id = prepare(&app, json!({ "email": VICTIM })).await;
        ask(&app, route, json!({ "email": VICTIM })).await;
        let session = verify(&app, kind, &code(&app.last_mail())).await;
        assert_eq!(session.user_id(), id);
        let case = format!("{route} {kind}");
        let who = json!({ "email": VICTIM });
        is_clean(&app, &case, "email", who, &session.access_token).await;
    }
}

#[tokio::test]
async fn with_pkce_the_flow_goes_on_and_the_stranger_is_out() {
    for route in ["/otp", "/recover"] {
        let app = TestApp::spawn_with(&CONFIRMING).await;
        prepare(&app, json!({ "email": VICTIM })).await;
        let body = json!({
            "email": VICTIM, "code_challenge": CHALLENGE, "code_challenge_method": "s256",
        });
        ask(&app, route, body).await;
        let reply = app.open(&link(&app.last_mail())).await;
        let location = reply.header("location").unwrap();
        let (_, auth_code) = location.split_once("?code=").expect(location);
        let body = json!({ "auth_code": auth_code, "code_verifier": VERIFIER });
        let session = Session::of(&app.post("/token?grant_type=pkce", body).await);
        let who = json!({ "email": VICTIM });
        is_clean(&app, route, "email", who, &session.access_token).await;
    }
}

#[tokio::test]
async fn a_code_that_first_confirms_a_number_does_so_too() {
    let app = TestApp::spawn_with(&confirming_with(&[TEST_NUMBER])).await;
    prepare(&app, json!({ "phone": NUMBER })).await;
    ask(&app, "/otp", json!({ "phone": NUMBER })).await;
    let body = json!({ "type": "sms", "phone": NUMBER, "token": "654321" });
    let session = Session::of(&app.post("/verify", body).await);
    let who = json!({ "phone": NUMBER });
    is_clean(&app, "sms", "phone", who, &session.access_token).await;
}

#[tokio::test]
async fn the_confirmation_of_a_sign_up_keeps_its_password_and_data() {
    for again in ["", "/signup", "/resend"] {
        let app = TestApp::spawn_with(&CONFIRMING).await;
        let account = json!({
            "email": VICTIM, "password": PASSWORD, "data": { "name": "Ada" }, "type": "signup",
        });
        app.post("/signup", account.clone()).await.ok();
        app.wait(61);
        if !again.is_empty() {
            ask(&app, again, account).await;
        }
        let session = verify(&app, "signup", &code(&app.last_mail())).await;
        assert_eq!(session.user["user_metadata"]["name"], "Ada", "{again}");
        app.sign_in(VICTIM).await;
    }
    let app = TestApp::spawn_with(&confirming_with(&[TEST_NUMBER])).await;
    let account = json!({ "phone": NUMBER, "password": PASSWORD, "data": { "name": "Ada" } });
    app.post("/signup", account).await.ok();
    let body = json!({ "type": "sms", "phone": NUMBER, "token": "654321" });
    let session = Session::of(&app.post("/verify", body).await);
    assert_eq!(session.user["user_metadata"]["name"], "Ada");
    password_grant(&app, json!({ "phone": NUMBER })).await.ok();
}

#[tokio::test]
async fn a_confirmed_account_keeps_everything_when_a_link_is_followed() {
    for route in ["/otp", "/recover"] {
        let app = TestApp::spawn().await;
        let body = json!({ "email": VICTIM, "password": PASSWORD, "data": { "name": "Ada" } });
        app.post("/signup", body).await.ok();
        ask(&app, route, json!({ "email": VICTIM })).await;
        let session = verify(&app, "email", &code(&app.last_mail())).await;
        assert_eq!(session.user["user_metadata"]["name"], "Ada");
        app.sign_in(VICTIM).await;
    }
}

#[tokio::test]
async fn who_is_known_by_a_confirmed_number_keeps_it_when_the_address_is_confirmed() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    let body = json!({
        "email": VICTIM, "phone": NUMBER, "phone_confirm": true, "password": PASSWORD,
        "user_metadata": { "name": "Ada" },
    });
    app.post_as_admin("/admin/users", &body).await;
    ask(&app, "/recover", json!({ "email": VICTIM })).await;
    let session = verify(&app, "recovery", &code(&app.last_mail())).await;
    assert_eq!(session.user["phone"], NUMBER);
    assert_eq!(session.user["user_metadata"]["name"], "Ada");
    password_grant(&app, json!({ "phone": NUMBER })).await.ok();
}

#[tokio::test]
async fn a_stranger_who_only_asked_for_a_link_leaves_nothing_either() {
    for again in ["/otp", "/magiclink", "/recover"] {
        let app = TestApp::spawn_with(&CONFIRMING).await;
        let body = json!({ "email": VICTIM, "data": { "name": "Mallory" } });
        ask(&app, "/otp", body).await;
        app.wait(61);
        ask(&app, again, json!({ "email": VICTIM })).await;
        let session = verify(&app, "email", &code(&app.last_mail())).await;
        assert_eq!(session.user["user_metadata"].get("name"), None, "{again}");
        let identity = &session.user["identities"][0]["identity_data"];
        assert_eq!(identity.get("name"), None, "{again}");
    }
}

#[tokio::test]
async fn what_an_admin_put_into_an_account_stays() {
    let whole = json!({
        "email": VICTIM, "phone": NUMBER, "password": PASSWORD, "user_metadata": { "name": "Ada" },
    });
    let invited = json!({ "email": VICTIM, "data": { "name": "Ada" } });
    for (made_by, body) in [("/admin/users", &whole), ("/invite", &invited)] {
        for route in ["/otp", "/recover"] {
            let app = TestApp::spawn_with(&CONFIRMING).await;
            app.post_as_admin(made_by, body).await;
            app.wait(61);
            ask(&app, route, json!({ "email": VICTIM })).await;
            let user = verify(&app, "email", &code(&app.last_mail())).await.user;
            let case = format!("{made_by} {route}");
            assert_eq!(user["user_metadata"]["name"], "Ada", "{case}");
            let identities = user["identities"].as_array().unwrap();
            let by_email = identities.iter().find(|one| one["provider"] == "email");
            let data = &by_email.unwrap()["identity_data"];
            assert_eq!(data["email_verified"], true, "{case}");
            if made_by == "/admin/users" {
                assert_eq!(user["phone"], NUMBER, "{case}");
                app.sign_in(VICTIM).await;
            }
            assert_eq!(app.count(MARKED).await, 0, "{case}");
        }
    }
}

const MARKED: &str = "select count(*) from _wildfire_auth.admin_accounts";

#[tokio::test]
async fn a_sign_up_link_of_an_admin_takes_the_admins_password_and_data() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    prepare(&app, json!({ "email": VICTIM })).await;
    let body = json!({
        "type": "signup", "email": VICTIM, "password": "another-horse", "data": { "team": "blue" },
    });
    let made = app.post_as_admin("/admin/generate_link", &body).await;
    let session = app
        .redeem("signup", made["hashed_token"].as_str().unwrap())
        .await;
    assert_eq!(session.user["user_metadata"]["team"], "blue");
    let who = json!({ "email": VICTIM });
    is_clean(&app, "signup", "email", who, &session.access_token).await;
    let body = json!({ "email": VICTIM, "password": "another-horse" });
    app.post("/token?grant_type=password", body).await.ok();
}

#[tokio::test]
async fn an_invitation_drops_what_a_stranger_said_who_asked_for_a_link() {
    for (route, body) in [
        (
            "/invite",
            json!({ "email": VICTIM, "data": { "team": "blue" } }),
        ),
        (
            "/admin/generate_link",
            json!({ "type": "invite", "email": VICTIM, "data": { "team": "blue" } }),
        ),
    ] {
        let app = TestApp::spawn_with(&CONFIRMING).await;
        let stranger = json!({ "email": VICTIM, "data": { "name": "Mallory" } });
        ask(&app, "/otp", stranger).await;
        let user = app.post_as_admin(route, &body).await;
        assert_eq!(user["user_metadata"]["team"], "blue", "{route}");
        assert_eq!(user["user_metadata"].get("name"), None, "{route}");
    }
}

#[tokio::test]
async fn an_invitation_hands_over_what_a_stranger_had_signed_up() {
    for route in ["/invite", "/admin/generate_link"] {
        let app = TestApp::spawn_with(&CONFIRMING).await;
        prepare(&app, json!({ "email": VICTIM })).await;
        let body = json!({ "type": "invite", "email": VICTIM, "data": { "team": "blue" } });
        let made = app.post_as_admin(route, &body).await;
        // Whoever asks for a link gets it in the answer, and otherwise it is mailed.
        let session = match made["hashed_token"].as_str() {
            Some(hash) => app.redeem("invite", hash).await,
            None => verify(&app, "invite", &code(&app.last_mail())).await,
        };
        assert_eq!(session.user["user_metadata"]["team"], "blue", "{route}");
        let who = json!({ "email": VICTIM });
        is_clean(&app, route, "email", who, &session.access_token).await;
    }
}

#[tokio::test]
async fn a_stranger_who_signs_up_while_the_victim_waits_for_a_link_gets_nowhere() {
    let app = TestApp::spawn_with(&CONFIRMING).await;
    ask(&app, "/otp", json!({ "email": VICTIM })).await;
    app.wait(61);
    let body = json!({ "email": VICTIM, "password": PASSWORD, "data": { "name": "Mallory" } });
    app.post("/signup", body).await.ok();
    let session = verify(&app, "email", &code(&app.last_mail())).await;
    assert_eq!(session.user["user_metadata"].get("name"), None);
    let reply = password_grant(&app, json!({ "email": VICTIM })).await;
    assert_eq!(reply.status, 400);
}
