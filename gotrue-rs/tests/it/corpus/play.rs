//! Sends the requests of a scenario, one after the other.

use std::collections::{BTreeMap, BTreeSet};

use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, Response, redirect};
use serde_json::{Value, json};

use super::file::{Answer, Step};
use super::normal::{self, Ids};
use crate::factors::code_at;

/// What signs the tokens of all settings.
const SECRET: &str = platform::api_keys::DEMO_JWT_SECRET;

/// Whom the users of the scenarios are for.
const AUDIENCES: [&str; 2] = ["authenticated", "elsewhere"];

/// Headers that say nothing about the request, or that only ours has on every answer (a row of the
/// document each).
const UNHEARD: [&str; 5] = [
    "connection",
    "content-length",
    "date",
    "transfer-encoding",
    "x-request-id",
];

/// A client of one server.
pub(super) struct Player {
    base: String,
    client: Client,
    /// What earlier answers of the scenario said.
    known: BTreeMap<String, String>,
    ids: Ids,
}

impl Player {
    pub(super) fn new(base: &str) -> Self {
        let client = Client::builder().redirect(redirect::Policy::none());
        Self {
            base: base.to_owned(),
            client: client.build().unwrap(),
            known: BTreeMap::new(),
            ids: Ids::default(),
        }
    }

    /// Begins a scenario: without users, and knowing nothing.
    pub(super) async fn begin(&mut self, scenario: &str, now: Timestamp) {
        self.known.clear();
        self.ids = Ids::default();
        let admin = self.authorization(&json!("service"), now);
        for audience in AUDIENCES {
            let list = self
                .client
                .get(format!("{}/admin/users?per_page=1000", self.base));
            let list = list
                .header(AUTHORIZATION, &admin)
                .header("x-jwt-aud", audience);
            let users = list.send().await.unwrap().text().await.unwrap();
            let users: Value = serde_json::from_str(&users).unwrap();
            for user in users["users"].as_array().expect(scenario) {
                let url = format!("{}/admin/users/{}", self.base, user["id"].as_str().unwrap());
                let delete = self.client.delete(url).header(AUTHORIZATION, &admin);
                assert_eq!(delete.send().await.unwrap().status(), 200, "{scenario}");
            }
        }
    }

    /// Sends a request and gives the answer as it is recorded.
    pub(super) async fn ask(&mut self, step: &Step, now: Timestamp) -> Answer {
        let (method, path) = step.ask.split_once(' ').unwrap();
        let url = format!("{}{}", self.base, self.filled(path, now));
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let mut request = self.client.request(method, url);
        if let Some(caller) = &step.caller {
            request = request.header(AUTHORIZATION, self.authorization(caller, now));
        }
        if let Some(body) = &step.body {
            request = request.header(CONTENT_TYPE, "application/json");
            request = request.body(self.filled(body.get(), now));
        }
        if let Some(raw) = &step.raw {
            request = request.body(raw.clone());
        }
        for (name, value) in &step.headers {
            request = request.header(name, self.filled(value, now));
        }
        let answer = request.send().await.unwrap();
        self.hear(step, answer).await
    }

    async fn hear(&mut self, step: &Step, answer: Response) -> Answer {
        let status = answer.status().as_u16();
        let headers = answer.headers().clone();
        let text = answer.text().await.unwrap();
        for (name, place) in &step.save {
            let value = saved(place, &headers, &text).unwrap_or_default();
            self.known.insert(name.clone(), value);
        }
        self.ids.step();
        let mut recorded = Answer {
            status,
            headers: heard(&headers, &mut self.ids),
            body: None,
            text: None,
        };
        match normal::body(&text, &mut self.ids) {
            Some(body) => recorded.body = Some(body),
            None if text.is_empty() => {}
            None => recorded.text = Some(normal::text(&text)),
        }
        recorded
    }

    /// Replaces what stands in double braces.
    fn filled(&self, text: &str, now: Timestamp) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{")
            && let Some((name, after)) = after.split_once("}}")
        {
            filled.push_str(before);
            filled.push_str(&self.value(name, now));
            rest = after;
        }
        filled + rest
    }

    fn value(&self, name: &str, now: Timestamp) -> String {
        if let Some((count, letter)) = name.split_once('*') {
            return letter.repeat(count.parse().unwrap());
        }
        let known = |name: &str| {
            self.known
                .get(name)
                .cloned()
                .unwrap_or_else(|| panic!("{name}"))
        };
        match name.strip_prefix("totp:") {
            Some(secret) => code_at(now.as_second(), &known(secret)),
            None => known(name),
        }
    }

    /// The header of who asks.
    fn authorization(&self, caller: &Value, now: Timestamp) -> HeaderValue {
        let text = match caller {
            Value::String(role) if role == "anon" || role == "service" => {
                let role = if role == "anon" {
                    "anon"
                } else {
                    "service_role"
                };
                let claims = json!({ "role": role, "iss": "supabase", "exp": 4_102_444_800_i64 });
                format!("Bearer {}", signed(&claims, SECRET))
            }
            Value::String(text) if text.starts_with("{{") => {
                format!("Bearer {}", self.filled(text, now))
            }
            Value::String(text) => self.filled(text, now),
            claims => {
                let secret = claims["secret"].as_str().unwrap_or(SECRET);
                format!("Bearer {}", signed(&claims["claims"], secret))
            }
        };
        HeaderValue::from_str(&text).unwrap()
    }
}

/// A token signed with the secret, or with none.
fn signed(claims: &Value, secret: &str) -> String {
    let algorithm = if secret.is_empty() { "none" } else { "HS256" };
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let message = format!(
        "{}.{}",
        part(&json!({ "alg": algorithm, "typ": "JWT" })),
        part(claims)
    );
    if secret.is_empty() {
        return format!("{message}.");
    }
    let tag = hmac::sign(
        &hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()),
        message.as_bytes(),
    );
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(tag))
}

fn heard(headers: &HeaderMap, ids: &mut Ids) -> BTreeMap<String, String> {
    let names = headers.keys().map(HeaderName::as_str);
    // In an order of their own, as ids are named in it.
    let names: BTreeSet<_> = names.filter(|name| !UNHEARD.contains(name)).collect();
    let headers = names.into_iter().map(|name| {
        let values = headers.get_all(name).iter();
        let mut values: Vec<_> = values
            .map(|value| String::from_utf8_lossy(value.as_bytes()))
            .collect();
        values.sort();
        let value = normal::header(name, &values.join(", "), ids);
        (name.to_owned(), value)
    });
    headers.collect()
}

fn saved(place: &str, headers: &HeaderMap, text: &str) -> Option<String> {
    let Some(parameter) = place.strip_prefix("location:") else {
        let body: Value = serde_json::from_str(text).ok()?;
        return body.pointer(place)?.as_str().map(str::to_owned);
    };
    let target = headers.get("location")?.to_str().ok()?;
    let pairs = target
        .split(['?', '#', '&'])
        .filter_map(|pair| pair.split_once('='));
    let mut found = pairs.filter(|(name, _)| *name == parameter);
    found.next().map(|(_, value)| value.to_owned())
}
