//! The whole application over HTTP: gateway, auth, prompt API, mailbox and web app in one process.

use futures_util::{SinkExt as _, StreamExt as _};
use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::{Error, Message};

use super::started::Stack;

async fn body(answer: Response) -> (u16, Value) {
    let status = answer.status().as_u16();
    let text = answer.text().await.unwrap();
    (
        status,
        serde_json::from_str(&text).unwrap_or(Value::String(text)),
    )
}

/// The code and the link of the newest mail to somebody.
async fn letter(stack: &Stack, to: &str) -> (String, String) {
    let found = stack.mail(&format!("/api/v1/search?query=to:{to}")).await;
    let id = found["messages"][0]["ID"]
        .as_str()
        .unwrap_or_else(|| panic!("no mail to {to}"));
    let letter = stack.mail(&format!("/api/v1/message/{id}")).await;
    let html = letter["HTML"].as_str().unwrap();
    let link = html
        .split("href=\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    let digits = |word: &&str| word.len() == 6 && word.bytes().all(|byte| byte.is_ascii_digit());
    let text = letter["Text"].as_str().unwrap();
    let code = text
        .split(|c: char| !c.is_alphanumeric())
        .find(digits)
        .unwrap();
    (code.to_owned(), link.replace("&amp;", "&"))
}

#[actix_web::test]
async fn a_link_from_the_mailbox_signs_in_and_the_token_makes_a_prompt() {
    let stack = Stack::start(&[]).await;
    let otp = json!({ "email": "ada@example.com", "create_user": true });
    let sent = stack
        .request(Method::POST, "/auth/v1/otp")
        .json(&otp)
        .send()
        .await
        .unwrap();
    assert_eq!(body(sent).await, (200, json!({})));
    let (code, link) = letter(&stack, "ada@example.com").await;
    let followed = stack.client.get(&link).send().await.unwrap();
    assert_eq!(followed.status(), StatusCode::SEE_OTHER, "{link}");
    let target = followed.headers()["location"].to_str().unwrap();
    let app = stack.running.addresses.app.unwrap();
    assert!(target.starts_with(&format!("http://{app}#")), "{target}");
    let token = target
        .split("access_token=")
        .nth(1)
        .unwrap()
        .split('&')
        .next()
        .unwrap();
    let create = stack
        .request(Method::POST, "/api/v1/prompts")
        .bearer_auth(token)
        .json(&json!({ "name": "Greeting", "key": "greeting", "template": "Hello {name}" }))
        .send()
        .await
        .unwrap();
    let (status, prompt) = body(create).await;
    assert_eq!(
        (status, &prompt["current_version"]["version"]),
        (201, &json!(1)),
        "{prompt}"
    );
    // The link used the code up.
    let verify = json!({ "type": "email", "email": "ada@example.com", "token": code });
    let again = stack
        .request(Method::POST, "/auth/v1/verify")
        .json(&verify)
        .send()
        .await
        .unwrap();
    assert_eq!(again.status(), StatusCode::FORBIDDEN);
    stack.running.stop().await;
}

#[actix_web::test]
async fn local_keys_are_no_user_and_the_secret_key_is_an_admin() {
    let stack = Stack::start(&[]).await;
    let user = |key: &str| {
        stack
            .request(Method::GET, "/auth/v1/user")
            .header("apikey", key)
    };
    let bare = body(stack.get("/auth/v1/user").await).await;
    let legacy = body(user(&stack.keys.anon).send().await.unwrap()).await;
    for (status, answer) in [bare, legacy] {
        assert_eq!(status, 401, "{answer}");
        assert_eq!(answer["msg"], "This endpoint requires a valid Bearer token");
    }
    let publishable = body(user(&stack.keys.publishable).send().await.unwrap()).await;
    assert_eq!(publishable.0, 403, "{}", publishable.1);
    let admin = |key: &str| {
        let request = stack
            .request(Method::GET, "/auth/v1/admin/users")
            .header("apikey", key);
        // As older clients do.
        request.bearer_auth(key).send()
    };
    assert_eq!(
        admin(stack.keys.secret.expose()).await.unwrap().status(),
        200
    );
    assert_eq!(admin(&stack.keys.publishable).await.unwrap().status(), 403);
    stack.running.stop().await;
}

#[actix_web::test]
async fn self_hosted_asks_for_a_key_except_on_open_routes() {
    let stack = Stack::start(&[("WILDFIRE_GATEWAY", "self-hosted")]).await;
    let refused = stack.get("/auth/v1/settings").await;
    assert_eq!(refused.headers()["access-control-allow-origin"], "*");
    assert_eq!(body(refused).await, (401, json!("Unauthorized")));
    let settings = stack.request(Method::GET, "/auth/v1/settings");
    let settings = settings
        .header("apikey", &stack.keys.publishable)
        .send()
        .await
        .unwrap();
    assert_eq!(settings.status(), 200);
    let (status, keys) = body(stack.get("/auth/v1/.well-known/jwks.json").await).await;
    assert_eq!((status, &keys["keys"][0]["alg"]), (200, &json!("ES256")));
    let preflight = stack
        .request(Method::OPTIONS, "/auth/v1/token")
        .header("origin", "https://app.example")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "apikey,content-type");
    let preflight = preflight.send().await.unwrap();
    assert_eq!(preflight.status(), 200);
    assert_eq!(
        preflight.headers()["access-control-allow-headers"],
        "apikey,content-type"
    );
    assert_eq!(stack.get("/health").await.status(), 200);
    stack.running.stop().await;
}

#[actix_web::test]
async fn every_service_answers_at_its_place() {
    let stack = Stack::start(&[]).await;
    let cases = [
        ("/health", 200),
        ("/auth/v1/health", 200),
        ("/metrics", 401),
        ("/docs", 200),
        ("/api/openapi.json", 200),
        ("/api/v1/nothing", 404),
        ("/api/v1/prompts", 200),
        ("/debug/auth-test", 404),
        ("/debug", 404),
        ("/health/nothing", 404),
        ("/metrics/nothing", 404),
        ("/auth/v1/nothing", 404),
        ("/rest/v1/prompts", 501),
        ("/assets/nothing.js", 404),
    ];
    for (path, expected) in cases {
        assert_eq!(stack.get(path).await.status(), expected, "{path}");
    }
    stack.running.stop().await;
}

#[actix_web::test]
async fn a_channel_of_a_build_without_realtime_is_refused_in_words_and_closed() {
    let stack = Stack::start(&[("WILDFIRE_GATEWAY", "self-hosted")]).await;
    let app = stack.running.addresses.app.unwrap();
    let url = format!("ws://{app}/realtime/v1/websocket?vsn=2.0.0");
    let refused = connect_async(url.as_str()).await.unwrap_err();
    assert!(
        matches!(&refused, Error::Http(it) if it.status() == 401),
        "{refused}"
    );
    let url = format!("{url}&apikey={}", stack.publishable_key());
    let (mut socket, _) = connect_async(url.as_str()).await.unwrap();
    let join = json!(["1", "1", "realtime:room", "phx_join", { "config": {} }]);
    socket.send(Message::text(join.to_string())).await.unwrap();
    let mut heard = async || {
        let said = socket.next().await.unwrap().unwrap();
        serde_json::from_str::<Value>(said.to_text().unwrap()).unwrap()
    };
    let reason = "Realtime (/realtime/v1) is not part of this build yet.";
    assert_eq!(
        heard().await,
        json!([
            "1", "1", "realtime:room", "phx_reply",
            { "status": "error", "response": { "reason": reason } }
        ])
    );
    assert_eq!(
        heard().await,
        json!(["1", "1", "realtime:room", "phx_close", {}])
    );
    // A message as long as nobody needs ends it.
    let long = Message::text("x".repeat(65 << 10));
    socket.send(long).await.unwrap();
    let ended = socket.next().await;
    assert!(!matches!(ended, Some(Ok(Message::Text(_)))), "{ended:?}");
    // Who asks without a socket gets the same in JSON.
    let asked = stack.request(Method::GET, "/realtime/v1/websocket");
    let asked = asked.header("apikey", stack.publishable_key());
    let (status, answer) = body(asked.send().await.unwrap()).await;
    assert_eq!((status, &answer["message"]), (501, &json!(reason)));
    stack.running.stop().await;
}
