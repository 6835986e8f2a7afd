//! Who is let in where, whatever else is wrong with the request.

use reqwest::Method;
use serde_json::{Value, json};

use crate::app::{Session, TestApp};

const ID: &str = "00000000-0000-4000-8000-00000000000a";

/// Routes of signed-in users.
const CALLERS: [(&str, &str); 10] = [
    ("GET", "/user"),
    ("PUT", "/user"),
    ("PATCH", "/user"),
    ("GET", "/user/identities/authorize"),
    ("DELETE", "/user/identities/ID"),
    ("GET", "/user/oauth/grants"),
    ("GET", "/user/unknown"),
    ("GET", "/reauthenticate"),
    ("POST", "/reauthenticate"),
    ("POST", "/logout"),
];

/// Routes of users with a name.
const NAMED: [(&str, &str); 5] = [
    ("POST", "/factors"),
    ("GET", "/factors"),
    ("DELETE", "/factors/ID"),
    ("POST", "/factors/ID/challenge"),
    ("POST", "/factors/ID/verify"),
];

/// Routes of admins.
const ADMINS: [(&str, &str); 13] = [
    ("GET", "/admin/users"),
    ("POST", "/admin/users"),
    ("GET", "/admin/users/ID"),
    ("PUT", "/admin/users/ID"),
    ("DELETE", "/admin/users/ID"),
    ("GET", "/admin/users/ID/factors"),
    ("PUT", "/admin/users/ID/factors/ID"),
    ("DELETE", "/admin/users/ID/factors/ID"),
    ("GET", "/admin/audit"),
    ("POST", "/admin/generate_link"),
    ("GET", "/admin/oauth/clients"),
    ("POST", "/admin/unknown"),
    ("POST", "/invite"),
];

/// What is answered to a body that nobody can read.
async fn answers(
    app: &TestApp,
    routes: &[(&str, &str)],
    token: Option<&str>,
) -> Vec<(u16, String)> {
    let mut answers = Vec::new();
    for (method, path) in routes {
        let method: Method = method.parse().unwrap();
        let request = app
            .request(method, &path.replace("ID", ID))
            .body("{not json");
        let request = match token {
            Some(token) => request.bearer(token),
            None => request,
        };
        let reply = request.send().await;
        let body: Value = serde_json::from_str(&reply.body).unwrap_or_default();
        let code = body["error_code"].as_str().unwrap_or_default();
        answers.push((reply.status.as_u16(), format!("{path} {code}")));
    }
    answers
}

fn all(routes: &[(&str, &str)], status: u16, code: &str) -> Vec<(u16, String)> {
    let routes = routes
        .iter()
        .map(|(_, path)| (status, format!("{path} {code}")));
    routes.collect()
}

#[tokio::test]
async fn who_asks_is_looked_at_before_anything_else() {
    let app = TestApp::spawn().await;
    let user = app.sign_up("ada@example.com").await;
    let nameless = Session::of(&app.post("/signup", json!({})).await);
    let gone = app.sign_up("gone@example.com").await;
    let delete = "delete from auth.users where email = 'gone@example.com'";
    app.superuser().await.batch(delete).await.unwrap();

    for routes in [&CALLERS[..], &NAMED, &ADMINS] {
        let answered = answers(&app, routes, None).await;
        assert_eq!(answered, all(routes, 401, "no_authorization"));
        let answered = answers(&app, routes, Some("no.token.at-all")).await;
        assert_eq!(answered, all(routes, 403, "bad_jwt"));
        let answered = answers(&app, routes, Some(&gone.access_token)).await;
        assert_eq!(answered, all(routes, 403, "user_not_found"));
    }
    let answered = answers(&app, &ADMINS, Some(&user.access_token)).await;
    assert_eq!(answered, all(&ADMINS, 403, "not_admin"));
    let answered = answers(&app, &NAMED, Some(&nameless.access_token)).await;
    assert_eq!(answered, all(&NAMED, 403, "no_authorization"));
}

#[tokio::test]
async fn whom_the_gate_lets_in_is_whom_the_handler_gets() {
    let app = TestApp::spawn().await;
    let user = app.sign_up("ada@example.com").await;
    let routes = CALLERS.iter().chain(&NAMED).copied();
    let routes: Vec<_> = routes.filter(|(_, path)| *path != "/logout").collect();
    for (status, answer) in answers(&app, &routes, Some(&user.access_token)).await {
        assert!(!matches!(status, 401 | 500..), "{status} {answer}");
    }
}
